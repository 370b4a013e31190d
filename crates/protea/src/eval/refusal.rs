//! What refusing to answer in doubt is worth.
//!
//! Samples are sorted by how certain the model is of its answer, and the least certain are refused. For each threshold,
//! ```text
//! recall    = answered / all          precision = right answers / answered
//! ```
//! The area under precision against recall is taken by trapezia; left of the first point the curve is constant. No
//! model with error `e` has more than about `(1 − e)(1 − ln(1 − e))`, which is reached where every wrong answer is less
//! certain than every right one.

use super::steps::steps;
use crate::model::Winner;
use crate::settings::named_enum;
use crate::{Dataset, Float, Model, Result};
use ndarray::ArrayView2;
use serde::Serialize;

named_enum! {
    /// How certain a model is of an answer; `d⁺` and `d⁻` are the squared distances of the nearest prototype and of the
    /// nearest one of another class.
    pub enum Certainty {
        /// Probability of the class that was answered, as `predict --reject-at` takes it.
        Probability = "probability",
        /// Relative similarity `(d⁻ − d⁺) / (d⁻ + d⁺)`.
        Relsim = "relsim",
        /// `−d⁺`: low far away from everything known.
        Distance = "distance",
        /// Hypothesis margin `½(√d⁻ − √d⁺)`: how far the sample may move in the model's space before the answer changes.
        Margin = "margin",
    }
}

impl Certainty {
    /// Every measure.
    pub const ALL: [Certainty; 4] =
        [Certainty::Probability, Certainty::Relsim, Certainty::Distance, Certainty::Margin];

    /// Certainty of each answer of `decided`.
    pub fn of<F: Float>(self, model: &Model<F>, data: &Dataset<F>, decided: &[usize]) -> Result<Vec<f64>> {
        let x = data.x.view();
        if self == Certainty::Probability {
            return Ok(self.of_decided(decided, model.probabilities(x)?.view()));
        }
        Ok(model.winners(x)?.iter().map(|w| self.of_winner(w)).collect())
    }

    /// The probability of each decided class.
    pub(super) fn of_decided(self, decided: &[usize], q: ArrayView2<f64>) -> Vec<f64> {
        decided.iter().enumerate().map(|(i, &c)| q[[i, c]]).collect()
    }

    pub(super) fn of_winner(self, winner: &Winner) -> f64 {
        let near = winner.nearest.distance;
        let far = winner.rival.map_or(f64::INFINITY, |r| r.distance);
        match self {
            Certainty::Margin => (far.sqrt() - near.sqrt()) / 2.0,
            Certainty::Relsim if far.is_infinite() => 1.0,
            // A sample on prototypes of two classes is no more similar to one than to the other.
            Certainty::Relsim if far + near == 0.0 => 0.0,
            Certainty::Relsim => (far - near) / (far + near),
            Certainty::Distance | Certainty::Probability => -near,
        }
    }
}

/// One threshold of a [`RefusalCurve`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RefusalPoint {
    /// Samples of at least this certainty are answered.
    pub threshold: f64,
    /// How many they are.
    pub answered: usize,
    /// Their share of all samples.
    pub recall: f64,
    /// Share of them that are answered rightly.
    pub precision: f64,
}

/// Precision against recall, from the few most certain answers to all of them.
///
/// ```
/// use protea::eval::RefusalCurve;
/// let curve = RefusalCurve::new(&[0.9, 0.8, 0.6, 0.5], &[true, true, false, true]);
/// assert_eq!(curve.at(0.5).map(|p| p.precision), Some(1.0));
/// assert_eq!(curve.at(1.0).map(|p| p.precision), Some(0.75));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusalCurve {
    /// Area under the curve, for recall from 0 to 1.
    pub area: f64,
    /// One point for each distinct certainty, the highest first; empty without samples.
    pub points: Vec<RefusalPoint>,
}

impl RefusalCurve {
    /// The curve of answers with these certainties, which were right or not.
    pub fn new(certainty: &[f64], right: &[bool]) -> Self {
        let all = certainty.len() as f64;
        let points: Vec<RefusalPoint> = steps(certainty, right)
            .into_iter()
            .map(|s| {
                let answered = s.wanted + s.unwanted;
                let precision = s.wanted as f64 / answered as f64;
                RefusalPoint { threshold: s.threshold, answered, recall: answered as f64 / all, precision }
            })
            .collect();
        let first = points.first().map_or(0.0, |p| p.recall * p.precision);
        let others =
            points.windows(2).map(|p| (p[1].recall - p[0].recall) * (p[0].precision + p[1].precision) / 2.0);
        RefusalCurve { area: first + others.sum::<f64>(), points }
    }

    /// The highest threshold that answers at least the share `recall`; none where no threshold does.
    pub fn at(&self, recall: f64) -> Option<&RefusalPoint> {
        self.points.iter().find(|p| p.recall >= recall)
    }
}

/// Refusal curve of a model on labelled samples.
pub fn refusal<F: Float>(model: &Model<F>, data: &Dataset<F>, certainty: Certainty) -> Result<RefusalCurve> {
    let decided = model.predict(data.x.view())?;
    let right: Vec<bool> = decided.iter().zip(&data.y).map(|(c, y)| c == y).collect();
    Ok(RefusalCurve::new(&certainty.of(model, data, &decided)?, &right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Neighbour;

    #[test]
    fn the_curve_matches_counting_by_hand() {
        // Answered one by one: right, wrong, then two at once of which one is right.
        let curve = RefusalCurve::new(&[0.3, 0.9, 0.3, 0.7], &[true, true, false, false]);
        let points: Vec<_> = curve.points.iter().map(|p| (p.answered, p.recall, p.precision)).collect();
        assert_eq!(points, [(1, 0.25, 1.0), (2, 0.5, 0.5), (4, 1.0, 0.5)]);
        // ¼·1 level, ¼·(1 + ½)/2, ½·½.
        assert_eq!(curve.area, 0.25 + 0.1875 + 0.25);
        assert_eq!(curve.at(0.5).map(|p| p.threshold), Some(0.7));
        assert_eq!(curve.at(0.51).map(|p| p.answered), Some(4));
        assert_eq!(curve.at(1.01), None);
    }

    #[test]
    fn one_step_is_a_level_line() {
        let curve = RefusalCurve::new(&[1.0; 4], &[true, false, true, true]);
        assert_eq!((curve.points.len(), curve.area), (1, 0.75));
        assert_eq!(RefusalCurve::new(&[], &[]).area, 0.0);
    }

    #[test]
    fn certainties_follow_their_formulas() {
        let at = |distance| Neighbour { prototype: 0, class: 0, distance };
        let winner = |near, far: Option<f64>| Winner { nearest: at(near), second: None, rival: far.map(at) };
        let w = winner(1.0, Some(4.0));
        assert_eq!(Certainty::Relsim.of_winner(&w), 0.6);
        assert_eq!(Certainty::Margin.of_winner(&w), 0.5);
        assert_eq!(Certainty::Distance.of_winner(&w), -1.0);
        assert_eq!(Certainty::Relsim.of_winner(&winner(0.0, Some(0.0))), 0.0);
        assert_eq!(Certainty::Relsim.of_winner(&winner(2.0, None)), 1.0);
    }
}
