//! GLVQ: generalised learning vector quantisation; with other metrics GRLVQ, GMLVQ and LGMLVQ.
//!
//! # Loss
//! ```text
//! L = φ(μ) − floor,    μ = (d⁺ − d⁻) / (d⁺ + d⁻)   ∈ [−1, 1]
//! φ(μ) = 1/(1 + e^{−βμ})  (sigmoid),   μ  (identity),   μ/(1 + e^{−βμ})  (swish)
//! ```
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | d₁, d₂ | `dp`, `dm` | squared distance to the nearest prototype of the own class / of another class |
//! | μ(x) | `mu` | relative difference, negative where the sample is decided rightly |
//! | β | `gamma` | slope of φ, raised by the schedule |
//! | Λ = ΩᵀΩ | metric | diagonal in GRLVQ, one matrix in GMLVQ, one for each class in LGMLVQ |
//!
//! # Derivative
//! `∂μ/∂d⁺ = 2d⁻/(d⁺+d⁻)²` and `∂μ/∂d⁻ = −2d⁺/(d⁺+d⁻)²`, times `φ′`.
//!
//! # Reference
//! Sato & Yamada: "Generalized Learning Vector Quantization", NIPS 1995. Hammer & Villmann: "Generalized Relevance Learning
//! Vector Quantization", Neural Networks 2002. Schneider, Biehl & Hammer: "Adaptive Relevance Matrices in Learning Vector
//! Quantization", Neural Computation 2009.
//!
//! # Departures
//! A sample that lies on prototypes of both classes (`d⁺ = d⁻ = 0`) has `μ = 0` and no derivative. Losses are less the
//! smallest value of φ, so that they are never negative. Matrices have the norm of the identity in place of 1; it is only a scale.

use super::pair::nearest_pair;
use super::{Objective, Sample, Unit};
use crate::Float;
use crate::settings::{named_enum, settings};

named_enum! {
    /// What is summed over samples.
    pub enum Activation {
        /// `1/(1 + e^{−βμ})`: far mistakes count no more than near ones.
        Sigmoid = "sigmoid",
        /// `μ`.
        Identity = "identity",
        /// `μ/(1 + e^{−βμ})`.
        Swish = "swish",
    }
}

settings! {
    /// The GLVQ objective.
    pub struct Glvq {
        /// Activation function of the relative distance difference.
        ///
        /// Its slope β is the setting gamma, which training raises by the factor anneal.
        activation("activation"): Activation = Activation::Sigmoid;
    }
}

impl Glvq {
    /// φ less its smallest value, and φ′.
    fn phi(&self, mu: f64, beta: f64) -> (f64, f64) {
        let s = 1.0 / (1.0 + (-beta * mu).exp());
        match self.activation {
            Activation::Sigmoid => (s, beta * s * (1.0 - s)),
            Activation::Identity => (mu + 1.0, 1.0),
            // The minimum of z/(1 + e^{−z}) is −0.27846…
            Activation::Swish => (mu * s + 0.278_464_543 / beta, s + beta * mu * s * (1.0 - s)),
        }
    }
}

impl<F: Float> Objective<F> for Glvq {
    fn loss(&self, s: &Sample<F>, g: &mut [F], _: &mut [F]) -> f64 {
        g.fill(F::zero());
        let beta = s.gamma.f64();
        let (a, Some(b)) = nearest_pair(s) else { return self.phi(-1.0, beta).0 };
        let (dp, dm) = (s.d[a].f64(), s.d[b].f64());
        let sum = dp + dm;
        if sum == 0.0 {
            return self.phi(0.0, beta).0;
        }
        let (value, slope) = self.phi((dp - dm) / sum, beta);
        g[a] = F::of(slope * 2.0 * (dm / sum) / sum);
        g[b] = F::of(-slope * 2.0 * (dp / sum) / sum);
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

    /// d⁺ = 1 and d⁻ = 3: μ = −½, ∂μ/∂d⁺ = 6/16, ∂μ/∂d⁻ = −2/16.
    #[test]
    fn losses_and_derivatives_match_values_worked_out_by_hand() {
        let classes = ClassLayout::new(&[0, 0, 1], 2);
        let s = Sample { d: &[2.0, 1.0, 3.0], y: 0, classes: &classes, gamma: 2.0 };
        let mut g = [0.0; 3];
        let glvq = Glvq { activation: Activation::Identity };
        assert_eq!(glvq.loss(&s, &mut g, &mut []), 0.5);
        assert_eq!(g, [0.0, 0.375, -0.125]);
        let l = Glvq::default().loss(&s, &mut g, &mut []);
        let phi = 1.0 / (1.0 + 1f64.exp());
        assert!((l - phi).abs() < 1e-15 && (g[1] - 0.375 * 2.0 * phi * (1.0 - phi)).abs() < 1e-15);
    }
}
