//! Keeping every training sample: nearest neighbours.

use super::super::first_metric::cdvw;
use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::init::Prototypes;
use crate::metric::{FittedMetric, MetricKind, Plain};
use crate::progress::Progress;
use crate::{Float, Result};

/// Keeps the training samples as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory;

impl Memory {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "memory", keeps_samples: true, ..Facts::NONE };
}

impl AnyLearner for Memory {}

impl<F: Float> Learner<F> for Memory {
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, _: &mut dyn Progress) -> Result<Fitted<F>> {
        let metric: Box<dyn FittedMetric<F>> = match task.training.metric.kind {
            MetricKind::Cdvw => Box::new(cdvw(task.train)),
            _ => Box::new(Plain),
        };
        Ok(Fitted::as_is(start, metric))
    }
}
