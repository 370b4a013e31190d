//! The rule by which a class is found.

use super::Labels;
use crate::Float;
use crate::kernel::k_smallest;
use crate::settings::SettingValue;

/// How a model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The class with most votes among the k nearest prototypes; of tied classes the one of the nearest prototype.
    Nearest(usize),
    /// The most probable class.
    Soft,
    /// The class with the largest score, for methods that learn scores behind the prototypes.
    Scores,
    /// The class with most of a sample's code over the prototypes, for methods that code.
    Code,
}

impl SettingValue for Rule {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix("-np") {
            Some(k) => k.parse().ok().filter(|&k| k > 0).map(Rule::Nearest),
            None => [Rule::Soft, Rule::Scores, Rule::Code].into_iter().find(|rule| rule.show() == text),
        }
    }

    fn show(&self) -> String {
        match self {
            Rule::Nearest(k) => format!("{k}-np"),
            Rule::Soft => "soft".into(),
            Rule::Scores => "scores".into(),
            Rule::Code => "code".into(),
        }
    }
}

/// The class with most votes among the `k` nearest prototypes; of tied classes the one of the nearest prototype.
pub(super) fn vote<F: Float>(d: &[F], labels: Labels, k: usize) -> usize {
    let nearest = k_smallest(d, k);
    let mut votes = vec![0usize; labels.classes];
    nearest.iter().for_each(|&j| votes[labels.of[j]] += 1);
    let most = votes.iter().copied().max().unwrap_or(0);
    // Nearest first, so the first class with most votes is that of the nearest tied prototype.
    nearest.iter().map(|&j| labels.of[j]).find(|&c| votes[c] == most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_count_and_ties_go_to_the_nearest() {
        let labels = Labels { of: &[0, 0, 1, 1, 2], classes: 3 };
        let d = [0.3, 0.9, 0.2, 0.4, 0.1];
        assert_eq!(vote(&d, labels, 1), 2);
        // 2, 1, 0: one vote each, the nearest decides.
        assert_eq!(vote(&d, labels, 3), 2);
        // 2, 1, 0, 1: class 1 has two votes.
        assert_eq!(vote(&d, labels, 4), 1);
        // 2, 1, 0, 1, 0: classes 0 and 1 tie, class 1 is nearer.
        assert_eq!(vote(&d, labels, 9), 1);
    }

    #[test]
    fn rules_parse() {
        assert_eq!(Rule::parse("3-np"), Some(Rule::Nearest(3)));
        assert_eq!(Rule::parse("soft").unwrap().show(), "soft");
        assert_eq!(Rule::parse("scores"), Some(Rule::Scores));
        assert_eq!(Rule::parse("code").unwrap().show(), "code");
        assert!(Rule::parse("0-np").is_none() && Rule::parse("np").is_none());
    }
}
