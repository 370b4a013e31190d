//! Learning nothing beyond the first prototypes: they are the model.

use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::init::Prototypes;
use crate::metric::Plain;
use crate::progress::Progress;
use crate::{Float, Result};

/// Keeps the prototypes that the initialiser found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Initial;

impl Initial {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "initial", keeps_start: true, ..Facts::NONE };
}

impl AnyLearner for Initial {}

impl<F: Float> Learner<F> for Initial {
    fn learn(&self, _: &Task<F>, start: Prototypes<F>, _: &mut dyn Progress) -> Result<Fitted<F>> {
        Ok(Fitted::as_is(start, Box::new(Plain)))
    }
}
