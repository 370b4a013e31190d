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
use crate::settings::named_enum;

/// One sample as an objective sees it.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a, F> {
    /// Squared distance to each prototype; its root where the objective [asks for it](Objective::power).
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

    /// Which distances it sees.
    fn power(&self) -> Power {
        Power::Squared
    }

    /// What γ means for it, and so how the trainer finds its first value.
    fn unit(&self) -> Unit {
        Unit::Softness
    }
}

named_enum! {
    /// Which distances an objective sees.
    pub enum Power {
        /// Squared ones, as metrics give them.
        Squared = "squared",
        /// Their roots.
        Plain = "plain",
    }
}

impl Power {
    /// Squared distances as an objective of this power sees them.
    pub fn of<F: Float>(self, d: &mut [F]) {
        if self == Power::Plain {
            d.iter_mut().for_each(|d| *d = d.sqrt());
        }
    }

    /// Derivatives by squared distances, from those by what [`of`](Self::of) made of them. A distance of 0 has none: its
    /// root has no slope there.
    pub fn chain<F: Float>(self, d: &[F], w: &mut [F]) {
        if self == Power::Plain {
            let slope = |d: F| if d > F::zero() { F::of(0.5) / d } else { F::zero() };
            w.iter_mut().zip(d).for_each(|(w, &d)| *w *= slope(d));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// L = r and r = √d: at d = 4, 0, 9 the slopes by d are 1/4, none, 1/6.
    #[test]
    fn slopes_by_roots_become_slopes_by_squares() {
        let (mut d, mut w) = ([4.0, 0.0, 9.0], [1.0; 3]);
        Power::Plain.of(&mut d);
        Power::Plain.chain(&d, &mut w);
        assert_eq!((d, w), ([2.0, 0.0, 3.0], [0.25, 0.0, 0.5 / 3.0]));
        Power::Squared.chain(&[4.0], &mut w[..1]);
        assert_eq!(w[0], 0.25);
    }
}
