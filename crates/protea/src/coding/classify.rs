//! From codes to classes.
//!
//! | rule | evidence for class `c` |
//! |---|---|
//! | `weights` | `Σ w_j` over its atoms |
//! | `residual` | `−|q − Σ w_j x_j| / |q|` over its atoms |
//! | the same for `crc` | that, divided by the length of its weights |
//!
//! The largest evidence decides; of equal sums the class that was taken first. Probabilities are a soft-max of the evidence at a
//! calibrated temperature.

use super::dictionary::{length, subtract};
use super::{Code, Dictionary, naive_bayes};
use crate::Float;
use crate::kernel::{Op, gemm};
use crate::settings::SettingValue;

/// How weights become a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeRule {
    /// The largest sum of weights.
    Weights,
    /// The smallest residual of the class's own atoms.
    Residual,
    /// The smallest residual over the length of the weights; what `residual` means for dense codes.
    Ratio,
}

impl SettingValue for CodeRule {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "weights" => Some(CodeRule::Weights),
            "residual" => Some(CodeRule::Residual),
            _ => None,
        }
    }

    fn show(&self) -> String {
        if *self == CodeRule::Weights { "weights".into() } else { "residual".into() }
    }

    fn choices() -> Vec<&'static str> {
        vec!["weights", "residual"]
    }
}

/// Share of the atoms with weights above which residuals of classes come from matrix products.
const DENSE: usize = 16;

/// Evidence for each class, for each query of a block.
pub(crate) fn evidence<F: Float>(
    by: CodeRule,
    q: &[F],
    codes: &[Code<F>],
    dictionary: &Dictionary<F>,
    labels: &[usize],
    n_classes: usize,
) -> Vec<Vec<f64>> {
    if by == CodeRule::Weights {
        let sums = |code| naive_bayes(std::slice::from_ref(code), labels, n_classes);
        return codes.iter().map(sums).collect();
    }
    let entries: usize = codes.iter().map(|c| c.atoms.len()).sum();
    let residuals = if DENSE * entries > codes.len() * dictionary.len() {
        dense_residuals(q, codes, dictionary, labels, n_classes)
    } else {
        sparse_residuals(q, codes, dictionary, labels, n_classes)
    };
    let rows = residuals.into_iter().zip(codes).zip(q.chunks_exact(dictionary.dim()));
    rows.map(|((mut row, code), q)| {
        let size = length(q).max(f64::MIN_POSITIVE);
        row.iter_mut().for_each(|r| *r = -*r / size);
        if by == CodeRule::Ratio {
            let mut squares = vec![0.0; n_classes];
            code.atoms.iter().zip(&code.weights).for_each(|(&j, w)| squares[labels[j]] += w.f64() * w.f64());
            row.iter_mut().zip(squares).for_each(|(e, s)| *e /= s.sqrt().max(1e-30));
        }
        row
    })
    .collect()
}

/// Length of what the atoms of each class leave of each query.
fn sparse_residuals<F: Float>(
    q: &[F],
    codes: &[Code<F>],
    dictionary: &Dictionary<F>,
    labels: &[usize],
    n_classes: usize,
) -> Vec<Vec<f64>> {
    let dim = dictionary.dim();
    let mut left = vec![F::zero(); n_classes * dim];
    let mut row = |(code, q): (&Code<F>, &[F])| {
        left.chunks_exact_mut(dim).for_each(|r| r.copy_from_slice(q));
        for (&j, &w) in code.atoms.iter().zip(&code.weights) {
            subtract(&mut left[labels[j] * dim..(labels[j] + 1) * dim], w, dictionary.atom(j));
        }
        left.chunks_exact(dim).map(length).collect()
    };
    codes.iter().zip(q.chunks_exact(dim)).map(&mut row).collect()
}

/// The same by one product for each class.
fn dense_residuals<F: Float>(
    q: &[F],
    codes: &[Code<F>],
    dictionary: &Dictionary<F>,
    labels: &[usize],
    n_classes: usize,
) -> Vec<Vec<f64>> {
    let (n, dim) = (codes.len(), dictionary.dim());
    // Place of each atom among those of its class.
    let mut counts = vec![0usize; n_classes];
    let mut place = |c: usize| {
        counts[c] += 1;
        counts[c] - 1
    };
    let places: Vec<usize> = labels.iter().map(|&c| place(c)).collect();
    let mut atoms: Vec<Vec<F>> = counts.iter().map(|k| Vec::with_capacity(k * dim)).collect();
    labels.iter().enumerate().for_each(|(j, &c)| atoms[c].extend_from_slice(dictionary.atom(j)));
    let mut weights: Vec<Vec<F>> = counts.iter().map(|k| vec![F::zero(); n * k]).collect();
    for (i, code) in codes.iter().enumerate() {
        for (&j, &w) in code.atoms.iter().zip(&code.weights) {
            let c = labels[j];
            weights[c][i * counts[c] + places[j]] = w;
        }
    }
    let mut rows = vec![vec![0.0; n_classes]; n];
    for c in 0..n_classes {
        let mut left = q.to_vec();
        if counts[c] > 0 {
            gemm(
                -F::one(),
                Op::N(&weights[c], n, counts[c]),
                Op::N(&atoms[c], counts[c], dim),
                &mut left,
                true,
            );
        }
        rows.iter_mut().zip(left.chunks_exact(dim)).for_each(|(row, r)| row[c] = length(r));
    }
    rows
}

/// Class with the largest evidence; ties go to the class whose atoms were taken first, then to the lowest index.
pub(crate) fn decide<F>(evidence: &[f64], code: &Code<F>, labels: &[usize]) -> usize {
    let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let taken = code.atoms.iter().map(|&j| labels[j]).find(|&c| evidence[c] == most);
    taken.or_else(|| evidence.iter().position(|&e| e == most)).unwrap_or(0)
}

/// Soft-max of the evidence at inverse temperature γ.
pub(crate) fn probabilities(evidence: &[f64], gamma: f64) -> Vec<f64> {
    let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = evidence.iter().map(|e| (gamma * (e - most)).exp()).collect();
    let total: f64 = shares.iter().sum();
    shares.into_iter().map(|s| s / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// q = (1, 1), atoms (1, 0) of class 1 and (0, 1) of class 0, weights ½ and ½: sums tie, residuals too, class 1 came first.
    #[test]
    fn evidence_by_hand() {
        let d = Dictionary::new(array![[1.0, 0.0], [0.0, 1.0]].view()).unwrap();
        let (q, labels) = ([1.0, 1.0], [1, 0]);
        let code = Code { atoms: vec![0, 1], weights: vec![0.5, 0.5], residual: 0.5f64.sqrt() };
        let of = |by| evidence(by, &q, std::slice::from_ref(&code), &d, &labels, 3).remove(0);
        assert_eq!(of(CodeRule::Weights), [0.5, 0.5, 0.0]);
        let r = -(1.25f64).sqrt() / 2f64.sqrt();
        assert!(of(CodeRule::Residual).iter().zip([r, r, -1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(of(CodeRule::Ratio).iter().zip([2.0 * r, 2.0 * r]).all(|(a, b)| (a - b).abs() < 1e-12));
        // A class without weights cannot win by the ratio.
        assert!(of(CodeRule::Ratio)[2] < -1e20);
        assert_eq!(decide(&of(CodeRule::Weights), &code, &labels), 1);
        assert_eq!(decide(&[0.0, 0.0], &Code::<f64>::default(), &[]), 0);
    }

    #[test]
    fn products_and_loops_give_the_same_residuals() {
        let x = ndarray::Array2::from_shape_fn((7, 3), |(i, j)| ((i * 5 + j * 3) % 7) as f64 - 3.0);
        let d = Dictionary::new(x.view()).unwrap();
        let labels = [0, 2, 0, 2, 2, 0, 0];
        let q: Vec<f64> = (0..6).map(|v| v as f64).collect();
        let code = |k: usize| Code { atoms: vec![k, 6, 3], weights: vec![0.5, -0.25, 2.0], residual: 0.0 };
        let codes = [code(0), code(4)];
        let a = sparse_residuals(&q, &codes, &d, &labels, 3);
        let b = dense_residuals(&q, &codes, &d, &labels, 3);
        assert!(a.concat().iter().zip(b.concat()).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn probabilities_stay_finite() {
        let q = probabilities(&[-1e30, -2.0, -2.0], 3.0);
        assert!(q[0] == 0.0 && (q[1] - 0.5).abs() < 1e-12);
    }
}
