//! Samples, prototypes and decision regions in two dimensions.
//!
//! Data of two features are drawn as they are. Others are drawn on the plane of their first two principal components, taken where
//! distances are (after preprocessing and a metric for all prototypes); the background then is what the model answers on the
//! plane itself, and samples lie above or below it.
//!
//! Where the nearest prototype decides and the plane stays flat where distances are taken, regions are exact polygons. Metrics of
//! single prototypes have curved borders, and soft rules have no simple ones: there the model is asked on a fine grid.

use super::Report;
use super::regions::{Frame, Regions, cells};
use crate::metric::{Embedding, Space};
use crate::model::Rule;
use crate::represent::{Components, Nature, pca};
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// Samples that are drawn.
const SAMPLES: usize = 600;
/// Samples that the plane is found by.
const PLANE: usize = 2000;
/// Prototypes up to which cells are cut out one by one.
const MOST_CELLS: usize = 5000;
/// Cells of a grid in a row, and rows.
const GRID: (usize, usize) = (280, 170);

/// A map.
pub(super) struct Map {
    /// Names of the two directions.
    pub axes: [String; 2],
    /// Whether samples have exactly these two features.
    pub whole: bool,
    /// Row of the test samples and place.
    pub samples: Vec<(usize, [f64; 2])>,
    /// Place of each prototype.
    pub prototypes: Vec<[f64; 2]>,
    /// Corners, lowest and highest.
    pub frame: Frame,
    /// The answers.
    pub regions: Regions,
}

impl<F: Float> Report<'_, F> {
    /// The map; none for data with a single dimension.
    pub(super) fn map(&self) -> Result<Option<Map>> {
        let step = self.test.len().div_ceil(SAMPLES);
        let rows: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let x = self.test.x.select(Axis(0), &rows);
        match (self.test.dim(), self.shown_prototypes()) {
            (2, Some(p)) => {
                let axes = [0, 1].map(|f| self.model.features()[f].clone());
                let flat = !self.model.pipeline().steps.iter().any(|s| s.nature() != Nature::Linear);
                let lift = |points: Array2<F>| self.model.embed(points.view());
                let ask = |points: Array2<F>| self.model.predict(points.view());
                Ok(Some(self.drawn(axes, true, rows, x.view(), p.view(), flat, lift, ask)?))
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
        let space =
            if self.curved() { Space::new(model.metric(), p.view()) } else { Space::euclidean(p.view()) };
        let decider = model.decider();
        let lift = |points: Array2<F>| Ok(plane.invert(points.view()));
        let ask = |points: Array2<F>| {
            let z = plane.invert(points.view());
            Ok(space.map(z.view(), |_, d| decider.decide(d, model.gamma())))
        };
        let axes = ["first principal component", "second principal component"].map(String::from);
        Ok(Some(self.drawn(axes, false, rows, points.view(), marks.view(), true, lift, ask)?))
    }

    /// Whether borders between prototypes are not straight.
    fn curved(&self) -> bool {
        self.model.metric().embedding() == Embedding::None
    }

    /// Prototypes where distances are Euclidean, or after preprocessing for metrics of single prototypes.
    fn embedded_prototypes(&self) -> Array2<F> {
        self.model.metric().embed(self.model.prototypes().x.clone())
    }

    /// A map of points and marks: `lift` takes the plane to where distances are, `flat` says whether by a linear map but for a
    /// shift, and `ask` tells the class of points of the plane.
    #[allow(clippy::too_many_arguments)]
    fn drawn(
        &self,
        axes: [String; 2],
        whole: bool,
        rows: Vec<usize>,
        points: ArrayView2<F>,
        marks: ArrayView2<F>,
        flat: bool,
        lift: impl FnOnce(Array2<F>) -> Result<Array2<F>>,
        ask: impl FnOnce(Array2<F>) -> Result<Vec<usize>>,
    ) -> Result<Map> {
        let pairs = |m: ArrayView2<F>| -> Vec<[f64; 2]> {
            m.rows().into_iter().map(|r| [r[0].f64(), r[1].f64()]).collect()
        };
        let (points, prototypes) = (pairs(points), pairs(marks));
        let frame = around(points.iter().chain(&prototypes));
        let [low, high] = frame;
        let nearest = self.model.rule() == Rule::Nearest(1) && flat && !self.curved();
        let regions = if self.model.rule() == Rule::Code {
            Regions::None
        } else if nearest && prototypes.len() <= MOST_CELLS {
            let corners = [low, [high[0], low[1]], [low[0], high[1]]];
            let corners = lift(Array2::from_shape_fn((3, 2), |(i, f)| F::of(corners[i][f])))?;
            let q = self.embedded_prototypes();
            Regions::Cells(cells(frame, corners.mapv(F::f64).view(), q.mapv(F::f64).view()))
        } else {
            let at = |f: usize, k: usize, of: usize| {
                F::of(low[f] + (high[f] - low[f]) * (k as f64 + 0.5) / of as f64)
            };
            let (across, up) = GRID;
            let classes = ask(Array2::from_shape_fn((across * up, 2), |(i, f)| {
                if f == 0 { at(0, i % across, across) } else { at(1, i / across, up) }
            }))?;
            Regions::Grid { across, classes }
        };
        Ok(Map { axes, whole, samples: rows.into_iter().zip(points).collect(), prototypes, frame, regions })
    }
}

/// A frame around points with some room.
fn around<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Frame {
    let mut frame = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for p in points {
        for f in 0..2 {
            frame[0][f] = frame[0][f].min(p[f]);
            frame[1][f] = frame[1][f].max(p[f]);
        }
    }
    let [low, high] = &mut frame;
    for (low, high) in low.iter_mut().zip(high) {
        let room = 0.04 * (*high - *low).max(1e-9);
        (*low, *high) = (*low - room, *high + room);
    }
    frame
}
