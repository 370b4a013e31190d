//! LMNN: a metric under which every sample is nearer to samples of its own class than to any other, by a margin.
//!
//! # Loss
//! Each sample `i` has target neighbours `T_i`, the `κ` samples of its class nearest to it before anything is learned.
//! With `d_ij = ‖A(x_i − x_j)‖²`, `m` the margin and `T` the number of all targets,
//! ```text
//! L = 1/(m T) Σ_i Σ_{j ∈ T_i} [ (1 − μ) d_ij + μ Σ_{l of another class} max(0, m + d_ij − d_il) ]
//! ```
//! The margin is the mean of `‖x_i − x_j‖²` over all targets. Its size matters for the start only: `m` times as large, it
//! has the minimum `√m A`. So the metric does not depend on the unit of the features, and `A` has about the size of the
//! identity. A second pass does the same with the targets, and their mean distance, under the metric of the first, and
//! so on.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | L | `a` | the matrix, `r × dim` |
//! | η_ij | `targets` | target neighbours, `κ` places for each sample |
//! | c, μ | `push` | weight of the second term |
//! | 1 | `margin` | the margin, in the units of the squared features |
//! | impostor | pair `(i, l)` | a sample of another class inside the margin of a target |
//!
//! # Derivative
//! With `w_ij = ∂L/∂d_ij`, zero but for targets and impostors: `∂L/∂A = 2 Σ_ij w_ij (z_i − z_j)(x_i − x_j)ᵀ`
//! where `z = Ax`; gathered by samples, `2 Uᵀ X` with `u_i = Σ_j (w_ij + w_ji)(z_i − z_j)`. The first term needs no pairs:
//! it is `(1 − μ) tr(A S Aᵀ)`, with the gradient `2 (1 − μ) A S`, where `S = Σ (x_i − x_j)(x_i − x_j)ᵀ` over targets.
//!
//! # Reference
//! Weinberger, Saul: "Distance Metric Learning for Large Margin Nearest Neighbor Classification", JMLR 10, 2009.
//!
//! # Departures
//! By default there are three passes; one is the paper's problem. The paper descends in `M = AᵀA` with projections; this is
//! L-BFGS in `A`, which also allows low rank, with all impostors at every step. The loss is divided by the margin and the
//! number of targets, and each sample's terms count by its weight. A class of fewer than `κ + 1` samples has all its others
//! as targets, a class of one sample none. Where there are no targets at all, or every one equals its sample, nothing is
//! learned.

use super::impostors::{Impostors, View};
use super::{LearnedMatrix, Sorted, first_matrix};
use crate::data::ClassLayout;
use crate::kernel::parallel::*;
use crate::kernel::{Op, gemm, k_smallest, product, sum_blocks};
use crate::metric::{Euclidean, Metric, Scratch};
use crate::optim::Problem;
use crate::progress::{Progress, Stopped};
use crate::settings::settings;
use crate::{Dataset, Float, Result};
use ndarray::{Array2, ArrayView2};
use std::ops::Range;

settings! {
    /// Large-margin nearest neighbours.
    pub struct Lmnn {
        /// LMNN: target neighbours per sample, the nearest of its class before learning.
        targets("targets"): usize = 3, |v| *v > 0, "a number ≥ 1";
        /// LMNN: weight of pushing other classes out of the margin; pulling targets near has the rest.
        push("push"): f64 = 0.5, |v| *v > 0.0 && *v <= 1.0, "a number in (0, 1]";
        /// LMNN: passes, each with the target neighbours found under the metric of the pass before.
        passes("passes"): usize = 3, |v| *v > 0, "a number ≥ 1";
        /// LMNN: most L-BFGS steps per pass.
        steps("pass-steps"): usize = 10, |v| *v > 0, "a number ≥ 1";
    }
}

/// Stands for a target that a sample does not have.
const NONE: u32 = u32::MAX;

impl Lmnn {
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
        let start = first_matrix(data.x.view(), rank)?;
        let mut learned = LearnedMatrix::start(start);
        let mut under = Array2::eye(data.dim());
        for _ in 0..self.passes {
            let problem = LmnnProblem::new(self, data, learned.matrix.nrows(), &under);
            let steps = (self.steps, self.steps * self.passes);
            learned.descend(problem, LmnnProblem::error, steps, tolerance, progress)?;
            if learned.stopped == Stopped::Interrupted {
                break;
            }
            under.clone_from(&learned.matrix);
        }
        Ok(learned)
    }
}

/// The objective as a function of `A`.
pub(super) struct LmnnProblem<F> {
    samples: Sorted<F>,
    rank: usize,
    /// μ.
    push: f64,
    margin: f64,
    /// m T, by which everything is divided; infinite when there is nothing to learn.
    scale: f64,
    per_sample: usize,
    /// Target neighbours, `n × κ`.
    targets: Vec<u32>,
    /// S.
    pull: Array2<f64>,
    impostors: Impostors<F>,
}

impl<F: Float> LmnnProblem<F> {
    /// With the targets that are nearest under the matrix `under`.
    pub fn new(lmnn: &Lmnn, data: &Dataset<F>, rank: usize, under: &Array2<F>) -> Self {
        let samples = Sorted::new(data);
        let per_sample = lmnn.targets.min(samples.len());
        let space = product(samples.x.view(), under.view());
        let targets = targets(space.view(), &samples.classes, per_sample);
        let pull = pull(&samples, &targets, per_sample);
        let weighted =
            |i: usize| if targets[i] == NONE { 0.0 } else { samples.weights[i / per_sample].f64() };
        let count: f64 = (0..targets.len()).map(weighted).sum();
        let under = under.mapv(F::f64);
        let margin = (under.dot(&pull) * &under).sum() / count;
        let scale = if margin > 0.0 { margin * count } else { f64::INFINITY };
        let impostors = Impostors::new(&samples.classes, rank, per_sample);
        LmnnProblem { samples, rank, push: lmnn.push, margin, scale, per_sample, targets, pull, impostors }
    }

    /// Share of samples with an impostor nearer than every target, as the last evaluation saw them.
    pub fn error(&self) -> f64 {
        self.impostors.wrong() as f64 / self.samples.len() as f64
    }

    /// Squared distances to the targets; −∞ for those that are not there, which no impostor can be near to.
    fn target_distances(&self, z: &[F]) -> Vec<F> {
        let (r, k) = (self.rank, self.per_sample);
        let row = |i: usize| &z[i * r..(i + 1) * r];
        let distance = |(place, &j): (usize, &u32)| match j {
            NONE => F::neg_infinity(),
            j => {
                let pairs = row(place / k).iter().zip(row(j as usize));
                pairs.fold(F::zero(), |d, (&a, &b)| d + (a - b) * (a - b))
            }
        };
        self.targets.par_iter().enumerate().map(distance).collect()
    }

    /// Adds to `u` what pushes targets nearer: `active` impostors for each.
    fn add_targets(&self, z: &[F], active: &[u32], u: &mut [F]) {
        let (r, k) = (self.rank, self.per_sample);
        for (place, (&j, &active)) in self.targets.iter().zip(active).enumerate().filter(|(_, t)| *t.1 > 0) {
            let (i, j) = (place / k * r, j as usize * r);
            let weight = self.samples.weights[place / k] * F::of(active.into());
            for f in 0..r {
                let step = weight * (z[i + f] - z[j + f]);
                u[i + f] += step;
                u[j + f] -= step;
            }
        }
    }
}

impl<F: Float> Problem for LmnnProblem<F> {
    fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let (r, dim) = (self.rank, self.samples.x.ncols());
        let a = Array2::from_shape_fn((r, dim), |(i, j)| theta[i * dim + j]);
        let z = product(self.samples.x.view(), a.mapv(F::of).view()).into_raw_vec_and_offset().0;
        let distances = self.target_distances(&z);
        let view = View {
            z: &z,
            r,
            targets: &distances,
            per_sample: self.per_sample,
            margin: F::of(self.margin),
            weights: &self.samples.weights,
        };
        let (push, mut u, active) = self.impostors.gather(&view);
        self.add_targets(&z, &active, &mut u);

        let pulled = a.dot(&self.pull);
        let pull = (&pulled * &a).sum();
        let pushed = self.samples.outer(&u, r);
        for ((g, pull), push) in gradient.iter_mut().zip(&pulled).zip(&pushed) {
            *g = 2.0 * ((1.0 - self.push) * pull + self.push * push) / self.scale;
        }
        ((1.0 - self.push) * pull + self.push * push) / self.scale
    }

    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        vec![(0..self.rank * self.samples.x.ncols(), 1.0)]
    }
}

/// The `k` nearest samples of each sample's class, nearest first, ties to the first in the class.
fn targets<F: Float>(x: ArrayView2<F>, classes: &ClassLayout, k: usize) -> Vec<u32> {
    const ROWS: usize = 64;
    let (n, dim) = x.dim();
    let flat = x.to_slice().expect("samples are row-major");
    let mut all = vec![NONE; n * k];
    for class in classes.ranges() {
        let x = &flat[class.start * dim..class.end * dim];
        let mut metric = Euclidean::new(dim);
        metric.set(x, &[]);
        let places = &mut all[class.start * k..class.end * k];
        places.par_chunks_mut(ROWS * k).zip(x.par_chunks(ROWS * dim)).enumerate().for_each(
            |(b, (places, x))| {
                let mut d = vec![F::zero(); x.len() / dim * class.len()];
                metric.distances(x, &mut d, &mut Scratch::default());
                for ((i, d), places) in
                    d.chunks_exact_mut(class.len()).enumerate().zip(places.chunks_exact_mut(k))
                {
                    let own = b * ROWS + i;
                    d[own] = F::infinity();
                    let nearest = k_smallest(d, k.min(class.len() - 1));
                    places.iter_mut().zip(nearest).for_each(|(p, j)| *p = (class.start + j) as u32);
                }
            },
        );
    }
    all
}

/// S: the weighted sum of `(x_i − x_j)(x_i − x_j)ᵀ` over targets.
fn pull<F: Float>(samples: &Sorted<F>, targets: &[u32], k: usize) -> Array2<f64> {
    let (n, dim) = samples.x.dim();
    let x: ArrayView2<F> = samples.x.view();
    sum_blocks((dim, dim), n, |block, part| {
        let mut differences = Vec::with_capacity(block.len() * k * dim);
        for (place, &j) in targets[block.start * k..block.end * k].iter().enumerate().filter(|t| *t.1 != NONE)
        {
            let i = block.start + place / k;
            let weight = samples.weights[i].sqrt();
            differences.extend(x.row(i).iter().zip(x.row(j as usize)).map(|(&a, &b)| weight * (a - b)));
        }
        let rows = differences.len() / dim;
        gemm(F::one(), Op::T(&differences, rows, dim), Op::N(&differences, rows, dim), part, false);
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::{clouds, distance, gradient_by_central_differences, theta, threads};
    use super::*;
    use crate::progress::Silent;

    fn problem<F: Float>(lmnn: &Lmnn, data: &Dataset<F>, rank: usize) -> LmnnProblem<F> {
        LmnnProblem::new(lmnn, data, rank, &Array2::eye(data.dim()))
    }

    /// Loss and gradient by all triples.
    fn naive(lmnn: &Lmnn, data: &Dataset<f64>, theta: &[f64]) -> (f64, Vec<f64>) {
        let (n, dim) = data.x.dim();
        let weights = data.weights.as_ref().unwrap();
        let eye = Array2::<f64>::eye(dim).into_raw_vec_and_offset().0;
        let mut targets = Vec::new();
        for i in 0..n {
            let mut own: Vec<usize> = (0..n).filter(|&j| j != i && data.y[j] == data.y[i]).collect();
            own.sort_by(|&a, &b| distance(data, &eye, i, a).total_cmp(&distance(data, &eye, i, b)));
            targets.extend(own.into_iter().take(lmnn.targets).map(|j| (i, j)));
        }
        let count: f64 = targets.iter().map(|&(i, _)| weights[i]).sum();
        let margin =
            targets.iter().map(|&(i, j)| weights[i] * distance(data, &eye, i, j)).sum::<f64>() / count;
        let (mut loss, mut g) = (0.0, vec![0.0; theta.len()]);
        let mut add = |weight: f64, i: usize, j: usize| {
            let difference = &data.x.row(i) - &data.x.row(j);
            for (a, g) in theta.chunks(dim).zip(g.chunks_mut(dim)) {
                let z = ndarray::aview1(a).dot(&difference);
                g.iter_mut()
                    .zip(&difference)
                    .for_each(|(g, d)| *g += 2.0 * weight * z * d / (margin * count));
            }
        };
        for (i, j) in targets {
            let near = distance(data, theta, i, j);
            loss += weights[i] * (1.0 - lmnn.push) * near;
            add(weights[i] * (1.0 - lmnn.push), i, j);
            for l in (0..n).filter(|&l| data.y[l] != data.y[i]) {
                let inside = margin + near - distance(data, theta, i, l);
                if inside > 0.0 {
                    loss += weights[i] * lmnn.push * inside;
                    add(weights[i] * lmnn.push, i, j);
                    add(-weights[i] * lmnn.push, i, l);
                }
            }
        }
        (loss / (margin * count), g)
    }

    #[test]
    fn blocks_match_all_triples() {
        for (n, k, push) in [(9, 3, 0.5), (150, 1, 0.9), (150, 3, 0.5), (150, 200, 0.2)] {
            let data = clouds::<f64>(n, 3);
            let lmnn = Lmnn { targets: k, push, ..Lmnn::default() };
            for r in [4, 2] {
                let theta = theta(r, 4);
                let (loss, g) = naive(&lmnn, &data, &theta);
                let mut found = vec![0.0; g.len()];
                let value = problem(&lmnn, &data, r).evaluate(&theta, &mut found);
                assert!((value - loss).abs() < 1e-12 * loss, "{value} against {loss}");
                let size = g.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                assert!(found.iter().zip(&g).all(|(a, b)| (a - b).abs() < 1e-11 * size), "{found:?} {g:?}");
                let thin = clouds::<f32>(n, 3);
                let thin = problem(&lmnn, &thin, r).evaluate(&theta, &mut found);
                assert!((thin - loss).abs() < 2e-6 * loss, "{thin} against {loss}");
            }
        }
    }

    #[test]
    fn gradients_match_central_differences() {
        let data = clouds::<f64>(60, 8);
        for r in [4, 2, 1] {
            gradient_by_central_differences(&mut problem(&Lmnn::default(), &data, r), &theta(r, 4));
        }
    }

    #[test]
    fn without_push_the_loss_is_the_mean_distance_to_targets() {
        let data = clouds::<f64>(60, 8);
        let mut problem = problem(&Lmnn { push: 0.0, ..Lmnn::default() }, &data, 4);
        let mut g = vec![0.0; 16];
        let doubled: Vec<f64> = Array2::<f64>::eye(4).iter().map(|v| 2.0 * v).collect();
        // 1 in the units of the margin for the identity, four times that for twice the identity.
        assert!((problem.evaluate(&doubled, &mut g) - 4.0).abs() < 1e-12);
        // A quadratic form: ⟨A, ∂L/∂A⟩ = 2 L.
        assert!((doubled.iter().zip(&g).map(|(a, g)| a * g).sum::<f64>() - 8.0).abs() < 1e-11);
    }

    #[test]
    fn the_unit_of_the_features_does_not_matter() {
        let data = clouds::<f64>(80, 2);
        let scaled = Dataset { x: &data.x * 1e3, ..data.clone() };
        let learn = |data| Lmnn::default().learn(data, None, 1e-6, &mut Silent).unwrap();
        let (a, b) = (learn(&data), learn(&scaled));
        assert!((&a.matrix - &b.matrix).iter().all(|v| v.abs() < 1e-3), "{:?} {:?}", a.matrix, b.matrix);
        assert!(a.history.last().unwrap().loss < a.history[0].loss);
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let data = clouds::<f32>(900, 4);
        threads(|| Lmnn::default().learn(&data, None, 1e-6, &mut Silent).unwrap());
    }

    #[test]
    fn where_there_is_nothing_to_learn_the_matrix_stays() {
        let names: Vec<String> = ["a", "b"].map(String::from).into();
        let alone = Dataset::new(Array2::<f32>::eye(2), vec![0, 1], names.clone()).unwrap();
        let equal = Dataset::new(Array2::<f32>::ones((8, 3)), vec![0, 0, 0, 0, 1, 1, 1, 1], names).unwrap();
        for data in [alone, equal] {
            let learned = Lmnn::default().learn(&data, None, 1e-6, &mut Silent).unwrap();
            assert_eq!(learned.matrix, Array2::<f32>::eye(data.dim()));
        }
        assert!(Lmnn::default().learn(&clouds::<f32>(20, 1), Some(5), 1e-6, &mut Silent).is_err());
    }
}
