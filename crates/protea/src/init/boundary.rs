//! Prototypes that cover their class and stand closer together where it meets others.
//!
//! # Weights
//! With `d⁺` and `d⁻` the squared distances of a sample to its nearest neighbour of its own and of another class,
//! ```text
//! ρ = min(d⁺/d⁻, d⁻/d⁺)  ∈ [0, 1]
//! ```
//! is near 0 inside a class, 1 on the border, and small again for samples that stand among another class, which are as
//! likely mislabelled as informative. Each sample weighs `(1 − SHARE) + SHARE · ρ/ρ̄`, where `ρ̄` is the mean of its class:
//! a part of the weight is spread evenly and makes prototypes cover the class, the other follows the border. Weighted
//! k-means inside each class does the rest.
//!
//! # Reference
//! None: the ratio of the two distances is the one that LVQ2.1's window and GLVQ's relative distance look at; using it as
//! a weight of k-means is our own.

use crate::metric::Space;
use crate::{Dataset, Float, rng};
use ndarray::Axis;
use rand::seq::index;

/// Weight that follows the border.
const SHARE: f64 = 0.5;

/// Samples among which neighbours are looked for; more would make large data slow and ρ little better.
const REFERENCES: usize = 5000;

/// The weight of each sample, 1 on average in each class.
pub(super) fn weights<F: Float>(data: &Dataset<F>, seed: u64) -> Vec<f64> {
    let n = data.len();
    let mut references = index::sample(&mut rng(seed, "boundary"), n, n.min(REFERENCES)).into_vec();
    references.sort_unstable();
    let p = data.x.select(Axis(0), &references);
    let rho = Space::euclidean(p.view()).map(data.x.view(), |i, d| {
        let (mut own, mut other) = (f64::INFINITY, f64::INFINITY);
        for (&j, d) in references.iter().zip(d).filter(|(j, _)| **j != i) {
            let nearest = if data.y[j] == data.y[i] { &mut own } else { &mut other };
            *nearest = nearest.min(d.f64());
        }
        closeness(own, other)
    });
    let mut weights = vec![1.0; n];
    for rows in data.class_rows() {
        let mean = rows.iter().map(|&i| rho[i]).sum::<f64>() / rows.len() as f64;
        for i in rows.into_iter().filter(|_| mean > 0.0) {
            weights[i] = (1.0 - SHARE) + SHARE * rho[i] / mean;
        }
    }
    weights
}

/// `min(own/other, other/own)`; equal samples of two classes are on the border, one without a neighbour is not.
fn closeness(own: f64, other: f64) -> f64 {
    if own == other {
        return if own.is_finite() { 1.0 } else { 0.0 };
    }
    own.min(other) / own.max(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::{Init, PerClass, initialise, on_a_line};
    use ndarray::Array2;

    #[test]
    fn weights_rise_towards_the_border_and_fall_beyond_it() {
        // A at 0, 1, 2 and B at 4: ρ of the A's is 1/16, 1/9, 1/4; A at 9 stands among B at 8.5 and 10.
        let data = on_a_line(&[0.0, 1.0, 2.0, 4.0, 8.5, 9.0, 10.0], "AAABBAB");
        let w = weights(&data, 0);
        let rho = [1.0 / 16.0, 1.0 / 9.0, 1.0 / 4.0, 0.25 / 49.0];
        let mean: f64 = rho.iter().sum::<f64>() / 4.0;
        for (i, rho) in [0, 1, 2, 5].into_iter().zip(rho) {
            assert!((w[i] - 0.5 - 0.5 * rho / mean).abs() < 1e-12, "{i}: {}", w[i]);
        }
        assert_eq!(
            (closeness(0.0, 0.0), closeness(0.0, 1.0), closeness(f64::INFINITY, 1.0)),
            (1.0, 0.0, 0.0)
        );
    }

    #[test]
    fn prototypes_move_towards_the_border() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let labels: String = (0..100).map(|i| if i < 50 { 'A' } else { 'B' }).collect();
        let data = on_a_line(&x, &labels);
        let of = |init| initialise(init, 4, &data, &PerClass::all(3), 0).unwrap().x;
        let (plain, near) = (of(Init::KMeans), of(Init::Boundary));
        // All three of class A, which ends at 49, and the last of them most.
        for j in 0..3 {
            let largest = |x: &Array2<f64>| {
                let mut a: Vec<f64> = x.column(0).iter().copied().take(3).collect();
                a.sort_by(f64::total_cmp);
                a[j]
            };
            assert!(largest(&near) > largest(&plain) + 1.0, "{near} {plain}");
        }
    }
}
