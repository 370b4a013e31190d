//! How methods come from a prepared task to something fitted; one file for each way.
//!
//! A new way to learn is a file with a [`Learner`] and its [`Facts`], and a method that names them.

pub(crate) mod code;
pub(crate) mod descent;
mod initial;
mod members;
mod memory;
mod online;
pub(crate) mod parametric;

pub(crate) use code::Code;
pub(crate) use descent::{Descent, Images};
pub(crate) use initial::Initial;
pub(crate) use members::{check as check_members, settings_of};
pub(crate) use memory::Memory;
pub(crate) use online::Online;
pub(crate) use parametric::Parametric;

use super::Training;
use crate::float::both_floats;
use crate::init::Prototypes;
use crate::metric::FittedMetric;
use crate::model::Decision;
use crate::objective::AnyObjective;
use crate::progress::{Epoch, Progress, Stopped};
use crate::{Dataset, Float, Result};
use ndarray::Array2;

/// What a learner works on: settings, samples after preprocessing, and what the user has given.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a, F: Float> {
    pub training: &'a Training,
    pub train: &'a Dataset<F>,
    pub valid: Option<&'a Dataset<F>>,
    /// A matrix for the metric to start from.
    pub matrix: Option<&'a Array2<F>>,
    /// A metric to go on from.
    pub metric: Option<&'a dyn FittedMetric<F>>,
    /// Images that the samples are made from, where these are to change.
    pub images: Option<Images<'a, F>>,
}

/// What was learned.
pub(crate) struct Fitted<F: Float> {
    pub prototypes: Prototypes<F>,
    pub metric: Box<dyn FittedMetric<F>>,
    /// What was learned behind the prototypes; none where the setting `posterior` says how to decide.
    pub decision: Option<Box<dyn Decision<F>>>,
    pub history: Vec<Epoch>,
    pub stopped: Stopped,
    pub kept_start: bool,
}

impl<F: Float> Fitted<F> {
    /// Prototypes under a metric that needed no learning.
    pub fn as_is(prototypes: Prototypes<F>, metric: Box<dyn FittedMetric<F>>) -> Self {
        Fitted {
            prototypes,
            metric,
            decision: None,
            history: Vec::new(),
            stopped: Stopped::Finished,
            kept_start: false,
        }
    }
}

/// One way to learn, with the settings of a method.
pub(crate) trait Learner<F: Float>: Send + Sync {
    /// Learns from first prototypes.
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>>;

    /// Whether γ is the inverse temperature of a soft minimum that training raises.
    fn softens(&self) -> bool {
        false
    }

    /// A cheaper learner that tells settings apart on `samples`; none where the learner itself is cheap enough.
    fn trial(&self, _samples: usize) -> Option<Box<dyn AnyLearner>> {
        None
    }

    /// Which of several values of a setting to take, by their errors on held-out samples; infinite where training failed.
    fn pick(&self, errors: &[f64]) -> usize {
        (1..errors.len()).fold(0, |best, k| if errors[k] < errors[best] { k } else { best })
    }
}

/// A learner for both element types, as methods build it.
pub(crate) trait AnyLearner: Learner<f32> + Learner<f64> {
    /// The objective, where it descends on one.
    fn into_objective(self: Box<Self>) -> Option<Box<dyn AnyObjective>> {
        None
    }
}

both_floats!(AnyLearner is Learner);

/// What is known of a way to learn, whatever the settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// Its name.
    pub name: &'static str,
    /// It descends on an objective.
    pub descends: bool,
    /// It can go on from a model.
    pub resumes: bool,
    /// The training samples themselves become the prototypes.
    pub keeps_samples: bool,
    /// It keeps the first prototypes, so that what finds them makes the method what it is.
    pub keeps_start: bool,
    /// It decides by codes over the prototypes, which may come from another model.
    pub codes: bool,
    /// It tries other methods.
    pub searches: bool,
}

impl Facts {
    /// Nothing of all that.
    pub const NONE: Facts = Facts {
        name: "",
        descends: false,
        resumes: false,
        keeps_samples: false,
        keeps_start: false,
        codes: false,
        searches: false,
    };
}
