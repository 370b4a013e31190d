//! What metric learners over training samples share: samples in class order, the start, the descent, and which of
//! them a setting or a metric belongs to.

use super::linear::{pca, sum_blocks};
use super::{Components, Lmnn, Nca, column_means};
use crate::metric::MetricKind;
use crate::metric::gemm::{Op, gemm};
use crate::objective::ClassLayout;
use crate::optim::{Lbfgs, Optimizer, Outcome, Problem};
use crate::settings::Values;
use crate::train::{Progress, Report, Stopped};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2};

/// Most lanes, and with that most threads, of one evaluation.
const LANES: usize = 32;
/// Values that the gradients of all lanes may hold.
const LANE_VALUES: usize = 1 << 27;

/// A metric learned from samples: `‖A(x − p)‖²`.
#[derive(Debug, Clone)]
pub struct Learned<F> {
    /// `A`, `r × dim`.
    pub matrix: Array2<F>,
    /// The objective after every step.
    pub history: Vec<Report>,
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
            MetricKind::Euclidean | MetricKind::Linear => Values::new(),
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
    ) -> Result<Option<Learned<F>>> {
        match metric {
            MetricKind::Lmnn => self.lmnn.learn(data, rank, tolerance, progress).map(Some),
            MetricKind::Nca => self.nca.learn(data, rank, tolerance, progress).map(Some),
            MetricKind::Euclidean | MetricKind::Linear => Ok(None),
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
        self.x.as_slice().unwrap_or_default()
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

/// Moves from `start` by L-BFGS; `error` tells the share of samples that the last evaluation saw on the wrong side.
pub(super) fn descend<F: Float, P: Problem>(
    mut problem: P,
    error: impl Fn(&P) -> f64,
    start: Array2<F>,
    steps: usize,
    tolerance: f64,
    progress: &mut dyn Progress,
) -> Result<Learned<F>> {
    let mut theta: Vec<f64> = start.iter().map(|v| v.f64()).collect();
    let mut optimizer = Lbfgs::new(tolerance);
    let mut history = Vec::new();
    let mut stopped = Stopped::Finished;
    progress.phase("metric");
    for step in 1..=steps {
        if progress.cancelled() {
            stopped = Stopped::Interrupted;
            break;
        }
        let found = optimizer.step(&mut problem, &mut theta);
        if found.outcome == Outcome::Diverged {
            return Err(Error::Diverged { epoch: step, value: found.value });
        }
        let report = Report {
            epoch: step,
            of: steps,
            gamma: 1.0,
            loss: found.value,
            train_error: error(&problem),
            valid_error: None,
        };
        progress.report(&report);
        history.push(report);
        if found.outcome != Outcome::Moved {
            break;
        }
    }
    let matrix = Array2::from_shape_fn(start.dim(), |(i, j)| F::of(theta[i * start.ncols() + j]));
    Ok(Learned { matrix, history, stopped })
}
