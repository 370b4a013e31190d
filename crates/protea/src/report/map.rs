//! Samples, prototypes and decision regions in two dimensions.
//!
//! Data of two features are drawn as they are: every cell of the background is a question to the model. Others are drawn on the
//! plane of their first two principal components, taken where distances are (after preprocessing and a metric for all
//! prototypes); the background then is what the model answers on the plane itself, and samples lie above or below it.

use super::Report;
use crate::metric::Form;
use crate::model::{Rule, Space};
use crate::represent::{Components, pca, product};
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// Samples that are drawn.
const SAMPLES: usize = 600;
/// Samples that the plane is found by.
const PLANE: usize = 2000;

/// A map.
pub(super) struct Map {
    /// Names of the two directions.
    pub axes: [String; 2],
    /// Whether the background is the model's answer to samples of exactly these two features.
    pub exact: bool,
    /// Row of the test samples and place.
    pub samples: Vec<(usize, [f64; 2])>,
    /// Place of each prototype.
    pub prototypes: Vec<[f64; 2]>,
    /// Corners, lowest and highest.
    pub bounds: [[f64; 2]; 2],
    /// Cells in a row and rows of the background, lowest first, and the class of each; no cells where the model codes.
    pub cells: (usize, usize, Vec<usize>),
}

impl<F: Float> Report<'_, F> {
    /// The map, where there are two dimensions to draw.
    pub(super) fn map(&self) -> Result<Option<Map>> {
        let step = self.test.len().div_ceil(SAMPLES);
        let rows: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let x = self.test.x.select(Axis(0), &rows);
        match (self.test.dim(), self.shown_prototypes()) {
            (2, Some(p)) => {
                let ask = |points: Array2<F>| self.model.predict(points.view());
                let axes = [0, 1].map(|f| self.model.features()[f].clone());
                Ok(Some(draw(axes, true, rows, x.view(), p.view(), (240, 160), ask)?))
            }
            _ => self.plane(rows, x),
        }
    }

    fn plane(&self, rows: Vec<usize>, x: Array2<F>) -> Result<Option<Map>> {
        let model = self.model;
        let step = self.test.len().div_ceil(PLANE);
        let some: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let seen = model.embed(self.test.x.select(Axis(0), &some).view())?;
        if seen.ncols() < 2 {
            return Ok(None);
        }
        let plane = pca(seen.view(), Components::Number(2))?;
        let p = self.embedded_prototypes();
        let (points, marks) = (plane.apply(model.embed(x.view())?.view()), plane.apply(p.view()));
        // Metrics of single prototypes do not move the samples; all others are Euclidean after the map.
        let form = match model.metric() {
            local @ (Form::Local(_) | Form::LocalLinear { .. }) => local.clone(),
            _ => Form::Euclidean,
        };
        let (space, decision) = (Space::new(&form, p.view()), model.decision());
        let ask = |cells: Array2<F>| {
            let z = plane.invert(cells.view());
            Ok(space.map_all(z.view(), |d| decision.decide(d, model.gamma())))
        };
        let axes = ["first principal component", "second principal component"].map(String::from);
        let grid = if model.rule() == Rule::Code { (0, 0) } else { (140, 90) };
        Ok(Some(draw(axes, false, rows, points.view(), marks.view(), grid, ask)?))
    }

    /// Prototypes where distances are Euclidean, or after preprocessing for metrics of single prototypes.
    fn embedded_prototypes(&self) -> Array2<F> {
        let p = &self.model.prototypes().x;
        match self.model.metric() {
            Form::Linear(a) => product(p.view(), a.view()),
            Form::Diagonal(w) => p * &ndarray::aview1(w),
            Form::Euclidean | Form::Local(_) | Form::LocalLinear { .. } => p.clone(),
        }
    }
}

fn draw<F: Float>(
    axes: [String; 2],
    exact: bool,
    rows: Vec<usize>,
    points: ArrayView2<F>,
    marks: ArrayView2<F>,
    (across, up): (usize, usize),
    ask: impl FnOnce(Array2<F>) -> Result<Vec<usize>>,
) -> Result<Map> {
    let pairs = |m: ArrayView2<F>| -> Vec<[f64; 2]> {
        m.rows().into_iter().map(|r| [r[0].f64(), r[1].f64()]).collect()
    };
    let (points, prototypes) = (pairs(points), pairs(marks));
    let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for p in points.iter().chain(&prototypes) {
        for f in 0..2 {
            bounds[0][f] = bounds[0][f].min(p[f]);
            bounds[1][f] = bounds[1][f].max(p[f]);
        }
    }
    let [low, high] = &mut bounds;
    for (low, high) in low.iter_mut().zip(high) {
        let room = 0.04 * (*high - *low).max(1e-9);
        (*low, *high) = (*low - room, *high + room);
    }
    let at = |f: usize, k: usize, of: usize| {
        F::of(bounds[0][f] + (bounds[1][f] - bounds[0][f]) * (k as f64 + 0.5) / of as f64)
    };
    let cells = if across * up == 0 {
        Vec::new()
    } else {
        ask(Array2::from_shape_fn((across * up, 2), |(i, f)| {
            if f == 0 { at(0, i % across, across) } else { at(1, i / across, up) }
        }))?
    };
    let samples = rows.into_iter().zip(points).collect();
    Ok(Map { axes, exact, samples, prototypes, bounds, cells: (across, up, cells) })
}
