//! Inverse distances: `p(c|x) ∝ δ_c^{−α}` with the (unsquared) distance `δ_c` to the nearest prototype of the class; α in the place
//! of γ.

use super::{Decision, Labels, class_minima, lower_least, no_class_weights};
use crate::plan::{ArrayId, Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::ArrayView2;

/// Powers of the inverse distance to the nearest prototype of each class.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inverse;

impl<F: Float> Decision<F> for Inverse {
    fn tag(&self) -> &'static str {
        "inverse"
    }

    fn fits(&self, _: Labels) -> bool {
        true
    }

    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        let nearest = class_minima(d, labels);
        nearest.iter().map(|d| -0.5 * gamma * d.f64().max(f64::MIN_POSITIVE).ln()).collect()
    }

    fn gamma_range(&self, _: ArrayView2<F>) -> (f64, f64) {
        (0.1, 1e3)
    }

    fn memorised_gamma(&self, _: ArrayView2<F>, dim: usize) -> f64 {
        dim as f64
    }

    fn with_shifts(&self, _: &[f64]) -> Result<Box<dyn Decision<F>>> {
        no_class_weights("inverse")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("inverse distances, α = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("inverse")
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        lower_least(labels, label_array, &[labels.of.len()], plan);
        plan.ops.push(Op::InverseLog);
        Ok(Some(gamma))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    Ok(Box::new(Inverse))
}
