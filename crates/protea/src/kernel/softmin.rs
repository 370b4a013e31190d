//! The soft minimum over a row of distances: the one kernel behind every soft assignment.
//!
//! Slow version:
//! ```text
//! w_j = exp(−γ (d_j − min_l d_l))
//! ```
//! Subtracting the minimum first keeps the largest weight at 1 for any γ and any distance. The fast version runs the
//! minimum in sixteen lanes and a polynomial exponential, compiled for the widest vectors of the machine.

use super::rows::row_min;
use super::simd::{self, Kernel};
use crate::Float;

/// Writes `exp(−γ (d_j − min d))` and returns the minimum; the weights are not yet normalised.
///
/// Meant to be inlined into a [`Kernel`](super::simd::Kernel).
#[inline(always)]
pub(crate) fn softmin_inline<F: Float>(d: &[F], gamma: F, w: &mut [F]) -> F {
    let min = row_min(d);
    for (w, &d) in w.iter_mut().zip(d) {
        *w = (-(gamma * (d - min))).exp_fast();
    }
    min
}

/// [`softmin_inline`] for callers that are no kernel themselves.
pub(crate) fn softmin<F: Float>(d: &[F], gamma: F, w: &mut [F]) -> F {
    simd::run(Softmin { d, gamma, w })
}

struct Softmin<'a, F> {
    d: &'a [F],
    gamma: F,
    w: &'a mut [F],
}

impl<F: Float> Kernel for Softmin<'_, F> {
    type Output = F;

    #[inline(always)]
    fn run(self) -> F {
        softmin_inline(self.d, self.gamma, self.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_match_the_naive_formula_in_both_types() {
        for m in [1, 2, 15, 16, 17, 100] {
            let d: Vec<f64> = (0..m).map(|j| ((j * 37 + 11) % 23) as f64 * 0.3).collect();
            let min = d.iter().cloned().fold(f64::INFINITY, f64::min);
            let naive: Vec<f64> = d.iter().map(|v| (-1.7 * (v - min)).exp()).collect();
            let mut w = vec![0.0; m];
            assert_eq!(softmin(&d, 1.7, &mut w), min);
            assert!(w.iter().zip(&naive).all(|(a, b)| (a - b).abs() < 1e-14));
            let d: Vec<f32> = d.iter().map(|&v| v as f32).collect();
            let mut w = vec![0.0f32; m];
            softmin(&d, 1.7, &mut w);
            assert!(w.iter().zip(&naive).all(|(a, b)| (*a as f64 - b).abs() < 3e-6));
        }
    }

    #[test]
    fn extreme_rows_stay_finite() {
        let mut w = [0.0f32; 3];
        softmin(&[1e30, 0.0, f32::MAX], 1e10, &mut w);
        assert_eq!(w, [0.0, 1.0, 0.0]);
        softmin(&[1e-30, 1e-30, 2e-30], 1.0, &mut w);
        assert_eq!(w, [1.0, 1.0, 1.0]);
        assert_eq!(row_min::<f64>(&[]), f64::INFINITY);
    }
}
