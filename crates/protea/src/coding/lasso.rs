//! SRC: a sum of few atoms because the absolute values of the weights are penalised.
//!
//! # Problem
//! ```text
//! min P(w) = ½ |q − Σ_j w_j x_j|² + α Σ_j |w_j|,       α = l1 · max_j |q·x_j|
//! ```
//! At `l1 = 1` all weights are zero, so `l1` has no unit. With the residual `r` and `θ = r min(1, α / max_j |r·x_j|)` the minimum is at
//! least `D = ½|q|² − ½|q − θ|²`: the search ends where `P − D` is at most `gap` of `½|q|²`.
//!
//! # Solver
//! Each query has a working set of atoms. A pass takes the products of the residuals with all atoms (one matrix product for a
//! block of queries), looks at the gap, adds the atoms with the largest `|r·x_j| > α` to the working sets, and minimises over
//! them by coordinate descent on their Gram matrix. A few sweeps find the signs; then the minimum under these signs is a linear
//! system, and the weights go there, or up to where the first of them becomes zero.
//!
//! # Reference
//! Wright, Yang, Ganesh, Sastry, Ma: "Robust Face Recognition via Sparse Representation", IEEE Trans. Pattern Analysis and
//! Machine Intelligence 31, 2009. scikit-learn's `Lasso` has the same minimum at its `alpha = α / dim`.
//!
//! # Departures
//! The penalised form takes the place of the constrained one, and the classes' residuals that of its error term.

use super::dictionary::{dot, length, subtract};
use super::{Code, Coder, Dictionary};
use crate::kernel::solve;
use crate::settings::settings;
use crate::{Float, Result};
use ndarray::Array2;

settings! {
    /// Sparse representation by an ℓ1 penalty.
    pub struct Src {
        /// Lasso (ℓ1) penalty, as a share of the smallest penalty that makes all weights zero.
        l1("l1"): f64 = 0.1, |v| *v > 0.0 && *v <= 1.0, "a share above 0";
        /// Duality gap that ends the search, as a share of half the query's squared length.
        gap("gap"): f64 = 1e-4, |v| *v > 0.0 && *v < 1.0, "a share between 0 and 1";
    }
}

/// Passes over all atoms, at most: rounding may keep the gap from closing.
const MOST_PASSES: usize = 100;
/// Sweeps between two jumps to the minimum under the signs as they are, and rounds of both, at most.
const SWEEPS: usize = 10;
const MOST_ROUNDS: usize = 50;
/// Fewest atoms that one pass adds, if so many are left.
const LEAST_ADDED: usize = 10;

/// The coder over a dictionary.
#[derive(Debug)]
struct SrcCoder<F> {
    settings: Src,
    dictionary: Dictionary<F>,
}

impl Src {
    /// The coder over a dictionary.
    pub fn over<F: Float>(&self, dictionary: Dictionary<F>) -> Result<impl Coder<F> + use<F>> {
        self.check()?;
        Ok(SrcCoder { settings: self.clone(), dictionary })
    }
}

/// One query on its way to the minimum.
struct Search<F> {
    alpha: f64,
    /// Working set.
    atoms: Vec<usize>,
    w: Vec<f64>,
    /// Rows of the working set's Gram matrix.
    gram: Vec<Vec<f64>>,
    /// Products of the residual with the working set.
    c: Vec<f64>,
    r: Vec<F>,
    /// Largest change of a weight, in units of length, that ends the descent over the working set.
    fine: f64,
    done: bool,
}

impl<F: Float> Search<F> {
    fn new(q: &[F], gap: f64) -> Self {
        let fine = 0.1 * gap * length(q);
        Search {
            alpha: 0.0,
            atoms: vec![],
            w: vec![],
            gram: vec![],
            c: vec![],
            r: q.to_vec(),
            fine,
            done: false,
        }
    }

    /// Looks at the products of the residual with all atoms: ends the search, or goes on with more atoms.
    fn pass(&mut self, q: &[F], products: &[F], s: &Src, d: &Dictionary<F>) {
        let largest = products.iter().fold(0.0, |m: f64, p| m.max(p.f64().abs()));
        if self.alpha == 0.0 {
            self.alpha = s.l1 * largest;
        }
        let qq = dot(q, q);
        if largest == 0.0 || self.gap(q, largest) <= s.gap * 0.5 * qq {
            self.done = true;
            return;
        }
        if self.grow(q, products, d) == 0 {
            self.fine *= 0.1;
        }
        self.descend();
        self.r.copy_from_slice(q);
        self.atoms.iter().zip(&self.w).for_each(|(&j, &w)| subtract(&mut self.r, F::of(w), d.atom(j)));
    }

    /// `P − D`, with the largest product of the residual.
    fn gap(&self, q: &[F], largest: f64) -> f64 {
        let shrink = (self.alpha / largest).min(1.0);
        let (rr, qr) = (dot(&self.r, &self.r), dot(q, &self.r));
        let primal = 0.5 * rr + self.alpha * self.w.iter().map(|w| w.abs()).sum::<f64>();
        // ½|q|² − ½|q − θ|² with θ = shrink · r.
        primal - (shrink * qr - 0.5 * shrink * shrink * rr)
    }

    /// Adds the atoms that violate optimality most; returns how many.
    fn grow(&mut self, q: &[F], products: &[F], d: &Dictionary<F>) -> usize {
        let size = |j: usize| products[j].f64().abs();
        let mut found: Vec<usize> = (0..products.len()).filter(|&j| size(j) > self.alpha).collect();
        found.retain(|j| !self.atoms.contains(j));
        let most = self.atoms.len().max(LEAST_ADDED);
        if found.len() > most {
            found.select_nth_unstable_by(most, |&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
            found.truncate(most);
        }
        found.sort_unstable();
        for &j in &found {
            let row: Vec<f64> = self.atoms.iter().map(|&i| d.product(i, j)).collect();
            self.gram.iter_mut().zip(&row).for_each(|(r, &v)| r.push(v));
            self.gram.push(row);
            self.gram.last_mut().expect("just added").push(d.product(j, j));
            self.atoms.push(j);
            self.w.push(0.0);
        }
        // Fresh products, so that rounding does not add up from pass to pass.
        self.c = self.atoms.iter().map(|&j| dot(q, d.atom(j))).collect();
        for (row, &w) in self.gram.iter().zip(&self.w).filter(|(_, w)| **w != 0.0) {
            self.c.iter_mut().zip(row).for_each(|(c, g)| *c -= w * g);
        }
        found.len()
    }

    /// Minimises over the working set.
    fn descend(&mut self) {
        for _ in 0..MOST_ROUNDS {
            if (0..SWEEPS).any(|_| self.sweep() <= self.fine) {
                return;
            }
            self.jump();
        }
    }

    /// Each weight to its minimum, one after the other; returns the largest change, in units of length.
    fn sweep(&mut self) -> f64 {
        let mut moved: f64 = 0.0;
        for j in 0..self.w.len() {
            let square = self.gram[j][j];
            let pull = self.c[j] + square * self.w[j];
            let new = pull.signum() * (pull.abs() - self.alpha).max(0.0) / square;
            moved = moved.max((new - self.w[j]).abs() * square.sqrt());
            self.set(j, new);
        }
        moved
    }

    fn set(&mut self, j: usize, new: f64) {
        let step = new - self.w[j];
        if step != 0.0 {
            self.w[j] = new;
            self.c.iter_mut().zip(&self.gram[j]).for_each(|(c, g)| *c -= step * g);
        }
    }

    /// Towards the minimum under the signs as they are, up to where the first sign would change. Dependent atoms have no such
    /// minimum, and are left to the sweeps.
    fn jump(&mut self) {
        let support: Vec<usize> = (0..self.w.len()).filter(|&j| self.w[j] != 0.0).collect();
        let k = support.len();
        let gram = Array2::from_shape_fn((k, k), |(a, b)| self.gram[support[a]][support[b]]);
        let pull = |a: usize| self.c[support[a]] - self.alpha * self.w[support[a]].signum();
        let Ok(step) = solve(&gram, &Array2::from_shape_fn((k, 1), |(a, _)| pull(a))) else { return };
        let reach = |a: usize| {
            let (w, step) = (self.w[support[a]], step[[a, 0]]);
            if w * (w + step) < 0.0 { -w / step } else { 1.0 }
        };
        let first = (0..k).map(reach).fold(1.0, f64::min);
        let reached: Vec<bool> = (0..k).map(|a| first < 1.0 && reach(a) == first).collect();
        for a in 0..k {
            let j = support[a];
            self.set(j, if reached[a] { 0.0 } else { self.w[j] + first * step[[a, 0]] });
        }
    }
}

impl<F: Float> Coder<F> for SrcCoder<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        let (d, dim) = (&self.dictionary, self.dictionary.dim());
        let mut searches: Vec<Search<F>> =
            q.chunks_exact(dim).map(|q| Search::new(q, self.settings.gap)).collect();
        let (mut left, mut products) = (Vec::new(), Vec::new());
        for _ in 0..MOST_PASSES {
            left.clear();
            searches.iter().filter(|s| !s.done).for_each(|s| left.extend_from_slice(&s.r));
            if left.is_empty() {
                break;
            }
            d.products(F::one(), &left, &mut products);
            let going = searches.iter_mut().zip(q.chunks_exact(dim)).filter(|(s, _)| !s.done);
            for ((search, q), products) in going.zip(products.chunks_exact(d.len())) {
                search.pass(q, products, &self.settings, d);
            }
        }
        let code = |s: Search<F>| {
            let weights = s.w.iter().map(|&w| F::of(w)).collect();
            Code { atoms: s.atoms, weights, residual: length(&s.r) }.without_zeros()
        };
        searches.into_iter().map(code).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{normal_pair, rng};
    use ndarray::array;

    /// For orthogonal atoms the minimum is a soft threshold: q = (3, −2, 0.1), α = 0.3 · 3.
    #[test]
    fn orthogonal_atoms_have_thresholded_weights() {
        let d = Dictionary::new(Array2::eye(3).view()).unwrap();
        let code = Src { l1: 0.3, gap: 1e-12 }.over(d).unwrap().code(&[3.0, -2.0, 0.1]).remove(0);
        assert_eq!(code.atoms, [0, 1]);
        assert!((code.weights[0] - 2.1_f64).abs() < 1e-9 && (code.weights[1] + 1.1).abs() < 1e-9);
        assert!((code.residual - (0.81f64 + 0.81 + 0.01).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn optimality_holds_on_random_problems_and_with_duplicates() {
        let mut rng = rng(1, "lasso");
        let mut x = Array2::from_shape_fn((60, 12), |_| normal_pair(&mut rng)[0]);
        let twin = x.row(3).to_owned();
        x.row_mut(40).assign(&twin);
        let q: Vec<f64> = (0..5 * 12).map(|_| normal_pair(&mut rng)[0]).collect();
        let d = Dictionary::new(x.view()).unwrap();
        for l1 in [0.01, 0.1, 0.5] {
            let coder = Src { l1, gap: 1e-10 }.over(d.clone()).unwrap();
            for (code, q) in coder.code(&q).iter().zip(q.chunks(12)) {
                let product = |v: &[f64], j: usize| dot(v, d.atom(j));
                let alpha = l1 * (0..60).map(|j| product(q, j).abs()).fold(0.0, f64::max);
                let mut r = q.to_vec();
                code.atoms.iter().zip(&code.weights).for_each(|(&j, &w)| subtract(&mut r, w, d.atom(j)));
                assert!((0..60).all(|j| product(&r, j).abs() < alpha * 1.001));
                for (&j, w) in code.atoms.iter().zip(&code.weights) {
                    assert!((product(&r, j) - alpha * w.signum()).abs() < 1e-3 * alpha);
                }
            }
        }
    }

    #[test]
    fn zero_queries_and_zero_atoms_take_nothing() {
        let d = Dictionary::new(array![[0.0, 0.0], [1.0, 0.0]].view()).unwrap();
        let coder = Src::default().over(d).unwrap();
        let codes = coder.code(&[0.0, 0.0, 0.0, 5.0, 1.0, 0.0]);
        assert!(codes[0].atoms.is_empty() && codes[1].atoms.is_empty() && codes[2].atoms == [1]);
    }
}
