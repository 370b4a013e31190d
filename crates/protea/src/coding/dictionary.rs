//! The atoms of codes.

use super::BLOCK_PRODUCTS;
use crate::kernel::{Op, check_finite, gemm, square_sum};
use crate::{Error, Float, Result};
use ndarray::ArrayView2;

/// Atoms as rows, with their squared lengths.
#[derive(Debug, Clone)]
pub struct Dictionary<F> {
    dim: usize,
    /// `m × dim`, row-major.
    x: Vec<F>,
    /// `|x_j|²`.
    squares: Vec<F>,
}

impl<F: Float> Dictionary<F> {
    /// Takes atoms as they are; refuses an empty dictionary and values that are not finite.
    pub fn new(x: ArrayView2<F>) -> Result<Self> {
        let (m, dim) = x.dim();
        if m == 0 || dim == 0 {
            return Err(Error::Empty { what: format!("a dictionary of {m} atoms of {dim} features") });
        }
        check_finite("the dictionary", x)?;
        let x: Vec<F> = x.iter().copied().collect();
        let squares = x.chunks_exact(dim).map(square_sum).collect();
        Ok(Dictionary { dim, x, squares })
    }

    /// Number of atoms.
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// Never true: a dictionary has at least one atom.
    pub fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// Features of an atom.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// One atom.
    pub fn atom(&self, j: usize) -> &[F] {
        &self.x[j * self.dim..(j + 1) * self.dim]
    }

    /// All atoms, `m × dim`.
    pub(super) fn atoms(&self) -> &[F] {
        &self.x
    }

    /// Squared length of each atom.
    pub(super) fn squares(&self) -> &[F] {
        &self.squares
    }

    /// Queries of one block.
    pub(super) fn block_rows(&self) -> usize {
        (BLOCK_PRODUCTS / self.len()).clamp(1, 256)
    }

    /// Writes `alpha q_i·x_j` for a block of queries (`n × m`) by one product.
    pub(super) fn products(&self, alpha: F, q: &[F], out: &mut Vec<F>) {
        let n = q.len() / self.dim;
        out.resize(n * self.len(), F::zero());
        gemm(alpha, Op::N(q, n, self.dim), Op::T(&self.x, self.len(), self.dim), out, false);
    }

    /// `x_i·x_j` in f64.
    pub(super) fn product(&self, i: usize, j: usize) -> f64 {
        dot(self.atom(i), self.atom(j))
    }
}

/// `a·b`, products and sum in f64.
pub(super) fn dot<F: Float>(a: &[F], b: &[F]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a.f64() * b.f64()).sum();
    for (a, b) in a8.zip(b8) {
        for (l, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *l += a.f64() * b.f64();
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// Length of a vector.
pub(super) fn length<F: Float>(v: &[F]) -> f64 {
    dot(v, v).sqrt()
}

/// `y −= w x`.
pub(super) fn subtract<F: Float>(y: &mut [F], w: F, x: &[F]) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y -= w * x);
}
