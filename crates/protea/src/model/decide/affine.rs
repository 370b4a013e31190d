//! A weight and a bias for each class, as `pnn` learns them: the score is `−(w_c min_{j of c} d_j + b_c)`.

use super::{Decision, Labels, Rule, class_minima, largest, lower_least, lower_numbers, times};
use crate::plan::{ArrayId, Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::ArrayView2;

/// Scores with a weight and a bias for each class.
#[derive(Debug, Clone)]
pub struct Affine<F> {
    /// `w`, one for each class.
    pub weights: Vec<F>,
    /// `b`, one for each class.
    pub biases: Vec<F>,
}

impl<F: Float> Affine<F> {
    fn scores(&self, d: &[F], labels: Labels) -> Vec<f64> {
        let nearest = class_minima(d, labels);
        let scores = nearest.iter().zip(&self.weights).zip(&self.biases);
        scores.map(|((d, w), b)| -(w.f64() * d.f64() + b.f64())).collect()
    }
}

impl<F: Float> Decision<F> for Affine<F> {
    fn tag(&self) -> &'static str {
        "affine"
    }

    /// A class without prototypes is infinitely far; under a weight that is not positive it would always win, or have no score.
    fn fits(&self, labels: Labels) -> bool {
        if (self.weights.len(), self.biases.len()) != (labels.classes, labels.classes) {
            return false;
        }
        let mut found = vec![false; labels.classes];
        labels.of.iter().for_each(|&c| found[c] = true);
        found.iter().zip(&self.weights).all(|(found, w)| *found || *w > F::zero())
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
        shifted.biases.iter_mut().zip(shifts).for_each(|(b, &s)| *b -= F::of(s));
        Ok(Box::new(shifted))
    }

    fn adds(&self) -> Option<&'static str> {
        Some("scores with a weight and a bias for each class")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("by scores, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("affine")
            .with_vector("head.weights", &self.weights)
            .with_vector("head.biases", &self.biases)
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        lower_least(labels, label_array, &[labels.of.len()], plan);
        let weights = lower_numbers("class-weights", &self.weights, plan);
        let biases = lower_numbers("class-biases", &self.biases, plan);
        plan.ops.push(Op::Weigh { weights, biases });
        Ok(Some(gamma))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    Ok(Box::new(Affine { weights: stored.vector("head.weights")?, biases: stored.vector("head.biases")? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_weighted_distance_has_the_larger_score() {
        let affine = Affine { weights: vec![2.0, 1.0], biases: vec![0.0, 0.5] };
        let labels = Labels { of: &[0, 0, 1], classes: 2 };
        assert_eq!(affine.scores(&[1.0, 4.0, 1.2], labels), [-2.0, -1.7]);
        assert!(affine.fits(labels) && !affine.fits(Labels { classes: 3, ..labels }));
        // A class without prototypes needs a positive weight.
        let lost = Labels { of: &[0, 0, 0], classes: 2 };
        assert!(affine.fits(lost) && !Affine { weights: vec![2.0, 0.0], ..affine }.fits(lost));
    }
}
