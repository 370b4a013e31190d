//! Crammer and Singer's machine: one problem over all classes together.
//!
//! # Problem
//! ```text
//! min_w  ½ Σ_c |w_c|² + Σ_i C_i ξ_i,    ξ_i = max_c ( w_c·x_i − w_{y_i}·x_i + e_ic ),    e_ic = 1[c ≠ y_i]
//! ```
//! with its dual
//! ```text
//! min_α  ½ Σ_c |w_c|² + Σ_i Σ_c e_ic α_ic,    w_c = Σ_i α_ic x_i
//! s.t.   Σ_c α_ic = 0,    α_ic ≤ C_ic,    C_ic = C_i 1[c = y_i]
//! ```
//! # Algorithm
//! The dual is solved for the row `α_i` of one sample at a time, exactly, with all others held. Letters: `g_c = w_c·x_i +
//! e_ic`, the gradient; `a = |x_i|²`; `b_c = g_c − a α_ic`. The solution is `α_ic = min(C_ic, (β − b_c)/a)` with the one
//! `β` for which they sum to 0. With `d_c = b_c + a C_ic` that is
//! ```text
//! Σ_c max(0, d_c − β) = a C_i
//! ```
//! the threshold of a projection onto a simplex. A sample violates optimality by `max_c g_c − min { g_c : α_ic < C_ic }`.
//!
//! # Reference
//! Keerthi, Sundararajan, Chang, Hsieh, Lin: A Sequential Dual Method for Large Scale Multi-Class Linear SVMs, KDD 2008;
//! the problem is Crammer & Singer, JMLR 2001.
//!
//! # Departures
//! The threshold is found by rounds over all classes instead of sorting them: each round averages over those above the
//! last threshold, which can only rise, until none falls below; no branches, so it vectorises. Samples are set aside
//! (shrunk) as a whole, not class by class.

use super::{Problem, Solution};
use crate::kernel::{Kernel, simd};
use crate::progress::Stop;
use crate::rng;
use ndarray::Array2;
use rand::seq::SliceRandom;

/// Classes are padded to a multiple of this, so that loops over them have no tail.
const LANES: usize = 8;

/// Differences between multipliers below this share of the price are taken for rounding errors.
const ROUNDING: f64 = 1e-14;

/// Weights and multipliers of all samples, classes padded to `stride`.
struct State {
    stride: usize,
    /// `(dim + 1) × stride`: all classes of a feature side by side, the bias last.
    w: Vec<f64>,
    /// `n × stride`.
    alpha: Vec<f64>,
    /// `a` of each sample.
    squares: Vec<f64>,
    /// Samples in the order of visits; those from `active` on are set aside.
    order: Vec<usize>,
    active: usize,
}

pub(super) fn solve(p: &Problem, stop: Stop) -> Solution {
    let stride = p.classes.next_multiple_of(LANES);
    let order = p.samples();
    let mut state = State {
        stride,
        w: vec![0.0; (p.rows.dim() + 1) * stride],
        alpha: vec![0.0; p.y.len() * stride],
        squares: (0..p.y.len()).map(|i| p.square(i)).collect(),
        active: order.len(),
        order,
    };
    let mut rng = rng(p.svm.seed, "svm");
    // Samples at a bound are set aside when their slack exceeds the largest violation of the pass before.
    let mut reach = f64::INFINITY;
    let (mut passes, mut converged) = (0, false);
    while passes < p.svm.max_passes && !stop.raised() {
        passes += 1;
        let all = state.active == state.order.len();
        let active = state.active;
        state.order[..active].shuffle(&mut rng);
        let worst = simd::run(Pass { p, state: &mut state, reach });
        if worst > p.svm.tolerance {
            reach = worst;
        } else if all {
            converged = true;
            break;
        } else {
            state.active = state.order.len();
            reach = f64::INFINITY;
        }
    }
    let w = Array2::from_shape_fn((p.classes, p.rows.dim() + 1), |(c, j)| state.w[j * stride + c]);
    // −Σ_c e_ic α_ic is α of the true class, as the row sums to 0.
    let bound = p.y.iter().enumerate().map(|(i, &y)| state.alpha[i * stride + y]).sum::<f64>()
        - 0.5 * w.iter().map(|v| v * v).sum::<f64>();
    Solution { w, bound, passes, converged }
}

/// One pass over the active samples; returns the largest violation that was met.
struct Pass<'a> {
    p: &'a Problem<'a>,
    state: &'a mut State,
    reach: f64,
}

impl Kernel for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Pass { p, state, reach } = self;
        let stride = state.stride;
        let [mut g, mut d, mut caps] = [(); 3].map(|()| vec![0.0; stride]);
        let (mut worst, mut at) = (0.0f64, 0);
        while at < state.active {
            let i = state.order[at];
            let (y, cost) = (p.y[i], p.costs[i]);
            gradient(p, state, i, &mut g);
            let alpha = &mut state.alpha[i * stride..(i + 1) * stride];
            caps[y] = cost;
            let violation = violation(&g, alpha, &caps);
            caps[y] = 0.0;
            if -violation > reach {
                state.active -= 1;
                state.order.swap(at, state.active);
                continue;
            }
            at += 1;
            if violation <= 0.0 {
                continue;
            }
            worst = worst.max(violation);
            let a = state.squares[i];
            for ((d, &g), &alpha) in d.iter_mut().zip(&g).zip(&*alpha) {
                *d = g - a * alpha;
            }
            d[y] += a * cost;
            let beta = threshold(&d, a * cost);
            d[y] -= a * cost;
            caps[y] = cost;
            let groups =
                alpha.chunks_exact_mut(LANES).zip(d.chunks_exact(LANES)).zip(caps.chunks_exact(LANES));
            for (k, ((alpha, d), caps)) in groups.enumerate() {
                let mut changes = [0.0; LANES];
                for (((change, alpha), &d), &cap) in changes.iter_mut().zip(alpha).zip(d).zip(caps) {
                    let new = (beta - d) / a;
                    // What is below its bound by rounding alone would count as free for ever.
                    let new = if cap - new > ROUNDING * cost { new } else { cap };
                    let moved = (new - *alpha).abs() > ROUNDING * cost;
                    *change = if moved { new - *alpha } else { 0.0 };
                    *alpha = if moved { new } else { *alpha };
                }
                // Most classes stay at their bounds.
                if changes.iter().fold(false, |any, &c| any | (c != 0.0)) {
                    let add = |w: &mut [f64], v: f64| {
                        w.iter_mut().zip(changes).for_each(|(w, c)| *w = c.mul_add(v, *w));
                    };
                    for (j, v) in p.rows.row(i).entries() {
                        add(&mut state.w[j * stride + k * LANES..][..LANES], v);
                    }
                    if p.svm.bias {
                        add(&mut state.w[p.rows.dim() * stride + k * LANES..][..LANES], 1.0);
                    }
                }
            }
            caps[y] = 0.0;
        }
        worst
    }
}

/// `g_c = w_c·x_i + 1[c ≠ y_i]`; −∞ for the padding.
#[inline(always)]
fn gradient(p: &Problem, state: &State, i: usize, g: &mut [f64]) {
    let mut at = 0;
    while at < state.stride {
        // As many classes together as there are, so that the entries of the row are read once.
        at += match state.stride - at {
            32.. => scores::<32>(p, state, i, at, g),
            16.. => scores::<16>(p, state, i, at, g),
            _ => scores::<LANES>(p, state, i, at, g),
        };
    }
    g[p.y[i]] -= 1.0;
    g[p.classes..].fill(f64::NEG_INFINITY);
}

/// `w_c·x_i + 1` of `N` classes from `at` on; returns `N`.
#[inline(always)]
fn scores<const N: usize>(p: &Problem, state: &State, i: usize, at: usize, g: &mut [f64]) -> usize {
    let weights = |j: usize| &state.w[j * state.stride + at..][..N];
    let mut sums = [0.0; N];
    sums.copy_from_slice(weights(p.rows.dim()));
    for (j, v) in p.rows.row(i).entries() {
        sums.iter_mut().zip(weights(j)).for_each(|(s, &w)| *s = v.mul_add(w, *s));
    }
    g[at..at + N].iter_mut().zip(sums).for_each(|(g, s)| *g = s + 1.0);
    N
}

/// `max_c g_c − min { g_c : α_c < C_c }`. Where only one class is below its bound and leads, minus its lead.
#[inline(always)]
fn violation(g: &[f64], alpha: &[f64], caps: &[f64]) -> f64 {
    let (mut bounded, mut low) = ([f64::NEG_INFINITY; LANES], [f64::INFINITY; LANES]);
    let (mut high, mut free) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
    let groups = g.chunks_exact(LANES).zip(alpha.chunks_exact(LANES)).zip(caps.chunks_exact(LANES));
    for ((g, alpha), caps) in groups {
        for k in 0..LANES {
            let (is_free, g) = (alpha[k] < caps[k], g[k]);
            free[k] += if is_free { 1.0 } else { 0.0 };
            high[k] = if g > high[k] { g } else { high[k] };
            low[k] = if is_free & (g < low[k]) { g } else { low[k] };
            bounded[k] = if !is_free & (g > bounded[k]) { g } else { bounded[k] };
        }
    }
    let largest =
        |lanes: [f64; LANES]| lanes.into_iter().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
    let low = low.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    if free.iter().sum::<f64>() == 1.0 { largest(bounded) - low } else { largest(high) - low }
}

/// The `β` with `Σ_c max(0, d_c − β) = mass > 0`.
///
/// For any `β` below the solution, the mean of the `d_c` above it, less its share of the mass, is a better one below.
#[inline(always)]
fn threshold(d: &[f64], mass: f64) -> f64 {
    let mut beta = d.iter().fold(f64::NEG_INFINITY, |m, &v| if v > m { v } else { m }) - mass;
    loop {
        let (mut sums, mut counts) = ([0.0; LANES], [0.0; LANES]);
        for d in d.chunks_exact(LANES) {
            for ((s, n), &d) in sums.iter_mut().zip(&mut counts).zip(d) {
                *s += if d > beta { d } else { 0.0 };
                *n += if d > beta { 1.0 } else { 0.0 };
            }
        }
        let next = (sums.iter().sum::<f64>() - mass) / counts.iter().sum::<f64>();
        // Nothing is above it (−∞) when the mass is below the last digit of the largest.
        if next.is_nan() || next <= beta {
            return beta;
        }
        beta = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_leaves_the_mass_above_it() {
        // By hand: 3, 2 and 1 above 0 hold 6; above 1.5 they hold 1.5 + 0.5.
        let d =
            [3.0, 1.0, 2.0, -4.0, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        assert_eq!(threshold(&d, 6.0), 0.0);
        assert_eq!(threshold(&d, 2.0), 1.5);
        assert_eq!(threshold(&d, 0.25), 2.75);
        assert_eq!(threshold(&d, 12.0), -2.0);
    }

    #[test]
    fn violations_of_the_conditions() {
        // Three classes and padding; the true class is 0 with a price of 2.
        let violation = |g: [f64; 3], alpha: [f64; 3]| {
            let pad = |v: [f64; 3], with: f64| std::array::from_fn(|c| v.get(c).copied().unwrap_or(with));
            let (g, alpha): ([f64; LANES], [f64; LANES]) = (pad(g, f64::NEG_INFINITY), pad(alpha, 0.0));
            super::violation(&g, &alpha, &pad([2.0, 0.0, 0.0], 0.0) as &[f64; LANES])
        };
        // Nothing assigned yet: only the true class is below its bound.
        assert_eq!(violation([0.0, 1.0, 0.5], [0.0, 0.0, 0.0]), 1.0);
        assert_eq!(violation([3.0, 1.0, 0.5], [0.0, 0.0, 0.0]), -2.0);
        // Own class and class 1 are free.
        assert_eq!(violation([1.0, 1.25, 0.5], [0.5, -0.5, 0.0]), 0.25);
        // Own class at its bound, all of it taken from class 1, which leads by 0.25.
        assert_eq!(violation([1.0, 1.25, 0.5], [2.0, -2.0, 0.0]), -0.25);
    }
}
