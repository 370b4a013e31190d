//! A linear machine over the codes of several learners, as `epnn` learns it: the scores are `W v + b` with the code `v` of a sample.

use super::{Decision, Labels, Rule, largest, lower_numbers, times};
use crate::kernel::smallest;
use crate::plan::{ArrayId, Op, Plan};
use crate::settings::{SettingValue, named_enum};
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2};

named_enum! {
    /// What one learner of an ensemble tells of a sample.
    pub enum LearnerCode {
        /// The distance to its nearest prototype, in the place of that prototype's class.
        Sparse = "sparse",
        /// The distance to its nearest prototype of every class.
        Dense = "dense",
    }
}

/// Added to every distance, so that the code of a sample on prototypes of all learners is a share, too.
pub(crate) const LEAST_DISTANCE: f64 = 1e-30;

/// A linear machine over the codes of several learners.
#[derive(Debug, Clone)]
pub struct Ensemble<F> {
    /// What a learner tells.
    pub code: LearnerCode,
    /// Which learner each prototype belongs to, from 0.
    pub learner: Vec<usize>,
    /// `W`, `classes × (learners · classes)`; learner `l` and class `c` stand at `l · classes + c`.
    pub weights: Array2<F>,
    /// `b`, one for each class.
    pub biases: Vec<F>,
}

impl<F: Float> Ensemble<F> {
    fn scores(&self, d: &[F], labels: Labels) -> Vec<f64> {
        let entries = encode(self.code, d, labels, &self.learner);
        let mut scores: Vec<f64> = self.biases.iter().map(|b| b.f64()).collect();
        for (at, value) in entries {
            scores.iter_mut().zip(self.weights.column(at)).for_each(|(s, w)| *s += value * w.f64());
        }
        scores
    }
}

impl<F: Float> Decision<F> for Ensemble<F> {
    fn tag(&self) -> &'static str {
        "ensemble"
    }

    /// A learner without prototypes would have no distance to tell.
    fn fits(&self, labels: Labels) -> bool {
        let (classes, columns) = self.weights.dim();
        let learners = columns / labels.classes;
        let mut found = vec![false; learners];
        self.learner.iter().filter(|&&l| l < learners).for_each(|&l| found[l] = true);
        self.learner.len() == labels.of.len()
            && classes == labels.classes
            && columns == learners * labels.classes
            && self.learner.iter().all(|&l| l < learners)
            && found.iter().all(|&f| f)
            && self.biases.len() == labels.classes
    }

    fn evidence(&self, d: &[F], labels: Labels, gamma: f64) -> Vec<f64> {
        times(self.scores(d, labels), gamma)
    }

    fn decide(&self, d: &[F], labels: Labels, _: f64) -> usize {
        largest(&self.scores(d, labels))
    }

    fn rule(&self) -> Option<Rule> {
        Some(Rule::Scores)
    }

    fn gamma_range(&self, _: ArrayView2<F>) -> (f64, f64) {
        (1e-2, 1e3)
    }

    fn with_shifts(&self, shifts: &[f64]) -> Result<Box<dyn Decision<F>>> {
        let mut shifted = self.clone();
        shifted.biases.iter_mut().zip(shifts).for_each(|(b, &s)| *b += F::of(s));
        Ok(Box::new(shifted))
    }

    fn adds(&self) -> Option<&'static str> {
        Some("scores over an ensemble of learners")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("by scores, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("ensemble")
            .with("code", self.code.show())
            .with_matrix("head.weights", &self.weights)
            .with_vector("head.biases", &self.biases)
            .with_wholes("head.learner", &self.learner)
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        let learners = plan.whole("learners", &self.learner);
        let (classes, sparse) = (labels.classes, self.code == LearnerCode::Sparse);
        plan.ops.push(Op::Code { labels: label_array, learners, classes, sparse });
        let weights = plan.real("class-weights", self.weights.shape(), self.weights.iter().map(|v| v.f64()));
        let biases = lower_numbers("class-biases", &self.biases, plan);
        plan.ops.push(Op::Product { weights, biases });
        Ok(Some(gamma))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    let code = stored.text("code")?;
    Ok(Box::new(Ensemble {
        code: LearnerCode::parse(code)
            .ok_or_else(|| Error::data(format!("there is no code {code:?} of learners")))?,
        learner: stored.wholes("head.learner")?,
        weights: stored.matrix("head.weights")?,
        biases: stored.vector("head.biases")?,
    }))
}

/// Code of a sample: places and values, values summing to 1.
///
/// A sample may lie on prototypes of all learners; [`LEAST_DISTANCE`] keeps the code a share then, too.
pub(crate) fn encode<F: Float>(
    code: LearnerCode,
    d: &[F],
    labels: Labels,
    learner: &[usize],
) -> Vec<(usize, f64)> {
    let (labels, n_classes) = (labels.of, labels.classes);
    let learners = learner.iter().max().map_or(0, |l| l + 1);
    let mut nearest = vec![f64::INFINITY; learners * n_classes];
    // Prototypes of a class and learner stand together, so the minimum runs over stretches.
    let mut start = 0;
    while start < d.len() {
        let (c, l) = (labels[start], learner[start]);
        let more = labels[start..].iter().zip(&learner[start..]);
        let end = start + more.take_while(|&(&a, &b)| a == c && b == l).count();
        let place = &mut nearest[l * n_classes + c];
        *place = place.min(smallest(&d[start..end]).f64() + LEAST_DISTANCE);
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
        let (d, learner) = ([3.0, 2.0, 1.0, 6.0], [0, 1, 0, 1]);
        let labels = Labels { of: &[0, 0, 1, 1], classes: 2 };
        let sparse = encode(LearnerCode::Sparse, &d, labels, &learner);
        assert_eq!(sparse, [(1, 1.0 / 3.0), (2, 2.0 / 3.0)]);
        let dense = encode(LearnerCode::Dense, &d, labels, &learner);
        assert_eq!(dense, [(0, 0.25), (1, 1.0 / 12.0), (2, 2.0 / 12.0), (3, 0.5)]);
    }

    #[test]
    fn one_learner_gives_the_class_it_sees_and_nothing_else() {
        let code = encode(
            LearnerCode::Sparse,
            &[0.7f32, 0.2, 0.9],
            Labels { of: &[0, 1, 2], classes: 3 },
            &[0, 0, 0],
        );
        assert_eq!(code, [(1, 1.0)]);
    }

    #[test]
    fn a_sample_on_its_prototypes_has_a_code_without_nan() {
        for code in [LearnerCode::Sparse, LearnerCode::Dense] {
            let code = encode(code, &[0.0f64; 4], Labels { of: &[0, 0, 1, 1], classes: 2 }, &[0, 1, 0, 1]);
            assert!((code.iter().map(|(_, v)| v).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_learner_without_prototypes_is_refused() {
        let labels = Labels { of: &[0, 1, 0, 1], classes: 2 };
        let with = |learner: [usize; 4], learners: usize| {
            let weights = Array2::<f32>::zeros((2, 2 * learners));
            Ensemble { code: LearnerCode::Sparse, learner: learner.to_vec(), weights, biases: vec![0.0; 2] }
        };
        assert!(with([0, 0, 1, 1], 2).fits(labels));
        assert!(!with([0, 0, 2, 2], 3).fits(labels) && !with([0, 0, 1, 1], 3).fits(labels));
        assert!(!with([0, 0, 2, 2], 2).fits(labels));
    }
}
