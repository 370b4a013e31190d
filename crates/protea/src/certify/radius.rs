//! Bounds on the radius of one row of distances.

use super::Bound;
use super::geometry::{Decision, Geometry};

/// Radius and rival class of an answer.
pub(super) fn radius(g: &Geometry, d: &[f64], class: usize, bound: Bound) -> (f64, Option<usize>) {
    match &g.decision {
        Decision::Vote(1) => nearest(g, d, class, bound, None),
        Decision::Vote(k) => vote(g, d, *k, bound),
        Decision::Soft(gamma) => soft(g, d, class, *gamma),
        Decision::Scores { weights, biases, members: 1, .. } if weights.iter().all(|w| *w == 1.0) => {
            nearest(g, d, class, bound, Some(biases))
        }
        Decision::Scores { .. } => scores(g, d, class, bound),
    }
}

/// How far prototype `j` is from coming nearer than `i`, if `j` has to win by `shift` more.
fn pair(g: &Geometry, d: &[f64], i: usize, j: usize, bound: Bound, shift: f64) -> f64 {
    if bound == Bound::HalfSpace && g.same_metric(i, j) {
        return over(d[j] - d[i] + shift, g.inverse(j, i));
    }
    // d_j ≥ (√d_j − r N_j)² and d_i ≤ (√d_i + r N_i)²; without a shift the radius has a closed form.
    if shift == 0.0 {
        return over(d[j].sqrt() - d[i].sqrt(), 1.0 / (g.reach[i] + g.reach[j]));
    }
    largest(|r| ball(g, d, i, j, r) + shift)
}

/// `margin · inverse`, also for prototypes that coincide.
fn over(margin: f64, inverse: f64) -> f64 {
    if inverse.is_finite() {
        margin * inverse
    } else if margin > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

/// What is left of `d_j − d_i`, at least, within radius `r`.
fn ball(g: &Geometry, d: &[f64], i: usize, j: usize, r: f64) -> f64 {
    let near = (d[j].sqrt() - r * g.reach[j]).max(0.0);
    let far = d[i].sqrt() + r * g.reach[i];
    near * near - far * far
}

/// Nearest prototype of the class.
fn closest(d: &[f64], of: std::ops::Range<usize>) -> Option<usize> {
    of.reduce(|a, b| if d[b] < d[a] { b } else { a })
}

/// `min_j max_i` over pairs; `biases` are added to the distances of each class.
fn nearest(
    g: &Geometry,
    d: &[f64],
    class: usize,
    bound: Bound,
    biases: Option<&[f64]>,
) -> (f64, Option<usize>) {
    let own = g.of_class[class].clone();
    let Some(first) = closest(d, own.clone()) else { return (0.0, None) };
    let shift = |j: usize| biases.map_or(0.0, |b| b[g.labels[j]] - b[class]);
    let quick: Vec<f64> = (0..d.len()).map(|j| pair(g, d, first, j, bound, shift(j))).collect();
    let rivals = || (0..d.len()).filter(|j| !own.contains(j));
    let Some(start) = rivals().min_by(|&a, &b| quick[a].total_cmp(&quick[b])) else {
        return (f64::INFINITY, None);
    };
    // A rival's bound is at least its quick one, so most are passed over.
    let whole = |j: usize| -> f64 {
        if bound == Bound::HalfSpace && g.one_metric() {
            if let Some(inverses) = g.inverses(j, own.clone()) {
                let level = d[j] + shift(j);
                let bounds =
                    d[own.clone()].iter().zip(inverses).map(|(d, inverse)| over(level - d, *inverse));
                return bounds.fold(f64::NEG_INFINITY, f64::max);
            }
            return quick[j];
        }
        own.clone().map(|i| pair(g, d, i, j, bound, shift(j))).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut best = (whole(start), start);
    for j in rivals() {
        if quick[j] < best.0 {
            let r = whole(j);
            best = if r < best.0 { (r, j) } else { best };
        }
    }
    (best.0, Some(g.labels[best.1]))
}

/// How far one rival is, at least, from being nearer than all of `own`.
pub(super) fn half_space(g: &Geometry, d: &[f64], own: std::ops::Range<usize>, j: usize, shift: f64) -> f64 {
    own.map(|i| pair(g, d, i, j, Bound::HalfSpace, shift)).fold(f64::NEG_INFINITY, f64::max)
}

/// The `k` nearest stay the `k` nearest, and if votes are level, in their order.
fn vote(g: &Geometry, d: &[f64], k: usize, bound: Bound) -> (f64, Option<usize>) {
    let mut order: Vec<usize> = (0..d.len()).collect();
    order.sort_by(|&a, &b| d[a].total_cmp(&d[b]).then(g.order[a].cmp(&g.order[b])));
    let (inside, outside) = order.split_at(k.min(d.len()));
    let mut votes = vec![0usize; g.of_class.len()];
    inside.iter().for_each(|&j| votes[g.labels[j]] += 1);
    let most = votes.iter().copied().max().unwrap_or(0);
    let level = votes.iter().filter(|&&v| v == most).count() > 1;
    let mut best = (f64::INFINITY, None);
    let mut look = |i: usize, j: usize| {
        let r = pair(g, d, i, j, bound, 0.0);
        if r < best.0 {
            best = (r, Some(g.labels[j]));
        }
    };
    for &i in inside {
        outside.iter().for_each(|&j| look(i, j));
    }
    if level {
        for (n, &i) in inside.iter().enumerate() {
            inside[n + 1..].iter().filter(|&&j| g.labels[j] != g.labels[i]).for_each(|&j| look(i, j));
        }
    }
    best
}

/// `(s_y − s_c) / (2γ max ‖P_i − P_j‖)`: the quadratic term is common to all prototypes and cancels.
fn soft(g: &Geometry, d: &[f64], class: usize, gamma: f64) -> (f64, Option<usize>) {
    let evidence = |c: usize| {
        let of = &d[g.of_class[c].clone()];
        let least = of.iter().copied().fold(f64::INFINITY, f64::min);
        of.iter().map(|d| (-gamma * (d - least)).exp()).sum::<f64>().ln() - gamma * least
    };
    let own = evidence(class);
    let mut best = (f64::INFINITY, None);
    for c in (0..g.of_class.len()).filter(|&c| c != class && !g.of_class[c].is_empty()) {
        let pairs = g.of_class[class].clone().flat_map(|i| g.of_class[c].clone().map(move |j| (i, j)));
        let steepest = pairs.map(|(i, j)| g.inverse(j, i)).fold(f64::INFINITY, f64::min);
        let r = over((own - evidence(c)) / gamma, steepest);
        if r < best.0 {
            best = (r, Some(c));
        }
    }
    best
}

/// Weights, biases and members: the largest `r` at which the bounds of all members still add up to more than 0.
fn scores(g: &Geometry, d: &[f64], class: usize, bound: Bound) -> (f64, Option<usize>) {
    let Decision::Scores { weights, biases, member, members } = &g.decision else { return (0.0, None) };
    let of_member = |c: usize, l: usize| g.of_class[c].clone().filter(move |&j| member[j] == l);
    // One prototype of the class answered for each member: the nearest, which is a valid choice of i.
    let own: Vec<Option<usize>> =
        (0..*members).map(|l| of_member(class, l).reduce(|a, b| if d[b] < d[a] { b } else { a })).collect();
    let mut best = (f64::INFINITY, None);
    for c in (0..g.of_class.len()).filter(|&c| c != class) {
        let left = |r: f64| -> f64 {
            let of = |l: usize| -> f64 {
                let Some(i) = own[l] else { return f64::NEG_INFINITY };
                of_member(c, l)
                    .map(|j| {
                        if bound == Bound::HalfSpace && weights[c] == weights[class] && g.same_metric(i, j) {
                            let slope = 1.0 / g.inverse(j, i);
                            return weights[c] * (d[j] - d[i] - r * slope);
                        }
                        let near = (d[j].sqrt() - r * g.reach[j]).max(0.0);
                        let far = d[i].sqrt() + r * g.reach[i];
                        weights[c] * near * near - weights[class] * far * far
                    })
                    .fold(f64::INFINITY, f64::min)
            };
            (0..*members).map(of).sum::<f64>() / *members as f64 + biases[c] - biases[class]
        };
        let r = largest(left);
        if r < best.0 {
            best = (r, Some(c));
        }
    }
    best
}

/// Largest `r ≥ 0` at which a function that falls is positive, from below; infinite if it never ends.
fn largest(f: impl Fn(f64) -> f64) -> f64 {
    if f(0.0) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1e-6);
    while f(high) > 0.0 {
        (low, high) = (high, high * 4.0);
        if high > 1e30 {
            return f64::INFINITY;
        }
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}
