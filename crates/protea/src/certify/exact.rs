//! The exact Euclidean radius: for each rival `j`, the distance to the points where it is nearer than every prototype of the class
//! answered.
//!
//! ```text
//! min ½|e|²  so that  a_iᵀe ≥ b_i for all i,      a_i = 2 (P_j − P_i),  b_i = d_j − d_i
//! max bᵀλ − ½|Σ λ_i a_i|²  over λ ≥ 0              r ≥ bᵀλ / |Σ λ_i a_i| for every λ
//! ```
//! One coordinate of the dual at a time: `λ_i += (b_i − a_iᵀe) / |a_i|²`, not below 0, with `e = Σ λ_i a_i`. Constraints are added
//! while one is violated, so that few of many prototypes take part. A rival whose half-space bound is beyond the best radius so
//! far is passed over.

use super::Bound;
use super::geometry::{Decision, Geometry};
use super::radius;

/// Rounds over all coordinates.
const ROUNDS: usize = 500;
/// Relative change of the bound at which the descent ends.
const TOLERANCE: f64 = 1e-7;

/// Radius and rival class of an answer.
pub(super) fn radius(g: &Geometry, d: &[f64], class: usize) -> (f64, Option<usize>) {
    let own = g.of_class[class].clone();
    let biases = match &g.decision {
        // Equal weights only scale both sides.
        Decision::Scores { weights, biases, .. } => Some((weights[0], biases)),
        _ => None,
    };
    let shift = |j: usize| biases.map_or(0.0, |(w, b)| (b[g.labels[j]] - b[class]) / w);
    let quick = |j: usize| radius::half_space(g, d, own.clone(), j, shift(j));
    let mut rivals: Vec<(f64, usize)> =
        (0..d.len()).filter(|j| !own.contains(j)).map(|j| (quick(j), j)).collect();
    if rivals.is_empty() {
        return (f64::INFINITY, None);
    }
    if rivals.iter().any(|(r, _)| *r <= 0.0 || !r.is_finite()) {
        // On a border, or on prototypes that coincide, the plain bound says all.
        return radius::radius(g, d, class, Bound::HalfSpace);
    }
    rivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = (f64::INFINITY, None);
    for (least, j) in rivals {
        if least >= best.0 {
            break;
        }
        let sides = own.clone().map(|i| d[j] + shift(j) - d[i]).collect();
        let normal = |n: usize| g.between(j, own.start + n).iter().map(|v| 2.0 * v).collect();
        let r = Program::new(g.features(), sides, normal).solve(best.0).0.max(least);
        if r < best.0 {
            best = (r, Some(g.labels[j]));
        }
    }
    best
}

/// The program of one rival: the nearest point at which all constraints `a_iᵀe ≥ b_i` hold.
pub(super) struct Program<N: Fn(usize) -> Vec<f64>> {
    /// `a_i`, computed when it is asked for.
    normal: N,
    /// `b_i`.
    sides: Vec<f64>,
    active: Vec<Active>,
    /// `Σ λ_i a_i`.
    e: Vec<f64>,
}

/// A constraint that takes part, with its multiplier.
struct Active {
    i: usize,
    a: Vec<f64>,
    square: f64,
    multiplier: f64,
}

impl<N: Fn(usize) -> Vec<f64>> Program<N> {
    /// A program over changes of `dim` features.
    pub fn new(dim: usize, sides: Vec<f64>, normal: N) -> Self {
        Program { normal, sides, active: Vec::new(), e: vec![0.0; dim] }
    }

    /// A bound on the distance from below, which ends early once it is beyond `enough`, and the point it belongs to.
    pub fn solve(mut self, enough: f64) -> (f64, Vec<f64>) {
        let mut bound = 0.0f64;
        // Each round adds the constraint that is violated most.
        for _ in 0..self.sides.len() {
            let Some((i, a)) = self.most_violated() else { break };
            let square = dot(&a, &a);
            self.active.push(Active { i, a, square, multiplier: 0.0 });
            bound = self.descend(bound);
            if bound >= enough {
                break;
            }
        }
        (bound, self.e)
    }

    fn most_violated(&self) -> Option<(usize, Vec<f64>)> {
        let size = dot(&self.e, &self.e).sqrt();
        let mut most: Option<(f64, usize, Vec<f64>)> = None;
        for (i, b) in self.sides.iter().enumerate().filter(|(i, _)| self.active.iter().all(|a| a.i != *i)) {
            let a = (self.normal)(i);
            let length = dot(&a, &a).sqrt();
            let gap = b - dot(&a, &self.e);
            if gap > 1e-9 * (b.abs() + size * length) && length > 0.0 {
                let violation = gap / length;
                if most.as_ref().is_none_or(|(v, ..)| violation > *v) {
                    most = Some((violation, i, a));
                }
            }
        }
        most.map(|(_, i, a)| (i, a))
    }

    fn descend(&mut self, mut bound: f64) -> f64 {
        for _ in 0..ROUNDS {
            for Active { i, a, square, multiplier } in &mut self.active {
                let next = (*multiplier + (self.sides[*i] - dot(a, &self.e)) / *square).max(0.0);
                let step = next - *multiplier;
                *multiplier = next;
                if step != 0.0 {
                    self.e.iter_mut().zip(a.iter()).for_each(|(e, a)| *e += step * a);
                }
            }
            let value: f64 = self.active.iter().map(|a| self.sides[a.i] * a.multiplier).sum();
            let now = value / dot(&self.e, &self.e).sqrt();
            if now.is_finite() && now > bound {
                let settled = now - bound <= TOLERANCE * now;
                bound = now;
                if settled {
                    break;
                }
            } else if self.active.len() == 1 {
                break;
            }
        }
        bound
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
