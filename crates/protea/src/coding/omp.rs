//! OMP: orthogonal matching pursuit, which fits all weights again after every new atom.
//!
//! # Code
//! ```text
//! j_t = argmax_{j ∉ S} |r_{t−1}·x_j| / |x_j|,   S ← S ∪ {j_t},   w_S = argmin |q − Σ_S w_j x_j|²,   r_t = q − Σ_S w_j x_j
//! ```
//! The least-squares problem is solved by the Cholesky factor of the support's Gram matrix, which grows by a row.
//! # Reference
//! Pati, Rezaiifar, Krishnaprasad: "Orthogonal Matching Pursuit", Asilomar Conference 1993.
//! # Departures
//! An atom that lies in the span of those before it ends the search: it could not lower the residual.

use super::dictionary::{dot, length, subtract};
use super::pursuit::{most_correlated, pursue};
use super::{Code, Coder, Dictionary, Pursuit};
use crate::{Float, Result};

/// Share of an atom's squared length that must lie outside the span of the others.
const INDEPENDENT: f64 = 1e-10;

/// Orthogonal matching pursuit over a dictionary.
#[derive(Debug)]
pub(super) struct Omp<F> {
    settings: Pursuit,
    dictionary: Dictionary<F>,
}

/// The support of one query.
#[derive(Clone, Default)]
struct Support {
    atoms: Vec<usize>,
    /// Rows of the lower Cholesky factor of the Gram matrix.
    factor: Vec<Vec<f64>>,
    /// `L⁻¹ X_S q`.
    y: Vec<f64>,
}

impl<F: Float> Omp<F> {
    pub fn over(settings: &Pursuit, dictionary: Dictionary<F>) -> Result<Self> {
        settings.check()?;
        Ok(Omp { settings: settings.clone(), dictionary })
    }
}

impl Support {
    /// Takes in atom `j`; `false` where it depends on the others.
    fn grow<F: Float>(&mut self, j: usize, q: &[F], d: &Dictionary<F>) -> bool {
        let mut row: Vec<f64> = Vec::with_capacity(self.atoms.len() + 1);
        for (i, other) in self.atoms.iter().zip(&self.factor) {
            let known: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.push((d.product(*i, j) - known) / other[row.len()]);
        }
        let square = d.product(j, j);
        let rest = square - row.iter().map(|v| v * v).sum::<f64>();
        if rest <= INDEPENDENT * square {
            return false;
        }
        let known: f64 = row.iter().zip(&self.y).map(|(a, b)| a * b).sum();
        row.push(rest.sqrt());
        self.y.push((dot(q, d.atom(j)) - known) / rest.sqrt());
        self.atoms.push(j);
        self.factor.push(row);
        true
    }

    /// `w = L⁻ᵀ y`.
    fn weights(&self) -> Vec<f64> {
        let mut w = self.y.clone();
        for i in (0..w.len()).rev() {
            let known: f64 = (i + 1..w.len()).map(|k| self.factor[k][i] * w[k]).sum();
            w[i] = (w[i] - known) / self.factor[i][i];
        }
        w
    }
}

impl<F: Float> Coder<F> for Omp<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        let (d, s) = (&self.dictionary, &self.settings);
        let dim = d.dim();
        let mut supports = vec![Support::default(); q.len() / dim];
        let residuals = pursue(d, q, (s.atoms, s.stop_at), F::one(), |i, _, products, r| {
            let (support, q) = (&mut supports[i], &q[i * dim..(i + 1) * dim]);
            let Some(j) = most_correlated(products, d.squares(), &support.atoms) else { return false };
            if !support.grow(j, q, d) {
                return false;
            }
            r.copy_from_slice(q);
            support.atoms.iter().zip(support.weights()).for_each(|(&j, w)| subtract(r, F::of(w), d.atom(j)));
            true
        });
        let codes = supports.into_iter().zip(residuals.chunks_exact(dim));
        codes
            .map(|(support, r)| Code {
                weights: support.weights().into_iter().map(F::of).collect(),
                atoms: support.atoms,
                residual: length(r),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_residual_is_orthogonal_to_the_support() {
        let x = array![[1.0, 0.2, 0.0], [0.9, 0.3, 0.1], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0], [1.0, 0.2, 0.0]];
        let q = [1.0, -0.7, 0.4];
        let d = Dictionary::new(x.view()).unwrap();
        let code = Omp::over(&Pursuit { atoms: 2, stop_at: 0.0 }, d.clone()).unwrap().code(&q).remove(0);
        let mut r = q;
        code.atoms.iter().zip(&code.weights).for_each(|(&j, &w)| subtract(&mut r, w, d.atom(j)));
        assert!(code.atoms.iter().all(|&j| dot(&r, d.atom(j)).abs() < 1e-12) && code.atoms.len() == 2);
        assert!((length(&r) - code.residual).abs() < 1e-12);
        // Three independent atoms leave nothing; a fourth and a duplicate are not taken.
        let all = Omp::over(&Pursuit { atoms: 9, stop_at: 0.0 }, d).unwrap().code(&q).remove(0);
        assert!(all.atoms.len() == 3 && all.residual < 1e-12, "{all:?}");
    }
}
