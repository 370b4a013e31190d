//! Samples, prototypes and decision regions in two dimensions.
//!
//! Data of two features are drawn as they are. Others are drawn on the plane of their first two principal components, taken where
//! distances are (after preprocessing and a metric for all prototypes). Samples lie above or below that plane, and what the model
//! would answer on the plane itself is not what it answers to them. So the background is the answer at points that lie as far off
//! the plane as the samples and prototypes around them do (`off_plane.rs`).
//!
//! Where the nearest of two features' prototypes decides, regions are exact polygons. Otherwise the model is asked on a grid.

use super::Report;
use super::off_plane::OffPlane;
use super::regions::{Frame, Regions, cells};
use crate::metric::{Embedding, Space};
use crate::model::Rule;
use crate::represent::{Components, Nature, pca};
use crate::{Float, Result};
use ndarray::{Array2, ArrayView2, Axis, concatenate};

/// Samples that are drawn.
const SAMPLES: usize = 600;
/// Samples that the plane is found by.
const PLANE: usize = 2000;
/// Prototypes up to which cells are cut out one by one.
const MOST_CELLS: usize = 5000;
/// Cells of a grid in a row, and rows.
const GRID: (usize, usize) = (280, 170);
/// The same where prototypes have more numbers than [`MANY`].
const COARSE: (usize, usize) = (140, 85);
const MANY: usize = 100_000;
/// Rows of a grid that are asked about together.
const TOGETHER: usize = 8;
/// Prototypes that show how far off the plane the answers around them are taken.
const SHOWING: usize = 300;

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

impl Map {
    /// Share of the samples that lie where the background is the answer to them; none without a grid.
    pub fn agreement(&self, decided: &[usize]) -> Option<f64> {
        let Regions::Grid { across, classes } = &self.regions else { return None };
        let [low, high] = self.frame;
        let cell = |p: &[f64; 2], f: usize, of: usize| {
            ((((p[f] - low[f]) / (high[f] - low[f])) * of as f64) as usize).min(of - 1)
        };
        let up = classes.len() / across;
        let agrees = |(i, p): &&(usize, [f64; 2])| {
            classes[cell(p, 1, up) * across + cell(p, 0, *across)] == decided[*i]
        };
        Some(self.samples.iter().filter(agrees).count() as f64 / self.samples.len() as f64)
    }
}

impl<F: Float> Report<'_, F> {
    /// The map; none for data with a single dimension.
    pub(super) fn map(&self) -> Result<Option<Map>> {
        let step = self.test.len().div_ceil(SAMPLES);
        let rows: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let x = self.test.x.select(Axis(0), &rows);
        match (self.test.dim(), self.shown_prototypes()) {
            (2, Some(p)) => self.whole(rows, x, p).map(Some),
            _ => self.plane(rows, x),
        }
    }

    /// Samples of two features as they are.
    fn whole(&self, rows: Vec<usize>, x: Array2<F>, p: Array2<F>) -> Result<Map> {
        let axes = [0, 1].map(|f| self.model.features()[f].clone());
        let (points, prototypes) = (pairs(x.view()), pairs(p.view()));
        let frame = around(points.iter().chain(&prototypes));
        let flat = !self.model.pipeline().steps.iter().any(|s| s.nature() != Nature::Linear);
        let nearest = self.model.rule() == Rule::Nearest(1) && flat && !self.curved();
        let regions = if self.model.rule() == Rule::Code {
            Regions::None
        } else if nearest && prototypes.len() <= MOST_CELLS {
            let [low, high] = frame;
            let corners = [low, [high[0], low[1]], [low[0], high[1]]];
            let corners =
                self.model.embed(Array2::from_shape_fn((3, 2), |(i, f)| F::of(corners[i][f])).view())?;
            let q = self.embedded_prototypes();
            Regions::Cells(cells(frame, corners.mapv(F::f64).view(), q.mapv(F::f64).view()))
        } else {
            self.grid(frame, |u| self.model.predict(u.view()))?
        };
        Ok(Map {
            axes,
            whole: true,
            samples: rows.into_iter().zip(points).collect(),
            prototypes,
            frame,
            regions,
        })
    }

    /// Samples on the plane of their first two principal components.
    fn plane(&self, rows: Vec<usize>, x: Array2<F>) -> Result<Option<Map>> {
        let model = self.model;
        let step = self.test.len().div_ceil(PLANE);
        let some: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let seen = model.embed(self.test.x.select(Axis(0), &some).view())?;
        if seen.ncols() < 2 {
            return Ok(None);
        }
        let plane = pca(seen.view(), Components::Number(2))?;
        let (x, p) = (model.embed(x.view())?, self.embedded_prototypes());
        let (points, prototypes) = (pairs(plane.apply(x.view()).view()), pairs(plane.apply(p.view()).view()));
        let frame = around(points.iter().chain(&prototypes));
        let shown: Vec<usize> = (0..p.nrows()).step_by(p.nrows().div_ceil(SHOWING)).collect();
        let around = concatenate![Axis(0), x, p.select(Axis(0), &shown)];
        let off_plane = OffPlane::new(frame, self.cells(), &plane, around.view());
        // Metrics of single prototypes do not move the samples; all others are Euclidean after the map.
        let space =
            if self.curved() { Space::new(model.metric(), p.view()) } else { Space::euclidean(p.view()) };
        let decider = model.decider();
        let regions = match model.rule() {
            Rule::Code => Regions::None,
            _ => self.grid(frame, |u| {
                let z = off_plane.lift(&plane, u.view());
                Ok(space.map(z.view(), |_, d| decider.decide(d, model.gamma())))
            })?,
        };
        let axes = ["first principal component", "second principal component"].map(String::from);
        let samples = rows.into_iter().zip(points).collect();
        Ok(Some(Map { axes, whole: false, samples, prototypes, frame, regions }))
    }

    /// Cells of the grid in a row, and rows.
    fn cells(&self) -> (usize, usize) {
        if self.model.prototypes().x.len() > MANY { COARSE } else { GRID }
    }

    /// Answers on a grid over a frame, some rows of it at a time.
    fn grid(&self, [low, high]: Frame, ask: impl Fn(Array2<F>) -> Result<Vec<usize>>) -> Result<Regions> {
        let (across, up) = self.cells();
        let at =
            |f: usize, k: usize, of: usize| F::of(low[f] + (high[f] - low[f]) * (k as f64 + 0.5) / of as f64);
        let mut classes = Vec::with_capacity(across * up);
        for first in (0..up).step_by(TOGETHER) {
            let rows = TOGETHER.min(up - first);
            classes.extend(ask(Array2::from_shape_fn((across * rows, 2), |(i, f)| {
                if f == 0 { at(0, i % across, across) } else { at(1, first + i / across, up) }
            }))?);
        }
        Ok(Regions::Grid { across, classes })
    }

    /// Whether borders between prototypes are not straight.
    fn curved(&self) -> bool {
        self.model.metric().embedding() == Embedding::None
    }

    /// Prototypes where distances are Euclidean, or after preprocessing for metrics of single prototypes.
    fn embedded_prototypes(&self) -> Array2<F> {
        self.model.metric().embed(self.model.prototypes().x.clone())
    }
}

/// The two columns of a matrix.
fn pairs<F: Float>(m: ArrayView2<F>) -> Vec<[f64; 2]> {
    m.rows().into_iter().map(|r| [r[0].f64(), r[1].f64()]).collect()
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
