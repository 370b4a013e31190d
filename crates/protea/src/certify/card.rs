//! One card for each answer: what was answered, why, how firmly, and what would change it.

use super::{Bound, Certifier, Changes, Norm, counterfactual};
use crate::data::ColumnKind;
use crate::{Float, Model, Result};
use ndarray::{ArrayView1, ArrayView2};
use serde::Serialize;
use std::ops::Range;

/// All that a model can say about one answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// The class that is answered.
    pub class: String,
    /// Its probability.
    pub probability: f64,
    /// The nearest prototype of that class.
    pub prototype: usize,
    /// Squared distance to it, in the model's space.
    pub distance: f64,
    /// The class that comes second, by its nearest prototype.
    pub rival: Option<Rival>,
    /// Columns of the input, those that speak for the answer first.
    pub columns: Vec<ColumnCase>,
    /// No change of the input below this Euclidean length changes the answer.
    pub radius: Option<f64>,
    /// A small change that does.
    pub change: Option<Change>,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// The class that comes second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Its name.
    pub class: String,
    /// Its probability.
    pub probability: f64,
    /// Its nearest prototype.
    pub prototype: usize,
    /// Squared distance to that.
    pub distance: f64,
}

/// What one column of the input says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnCase {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The value of the nearest prototype of the class answered.
    pub prototype: String,
    /// The value of the rival.
    pub rival: Option<String>,
    /// By how much it brings the answer nearer than the rival, in squared distance; negative if it speaks for the rival.
    pub weight: f64,
}

/// A change that leads to another answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The class that is answered then.
    pub class: String,
    /// Name, value before and value after of each column that changes.
    pub columns: Vec<(String, String, String)>,
}

/// A column of the input as people know it: a number, or a category of several features.
struct Column {
    name: String,
    features: Range<usize>,
    levels: Vec<String>,
}

impl Column {
    fn show<F: Float>(&self, row: ArrayView1<F>) -> String {
        let largest = self.features.clone().reduce(|a, b| if row[b] > row[a] { b } else { a });
        match largest.filter(|_| !self.levels.is_empty()) {
            Some(f) if row[f] > F::zero() => self.levels[f - self.features.start].clone(),
            Some(_) => "none of them".into(),
            None => short(row[self.features.start].f64()),
        }
    }
}

/// A number with four digits that matter.
fn short(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return v.to_string();
    }
    let digits = (3 - v.abs().log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{v:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// The nearest prototype of the class answered with its distance, and the same of the nearest of all others.
type Pair = (usize, f64, Option<(usize, f64)>);

/// A card for each sample; `changes` says what a change of the answer may touch.
pub fn cards<F: Float>(model: &Model<F>, x: ArrayView2<F>, changes: &Changes) -> Result<Vec<Card>> {
    let (classes, q) = (model.predict(x)?, model.probabilities(x)?);
    let labels = &model.prototypes().y;
    // The nearest prototype of the class answered, and the nearest of all others.
    let pairs: Vec<Pair> = (model.distances(x).rows().into_iter().zip(&classes))
        .map(|(d, &class)| {
            let nearest = |own: bool| {
                let of = (0..d.len()).filter(|&j| (labels[j] == class) == own);
                of.reduce(|a, b| if d[b] < d[a] { b } else { a })
            };
            let own = nearest(true).unwrap_or(0);
            (own, d[own].f64(), nearest(false).map(|j| (j, d[j].f64())))
        })
        .collect();
    let mut notes = Vec::new();
    let radii = Certifier::new(model, Norm::L2, Bound::HalfSpace).and_then(|c| c.certify(x));
    let radii = radii.map_err(|e| notes.push(format!("no radius: {e}"))).ok();
    let own: Vec<usize> = pairs.iter().map(|p| p.0).collect();
    let other: Vec<usize> = pairs.iter().map(|p| p.2.map_or(p.0, |r| r.0)).collect();
    let terms = model.contributions(x, &own).and_then(|near| Ok(model.contributions(x, &other)? - near));
    let terms = terms.map_err(|e| notes.push(format!("no weights of columns: {e}"))).ok();
    let (columns, shown) = (columns(model), model.prototypes_in_input_units());
    let mut cards = Vec::with_capacity(x.nrows());
    for (i, &(own, distance, rival)) in pairs.iter().enumerate() {
        let row = x.row(i);
        let rival = rival.map(|(j, distance)| Rival {
            class: model.classes()[labels[j]].clone(),
            probability: q[[i, labels[j]]],
            prototype: j,
            distance,
        });
        let mut cases: Vec<ColumnCase> = (columns.iter())
            .map(|c| ColumnCase {
                name: c.name.clone(),
                value: c.show(row),
                prototype: c.show(shown.row(own)),
                rival: rival.as_ref().map(|r| c.show(shown.row(r.prototype))),
                weight: terms.as_ref().map_or(0.0, |t| c.features.clone().map(|f| t[[i, f]]).sum()),
            })
            .collect();
        cases.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let mut notes = notes.clone();
        let change = changed(model, row, changes, &columns)?;
        if change.is_none() {
            notes.push("no change within the limits leads to another answer".into());
        }
        cards.push(Card {
            class: model.classes()[classes[i]].clone(),
            probability: q[[i, classes[i]]],
            prototype: own,
            distance,
            rival,
            columns: cases,
            radius: radii.as_ref().map(|r| r[i].radius),
            change,
            notes,
        });
    }
    Ok(cards)
}

fn changed<F: Float>(
    model: &Model<F>,
    row: ArrayView1<F>,
    changes: &Changes,
    columns: &[Column],
) -> Result<Option<Change>> {
    let Some(other) = counterfactual(model, &row.to_vec(), None, changes)? else { return Ok(None) };
    let after: Vec<F> = other.x.iter().map(|&v| F::of(v)).collect();
    let after = ArrayView1::from(&after);
    let touched = columns.iter().filter(|c| other.changed.iter().any(|f| c.features.contains(f)));
    let columns = touched.map(|c| (c.name.clone(), c.show(row), c.show(after))).collect();
    Ok(Some(Change { class: model.classes()[other.class].clone(), columns }))
}

/// Columns of the file that the model was trained on, or its features.
fn columns<F: Float>(model: &Model<F>) -> Vec<Column> {
    let plain =
        |(f, name): (usize, &String)| Column { name: name.clone(), features: f..f + 1, levels: Vec::new() };
    let Some(schema) = model.schema() else {
        return model.features().iter().enumerate().map(plain).collect();
    };
    let mut start = 0;
    let mut take = |name: String, width: usize, levels: Vec<String>| {
        start += width;
        Column { name, features: start - width..start, levels }
    };
    let mut columns = Vec::new();
    for c in &schema.columns {
        match &c.kind {
            ColumnKind::Category { levels, .. } => {
                columns.push(take(c.name.clone(), levels.len(), levels.clone()))
            }
            // Numbers are one feature, dates one for each part.
            _ => columns.extend(c.feature_names().into_iter().map(|name| take(name, 1, Vec::new()))),
        }
    }
    columns
}
