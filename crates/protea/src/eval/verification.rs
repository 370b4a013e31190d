//! Verification: is a sample of the class that is claimed for it?
//!
//! Every sample with every class is one trial, genuine where the class is the sample's own. The claim is accepted where the
//! score, the probability of the claimed class, is at least a threshold. Then
//! ```text
//! FA   = accepted impostors / impostors         FR = rejected genuine trials / genuine trials
//! HTER = (FA + FR) / 2                          equal error rate: FA = FR
//! ```
//! The smallest HTER is that of the best threshold seen afterwards; [`Verification::at`] gives the rates of a threshold
//! that was fixed on other samples.

use super::steps::steps;
use crate::{Dataset, Float, Model, Result};
use serde::Serialize;

/// Error rates at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Claims with at least this score are accepted.
    pub threshold: f64,
    /// Share of the impostors that are accepted.
    pub false_acceptance: f64,
    /// Share of the genuine trials that are rejected.
    pub false_rejection: f64,
    /// Half total error rate, the mean of both.
    pub half_total_error: f64,
}

impl Rates {
    fn new(threshold: f64, false_acceptance: f64, false_rejection: f64) -> Self {
        let half_total_error = (false_acceptance + false_rejection) / 2.0;
        Rates { threshold, false_acceptance, false_rejection, half_total_error }
    }
}

/// Trials of known truth, in order of their score.
///
/// ```
/// use protea::eval::Verification;
/// let v = Verification::new(&[0.9, 0.4, 0.6, 0.1], &[true, true, false, false]);
/// assert_eq!(v.best().half_total_error, 0.25); // 0.9 alone, or all but 0.1
/// assert_eq!(v.equal_error(), 0.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// Genuine trials.
    pub genuine: usize,
    /// Trials with a class that is not the sample's.
    pub impostors: usize,
    /// From a threshold that accepts nothing to one that accepts everything, one for each distinct score.
    rates: Vec<Rates>,
}

impl Verification {
    /// From scores and whether each trial is genuine.
    pub fn new(scores: &[f64], genuine: &[bool]) -> Self {
        let own = genuine.iter().filter(|g| **g).count();
        let impostors = genuine.len() - own;
        // A share of no trials is 0.
        let share = |part: usize, all: usize| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let accepting = steps(scores, genuine)
            .into_iter()
            .map(|s| Rates::new(s.threshold, share(s.unwanted, impostors), share(own - s.wanted, own)));
        let nothing = Rates::new(f64::INFINITY, 0.0, share(own, own));
        let rates = std::iter::once(nothing).chain(accepting).collect();
        Verification { genuine: own, impostors, rates }
    }

    /// Rates of a given threshold.
    pub fn at(&self, threshold: f64) -> Rates {
        let accepted = self.rates.partition_point(|r| r.threshold >= threshold);
        let r = &self.rates[accepted.saturating_sub(1)];
        Rates::new(threshold, r.false_acceptance, r.false_rejection)
    }

    /// Rates of the threshold with the smallest half total error; ties go to the highest threshold.
    pub fn best(&self) -> Rates {
        let better = |a: Rates, b: &Rates| if b.half_total_error < a.half_total_error { *b } else { a };
        self.rates[1..].iter().fold(self.rates[0], better)
    }

    /// Equal error rate: where the line through neighbouring points has `FA = FR`.
    pub fn equal_error(&self) -> f64 {
        let gap = |r: &Rates| r.false_rejection - r.false_acceptance;
        // The gap falls from 1 to −1 as the threshold falls.
        let after = self.rates.partition_point(|r| gap(r) > 0.0).min(self.rates.len() - 1);
        let (a, b) = (&self.rates[after.saturating_sub(1)], &self.rates[after]);
        let way = if gap(a) > gap(b) { gap(a) / (gap(a) - gap(b)) } else { 0.0 };
        a.false_acceptance + way * (b.false_acceptance - a.false_acceptance)
    }

    /// Rates against the threshold, without the points that lie inside a level or an upright stretch.
    pub fn curve(&self) -> Vec<Rates> {
        let inside = |i: usize| {
            let [a, b] = [&self.rates[i - 1], &self.rates[i + 1]];
            a.false_acceptance == b.false_acceptance || a.false_rejection == b.false_rejection
        };
        let last = self.rates.len() - 1;
        (0..=last).filter(|&i| i == 0 || i == last || !inside(i)).map(|i| self.rates[i]).collect()
    }
}

/// All trials of a model on labelled samples.
pub fn verification<F: Float>(model: &Model<F>, data: &Dataset<F>) -> Result<Verification> {
    let q = model.probabilities(data.x.view())?;
    let genuine: Vec<bool> = q.indexed_iter().map(|((i, c), _)| data.y[i] == c).collect();
    Ok(Verification::new(&q.iter().copied().collect::<Vec<_>>(), &genuine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_match_counting_by_hand() {
        // Genuine 0.9 0.8 0.4 0.4, impostors 0.7 0.4 0.2 0.1.
        let scores = [0.9, 0.8, 0.4, 0.4, 0.7, 0.4, 0.2, 0.1];
        let v = Verification::new(&scores, &[true, true, true, true, false, false, false, false]);
        let rates = |r: Rates| (r.false_acceptance, r.false_rejection);
        assert_eq!((v.genuine, v.impostors), (4, 4));
        assert_eq!(rates(v.at(1.0)), (0.0, 1.0));
        assert_eq!(rates(v.at(0.8)), (0.0, 0.5));
        assert_eq!(rates(v.at(0.5)), (0.25, 0.5));
        // The three of 0.4 come together.
        assert_eq!(rates(v.at(0.4)), (0.5, 0.0));
        assert_eq!(rates(v.at(-1.0)), (1.0, 0.0));
        // 0.25 at 0.8 and at 0.4; the higher one counts.
        assert_eq!((v.best().threshold, v.best().half_total_error), (0.8, 0.25));
        // From (¼, ½) to (½, 0): FA = FR a third of the way.
        assert!((v.equal_error() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn the_curve_keeps_its_corners() {
        let v = Verification::new(&[0.9, 0.8, 0.7, 0.3, 0.2], &[true, true, true, false, false]);
        let thresholds: Vec<f64> = v.curve().iter().map(|r| r.threshold).collect();
        assert_eq!(thresholds, [f64::INFINITY, 0.7, 0.2]);
        assert_eq!((v.equal_error(), v.best().half_total_error), (0.0, 0.0));
    }

    #[test]
    fn trials_of_one_kind_have_no_errors_of_the_other() {
        let v = Verification::new(&[0.9, 0.8], &[true, true]);
        assert_eq!((v.best().half_total_error, v.equal_error()), (0.0, 0.0));
        let v = Verification::new(&[0.9, 0.8], &[false, false]);
        assert_eq!((v.best().threshold, v.equal_error()), (f64::INFINITY, 0.0));
        assert_eq!(Verification::new(&[], &[]).best().half_total_error, 0.0);
    }
}
