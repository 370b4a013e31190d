//! Matrices in blocks of rows: products, means and sums that do not depend on the number of threads.

use super::gemm::{Op, gemm};
use super::parallel::*;
use crate::Float;
use ndarray::{Array2, ArrayView2};
use std::ops::Range;

/// Rows of one block.
pub(crate) const BLOCK: usize = 256;

/// `x Bᵀ` in parallel blocks of rows.
pub(crate) fn product<F: Float>(x: ArrayView2<F>, b: ArrayView2<F>) -> Array2<F> {
    let (r, dim) = b.dim();
    let mut out = Array2::zeros((x.nrows(), r));
    let (x, b) = (x.as_standard_layout(), b.as_standard_layout());
    if let (Some(x), Some(b), Some(out)) = (x.as_slice(), b.as_slice(), out.as_slice_mut()) {
        out.par_chunks_mut(BLOCK * r).zip(x.par_chunks(BLOCK * dim)).for_each(|(out, x)| {
            gemm(F::one(), Op::N(x, x.len() / dim, dim), Op::T(b, r, dim), out, false);
        });
    }
    out
}

/// Mean of each feature in `f64`.
pub(crate) fn column_means<F: Float>(x: ArrayView2<F>) -> Vec<f64> {
    let mut sums = vec![0.0; x.ncols()];
    for row in x.rows() {
        sums.iter_mut().zip(row).for_each(|(s, v)| *s += v.f64());
    }
    sums.iter_mut().for_each(|s| *s /= x.nrows() as f64);
    sums
}

/// Largest value of a feature whose squared distances over `dim` features cannot overflow.
///
/// The factor leaves room for the four of `(x − p)²`, and for metrics that stretch by 2048.
pub(crate) fn largest_value<F: Float>(dim: usize) -> f64 {
    (F::max_value().f64() / ((1 << 24) * dim) as f64).sqrt()
}

/// First of the rows of length `dim` that has NaN or a value whose squared distances could overflow.
pub(crate) fn first_out_of_range<F: Float>(rows: &[F], dim: usize) -> Option<usize> {
    first_beyond(rows, dim, F::of(largest_value::<F>(dim)))
}

/// First of the rows of length `dim` that has NaN or a value beyond `most`.
pub(crate) fn first_beyond<F: Float>(rows: &[F], dim: usize, most: F) -> Option<usize> {
    // One pass without branches over what is almost always in range.
    if rows.iter().fold(true, |within, v| within & (v.abs() <= most)) {
        return None;
    }
    rows.chunks_exact(dim).position(|row| !row.iter().all(|v| v.abs() <= most))
}

/// Sum of the matrices that `write` gives for each block of rows: blocks in `F` and in parallel, their sum in `f64` and
/// in order.
pub(crate) fn sum_blocks<F: Float>(
    shape: (usize, usize),
    n: usize,
    write: impl Fn(Range<usize>, &mut [F]) + Sync,
) -> Array2<f64> {
    let blocks = n.div_ceil(BLOCK);
    let mut sum = Array2::<f64>::zeros(shape);
    // A few blocks at a time: memory stays bounded whatever n.
    for wave in (0..blocks).collect::<Vec<_>>().chunks(16) {
        let parts: Vec<Vec<F>> = wave
            .par_iter()
            .map(|&b| {
                let mut part = vec![F::zero(); shape.0 * shape.1];
                write(b * BLOCK..((b + 1) * BLOCK).min(n), &mut part);
                part
            })
            .collect();
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(s, v)| *s += v.f64());
        }
    }
    sum
}
