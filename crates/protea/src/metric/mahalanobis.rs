//! A global metric with the positive semi-definite matrix `M` itself as parameter, as large-margin metric learning has it.
//!
//! # Distance
//! ```text
//! d[i,j] = (x_i − p_j)ᵀ M (x_i − p_j),    M = AᵀA from its eigenvectors, so again Euclidean between images
//! ```
//!
//! # Derivative
//! With `w = ∂L/∂d`: `∂L/∂p = 2 (diag(wᵀ1) p − wᵀ x) M` and `∂L/∂M = Σ_ij w_ij (x_i − p_j)(x_i − p_j)ᵀ =
//! xᵀ diag(w1) x − xᵀ w p − pᵀ wᵀ x + pᵀ diag(wᵀ1) p`, entries of `M` taken as independent. The accumulator is
//! `[wᵀ1 | wᵀx | xᵀ diag(w1) x]`.
//!
//! A step may leave the cone of positive semi-definite matrices; [`Metric::project`] brings it back by clipping negative
//! eigenvalues.

use super::euclidean::pull;
use super::linear::{Linear, Weigh};
use super::{FittedMetric, Metric, Scratch};
use crate::Float;
use crate::kernel::{Op, add_column_sums, add_transposed_product, eigh, gemm, simd};
use ndarray::Array2;
use std::slice::from_ref;

/// `d = (x − p)ᵀ M (x − p)` with learned `M`.
#[derive(Debug, Clone)]
pub struct Mahalanobis<F> {
    dim: usize,
    m: usize,
    matrix: Vec<F>,
    p: Vec<F>,
    /// The same distance by a square root of M.
    root: Linear<F>,
}

impl<F: Float> Mahalanobis<F> {
    /// A metric that starts at `AᵀA`.
    pub fn new(a: &Array2<F>) -> Self {
        let dim = a.ncols();
        let matrix = a.t().dot(a);
        Mahalanobis {
            dim,
            m: 0,
            matrix: matrix.iter().copied().collect(),
            p: Vec::new(),
            root: Linear::fixed(&root(&matrix.mapv(F::f64)).mapv(F::of), false),
        }
    }

    fn square(&self, values: &[F]) -> Array2<f64> {
        Array2::from_shape_fn((self.dim, self.dim), |(i, j)| values[i * self.dim + j].f64())
    }
}

/// The nearest positive semi-definite matrix in the Frobenius norm: symmetrised, negative eigenvalues set to zero.
pub fn project_psd(matrix: &Array2<f64>) -> Array2<f64> {
    let a = root(matrix);
    a.t().dot(&a)
}

/// `A` with `AᵀA` the projection of `matrix` onto the positive semi-definite cone; rows of negative eigenvalues are zero.
fn root(matrix: &Array2<f64>) -> Array2<f64> {
    let symmetric = (matrix + &matrix.t()) / 2.0;
    // Without eigenvectors there is no distance; what is no number stops the optimizer with a reason.
    let Ok((values, mut vectors)) = eigh(&symmetric) else {
        return Array2::from_elem(matrix.dim(), f64::NAN);
    };
    for (mut row, value) in vectors.rows_mut().into_iter().zip(values) {
        row *= value.max(0.0).sqrt();
    }
    vectors
}

impl<F: Float> Metric<F> for Mahalanobis<F> {
    fn n_params(&self) -> usize {
        self.matrix.len()
    }

    fn params(&self) -> Vec<F> {
        self.matrix.clone()
    }

    fn set(&mut self, p: &[F], params: &[F]) {
        if self.matrix != params {
            self.matrix.clear();
            self.matrix.extend_from_slice(params);
            self.root = Linear::fixed(&root(&self.square(params)).mapv(F::of), false);
        }
        self.m = p.len() / self.dim;
        self.p.clear();
        self.p.extend_from_slice(p);
        self.root.place(p);
    }

    fn distances(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) {
        self.root.distances(x, d, scratch);
    }

    fn accumulator_len(&self) -> usize {
        self.m * (1 + self.dim) + self.dim * self.dim
    }

    fn pull_back(&self, x: &[F], w: &[F], accumulator: &mut [F], fresh: bool, scratch: &mut Scratch<F>) {
        let (m, dim) = (self.m, self.dim);
        let n = x.len() / dim;
        let (sums, rest) = accumulator.split_at_mut(m);
        let (wx, xx) = rest.split_at_mut(m * dim);
        add_column_sums(w, sums, fresh);
        add_transposed_product(w, m, x, n, dim, wx, fresh);
        scratch.gz.resize(n * dim, F::zero());
        simd::run(Weigh { groups: from_ref(&(0..m)), rank: dim, z: x, w, out: &mut scratch.gz });
        gemm(F::of(0.5), Op::T(&scratch.gz, n, dim), Op::N(x, n, dim), xx, !fresh);
    }

    fn gradient(&self, accumulator: &[F], gp: &mut [F], gm: &mut [F]) {
        let (m, dim) = (self.m, self.dim);
        let (image, xx) = accumulator.split_at(m * (1 + dim));
        let (sums, wx) = image.split_at(m);
        // 2 (diag(wᵀ1) p − wᵀ x), the gradient for M = I
        let mut plain = vec![F::zero(); m * dim];
        pull(&self.p, dim, image, &mut plain);
        gemm(F::one(), Op::N(&plain, m, dim), Op::N(&self.matrix, dim, dim), gp, false);
        gm.copy_from_slice(xx);
        gemm(-F::one(), Op::T(wx, m, dim), Op::N(&self.p, m, dim), gm, true);
        gemm(-F::one(), Op::T(&self.p, m, dim), Op::N(wx, m, dim), gm, true);
        let scaled: Vec<F> =
            self.p.chunks_exact(dim).zip(sums).flat_map(|(p, &s)| p.iter().map(move |&v| s * v)).collect();
        gemm(F::one(), Op::T(&scaled, m, dim), Op::N(&self.p, m, dim), gm, true);
    }

    fn project(&self, params: &mut [f64]) {
        let matrix = Array2::from_shape_fn((self.dim, self.dim), |(i, j)| params[i * self.dim + j]);
        params.iter_mut().zip(project_psd(&matrix)).for_each(|(p, v)| *p = v);
    }

    fn fitted(&self) -> Box<dyn FittedMetric<F>> {
        self.root.fitted()
    }

    fn nearest(&self, x: &[F], d: &mut [F], scratch: &mut Scratch<F>) -> Vec<usize> {
        self.root.nearest(x, d, scratch)
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn boxed(&self) -> Box<dyn Metric<F>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn projecting_twice_changes_nothing_and_keeps_what_is_inside() {
        let outside = array![[1.0, 2.0], [2.0, 1.0]]; // eigenvalues 3 and −1
        let once = project_psd(&outside);
        assert!((&once - &array![[1.5, 1.5], [1.5, 1.5]]).iter().all(|v| v.abs() < 1e-12));
        assert!((&project_psd(&once) - &once).iter().all(|v| v.abs() < 1e-12));
        let inside = array![[2.0, 0.5], [0.5, 1.0]];
        assert!((&project_psd(&inside) - &inside).iter().all(|v| v.abs() < 1e-12));
    }
}
