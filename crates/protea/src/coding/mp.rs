//! MP: matching pursuit, a code that takes the most correlated atom again and again.
//!
//! # Code
//! ```text
//! r_0 = q;   j_t = argmax_j |r_{t−1}·x_j| / |x_j|,   c = r_{t−1}·x_{j_t} / |x_{j_t}|²,   w_{j_t} += c,   r_t = r_{t−1} − c x_{j_t}
//! ```
//! # Reference
//! Mallat, Zhang: "Matching Pursuits with Time-Frequency Dictionaries", IEEE Trans. Signal Processing 41, 1993.
//! # Departures
//! None; atoms need not have length 1.

use super::dictionary::{length, subtract};
use super::pursuit::{most_correlated, pursue};
use super::{Code, Coder, Dictionary, Pursuit};
use crate::{Float, Result};

/// Matching pursuit over a dictionary.
#[derive(Debug)]
pub(super) struct Mp<F> {
    settings: Pursuit,
    dictionary: Dictionary<F>,
}

impl<F: Float> Mp<F> {
    pub fn over(settings: &Pursuit, dictionary: Dictionary<F>) -> Result<Self> {
        settings.check()?;
        Ok(Mp { settings: settings.clone(), dictionary })
    }
}

impl<F: Float> Coder<F> for Mp<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        let (d, s) = (&self.dictionary, &self.settings);
        let mut codes = vec![Code::default(); q.len() / d.dim()];
        let residuals = pursue(d, q, (s.atoms, s.stop_at), F::one(), |i, _, products, r| {
            let Some(j) = most_correlated(products, d.squares(), &[]) else { return false };
            let c = products[j] / d.squares()[j];
            codes[i].add(j, c);
            subtract(r, c, d.atom(j));
            true
        });
        for (code, r) in codes.iter_mut().zip(residuals.chunks_exact(d.dim())) {
            code.residual = length(r);
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Atoms (1, 0) and (1, 1): q = (1, 2) is taken by the second, 1.5, then by the first, −0.5, then the second, 0.25.
    #[test]
    fn three_steps_by_hand() {
        let dictionary = Dictionary::new(array![[1.0, 0.0], [1.0, 1.0]].view()).unwrap();
        let code = |atoms| {
            Mp::over(&Pursuit { atoms, stop_at: 0.0 }, dictionary.clone())
                .unwrap()
                .code(&[1.0, 2.0])
                .remove(0)
        };
        assert_eq!(code(1), Code { atoms: vec![1], weights: vec![1.5], residual: 0.5f64.sqrt() });
        assert_eq!((code(3).atoms, code(3).weights), (vec![1, 0], vec![1.75, -0.5]));
    }

    #[test]
    fn nothing_is_taken_of_a_zero_query_or_from_zero_atoms() {
        let dictionary = Dictionary::new(array![[0.0, 0.0], [0.0, 2.0]].view()).unwrap();
        let mp = Mp::over(&Pursuit::default(), dictionary).unwrap();
        let codes = mp.code(&[0.0, 0.0, 3.0, 0.0, 3.0, 4.0]);
        assert!(codes[0].atoms.is_empty() && codes[0].residual == 0.0);
        assert!(codes[1].atoms.is_empty() && codes[1].residual == 3.0);
        assert_eq!(
            (&codes[2].atoms[..], &codes[2].weights[..], codes[2].residual),
            (&[1][..], &[2.0][..], 3.0)
        );
    }
}
