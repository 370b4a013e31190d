//! The nearest prototype of each class: `p(c|x) ∝ exp(−γ d_c)` with `d_c = min_{j of c} d_j`.

use super::{Affine, Decision, Labels, class_minima, lower_least};
use crate::plan::{ArrayId, Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};

/// The nearest prototype of each class.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nearest;

impl<F: Float> Decision<F> for Nearest {
    fn tag(&self) -> &'static str {
        "nearest"
    }

    fn fits(&self, _: Labels) -> bool {
        true
    }

    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        class_minima(d, labels).iter().map(|d| -gamma * d.f64()).collect()
    }

    /// Weights 1, and biases that shift.
    fn with_shifts(&self, shifts: &[f64]) -> Result<Box<dyn Decision<F>>> {
        let biases = shifts.iter().map(|s| F::of(-s)).collect();
        Ok(Box::new(Affine { weights: vec![F::one(); shifts.len()], biases }))
    }

    fn describe(&self, gamma: f64) -> String {
        format!("nearest of each class, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("nearest")
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        lower_least(labels, label_array, &[labels.of.len()], plan);
        plan.ops.push(Op::Multiply { by: -1.0 });
        Ok(Some(gamma))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    Ok(Box::new(Nearest))
}
