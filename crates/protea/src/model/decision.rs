//! From a row of distances to a class and to probabilities, as one model does it.

use super::head::{Head, LearnerCode, class_minima};
use super::rule::{self, Rule};
use crate::Float;
use crate::plan::{Op, Plan};
use crate::settings::named_enum;

named_enum! {
    /// How distances become probabilities, for models without scores.
    pub enum Posterior {
        /// Shares of the classes in the soft minimum over all prototypes, `exp(−γ d)`.
        Soft = "soft",
        /// `p(c|x) ∝ exp(−γ d_c)` with the distance `d_c` to the nearest prototype of the class: the nearest prototype has the most
        /// probable class.
        Nearest = "nearest",
        /// `p(c|x) ∝ δ_c^{−α}` with the (unsquared) distance `δ_c` to the nearest prototype of the class; α in the place of γ.
        Inverse = "inverse",
    }
}

/// What turns distances into decisions.
pub(crate) struct Decision<'a, F> {
    pub rule: Rule,
    pub posterior: Posterior,
    pub head: Option<&'a Head<F>>,
    pub labels: &'a [usize],
    pub n_classes: usize,
}

impl<F: Float> Decision<'_, F> {
    /// Class for one row of distances.
    pub fn decide(&self, d: &[F], gamma: f64) -> usize {
        match (self.rule, self.head) {
            (Rule::Nearest(k), _) => rule::vote(d, self.labels, self.n_classes, k),
            (Rule::Scores, Some(head)) => largest(&head.scores(d, self.labels, self.n_classes)),
            (Rule::Soft | Rule::Scores | Rule::Code, _) => largest(&self.probabilities(d, gamma)),
        }
    }

    /// Probability of each class for one row of distances; sums to 1.
    pub fn probabilities(&self, d: &[F], gamma: f64) -> Vec<f64> {
        if self.head.is_none() && self.posterior == Posterior::Soft {
            // The same as below, with the fast exponential.
            return rule::probabilities(d, self.labels, self.n_classes, F::of(gamma));
        }
        let evidence = self.evidence(d, gamma);
        let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = evidence.iter().map(|e| (e - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }
}

impl<F: Float> Decision<'_, F> {
    /// Logarithm of the probability of each class but for a term that all share; −∞ for a class without prototypes.
    pub fn evidence(&self, d: &[F], gamma: f64) -> Vec<f64> {
        match (self.head, self.posterior) {
            (Some(head), _) => {
                head.scores(d, self.labels, self.n_classes).into_iter().map(|s| gamma * s).collect()
            }
            (None, Posterior::Inverse) => {
                let nearest = class_minima(d, self.labels, self.n_classes);
                nearest.iter().map(|d| -0.5 * gamma * d.f64().max(f64::MIN_POSITIVE).ln()).collect()
            }
            (None, Posterior::Nearest) => {
                let nearest = class_minima(d, self.labels, self.n_classes);
                nearest.iter().map(|d| -gamma * d.f64()).collect()
            }
            (None, Posterior::Soft) => {
                let nearest = class_minima(d, self.labels, self.n_classes);
                let mut sums = vec![0.0; self.n_classes];
                for (d, &c) in d.iter().zip(self.labels) {
                    sums[c] += (-gamma * (d.f64() - nearest[c].f64())).exp();
                }
                nearest.iter().zip(sums).map(|(d, s): (&F, f64)| s.ln() - gamma * d.f64()).collect()
            }
        }
    }
}

impl<F: Float> Decision<'_, F> {
    /// The way from distances to the class and to the evidence, as operations of a plan.
    pub fn lower(&self, gamma: f64, plan: &mut Plan) {
        let labels = plan.whole("labels", self.labels);
        let classes = self.n_classes;
        let reals = |values: &[F]| values.iter().map(|v| v.f64()).collect::<Vec<_>>();
        if let Rule::Nearest(k) = self.rule {
            plan.ops.push(Op::Vote { k, labels });
        }
        let least = |plan: &mut Plan, ends: &[usize]| {
            let ends = plan.whole("member-ends", ends);
            plan.ops.push(Op::Least { labels, ends, classes });
        };
        match self.head {
            Some(Head::Affine { weights, biases }) => {
                least(plan, &[self.labels.len()]);
                let weights = plan.real("class-weights", &[classes], reals(weights));
                let biases = plan.real("class-biases", &[classes], reals(biases));
                plan.ops.push(Op::Weigh { weights, biases });
            }
            Some(Head::Members { ends, biases }) => {
                least(plan, ends);
                let weights = plan.real("class-weights", &[classes], vec![1.0; classes]);
                let biases = plan.real("class-biases", &[classes], reals(biases));
                plan.ops.push(Op::Weigh { weights, biases });
            }
            Some(Head::Ensemble { code, learner, weights, biases }) => {
                let learners = plan.whole("learners", learner);
                plan.ops.push(Op::Code { labels, learners, classes, sparse: *code == LearnerCode::Sparse });
                let shape = weights.shape();
                let weights = plan.real("class-weights", shape, weights.iter().map(|v| v.f64()));
                let biases = plan.real("class-biases", &[classes], reals(biases));
                plan.ops.push(Op::Product { weights, biases });
            }
            None if self.posterior == Posterior::Soft => {
                plan.ops.push(Op::SoftLeast { labels, classes, gamma });
            }
            None => {
                least(plan, &[self.labels.len()]);
                let nearest = self.posterior == Posterior::Nearest;
                plan.ops.push(if nearest { Op::Multiply { by: -1.0 } } else { Op::InverseLog });
            }
        }
        if !matches!(self.rule, Rule::Nearest(_)) {
            plan.ops.push(Op::Largest);
        }
        if self.head.is_some() || self.posterior != Posterior::Soft {
            plan.ops.push(Op::Multiply { by: gamma });
        }
    }
}

/// Position of the largest value, the first of equals.
pub(crate) fn largest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, c| if values[c] > values[best] { c } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(posterior: Posterior, head: Option<&Head<f64>>, rule: Rule) -> Decision<'_, f64> {
        Decision { rule, posterior, head, labels: &[0, 0, 1], n_classes: 2 }
    }

    /// Distances 4 (of 9 and 4) and 1, so δ = 2 and 1: with α = 2 the probabilities are 1/4 : 1.
    #[test]
    fn inverse_distances_follow_their_formula() {
        let q = decision(Posterior::Inverse, None, Rule::Soft).probabilities(&[9.0, 4.0, 1.0], 2.0);
        assert!((q[0] - 0.2).abs() < 1e-12 && (q[1] - 0.8).abs() < 1e-12);
        // On a prototype the class is certain, and nothing overflows.
        let q = decision(Posterior::Inverse, None, Rule::Soft).probabilities(&[0.0, 4.0, 1.0], 2.0);
        assert!(q[0] > 0.999 && q.iter().all(|q| q.is_finite()));
    }

    /// The fast path of probabilities and the evidence are the same rule.
    #[test]
    fn probabilities_are_shares_of_the_exponential_evidence() {
        let head = Head::Affine { weights: vec![0.1, 1.0], biases: vec![0.0, 0.0] };
        let d = [9.0, 4.0, 1.0];
        for (posterior, head) in [
            (Posterior::Soft, None),
            (Posterior::Inverse, None),
            (Posterior::Nearest, None),
            (Posterior::Soft, Some(&head)),
        ] {
            let decision = decision(posterior, head, Rule::Soft);
            let (e, q) = (decision.evidence(&d, 0.7), decision.probabilities(&d, 0.7));
            assert!((e[1] - e[0] - (q[1] / q[0]).ln()).abs() < 1e-12, "{posterior:?}");
        }
    }

    #[test]
    fn scores_decide_where_the_rule_asks_for_them() {
        let head = Head::Affine { weights: vec![0.1, 1.0], biases: vec![0.0, 0.0] };
        let d = [9.0, 4.0, 1.0];
        assert_eq!(decision(Posterior::Soft, Some(&head), Rule::Scores).decide(&d, 1.0), 0);
        assert_eq!(decision(Posterior::Soft, Some(&head), Rule::Nearest(1)).decide(&d, 1.0), 1);
        // Scores −0.4 and −1: probabilities differ by e^{0.6}.
        let q = decision(Posterior::Soft, Some(&head), Rule::Scores).probabilities(&d, 1.0);
        assert!((q[0] / q[1] - 0.6f64.exp()).abs() < 1e-12);
    }
}
