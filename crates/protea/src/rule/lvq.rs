//! The classical rules of learning vector quantisation, one sample at a time.
//!
//! # Rules
//! A sample `x` of class `y` comes; `α` is the step size, `d` are squared distances.
//! ```text
//! lvq1    winner j:                p_j += ±α (x − p_j),  + where its class is y
//! olvq1   the same with α_j of its own:  α_j ← min(α_j / (1 ± α_j), start)
//! lvq2.1  the two nearest have different classes, one of them y, and √(min(d₁/d₂, d₂/d₁)) > (1 − w)/(1 + w):
//!                                  right one += α (x − p),  wrong one −= α (x − p)
//! lvq3    as lvq2.1, and where both nearest are of class y:  both += ε α (x − p)
//! ```
//! `dsm` moves the nearest of the own and of the other classes on mistakes only; see [`MarginRule`](super::MarginRule).
//!
//! # Reference
//! Kohonen: "The Self-Organizing Map", Proc. IEEE 78, 1990; Kohonen, Hynninen, Kangas, Laaksonen, Torkkola: "LVQ_PAK: The
//! Learning Vector Quantization Program Package", 1996. Geva & Sitte: "Adaptive nearest neighbor pattern classification",
//! IEEE Trans. Neural Networks 1991.
//!
//! # Departures
//! The rules lower no objective, and lvq2.1 runs away when trained for long: step sizes fall to 0, epochs are few, and prototypes
//! that are worse in training than the first ones are given up for those.

use super::{Move, OnlineRule};
use crate::Float;
use crate::kernel::{argmin, k_smallest};
use crate::objective::Sample;
use crate::settings::settings;

/// LVQ1: the winner is drawn or driven off.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lvq1;

/// OLVQ1: the winner, with a step size of its own for each prototype.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Olvq1 {
    /// Step sizes as they have become.
    rates: Vec<f64>,
}

settings! {
    /// LVQ2.1: the two nearest, where the sample falls in the window between them.
    pub struct Lvq2 {
        /// Relative width of the window between the two nearest prototypes.
        window("window"): f64 = 0.3, |v| *v > 0.0 && *v < 1.0, "a number between 0 and 1";
    }
}

settings! {
    /// LVQ3: as LVQ2.1, and both nearest where both are right.
    pub struct Lvq3 {
        /// Relative width of the window between the two nearest prototypes.
        window("window"): f64 = 0.3, |v| *v > 0.0 && *v < 1.0, "a number between 0 and 1";
        /// Factor on the learning rate when both nearest prototypes are of the sample's class.
        epsilon("epsilon"): f64 = 0.3, |v| *v >= 0.0 && *v <= 1.0, "a number from 0 to 1";
    }
}

/// The winner, and +1 where its class is the sample's, −1 where not.
fn winner<F: Float>(s: &Sample<F>) -> (usize, f64) {
    let j = argmin(s.d);
    (j, if s.classes.of()[j] == s.y { 1.0 } else { -1.0 })
}

impl<F: Float> OnlineRule<F> for Lvq1 {
    fn moves(&mut self, s: &Sample<F>, rate: f64) -> [Option<Move>; 2] {
        let (prototype, sign) = winner(s);
        [Some(Move { prototype, step: sign * rate }), None]
    }
}

impl<F: Float> OnlineRule<F> for Olvq1 {
    fn moves(&mut self, s: &Sample<F>, start: f64) -> [Option<Move>; 2] {
        let (prototype, sign) = winner(s);
        self.rates.resize(s.d.len(), start);
        let rate = &mut self.rates[prototype];
        // The new size is the one this sample is learned with; a wrong winner may raise it, but not above the start.
        let next = *rate / (1.0 + sign * *rate);
        *rate = if next.is_finite() && next > 0.0 { next.min(start) } else { start };
        [Some(Move { prototype, step: sign * *rate }), None]
    }

    fn state(&self) -> Vec<f64> {
        self.rates.clone()
    }

    fn restore(&mut self, state: &[f64]) {
        self.rates = state.to_vec();
    }
}

/// The two nearest prototypes where exactly one of them is right and the sample lies in the window: right and wrong one.
fn in_window<F: Float>(s: &Sample<F>, nearest: &[usize], window: f64) -> Option<(usize, usize)> {
    let &[a, b] = nearest else { return None };
    let right = |j: usize| s.classes.of()[j] == s.y;
    if right(a) == right(b) {
        return None;
    }
    // Nearest first: d_a ≤ d_b.
    let ratio = (s.d[a].f64() / s.d[b].f64().max(f64::MIN_POSITIVE)).sqrt();
    let inside = ratio > (1.0 - window) / (1.0 + window);
    inside.then_some(if right(a) { (a, b) } else { (b, a) })
}

fn pull_and_push(pair: (usize, usize), rate: f64) -> [Option<Move>; 2] {
    [Some(Move { prototype: pair.0, step: rate }), Some(Move { prototype: pair.1, step: -rate })]
}

impl<F: Float> OnlineRule<F> for Lvq2 {
    fn moves(&mut self, s: &Sample<F>, rate: f64) -> [Option<Move>; 2] {
        let pair = in_window(s, &k_smallest(s.d, 2), self.window);
        pair.map_or([None, None], |pair| pull_and_push(pair, rate))
    }
}

impl<F: Float> OnlineRule<F> for Lvq3 {
    fn moves(&mut self, s: &Sample<F>, rate: f64) -> [Option<Move>; 2] {
        let nearest = k_smallest(s.d, 2);
        if let Some(pair) = in_window(s, &nearest, self.window) {
            return pull_and_push(pair, rate);
        }
        if nearest.len() == 2 && nearest.iter().all(|&j| s.classes.of()[j] == s.y) {
            let step = self.epsilon * rate;
            return [0, 1].map(|i| Some(Move { prototype: nearest[i], step }));
        }
        [None, None]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ClassLayout;

    fn moves(rule: &mut dyn OnlineRule<f64>, d: &[f64], y: usize, rate: f64) -> Vec<(usize, f64)> {
        let classes = ClassLayout::new(&[0, 0, 1], 2);
        let moves = rule.moves(&Sample { d, y, classes: &classes, gamma: 1.0 }, rate);
        moves.into_iter().flatten().map(|m| (m.prototype, m.step)).collect()
    }

    #[test]
    fn lvq1_moves_the_winner_alone() {
        assert_eq!(moves(&mut Lvq1, &[4.0, 1.0, 2.0], 0, 0.1), [(1, 0.1)]);
        assert_eq!(moves(&mut Lvq1, &[4.0, 1.0, 2.0], 1, 0.1), [(1, -0.1)]);
    }

    /// α: 0.3 → 0.3/1.3 after a right answer; a wrong one would give 0.2308/0.7692 = 0.3 again.
    #[test]
    fn olvq1_steps_shrink_with_right_answers_and_grow_back_with_wrong_ones() {
        let mut rule = Olvq1::default();
        assert_eq!(moves(&mut rule, &[4.0, 1.0, 2.0], 0, 0.3), [(1, 0.3 / 1.3)]);
        let again = moves(&mut rule, &[4.0, 1.0, 2.0], 1, 0.3);
        assert!(again[0].0 == 1 && (again[0].1 + 0.3).abs() < 1e-12);
        // Never above the start.
        let capped = moves(&mut rule, &[4.0, 1.0, 2.0], 1, 0.3);
        assert!((capped[0].1 + 0.3).abs() < 1e-12);
    }

    /// Window 0.3: the ratio of distances must exceed 0.7/1.3 = 0.538, of squared ones 0.29.
    #[test]
    fn lvq2_needs_one_right_one_wrong_and_the_window() {
        let rule = &mut Lvq2::default();
        assert_eq!(moves(rule, &[9.0, 1.0, 2.0], 0, 0.1), [(1, 0.1), (2, -0.1)]);
        assert_eq!(moves(rule, &[9.0, 1.0, 2.0], 1, 0.1), [(2, 0.1), (1, -0.1)]);
        assert_eq!(moves(rule, &[9.0, 1.0, 3.6], 0, 0.1), []);
        assert_eq!(moves(rule, &[1.1, 1.0, 3.6], 0, 0.1), []);
    }

    #[test]
    fn lvq3_also_draws_two_right_ones() {
        let rule = &mut Lvq3::default();
        let drawn = moves(rule, &[1.1, 1.0, 3.6], 0, 0.1);
        assert!(drawn[0].0 == 1 && drawn[1].0 == 0 && (drawn[0].1 - 0.03).abs() < 1e-12);
        assert_eq!(moves(rule, &[9.0, 1.0, 2.0], 0, 0.1), [(1, 0.1), (2, -0.1)]);
        assert_eq!(moves(rule, &[1.1, 1.0, 3.6], 1, 0.1), []);
    }
}
