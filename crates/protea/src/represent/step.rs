//! The door for preprocessing: what a step can do, and the list of all kinds of steps.
//!
//! A new step is a file with a type that implements [`Step`] and a line in [`STEPS`]; a user's own step is made known by
//! [`register`].

use super::{ImageSize, clip, deskew, hog, linear, piecewise, scale, unit};
use crate::plan::{Op, Plan};
use crate::store::{Stored, registry};
use crate::{Float, Result};
use ndarray::Array2;
use std::fmt::Debug;

/// What a step does to the meaning of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A linear map but for a shift: differences can be followed back to the features.
    Linear,
    /// Each feature becomes one or more numbers of its own, by a curve: what these contribute adds up to what the feature
    /// contributes.
    PerFeature,
    /// An image becomes an image of the same size.
    Image,
    /// Anything else: what comes out is in no unit of the input.
    Other,
}

/// One learned transformation of samples.
pub trait Step<F: Float>: Debug + Send + Sync {
    /// Features that come out where `input` go in; none where the step does not fit so many.
    fn output_dim(&self, input: usize) -> Option<usize>;

    /// Transforms all samples, in parallel blocks of rows.
    fn apply(&self, x: Array2<F>) -> Array2<F>;

    /// Transforms the rows of a short block in place of themselves and returns their new length.
    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize;

    /// Undoes the step, as far as that is possible; as it is where it is not.
    fn invert(&self, z: Array2<F>) -> Array2<F> {
        z
    }

    /// What the step does to the meaning of features.
    fn nature(&self) -> Nature;

    /// `Mᵀ v` for the linear part `M` of the step.
    fn pull_back(&self, v: Vec<f64>) -> Vec<f64> {
        v
    }

    /// Sums of the numbers that each feature has become, for the nature [`Nature::PerFeature`].
    fn gather(&self, v: Vec<f64>) -> Vec<f64> {
        v
    }

    /// `M A` for the linear part `M` of the step.
    fn after(&self, a: Array2<F>) -> Array2<F> {
        a
    }

    /// Whether a feature that comes out is made of several that went in.
    fn mixes(&self) -> bool {
        false
    }

    /// Whether distances change by a common factor at most.
    fn keeps_proportions(&self) -> bool {
        false
    }

    /// The size of the images that the step works on.
    fn image(&self) -> Option<ImageSize> {
        None
    }

    /// Numbers that prediction needs of the step.
    fn size(&self) -> usize;

    /// The step in a few words.
    fn describe(&self) -> String;

    /// What a model file keeps of the step.
    fn store(&self) -> Stored<F>;

    /// The step as an operation of a plan; a sentence where there is none for it.
    fn lower(&self, plan: &mut Plan) -> Result<Op>;

    /// A copy behind a pointer.
    fn boxed(&self) -> Box<dyn Step<F>>;
}

impl<F: Float> Clone for Box<dyn Step<F>> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl<F: Float> PartialEq for Box<dyn Step<F>> {
    fn eq(&self, other: &Self) -> bool {
        self.store() == other.store()
    }
}

registry! {
    /// A kind of step.
    pub struct StepKind reads Step, "step";
    /// The kinds of steps that protea has.
    pub const STEPS = [
        "deskew" => deskew::restore,
        "hog" => hog::restore,
        "piecewise-linear" => piecewise::restore,
        "scale" => scale::restore,
        "smooth-clip" => clip::restore,
        "linear" => linear::restore,
        "unit" => unit::restore,
    ];
}
