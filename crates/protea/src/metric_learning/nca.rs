//! NCA: a metric under which a neighbour drawn at random, the near ones more often, is of the same class.
//!
//! # Loss
//! Sample `i` picks another sample `j` with the probability `p_ij = exp(−d_ij) / Σ_{l ≠ i} exp(−d_il)`, where
//! `d_ij = ‖A(x_i − x_j)‖²`. The loss is the expected leave-one-out error of that rule,
//! ```text
//! L = 1 − 1/n Σ_i p_i,     p_i = Σ_{j ≠ i of the class of i} p_ij
//! ```
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | A | `a` | the matrix, `r × dim` |
//! | p_ij | `w` before it becomes the derivative | probability that `i` picks `j` |
//! | f(A) | `n (1 − L)` | expected number of samples decided rightly |
//!
//! # Derivative
//! `w_ij = ∂L/∂d_ij = p_ij ([j is of the class of i] − p_i) / n`, whose rows sum to 0. With `z = Ax`,
//! `∂L/∂A = 2 Uᵀ X`, `u_i = Σ_j (w_ij + w_ji)(z_i − z_j)`: a block of rows gives `−w z` to its own samples and
//! `diag(wᵀ1) z − wᵀ z` to all of them, by two products.
//!
//! # Reference
//! Goldberger, Roweis, Hinton, Salakhutdinov: "Neighbourhood Components Analysis", NIPS 2004 (eq. 1–5).
//!
//! # Departures
//! The objective is the paper's (and scikit-learn's), less its sign and divided by `n`. L-BFGS takes the place of
//! conjugate gradients. Each sample's term counts by its weight.

use super::{LearnedMatrix, Sorted, first_matrix, lanes};
use crate::kernel::parallel::*;
use crate::kernel::{Kernel, Op, gemm, product, row_sum, simd, softmin_inline};
use crate::metric::{Euclidean, Metric, Scratch};
use crate::optim::Problem;
use crate::progress::{Progress, Stop, watched_run};
use crate::settings::{named_enum, settings};
use crate::{Dataset, Float, Result};
use ndarray::Array2;
use std::ops::Range;

named_enum! {
    /// Where the matrix starts.
    pub enum NcaStart {
        /// The directions of largest variance.
        Pca = "pca",
        /// The first features as they are.
        Identity = "identity",
    }
}

settings! {
    /// Neighbourhood components analysis.
    pub struct Nca {
        /// NCA: initial low-rank matrix, from principal components or from the first features.
        start("nca-start"): NcaStart = NcaStart::Pca;
        /// NCA: most L-BFGS steps.
        steps("nca-steps"): usize = 50, |v| *v > 0, "a number ≥ 1";
    }
}

/// Distances that one block may hold.
const BLOCK_DISTANCES: usize = 1 << 20;

impl Nca {
    /// Learns the matrix of a metric, `rank × dim`, square without a rank. It stops when a step lowers the objective by
    /// less than `tolerance` of it.
    pub fn learn<F: Float>(
        &self,
        data: &Dataset<F>,
        rank: Option<usize>,
        tolerance: f64,
        progress: &mut dyn Progress,
    ) -> Result<LearnedMatrix<F>> {
        self.check()?;
        let mut start = first_matrix(data.x.view(), rank)?;
        if self.start == NcaStart::Identity {
            start = Array2::from_shape_fn(start.dim(), |(i, j)| if i == j { F::one() } else { F::zero() });
        }
        // One evaluation may take many seconds, so it is asked to end in its middle.
        watched_run(progress, |progress, stop| {
            let problem = NcaProblem::new(data, start.nrows(), stop);
            let mut learned = LearnedMatrix::start(start);
            learned.descend(problem, |p| p.loss, (self.steps, self.steps), tolerance, progress)?;
            Ok(learned)
        })
    }
}

/// The objective as a function of `A`.
struct NcaProblem<'a, F> {
    /// Raised when an evaluation shall end with a loss that is no number.
    stop: Stop<'a>,
    samples: Sorted<F>,
    image: Euclidean<F>,
    rank: usize,
    rows: usize,
    lanes: Vec<Lane<F>>,
    /// Of the last evaluation.
    loss: f64,
}

/// Sums and buffers of one lane.
struct Lane<F> {
    /// Σ_i p_i of its rows.
    right: f64,
    /// `[wᵀ1 | wᵀz]` over its rows.
    accumulator: Vec<F>,
    d: Vec<F>,
    w: Vec<F>,
}

impl<'a, F: Float> NcaProblem<'a, F> {
    fn new(data: &Dataset<F>, rank: usize, stop: Stop<'a>) -> Self {
        let samples = Sorted::new(data);
        let n = samples.len();
        let rows = (BLOCK_DISTANCES / n).clamp(1, 64);
        let blocks = n.div_ceil(rows);
        let lanes = (0..lanes(n * (1 + rank), blocks))
            .map(|_| Lane {
                right: 0.0,
                accumulator: vec![F::zero(); n * (1 + rank)],
                d: vec![F::zero(); rows * n],
                w: vec![F::zero(); rows * n],
            })
            .collect();
        NcaProblem { stop, samples, image: Euclidean::new(rank), rank, rows, lanes, loss: 1.0 }
    }
}

impl<F: Float> Problem for NcaProblem<'_, F> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, dim) = self.samples.x.dim();
        let (r, rows) = (self.rank, self.rows);
        let a = Array2::from_shape_fn((r, dim), |(i, j)| F::of(theta[i * dim + j]));
        let z = product(self.samples.x.view(), a.view()).into_raw_vec_and_offset().0;
        self.image.set(&z, &[]);

        // Blocks of rows are dealt to lanes, wave by wave, so that every block can write its own rows of u.
        let mut u = vec![F::zero(); n * r];
        let (samples, image, lanes) = (&self.samples, &self.image, &mut self.lanes);
        let wave = lanes.len() * rows;
        for (w, u) in u.chunks_mut(wave * r).enumerate() {
            if self.stop.raised() {
                return f64::NAN;
            }
            let blocks = u.par_chunks_mut(rows * r).zip(lanes.par_iter_mut());
            blocks.enumerate().for_each(|(b, (u, lane))| {
                let start = w * wave + b * rows;
                lane.block(samples, image, &z, start..start + u.len() / r, u, w == 0);
            });
        }

        let total = |i: usize| lanes.iter().fold(F::zero(), |s, l| s + l.accumulator[i]);
        u.par_chunks_exact_mut(r).zip(z.par_chunks_exact(r)).enumerate().for_each(|(j, (u, z))| {
            let column = total(j);
            for (f, (u, &z)) in u.iter_mut().zip(z).enumerate() {
                *u += column * z - total(n + j * r + f);
            }
        });
        let pushed = self.samples.outer(&u, r);
        gradient.iter_mut().zip(&pushed).for_each(|(g, &v)| *g = 2.0 * v / n as f64);
        self.loss = 1.0 - self.lanes.iter().map(|l| l.right).sum::<f64>() / n as f64;
        self.loss
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        vec![(0..self.rank * self.samples.x.ncols(), 1.0)]
    }
}

impl<F: Float> Lane<F> {
    /// Adds a block of rows; with `fresh` it is the first. Writes `−w z` to the block's rows of `u`.
    fn block(
        &mut self,
        samples: &Sorted<F>,
        image: &Euclidean<F>,
        z: &[F],
        rows: Range<usize>,
        u: &mut [F],
        fresh: bool,
    ) {
        let n = samples.len();
        let r = z.len() / n;
        if fresh {
            self.right = 0.0;
        }
        let (d, w) = (&mut self.d[..rows.len() * n], &mut self.w[..rows.len() * n]);
        let block = &z[rows.start * r..rows.end * r];
        image.distances(block, d, &mut Scratch::default());
        for ((i, d), w) in rows.clone().zip(d.chunks_exact_mut(n)).zip(w.chunks_exact_mut(n)) {
            d[i] = F::infinity();
            let own = samples.classes.range(samples.classes.of()[i]);
            self.right += simd::run(Row { d, w, own, weight: samples.weights[i] });
        }
        image.pull_back_products(block, w, &mut self.accumulator, fresh);
        gemm(-F::one(), Op::N(w, rows.len(), n), Op::N(z, n, r), u, false);
    }
}

/// One row of distances to its `p_i` and its row of `w`, both times the weight.
struct Row<'a, F> {
    d: &'a [F],
    w: &'a mut [F],
    own: Range<usize>,
    weight: F,
}

impl<F: Float> Kernel for Row<'_, F> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Row { d, w, own, weight } = self;
        softmin_inline(d, F::one(), w);
        let total = row_sum(w);
        let right = row_sum(&w[own.clone()]) / total;
        let (inside, outside) = (weight * (F::one() - right) / total, -weight * right / total);
        w[..own.start].iter_mut().for_each(|w| *w *= outside);
        w[own.clone()].iter_mut().for_each(|w| *w *= inside);
        w[own.end..].iter_mut().for_each(|w| *w *= outside);
        (weight * right).f64()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{clouds, distance, gradient_by_central_differences, theta, threads};
    use super::*;
    use crate::progress::Silent;

    fn naive(data: &Dataset<f64>, theta: &[f64]) -> f64 {
        let n = data.len();
        let weights = data.weights.as_ref().unwrap();
        let right = |i: usize| {
            let p = |j: usize| if j == i { 0.0 } else { (-distance(data, theta, i, j)).exp() };
            let own: f64 = (0..n).filter(|&j| data.y[j] == data.y[i]).map(p).sum();
            own / (0..n).map(p).sum::<f64>()
        };
        1.0 - (0..n).map(|i| weights[i] * right(i)).sum::<f64>() / weights.iter().sum::<f64>()
    }

    #[test]
    fn blocks_match_all_pairs() {
        for (n, r) in [(9, 4), (200, 4), (200, 2)] {
            let theta = theta(r, 4);
            let loss = naive(&clouds(n, 3), &theta);
            let mut ignored = vec![0.0; theta.len()];
            let wide =
                NcaProblem::<f64>::new(&clouds(n, 3), r, Stop(&|| false)).evaluate(&theta, &mut ignored);
            assert!((wide - loss).abs() < 1e-12, "{wide} against {loss}");
            let thin =
                NcaProblem::<f32>::new(&clouds(n, 3), r, Stop(&|| false)).evaluate(&theta, &mut ignored);
            assert!((thin - loss).abs() < 1e-5, "{thin} against {loss}");
        }
    }

    #[test]
    fn gradients_match_central_differences() {
        for (n, r) in [(60, 4), (200, 2), (200, 1)] {
            gradient_by_central_differences(
                &mut NcaProblem::<f64>::new(&clouds(n, 8), r, Stop(&|| false)),
                &theta(r, 4),
            );
        }
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let data = clouds::<f32>(900, 4);
        threads(|| Nca::default().learn(&data, Some(3), 1e-6, &mut Silent).unwrap());
    }

    #[test]
    fn it_learns_from_either_start() {
        let data = clouds::<f64>(100, 6);
        for start in [NcaStart::Pca, NcaStart::Identity] {
            let learned = Nca { start, ..Nca::default() }.learn(&data, Some(2), 1e-9, &mut Silent).unwrap();
            let [first, last] = [&learned.history[0], learned.history.last().unwrap()].map(|r| r.loss);
            assert!(last < first && (0.0..1.0).contains(&last));
        }
    }
}
