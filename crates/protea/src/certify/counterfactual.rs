//! What would change the answer: a near input, in the units of the input, that the model answers with another class.
//!
//! ```text
//! cost of a change = Σ_f ((x'_f − x_f) / unit_f)² + 1 for each category that changes
//! ```
//! Where borders are hyperplanes, the nearest point beyond them under the limits is found exactly, as for exact radii. For every
//! model the way towards each prototype of the other class is tried, too: with categories as they are or as the prototype has
//! them, features are then put back one by one as far as the answer stays, and the rest of the way is halved. Whatever is
//! returned was answered by the model itself.

use super::exact::Program;
use super::geometry::{Decision, Geometry};
use super::{Norm, radius};
use crate::data::{ColumnKind, Schema};
use crate::{Error, Float, Model, Result};
use ndarray::{Array2, ArrayView2};
use std::ops::Range;

/// Rivals for which the nearest point is computed.
const RIVALS: usize = 12;
/// How far beyond the border a point is put, relative to the way there.
const BEYOND: f64 = 1e-3;

/// Which changes of an input are possible.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Features that stay as they are.
    pub fixed: Vec<bool>,
    /// Smallest value of each feature.
    pub low: Vec<f64>,
    /// Largest value of each feature.
    pub high: Vec<f64>,
    /// What counts as a change by one; its square is the cost.
    pub unit: Vec<f64>,
    /// Features that are one category: one of them is 1, the others are 0.
    pub categories: Vec<Range<usize>>,
}

impl Changes {
    /// Any change of `features` numbers, each measured by itself.
    pub fn free(features: usize) -> Self {
        Changes {
            fixed: vec![false; features],
            low: vec![f64::NEG_INFINITY; features],
            high: vec![f64::INFINITY; features],
            unit: vec![1.0; features],
            categories: Vec::new(),
        }
    }

    /// Categories as the columns of a file have them.
    pub fn with_schema(mut self, schema: &Schema) -> Self {
        let mut start = 0;
        for (column, width) in schema.columns.iter().map(|c| (c, c.width())) {
            if matches!(column.kind, ColumnKind::Category { .. }) {
                self.categories.push(start..start + width);
            }
            start += width;
        }
        self
    }

    fn in_category(&self, f: usize) -> bool {
        self.categories.iter().any(|c| c.contains(&f))
    }

    /// What a change costs.
    pub fn cost(&self, from: &[f64], to: &[f64]) -> f64 {
        let numbers = (0..from.len()).filter(|&f| !self.in_category(f));
        let numbers: f64 = numbers.map(|f| ((to[f] - from[f]) / self.unit[f]).powi(2)).sum();
        let switched = self.categories.iter().filter(|c| from[(*c).clone()] != to[(*c).clone()]);
        numbers + switched.count() as f64
    }

    fn check(&self, features: usize) -> Result<()> {
        let lengths = [self.fixed.len(), self.low.len(), self.high.len(), self.unit.len()];
        if lengths.iter().any(|&n| n != features) {
            return Err(Error::Features {
                source_name: "the limits of changes".into(),
                expected: features,
                found: lengths[0],
            });
        }
        if self.unit.iter().any(|u| u.is_nan() || *u <= 0.0) {
            return Err(Error::setting("unit", "a number ≤ 0", "a number > 0 for each feature"));
        }
        Ok(())
    }
}

/// A near input with another answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterfactual {
    /// The class that the model answers there.
    pub class: usize,
    /// The input.
    pub x: Vec<f64>,
    /// Features that differ.
    pub changed: Vec<usize>,
    /// What the change costs.
    pub cost: f64,
}

/// The nearest input found that the model answers with `target`, or with any other class; none if nothing was found within the
/// limits.
pub fn counterfactual<F: Float>(
    model: &Model<F>,
    x: &[F],
    target: Option<usize>,
    changes: &Changes,
) -> Result<Option<Counterfactual>> {
    changes.check(x.len())?;
    let search = Search::new(model, x, target, changes)?;
    if target == Some(search.answer) {
        let class = &model.classes()[search.answer];
        return Err(Error::class(class, "is the answer already; name another class"));
    }
    let mut found = search.beyond_borders()?;
    found.extend(search.towards_prototypes()?);
    let cost = |x: &Vec<f64>| changes.cost(&search.x, x);
    let best = found.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let Some(best) = best else { return Ok(None) };
    let class = search.ask(std::slice::from_ref(&best))?[0];
    let changed = (0..best.len()).filter(|&f| best[f] != search.x[f]).collect();
    Ok(Some(Counterfactual { class, changed, cost: cost(&best), x: best }))
}

struct Search<'a, F: Float> {
    model: &'a Model<F>,
    x: Vec<f64>,
    answer: usize,
    target: Option<usize>,
    changes: &'a Changes,
}

impl<'a, F: Float> Search<'a, F> {
    fn new(model: &'a Model<F>, x: &[F], target: Option<usize>, changes: &'a Changes) -> Result<Self> {
        let row = ArrayView2::from_shape((1, x.len()), x)?;
        let answer = model.predict(row)?[0];
        Ok(Search { model, x: x.iter().map(|v| v.f64()).collect(), answer, target, changes })
    }

    /// Answers for points.
    fn ask(&self, points: &[Vec<f64>]) -> Result<Vec<usize>> {
        let x = Array2::from_shape_fn((points.len(), self.x.len()), |(i, f)| F::of(points[i][f]));
        self.model.predict(x.view())
    }

    fn wanted(&self, class: usize) -> bool {
        self.target.map_or(class != self.answer, |t| t == class)
    }

    /// Points among these with the wanted answer.
    fn sound(&self, points: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
        if points.is_empty() {
            return Ok(points);
        }
        let answers = self.ask(&points)?;
        Ok(points.into_iter().zip(answers).filter(|(_, a)| self.wanted(*a)).map(|(p, _)| p).collect())
    }

    /// A value within the limits.
    fn within(&self, f: usize, v: f64) -> f64 {
        if self.changes.fixed[f] { self.x[f] } else { v.clamp(self.changes.low[f], self.changes.high[f]) }
    }

    /// Points just beyond the borders of near rivals, if borders are hyperplanes; categories stay.
    fn beyond_borders(&self) -> Result<Vec<Vec<f64>>> {
        let Ok(g) = self.model.plan().and_then(|plan| Geometry::new(&plan, Norm::L2)) else {
            return Ok(Vec::new());
        };
        if g.check_exact().is_err() {
            return Ok(Vec::new());
        }
        let row = Array2::from_shape_fn((1, self.x.len()), |(_, f)| F::of(self.x[f]));
        let distances = self.model.distances(row.view());
        let d: Vec<f64> = g.order.iter().map(|&j| distances[[0, j]].f64()).collect();
        let own = g.of_class[self.answer].clone();
        let shift = |j: usize| match &g.decision {
            Decision::Scores { weights, biases, .. } => {
                (biases[g.labels[j]] - biases[self.answer]) / weights[0]
            }
            _ => 0.0,
        };
        let mut rivals: Vec<(f64, usize)> = (0..d.len())
            .filter(|&j| self.wanted(g.labels[j]))
            .map(|j| (radius::half_space(&g, &d, own.clone(), j, shift(j)), j))
            .collect();
        rivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let free: Vec<f64> = (0..self.x.len())
            .map(|f| {
                if self.changes.fixed[f] || self.changes.in_category(f) { 0.0 } else { self.changes.unit[f] }
            })
            .collect();
        let points = rivals.into_iter().take(RIVALS).map(|(_, j)| {
            let sides = own.clone().map(|i| d[j] + shift(j) - d[i]);
            self.nearest_point(&free, sides.collect(), |n| g.between(j, own.start + n))
        });
        self.sound(points.collect())
    }

    /// The nearest point under the limits where all `2 bᵀ(x' − x) ≥ side` hold; limits are constraints like the others.
    fn nearest_point(&self, free: &[f64], sides: Vec<f64>, between: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
        let n = self.x.len();
        let borders = sides.len();
        let limited: Vec<(usize, f64, f64)> = (0..n)
            .filter(|&f| free[f] > 0.0)
            .flat_map(|f| {
                [(f, 1.0, self.changes.low[f] - self.x[f]), (f, -1.0, self.x[f] - self.changes.high[f])]
            })
            .filter(|(_, _, side)| side.is_finite())
            .collect();
        // Slightly more than needed, so that the point is beyond the border and not on it.
        let mut all: Vec<f64> = sides.iter().map(|s| s * (1.0 + BEYOND) + f64::MIN_POSITIVE).collect();
        all.extend(limited.iter().map(|(_, _, side)| *side));
        let normal = |i: usize| -> Vec<f64> {
            if i < borders {
                between(i).iter().zip(free).map(|(b, u)| 2.0 * b * u).collect()
            } else {
                let (f, sign, _) = limited[i - borders];
                (0..n).map(|g| if g == f { sign * free[f] } else { 0.0 }).collect()
            }
        };
        let (_, e) = Program::new(n, all, normal).solve(f64::INFINITY);
        (0..n).map(|f| self.within(f, self.x[f] + e[f] * free[f])).collect()
    }

    /// Points on the way to each prototype of a wanted class, with as little changed as the answer allows.
    fn towards_prototypes(&self) -> Result<Vec<Vec<f64>>> {
        let shown = self.model.prototypes_in_input_units();
        let labels = &self.model.prototypes().y;
        if shown.ncols() != self.x.len() {
            return Ok(Vec::new());
        }
        let mut ends = Vec::new();
        for (p, _) in shown.rows().into_iter().zip(labels).filter(|(_, c)| self.wanted(**c)) {
            let p: Vec<f64> = p.iter().map(|v| v.f64()).collect();
            let mut end: Vec<f64> = (0..p.len()).map(|f| self.within(f, p[f])).collect();
            for c in &self.changes.categories {
                end[c.clone()].copy_from_slice(&self.x[c.clone()]);
            }
            ends.push(end.clone());
            for c in self.changes.categories.iter().filter(|c| !self.changes.fixed[c.start]) {
                let level = c.clone().reduce(|a, b| if p[b] > p[a] { b } else { a });
                c.clone().for_each(|f| end[f] = if Some(f) == level { 1.0 } else { 0.0 });
            }
            if self.changes.categories.iter().any(|c| end[c.clone()] != self.x[c.clone()]) {
                ends.push(end);
            }
        }
        let mut ends = self.sound(ends)?;
        ends.sort_by(|a, b| self.changes.cost(&self.x, a).total_cmp(&self.changes.cost(&self.x, b)));
        ends.truncate(RIVALS);
        ends.into_iter()
            .map(|end| self.halved(end).and_then(|p| self.put_back(p)).and_then(|p| self.halved(p)))
            .collect()
    }

    /// The nearest point to `x` on the straight way to `end` that still has the wanted answer; categories stay as in `end`.
    fn halved(&self, end: Vec<f64>) -> Result<Vec<f64>> {
        let at = |t: f64| -> Vec<f64> {
            let step = |f: usize| {
                if self.changes.in_category(f) { end[f] } else { self.x[f] + t * (end[f] - self.x[f]) }
            };
            (0..end.len()).map(step).collect()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if self.wanted(self.ask(&[at(middle)])?[0]) { high = middle } else { low = middle }
        }
        Ok(if high < 1.0 { at(high) } else { end })
    }

    /// Puts features back to where they were, those that changed least first, as long as the answer stays.
    fn put_back(&self, mut point: Vec<f64>) -> Result<Vec<f64>> {
        let mut parts: Vec<Range<usize>> = self.changes.categories.clone();
        parts.extend((0..point.len()).filter(|&f| !self.changes.in_category(f)).map(|f| f..f + 1));
        let cost = |part: &Range<usize>, point: &[f64]| {
            let mut other = self.x.clone();
            other[part.clone()].copy_from_slice(&point[part.clone()]);
            self.changes.cost(&self.x, &other)
        };
        parts.sort_by(|a, b| cost(a, &point).total_cmp(&cost(b, &point)));
        for part in parts {
            let mut other = point.clone();
            other[part.clone()].copy_from_slice(&self.x[part.clone()]);
            if other != point && self.wanted(self.ask(std::slice::from_ref(&other))?[0]) {
                point = other;
            }
        }
        Ok(point)
    }
}
