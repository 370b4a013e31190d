//! From a row of distances to a class.

use crate::Float;
use crate::objective::softmin;
use crate::settings::SettingValue;

/// How a model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The class with most votes among the k nearest prototypes; of tied classes the one of the nearest prototype.
    Nearest(usize),
    /// The most probable class under the soft rule.
    Soft,
}

impl SettingValue for Rule {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix("-np") {
            Some(k) => k.parse().ok().filter(|&k| k > 0).map(Rule::Nearest),
            None => (text == "soft").then_some(Rule::Soft),
        }
    }

    fn show(&self) -> String {
        match self {
            Rule::Nearest(k) => format!("{k}-np"),
            Rule::Soft => "soft".into(),
        }
    }
}

impl Rule {
    /// Class for one row of distances.
    pub(crate) fn decide<F: Float>(self, d: &[F], labels: &[usize], n_classes: usize, gamma: F) -> usize {
        match self {
            Rule::Nearest(k) => {
                let nearest = smallest(d, k);
                let mut votes = vec![0usize; n_classes];
                nearest.iter().for_each(|&j| votes[labels[j]] += 1);
                let most = votes.iter().copied().max().unwrap_or(0);
                // Nearest first, so the first class with most votes is that of the nearest tied prototype.
                nearest.iter().map(|&j| labels[j]).find(|&c| votes[c] == most).unwrap_or(0)
            }
            Rule::Soft => {
                let q = probabilities(d, labels, n_classes, gamma);
                (0..q.len()).fold(0, |best, c| if q[c] > q[best] { c } else { best })
            }
        }
    }
}

/// Indices of the `k` smallest distances, smallest first, ties to the lowest index.
pub(crate) fn smallest<F: Float>(d: &[F], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..d.len()).collect();
    let by = |a: &usize, b: &usize| d[*a].f64().total_cmp(&d[*b].f64()).then(a.cmp(b));
    if k < order.len() {
        order.select_nth_unstable_by(k, by);
        order.truncate(k);
    }
    order.sort_unstable_by(by);
    order
}

/// `q_c`, the share of class `c` in the soft minimum of a row; sums to 1.
pub(crate) fn probabilities<F: Float>(d: &[F], labels: &[usize], n_classes: usize, gamma: F) -> Vec<f64> {
    let mut w = vec![F::zero(); d.len()];
    softmin(d, gamma, &mut w);
    let mut q = vec![0.0; n_classes];
    labels.iter().zip(&w).for_each(|(&c, w)| q[c] += w.f64());
    let total: f64 = q.iter().sum();
    q.into_iter().map(|q| q / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_count_and_ties_go_to_the_nearest() {
        let labels = [0, 0, 1, 1, 2];
        let d = [0.3, 0.9, 0.2, 0.4, 0.1];
        assert_eq!(Rule::Nearest(1).decide(&d, &labels, 3, 1.0), 2);
        // 2, 1, 0: one vote each, the nearest decides.
        assert_eq!(Rule::Nearest(3).decide(&d, &labels, 3, 1.0), 2);
        // 2, 1, 0, 1: class 1 has two votes.
        assert_eq!(Rule::Nearest(4).decide(&d, &labels, 3, 1.0), 1);
        // 2, 1, 0, 1, 0: classes 0 and 1 tie, class 1 is nearer.
        assert_eq!(Rule::Nearest(9).decide(&d, &labels, 3, 1.0), 1);
    }

    #[test]
    fn the_soft_rule_has_the_limits_of_the_paper() {
        let labels = [0, 1, 1, 1];
        let d = [1.0, 1.2, 1.3, 1.4];
        // γ → ∞: the nearest prototype. γ → 0: shares of the prototypes, not of the samples.
        assert_eq!(probabilities(&d, &labels, 3, 1e9), [1.0, 0.0, 0.0]);
        let q = probabilities(&d, &labels, 3, 1e-12);
        assert!((q[0] - 0.25).abs() < 1e-9 && (q[1] - 0.75).abs() < 1e-9 && q[2] == 0.0);
        assert_eq!(Rule::Soft.decide(&d, &labels, 3, 1e9), 0);
        assert_eq!(Rule::Soft.decide(&d, &labels, 3, 1e-12), 1);
    }

    #[test]
    fn rules_parse() {
        assert_eq!(Rule::parse("3-np"), Some(Rule::Nearest(3)));
        assert_eq!(Rule::parse("soft").unwrap().show(), "soft");
        assert!(Rule::parse("0-np").is_none() && Rule::parse("np").is_none());
    }
}
