//! Rows of numbers: minima, sums, squares, and sums of products of rows with weights.

use super::gemm::{Op, gemm};
use super::simd::{self, Kernel};
use crate::Float;

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

/// Sum of squares in eight lanes, so that it vectorises and is summed in the same order everywhere.
#[inline(always)]
pub(crate) fn square_sum<F: Float>(x: &[F]) -> F {
    let mut lanes = [F::zero(); 8];
    let mut chunks = x.chunks_exact(8);
    for chunk in &mut chunks {
        for (l, &v) in lanes.iter_mut().zip(chunk) {
            *l += v * v;
        }
    }
    chunks.remainder().iter().fold(lanes.into_iter().fold(F::zero(), |a, b| a + b), |a, &v| a + v * v)
}

/// `out += wᵀ x`, or `=` with `fresh`; `w` is `n × m`, `x` is `n × dim`, `out` is `m × dim`.
///
/// Objectives that look at the nearest prototypes alone leave most of `w` at zero; then rows are added one by one.
pub(crate) fn add_transposed_product<F: Float>(
    w: &[F],
    m: usize,
    x: &[F],
    n: usize,
    dim: usize,
    out: &mut [F],
    fresh: bool,
) {
    if 16 * nonzeros(w) > w.len() {
        gemm(F::one(), Op::T(w, n, m), Op::N(x, n, dim), out, !fresh);
        return;
    }
    if fresh {
        out.fill(F::zero());
    }
    for (w, x) in w.chunks_exact(m).zip(x.chunks_exact(dim)) {
        for (&w, out) in w.iter().zip(out.chunks_exact_mut(dim)).filter(|(w, _)| **w != F::zero()) {
            out.iter_mut().zip(x).for_each(|(o, &x)| *o += w * x);
        }
    }
}

/// Number of values that are not zero.
pub(crate) fn nonzeros<F: Float>(w: &[F]) -> usize {
    simd::run(Nonzeros(w))
}

struct Nonzeros<'a, F>(&'a [F]);

impl<F: Float> Kernel for Nonzeros<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        // Stretches short enough for narrow counters, which fit beside each other into a vector.
        let counts =
            self.0.chunks(1 << 12).map(|w| w.iter().map(|&v| u32::from(v != F::zero())).sum::<u32>());
        counts.map(|n| n as usize).sum()
    }
}

/// `sums[j] += Σ_i w[i,j]`, or `=` with `fresh`.
pub(crate) fn add_column_sums<F: Float>(w: &[F], sums: &mut [F], fresh: bool) {
    if fresh {
        sums.fill(F::zero());
    }
    simd::run(ColumnSums { w, sums });
}

struct ColumnSums<'a, F> {
    w: &'a [F],
    sums: &'a mut [F],
}

impl<F: Float> Kernel for ColumnSums<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for row in self.w.chunks_exact(self.sums.len()) {
            self.sums.iter_mut().zip(row).for_each(|(s, &w)| *s += w);
        }
    }
}
