//! Prototypes under their metric: all that a query needs.

use super::{FittedMetric, Metric, Plain, Scratch};
use crate::Float;
use crate::kernel::parallel::*;
use crate::kernel::softmin;
use ndarray::{Array2, ArrayView2, s};

/// Distances that a block may hold, so that memory is bounded for any number of prototypes.
const BLOCK_DISTANCES: usize = 1 << 22;
/// Products of coordinates between two questions whether to go on: a fraction of a second.
const BETWEEN_POLLS: usize = 5_000_000_000;

/// Prototypes under their metric, ready for queries.
#[derive(Debug, Clone)]
pub(crate) struct Space<F: Float> {
    dim: usize,
    m: usize,
    metric: Box<dyn Metric<F>>,
}

impl<F: Float> Space<F> {
    /// Prototypes `p` under a finished metric.
    pub fn new(metric: &dyn FittedMetric<F>, p: ArrayView2<F>) -> Self {
        Space { dim: p.ncols(), m: p.nrows(), metric: metric.at(p) }
    }

    /// Prototypes under the Euclidean distance.
    pub fn euclidean(p: ArrayView2<F>) -> Self {
        Self::new(&Plain, p)
    }

    /// A metric that has been set to its `m` prototypes.
    pub fn of(metric: Box<dyn Metric<F>>, m: usize) -> Self {
        Space { dim: metric.dim(), m, metric }
    }

    /// Rows of one block of queries.
    pub fn block_rows(&self) -> usize {
        (BLOCK_DISTANCES / self.m).clamp(1, 256)
    }

    /// Maps the row of squared distances of each sample of one block; `d` is a buffer to use again.
    pub fn map_rows<T>(&self, x: &[F], d: &mut Vec<F>, f: impl Fn(&[F]) -> T) -> Vec<T> {
        d.resize(x.len() / self.dim * self.m, F::zero());
        self.metric.distances(x, d, &mut Scratch::default());
        d.chunks_exact(self.m).map(f).collect()
    }

    /// Nearest prototype of each sample of one block, ties to the lowest index.
    pub fn nearest(&self, x: &[F], d: &mut Vec<F>) -> Vec<usize> {
        d.resize(x.len() / self.dim * self.m, F::zero());
        self.metric.nearest(x, d, &mut Scratch::default())
    }

    /// Maps the row of squared distances of every sample, in parallel, results in order; `f` also gets the number of the sample,
    /// and may write to the row.
    pub fn map<T: Send>(&self, x: ArrayView2<F>, f: impl Fn(usize, &mut [F]) -> T + Send + Sync) -> Vec<T> {
        let rows = self.block_rows();
        self.in_blocks(x, |b, block, d| {
            d.resize(block.len() / self.dim * self.m, F::zero());
            self.metric.distances(block, d, &mut Scratch::default());
            d.chunks_exact_mut(self.m).enumerate().map(|(r, d)| f(b * rows + r, d)).collect()
        })
    }

    /// [`map`](Self::map) for work that takes long: `cancelled` is asked several times a second, and ends it with the results of the
    /// first samples.
    pub fn map_until<T: Send>(
        &self,
        x: ArrayView2<F>,
        cancelled: &dyn Fn() -> bool,
        f: impl Fn(usize, &mut [F]) -> T + Send + Sync,
    ) -> Vec<T> {
        let block = self.block_rows();
        // Whole blocks, so that results are those of `map`.
        let rows = (BETWEEN_POLLS / (self.m * self.dim).max(1)).div_ceil(block).max(1) * block;
        let mut all = Vec::with_capacity(x.nrows());
        for start in (0..x.nrows()).step_by(rows) {
            if cancelled() {
                break;
            }
            let part = x.slice(s![start..(start + rows).min(x.nrows()), ..]);
            all.extend(self.map(part, |i, d| f(start + i, d)));
        }
        all
    }

    /// Distances of all samples (`n × m`).
    pub fn distances(&self, x: ArrayView2<F>) -> Array2<F> {
        let rows = self.map(x, |_, d| d.to_vec());
        Array2::from_shape_vec((x.nrows(), self.m), rows.concat())
            .expect("one row of distances for each sample")
    }

    /// Nearest prototype of every sample, in parallel.
    pub fn nearest_of_all(&self, x: ArrayView2<F>) -> Vec<usize> {
        self.in_blocks(x, |_, block, d| self.nearest(block, d))
    }

    /// Share of the (weighted) samples that each prototype answers for at inverse temperature γ.
    pub fn importance(&self, x: ArrayView2<F>, weights: Option<&[f64]>, gamma: f64) -> Vec<f64> {
        let total = weights.map_or(x.nrows() as f64, |w| w.iter().sum());
        let mut sums = vec![0.0; self.m];
        let block = self.block_rows() * self.dim;
        let x = x.as_standard_layout();
        // One block after another, so that sums do not depend on threads; the shares of a block in parallel.
        for (b, rows) in x.as_slice().expect("standard layout").chunks(block * 64).enumerate() {
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
        f: impl Fn(usize, &[F], &mut Vec<F>) -> Vec<T> + Send + Sync,
    ) -> Vec<T> {
        let x = x.as_standard_layout();
        let blocks = x.as_slice().expect("standard layout").par_chunks(self.block_rows() * self.dim);
        let parts: Vec<Vec<T>> =
            blocks.enumerate().map_init(Vec::new, |d, (b, rows)| f(b, rows, d)).collect();
        parts.into_iter().flatten().collect()
    }
}
