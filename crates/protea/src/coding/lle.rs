//! LLE: weights that rebuild a query from its nearest atoms and do not change when everything is moved or scaled.
//!
//! # Code
//! With the `k` nearest atoms and `G_ab = (q − x_a)·(q − x_b)`,
//! ```text
//! (G + ρ tr(G) I) w = 1,   then w ← w / Σ w
//! ```
//! # Reference
//! Roweis, Saul: "Nonlinear Dimensionality Reduction by Locally Linear Embedding", Science 290, 2000.
//! # Departures
//! ρ is relative to the trace, as in scikit-learn; where the trace is 0, so that all atoms lie on the query, it is ρ itself.

use super::dictionary::{dot, length, subtract};
use super::{Code, Coder, Dictionary};
use crate::kernel::{k_smallest, solve};
use crate::settings::settings;
use crate::{Float, Result};
use ndarray::Array2;

settings! {
    /// Weights of locally linear embedding.
    pub struct Lle {
        /// Nearest training samples in a code.
        neighbours("neighbours"): usize = 10, |v| *v > 0, "a number ≥ 1";
        /// Regularisation added to the diagonal of the Gram matrix, as a share of its trace.
        regularisation("regularisation"): f64 = 1e-3, |v| *v > 0.0 && v.is_finite(), "a number > 0";
    }
}

/// Weights of locally linear embedding over a dictionary.
#[derive(Debug)]
struct LleCoder<F> {
    settings: Lle,
    dictionary: Dictionary<F>,
}

impl Lle {
    /// The coder over a dictionary.
    pub fn over<F: Float>(&self, dictionary: Dictionary<F>) -> Result<impl Coder<F> + use<F>> {
        self.check()?;
        Ok(LleCoder { settings: self.clone(), dictionary })
    }
}

impl<F: Float> Coder<F> for LleCoder<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        let d = &self.dictionary;
        let mut products = Vec::new();
        d.products(F::of(-2.0), q, &mut products);
        let rows = q.chunks_exact(d.dim()).zip(products.chunks_exact_mut(d.len()));
        rows.map(|(q, p)| {
            p.iter_mut().zip(d.squares()).for_each(|(p, &s)| *p += s);
            let atoms = k_smallest(p, self.settings.neighbours);
            let weights = self.weights(q, &atoms);
            let mut r = q.to_vec();
            atoms.iter().zip(&weights).for_each(|(&j, &w)| subtract(&mut r, w, d.atom(j)));
            Code { atoms, weights, residual: length(&r) }
        })
        .collect()
    }
}

impl<F: Float> LleCoder<F> {
    fn weights(&self, q: &[F], atoms: &[usize]) -> Vec<F> {
        let k = atoms.len();
        let from: Vec<Vec<f64>> = atoms
            .iter()
            .map(|&j| q.iter().zip(self.dictionary.atom(j)).map(|(a, b)| a.f64() - b.f64()).collect())
            .collect();
        let mut gram = Array2::from_shape_fn((k, k), |(a, b)| dot(&from[a], &from[b]));
        let trace: f64 = gram.diag().sum();
        let ridge = self.settings.regularisation * if trace > 0.0 { trace } else { 1.0 };
        gram.diag_mut().mapv_inplace(|v| v + ridge);
        // The matrix is positive definite by its ridge.
        let w = solve(&gram, &Array2::ones((k, 1))).unwrap_or_else(|_| Array2::ones((k, 1)));
        let sum = w.sum();
        w.iter().map(|v| F::of(v / sum)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Half-way between two atoms both weigh ½; on an atom it alone counts; more neighbours than atoms are all of them.
    #[test]
    fn weights_by_hand() {
        let coder = |neighbours| {
            let d = Dictionary::new(array![[0.0, 0.0], [2.0, 0.0], [9.0, 9.0]].view()).unwrap();
            Lle { neighbours, ..Lle::default() }.over(d).unwrap()
        };
        let code = coder(2).code(&[1.0, 0.0]).remove(0);
        assert_eq!(code.atoms, [0, 1]);
        assert!(code.weights.iter().all(|w: &f64| (w - 0.5).abs() < 1e-12) && code.residual < 1e-12);
        let code = coder(99).code(&[2.0, 0.0]).remove(0);
        assert!(code.atoms.len() == 3 && code.atoms[0] == 1 && code.weights[0] > 0.9);
    }
}
