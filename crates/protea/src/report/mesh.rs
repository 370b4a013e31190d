//! Accuracy over γ in training and γ in deciding.
//!
//! The same method and settings are trained again with γ held at each of several values, and each of the models decides by the
//! soft rule with each of the values, and by the hard rule, its limit. Figures 2 and 3 of the paper on NPC show why γ is
//! calibrated: far below, prototypes of a class merge; far above, few samples move any; and a model decides best with the γ that
//! it was trained with, or harder.

use super::Report;
use super::figures::{Drawing, percent, texts};
use super::svg::{image, short};
use crate::model::Rule;
use crate::{Dataset, Error, Float, Result, Trainer};
use ndarray::Array2;
use std::fmt::Write;

/// Powers of two, times the γ that training started with, that are tried.
const POWERS: std::ops::RangeInclusive<i32> = -4..=6;
const NONE: &str = "the mesh of γ needs training samples";

/// Accuracies by γ.
pub(super) struct Mesh {
    /// Values of γ, in training and in deciding.
    pub gammas: Vec<f64>,
    /// Accuracy for γ in training (rows) and in deciding; the last column is the hard rule.
    pub accuracy: Array2<f64>,
}

impl<F: Float> Report<'_, F> {
    /// Trains again at several γ, for the figure [`Mesh`](super::Figure::Mesh); `step` is told how many of how many trainings are
    /// done.
    pub fn meshed(mut self, train: &Dataset<F>, mut step: impl FnMut(usize, usize)) -> Result<Self> {
        let p = self.model.provenance();
        let mut trainer = Trainer::<F>::named(&p.method)?;
        let soft = F::pick(&*trainer.learner(&Default::default())?).softens();
        let (true, Some(first)) = (soft, p.history.first()) else {
            return Err(Error::unsupported(format!("{} has no γ to draw a mesh of", p.method)));
        };
        for (name, value) in &p.settings {
            trainer = trainer.set(name, value)?;
        }
        // Files of earlier versions record settings that nothing reads.
        trainer.forget_unread();
        for name in ["anneal", "gamma-steps"] {
            trainer = if trainer.reads(name) { trainer.set(name, "1")? } else { trainer };
        }
        let gammas: Vec<f64> = POWERS.map(|k| first.gamma * 2f64.powi(k)).collect();
        let mut accuracy = Array2::zeros((gammas.len(), gammas.len() + 1));
        for (done, gamma) in gammas.iter().enumerate() {
            step(done, gammas.len());
            trainer = trainer.set("gamma", &gamma.to_string())?;
            let hard = trainer.fit(train)?.with_rule(Rule::Nearest(1))?;
            accuracy[[done, gammas.len()]] = 1.0 - hard.error(self.test)?;
            let mut soft = hard.with_rule(Rule::Soft)?;
            for (k, &gamma) in gammas.iter().enumerate() {
                soft = soft.with_gamma(gamma)?;
                accuracy[[done, k]] = 1.0 - soft.error(self.test)?;
            }
        }
        self.mesh = Some(Mesh { gammas, accuracy });
        Ok(self)
    }
}

/// The mesh as coloured cells.
pub(super) fn drawing<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let m = r.mesh.as_ref().ok_or_else(|| Error::unsupported(NONE))?;
    let (least, most) = m.accuracy.iter().fold((1.0, 0.0), |(a, b), &v| (f64::min(a, v), f64::max(b, v)));
    let n = m.gammas.len();
    let (left, top, cell) = (66.0, 12.0, 40.0);
    let names: Vec<String> = m.gammas.iter().map(|g| short(*g)).chain(["hard".into()]).collect();
    let mut body = String::new();
    for ((i, k), &v) in m.accuracy.indexed_iter() {
        // The lowest training γ is at the bottom.
        let (x, y) = (left + k as f64 * cell, top + (n - 1 - i) as f64 * cell * 0.7);
        let strength = 0.05 + 0.5 * (v - least) / (most - least).max(1e-12);
        let _ = write!(
            body,
            "<rect class=\"bar\" fill-opacity=\"{strength:.3}\" x=\"{x}\" y=\"{y:.1}\" width=\"{cell}\" height=\"{:.1}\"/>\
             <text class=\"mid small\" x=\"{}\" y=\"{:.1}\">{:.1}</text>",
            cell * 0.7,
            x + cell / 2.0,
            y + 18.0,
            100.0 * v
        );
    }
    let bottom = top + n as f64 * cell * 0.7;
    for (k, name) in names.iter().enumerate() {
        let (x, y) = (left + (k as f64 + 0.5) * cell, bottom + 16.0);
        let _ = write!(body, "<text class=\"mid small\" x=\"{x}\" y=\"{y:.1}\">{name}</text>");
        if k < n {
            let y = bottom - (k as f64 + 0.5) * cell * 0.7 + 4.0;
            let _ = write!(body, "<text class=\"end small\" x=\"{}\" y=\"{y:.1}\">{name}</text>", left - 5.0);
        }
    }
    let width = left + (n + 1) as f64 * cell;
    let _ = write!(
        body,
        "<text class=\"mid\" x=\"{:.1}\" y=\"{:.1}\">γ in deciding</text>\
         <text class=\"mid\" transform=\"translate(14 {:.1}) rotate(-90)\">γ in training</text>",
        (left + width) / 2.0,
        bottom + 38.0,
        (top + bottom) / 2.0
    );
    let alt = "Accuracy in per cent over γ in training and γ in deciding";
    let rows = m
        .gammas
        .iter()
        .zip(m.accuracy.rows())
        .map(|(g, row)| [short(*g)].into_iter().chain(row.iter().map(|v| percent(*v))).collect());
    Ok(Drawing {
        svg: image(width + 8.0, bottom + 46.0, alt, &body),
        caption: format!(
            "Accuracy in per cent where γ is held in training (rows) and set for deciding (columns; the last is the nearest \
             prototype alone). Training calibrated γ to {} at its start.",
            short(m.gammas[POWERS.start().unsigned_abs() as usize])
        ),
        header: texts(&["γ in training"]).into_iter().chain(names).collect(),
        rows: rows.collect(),
    })
}
