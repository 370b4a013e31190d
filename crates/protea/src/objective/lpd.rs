//! LPD: prototypes with feature weights of their own, by the ratio of the two nearest distances.
//!
//! # Loss
//! ```text
//! L = 1/(1 + e^{β(1 − r)}),    r = δ⁼ / δ^≠,    δ(x, y_i) = √( Σ_f v_if² (x_f − y_if)² )
//! ```
//! with the nearest prototype of the own class (=) and of another class (≠); `r < 1` where the sample is decided rightly.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | δ⁼, δ^≠ | `a`, `c` | (unsquared) distances |
//! | S_β | `s` | the sigmoid, centred at `r = 1` |
//! | β | `gamma` | its slope |
//! | v, μ_ij | metric | weights of the local metric |
//!
//! # Derivative
//! By squared distances, with `S′ = β S (1 − S)`: `∂L/∂d⁼ = S′/(2 a c)` and `∂L/∂d^≠ = −S′ a/(2 c³)`. The minimum is
//! continuous, so this is the exact derivative almost everywhere.
//!
//! # Reference
//! Paredes & Vidal: "Learning prototypes and distances: a prototype reduction technique based on nearest neighbor error
//! minimization", Pattern Recognition 39, 2006.
//!
//! # Departures
//! A sample that lies on a prototype of its own class has no derivative (the paper's is 0/0). The paper's loop is
//! `--optimizer gd`; Adam on mini-batches is the default. Both return the iterate with the lowest training error.

use super::pair::nearest_pair;
use super::{Objective, Sample, Unit};
use crate::Float;

/// The LPD objective.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lpd;

impl<F: Float> Objective<F> for Lpd {
    fn loss(&self, s: &Sample<F>, g: &mut [F], _: &mut [F]) -> f64 {
        g.fill(F::zero());
        let (own, Some(other)) = nearest_pair(s) else { return 0.0 };
        let (a, c) = (s.d[own].f64().sqrt(), s.d[other].f64().sqrt());
        let beta = s.gamma.f64();
        if c == 0.0 {
            // Undecided where both are zero, lost where the own class is farther.
            return if a == 0.0 { 0.5 } else { 1.0 };
        }
        let r = a / c;
        let value = 1.0 / (1.0 + (beta * (1.0 - r)).exp());
        if a > 0.0 {
            let slope = beta * value * (1.0 - value);
            // In this order nothing overflows: r is finite, and the slope is zero where r is huge.
            g[own] = F::of(0.5 * slope / a / c);
            g[other] = F::of(-0.5 * slope * r / c / c);
        }
        value
    }

    fn unit(&self) -> Unit {
        Unit::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ClassLayout;

    /// d⁼ = 1, d^≠ = 4: a = 1, c = 2, r = ½.
    #[test]
    fn loss_and_derivative_match_values_worked_out_by_hand() {
        let classes = ClassLayout::new(&[0, 1], 2);
        let mut g = [0.0f64; 2];
        let s = Sample { d: &[1.0, 4.0], y: 0, classes: &classes, gamma: 10.0 };
        let l = Lpd.loss(&s, &mut g, &mut []);
        let value = 1.0 / (1.0 + 5f64.exp());
        let slope = 10.0 * value * (1.0 - value);
        assert!((l - value).abs() < 1e-15);
        assert!((g[0] - slope / 4.0).abs() < 1e-15 && (g[1] + slope / 16.0).abs() < 1e-15);
    }

    #[test]
    fn a_sample_on_its_prototype_moves_nothing() {
        let classes = ClassLayout::new(&[0, 1], 2);
        let mut g = [1.0f64; 2];
        for d in [[0.0, 4.0], [0.0, 0.0], [4.0, 0.0]] {
            let l = Lpd.loss(&Sample { d: &d, y: 0, classes: &classes, gamma: 10.0 }, &mut g, &mut []);
            assert!(l.is_finite() && g == [0.0, 0.0]);
        }
    }
}
