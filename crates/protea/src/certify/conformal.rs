//! Sets of classes that contain the true one with a chosen probability: split conformal prediction.
//!
//! The score of a class is `1 − q_c`, with `q_c` its probability. From `n` samples that training has not seen, each with the score
//! of its true class, the threshold for coverage `1 − α` is the `⌈(n + 1)(1 − α)⌉`-th smallest score; a set holds every class whose
//! score is at most that. For samples that are exchangeable with those of calibration the true class is in the set with
//! probability `1 − α` or more, whatever the model. With scores of each class apart, that holds for each class.
//!
//! An empty set means that no class is as likely as usual, two classes mean doubt.
//!
//! # Reference
//! Vovk, Gammerman, Shafer: Algorithmic Learning in a Random World, 2005; Sadinle, Lei, Wasserman: Least Ambiguous Set-Valued
//! Classifiers with Bounded Error Levels, JASA 2019 (this score).

use crate::{Error, Result};
use ndarray::ArrayView2;

/// Scores of samples that training has not seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformal {
    /// Sorted: one list for all classes, or one for each.
    scores: Vec<Vec<f64>>,
}

impl Conformal {
    /// Keeps the scores of samples with probabilities `q` (`n × classes`) and true classes `y`.
    pub fn new(q: ArrayView2<f64>, y: &[usize], per_class: bool) -> Result<Self> {
        let mut scores = vec![Vec::new(); if per_class { q.ncols() } else { 1 }];
        for (q, &c) in q.rows().into_iter().zip(y) {
            scores[if per_class { c } else { 0 }].push(1.0 - q[c]);
        }
        Self::from_scores(scores)
    }

    /// Scores as they were stored: one list, or one for each class.
    pub fn from_scores(mut scores: Vec<Vec<f64>>) -> Result<Self> {
        if scores.is_empty() || scores.iter().flatten().any(|s| !(0.0..=1.0).contains(s)) {
            return Err(Error::parts("calibration scores", "classes"));
        }
        scores.iter_mut().for_each(|s| s.sort_by(f64::total_cmp));
        Ok(Conformal { scores })
    }

    /// The sorted scores: one list, or one for each class.
    pub fn scores(&self) -> &[Vec<f64>] {
        &self.scores
    }

    /// Whether each class has scores of its own.
    pub fn per_class(&self) -> bool {
        self.scores.len() > 1
    }

    fn of(&self, class: usize) -> &[f64] {
        &self.scores[if self.per_class() { class } else { 0 }]
    }

    /// The largest score of a class that a set may hold; infinite if there are too few samples to promise so much.
    pub fn threshold(&self, class: usize, coverage: f64) -> f64 {
        let scores = self.of(class);
        let rank = ((scores.len() + 1) as f64 * coverage - 1e-9).ceil().max(1.0) as usize;
        scores.get(rank - 1).copied().unwrap_or(f64::INFINITY)
    }

    /// The set of each row of probabilities, classes in order.
    pub fn sets(&self, q: ArrayView2<f64>, coverage: f64) -> Result<Vec<Vec<usize>>> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(Error::setting("coverage", coverage, "a share between 0 and 1, such as 0.95"));
        }
        let thresholds: Vec<f64> = (0..q.ncols()).map(|c| self.threshold(c, coverage)).collect();
        let set =
            |q: ndarray::ArrayView1<f64>| (0..q.len()).filter(|&c| 1.0 - q[c] <= thresholds[c]).collect();
        Ok(q.rows().into_iter().map(set).collect())
    }

    /// How usual each class would be for a row: the share of scores, this one included, that are at least as large.
    pub fn p_values(&self, q: &[f64]) -> Vec<f64> {
        let p = |c: usize| {
            let scores = self.of(c);
            let smaller = scores.partition_point(|s| *s < 1.0 - q[c]);
            (scores.len() - smaller + 1) as f64 / (scores.len() + 1) as f64
        };
        (0..q.len()).map(p).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use rand::RngExt;

    /// Scores 0.1 … 0.9: with nine samples, coverage 0.8 asks for the eighth smallest, 0.95 for a tenth that there is not.
    #[test]
    fn thresholds_are_order_statistics() {
        let q = Array2::from_shape_fn((9, 2), |(i, c)| {
            let own = 1.0 - (i + 1) as f64 / 10.0;
            if c == 0 { own } else { 1.0 - own }
        });
        let conformal = Conformal::new(q.view(), &[0; 9], false).unwrap();
        assert!((conformal.threshold(0, 0.8) - 0.8).abs() < 1e-12);
        assert_eq!(conformal.threshold(0, 0.95), f64::INFINITY);
        let sets = conformal.sets(array![[0.9, 0.1], [0.5, 0.5], [0.19, 0.81]].view(), 0.8).unwrap();
        assert_eq!(sets, [vec![0], vec![0, 1], vec![1]]);
        let p = conformal.p_values(&[0.75, 0.25]);
        assert!((p[0] - 0.8).abs() < 1e-12 && (p[1] - 0.3).abs() < 1e-12, "{p:?}");
    }

    /// Random probabilities, labels drawn from them: sets cover as often as promised, and each class on its own does.
    #[test]
    fn sets_cover_what_they_promise() {
        let mut rng = crate::rng(3, "conformal");
        let mut draw = |n: usize| {
            let q = Array2::from_shape_fn((n, 3), |_| rng.random::<f64>() + 0.05);
            let q = &q / &q.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
            let y: Vec<usize> = (q.rows().into_iter())
                .map(|q| {
                    let u = rng.random::<f64>();
                    if u < q[0] {
                        0
                    } else if u < q[0] + q[1] {
                        1
                    } else {
                        2
                    }
                })
                .collect();
            (q, y)
        };
        let ((cal, cal_y), (test, test_y)) = (draw(2000), draw(4000));
        for per_class in [false, true] {
            let conformal = Conformal::new(cal.view(), &cal_y, per_class).unwrap();
            let sets = conformal.sets(test.view(), 0.9).unwrap();
            for class in 0..3 {
                let rows: Vec<usize> = (0..4000).filter(|&i| !per_class || test_y[i] == class).collect();
                let hit = rows.iter().filter(|&&i| sets[i].contains(&test_y[i])).count() as f64;
                let share = hit / rows.len() as f64;
                // Three deviations of the test share and of the threshold's own.
                assert!(
                    (share - 0.9).abs() < 3.0 * (0.09f64 * (1.0 / 1300.0 + 1.0 / 650.0)).sqrt(),
                    "{share}"
                );
            }
        }
    }
}
