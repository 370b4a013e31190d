//! Methods that code: they keep the samples, or the prototypes of another model, as a dictionary, and learn at most weights of it.

use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::coding::Coding;
use crate::init::Prototypes;
use crate::metric::{Embedding, Plain};
use crate::model::decide::ByCode;
use crate::model::{CALIBRATION_SAMPLES, Coded, Model};
use crate::progress::Progress;
use crate::represent::{LinearMap, Pipeline};
use crate::{Dataset, Error, Float, Result, data};

/// Decides by codes over the prototypes.
#[derive(Debug, Clone)]
pub(crate) struct Code(pub Coding);

impl Code {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "code", keeps_samples: true, codes: true, ..Facts::NONE };
}

impl AnyLearner for Code {}

impl<F: Float> Learner<F> for Code {
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        let mut coding = self.0.clone();
        coding.learn(task.train, &|| progress.cancelled());
        Ok(Fitted { decision: Some(Box::new(ByCode(coding))), ..Fitted::as_is(start, Box::new(Plain)) })
    }
}

/// Share of the training samples that are coded over the others, at most, and their number, at most.
const CODED: (f64, f64) = (0.2, 1000.0);
/// Inverse temperature where there are too few samples to calibrate it.
const UNCALIBRATED: f64 = 10.0;

/// Inverse temperature of the probabilities by codes: on `given` samples over the prototypes or, where these are the training
/// samples themselves, on a part of them over the rest.
pub(crate) fn temperature_of_codes<F: Float>(
    coding: &Coding,
    prototypes: &Prototypes<F>,
    train: &Dataset<F>,
    given: Option<Dataset<F>>,
    seed: u64,
) -> Result<f64> {
    let (coded, queries) = match given {
        Some(queries) => (Coded::over(coding, &prototypes.x, &prototypes.y, train.n_classes())?, queries),
        None => {
            let few = train.sample(CALIBRATION_SAMPLES, seed, "calibration");
            let share = CODED.0.min(CODED.1 / few.len() as f64);
            let Ok((kept, held)) = data::holdout(&few, share, seed) else { return Ok(UNCALIBRATED) };
            let mut rest = coding.clone();
            let kept = few.select(&kept);
            rest.learn(&kept, &|| false);
            (Coded::over(&rest, &kept.x, &kept.y, train.n_classes())?, few.select(&held))
        }
    };
    coded.likeliest_gamma(queries.x.view(), &queries.y)
}

/// Pipeline and prototypes of a model as a dictionary: a linear metric becomes the last step, where distances are Euclidean.
pub(crate) fn dictionary<F: Float>(
    model: &Model<F>,
    data: &Dataset<F>,
) -> Result<(Pipeline<F>, Prototypes<F>)> {
    if model.classes() != data.classes {
        return Err(Error::different_classes("the dictionary", "the training samples"));
    }
    if model.features().len() != data.dim() {
        let (expected, found) = (model.features().len(), data.dim());
        return Err(Error::shape("features, as in the dictionary", expected, found));
    }
    let (mut pipeline, mut prototypes) = (model.pipeline().clone(), model.prototypes().clone());
    let matrix = match model.metric().embedding() {
        Embedding::Identity => return Ok((pipeline, prototypes)),
        Embedding::Matrix(matrix) => matrix,
        Embedding::None => {
            let expected = "a model without a metric of each prototype: its prototypes share no space";
            return Err(Error::setting("dictionary", &model.provenance().method, expected));
        }
    };
    let map = LinearMap::new(matrix)?;
    prototypes.x = map.apply(prototypes.x.view());
    pipeline.steps.push(Box::new(map));
    Ok((pipeline, prototypes))
}
