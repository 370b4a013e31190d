//! What stands behind the prototypes of a model where the smallest distance alone does not decide.

use crate::kernel::smallest;
use crate::settings::named_enum;
use crate::{Error, Float, Result};
use ndarray::Array2;

named_enum! {
    /// What one learner of an ensemble tells of a sample.
    pub enum LearnerCode {
        /// The distance to its nearest prototype, in the place of that prototype's class.
        Sparse = "sparse",
        /// The distance to its nearest prototype of every class.
        Dense = "dense",
    }
}

/// Scores of classes from a row of distances.
#[derive(Debug, Clone, PartialEq)]
pub enum Head<F> {
    /// `−(w_c min_{j of c} d_j + b_c)`.
    Affine {
        /// `w`, one for each class.
        weights: Vec<F>,
        /// `b`, one for each class.
        biases: Vec<F>,
    },
    /// A linear machine over the codes of several learners.
    Ensemble {
        /// What a learner tells.
        code: LearnerCode,
        /// Which learner each prototype belongs to, from 0.
        learner: Vec<usize>,
        /// `classes × (learners · classes)`; learner `l` and class `c` stand at `l · classes + c`.
        weights: Array2<F>,
        /// One for each class.
        biases: Vec<F>,
    },
    /// `−(mean over members of min_{j of c and the member} d_j + b_c)`.
    Members {
        /// Where the prototypes of each member end; they stand together.
        ends: Vec<usize>,
        /// `b`, one for each class.
        biases: Vec<F>,
    },
}

impl<F: Float> Head<F> {
    /// Score of each class; the largest decides.
    pub(crate) fn scores(&self, d: &[F], labels: &[usize], n_classes: usize) -> Vec<f64> {
        match self {
            Head::Affine { weights, biases } => {
                let nearest = class_minima(d, labels, n_classes);
                let scores = nearest.iter().zip(weights).zip(biases);
                scores.map(|((d, w), b)| -(w.f64() * d.f64() + b.f64())).collect()
            }
            Head::Ensemble { code, learner, weights, biases } => {
                let entries = encode(*code, d, labels, learner, n_classes);
                let mut scores: Vec<f64> = biases.iter().map(|b| b.f64()).collect();
                for (at, value) in entries {
                    scores.iter_mut().zip(weights.column(at)).for_each(|(s, w)| *s += value * w.f64());
                }
                scores
            }
            Head::Members { ends, biases } => {
                let mut sums = vec![0.0; n_classes];
                let mut start = 0;
                for &end in ends {
                    let nearest = class_minima(&d[start..end], &labels[start..end], n_classes);
                    sums.iter_mut().zip(nearest).for_each(|(s, d)| *s += d.f64());
                    start = end;
                }
                let members = ends.len() as f64;
                sums.iter().zip(biases).map(|(s, b)| -(s / members + b.f64())).collect()
            }
        }
    }

    /// Numbers that prediction keeps of it.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Head::Affine { weights, biases } => weights.len() + biases.len(),
            Head::Ensemble { weights, biases, .. } => weights.len() + biases.len(),
            Head::Members { biases, .. } => biases.len(),
        }
    }

    /// Refuses a head that does not fit `m` prototypes of `n_classes` classes.
    pub(crate) fn check(&self, m: usize, n_classes: usize) -> Result<()> {
        let finite = |v: &F| v.f64().is_finite();
        let fits = match self {
            Head::Affine { weights, biases } => {
                weights.len() == n_classes
                    && biases.len() == n_classes
                    && weights.iter().chain(biases).all(finite)
            }
            Head::Ensemble { learner, weights, biases, .. } => {
                let learners = learner.iter().max().map_or(0, |l| l + 1);
                learner.len() == m
                    && learners.checked_mul(n_classes).is_some_and(|n| weights.dim() == (n_classes, n))
                    && biases.len() == n_classes
                    && weights.iter().chain(biases).all(finite)
            }
            Head::Members { ends, biases } => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                ends.iter().zip(starts).all(|(&end, start)| end > start)
                    && ends.last() == Some(&m)
                    && biases.len() == n_classes
                    && biases.iter().all(finite)
            }
        };
        if fits { Ok(()) } else { Err(Error::parts("head", "prototypes")) }
    }
}

/// Smallest distance to each class; +∞ for a class without prototypes.
pub(crate) fn class_minima<F: Float>(d: &[F], labels: &[usize], n_classes: usize) -> Vec<F> {
    let mut nearest = vec![F::infinity(); n_classes];
    for (&d, &c) in d.iter().zip(labels) {
        if d < nearest[c] {
            nearest[c] = d;
        }
    }
    nearest
}

/// Code of a sample: places and values, values summing to 1.
///
/// A sample may lie on prototypes of all learners; a tiny floor under every distance keeps the code a share then, too.
pub(crate) fn encode<F: Float>(
    code: LearnerCode,
    d: &[F],
    labels: &[usize],
    learner: &[usize],
    n_classes: usize,
) -> Vec<(usize, f64)> {
    const FLOOR: f64 = 1e-30;
    let learners = learner.iter().max().map_or(0, |l| l + 1);
    let mut nearest = vec![f64::INFINITY; learners * n_classes];
    // Prototypes of a class and learner stand together, so the minimum runs over stretches.
    let mut start = 0;
    while start < d.len() {
        let (c, l) = (labels[start], learner[start]);
        let more = labels[start..].iter().zip(&learner[start..]);
        let end = start + more.take_while(|&(&a, &b)| a == c && b == l).count();
        let place = &mut nearest[l * n_classes + c];
        *place = place.min(smallest(&d[start..end]).f64() + FLOOR);
        start = end;
    }
    let mut entries: Vec<(usize, f64)> = match code {
        LearnerCode::Dense => nearest.into_iter().enumerate().filter(|(_, d)| d.is_finite()).collect(),
        LearnerCode::Sparse => (nearest.chunks_exact(n_classes).enumerate())
            .map(|(l, d)| {
                let winner = (1..n_classes).fold(0, |best, c| if d[c] < d[best] { c } else { best });
                (l * n_classes + winner, d[winner])
            })
            .collect(),
    };
    let total: f64 = entries.iter().map(|(_, v)| v).sum();
    entries.iter_mut().for_each(|(_, v)| *v /= total);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two learners, two classes, prototypes in class order: learner 0 sees d = 3 (class 0) and 1 (class 1), learner 1
    /// sees 2 and 6.
    #[test]
    fn codes_are_shares_in_the_right_places() {
        let (d, labels, learner) = ([3.0, 2.0, 1.0, 6.0], [0, 0, 1, 1], [0, 1, 0, 1]);
        let sparse = encode(LearnerCode::Sparse, &d, &labels, &learner, 2);
        assert_eq!(sparse, [(1, 1.0 / 3.0), (2, 2.0 / 3.0)]);
        let dense = encode(LearnerCode::Dense, &d, &labels, &learner, 2);
        assert_eq!(dense, [(0, 0.25), (1, 1.0 / 12.0), (2, 2.0 / 12.0), (3, 0.5)]);
    }

    #[test]
    fn one_learner_gives_the_class_it_sees_and_nothing_else() {
        let code = encode(LearnerCode::Sparse, &[0.7f32, 0.2, 0.9], &[0, 1, 2], &[0, 0, 0], 3);
        assert_eq!(code, [(1, 1.0)]);
    }

    #[test]
    fn a_sample_on_its_prototypes_has_a_code_without_nan() {
        for code in [LearnerCode::Sparse, LearnerCode::Dense] {
            let code = encode(code, &[0.0f64; 4], &[0, 0, 1, 1], &[0, 1, 0, 1], 2);
            assert!((code.iter().map(|(_, v)| v).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_affine_head_prefers_the_smaller_weighted_distance() {
        let head = Head::Affine { weights: vec![2.0, 1.0], biases: vec![0.0, 0.5] };
        assert_eq!(head.scores(&[1.0, 4.0, 1.2], &[0, 0, 1], 2), [-2.0, -1.7]);
        assert!(head.check(3, 2).is_ok() && head.check(3, 3).is_err());
    }
}
