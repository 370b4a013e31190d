//! From what was learned to a model: probabilities that can be trusted, importance of prototypes, provenance.

use super::Training;
use super::learner::descent::deviation;
use super::learner::{Fitted, code};
use crate::init::Prototypes;
use crate::metric::Space;
use crate::model::{
    CALIBRATION_SAMPLES, ClassWeights, Decider, Judged, Labels, Model, Parts, Posterior, Provenance, Rule,
    gamma_start, likeliest_gamma, most_gamma,
};
use crate::progress::Stopped;
use crate::represent::Pipeline;
use crate::settings::{named_enum, settings};
use crate::{Dataset, Float, Result, normal_pair, rng};

named_enum! {
    /// What the temperature of the probabilities is fitted to, where no validation samples are given.
    pub enum Calibration {
        /// Training samples that are held out in turn.
        HeldOut = "held-out",
        /// The training samples, with a little noise.
        Training = "training",
    }
}

settings! {
    /// How the model decides.
    pub struct Deciding {
        Deciding {
            /// Decision rule.
            ///
            /// K-np takes a vote of the K nearest prototypes, soft the most probable class, scores the scores that pnn and
            /// epnn learn, code the sum of samples that coders such as inn and src find.
            rule("rule"): Rule = Rule::Nearest(1), |v| *v != Rule::Nearest(0), "1-np, 3-np, …, soft, scores or code";
            /// How distances become class probabilities.
            ///
            /// soft is a soft minimum over all prototypes, nearest one over the nearest prototype of each class, inverse uses
            /// inverse powers of the distances to these.
            posterior("posterior"): Posterior = Posterior::Soft;
            /// Samples that the temperature of the probabilities is fitted to.
            ///
            /// held-out takes samples that training has not seen: each third of the training samples in turn, by a model of the
            /// other two, until 1000 samples are judged. training takes the training samples themselves, which costs nothing and is
            /// too sure where prototypes are many.
            calibration("calibration"): Calibration = Calibration::HeldOut;
            /// Weights of classes when deciding: balanced, or numbers like rare=5,*=1.
            ///
            /// balanced weighs classes as if they were equally frequent. Training stays as it is: probabilities are multiplied by the
            /// weights, and posterior is nearest.
            class_weight("class-weight"): Option<ClassWeights> = None, |_| true, "none, balanced, or weights like A=5,*=1";
        }
    }
}

/// What a model is made from, besides what was learned.
pub(super) struct Origin<'a, F: Float> {
    pub training: &'a Training,
    /// Samples after preprocessing.
    pub train: Dataset<F>,
    pub valid: Option<Dataset<F>>,
    /// Whether the prototypes are the training samples themselves.
    pub memorised: bool,
    pub pipeline: Pipeline<F>,
    pub classes: Vec<String>,
    pub features: Vec<String>,
    pub provenance: Provenance,
}

/// Products of coordinates above which an interrupted training measures its model on some of the samples, and those samples.
const HURRIED_WORK: usize = 20_000_000_000;
const HURRIED_SAMPLES: usize = 500;

impl<F: Float> Origin<'_, F> {
    /// A few samples of these.
    fn few(&self, data: &Dataset<F>, most: usize) -> Dataset<F> {
        data.sample(most, self.training.start.seed, "calibration")
    }

    /// Samples to calibrate on: validation samples or, where there are none, training samples under the noise of training.
    fn queries(&self) -> Dataset<F> {
        match &self.valid {
            Some(valid) => self.few(valid, CALIBRATION_SAMPLES),
            None => {
                let noise = self.training.descending.noise().max(0.1);
                jitter(self.few(&self.train, CALIBRATION_SAMPLES), noise, self.training.start.seed)
            }
        }
    }

    /// The inverse temperature of the probabilities.
    fn gamma(&self, prototypes: &Prototypes<F>, space: &Space<F>, decider: &Decider<F>) -> Result<f64> {
        if let Some(coding) = decider.decision.coding() {
            let given = (!self.memorised || self.valid.is_some()).then(|| self.queries());
            return code::temperature_of_codes(
                coding,
                prototypes,
                &self.train,
                given,
                self.training.start.seed,
            );
        }
        if self.memorised {
            // Every training sample is its own prototype: nothing can be learned from its distance 0.
            let d = space.distances(self.few(&self.train, 200).x.view());
            return Ok(decider.decision.memorised_gamma(d.view(), self.train.dim()));
        }
        let few = self.queries();
        let d = space.distances(few.x.view());
        Ok(likeliest_gamma(&[Judged { decision: decider, d, y: &few.y }]))
    }

    /// Share of the samples that each prototype answers for.
    fn importance(&self, space: &Space<F>, decider: &Decider<F>, gamma: f64) -> Vec<f64> {
        let m = decider.labels.of.len();
        if self.memorised {
            return vec![1.0 / m as f64; m];
        }
        // The soft minimum has a temperature of its own where probabilities are made in another way.
        let softness = if decider.decision.is_soft_minimum() {
            gamma
        } else {
            let few = self.few(&self.train, CALIBRATION_SAMPLES);
            gamma_start(space.distances(few.x.view()).view(), 0.5, 0.8)
        };
        space.importance(self.train.x.view(), self.train.weights.as_deref(), softness)
    }

    /// Share of the training samples decided wrongly; none where they are the prototypes, or are coded.
    fn train_error(&self, space: &Space<F>, decider: &Decider<F>, gamma: f64) -> Option<f64> {
        if self.memorised || decider.decision.coding().is_some() {
            return None;
        }
        let decided = space.map(self.train.x.view(), |_, d| decider.decide(d, gamma));
        let wrong = decided.iter().zip(&self.train.y).filter(|(a, b)| a != b).count();
        Some(wrong as f64 / self.train.len() as f64)
    }
}

/// Calibrates probabilities, measures importance, and puts the model together.
pub(super) fn finish<F: Float>(fitted: Fitted<F>, mut from: Origin<F>) -> Result<Model<F>> {
    let Fitted { prototypes, metric, decision, history, stopped, kept_start } = fitted;
    let work = from.train.len().saturating_mul(prototypes.x.len());
    if stopped == Stopped::Interrupted && work > HURRIED_WORK {
        from.train = from.few(&from.train, HURRIED_SAMPLES);
    }
    let t = from.training;
    let decision = decision.unwrap_or_else(|| t.deciding.posterior.decision());
    let rule = match t.deciding.rule {
        // Scores that were learned and codes decide, unless another rule was asked for.
        Rule::Nearest(1) => decision.rule().unwrap_or(t.deciding.rule),
        rule => rule,
    };
    let space = Space::new(&*metric, prototypes.x.view());
    let labels = Labels { of: &prototypes.y, classes: from.classes.len() };
    let decider = Decider { rule, decision: &*decision, labels };
    let gamma = from.gamma(&prototypes, &space, &decider)?.min(most_gamma::<F>());
    let importance = from.importance(&space, &decider, gamma);
    let train_error = from.train_error(&space, &decider, gamma);
    let Origin { pipeline, classes, features, provenance, .. } = from;
    let provenance = Provenance { train_error, kept_start, stopped, history, ..provenance };
    let posterior = t.deciding.posterior;
    Model::new(Parts {
        prototypes,
        metric,
        decision,
        pipeline,
        classes,
        features,
        rule,
        posterior,
        gamma,
        importance,
        provenance,
    })
}

/// The samples with normal noise, `noise` in units of the global standard deviation.
fn jitter<F: Float>(mut data: Dataset<F>, noise: f64, seed: u64) -> Dataset<F> {
    let deviation = noise * deviation(data.x.view());
    let mut rng = rng(seed, "jitter");
    data.x.mapv_inplace(|v| v + F::of(deviation * normal_pair(&mut rng)[0]));
    data
}
