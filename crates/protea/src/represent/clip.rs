//! Smooth clipping: values far from the centre are drawn in, so that outliers do not rule distances.
//!
//! # Formula
//! `z = x / √(1 + (x / 3)²)`, between −3 and 3 and close to `x` near 0. Scaling to quartiles comes before.
//!
//! # Reference
//! Holzmüller, Grinsztajn, Steinwart: "Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data", NeurIPS
//! 2024, section 3.

use super::{Nature, Step, in_place, rows_of};
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayViewMut2};

/// Where clipped values end.
const LIMIT: f64 = 3.0;
/// A prototype beyond this share of the limit is shown as if it were there.
const SHOWN: f64 = 0.999;

/// The step that draws values into the range from −3 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmoothClip;

impl SmoothClip {
    /// The clipped value.
    pub fn clip(x: f64) -> f64 {
        x / (1.0 + (x / LIMIT).powi(2)).sqrt()
    }

    /// The value that is clipped to `z`.
    pub fn unclip(z: f64) -> f64 {
        let share = (z / LIMIT).clamp(-SHOWN, SHOWN);
        LIMIT * share / (1.0 - share * share).sqrt()
    }
}

fn each<F: Float>(mut x: ArrayViewMut2<F>, f: fn(f64) -> f64) {
    x.mapv_inplace(|v| F::of(f(v.f64())));
}

impl<F: Float> Step<F> for SmoothClip {
    fn output_dim(&self, input: usize) -> Option<usize> {
        Some(input)
    }

    fn apply(&self, mut x: Array2<F>) -> Array2<F> {
        in_place(&mut x, |block| each(block, Self::clip));
        x
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        each(rows_of(rows, dim), Self::clip);
        dim
    }

    fn invert(&self, mut z: Array2<F>) -> Array2<F> {
        in_place(&mut z, |block| each(block, Self::unclip));
        z
    }

    fn nature(&self) -> Nature {
        Nature::PerFeature
    }

    fn size(&self) -> usize {
        1
    }

    fn describe(&self) -> String {
        format!("smoothly clipped to ±{LIMIT}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("smooth-clip")
    }

    fn lower(&self, _: &mut Plan) -> Result<Op> {
        Ok(Op::SmoothClip { limit: LIMIT })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    Ok(Box::new(SmoothClip))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_is_smooth_bounded_and_undone() {
        assert_eq!(SmoothClip::clip(4.0), 4.0 / (25.0f64 / 9.0).sqrt());
        assert!((SmoothClip::clip(0.01) - 0.01).abs() < 1e-7);
        assert!(SmoothClip::clip(1e18) <= LIMIT && SmoothClip::clip(-1e18) >= -LIMIT);
        for x in [-20.0, -1.0, 0.0, 0.5, 30.0] {
            assert!((SmoothClip::unclip(SmoothClip::clip(x)) - x).abs() < 1e-9 * (1.0 + x.abs()));
        }
        assert!(SmoothClip::unclip(5.0).is_finite());
    }
}
