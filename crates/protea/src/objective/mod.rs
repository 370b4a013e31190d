//! Training criteria, one file per paper.
//!
//! An objective sees distances and classes, never coordinates: it maps one sample's row of squared distances to a loss
//! and its derivative by each distance. Metrics carry that derivative on to prototypes and matrices.

mod dmpl;
mod glvq;
mod lpd;
mod npc;
mod pair;

pub use dmpl::Dmpl;
pub use glvq::{Activation, Glvq};
pub use lpd::Lpd;
pub use npc::{Loss, Npc, Over};
pub(crate) use pair::nearest_pair;

use crate::Float;
use crate::data::ClassLayout;
use crate::float::both_floats;

/// One sample as an objective sees it.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a, F> {
    /// Squared distance to each prototype.
    pub d: &'a [F],
    /// Class of the sample; the class has at least one prototype.
    pub y: usize,
    /// Which prototypes belong to which class.
    pub classes: &'a ClassLayout,
    /// Inverse temperature of this epoch, from the annealing schedule.
    pub gamma: F,
}

/// A training criterion.
pub trait Objective<F: Float>: Send + Sync {
    /// Returns the loss of one sample and writes its derivative by each distance to `g`.
    ///
    /// `per_class` has two free values for each class.
    fn loss(&self, sample: &Sample<F>, g: &mut [F], per_class: &mut [F]) -> f64;

    /// What γ means for it, and so how the trainer finds its first value.
    fn unit(&self) -> Unit {
        Unit::Softness
    }
}

/// What γ is to an objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Inverse temperature of a soft minimum: calibrated on the data, then raised.
    Softness,
    /// Inverse of a length: one over the mean squared distance to the nearest prototype of the own class.
    OwnDistance,
    /// A number without unit: 1, unless it is set.
    None,
}

/// An objective for both element types, as the registry builds it.
pub trait AnyObjective: Objective<f32> + Objective<f64> {}

impl<T: Objective<f32> + Objective<f64>> AnyObjective for T {}

both_floats!(AnyObjective is Objective);
