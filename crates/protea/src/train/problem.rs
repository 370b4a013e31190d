//! Where samples, metric and objective meet: value and gradient of a training criterion over a flat vector.
//!
//! ```text
//! θ = [prototypes | metric parameters]
//! for each lane (in parallel), for each block of its rows:
//!     d = metric.distances(block);  w = ∂L/∂d by objective.loss on every row;  metric.pull_back(block, w)
//! gradient = metric.gradient(sum of the lanes, in order)
//! ```
//! Lanes and blocks depend on the number of rows alone, so the result is the same for any number of threads; memory is
//! bounded by the blocks of all lanes whatever the number of samples.

use super::vary::Vary;
use crate::data::ClassLayout;
use crate::kernel::parallel::*;
use crate::kernel::smallest;
use crate::metric::{Metric, Scratch};
use crate::objective::{Objective, Sample};
use crate::optim::Problem;
use crate::represent::Augment;
use crate::{Float, normal_pair, rng};
use ndarray::ArrayView2;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;

/// Rows of one product.
const BLOCK: usize = 64;
/// Most lanes, and with that most threads, of one evaluation.
const LANES: usize = 32;
/// Most values of the table that input noise is read from.
const NOISE_TABLE: usize = 1 << 20;
/// Values of that table for each value of the samples, where these are few: making it should not take longer than training.
const NOISE_SHARE: usize = 16;

/// Mean loss of (a batch of) weighted samples as a function of prototypes and metric parameters.
pub struct TrainingProblem<'a, F: Float> {
    x: &'a [F],
    y: &'a [usize],
    weights: Option<&'a [f64]>,
    dim: usize,
    classes: &'a ClassLayout,
    objective: &'a dyn Objective<F>,
    metric: Box<dyn Metric<F>>,
    gamma: F,
    metric_rate: f64,
    frozen: bool,
    noise: Option<Noise<F>>,
    vary: Option<Vary>,
    augment: Option<Augment<F>>,
    batch: Option<Batch<F>>,
    lanes: Vec<Lane<F>>,
    p: Vec<F>,
    params: Vec<F>,
    gp: Vec<F>,
    gm: Vec<F>,
    /// Weighted share of samples misplaced in the evaluations since it was last taken.
    errors: (f64, f64),
}

/// Samples of the current mini-batch, copied together.
#[derive(Default)]
struct Batch<F> {
    x: Vec<F>,
    y: Vec<usize>,
    weights: Vec<f64>,
}

/// Buffers and sums of one lane.
struct Lane<F> {
    accumulator: Vec<F>,
    d: Vec<F>,
    w: Vec<F>,
    per_class: Vec<F>,
    scratch: Scratch<F>,
    loss: f64,
    errors: f64,
}

/// Normal deviates drawn once; a row's noise is a stretch of the table from a random place.
pub(super) struct Noise<F> {
    table: Vec<F>,
    rng: Xoshiro256PlusPlus,
}

impl<F: Float> Noise<F> {
    /// For this many samples of `dim` features.
    pub fn new(deviation: f64, samples: usize, dim: usize, seed: u64) -> Self {
        let mut rng = rng(seed, "noise");
        let length = NOISE_TABLE.min(NOISE_SHARE * samples * dim) + dim;
        let mut table = Vec::with_capacity(length + 1);
        while table.len() < length {
            table.extend(normal_pair(&mut rng).map(|v| F::of(deviation * v)));
        }
        Noise { table, rng }
    }

    pub fn row(&mut self, dim: usize) -> &[F] {
        let at = self.rng.random_range(0..=self.table.len() - dim);
        &self.table[at..at + dim]
    }
}

impl<'a, F: Float> TrainingProblem<'a, F> {
    /// The problem over all samples.
    ///
    /// # Panics
    /// When `x` is not in row-major order.
    pub fn new(
        x: ArrayView2<'a, F>,
        y: &'a [usize],
        weights: Option<&'a [f64]>,
        classes: &'a ClassLayout,
        objective: &'a dyn Objective<F>,
        metric: Box<dyn Metric<F>>,
    ) -> Self {
        let dim = x.ncols();
        let (m, params) = (classes.of().len(), metric.n_params());
        TrainingProblem {
            x: x.to_slice().expect("samples are row-major"),
            y,
            weights,
            dim,
            classes,
            objective,
            metric,
            gamma: F::one(),
            metric_rate: 1.0,
            frozen: false,
            noise: None,
            vary: None,
            augment: None,
            batch: None,
            lanes: Vec::new(),
            p: vec![F::zero(); m * dim],
            params: vec![F::zero(); params],
            gp: vec![F::zero(); m * dim],
            gm: vec![F::zero(); params],
            errors: (0.0, 0.0),
        }
    }

    /// Factor on the step size of metric parameters.
    pub fn with_metric_rate(mut self, factor: f64) -> Self {
        self.metric_rate = factor;
        self
    }

    /// Leaves the prototypes where they are: their gradient is zero.
    pub fn with_frozen_prototypes(mut self, frozen: bool) -> Self {
        self.frozen = frozen;
        self
    }

    /// Adds normal noise of this standard deviation to the samples of every mini-batch.
    pub fn with_noise(mut self, deviation: f64, seed: u64) -> Self {
        self.noise = (deviation > 0.0).then(|| Noise::new(deviation, self.y.len(), self.dim, seed));
        self
    }

    /// Adds differences to near samples of their class to the samples of every mini-batch.
    pub fn with_variation(mut self, strength: f64, seed: u64) -> Self {
        self.vary = (strength > 0.0).then(|| Vary::new(self.x, self.y, self.dim, strength, seed));
        self
    }

    /// Takes the samples of every mini-batch from images that change.
    pub(crate) fn with_augmentation(mut self, augment: Option<Augment<F>>) -> Self {
        self.augment = augment;
        self
    }

    /// Sets the inverse temperature.
    pub fn set_gamma(&mut self, gamma: f64) {
        self.gamma = F::of(gamma);
    }

    /// From here on evaluates over these samples only, as images that have changed, with fresh variation and noise.
    pub fn set_batch(&mut self, rows: &[usize]) {
        let dim = self.dim;
        let batch = self.batch.get_or_insert_default();
        batch.x.clear();
        match &mut self.augment {
            Some(images) => batch.x.extend(images.rows(rows)),
            None => rows.iter().for_each(|&i| batch.x.extend_from_slice(&self.x[i * dim..(i + 1) * dim])),
        }
        if let Some(vary) = &mut self.vary {
            for (x, &i) in batch.x.chunks_exact_mut(dim).zip(rows) {
                vary.change(self.x, i, x);
            }
        }
        if let Some(noise) = &mut self.noise {
            for x in batch.x.chunks_exact_mut(dim) {
                x.iter_mut().zip(noise.row(dim)).for_each(|(v, &e)| *v += e);
            }
        }
        batch.y.clear();
        batch.y.extend(rows.iter().map(|&i| self.y[i]));
        batch.weights.clear();
        batch.weights.extend(rows.iter().map(|&i| self.weights.map_or(1.0, |w| w[i])));
    }

    /// Weighted share of samples nearer to another class in the evaluations since the last call.
    pub fn take_error(&mut self) -> f64 {
        let (wrong, all) = std::mem::take(&mut self.errors);
        if all > 0.0 { wrong / all } else { 0.0 }
    }

    /// θ for these prototypes and the metric as it is.
    pub fn pack(&self, prototypes: &[F]) -> Vec<f64> {
        prototypes.iter().copied().chain(self.metric.params()).map(F::f64).collect()
    }

    /// Moves the metric to `theta` and gives it back.
    pub fn into_metric(mut self, theta: &[f64]) -> Box<dyn Metric<F>> {
        self.unpack(theta);
        self.metric
    }

    fn unpack(&mut self, theta: &[f64]) {
        let (p, params) = theta.split_at(self.p.len());
        self.p.iter_mut().zip(p).for_each(|(a, &b)| *a = F::of(b));
        self.params.iter_mut().zip(params).for_each(|(a, &b)| *a = F::of(b));
        self.metric.set(&self.p, &self.params);
    }

    fn prepare_lanes(&mut self, n: usize) -> usize {
        let lanes = n.div_ceil(2 * BLOCK).min(LANES);
        let (m, length) = (self.classes.of().len(), self.metric.accumulator_len());
        while self.lanes.len() < lanes {
            self.lanes.push(Lane {
                accumulator: vec![F::zero(); length],
                d: vec![F::zero(); BLOCK * m],
                w: vec![F::zero(); BLOCK * m],
                per_class: vec![F::zero(); 2 * self.classes.n_classes()],
                scratch: Scratch::default(),
                loss: 0.0,
                errors: 0.0,
            });
        }
        lanes
    }
}

impl<F: Float> Problem for TrainingProblem<'_, F> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        self.unpack(theta);
        let n = self.batch.as_ref().map_or(self.y.len(), |b| b.y.len());
        let used = self.prepare_lanes(n);
        let (x, y, weights) = match &self.batch {
            Some(b) => (&b.x[..], &b.y[..], Some(&b.weights[..])),
            None => (self.x, self.y, self.weights),
        };
        let total = weights.map_or(n as f64, |w| w.iter().sum()).max(f64::MIN_POSITIVE);
        let (dim, m) = (self.dim, self.classes.of().len());
        let per_lane = n.div_ceil(used);
        let (metric, objective, classes, gamma) = (&self.metric, self.objective, self.classes, self.gamma);

        self.lanes[..used].par_iter_mut().enumerate().for_each(|(l, lane)| {
            (lane.loss, lane.errors) = (0.0, 0.0);
            let rows = (l * per_lane).min(n)..((l + 1) * per_lane).min(n);
            let mut fresh = true;
            for start in rows.clone().step_by(BLOCK) {
                let block = start..(start + BLOCK).min(rows.end);
                let x = &x[block.start * dim..block.end * dim];
                let (d, w) = (&mut lane.d[..block.len() * m], &mut lane.w[..block.len() * m]);
                metric.distances(x, d, &mut lane.scratch);
                for ((i, d), w) in block.zip(d.chunks_exact(m)).zip(w.chunks_exact_mut(m)) {
                    let sample = Sample { d, y: y[i], classes, gamma };
                    let loss = objective.loss(&sample, w, &mut lane.per_class);
                    let weight = weights.map_or(1.0, |w| w[i]);
                    lane.loss += weight * loss;
                    if smallest(d) < smallest(&d[classes.range(y[i])]) {
                        lane.errors += weight;
                    }
                    if weight != 1.0 {
                        let weight = F::of(weight);
                        w.iter_mut().for_each(|w| *w *= weight);
                    }
                }
                metric.pull_back(x, w, &mut lane.accumulator, fresh, &mut lane.scratch);
                fresh = false;
            }
            if fresh {
                lane.accumulator.fill(F::zero());
            }
        });

        let (first, rest) = self.lanes[..used].split_at_mut(1);
        for lane in rest {
            first[0].accumulator.iter_mut().zip(&lane.accumulator).for_each(|(a, &b)| *a += b);
            first[0].loss += lane.loss;
            first[0].errors += lane.errors;
        }
        self.errors.0 += first[0].errors;
        self.errors.1 += total;
        let loss = first[0].loss / total;
        self.metric.gradient(&first[0].accumulator, &mut self.gp, &mut self.gm);
        if self.frozen {
            self.gp.fill(F::zero());
        }
        let share = 1.0 / total;
        let (by_p, by_params) = gradient.split_at_mut(self.gp.len());
        by_p.iter_mut().zip(&self.gp).for_each(|(g, v)| *g = v.f64() * share);
        by_params.iter_mut().zip(&self.gm).for_each(|(g, v)| *g = v.f64() * share);
        loss
    }

    fn project(&self, theta: &mut [f64]) {
        self.metric.project(&mut theta[self.p.len()..]);
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        let m = self.p.len();
        let all = m + self.params.len();
        if all == m { vec![(0..m, 1.0)] } else { vec![(0..m, 1.0), (m..all, self.metric_rate)] }
    }
}
