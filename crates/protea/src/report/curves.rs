//! Figures that are curves: refusal, the anytime curve, the course of training.

use super::Report;
use super::figures::{Drawing, percent, texts};
use super::svg::{Axis, Chart, short};
use crate::model::Rule;
use crate::progress::Epoch;
use crate::{Error, Float, Result};

/// Points of a curve that the table behind it shows.
const SHOWN_POINTS: usize = 60;

/// Precision against the share of samples that are answered.
pub(super) fn refusal<F: Float>(r: &Report<F>) -> Drawing {
    let points = &r.refusal.points;
    let recall = Axis::share("share of samples answered");
    let precision =
        Axis::holding("right among the answered", points.iter().map(|p| p.precision).chain([1.0]), true)
            .rounded();
    let mut chart = Chart::new(recall, precision);
    // A drawing has no room for more points than pixels.
    let step = points.len().div_ceil(500).max(1);
    let some = points.iter().enumerate().filter(|(i, _)| i % step == 0 || i + 1 == points.len());
    chart.line("one", some.map(|(_, p)| (p.recall, p.precision)));
    let at = r.refusal.at(0.9).map_or(String::new(), |p| {
        format!(
            " If the least certain tenth is refused, {} of the other answers are right.",
            percent(p.precision)
        )
    });
    let rows = some_of(points.len()).map(|i| {
        let p = &points[i];
        vec![percent(p.recall), percent(p.precision), p.answered.to_string(), format!("{:.4}", p.threshold)]
    });
    Drawing {
        svg: chart.finish("Refusal curve: precision against the share of samples answered"),
        caption: format!(
            "The model may refuse to answer where it is least certain; further left it answers less.{at}"
        ),
        header: texts(&["answered", "right", "samples", "certainty at least"]),
        rows: rows.collect(),
    }
}

/// Error against the number of prototypes.
pub(super) fn anytime<F: Float>(r: &Report<F>) -> Drawing {
    let errors = r.anytime();
    let count = |k: usize| (k + 1) as f64;
    let x = Axis::holding("prototypes used", [0.0, errors.len() as f64], false);
    let mut chart = Chart::new(x, Axis::holding("error", errors.iter().copied(), true).with_zero().rounded());
    chart.line("one", errors.iter().enumerate().map(|(k, &e)| (count(k), e)));
    let half = errors[(errors.len() - 1) / 2];
    let last = errors[errors.len() - 1];
    let other = match r.model.rule() {
        Rule::Nearest(1) => String::new(),
        _ => format!(
            " The model itself decides by another rule, with an error of {}.",
            percent(r.evaluation.error)
        ),
    };
    Drawing {
        svg: chart.finish("Error against the number of prototypes used"),
        caption: format!(
            "Each class gives its most important prototype, then its second, and so on; the nearest decides. With half of \
             them the error is {}, with all {}.{other}",
            percent(half),
            percent(last)
        ),
        header: texts(&["prototypes", "error"]),
        rows: some_of(errors.len()).map(|k| vec![(k + 1).to_string(), percent(errors[k])]).collect(),
    }
}

/// Errors and loss by epoch.
pub(super) fn training<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let p = r.model.provenance();
    if p.history.is_empty() {
        return Err(Error::unsupported(format!("{} has no training history to draw", p.method)));
    }
    let h = &p.history;
    let epochs = Axis::holding("epoch", h.iter().map(|t| t.epoch as f64), false);
    let errors = h.iter().flat_map(|t| [Some(t.train_error), t.valid_error]).flatten();
    let mut chart = Chart::new(epochs, Axis::holding("error", errors, true).with_zero().rounded());
    let top = h.iter().map(|t| t.loss).fold(f64::MIN_POSITIVE, f64::max);
    let scale = h.iter().flat_map(|t| [Some(t.train_error), t.valid_error]).flatten().fold(1e-9, f64::max);
    chart.line("three", by_epoch(h, |t| t.loss / top * scale));
    chart.line("one", by_epoch(h, |t| t.train_error));
    let mut names = vec![("one", "training error"), ("three", "loss, to its largest value")];
    if h.iter().any(|t| t.valid_error.is_some()) {
        chart.line("two", by_epoch(h, |t| t.valid_error.unwrap_or(f64::NAN)));
        names.push(("two", "validation error"));
    }
    let highest = h.iter().map(|t| t.gamma).fold(f64::MIN_POSITIVE, f64::max);
    let hardens = h[0].gamma != h[h.len() - 1].gamma;
    if hardens {
        chart.line("ideal", by_epoch(h, |t| t.gamma / highest * scale));
        names.push(("ideal", "γ, to its largest value"));
    }
    chart.legend(&names);
    let rows = some_of(h.len()).map(|i| {
        let t = &h[i];
        let valid = t.valid_error.map_or("–".into(), percent);
        vec![t.epoch.to_string(), short(t.gamma), format!("{:.6}", t.loss), percent(t.train_error), valid]
    });
    Ok(Drawing {
        svg: chart.finish("Training: errors and loss by epoch"),
        caption: match hardens {
            true => format!(
                "{} epochs or steps; γ, which makes the soft rule harder, went from {} to {}.",
                h.len(),
                short(h[0].gamma),
                short(h[h.len() - 1].gamma)
            ),
            false => format!("{} epochs or steps.", h.len()),
        },
        header: texts(&["epoch", "γ", "loss", "training error", "validation error"]),
        rows: rows.collect(),
    })
}

/// A value by epoch, with a break where the next member begins anew.
fn by_epoch(h: &[Epoch], value: impl Fn(&Epoch) -> f64) -> Vec<(f64, f64)> {
    let mut points = Vec::with_capacity(h.len());
    for (i, t) in h.iter().enumerate() {
        if i > 0 && t.epoch <= h[i - 1].epoch {
            points.push((f64::NAN, f64::NAN));
        }
        points.push((t.epoch as f64, value(t)));
    }
    points
}

/// About [`SHOWN_POINTS`] of `n` indices, the last among them.
fn some_of(n: usize) -> impl Iterator<Item = usize> {
    let step = n.div_ceil(SHOWN_POINTS).max(1);
    (0..n).filter(move |i| i % step == 0 || i + 1 == n)
}
