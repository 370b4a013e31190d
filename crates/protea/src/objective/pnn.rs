//! P-NN and EP-NN: parametric nearest neighbours, alone and as an ensemble; decision surface mapping is their first pass.
//!
//! # Model
//! ```text
//! score_c(x) = w_c min_{u ∈ U_c} ‖x − u‖² + b_c,    the smallest decides
//! ```
//!
//! # Loss
//! `(λ/2)‖w‖² + mean_i max(0, m + score_y − min_{c≠y} score_c)`; where the hinge is active, one step of gradient descent moves the
//! nearest prototype of the own class towards the sample and the nearest of the rival class away from it, by `η w` of the
//! class:
//! ```text
//! u_{j*} += η w_y (x − u_{j*}),    u_{k*} −= η w_ĉ (x − u_{k*})
//! ```
//! The published first pass sets `b = 0` and `w` to the largest number there is: then the hinge is active on mistakes alone and
//! the rule is decision surface mapping, `dsm`. A second round would solve the convex problem in `(w, b)` and go on with
//! those; `--rounds` says how many there are, one being the published two-stage way.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | u, U_c | prototypes | of class c |
//! | w, b | [`Head::Affine`](crate::model::Head) | weight and bias of a class |
//! | η | `rate` | step size |
//! | ξ | hinge | of a sample |
//!
//! # Reference
//! Zhang, Sturgess, Sengupta, Crook, Torr: "Efficient Discriminative Learning of Parametric Nearest Neighbor Classifiers", CVPR
//! 2012 (algorithm 1 and its two-stage implementation). Geva & Sitte: "Adaptive nearest neighbor pattern classification", IEEE
//! Trans. Neural Networks 1991.
//!
//! # Departures
//! The convex problem in `(w, b)` has the squared hinge, so that it is smooth. The margin of the first pass, 0 in the paper, is a
//! setting, in units of the mean distance to the nearest prototype of the own class, and is chosen on held-out samples; steps are
//! `η w_c / w̄`, so that the step size means the same in every round.

use super::registry::{FIXED, Learner, Method, parsed};
use super::{Move, OnlineRule, Sample, nearest_pair};
use crate::Float;
use crate::settings::{named_enum, settings, unknown};

named_enum! {
    /// What one learner of an ensemble tells of a sample.
    pub enum Code {
        /// The distance to its nearest prototype, in the place of that prototype's class.
        Sparse = "sparse",
        /// The distance to its nearest prototype of every class.
        Dense = "dense",
    }
}

named_enum! {
    /// Multi-class linear support vector machine of the second stage.
    pub enum Machine {
        /// One problem for all classes.
        CrammerSinger = "crammer-singer",
        /// One problem for each class.
        OneVsRest = "one-vs-rest",
    }
}

settings! {
    /// Settings of P-NN and EP-NN.
    pub struct Pnn {
        /// Base learners; more than one are joined by a linear machine over their codes.
        learners("learners"): usize = 20, |v| *v > 0, "a number ≥ 1";
        /// Samples that a learner draws, with replacement.
        draws("draws"): usize = 400_000, |v| *v > 0, "a number ≥ 1";
        /// Margin of the prototype pass in units of the mean distance to the nearest prototype of the own class; none chooses 1,
        /// 0.3 or 0 on a part of the training samples.
        margin("margin"): Option<f64> = None, |v| v.is_none_or(|m| m >= 0.0 && m.is_finite()), "none or a number ≥ 0";
        /// Rounds of prototypes and class weights in turn; 1 learns prototypes alone.
        rounds("rounds"): usize = 1, |v| *v > 0, "a number ≥ 1";
        /// What a learner tells the machine: the winner's distance, or that of every class.
        code("code"): Code = Code::Sparse, |_| true, "sparse or dense";
        /// The machine over the codes.
        machine("machine"): Machine = Machine::CrammerSinger, |_| true, "crammer-singer or one-vs-rest";
        /// Penalty C of the machine; none chooses 0.1, 1, 10 or 100 on a part of the training samples.
        penalty("penalty"): Option<f64> = None, |v| v.is_none_or(|c| c > 0.0 && c.is_finite()), "none or a number > 0";
    }
}

/// Settings of a single P-NN: those of the ensemble without what joins it.
const ALONE: &[crate::settings::Setting] = &[Pnn::SETTINGS[1], Pnn::SETTINGS[2], Pnn::SETTINGS[3]];

/// P-NN in the registry.
pub const PNN: Method = Method {
    name: "pnn",
    summary: "parametric nearest neighbours: prototypes by mistakes, then weight and bias of each class",
    reference: "Zhang, Sturgess, Sengupta, Crook, Torr: Efficient Discriminative Learning of Parametric Nearest Neighbor Classifiers, CVPR 2012",
    settings: ALONE,
    defaults: &[
        ("per-class", "40"),
        ("init", "sample"),
        ("rate", "0.2"),
        ("decay", "linear"),
        ("noise", "0.1"),
    ],
    variants: &[],
    page: "pnn",
    open: &[],
    metrics: FIXED,
    learner: Learner::Parametric(|values| {
        parsed(PNN.name, ALONE, values, Pnn { learners: 1, ..Pnn::default() }, Pnn::set)
    }),
};

/// EP-NN in the registry.
pub const EPNN: Method = Method {
    name: "epnn",
    summary: "ensemble of parametric nearest neighbours, joined by a linear support vector machine over their codes",
    settings: Pnn::SETTINGS,
    learner: Learner::Parametric(|values| parsed(EPNN.name, Pnn::SETTINGS, values, Pnn::default(), Pnn::set)),
    ..PNN
};

/// DSM in the registry.
pub const DSM: Method = Method {
    name: "dsm",
    summary: "decision surface mapping: the nearest own and other prototype move on mistakes only",
    reference: "Geva, Sitte: Adaptive nearest neighbor pattern classification, IEEE Trans. Neural Networks, 1991",
    settings: &[],
    defaults: &[("rate", "0.1"), ("decay", "linear"), ("noise", "0")],
    learner: Learner::Online(|values| match values.keys().next() {
        Some(name) => Err(unknown(DSM.name, name, &[])),
        None => Ok(Box::new(MarginRule::mistakes())),
    }),
    ..PNN
};

/// Moves the nearest prototypes of the own and of the rival class where the margin between them is violated.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginRule {
    margin: f64,
    /// `w` and `b` of each class, with the mean of `w`; none while they are all alike.
    classes: Option<(Vec<f64>, Vec<f64>, f64)>,
}

impl MarginRule {
    /// On mistakes alone: decision surface mapping.
    pub fn mistakes() -> Self {
        Self::within(0.0)
    }

    /// Where the own class is not nearer by this margin (of squared distances).
    pub fn within(margin: f64) -> Self {
        MarginRule { margin, classes: None }
    }

    /// The same by scores `w_c d + b_c`.
    pub fn weighted(margin: f64, weights: &[f64], biases: &[f64]) -> Self {
        let mean = (weights.iter().sum::<f64>() / weights.len() as f64).max(f64::MIN_POSITIVE);
        MarginRule { margin, classes: Some((weights.to_vec(), biases.to_vec(), mean)) }
    }
}

impl<F: Float> OnlineRule<F> for MarginRule {
    fn moves(&mut self, s: &Sample<F>, rate: f64) -> [Option<Move>; 2] {
        let Some((w, b, mean)) = &self.classes else {
            let (own, Some(rival)) = nearest_pair(s) else { return [None, None] };
            let active = s.d[rival].f64() < s.d[own].f64() + self.margin;
            return if active {
                [Some(Move { prototype: own, step: rate }), Some(Move { prototype: rival, step: -rate })]
            } else {
                [None, None]
            };
        };
        let best = |c: usize| {
            let range = s.classes.range(c);
            let j = range.start + crate::metric::argmin(&s.d[range]);
            (j, w[c] * s.d[j].f64() + b[c])
        };
        let others = (0..s.classes.n_classes()).filter(|&c| c != s.y && !s.classes.range(c).is_empty());
        let rival = others.map(|c| (c, best(c))).min_by(|p, q| p.1.1.total_cmp(&q.1.1));
        let (own, score) = best(s.y);
        match rival {
            Some((c, (k, rival))) if rival < score + self.margin => [
                Some(Move { prototype: own, step: (rate * w[s.y] / mean).min(1.0) }),
                Some(Move { prototype: k, step: -(rate * w[c] / mean).min(1.0) }),
            ],
            _ => [None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::ClassLayout;

    fn moves(rule: &mut MarginRule, d: &[f64]) -> Vec<(usize, f64)> {
        let classes = ClassLayout::new(&[0, 0, 1, 2], 3);
        let moves = rule.moves(&Sample { d, y: 0, classes: &classes, gamma: 1.0 }, 0.1);
        moves.into_iter().flatten().map(|m| (m.prototype, m.step)).collect()
    }

    #[test]
    fn only_mistakes_count_without_a_margin() {
        assert_eq!(moves(&mut MarginRule::mistakes(), &[2.0, 3.0, 1.0, 5.0]), [(0, 0.1), (2, -0.1)]);
        assert_eq!(moves(&mut MarginRule::mistakes(), &[1.0, 3.0, 2.0, 5.0]), []);
        assert_eq!(moves(&mut MarginRule::within(1.5), &[1.0, 3.0, 2.0, 5.0]), [(0, 0.1), (2, -0.1)]);
    }

    /// Weights 1, 3, 0.5: scores of the classes are 1, 6 and 2.5; a margin of 2 is violated by the last.
    #[test]
    fn weights_and_biases_choose_the_rival_and_scale_the_steps() {
        let rule = &mut MarginRule::weighted(2.0, &[1.0, 3.0, 0.5], &[0.0, 0.0, 0.0]);
        let found = moves(rule, &[1.0, 3.0, 2.0, 5.0]);
        assert!((found[0].1 - 0.1 / 1.5).abs() < 1e-12 && found[0].0 == 0);
        assert!((found[1].1 + 0.05 / 1.5).abs() < 1e-12 && found[1].0 == 3);
        assert_eq!(
            moves(&mut MarginRule::weighted(1.4, &[1.0, 3.0, 0.5], &[0.0; 3]), &[1.0, 3.0, 2.0, 5.0]),
            []
        );
    }
}
