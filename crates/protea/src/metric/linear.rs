//! A global linear metric, full or low rank.
//!
//! # Distance
//! ```text
//! d[i,j] = ‖A (x_i − p_j)‖²,    A: r × dim,   Euclidean between z = A x and s = A p
//! ```
//! The scale of `A` and the inverse temperature of a soft objective are one parameter, so only the direction of `A` is
//! free: with parameters `B` of any norm, `A = √r · B / ‖B‖`.
//!
//! # Derivative
//! With `w = ∂L/∂d`, in the space of `z`: `G_s = 2 (diag(wᵀ1) s − wᵀ z)` and `G_z = 2 (diag(w1) z − w s)`; then
//! `∂L/∂p = G_s A`, `∂L/∂A = G_zᵀ x + G_sᵀ p`, and through the normalisation
//! `∂L/∂B = (√r/‖B‖) (∂L/∂A − A ⟨A, ∂L/∂A⟩ / r)`. The accumulator is `[wᵀ1 | wᵀz | G_zᵀ x]`.

use super::euclidean::Euclidean;
use super::gemm::{Op, gemm};
use super::{Metric, Scratch};
use crate::Float;
use ndarray::Array2;

/// `d = ‖A(x − p)‖²` with learned `A`.
#[derive(Debug, Clone)]
pub struct Linear<F> {
    rank: usize,
    dim: usize,
    /// A, normalised to ‖A‖ = √r.
    a: Vec<F>,
    /// √r / ‖B‖ of the parameters set last.
    shrink: F,
    p: Vec<F>,
    /// Euclidean distance between images.
    image: Euclidean<F>,
}

impl<F: Float> Linear<F> {
    /// A metric that starts at `a` (`r × dim`), brought to the norm `√r`.
    pub fn new(a: &Array2<F>) -> Self {
        let (rank, dim) = a.dim();
        let mut metric =
            Linear { rank, dim, a: Vec::new(), shrink: F::one(), p: Vec::new(), image: Euclidean::new(rank) };
        metric.normalise(&a.iter().copied().collect::<Vec<_>>());
        metric
    }

    /// A, `r × dim`.
    pub fn matrix(&self) -> Array2<F> {
        Array2::from_shape_fn((self.rank, self.dim), |(i, j)| self.a[i * self.dim + j])
    }

    fn normalise(&mut self, b: &[F]) {
        let norm = b.iter().map(|v| v.f64() * v.f64()).sum::<f64>().sqrt();
        self.shrink = F::of((self.rank as f64).sqrt() / norm);
        self.a.clear();
        self.a.extend(b.iter().map(|&v| v * self.shrink));
    }
}

impl<F: Float> Metric<F> for Linear<F> {
    fn n_params(&self) -> usize {
        self.rank * self.dim
    }

    fn params(&self) -> Vec<F> {
        self.a.clone()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        self.normalise(params);
        let m = p.len() / self.dim;
        let mut s = vec![F::zero(); m * self.rank];
        gemm(F::one(), Op::N(p, m, self.dim), Op::T(&self.a, self.rank, self.dim), &mut s, false);
        self.p.clear();
        self.p.extend_from_slice(p);
        self.image.set(&s, &[]);
    }

    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) {
        let n = x.len() / self.dim;
        let mut z = std::mem::take(&mut scratch.z);
        z.resize(n * self.rank, F::zero());
        gemm(F::one(), Op::N(x, n, self.dim), Op::T(&self.a, self.rank, self.dim), &mut z, false);
        self.image.distances(&z, d, scratch);
        scratch.z = z;
    }

    fn accumulator_len(&self) -> usize {
        self.image.accumulator_len() + self.rank * self.dim
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>) {
        let (n, r, m) = (x.len() / self.dim, self.rank, self.image.norms().len());
        let (image, gzx) = accumulator.split_at_mut(self.image.accumulator_len());
        self.image.pull_back_products(&scratch.z, w, image, fresh);
        // G_z = 2 (diag(w1) z − w s)
        scratch.gz.resize(n * r, F::zero());
        let two = F::of(2.0);
        for ((gz, z), w) in
            scratch.gz.chunks_exact_mut(r).zip(scratch.z.chunks_exact(r)).zip(w.chunks_exact(m))
        {
            let sum = two * w.iter().fold(F::zero(), |a, &b| a + b);
            gz.iter_mut().zip(z).for_each(|(g, &z)| *g = sum * z);
        }
        gemm(F::of(-2.0), Op::N(w, n, m), Op::N(self.image.prototypes(), m, r), &mut scratch.gz, true);
        gemm(F::one(), Op::T(&scratch.gz, n, r), Op::N(x, n, self.dim), gzx, !fresh);
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (r, dim, m) = (self.rank, self.dim, self.image.norms().len());
        let (image, gzx) = accumulator.split_at(self.image.accumulator_len());
        let mut gs = vec![F::zero(); m * r];
        self.image.gradient(image, &mut gs, &mut []);
        gemm(F::one(), Op::N(&gs, m, r), Op::N(&self.a, r, dim), gp, false);
        gm.copy_from_slice(gzx);
        gemm(F::one(), Op::T(&gs, m, r), Op::N(&self.p, m, dim), gm, true);
        let along = self.a.iter().zip(gm.iter()).map(|(a, g)| a.f64() * g.f64()).sum::<f64>() / r as f64;
        let along = F::of(along);
        gm.iter_mut().zip(&self.a).for_each(|(g, &a)| *g = self.shrink * (*g - a * along));
    }
}
