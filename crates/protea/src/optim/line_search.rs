//! The line search of Moré and Thuente, used by every full-batch rule.
//!
//! Along `φ(a) = f(θ + a s)` it looks for a step with sufficient decrease, `φ(a) ≤ φ(0) + μ a φ'(0)`, and small slope,
//! `|φ'(a)| ≤ η |φ'(0)|`, keeping an interval that holds one. The cases of [`trial_value`] are those of section 4 of
//! the paper; the first stage searches on `ψ(a) = φ(a) − φ(0) − μ a φ'(0)` (section 2).
//!
//! # Reference
//! Moré, Thuente: "Line Search Algorithms with Guaranteed Sufficient Decrease", ACM TOMS 20, 1994.
//!
//! # Departures
//! A trial that is not a finite number counts as too long and is shortened towards the best point; when evaluations run
//! out, the best point seen is accepted if it is lower than the start.

use super::{Problem, dot};

/// Settings of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineSearch {
    /// μ, share of the linear decrease that is enough.
    pub decrease: f64,
    /// η, share of the slope that may be left.
    pub slope: f64,
    /// Most evaluations of one search.
    pub evaluations: usize,
}

const STEP_MIN: f64 = 1e-15;
const STEP_MAX: f64 = 1e15;
/// Relative width below which an interval is a point.
const WIDTH: f64 = 1e-15;

/// A point on the line: step, value, slope.
#[derive(Debug, Clone, Copy)]
struct Point {
    a: f64,
    f: f64,
    g: f64,
}

impl LineSearch {
    /// Searches from `theta` along `s`, first trial `first`. On success moves `theta`, writes the gradient there and
    /// returns step and value, which is below `value`; otherwise leaves `theta` where it was.
    pub fn search(
        &self,
        problem: &mut dyn Problem,
        theta: &mut [f64],
        s: &[f64],
        value: f64,
        gradient: &mut [f64],
        first: f64,
    ) -> Option<(f64, f64)> {
        let start = Point { a: 0.0, f: value, g: dot(gradient, s) };
        if start.g >= 0.0 || !start.g.is_finite() {
            return None;
        }
        let mut at = theta.to_vec();
        let mut g_at = vec![0.0; theta.len()];
        let mut evaluate = |a: f64, at: &mut [f64], g_at: &mut [f64]| {
            at.iter_mut().zip(theta.iter()).zip(s).for_each(|((at, t), s)| *at = t + a * s);
            let f = problem.evaluate(at, g_at);
            Point { a, f, g: dot(g_at, s) }
        };
        let (best, current) = self.interval(start, first, |a| evaluate(a, &mut at, &mut g_at));
        if best.f.is_nan() || best.f >= value {
            return None;
        }
        if best.a != current {
            evaluate(best.a, &mut at, &mut g_at);
        }
        theta.copy_from_slice(&at);
        gradient.copy_from_slice(&g_at);
        Some((best.a, best.f))
    }

    /// The search proper: best point, and the step evaluated last.
    fn interval(&self, start: Point, first: f64, mut evaluate: impl FnMut(f64) -> Point) -> (Point, f64) {
        let wanted = self.decrease * start.g;
        let psi = |p: Point| Point { a: p.a, f: p.f - p.a * wanted, g: p.g - wanted };
        let phi = |p: Point| Point { a: p.a, f: p.f + p.a * wanted, g: p.g + wanted };
        let (mut best, mut other) = (start, start);
        let mut bracketed = false;
        let mut first_stage = true;
        let (mut width, mut width_before) = (STEP_MAX - STEP_MIN, 2.0 * (STEP_MAX - STEP_MIN));
        let (mut lo, mut hi) = (0.0, 5.0 * first);
        let mut longest = STEP_MAX;
        let mut a = first.clamp(STEP_MIN, STEP_MAX);

        for _ in 0..self.evaluations {
            let t = evaluate(a);
            if !t.f.is_finite() || !t.g.is_finite() {
                longest = a;
                a = best.a + 0.1 * (a - best.a);
                continue;
            }
            let enough = start.f + t.a * wanted;
            if t.f <= enough && t.g.abs() <= self.slope * -start.g {
                return (t, a);
            }
            let cornered = bracketed && (a <= lo || a >= hi || hi - lo <= WIDTH * hi);
            let at_end = (a >= longest && t.f <= enough && t.g <= wanted) || a <= STEP_MIN;
            if cornered || at_end {
                return (if t.f < best.f { t } else { best }, a);
            }
            if first_stage && t.f <= enough && t.g >= 0.0 {
                first_stage = false;
            }
            if first_stage && t.f <= best.f && t.f > enough {
                let (mut b, mut o) = (psi(best), psi(other));
                a = trial_value(&mut b, &mut o, psi(t), &mut bracketed, lo, hi);
                (best, other) = (phi(b), phi(o));
            } else {
                a = trial_value(&mut best, &mut other, t, &mut bracketed, lo, hi);
            }
            if bracketed {
                let span = (other.a - best.a).abs();
                if span >= 0.66 * width_before {
                    a = best.a + 0.5 * (other.a - best.a);
                }
                (width_before, width) = (width, span);
                (lo, hi) = (best.a.min(other.a), best.a.max(other.a));
            } else {
                (lo, hi) = (a + 1.1 * (a - best.a), a + 4.0 * (a - best.a));
            }
            a = a.clamp(STEP_MIN, longest);
            if bracketed && (a <= lo || a >= hi || hi - lo <= WIDTH * hi) {
                a = best.a;
            }
        }
        (best, f64::NAN)
    }
}

/// Next trial from the interval's ends and the point just evaluated; updates the interval (section 4).
fn trial_value(best: &mut Point, other: &mut Point, t: Point, bracketed: &mut bool, lo: f64, hi: f64) -> f64 {
    let opposite = t.g * best.g.signum() < 0.0;
    let next;
    if t.f > best.f {
        // Case 1: higher than the best. The minimum is between; of cubic and quadratic take the one nearer to the best,
        // or their middle.
        let c = cubic(*best, t);
        let q = best.a + ((best.g / ((best.f - t.f) / (t.a - best.a) + best.g)) / 2.0) * (t.a - best.a);
        next = if (c - best.a).abs() < (q - best.a).abs() { c } else { c + (q - c) / 2.0 };
        *bracketed = true;
    } else if opposite {
        // Case 2: lower, slope of the other sign. The minimum is between; take the one farther from `t`.
        let (c, q) = (cubic(t, *best), secant(t, *best));
        next = if (c - t.a).abs() > (q - t.a).abs() { c } else { q };
        *bracketed = true;
    } else if t.g.abs() < best.g.abs() {
        // Case 3: lower, same sign, smaller slope. The cubic counts only if it tends to infinity in the direction of
        // the step or its minimum lies beyond `t`.
        let c = cubic_beyond(t, *best, lo, hi);
        let q = secant(t, *best);
        let nearer = (c - t.a).abs() < (q - t.a).abs();
        if *bracketed {
            let v = if nearer { c } else { q };
            let limit = t.a + 0.66 * (other.a - t.a);
            next = if t.a > best.a { v.min(limit) } else { v.max(limit) };
        } else {
            next = (if nearer { q } else { c }).clamp(lo, hi);
        }
    } else {
        // Case 4: lower, same sign, slope not smaller: go on to the other end, or as far as allowed.
        next = if *bracketed {
            cubic(t, *other)
        } else if t.a > best.a {
            hi
        } else {
            lo
        };
    }
    if t.f > best.f {
        *other = t;
    } else {
        if opposite {
            *other = *best;
        }
        *best = t;
    }
    next
}

/// Minimum of the cubic through values and slopes of two points, seen from `u`.
fn cubic(u: Point, v: Point) -> f64 {
    let theta = 3.0 * (u.f - v.f) / (v.a - u.a) + u.g + v.g;
    let scale = theta.abs().max(u.g.abs()).max(v.g.abs());
    let root = ((theta / scale).powi(2) - (u.g / scale) * (v.g / scale)).max(0.0).sqrt() * scale;
    let gamma = if v.a < u.a { -root } else { root };
    let r = (gamma - u.g + theta) / ((gamma - u.g) + gamma + v.g);
    u.a + r * (v.a - u.a)
}

/// The same for case 3, `lo` or `hi` when the cubic has no minimum beyond `t`.
fn cubic_beyond(t: Point, best: Point, lo: f64, hi: f64) -> f64 {
    let theta = 3.0 * (best.f - t.f) / (t.a - best.a) + best.g + t.g;
    let scale = theta.abs().max(best.g.abs()).max(t.g.abs());
    let root = ((theta / scale).powi(2) - (best.g / scale) * (t.g / scale)).max(0.0).sqrt() * scale;
    let gamma = if t.a > best.a { -root } else { root };
    let r = (gamma - t.g + theta) / ((gamma + (best.g - t.g)) + gamma);
    if r < 0.0 && gamma != 0.0 {
        t.a + r * (best.a - t.a)
    } else if t.a > best.a {
        hi
    } else {
        lo
    }
}

/// Zero of the slope's secant, seen from `t`.
fn secant(t: Point, v: Point) -> f64 {
    t.a + t.g / (t.g - v.g) * (v.a - t.a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first three test functions of the paper's section 5, as φ and φ'.
    fn functions() -> [fn(f64) -> (f64, f64); 3] {
        [
            |a| (-a / (a * a + 2.0), (a * a - 2.0) / (a * a + 2.0).powi(2)),
            |a| {
                let b = a + 0.004;
                (b.powi(5) - 2.0 * b.powi(4), 5.0 * b.powi(4) - 8.0 * b.powi(3))
            },
            |a| {
                let (beta, l) = (0.01, 39.0);
                let k = l * std::f64::consts::PI / 2.0;
                let (f0, g0) = if a <= 1.0 - beta {
                    (1.0 - a, -1.0)
                } else if a >= 1.0 + beta {
                    (a - 1.0, 1.0)
                } else {
                    ((a - 1.0).powi(2) / (2.0 * beta) + beta / 2.0, (a - 1.0) / beta)
                };
                let wave = 2.0 * (1.0 - beta) / (l * std::f64::consts::PI);
                (f0 + wave * (k * a).sin(), g0 + wave * k * (k * a).cos())
            },
        ]
    }

    #[test]
    fn the_papers_functions_are_solved_from_every_first_step() {
        // (μ, η) as in tables I to III of the paper.
        for (phi, (mu, eta)) in functions().into_iter().zip([(1e-3, 0.1), (0.1, 0.1), (0.1, 0.1)]) {
            for first in [1e-3, 0.1, 10.0, 1e3] {
                let search = LineSearch { decrease: mu, slope: eta, evaluations: 40 };
                let (f, g) = phi(0.0);
                let mut count = 0;
                let (p, at) = search.interval(Point { a: 0.0, f, g }, first, |a| {
                    count += 1;
                    let (f, g) = phi(a);
                    Point { a, f, g }
                });
                assert_eq!(p.a, at);
                assert!(p.f <= f + mu * p.a * g && p.g.abs() <= eta * g.abs(), "first {first}: {p:?}");
                assert!(count <= 25, "{count} evaluations from {first}");
            }
        }
    }
}
