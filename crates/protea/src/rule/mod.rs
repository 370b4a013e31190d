//! Rules that move prototypes for one sample after the other.
//!
//! Like an objective, a rule sees distances and classes, never coordinates; unlike one, it has no value that falls.

mod lvq;
mod margin;

pub use lvq::{Lvq1, Lvq2, Lvq3, Olvq1};
pub use margin::MarginRule;

use crate::Float;
use crate::float::both_floats;
use crate::objective::Sample;

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

    /// Numbers that it has learned from the samples so far; most rules remember nothing.
    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes on from a saved state.
    fn restore(&mut self, _state: &[f64]) {}
}

/// A rule for both element types, as the registry builds it.
pub trait AnyRule: OnlineRule<f32> + OnlineRule<f64> + Sync {
    /// A copy that has seen what this one has.
    fn copy(&self) -> Box<dyn AnyRule>;
}

impl<T: OnlineRule<f32> + OnlineRule<f64> + Clone + Sync + 'static> AnyRule for T {
    fn copy(&self) -> Box<dyn AnyRule> {
        Box::new(self.clone())
    }
}

both_floats!(AnyRule is OnlineRule);
