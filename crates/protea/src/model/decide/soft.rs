//! Shares of the classes in the soft minimum over all prototypes: `p(c|x) ∝ Σ_{j of c} exp(−γ d_j)`.

use super::{Decision, Labels, class_minima, no_class_weights};
use crate::kernel::softmin;
use crate::plan::{ArrayId, Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};

/// The soft minimum over all prototypes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Soft;

impl<F: Float> Decision<F> for Soft {
    fn tag(&self) -> &'static str {
        "soft"
    }

    fn fits(&self, _: Labels) -> bool {
        true
    }

    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        let nearest = class_minima(d, labels);
        let mut sums = vec![0.0; labels.classes];
        for (d, &c) in d.iter().zip(labels.of) {
            sums[c] += (-gamma * (d.f64() - nearest[c].f64())).exp();
        }
        nearest.iter().zip(sums).map(|(d, s): (&F, f64)| s.ln() - gamma * d.f64()).collect()
    }

    /// The shares of the evidence, with the fast exponential.
    fn probabilities(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        let mut w = vec![F::zero(); d.len()];
        softmin(d, F::of(gamma), &mut w);
        let mut q = vec![0.0; labels.classes];
        labels.of.iter().zip(&w).for_each(|(&c, w)| q[c] += w.f64());
        let total: f64 = q.iter().sum();
        q.into_iter().map(|q| q / total).collect()
    }

    fn is_soft_minimum(&self) -> bool {
        true
    }

    fn with_shifts(&self, _: &[f64]) -> Result<Box<dyn Decision<F>>> {
        no_class_weights("soft")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("soft, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("soft")
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        plan.ops.push(Op::SoftLeast { labels: label_array, classes: labels.classes, gamma });
        Ok(None)
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    Ok(Box::new(Soft))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_rule_has_the_limits_of_the_paper() {
        let labels = Labels { of: &[0, 1, 1, 1], classes: 3 };
        let d = [1.0, 1.2, 1.3, 1.4];
        // γ → ∞: the nearest prototype. γ → 0: shares of the prototypes, not of the samples.
        assert_eq!(Soft.probabilities(&d, labels, 1e9), [1.0, 0.0, 0.0]);
        let q = Soft.probabilities(&d, labels, 1e-12);
        assert!((q[0] - 0.25).abs() < 1e-9 && (q[1] - 0.75).abs() < 1e-9 && q[2] == 0.0);
    }
}
