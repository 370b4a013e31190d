//! Plain squared Euclidean distance.
//!
//! # Distance
//! ```text
//! for each sample i, prototype j:   d[i,j] = Σ_f (x[i,f] − p[j,f])²
//! ```
//! computed as `|x_i|² + |p_j|² − 2 x_i·p_j`, the last term for the whole block by one product.
//!
//! # Derivative
//! With `w = ∂L/∂d`: `∂L/∂p = 2 (diag(wᵀ1) p − wᵀ x)`. The accumulator is `[wᵀ1 | wᵀx]`.

use super::fitted::{Embedding, FittedMetric, prototypes};
use super::{Metric, Scratch};
use crate::kernel::{Kernel, Op, add_column_sums, add_transposed_product, gemm, row_min, simd, square_sum};
use crate::plan::{self, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::ArrayView2;

/// `d = ‖x − p‖²`.
#[derive(Debug, Clone, Default)]
pub struct Euclidean<F> {
    dim: usize,
    m: usize,
    p: Vec<F>,
    /// |p_j|²
    pp: Vec<F>,
}

impl<F: Float> Euclidean<F> {
    /// For samples of `dim` features; prototypes come with [`Metric::set`].
    pub fn new(dim: usize) -> Self {
        Euclidean { dim, m: 0, p: Vec::new(), pp: Vec::new() }
    }

    /// The prototypes set last, `m × dim`.
    pub(crate) fn prototypes(&self) -> &[F] {
        &self.p
    }

    /// `|p_j|²` of the prototypes set last.
    pub(crate) fn norms(&self) -> &[F] {
        &self.pp
    }

    /// Writes `−2 x_i·p_j` for a block; with [`norms`](Self::norms) enough to find the nearest prototype.
    pub(crate) fn products(&self, x: &[F], out: &mut [F]) {
        let n = x.len() / self.dim;
        gemm(F::of(-2.0), Op::N(x, n, self.dim), Op::T(&self.p, self.m, self.dim), out, false);
    }

    pub(crate) fn pull_back_products(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool) {
        let (m, dim) = (self.m, self.dim);
        let n = x.len() / dim;
        let (sums, wx) = accumulator.split_at_mut(m);
        add_column_sums(w, sums, fresh);
        add_transposed_product(w, m, x, n, dim, wx, fresh);
    }
}

impl<F: Float> Metric<F> for Euclidean<F> {
    fn n_params(&self) -> usize {
        0
    }

    fn params(&self) -> Vec<F> {
        Vec::new()
    }

    fn set(&mut self, p: &[F], _: &[F]) {
        self.m = p.len() / self.dim;
        self.p.clear();
        self.p.extend_from_slice(p);
        self.pp.clear();
        self.pp.extend(p.chunks_exact(self.dim).map(square_sum));
    }

    fn distances(&self, x: &[F], d: &mut [F], _: &mut Scratch<F>) {
        self.products(x, d);
        // Cancellation can leave a tiny negative number when x_i ≈ p_j; objectives divide by d and take roots, so
        // it is clamped here, once. NaN stays NaN, so that overflow is not taken for a perfect match.
        simd::run(AddNorms { x, dim: self.dim, pp: &self.pp, d });
    }

    fn accumulator_len(&self) -> usize {
        self.m * (1 + self.dim)
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, _: &mut Scratch<F>) {
        self.pull_back_products(x, w, accumulator, fresh);
    }

    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(Plain)
    }

    fn nearest(&self, x: &[F], d: &mut [F], _: &mut Scratch<F>) -> Vec<usize> {
        self.products(x, d);
        d.chunks_exact_mut(self.m).map(|row| simd::run(Nearest { row, norms: &self.pp })).collect()
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], _: &mut [F]) {
        pull(&self.p, self.dim, accumulator, gp);
    }
}

/// The Euclidean metric of a finished model, which has no numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl<F: Float> FittedMetric<F> for Plain {
    fn tag(&self) -> &'static str {
        "euclidean"
    }

    fn at(&self, p: ArrayView2<F>) -> Box<dyn Metric<F>> {
        let p = p.as_standard_layout();
        let mut metric = Euclidean::new(p.ncols());
        metric.set(p.as_slice().expect("standard layout"), &[]);
        Box::new(metric)
    }

    fn trainable(&self, dim: usize) -> Box<dyn Metric<F>> {
        Box::new(Euclidean::new(dim))
    }

    fn fits(&self, _: usize, _: usize) -> bool {
        true
    }

    fn store(&self) -> Stored<F> {
        Stored::new("euclidean")
    }

    fn times(&self, delta: &[f64], _: usize) -> Option<Vec<f64>> {
        Some(delta.to_vec())
    }

    fn embedding(&self) -> Embedding<F> {
        Embedding::Identity
    }

    fn lower(&self, p: ArrayView2<F>, plan: &mut Plan) -> Result<plan::Op> {
        Ok(plan::Op::Distance { prototypes: prototypes(p, plan), weights: None })
    }

    fn boxed(&self) -> Box<dyn FittedMetric<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn FittedMetric<F>>> {
    Ok(Box::new(Plain))
}

/// `2 (diag(wᵀ1) p − wᵀx)` from prototypes `p` and an accumulator that begins with `[wᵀ1 | wᵀx]`: the gradient by prototypes for
/// the Euclidean distance, and what other metrics map on.
pub(super) fn pull<F: Float>(p: &[F], dim: usize, accumulator: &[F], out: &mut [F]) {
    let (sums, wx) = accumulator.split_at(p.len() / dim);
    let rows = out.chunks_exact_mut(dim).zip(p.chunks_exact(dim)).zip(wx.chunks_exact(dim));
    for (((out, p), wx), &sum) in rows.zip(sums) {
        for ((o, &p), &wx) in out.iter_mut().zip(p).zip(wx) {
            *o = F::of(2.0) * (sum * p - wx);
        }
    }
}

/// `d[i,j] = max(0, d[i,j] + |x_i|² + |p_j|²)`.
struct AddNorms<'a, F> {
    x: &'a [F],
    dim: usize,
    pp: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for AddNorms<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (x, d) in self.x.chunks_exact(self.dim).zip(self.d.chunks_exact_mut(self.pp.len())) {
            let xx = square_sum(x);
            for (d, &pp) in d.iter_mut().zip(self.pp) {
                let v = *d + pp + xx;
                *d = if v < F::zero() { F::zero() } else { v };
            }
        }
    }
}

/// Adds `|p|²` to `−2x·p` and finds the smallest sum; `|x|²` is the same for all prototypes, so it is left out.
struct Nearest<'a, F> {
    row: &'a mut [F],
    norms: &'a [F],
}

impl<F: Float> Kernel for Nearest<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        for (d, &pp) in self.row.iter_mut().zip(self.norms) {
            *d += pp;
        }
        let min = row_min(self.row);
        self.row.iter().position(|&v| v == min).unwrap_or(0)
    }
}
