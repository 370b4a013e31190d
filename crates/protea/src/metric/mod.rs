//! Squared distances between samples and prototypes, and the chain rule back to their parameters.
//!
//! A metric knows prototypes and its own parameters, never labels. It is moved to a point of the parameter space by
//! [`Metric::set`], then asked for blocks of distances; each block's derivative `w = ∂L/∂d` is given back by
//! [`Metric::pull_back`], and after the last block [`Metric::gradient`] turns what was accumulated into `∂L/∂p` and
//! `∂L/∂(parameters)`.
//!
//! Letters: `x` samples (`n × dim`), `p` prototypes (`m × dim`), `d` squared distances and `w = ∂L/∂d` (both `n × m`,
//! row-major).

mod euclidean;
mod fitted;
mod linear;
mod local;
mod local_linear;
mod mahalanobis;
mod space;
mod weights;

pub use euclidean::{Euclidean, Plain};
pub(crate) use fitted::restore;
pub use fitted::{Embedding, FittedKind, FittedMetric, METRICS, Restore, register};
pub use linear::{Linear, Matrix};
pub use local::{Local, PrototypeWeights};
pub use local_linear::{GroupMatrices, LocalLinear};
pub use mahalanobis::{Mahalanobis, project_psd};
pub(crate) use space::Space;
pub use weights::FeatureWeights;

use crate::Float;
use crate::kernel::argmin;
use crate::settings::named_enum;
use std::fmt;

/// Buffers that one thread reuses from block to block.
#[derive(Debug, Default, Clone)]
pub struct Scratch<F> {
    /// Image of the block's samples under the metric.
    pub(crate) z: Vec<F>,
    /// Derivative by that image.
    pub(crate) gz: Vec<F>,
}

/// A (learnable) squared distance at one point of its parameter space.
pub trait Metric<F: Float>: Send + Sync + fmt::Debug {
    /// Number of learned parameters.
    fn n_params(&self) -> usize;

    /// The parameters as they are now.
    fn params(&self) -> Vec<F>;

    /// Moves to prototypes `p` (`m × dim`) and `params`.
    fn set(&mut self, p: &[F], params: &[F]);

    /// Writes the distances of the rows of `x` (`n × dim`) to all prototypes.
    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>);

    /// Length of the accumulator of [`pull_back`](Metric::pull_back).
    fn accumulator_len(&self) -> usize;

    /// Chain rule for the block that `distances` saw last with this `scratch`: accumulates what the gradient needs;
    /// with `fresh` the accumulator is overwritten. Accumulators of several blocks add up.
    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>);

    /// Writes `∂L/∂p` and `∂L/∂params` from the sum of all accumulators.
    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]);

    /// Brings parameters that left their domain back to its nearest point.
    fn project(&self, _params: &mut [f64]) {}

    /// The metric as a model keeps it, with the parameters as they are now.
    fn fitted(&self) -> Box<dyn FittedMetric<F>>;

    /// Nearest prototype of the rows of `x`, ties to the lowest index; `d` is a buffer of `n × m`.
    fn nearest(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) -> Vec<usize> {
        let n = x.len() / self.dim();
        self.distances(x, d, scratch);
        d.chunks_exact(d.len() / n.max(1)).map(argmin).collect()
    }

    /// Features of a sample.
    fn dim(&self) -> usize;

    /// A copy behind a pointer.
    fn boxed(&self) -> Box<dyn Metric<F>>;
}

impl<F: Float> Clone for Box<dyn Metric<F>> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

named_enum! {
    /// Which metric a model uses and, while training, learns.
    pub enum MetricKind {
        /// Plain squared Euclidean distance.
        Euclidean = "euclidean",
        /// `Σ_f v_f² (x_f − p_f)²` with one weight for each feature.
        Diagonal = "diagonal",
        /// `‖A(x − p)‖²` with one matrix `A`, full or low rank.
        Linear = "linear",
        /// `Σ_f v_jf² (x_f − p_jf)²` with weights of its own for each prototype.
        Local = "local",
        /// `‖A_g(x − p)‖²` with a matrix for each class or prototype.
        LocalLinear = "local-linear",
        /// `Σ_f (x_f − p_f)² / σ_cf²` with the deviations of the prototype's class; measured, not learned.
        Cdvw = "cdvw",
        /// `‖A(x − p)‖²` with the matrix of [`Lmnn`](crate::metric_learning::Lmnn), learned on the samples before anything else.
        Lmnn = "lmnn",
        /// The same with the matrix of [`Nca`](crate::metric_learning::Nca).
        Nca = "nca",
    }
}

impl MetricKind {
    /// Metrics of methods that descend on an objective: learned together with the prototypes, or fixed.
    pub(crate) const LEARNABLE: &'static [MetricKind] = &[
        MetricKind::Euclidean,
        MetricKind::Diagonal,
        MetricKind::Linear,
        MetricKind::Local,
        MetricKind::LocalLinear,
        MetricKind::Lmnn,
        MetricKind::Nca,
    ];
    /// Metrics of methods that learn a metric alone.
    pub(crate) const LEARNED: &'static [MetricKind] =
        &[MetricKind::Diagonal, MetricKind::Linear, MetricKind::Local, MetricKind::LocalLinear];
    /// Metrics of methods that learn prototypes alone, or nothing.
    pub(crate) const FIXED: &'static [MetricKind] =
        &[MetricKind::Euclidean, MetricKind::Lmnn, MetricKind::Nca];
    /// Metrics of methods that keep all samples.
    pub(crate) const OF_SAMPLES: &'static [MetricKind] =
        &[MetricKind::Euclidean, MetricKind::Lmnn, MetricKind::Nca, MetricKind::Cdvw];
}
