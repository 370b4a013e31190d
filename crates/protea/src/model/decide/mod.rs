//! The door for decisions: how a row of distances becomes evidence for each class, and the list of all kinds of them.
//!
//! A [`Rule`] says how the class is found: by a vote of the nearest prototypes, or by a decision. A [`Decision`] gives the evidence,
//! from which probabilities come; what was learned behind the prototypes (weights, members, ensembles, codes) is part of it.
//!
//! A new decision is a file with a type that implements [`Decision`] and a line in [`DECISIONS`]; a user's own is put into a model
//! by [`Model::with_decision`](super::Model::with_decision) and made known by [`register`].

mod affine;
mod code;
mod ensemble;
mod inverse;
mod members;
mod nearest;
mod rule;
mod soft;

pub use affine::Affine;
pub use code::ByCode;
pub use ensemble::{Ensemble, LearnerCode};
pub(crate) use ensemble::{LEAST_DISTANCE, encode};
pub use inverse::Inverse;
pub use members::Members;
pub use nearest::Nearest;
pub use rule::Rule;
pub use soft::Soft;

use super::calibrate::gamma_start;
use crate::coding::Coding;
use crate::plan::{ArrayId, Op, Plan};
use crate::settings::{SettingValue, named_enum};
use crate::store::{Stored, registry};
use crate::{Error, Float, Result};
use ndarray::ArrayView2;
use std::fmt::Debug;

named_enum! {
    /// How distances become probabilities, for models that have learned no decision.
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

impl Posterior {
    /// The decision of this name.
    pub fn decision<F: Float>(self) -> Box<dyn Decision<F>> {
        restore(&Stored::new(&self.show())).expect("every posterior is in the list of decisions")
    }
}

/// Classes of the prototypes of a model.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// Class of each prototype.
    pub of: &'a [usize],
    /// Number of classes.
    pub classes: usize,
}

/// From the distances of a sample to evidence for each class.
pub trait Decision<F: Float>: Debug + Send + Sync {
    /// Its tag: the name under which it is stored.
    fn tag(&self) -> &'static str;

    /// Whether its numbers fit prototypes with these labels.
    fn fits(&self, labels: Labels) -> bool;

    /// Logarithm of the probability of each class but for a term that all share, for one row of squared distances; −∞ for a class
    /// without prototypes.
    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64>;

    /// Probability of each class for one row of distances; sums to 1.
    fn probabilities(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        shares(&self.evidence(d, labels, gamma))
    }

    /// Class for one row of distances.
    fn decide(&self, d: &[F], labels: Labels, gamma: f64) -> usize {
        largest(&self.probabilities(d, labels, gamma))
    }

    /// The rule that decides unless another one is asked for; none where the nearest prototypes vote.
    fn rule(&self) -> Option<Rule> {
        None
    }

    /// Where to search γ, with distances `d` of samples to calibrate on.
    fn gamma_range(&self, d: ArrayView2<F>) -> (f64, f64) {
        let start = gamma_start(d, 0.5, 0.8);
        (start / 1000.0, start * 100.0)
    }

    /// γ of a model whose prototypes are the training samples, so that nothing can be learned from their distances `d`.
    fn memorised_gamma(&self, d: ArrayView2<F>, _dim: usize) -> f64 {
        gamma_start(d, 0.5, 0.8)
    }

    /// Whether γ is the inverse temperature of a soft minimum over all prototypes.
    fn is_soft_minimum(&self) -> bool {
        false
    }

    /// The same decision with `shifts[c] = ln w_c / γ` added to the score of each class, for classes of weight `w_c`; refused where
    /// that has no meaning.
    fn with_shifts(&self, shifts: &[f64]) -> Result<Box<dyn Decision<F>>>;

    /// The coder, for decisions by codes over the prototypes in place of distances.
    fn coding(&self) -> Option<&Coding> {
        None
    }

    /// Models that decide together, of which the prototypes are a part each.
    fn members(&self) -> usize {
        1
    }

    /// What it has beyond prototypes and their labels, in a few words; none where it has nothing.
    fn adds(&self) -> Option<&'static str> {
        None
    }

    /// How probabilities are made, in a few words.
    fn describe(&self, gamma: f64) -> String;

    /// What a model file keeps of it. Its values are stored with those of the model, so their names must differ from these.
    fn store(&self) -> Stored<F>;

    /// Adds the operations from distances to scores to a plan, and tells what scores are multiplied by to become evidence; none where
    /// they are evidence already.
    fn lower(&self, labels: Labels, label_array: ArrayId, gamma: f64, plan: &mut Plan)
    -> Result<Option<f64>>;

    /// A copy behind a pointer.
    fn boxed(&self) -> Box<dyn Decision<F>>;
}

impl<F: Float> dyn Decision<F> + '_ {
    /// Refuses numbers that are not finite, or do not fit the prototypes.
    pub(crate) fn check(&self, labels: Labels) -> Result<()> {
        if self.fits(labels) && self.store().numbers().all(|v| v.f64().is_finite()) {
            Ok(())
        } else {
            Err(Error::parts("decision", "prototypes"))
        }
    }
}

impl<F: Float> Clone for Box<dyn Decision<F>> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl<F: Float> PartialEq for dyn Decision<F> + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.store() == other.store()
    }
}

registry! {
    /// A kind of decision.
    pub struct DecisionKind reads Decision, "decision";
    /// The kinds of decisions that protea has.
    pub const DECISIONS = [
        "soft" => soft::restore,
        "nearest" => nearest::restore,
        "inverse" => inverse::restore,
        "affine" => affine::restore,
        "members" => members::restore,
        "ensemble" => ensemble::restore,
        "code" => code::restore,
    ];
}

/// A rule and a decision over labelled prototypes: what one model decides with.
pub(crate) struct Decider<'a, F: Float> {
    pub rule: Rule,
    pub decision: &'a dyn Decision<F>,
    pub labels: Labels<'a>,
}

impl<F: Float> Decider<'_, F> {
    /// Class for one row of distances.
    pub fn decide(&self, d: &[F], gamma: f64) -> usize {
        match self.rule {
            Rule::Nearest(k) => rule::vote(d, self.labels, k),
            Rule::Scores => self.decision.decide(d, self.labels, gamma),
            Rule::Soft | Rule::Code => largest(&self.probabilities(d, gamma)),
        }
    }

    /// Probability of each class for one row of distances; sums to 1.
    pub fn probabilities(&self, d: &[F], gamma: f64) -> Vec<f64> {
        self.decision.probabilities(d, self.labels, gamma)
    }

    /// Logarithm of the probability of each class but for a term that all share.
    pub fn evidence(&self, d: &[F], gamma: f64) -> Vec<f64> {
        self.decision.evidence(d, self.labels, gamma)
    }

    /// The way from distances to the class and to the evidence, as operations of a plan.
    pub fn lower(&self, gamma: f64, plan: &mut Plan) -> Result<()> {
        let labels = plan.whole("labels", self.labels.of);
        if let Rule::Nearest(k) = self.rule {
            plan.ops.push(Op::Vote { k, labels });
        }
        let factor = self.decision.lower(self.labels, labels, gamma, plan)?;
        if !matches!(self.rule, Rule::Nearest(_)) {
            plan.ops.push(Op::Largest);
        }
        plan.ops.extend(factor.map(|by| Op::Multiply { by }));
        Ok(())
    }
}

/// Position of the largest value, the first of equals.
pub(crate) fn largest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, c| if values[c] > values[best] { c } else { best })
}

/// Shares of the exponentials of evidence; classes with the most evidence share alike where that is infinite.
fn shares(evidence: &[f64]) -> Vec<f64> {
    let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |e: &f64| if *e == most { 1.0 } else { (e - most).exp() };
    let weights: Vec<f64> = evidence.iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / total).collect()
}

/// Smallest distance to each class; +∞ for a class without prototypes.
pub(crate) fn class_minima<F: Float>(d: &[F], labels: Labels) -> Vec<F> {
    let mut nearest = vec![F::infinity(); labels.classes];
    for (&d, &c) in d.iter().zip(labels.of) {
        if d < nearest[c] {
            nearest[c] = d;
        }
    }
    nearest
}

/// Scores times γ.
fn times(scores: Vec<f64>, gamma: f64) -> Vec<f64> {
    scores.into_iter().map(|s| gamma * s).collect()
}

/// Adds the operation for the smallest distance to each class, as a mean over members that end there.
fn lower_least(labels: Labels, label_array: ArrayId, ends: &[usize], plan: &mut Plan) {
    let ends = plan.whole("member-ends", ends);
    plan.ops.push(Op::Least { labels: label_array, ends, classes: labels.classes });
}

/// Adds one number for each class.
fn lower_numbers<F: Float>(name: &str, values: &[F], plan: &mut Plan) -> ArrayId {
    plan.real(name, &[values.len()], values.iter().map(|v| v.f64()))
}

/// The refusal of class weights by decisions that are no sum over classes.
fn no_class_weights<T>(posterior: &str) -> Result<T> {
    Err(Error::setting("posterior", posterior, "nearest, where classes have weights"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels = Labels { of: &[0, 0, 1], classes: 2 };

    fn affine() -> Affine<f64> {
        Affine { weights: vec![0.1, 1.0], biases: vec![0.0, 0.0] }
    }

    /// Distances 4 (of 9 and 4) and 1, so δ = 2 and 1: with α = 2 the probabilities are 1/4 : 1.
    #[test]
    fn inverse_distances_follow_their_formula() {
        let q = Inverse.probabilities(&[9.0, 4.0, 1.0], LABELS, 2.0);
        assert!((q[0] - 0.2).abs() < 1e-12 && (q[1] - 0.8).abs() < 1e-12);
        // On a prototype the class is certain, and nothing overflows.
        let q = Inverse.probabilities(&[0.0, 4.0, 1.0], LABELS, 2.0);
        assert!(q[0] > 0.999 && q.iter().all(|q| q.is_finite()));
    }

    /// The fast path of probabilities and the evidence are the same rule.
    #[test]
    fn probabilities_are_shares_of_the_exponential_evidence() {
        let d = [9.0, 4.0, 1.0];
        let all: [&dyn Decision<f64>; 4] = [&Soft, &Inverse, &Nearest, &affine()];
        for decision in all {
            let (e, q) = (decision.evidence(&d, LABELS, 0.7), decision.probabilities(&d, LABELS, 0.7));
            assert!((e[1] - e[0] - (q[1] / q[0]).ln()).abs() < 1e-12, "{}", decision.tag());
        }
    }

    #[test]
    fn scores_decide_where_the_rule_asks_for_them() {
        let (affine, d) = (affine(), [9.0, 4.0, 1.0]);
        let by = |rule| Decider { rule, decision: &affine, labels: LABELS };
        assert_eq!(by(Rule::Scores).decide(&d, 1.0), 0);
        assert_eq!(by(Rule::Nearest(1)).decide(&d, 1.0), 1);
        // Scores −0.4 and −1: probabilities differ by e^{0.6}.
        let q = by(Rule::Scores).probabilities(&d, 1.0);
        assert!((q[0] / q[1] - 0.6f64.exp()).abs() < 1e-12);
    }

    #[test]
    fn infinite_evidence_gives_shares_all_the_same() {
        assert_eq!(shares(&[f64::NEG_INFINITY; 2]), [0.5, 0.5]);
        assert_eq!(shares(&[f64::INFINITY, 3.0]), [1.0, 0.0]);
        assert_eq!(shares(&[f64::NEG_INFINITY, 3.0]), [0.0, 1.0]);
    }
}
