//! Whether two classifiers differ on the same samples by more than chance.
//!
//! # Test
//! Of the `n = b + c` samples that exactly one of them decides rightly, `b` are the first one's. If both were equally good, `b`
//! would be the number of heads of `n` fair coins, so
//! ```text
//! p = min(1, 2 Σ_{i ≤ min(b, c)} C(n, i) 2⁻ⁿ)
//! ```
//! # Reference
//! McNemar: Note on the Sampling Error of the Difference between Correlated Proportions, Psychometrika 12, 1947.
//! # Departures
//! The exact binomial sum in place of the χ² approximation.

use serde::Serialize;

/// Result of McNemar's test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemar {
    /// Samples that only the first decides rightly.
    pub only_first: usize,
    /// Samples that only the second decides rightly.
    pub only_second: usize,
    /// Probability of a difference at least as large between equally good classifiers.
    pub p: f64,
}

/// Compares which samples two classifiers decided rightly.
///
/// ```
/// let test = protea::eval::mcnemar(&[true, true, true, false], &[false, false, true, false]);
/// assert_eq!((test.only_first, test.only_second, test.p), (2, 0, 0.5));
/// ```
pub fn mcnemar(first: &[bool], second: &[bool]) -> McNemar {
    let count = |a: bool| first.iter().zip(second).filter(|&(&f, &s)| f == a && s != a).count();
    let (b, c) = (count(true), count(false));
    McNemar { only_first: b, only_second: c, p: two_sided(b.min(c), b + c) }
}

/// `min(1, 2 Σ_{i ≤ k} C(n, i) 2⁻ⁿ)`, in logarithms, for `n` may be large.
fn two_sided(k: usize, n: usize) -> f64 {
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for i in 0..=k {
        sum += term.exp();
        term += ((n - i) as f64 / (i + 1) as f64).ln();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_coins() {
        // 1 head or fewer of 5: (1 + 5) / 32, twice.
        assert!((two_sided(1, 5) - 12.0 / 32.0).abs() < 1e-12);
        assert_eq!((two_sided(0, 0), two_sided(3, 6)), (1.0, 1.0));
        // scipy.stats.binomtest(40, 100).pvalue
        assert!((two_sided(40, 100) - 0.056_887_933_640_980_89).abs() < 1e-9);
        assert!(two_sided(4000, 10_000) < 1e-80 && two_sided(5000, 10_000) == 1.0);
    }
}
