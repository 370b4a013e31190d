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
mod form;
pub(crate) mod gemm;
mod linear;
mod local;
mod local_linear;
mod mahalanobis;

pub use euclidean::Euclidean;
pub(crate) use euclidean::square_sum;
pub use form::Form;
pub use linear::Linear;
pub use local::Local;
pub use local_linear::LocalLinear;
pub use mahalanobis::{Mahalanobis, project_psd};

use crate::Float;
use crate::settings::named_enum;
use crate::simd::{self, Kernel};
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

    /// The metric as numbers.
    fn form(&self) -> Form<F>;

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

/// Position of the smallest value, the first of equals; 0 for an empty row.
pub(crate) fn argmin<F: Float>(d: &[F]) -> usize {
    simd::run(RowArgmin(d))
}

struct RowArgmin<'a, F>(&'a [F]);

impl<F: Float> Kernel for RowArgmin<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        row_argmin(self.0)
    }
}

/// [`argmin`] for kernels.
#[inline(always)]
pub(crate) fn row_argmin<F: Float>(d: &[F]) -> usize {
    place(d, row_min(d))
}

/// Where a value stands first; 0 where it does not. Sixteen are compared at once, so that only the last of them are searched.
#[inline(always)]
pub(crate) fn place<F: Float>(d: &[F], value: F) -> usize {
    let here = |chunk: &[F]| chunk.iter().fold(false, |any, &v| any | (v == value));
    let start = 16 * d.chunks_exact(16).take_while(|chunk| !here(chunk)).count();
    d[start..].iter().position(|&v| v == value).map_or(0, |at| start + at)
}

/// Indices of the `k` smallest distances, smallest first, ties to the lowest index.
pub(crate) fn k_smallest<F: Float>(d: &[F], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..d.len()).collect();
    let by = |a: &usize, b: &usize| d[*a].f64().total_cmp(&d[*b].f64()).then(a.cmp(b));
    if k < order.len() {
        order.select_nth_unstable_by(k, by);
        order.truncate(k);
    }
    order.sort_unstable_by(by);
    order
}

/// Smallest value of a row.
pub(crate) fn smallest<F: Float>(d: &[F]) -> F {
    simd::run(RowMin(d))
}

struct RowMin<'a, F>(&'a [F]);

impl<F: Float> Kernel for RowMin<'_, F> {
    type Output = F;

    #[inline(always)]
    fn run(self) -> F {
        row_min(self.0)
    }
}

/// [`smallest`] for kernels, in sixteen lanes; +∞ for an empty row.
#[inline(always)]
pub(crate) fn row_min<F: Float>(d: &[F]) -> F {
    let mut lanes = [F::infinity(); 16];
    let mut chunks = d.chunks_exact(16);
    for chunk in &mut chunks {
        for (l, &v) in lanes.iter_mut().zip(chunk) {
            *l = if v < *l { v } else { *l };
        }
    }
    let smaller = |a: F, b: F| if b < a { b } else { a };
    lanes.iter_mut().zip(chunks.remainder()).for_each(|(l, &v)| *l = smaller(*l, v));
    // Halves against each other, since one lane after the other would wait sixteen times.
    let eight: [F; 8] = std::array::from_fn(|k| smaller(lanes[k], lanes[k + 8]));
    let four: [F; 4] = std::array::from_fn(|k| smaller(eight[k], eight[k + 4]));
    smaller(smaller(four[0], four[2]), smaller(four[1], four[3]))
}

/// Sum of a row in sixteen lanes, for kernels.
#[inline(always)]
pub(crate) fn row_sum<F: Float>(values: &[F]) -> F {
    let mut lanes = [F::zero(); 16];
    let mut chunks = values.chunks_exact(16);
    for chunk in &mut chunks {
        for (l, &v) in lanes.iter_mut().zip(chunk) {
            *l += v;
        }
    }
    let tail = chunks.remainder().iter().fold(F::zero(), |a, &b| a + b);
    lanes.into_iter().fold(tail, |a, b| a + b)
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
        /// `‖A(x − p)‖²` with the matrix of [`Lmnn`](crate::represent::Lmnn), learned on the samples before anything else.
        Lmnn = "lmnn",
        /// The same with the matrix of [`Nca`](crate::represent::Nca).
        Nca = "nca",
    }
}
