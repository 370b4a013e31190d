//! Training criteria, one file per paper, and the registry that every other part reads.
//!
//! An objective sees distances and classes, never coordinates: it maps one sample's row of squared distances to a loss
//! and its derivative by each distance. Metrics carry that derivative on to prototypes and matrices.

mod dmpl;
mod free;
mod glvq;
mod lpd;
mod lvq;
mod npc;
mod pair;
mod pnn;
mod registry;
mod softmin;

pub use dmpl::Dmpl;
pub use glvq::{Activation, Glvq};
pub use lpd::Lpd;
pub use lvq::{Lvq1, Lvq2, Lvq3, Olvq1};
pub use npc::{Loss, Npc, Over};
pub(crate) use pair::nearest_pair;
pub use pnn::{Code, Machine, MarginRule, Pnn};
pub(crate) use registry::LEARNABLE;
pub use registry::{Learner, METHODS, Method, Open, method};
pub(crate) use softmin::{softmin, softmin_inline};

use crate::Float;
use std::ops::Range;

/// Which prototypes belong to which class; prototypes of a class stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassLayout {
    of: Vec<usize>,
    ranges: Vec<Range<usize>>,
}

impl ClassLayout {
    /// From the class of each prototype, ascending, out of `n_classes`.
    ///
    /// # Panics
    /// When the classes are not ascending.
    pub fn new(of: &[usize], n_classes: usize) -> Self {
        assert!(of.is_sorted(), "prototypes of a class must stand together, in class order");
        let ranges =
            (0..n_classes).map(|c| of.partition_point(|&l| l < c)..of.partition_point(|&l| l <= c)).collect();
        ClassLayout { of: of.to_vec(), ranges }
    }

    /// Class of each prototype.
    pub fn of(&self) -> &[usize] {
        &self.of
    }

    /// Prototypes of a class.
    pub fn range(&self, class: usize) -> Range<usize> {
        self.ranges[class].clone()
    }

    /// Prototypes of every class, in class order.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Number of classes, with or without prototypes.
    pub fn n_classes(&self) -> usize {
        self.ranges.len()
    }
}

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

/// A prototype to be moved by `step` times the difference between the sample and itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// Which prototype.
    pub prototype: usize,
    /// Positive towards the sample, negative away from it.
    pub step: f64,
}

/// A rule that moves at most two prototypes for each sample that it sees, one sample after the other.
pub trait OnlineRule<F: Float>: Send {
    /// Moves for a sample at this step size.
    fn moves(&mut self, sample: &Sample<F>, rate: f64) -> [Option<Move>; 2];
}

/// A rule for both element types, as the registry builds it.
pub trait AnyRule: OnlineRule<f32> + OnlineRule<f64> {}

impl<T: OnlineRule<f32> + OnlineRule<f64>> AnyRule for T {}

/// An objective for both element types, as the registry builds it.
pub trait AnyObjective: Objective<f32> + Objective<f64> {}

impl<T: Objective<f32> + Objective<f64>> AnyObjective for T {}
