//! Prototypes in the space where the metric is Euclidean: all that prediction needs.

use crate::Float;
use crate::metric::gemm::{Op, gemm};
use crate::metric::{Euclidean, Metric, Scratch, row_min};
use crate::objective::softmin;
use crate::simd::{self, Kernel};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Distances that a block may hold, so that memory is bounded for any number of prototypes.
const BLOCK_DISTANCES: usize = 1 << 22;

/// Images of the prototypes under the metric, ready for queries.
#[derive(Debug, Clone)]
pub(crate) struct Space<F> {
    dim: usize,
    m: usize,
    matrix: Option<Array2<F>>,
    image: Euclidean<F>,
}

impl<F: Float> Space<F> {
    /// Prototypes `p` under `‖A(x − p)‖²`, or the Euclidean distance without a matrix.
    pub fn new(matrix: Option<&Array2<F>>, p: ArrayView2<F>) -> Self {
        let (m, dim) = p.dim();
        let matrix = matrix.map(|a| a.as_standard_layout().into_owned());
        let mut space = Space { dim, m, image: Euclidean::new(dim), matrix };
        let p = p.as_standard_layout();
        let p = p.as_slice().unwrap_or_default();
        if let Some(a) = &space.matrix {
            space.image = Euclidean::new(a.nrows());
            let image = space.project(p).unwrap_or_default();
            space.image.set(&image, &[]);
        } else {
            space.image.set(p, &[]);
        }
        space
    }

    /// The same for a metric and its prototypes while training.
    pub fn of(metric: &dyn Metric<F>, p: &[F], dim: usize) -> Self {
        let params = metric.params();
        let matrix = Array2::from_shape_vec((params.len() / dim, dim), params).ok().filter(|a| !a.is_empty());
        let p = ArrayView2::from_shape((p.len() / dim, dim), p).expect("prototypes are whole rows");
        Space::new(matrix.as_ref(), p)
    }

    /// Rows of one block of queries.
    pub fn block_rows(&self) -> usize {
        (BLOCK_DISTANCES / self.m).clamp(1, 256)
    }

    /// Samples under the matrix; `None` where the metric has none.
    fn project(&self, x: &[F]) -> Option<Vec<F>> {
        let a = self.matrix.as_ref()?;
        let (r, n) = (a.nrows(), x.len() / self.dim);
        let mut z = vec![F::zero(); n * r];
        gemm(
            F::one(),
            Op::N(x, n, self.dim),
            Op::T(a.as_slice().unwrap_or_default(), r, self.dim),
            &mut z,
            false,
        );
        Some(z)
    }

    /// Maps the row of squared distances of each sample of one block; `d` is a buffer to use again.
    pub fn map_rows<T>(&self, x: &[F], d: &mut Vec<F>, f: impl Fn(&[F]) -> T) -> Vec<T> {
        let z = self.project(x);
        d.resize(x.len() / self.dim * self.m, F::zero());
        self.image.distances(z.as_deref().unwrap_or(x), d, &mut Scratch::default());
        d.chunks_exact(self.m).map(f).collect()
    }

    /// Nearest prototype of each sample of one block, ties to the lowest index.
    pub fn nearest(&self, x: &[F], d: &mut Vec<F>) -> Vec<usize> {
        let z = self.project(x);
        d.resize(x.len() / self.dim * self.m, F::zero());
        self.image.products(z.as_deref().unwrap_or(x), d);
        d.chunks_exact_mut(self.m).map(|row| simd::run(Nearest { row, norms: self.image.norms() })).collect()
    }

    /// Distances of all samples (`n × m`).
    pub fn distances(&self, x: ArrayView2<F>) -> Array2<F> {
        let rows = self.in_blocks(x, |block, d| self.map_rows(block, d, <[F]>::to_vec));
        Array2::from_shape_vec((x.nrows(), self.m), rows.concat())
            .expect("one row of distances for each sample")
    }

    /// Share of samples whose nearest prototype has another label.
    pub fn error(&self, x: ArrayView2<F>, y: &[usize], labels: &[usize]) -> f64 {
        let nearest = self.in_blocks(x, |block, d| self.nearest(block, d));
        let wrong = nearest.iter().zip(y).filter(|(j, y)| labels[**j] != **y).count();
        wrong as f64 / y.len() as f64
    }

    /// Share of the (weighted) samples that each prototype answers for at inverse temperature γ.
    pub fn importance(&self, x: ArrayView2<F>, weights: Option<&[f64]>, gamma: f64) -> Vec<f64> {
        let total = weights.map_or(x.nrows() as f64, |w| w.iter().sum());
        let mut sums = vec![0.0; self.m];
        let block = self.block_rows() * self.dim;
        let x = x.as_standard_layout();
        // One block after another, so that sums do not depend on threads; the shares of a block in parallel.
        for (b, rows) in x.as_slice().unwrap_or_default().chunks(block * 64).enumerate() {
            let parts: Vec<Vec<f64>> = rows
                .par_chunks(block)
                .enumerate()
                .map(|(i, rows)| {
                    let first = (b * 64 + i) * self.block_rows();
                    let mut sums = vec![0.0; self.m];
                    let shares = self.map_rows(rows, &mut Vec::new(), |d| {
                        let mut w = vec![F::zero(); d.len()];
                        softmin(d, F::of(gamma), &mut w);
                        w
                    });
                    for (r, w) in shares.into_iter().enumerate() {
                        let all: f64 = w.iter().map(|v| v.f64()).sum();
                        let weight = weights.map_or(1.0, |w| w[first + r]) / (all * total);
                        sums.iter_mut().zip(w).for_each(|(s, w)| *s += w.f64() * weight);
                    }
                    sums
                })
                .collect();
            for part in parts {
                sums.iter_mut().zip(part).for_each(|(s, v)| *s += v);
            }
        }
        sums
    }

    fn in_blocks<T: Send>(
        &self,
        x: ArrayView2<F>,
        f: impl Fn(&[F], &mut Vec<F>) -> Vec<T> + Send + Sync,
    ) -> Vec<T> {
        let x = x.as_standard_layout();
        let rows = x.as_slice().unwrap_or_default().par_chunks(self.block_rows() * self.dim);
        let parts: Vec<Vec<T>> = rows.map_init(Vec::new, |d, rows| f(rows, d)).collect();
        parts.into_iter().flatten().collect()
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
