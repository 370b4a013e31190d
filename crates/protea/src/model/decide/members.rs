//! Members that decide together, by the mean of their distances: the score is `−(mean over members of min_{j of c and the member} d_j
//! + b_c)`.

use super::{Decision, Labels, Rule, class_minima, largest, lower_least, lower_numbers, times};
use crate::plan::{ArrayId, Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};

/// Models whose distances are averaged.
#[derive(Debug, Clone)]
pub struct Members<F> {
    /// Where the prototypes of each member end; they stand together.
    pub ends: Vec<usize>,
    /// `b`, one for each class.
    pub biases: Vec<F>,
}

impl<F: Float> Members<F> {
    fn scores(&self, d: &[F], labels: Labels) -> Vec<f64> {
        let mut sums = vec![0.0; labels.classes];
        let mut start = 0;
        for &end in &self.ends {
            let nearest = class_minima(&d[start..end], Labels { of: &labels.of[start..end], ..labels });
            sums.iter_mut().zip(nearest).for_each(|(s, d)| *s += d.f64());
            start = end;
        }
        let members = self.ends.len() as f64;
        sums.iter().zip(&self.biases).map(|(s, b)| -(s / members + b.f64())).collect()
    }
}

impl<F: Float> Decision<F> for Members<F> {
    fn tag(&self) -> &'static str {
        "members"
    }

    fn fits(&self, labels: Labels) -> bool {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.ends.iter().zip(starts).all(|(&end, start)| end > start)
            && self.ends.last() == Some(&labels.of.len())
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

    fn with_shifts(&self, shifts: &[f64]) -> Result<Box<dyn Decision<F>>> {
        let mut shifted = self.clone();
        shifted.biases.iter_mut().zip(shifts).for_each(|(b, &s)| *b -= F::of(s));
        Ok(Box::new(shifted))
    }

    fn members(&self) -> usize {
        self.ends.len()
    }

    fn adds(&self) -> Option<&'static str> {
        Some("members whose distances are averaged")
    }

    fn describe(&self, gamma: f64) -> String {
        format!("by scores, γ = {gamma:.6}")
    }

    fn store(&self) -> Stored<F> {
        Stored::new("members")
            .with_wholes("head.members", &self.ends)
            .with_vector("head.biases", &self.biases)
    }

    fn lower(
        &self,
        labels: Labels,
        label_array: ArrayId,
        gamma: f64,
        plan: &mut Plan,
    ) -> Result<Option<f64>> {
        lower_least(labels, label_array, &self.ends, plan);
        let weights = lower_numbers("class-weights", &vec![F::one(); labels.classes], plan);
        let biases = lower_numbers("class-biases", &self.biases, plan);
        plan.ops.push(Op::Weigh { weights, biases });
        Ok(Some(gamma))
    }

    fn boxed(&self) -> Box<dyn Decision<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Decision<F>>> {
    Ok(Box::new(Members { ends: stored.wholes("head.members")?, biases: stored.vector("head.biases")? }))
}
