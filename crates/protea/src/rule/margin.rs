//! The margin rule of P-NN, and of decision surface mapping: the nearest prototypes of the own and of the rival class move where
//! the sample is not on the right side by a margin.
//!
//! # Rule
//! ```text
//! score_c = w_c min_{u ∈ U_c} ‖x − u‖² + b_c;    where  score_y + m > min_{c≠y} score_c:
//! u_{j*} += η w_y (x − u_{j*}),    u_{k*} −= η w_ĉ (x − u_{k*})
//! ```
//! With all weights alike and no margin it is decision surface mapping: it moves on mistakes alone.
//!
//! # Reference
//! Zhang, Sturgess, Sengupta, Crook, Torr: "Efficient Discriminative Learning of Parametric Nearest Neighbor Classifiers", CVPR
//! 2012. Geva & Sitte: "Adaptive nearest neighbor pattern classification", IEEE Trans. Neural Networks 1991.

use super::{Move, OnlineRule};
use crate::Float;
use crate::kernel::argmin;
use crate::objective::{Sample, nearest_pair};

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
            let j = range.start + argmin(&s.d[range]);
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
    use crate::data::ClassLayout;

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
