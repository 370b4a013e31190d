//! DMPL: large-margin prototypes and metric; with parts held fixed kNPL and LMNP.
//!
//! # Loss
//! ```text
//! E = Σ_{j ∈ T} [ (1 − μ) d_j + μ Σ_{l of other classes} max(0, 1 + d_j − d_l) ]
//! ```
//! where `T` are the κ nearest prototypes of the own class, its targets, and distances and margin are in units of the mean
//! distance to the nearest prototype of the own class at the start.
//!
//! # Symbols
//! | paper | here | meaning |
//! |---|---|---|
//! | η_jl, j ⇝ i | targets | nearest prototypes of the own class |
//! | μ | `mu` | weight of the push against the pull |
//! | κ | `kappa` | number of targets |
//!
//! # Derivative
//! With `a_jl = 1` where the hinge of target `j` and rival `l` is active: `∂E/∂d_j = (1 − μ) + μ Σ_l a_jl` and
//! `∂E/∂d_l = −μ Σ_j a_jl`. Sums of the κ smallest distances are continuous, so targets may change from step to step.
//!
//! # Reference
//! Köstinger, Wohlhart, Roth, Bischof: "Joint Learning of Discriminative Prototypes and Large Margin Nearest Neighbor
//! Classifiers", ICCV 2013.
//!
//! # Departures
//! The unit margin is not free of scale; γ, calibrated once, makes it so, and the margin in that unit is chosen on a part of the
//! training samples. The derivative by one rival sums over the targets that
//! are active with it (in the paper's eq. 9 that sum is lost). Adam over prototypes and a matrix `A` of fixed norm is the
//! default; `--optimizer alternating` is the paper's way over `M = AᵀA` with projections onto the positive semi-definite cone.

use super::{Objective, Sample, Unit};
use crate::Float;
use crate::kernel::{Kernel, argmin, k_smallest, simd};
use crate::settings::settings;

settings! {
    /// The DMPL objective.
    pub struct Dmpl {
        /// Weight of pushing other classes away, against pulling the sample's own class near.
        mu("mu"): f64 = 0.9, |v| (0.0..=1.0).contains(v), "a number from 0 to 1";
        /// Target prototypes per sample: the nearest ones of its class.
        kappa("kappa"): usize = 1, |v| *v > 0, "a number ≥ 1";
        /// Margin between targets and other classes; none chooses it on held-out training samples.
        ///
        /// In units of the mean distance to the nearest target; the candidates are 1, 0.5 and 2.
        margin("margin"): Option<f64> = None, |v| v.is_none_or(|m| m >= 0.0 && m.is_finite()), "none or a number ≥ 0";
    }
}

impl<F: Float> Objective<F> for Dmpl {
    fn loss(&self, s: &Sample<F>, g: &mut [F], _: &mut [F]) -> f64 {
        g.fill(F::zero());
        let own = s.classes.range(s.y);
        let gamma = s.gamma.f64();
        let push = F::of(-self.mu * gamma);
        let several;
        let targets = if self.kappa == 1 {
            &[argmin(&s.d[own.clone()])][..]
        } else {
            several = k_smallest(&s.d[own.clone()], self.kappa);
            &several[..]
        };
        let mut loss = 0.0;
        for j in targets.iter().map(|j| own.start + j) {
            let limit = s.d[j] + F::of(self.margin.unwrap_or(1.0) / gamma);
            let (mut active, mut excess) = (0.0, 0.0);
            for range in [0..own.start, own.end..s.d.len()] {
                let (n, sum) = simd::run(Push { d: &s.d[range.clone()], limit, push, g: &mut g[range] });
                active += n;
                excess += sum;
            }
            loss += gamma * ((1.0 - self.mu) * s.d[j].f64() + self.mu * excess);
            g[j] += F::of(gamma * ((1.0 - self.mu) + self.mu * active));
        }
        loss
    }

    fn unit(&self) -> Unit {
        Unit::OwnDistance
    }
}

/// Adds `push` to `g` where `d < limit`; number of such places and the sum of `limit − d` over them.
struct Push<'a, F> {
    d: &'a [F],
    limit: F,
    push: F,
    g: &'a mut [F],
}

impl<F: Float> Kernel for Push<'_, F> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run(self) -> (f64, f64) {
        let (mut count, mut sum) = ([F::zero(); 8], [F::zero(); 8]);
        let mut step = |lane: usize, d: F, g: &mut F| {
            let inside = if d < self.limit { F::one() } else { F::zero() };
            count[lane] += inside;
            // A distance beyond the limit may be infinite; only those inside are added.
            sum[lane] += if d < self.limit { self.limit - d } else { F::zero() };
            *g += inside * self.push;
        };
        let n = self.d.len() / 8 * 8;
        for (d, g) in self.d[..n].chunks_exact(8).zip(self.g[..n].chunks_exact_mut(8)) {
            for lane in 0..8 {
                step(lane, d[lane], &mut g[lane]);
            }
        }
        for (lane, (&d, g)) in self.d[n..].iter().zip(&mut self.g[n..]).enumerate() {
            step(lane, d, g);
        }
        (count.iter().map(|c| c.f64()).sum(), sum.iter().map(|s| s.f64()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ClassLayout;

    fn loss(dmpl: Dmpl, d: &[f64], y: usize) -> (f64, Vec<f64>) {
        let classes = ClassLayout::new(&[0, 0, 1, 1], 2);
        let mut g = vec![0.0; 4];
        let l = dmpl.loss(&Sample { d, y, classes: &classes, gamma: 1.0 }, &mut g, &mut []);
        (l, g)
    }

    /// Own distances 1 and 2, others 1.5 and 4; margin 1. Target 1 has the rival 1.5 inside (hinge 0.5); target 2 has it
    /// with hinge 1.5.
    #[test]
    fn energy_and_derivative_match_values_worked_out_by_hand() {
        let d = [1.0, 2.0, 1.5, 4.0];
        let half = Dmpl { mu: 0.5, ..Dmpl::default() };
        assert_eq!(loss(half.clone(), &d, 0), (0.5 + 0.25, vec![1.0, 0.0, -0.5, 0.0]));
        let two = Dmpl { kappa: 2, ..half };
        assert_eq!(loss(two, &d, 0), (0.5 * (1.0 + 2.0) + 0.5 * (0.5 + 1.5), vec![1.0, 1.0, -1.0, 0.0]));
    }

    #[test]
    fn without_push_targets_are_pulled_and_without_rivals_nothing_is_pushed() {
        assert_eq!(
            loss(Dmpl { mu: 0.0, ..Dmpl::default() }, &[3.0, 2.0, 0.1, 0.2], 0),
            (2.0, vec![0.0, 1.0, 0.0, 0.0])
        );
        assert_eq!(loss(Dmpl { mu: 1.0, ..Dmpl::default() }, &[1.0, 2.0, 9.0, 8.0], 0), (0.0, vec![0.0; 4]));
    }

    #[test]
    fn equal_own_distances_are_targets_one_after_the_other() {
        let (l, g) = loss(Dmpl { mu: 0.0, kappa: 2, ..Dmpl::default() }, &[1.0, 1.0, 5.0, 5.0], 0);
        assert_eq!((l, g), (2.0, vec![1.0, 1.0, 0.0, 0.0]));
        let (l, g) = loss(Dmpl { mu: 0.0, ..Dmpl::default() }, &[1.0, 1.0, 5.0, 5.0], 0);
        assert_eq!((l, g), (1.0, vec![1.0, 0.0, 0.0, 0.0]));
    }
}
