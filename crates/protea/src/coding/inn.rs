//! INN: iterative nearest neighbours, a query as a positive sum of the samples that repeated search finds.
//!
//! # Code
//! ```text
//! q_0 = q;   for t = 1 … K:   j_t = argmin_j |q_{t−1} − x_j|,   w_{j_t} += λ / (1+λ)^t,   q_t = q_{t−1} + λ (q_{t−1} − x_{j_t})
//! ```
//! Each step moves the query away from the sample that was found, so that the next search finds what is missing. Unrolling the
//! steps gives, exactly,
//! ```text
//! q = Σ_t λ/(1+λ)^t x_{j_t} + (1+λ)^{−K} q_K,        Σ_t λ/(1+λ)^t = 1 − (1+λ)^{−K}
//! ```
//! so the weights are positive, sum to almost 1, and the residual is `(1+λ)^{−K} q_K`.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | λ | `lambda` | step; a large one is the nearest neighbour alone |
//! | β | `beta` | sum of the weights that must be reached |
//! | K | [`Inn::steps_and_lambda`] | `⌈−ln(1−β) / ln(1+λ)⌉` steps; where K is given, `λ = (1−β)^{−1/K} − 1` |
//! | (1+λ)^{−t} q_t | `r` | what the samples so far leave of the query: it only shrinks, where `q_t` may grow |
//!
//! In terms of `r` a step is `j = argmin_j (1+λ)^{1−t} |x_j|² − 2 r·x_j`, `r ← r − w x_j`.
//!
//! # Speed
//! The products of a block of queries with all atoms are one matrix product for each step. Where the products of the atoms
//! among themselves fit into memory (`Gram`), only the first step needs one: later `r·x_j` follow from `−w x_{j_t}·x_j`.
//!
//! # Reference
//! Timofte, Van Gool: "Iterative Nearest Neighbors", Pattern Recognition 48, 2015; first version CVPR 2012.
//!
//! # Departures
//! `stop-at` ends the search of a query early. `refine` is our own reading of a refined variant, [`mod@super::refine`]: the atoms
//! stay, their weights are fitted again.

use super::dictionary::{length, subtract};
use super::pursuit::pursue;
use super::refine::refine;
use super::{Code, Coder, Dictionary, in_blocks};
use crate::kernel::parallel::*;
use crate::kernel::{Kernel, Op, gemm_into_last, row_min, simd};
use crate::settings::settings;
use crate::{Error, Float, Result};
use ndarray::ArrayView2;
use std::sync::OnceLock;

settings! {
    /// Iterative nearest neighbours.
    pub struct Inn {
        /// Step λ: small values use many samples, large ones only the nearest.
        lambda("lambda"): f64 = 0.25, |v| *v > 0.0 && v.is_finite(), "a number > 0";
        /// Sum of weights β at which the code is complete.
        beta("beta"): f64 = 0.95, |v| *v > 0.0 && *v < 1.0, "a share between 0 and 1";
        /// Number of steps K; none derives it from lambda and beta.
        ///
        /// A number replaces lambda by the value that reaches beta in that many steps.
        steps("steps"): Option<usize> = None, |v| v.is_none_or(|k| (1..=MOST_STEPS).contains(&k)), "none or a number from 1 to 100000";
        /// Stop early when the residual falls to this share of the query's length; 0 never does.
        stop_at("stop-at"): f64 = 0.0, |v| (0.0..1.0).contains(v), "a share from 0 to below 1";
        /// Refit the weights of the selected samples: non-negative, with a sum of at most 1.
        refine("refine"): bool = false;
    }
}

/// More would be a mistake, or a damaged file.
const MOST_STEPS: usize = 100_000;
/// Products of the atoms among themselves that are kept, in bytes, and multiplications that they may take.
const GRAM_BYTES: usize = 1 << 28;
const GRAM_PRODUCTS: usize = 1 << 35;
/// Rows of them that are made by one product.
const GRAM_ROWS: usize = 256;

/// Iterative nearest neighbours over a dictionary.
#[derive(Debug)]
pub struct InnCoder<F> {
    settings: Inn,
    steps: usize,
    lambda: f64,
    dictionary: Dictionary<F>,
    /// Whether the products of the atoms are kept: a matter of the dictionary alone, so that codes do not depend on how many
    /// queries come together.
    keeps_gram: bool,
    gram: OnceLock<Vec<F>>,
}

impl Inn {
    /// `K` and `λ`.
    pub fn steps_and_lambda(&self) -> (usize, f64) {
        let left = -(-self.beta).ln_1p();
        match self.steps {
            Some(steps) => (steps, (left / steps as f64).exp_m1()),
            // A whole number of steps must not become one more by rounding.
            None => (((left / self.lambda.ln_1p() - 1e-9).ceil() as usize).max(1), self.lambda),
        }
    }

    /// The coder over a dictionary.
    pub fn over<F: Float>(&self, dictionary: Dictionary<F>) -> Result<InnCoder<F>> {
        self.check()?;
        let (steps, lambda) = self.steps_and_lambda();
        if steps > MOST_STEPS {
            let expected = format!("a number that reaches beta within {MOST_STEPS} steps");
            return Err(Error::setting("lambda", self.lambda, expected));
        }
        let m = dictionary.len();
        let within = |limit: usize, factor: usize| m.saturating_mul(m).saturating_mul(factor) <= limit;
        let keeps_gram = within(GRAM_BYTES, size_of::<F>()) && within(GRAM_PRODUCTS, dictionary.dim());
        Ok(InnCoder { settings: self.clone(), steps, lambda, dictionary, keeps_gram, gram: OnceLock::new() })
    }
}

/// Where one query stands: weight of the next atom, and what the squared lengths count.
struct Course {
    lambda: f64,
    /// `λ / (1+λ)^t`.
    weight: f64,
    /// `(1+λ)^{1−t}`.
    scale: f64,
}

impl Course {
    fn at(lambda: f64, step: usize) -> Self {
        let scale = (-(step as f64) * lambda.ln_1p()).exp();
        Course { lambda, weight: scale * lambda / (1.0 + lambda), scale }
    }

    fn next(&self) -> Self {
        let shrink = 1.0 / (1.0 + self.lambda);
        Course { weight: self.weight * shrink, scale: self.scale * shrink, ..*self }
    }
}

impl<F: Float> InnCoder<F> {
    /// Codes of the queries, where query `i` must do without atom `without[i]`, such as itself.
    pub fn codes_without(&self, q: ArrayView2<F>, without: &[usize]) -> Result<Vec<Code<F>>> {
        let dim = self.dictionary.dim();
        self.prepare();
        in_blocks(&self.dictionary, q, |first, block| {
            self.code_block(block, |i| without.get(first + i).copied())
        })
        .inspect(|codes| debug_assert_eq!(codes.len(), q.len() / dim.max(1)))
    }

    fn code_block(&self, q: &[F], without: impl Fn(usize) -> Option<usize>) -> Vec<Code<F>> {
        let dim = self.dictionary.dim();
        let mut codes = vec![Code::default(); q.len() / dim];
        let residuals = if self.keeps_gram {
            self.by_gram(q, without, &mut codes)
        } else {
            self.by_products(q, without, &mut codes)
        };
        let rows = q.chunks_exact(dim).zip(residuals.chunks_exact(dim));
        for (code, (q, r)) in codes.iter_mut().zip(rows) {
            code.residual = length(r);
            if self.settings.refine {
                *code = refine(&self.dictionary, q, std::mem::take(code));
            }
        }
        codes
    }

    /// One product for each step.
    fn by_products(
        &self,
        q: &[F],
        without: impl Fn(usize) -> Option<usize>,
        codes: &mut [Code<F>],
    ) -> Vec<F> {
        let d = &self.dictionary;
        let limits = (self.steps, self.settings.stop_at);
        pursue(d, q, limits, F::of(-2.0), |i, step, products, r| {
            let course = Course::at(self.lambda, step);
            if let Some(j) = without(i) {
                products[j] = F::infinity();
            }
            let j = simd::run(Closest { products, squares: d.squares(), scale: F::of(course.scale) });
            if products[j] == F::infinity() {
                return false;
            }
            codes[i].add(j, F::of(course.weight));
            subtract(r, F::of(course.weight), d.atom(j));
            true
        })
    }

    /// One product for the first step, the products of the atoms for all others.
    fn by_gram(&self, q: &[F], without: impl Fn(usize) -> Option<usize>, codes: &mut [Code<F>]) -> Vec<F> {
        let (d, m, dim) = (&self.dictionary, self.dictionary.len(), self.dictionary.dim());
        let gram = self.gram();
        let mut residuals = q.to_vec();
        let mut products = Vec::new();
        d.products(F::of(-2.0), q, &mut products);
        for (i, (r, p)) in residuals.chunks_exact_mut(dim).zip(products.chunks_exact_mut(m)).enumerate() {
            let goal = self.settings.stop_at * length(r);
            if let Some(j) = without(i) {
                p[j] = F::infinity();
            }
            let mut course = Course::at(self.lambda, 0);
            let mut j = simd::run(Closest { products: p, squares: d.squares(), scale: F::one() });
            for step in 1..=self.steps {
                if p[j] == F::infinity() {
                    break;
                }
                let weight = F::of(course.weight);
                codes[i].add(j, weight);
                subtract(r, weight, d.atom(j));
                if step == self.steps || (goal > 0.0 && length(r) <= goal) {
                    break;
                }
                course = course.next();
                let row = &gram[j * m..(j + 1) * m];
                let scale = F::of(course.scale);
                j = simd::run(Moved { products: p, row, by: weight + weight, squares: d.squares(), scale });
            }
        }
        residuals
    }

    /// The products of the atoms, computed at the first call.
    ///
    /// Not by `get_or_init`: its lock would be held while the products wait for the thread pool, whose threads may come here and
    /// wait for the lock. Two callers that come at once both compute, and one result is kept.
    fn gram(&self) -> &[F] {
        match self.gram.get() {
            Some(gram) => gram,
            None => {
                let gram = self.products_of_atoms();
                self.gram.get_or_init(|| gram)
            }
        }
    }

    /// `x_i·x_j` of all atoms: those on and above the diagonal by products, the others from them.
    fn products_of_atoms(&self) -> Vec<F> {
        let (x, m, dim) = (self.dictionary.atoms(), self.dictionary.len(), self.dictionary.dim());
        let mut gram = vec![F::zero(); m * m];
        let blocks = gram.par_chunks_mut(GRAM_ROWS * m).zip(x.par_chunks(GRAM_ROWS * dim)).enumerate();
        blocks.for_each(|(b, (out, block))| {
            let right = &x[b * GRAM_ROWS * dim..];
            gemm_into_last(
                Op::N(block, block.len() / dim, dim),
                Op::T(right, right.len() / dim, dim),
                out,
                m,
            );
        });
        mirror(&mut gram, m, 0);
        gram
    }
}

/// Copies what lies right of the diagonal to its place left of it, in rows of length `m` of which the first is row `first`.
fn mirror<F: Float>(rows: &mut [F], m: usize, first: usize) {
    let n = rows.len() / m;
    if n <= GRAM_ROWS {
        return;
    }
    // Halves at whole blocks: within one, both sides of the diagonal are there already.
    let half = (n / 2).div_ceil(GRAM_ROWS) * GRAM_ROWS;
    let (upper, lower) = rows.split_at_mut(half * m);
    // A few rows at once, so that what is read from a row above lies side by side.
    lower.par_chunks_mut(16 * m).enumerate().for_each(|(b, some)| {
        let column = first + half + 16 * b;
        for (k, above) in upper.chunks_exact(m).enumerate() {
            for (row, &v) in some.chunks_exact_mut(m).zip(&above[column..]) {
                row[first + k] = v;
            }
        }
    });
    join(|| mirror(upper, m, first), || mirror(lower, m, first + half));
}

impl<F: Float> Coder<F> for InnCoder<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn prepare(&self) {
        if self.keeps_gram {
            self.gram();
        }
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        self.code_block(q, |_| None)
    }
}

/// Position of the smallest `scale |x_j|² + p_j`, the first of several.
struct Closest<'a, F> {
    products: &'a [F],
    squares: &'a [F],
    scale: F,
}

impl<F: Float> Kernel for Closest<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        smallest_sum(self.products, self.squares, self.scale)
    }
}

/// `p_j += by · row_j`, then as [`Closest`].
struct Moved<'a, F> {
    products: &'a mut [F],
    row: &'a [F],
    by: F,
    squares: &'a [F],
    scale: F,
}

impl<F: Float> Kernel for Moved<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        for (p, &g) in self.products.iter_mut().zip(self.row) {
            *p += self.by * g;
        }
        smallest_sum(self.products, self.squares, self.scale)
    }
}

/// The row is gone through in pieces of 64 sums; only a piece that holds a new minimum is looked at again for its place.
#[inline(always)]
fn smallest_sum<F: Float>(products: &[F], squares: &[F], scale: F) -> usize {
    const PIECE: usize = 64;
    let mut best = (F::infinity(), 0);
    let mut sums = [F::zero(); PIECE];
    for (k, (p, s)) in products.chunks(PIECE).zip(squares.chunks(PIECE)).enumerate() {
        let sums = &mut sums[..p.len()];
        sums.iter_mut().zip(p.iter().zip(s)).for_each(|(v, (&p, &s))| *v = scale * s + p);
        let least = row_min(sums);
        if least < best.0 {
            best = (least, k * PIECE + sums.iter().position(|&v| v == least).unwrap_or(0));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::super::codes;
    use super::*;
    use crate::{normal_pair, rng};
    use ndarray::{Array2, ArrayView1, array};

    fn normal(n: usize, dim: usize, seed: u64) -> Array2<f64> {
        let mut rng = rng(seed, "inn");
        Array2::from_shape_fn((n, dim), |_| normal_pair(&mut rng)[0])
    }

    /// The loop of the paper, word for word; returns weights of all atoms and `q_K`.
    fn naive(q: ArrayView1<f64>, x: &Array2<f64>, k: usize, lambda: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut q, mut w) = (q.to_owned(), vec![0.0; x.nrows()]);
        for t in 1..=k {
            let distance = |j: usize| (&q - &x.row(j)).mapv(|v| v * v).sum();
            let j = (0..x.nrows()).fold(0, |b, j| if distance(j) < distance(b) { j } else { b });
            w[j] += lambda / (1.0 + lambda).powi(t as i32);
            q = &q + &((&q - &x.row(j)) * lambda);
        }
        (w, q.to_vec())
    }

    /// Both ways to the products, whatever the dictionary would choose.
    fn both(inn: &Inn, x: &Array2<f64>) -> [InnCoder<f64>; 2] {
        [true, false].map(|keeps_gram| {
            let coder = inn.over(Dictionary::new(x.view()).unwrap()).unwrap();
            InnCoder { keeps_gram, ..coder }
        })
    }

    /// Three blocks and a bit: what is above the diagonal is computed, what is below it copied.
    #[test]
    fn products_of_atoms_are_those_of_a_loop() {
        let (m, dim) = (3 * GRAM_ROWS + 5, 3);
        let x = Array2::from_shape_fn((m, dim), |(i, j)| ((7 * i + 3 * j) % 11) as f64 - 4.0);
        let coder = Inn::default().over(Dictionary::new(x.view()).unwrap()).unwrap();
        let gram = coder.products_of_atoms();
        let atoms = coder.dictionary.atoms();
        let dot = |i: usize, j: usize| (0..dim).map(|k| atoms[i * dim + k] * atoms[j * dim + k]).sum::<f64>();
        for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
            assert!((gram[i * m + j] - dot(i, j)).abs() < 1e-12, "{i}, {j}");
        }
    }

    #[test]
    fn codes_are_those_of_the_paper_and_their_identity_holds() {
        for (seed, (m, dim)) in [(1, 3), (5, 1), (40, 6), (300, 20)].into_iter().enumerate() {
            let (x, q) = (normal(m, dim, seed as u64), normal(9, dim, 100 + seed as u64));
            for lambda in [0.05, 0.25, 1.0, 50.0] {
                let inn = Inn { lambda, ..Inn::default() };
                let (k, _) = inn.steps_and_lambda();
                let shrunk = (1.0 + lambda).powi(-(k as i32));
                for coder in both(&inn, &x) {
                    for (code, q) in codes(&coder, q.view()).unwrap().iter().zip(q.rows()) {
                        let (w, last) = naive(q, &x, k, lambda);
                        let mut dense = vec![0.0; m];
                        code.atoms.iter().zip(&code.weights).for_each(|(&j, &v)| dense[j] = v);
                        assert!(dense.iter().zip(&w).all(|(a, b)| (a - b).abs() < 1e-12));
                        assert!((dense.iter().sum::<f64>() - (1.0 - shrunk)).abs() < 1e-12);
                        // q = Σ w x + (1+λ)^{−K} q_K, feature by feature.
                        for f in 0..dim {
                            let sum: f64 = (0..m).map(|j| dense[j] * x[[j, f]]).sum();
                            assert!((q[f] - sum - shrunk * last[f]).abs() < 1e-12);
                        }
                        let rest = last.iter().map(|v| v * v).sum::<f64>().sqrt() * shrunk;
                        assert!((code.residual - rest).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn steps_follow_from_lambda_and_lambda_from_steps() {
        for (lambda, k) in [(0.05, 62), (0.1, 32), (0.25, 14), (0.5, 8), (1.0, 5), (1e9, 1)] {
            assert_eq!(Inn { lambda, ..Inn::default() }.steps_and_lambda(), (k, lambda));
        }
        for k in [1, 5, 14, 62] {
            let (steps, lambda) = Inn { steps: Some(k), ..Inn::default() }.steps_and_lambda();
            // K steps of that λ reach β and no more.
            assert_eq!(steps, k);
            assert!(((1.0 + lambda).powi(-(k as i32)) - 0.05).abs() < 1e-12);
            assert_eq!(Inn { lambda, ..Inn::default() }.steps_and_lambda().0, k);
        }
    }

    #[test]
    fn a_huge_lambda_is_the_nearest_neighbour() {
        let (x, q) = (normal(50, 4, 1), normal(30, 4, 2));
        for coder in both(&Inn { lambda: 1e12, ..Inn::default() }, &x) {
            for (code, q) in codes(&coder, q.view()).unwrap().iter().zip(q.rows()) {
                let distance = |j: usize| (&q - &x.row(j)).mapv(|v| v * v).sum();
                let j = (0..50).fold(0, |b, j| if distance(j) < distance(b) { j } else { b });
                assert_eq!(code.atoms, [j]);
                assert!((code.weights[0] - 1.0).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn unkind_dictionaries_have_defined_codes() {
        // One atom, taken again and again; duplicates, of which the first counts; zeros.
        let one = Inn { steps: Some(7), ..Inn::default() };
        for coder in both(&one, &array![[3.0, 4.0]]) {
            let code = coder.code(&[3.0, 4.0]).remove(0);
            assert_eq!(code.atoms, [0]);
            assert!((code.weights[0] - 0.95).abs() < 1e-12 && (code.residual - 0.25).abs() < 1e-12);
            // Without its only atom a query has an empty code.
            let alone = coder.codes_without(array![[3.0, 4.0]].view(), &[0]).unwrap().remove(0);
            assert_eq!(alone, Code { atoms: vec![], weights: vec![], residual: 5.0 });
        }
        for coder in both(&Inn::default(), &array![[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]) {
            assert_eq!(coder.code(&[2.0, 2.0])[0].atoms, [0]);
            assert_eq!(coder.code(&[0.0, 0.0])[0].atoms, [2]);
            assert_eq!(coder.code(&[0.0, 0.0])[0].residual, 0.0);
        }
        let coder = Inn::default().over(Dictionary::new(array![[1.0, 1.0]].view()).unwrap()).unwrap();
        let error = codes(&coder, array![[1.0, 2.0, 3.0]].view()).unwrap_err().to_string();
        assert_eq!(error, "expected 2 features, as in the dictionary, found 3");
        assert!(Dictionary::new(Array2::<f32>::zeros((0, 3)).view()).is_err());
        assert!(Dictionary::new(array![[f32::NAN]].view()).is_err());
        let endless = Inn { lambda: 1e-12, ..Inn::default() }.over(coder.dictionary.clone()).unwrap_err();
        assert!(endless.to_string().ends_with("expected a number that reaches beta within 100000 steps"));
    }

    #[test]
    fn early_stops_leave_what_they_promise() {
        let (x, q) = (normal(200, 3, 4), normal(40, 3, 5));
        for coder in both(&Inn { lambda: 0.1, stop_at: 0.2, ..Inn::default() }, &x) {
            let early = codes(&coder, q.view()).unwrap();
            let full = codes(
                &Inn { lambda: 0.1, ..Inn::default() }.over(coder.dictionary.clone()).unwrap(),
                q.view(),
            );
            for ((code, full), q) in early.iter().zip(full.unwrap()).zip(q.rows()) {
                let size = q.dot(&q).sqrt();
                assert!(code.residual <= 0.2 * size || code.atoms == full.atoms);
                assert!(full.atoms.starts_with(&code.atoms));
            }
            assert!(early.iter().any(|c| c.residual > 0.06), "no query stopped early");
        }
    }
}
