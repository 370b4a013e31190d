//! The door for preprocessing: what a step can do, and the list of all kinds of steps.
//!
//! A new step is a file with a type that implements [`Step`] and a line in [`STEPS`]; a user's own step is made known by
//! [`register`].

use super::{ImageSize, deskew, hog, linear, scale, unit};
use crate::float::Family;
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::Array2;
use std::fmt::Debug;
use std::sync::{PoisonError, RwLock};

/// What a step does to the meaning of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A linear map but for a shift: differences can be followed back to the features.
    Linear,
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

/// How steps of a kind are read back.
pub type Restore<F> = fn(&Stored<F>) -> Result<Box<dyn Step<F>>>;

/// A kind of step.
#[derive(Debug, Clone, Copy)]
pub struct StepKind {
    /// Its name in model files.
    pub tag: &'static str,
    /// Reads one of numbers in `f32`.
    pub f32: Restore<f32>,
    /// Reads one of numbers in `f64`.
    pub f64: Restore<f64>,
}

impl Family for StepKind {
    type At<F: Float> = Restore<F>;

    fn f32(&self) -> &Restore<f32> {
        &self.f32
    }

    fn f64(&self) -> &Restore<f64> {
        &self.f64
    }

    fn f32_mut(&mut self) -> &mut Restore<f32> {
        &mut self.f32
    }

    fn f64_mut(&mut self) -> &mut Restore<f64> {
        &mut self.f64
    }
}

/// The kinds of steps that protea has.
pub const STEPS: &[StepKind] = &[
    StepKind { tag: "deskew", f32: deskew::restore, f64: deskew::restore },
    StepKind { tag: "hog", f32: hog::restore, f64: hog::restore },
    StepKind { tag: "scale", f32: scale::restore, f64: scale::restore },
    StepKind { tag: "linear", f32: linear::restore, f64: linear::restore },
    StepKind { tag: "unit", f32: unit::restore, f64: unit::restore },
];

/// Kinds that users have registered.
static REGISTERED: RwLock<Vec<StepKind>> = RwLock::new(Vec::new());

/// Makes a kind of step known, so that models that have it can be loaded; refuses a tag that is taken.
pub fn register(kind: StepKind) -> Result<()> {
    let mut own = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if STEPS.iter().chain(own.iter()).any(|k| k.tag == kind.tag) {
        return Err(Error::data(format!("there is a step {:?} already", kind.tag)));
    }
    own.push(kind);
    Ok(())
}

/// Reads a step back.
pub(crate) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    let own = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    let kind = STEPS.iter().chain(own.iter()).find(|k| k.tag == stored.tag);
    let kind = kind.ok_or_else(|| {
        Error::data(format!(
            "the model has a step {:?} that is not known here; register it first",
            stored.tag
        ))
    })?;
    F::pick(kind)(stored)
}
