//! Each class against the rest, by dual coordinate descent.
//!
//! # Problem
//! For each class, with `s_i = +1` for its own samples and −1 for the others,
//! ```text
//! min_w  ½ |w|² + Σ_i C_i ξ_i^p,    ξ_i = max(0, 1 − s_i w·x_i),    p = 1 (hinge) or 2 (squared hinge)
//! ```
//! with its dual
//! ```text
//! min_α  ½ |w|² + ½ Σ_i r_i α_i² − Σ_i α_i,    w = Σ_i s_i α_i x_i,    0 ≤ α_i ≤ u_i
//! ```
//! where `r_i = 0, u_i = C_i` for the hinge and `r_i = 1/(2 C_i), u_i = ∞` for its square.
//!
//! # Algorithm
//! One `α_i` at a time to its optimum: `α_i ← α_i − g/(|x_i|² + r_i)`, cut off at the bounds, with the gradient
//! `g = s_i w·x_i − 1 + r_i α_i`. Samples whose gradient pushes them against a bound by more than any violation of the
//! pass before are set aside; in the end all are visited once more.
//!
//! # Reference
//! Hsieh, Chang, Lin, Keerthi, Sundararajan: A Dual Coordinate Descent Method for Large-scale Linear SVM, ICML 2008
//! (algorithm 3).

use super::{Problem, Solution, SvmLoss};
use crate::kernel::parallel::*;
use crate::progress::Stop;
use crate::rng;
use ndarray::Array2;
use rand::seq::SliceRandom;

/// The machine of one class.
struct Binary {
    /// `dim + 1`, the bias last.
    w: Vec<f64>,
    bound: f64,
    passes: usize,
    converged: bool,
}

pub(super) fn solve(p: &Problem, stop: Stop) -> Solution {
    let squares: Vec<f64> = (0..p.y.len()).map(|i| p.square(i)).collect();
    let class = |c: usize| binary(p, &squares, c, stop);
    let machines: Vec<Binary> = (0..p.classes).into_par_iter().map(class).collect();
    Solution {
        w: Array2::from_shape_fn((p.classes, p.rows.dim() + 1), |(c, j)| machines[c].w[j]),
        bound: machines.iter().map(|m| m.bound).sum(),
        passes: machines.iter().map(|m| m.passes).max().unwrap_or(0),
        converged: machines.iter().all(|m| m.converged),
    }
}

fn binary(p: &Problem, squares: &[f64], class: usize, stop: Stop) -> Binary {
    let (dim, bias) = (p.rows.dim(), if p.svm.bias { 1.0 } else { 0.0 });
    let squared = p.svm.loss == SvmLoss::SquaredHinge;
    let ridge = |i: usize| if squared { 0.5 / p.costs[i] } else { 0.0 };
    let cap = |i: usize| if squared { f64::INFINITY } else { p.costs[i] };
    let sign = |i: usize| if p.y[i] == class { 1.0 } else { -1.0 };

    let mut order = p.samples();
    let mut active = order.len();
    let mut alpha = vec![0.0; p.y.len()];
    let mut w = vec![0.0; dim + 1];
    let mut rng = rng(p.svm.seed, &format!("svm class {class}"));
    // Largest push below the lower and above the upper bound in the pass before.
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut passes, mut converged) = (0, false);
    while passes < p.svm.max_passes && !stop.raised() {
        passes += 1;
        let all = active == order.len();
        order[..active].shuffle(&mut rng);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut at = 0;
        while at < active {
            let i = order[at];
            let row = p.rows.row(i);
            let g = sign(i) * (row.dot(&w) + bias * w[dim]) - 1.0 + ridge(i) * alpha[i];
            // What is left of the gradient when steps against a bound are taken away.
            let step = match alpha[i] {
                0.0 if g > high => None,
                0.0 => Some(g.min(0.0)),
                a if a == cap(i) && g < low => None,
                a if a == cap(i) => Some(g.max(0.0)),
                _ => Some(g),
            };
            let Some(step) = step else {
                active -= 1;
                order.swap(at, active);
                continue;
            };
            at += 1;
            (least, most) = (least.min(step), most.max(step));
            if step.abs() > 1e-12 {
                let new = (alpha[i] - g / (squares[i] + ridge(i))).clamp(0.0, cap(i));
                let change = sign(i) * (new - alpha[i]);
                alpha[i] = new;
                row.add_to(change, &mut w);
                w[dim] += bias * change;
            }
        }
        if active == 0 || most.max(-least) <= p.svm.tolerance {
            if all {
                converged = true;
                break;
            }
            active = order.len();
            (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        } else {
            low = if least < 0.0 { least } else { f64::NEG_INFINITY };
            high = if most > 0.0 { most } else { f64::INFINITY };
        }
    }
    let used = order.iter().map(|&i| alpha[i] - 0.5 * ridge(i) * alpha[i] * alpha[i]);
    let bound = used.sum::<f64>() - 0.5 * w.iter().map(|v| v * v).sum::<f64>();
    Binary { w, bound, passes, converged }
}
