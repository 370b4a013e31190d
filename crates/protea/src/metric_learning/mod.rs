//! Metrics and projections that are learned on the training samples themselves, before any prototype.
//!
//! Here is what the learners share: samples in class order, the start, the descent, and which of them a setting or a metric
//! belongs to.

mod impostors;
mod lmnn;
mod nca;
mod project;

pub use lmnn::Lmnn;
pub use nca::{Nca, NcaStart};
pub use project::{Graph, Map, Projection};

use crate::data::ClassLayout;
use crate::kernel::{Op, column_means, gemm, sum_blocks};
use crate::metric::MetricKind;
use crate::optim::{Lbfgs, Minimizer, Problem, Run, RunResult, Schedule, Scheduled};
use crate::progress::{Epoch, Progress, Stopped};
use crate::represent::{Components, pca};
use crate::settings::Values;
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2};
use std::ops::Range;

/// Most lanes, and with that most threads, of one evaluation.
const LANES: usize = 32;
/// Values that the gradients of all lanes may hold.
const LANE_VALUES: usize = 1 << 27;

/// A metric learned from samples: `‖A(x − p)‖²`.
#[derive(Debug, Clone)]
pub struct LearnedMatrix<F> {
    /// `A`, `r × dim`.
    pub matrix: Array2<F>,
    /// The objective after every step.
    pub history: Vec<Epoch>,
    /// Why learning ended.
    pub stopped: Stopped,
}

/// The metric learners with their settings, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Learners {
    lmnn: Lmnn,
    nca: Nca,
}

impl Learners {
    /// Sets one value by name, for every learner that has it; `false` when none has.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        Ok(self.lmnn.set(name, value)? | self.nca.set(name, value)?)
    }

    /// The settings that a metric is learned with.
    pub fn values(&self, metric: MetricKind) -> Values {
        match metric {
            MetricKind::Lmnn => self.lmnn.values(),
            MetricKind::Nca => self.nca.values(),
            _ => Values::new(),
        }
    }

    /// Learns the metric; `None` for those that are not learned from samples.
    pub fn learn<F: Float>(
        &self,
        metric: MetricKind,
        data: &Dataset<F>,
        rank: Option<usize>,
        tolerance: f64,
        progress: &mut dyn Progress,
    ) -> Result<Option<LearnedMatrix<F>>> {
        if matches!(metric, MetricKind::Lmnn | MetricKind::Nca) {
            progress.phase("metric");
        }
        match metric {
            MetricKind::Lmnn => self.lmnn.learn(data, rank, tolerance, progress).map(Some),
            MetricKind::Nca => self.nca.learn(data, rank, tolerance, progress).map(Some),
            _ => Ok(None),
        }
    }
}

/// Where a learned matrix starts: the directions of largest variance, or without a rank the identity. Both are the same
/// for a square matrix, because a rotation changes no distance.
pub(crate) fn first_matrix<F: Float>(x: ArrayView2<F>, rank: Option<usize>) -> Result<Array2<F>> {
    let dim = x.ncols();
    match rank {
        Some(r) if r > dim => Err(Error::setting("rank", r, format!("at most {dim}"))),
        Some(r) if r < dim => Ok(pca(x, Components::Number(r))?.matrix),
        _ => Ok(Array2::eye(dim)),
    }
}

/// Samples in class order around their mean: distances stay what they are, and cancel less.
pub(super) struct Sorted<F> {
    /// `n × dim`.
    pub x: Array2<F>,
    /// Which samples belong to which class.
    pub classes: ClassLayout,
    /// Weight of each sample, the mean weight being 1.
    pub weights: Vec<F>,
}

impl<F: Float> Sorted<F> {
    pub fn new(data: &Dataset<F>) -> Self {
        let mut order: Vec<usize> = (0..data.len()).collect();
        order.sort_by_key(|&i| data.y[i]);
        let means = column_means(data.x.view());
        let x = Array2::from_shape_fn(data.x.dim(), |(i, j)| F::of(data.x[[order[i], j]].f64() - means[j]));
        let y: Vec<usize> = order.iter().map(|&i| data.y[i]).collect();
        let total: f64 = data.weights.as_ref().map_or(data.len() as f64, |w| w.iter().sum());
        let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i] * data.len() as f64 / total);
        Sorted {
            x,
            classes: ClassLayout::new(&y, data.n_classes()),
            weights: order.iter().map(|&i| F::of(weight(i))).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.x.nrows()
    }

    pub fn flat(&self) -> &[F] {
        self.x.as_slice().expect("samples are row-major")
    }

    /// `Σ_i u_i x_iᵀ` for `u` (`n × r`).
    pub fn outer(&self, u: &[F], r: usize) -> Array2<f64> {
        let (n, dim) = self.x.dim();
        sum_blocks((r, dim), n, |block, part| {
            let (rows, x) = (block.len(), &self.flat()[block.start * dim..block.end * dim]);
            gemm(
                F::one(),
                Op::T(&u[block.start * r..block.end * r], rows, r),
                Op::N(x, rows, dim),
                part,
                false,
            );
        })
    }
}

/// Lanes of an evaluation whose gradient has `values` numbers in each: they depend on the data alone, so that sums over
/// lanes do not depend on the number of threads.
pub(super) fn lanes(values: usize, blocks: usize) -> usize {
    (LANE_VALUES / values.max(1)).clamp(2, LANES).min(blocks.max(1))
}

impl<F: Float> LearnedMatrix<F> {
    /// Nothing learned yet.
    pub(super) fn start(matrix: Array2<F>) -> Self {
        LearnedMatrix { matrix, history: Vec::new(), stopped: Stopped::Finished }
    }

    /// Moves the matrix by L-BFGS until a step lowers the objective by less than `tolerance` of it, for at most `most`
    /// steps; `of` is the number of steps planned over all descents, for the reports. `error` gives the share of mistakes
    /// in the last evaluation.
    pub(super) fn descend<P: Problem>(
        &mut self,
        problem: P,
        error: impl Fn(&P) -> f64,
        (most, of): (usize, usize),
        tolerance: f64,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let theta: Vec<f64> = self.matrix.iter().map(|v| v.f64()).collect();
        let (mut problem, mut optimizer) = (Seen { problem, error }, Lbfgs::new(tolerance));
        let schedule = Schedule::Ladder { gammas: vec![1.0], most, of };
        let mut run = Run::new(Minimizer::new(&mut problem, &mut optimizer), schedule, None, theta)
            .after(std::mem::take(&mut self.history));
        run.go(progress);
        let RunResult { theta, history, stopped, diverged } = run.finish();
        let cancelled = progress.cancelled();
        if let Some(value) = diverged.filter(|_| !cancelled) {
            return Err(Error::Diverged { epoch: history.len() + 1, value });
        }
        // Running out of steps is not worth a warning here: a metric need not be at its optimum.
        if stopped == Stopped::Interrupted || cancelled {
            self.stopped = Stopped::Interrupted;
        }
        self.history = history;
        self.matrix.iter_mut().zip(theta).for_each(|(a, v)| *a = F::of(v));
        Ok(())
    }
}

/// A problem together with what tells the share of mistakes in its last evaluation.
struct Seen<P, E> {
    problem: P,
    error: E,
}

impl<P: Problem, E> Problem for Seen<P, E> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        self.problem.evaluate(theta, gradient)
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        self.problem.groups()
    }

    fn project(&self, theta: &mut [f64]) {
        self.problem.project(theta);
    }
}

impl<P: Problem, E: Fn(&P) -> f64> Scheduled for Seen<P, E> {
    fn take_error(&mut self) -> f64 {
        (self.error)(&self.problem)
    }
}

/// What the tests of both learners do.
#[cfg(test)]
pub(super) mod check {
    use super::*;
    use crate::normal_pair;

    /// Three classes in four features, overlapping, in no order; the last class has one sample, and weights differ.
    pub fn clouds<F: Float>(n: usize, seed: u64) -> Dataset<F> {
        let mut rng = crate::rng(seed, "clouds");
        let y: Vec<usize> = (0..n).map(|i| if i == 5 { 2 } else { i % 7 % 2 }).collect();
        let x = Array2::from_shape_fn((n, 4), |(i, j)| {
            F::of(normal_pair(&mut rng)[0] + if j == 0 { y[i] as f64 } else { 0.0 })
        });
        let weights = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        Dataset::new(x, y, ["a", "b", "c"].map(String::from).into()).unwrap().with_weights(weights).unwrap()
    }

    /// A matrix away from symmetry, as parameters.
    pub fn theta(r: usize, dim: usize) -> Vec<f64> {
        (0..r * dim).map(|i| f64::from(u8::from(i / dim == i % dim)) + 0.3 * (i as f64 * 1.7).sin()).collect()
    }

    /// Squared distance of samples `i` and `j` under the matrix.
    pub fn distance(data: &Dataset<f64>, theta: &[f64], i: usize, j: usize) -> f64 {
        let difference = &data.x.row(i) - &data.x.row(j);
        theta.chunks(data.dim()).map(|a| ndarray::aview1(a).dot(&difference).powi(2)).sum()
    }

    pub fn gradient_by_central_differences(problem: &mut dyn Problem, theta: &[f64]) {
        let (mut g, mut ignored) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        problem.evaluate(theta, &mut g);
        let size = g.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for k in 0..theta.len() {
            let mut at = |h: f64| {
                let mut theta = theta.to_vec();
                theta[k] += h;
                problem.evaluate(&theta, &mut ignored)
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((g[k] - numeric).abs() < 1e-6 * size, "parameter {k}: {} against {numeric}", g[k]);
        }
    }

    /// `learn` gives the same bits with any number of threads.
    pub fn threads<F: Float>(learn: impl Fn() -> LearnedMatrix<F> + Sync) {
        let [a, b, c] = [1, 2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(&learn).matrix
        });
        assert!(a == b && a == c);
    }
}
