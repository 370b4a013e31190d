//! The weights of a support, fitted again: not negative, and summing to at most 1.
//!
//! # Problem
//! ```text
//! min ½ |q − Σ_j w_j x_j|²    over w ≥ 0, Σ_j w_j ≤ 1
//! ```
//! The feasible weights are the hull of 0 and the unit vectors, so with the gradient `g` the value is at most
//! `g·w − min(0, min_j g_j)` above the minimum: projected gradient steps with momentum end where that is small.
//! # Departures
//! The paper of INN mentions a refined variant and that it brings no significant advantage; this is a reconstruction.

use super::dictionary::{dot, length, subtract};
use super::{Code, Dictionary};
use crate::Float;

/// Gap to the minimum that is left, as a share of `½ |q|²`.
const GAP: f64 = 1e-8;
const MOST_STEPS: usize = 2000;

/// The code with its weights fitted again; it is never worse than before.
pub(super) fn refine<F: Float>(dictionary: &Dictionary<F>, q: &[F], code: Code<F>) -> Code<F> {
    let n = code.atoms.len();
    let gram: Vec<f64> =
        (0..n * n).map(|k| dictionary.product(code.atoms[k / n], code.atoms[k % n])).collect();
    let b: Vec<f64> = code.atoms.iter().map(|&j| dot(q, dictionary.atom(j))).collect();
    // The largest sum of a row bounds the curvature.
    let curvature = gram.chunks(n.max(1)).map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max);
    if curvature == 0.0 {
        return code;
    }
    let gradient = |w: &[f64]| -> Vec<f64> {
        gram.chunks(n)
            .zip(&b)
            .map(|(row, b)| row.iter().zip(w).map(|(g, w)| g * w).sum::<f64>() - b)
            .collect()
    };
    let goal = GAP * 0.5 * dot(q, q);
    let mut w: Vec<f64> = code.weights.iter().map(|w| w.f64()).collect();
    let (mut ahead, mut momentum) = (w.clone(), 1.0);
    for _ in 0..MOST_STEPS {
        let g = gradient(&w);
        let along: f64 = g.iter().zip(&w).map(|(g, w)| g * w).sum();
        if along - g.iter().copied().fold(0.0, f64::min) <= goal {
            break;
        }
        let mut next: Vec<f64> = ahead.iter().zip(gradient(&ahead)).map(|(w, g)| w - g / curvature).collect();
        project(&mut next);
        // Momentum that points uphill is dropped.
        let uphill: f64 = ahead.iter().zip(&next).zip(&w).map(|((a, n), w)| (a - n) * (n - w)).sum();
        let faster =
            if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0f64 + 4.0 * momentum * momentum).sqrt()) };
        let push = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / faster };
        ahead = next.iter().zip(&w).map(|(n, w)| n + push * (n - w)).collect();
        (w, momentum) = (next, faster);
    }
    let weights: Vec<F> = w.into_iter().map(F::of).collect();
    let mut r = q.to_vec();
    code.atoms.iter().zip(&weights).for_each(|(&j, &w)| subtract(&mut r, w, dictionary.atom(j)));
    let refined = Code { atoms: code.atoms.clone(), weights, residual: length(&r) };
    if refined.residual < code.residual { refined.without_zeros() } else { code }
}

/// The nearest point with no negative value and a sum of at most 1.
fn project(w: &mut [f64]) {
    if w.iter().map(|v| v.max(0.0)).sum::<f64>() <= 1.0 {
        w.iter_mut().for_each(|v| *v = v.max(0.0));
        return;
    }
    // On the face Σ w = 1: all values are lowered by the same, and cut at 0.
    let mut sorted = w.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut lower) = (0.0, 0.0);
    for (k, v) in sorted.iter().enumerate() {
        sum += v;
        let by = (sum - 1.0) / (k + 1) as f64;
        if by >= *v {
            break;
        }
        lower = by;
    }
    w.iter_mut().for_each(|v| *v = (*v - lower).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn projections_by_hand() {
        let projected = |w: [f64; 3]| {
            let mut w = w;
            project(&mut w);
            w
        };
        assert_eq!(projected([0.2, -0.5, 0.3]), [0.2, 0.0, 0.3]);
        assert_eq!(projected([1.5, 0.5, -3.0]), [1.0, 0.0, 0.0]);
        assert_eq!(projected([0.75, 0.75, 0.0]), [0.5, 0.5, 0.0]);
    }

    /// Of atoms (1, 0) and (0, 1), q = (0.3, 0.4) needs 0.3 and 0.4; q = (2, 1) is beyond the sum, where (1, 0) is nearest;
    /// q = (0.3, −1) does without the second.
    #[test]
    fn weights_are_those_of_the_constrained_fit() {
        let d = Dictionary::new(array![[1.0, 0.0], [0.0, 1.0]].view()).unwrap();
        let fit = |q: [f64; 2]| {
            let r = (q[0] - 0.5).hypot(q[1] - 0.45);
            refine(&d, &q, Code { atoms: vec![0, 1], weights: vec![0.5, 0.45], residual: r })
        };
        let near = |code: &Code<f64>, atoms: &[usize], w: &[f64]| {
            code.atoms == atoms && code.weights.iter().zip(w).all(|(a, b)| (a - b).abs() < 1e-3)
        };
        assert!(near(&fit([0.3, 0.4]), &[0, 1], &[0.3, 0.4]));
        assert!(near(&fit([2.0, 1.0]), &[0], &[1.0]), "{:?}", fit([2.0, 1.0]));
        assert!(near(&fit([0.3, -1.0]), &[0], &[0.3]));
    }
}
