//! What a model answers on labelled samples, computed once for every measure that needs it.

use super::decisions::{check_classes, measure};
use super::prototypes::count_uses;
use super::{Certainty, Evaluation, PrototypeUse, RefusalCurve};
use crate::model::Winner;
use crate::{Dataset, Float, Model, Result};
use ndarray::Array2;

/// Decisions, probabilities and nearest prototypes of a model on labelled samples: three passes over the samples, whatever is
/// measured afterwards.
///
/// ```
/// use protea::{Trainer, catalog::{self, Part}, eval::{Answers, Certainty, evaluate}};
///
/// let data = catalog::load::<f32>("wine", Part::All, None)?;
/// let model = Trainer::named("kmeans")?.fit(&data)?;
/// let answers = Answers::of(&model, &data)?;
/// assert_eq!(answers.evaluation(&data), evaluate(&model, &data)?);
/// assert!(answers.refusal(&data, Certainty::Margin).area > 0.9);
/// # Ok::<(), protea::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// Class that the model decides for, of each sample.
    pub decided: Vec<usize>,
    /// Probability of each class, `samples × classes`.
    pub probabilities: Array2<f64>,
    /// Nearest prototypes of each sample.
    pub winners: Vec<Winner>,
}

impl Answers {
    /// Asks the model.
    pub fn of<F: Float>(model: &Model<F>, data: &Dataset<F>) -> Result<Self> {
        check_classes(model.classes().len())?;
        let x = data.x.view();
        Ok(Answers {
            decided: model.predict(x)?,
            probabilities: model.probabilities(x)?,
            winners: model.winners(x)?,
        })
    }

    /// Error, confusion, per-class measures and calibration.
    pub fn evaluation<F: Float>(&self, data: &Dataset<F>) -> Evaluation {
        measure(&data.classes, &data.y, &self.decided, self.probabilities.view())
    }

    /// Use of every prototype, in the model's order.
    pub fn prototype_uses<F: Float>(&self, model: &Model<F>, data: &Dataset<F>) -> Vec<PrototypeUse> {
        count_uses(model, &self.winners, &data.y)
    }

    /// Precision against recall when the least certain answers are refused.
    pub fn refusal<F: Float>(&self, data: &Dataset<F>, certainty: Certainty) -> RefusalCurve {
        let certainties = match certainty {
            Certainty::Probability => certainty.of_decided(&self.decided, self.probabilities.view()),
            _ => self.winners.iter().map(|w| certainty.of_winner(w)).collect(),
        };
        RefusalCurve::new(&certainties, &self.right(&data.y))
    }

    /// Whether each sample is decided rightly.
    pub fn right(&self, y: &[usize]) -> Vec<bool> {
        self.decided.iter().zip(y).map(|(c, y)| c == y).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trainer;
    use crate::catalog::{self, Part};
    use crate::eval::{evaluate, prototype_uses, refusal};

    /// One set of answers gives the same measures as asking the model anew for each, whatever decides.
    #[test]
    fn measures_of_one_set_of_answers_are_those_of_fresh_ones() {
        let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
        for (method, short) in
            [("npc", Some(("epochs", "2"))), ("pnn", Some(("draws", "300"))), ("inn", None), ("knn", None)]
        {
            let trainer = Trainer::named(method).unwrap();
            let trainer = short.iter().fold(trainer, |t, (n, v)| t.set(n, v).unwrap());
            let model = trainer.fit(&data).unwrap();
            let answers = Answers::of(&model, &data).unwrap();
            assert_eq!(answers.evaluation(&data), evaluate(&model, &data).unwrap(), "{method}");
            let uses = prototype_uses(&model, &data).unwrap();
            assert_eq!(answers.prototype_uses(&model, &data), uses, "{method}");
            for certainty in Certainty::ALL {
                let fresh = refusal(&model, &data, certainty).unwrap();
                assert_eq!(answers.refusal(&data, certainty), fresh, "{method} {certainty:?}");
            }
        }
    }
}
