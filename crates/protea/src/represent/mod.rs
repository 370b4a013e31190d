//! What is done to features before distances are taken: learned on training samples, stored in the model, applied to
//! every later sample, and undone where a person looks at prototypes.

mod augment;
mod bins;
mod clip;
mod deskew;
mod hog;
mod linear;
mod piecewise;
mod scale;
mod step;
mod target;
mod unit;
mod warp;

pub(crate) use augment::Augment;
pub use bins::{Bins, Encoding};
pub use clip::SmoothClip;
pub use deskew::Deskew;
pub use hog::Hog;
pub use linear::{LinearMap, pca};
pub use piecewise::PiecewiseLinear;
pub use scale::{Scale, Scaling};
pub(crate) use step::restore;
pub use step::{Nature, Restore, STEPS, Step, StepKind, register};
pub(crate) use target::target_encoding;
pub use unit::{UnitLength, to_unit_length};

use crate::kernel::{BLOCK, first_beyond, first_out_of_range};
use crate::plan::Plan;
use crate::settings::{SettingValue, number_or_share};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

/// Transformations in the order in which they apply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline<F: Float> {
    /// The steps.
    pub steps: Vec<Box<dyn Step<F>>>,
}

impl<F: Float> Pipeline<F> {
    /// Transforms samples.
    pub fn apply(&self, x: Array2<F>) -> Array2<F> {
        self.steps.iter().fold(x, |x, step| step.apply(x))
    }

    /// Transforms a few rows into a buffer that is used again and again; tells the first row that then has a value beyond `most`, or was too
    /// large for distances on the way.
    pub(crate) fn apply_into(&self, rows: ArrayView2<F>, most: F, buffer: &mut Vec<F>) -> Option<usize> {
        buffer.clear();
        for row in rows.rows() {
            match row.as_slice() {
                Some(row) => buffer.extend_from_slice(row),
                None => buffer.extend(row),
            }
        }
        let (mut dim, mut refused) = (rows.ncols(), None);
        for step in &self.steps {
            // Steps that are not linear may lose the size of a value, so it is looked at before.
            if step.nature() != Nature::Linear {
                refused = refused.or_else(|| first_out_of_range(buffer, dim));
            }
            dim = step.apply_rows(buffer, dim);
        }
        refused.or_else(|| first_beyond(buffer, dim, most))
    }

    /// Features that come out where `input` go in; none where a step does not fit.
    pub fn output_dim(&self, input: usize) -> Option<usize> {
        self.steps.iter().try_fold(input, |dim, step| step.output_dim(dim))
    }

    /// Sums of what belongs to each feature of the input, where steps have made several numbers of a feature; none where a
    /// step mixes features.
    pub fn gather(&self, v: Vec<f64>) -> Option<Vec<f64>> {
        let mixes = self.steps.iter().any(|s| s.mixes() || s.nature() == Nature::Other);
        (!mixes).then(|| self.steps.iter().rev().fold(v, |v, step| step.gather(v)))
    }

    /// Adds the steps to a plan.
    pub(crate) fn lower(&self, plan: &mut Plan) -> Result<()> {
        for step in &self.steps {
            let op = step.lower(plan)?;
            plan.ops.push(op);
        }
        Ok(())
    }

    /// Brings rows back to the units of the input, as far as the steps can be undone: dropped components stay dropped,
    /// straightened images stay straight, directions of edges do not become images again, and lengths are lost.
    pub fn invert(&self, z: Array2<F>) -> Array2<F> {
        self.steps.iter().rev().fold(z, |z, step| step.invert(z))
    }
}

/// Runs `f` over blocks of rows in parallel.
fn in_place<F: Float>(x: &mut Array2<F>, f: impl Fn(ArrayViewMut2<F>) + Send + Sync) {
    use crate::kernel::parallel::*;
    x.axis_chunks_iter_mut(Axis(0), BLOCK).into_par_iter().for_each(f);
}

/// Rows of `dim` values in a buffer.
fn rows_of<F: Float>(buffer: &mut [F], dim: usize) -> ArrayViewMut2<'_, F> {
    ArrayViewMut2::from_shape((buffer.len() / dim, dim), buffer).expect("rows of dim values")
}

/// A number of components, or the share of variance that they keep: `80`, `95%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Components {
    /// This many.
    Number(usize),
    /// As few as keep this share of the variance.
    Variance(f64),
}

impl SettingValue for Components {
    fn parse(text: &str) -> Option<Self> {
        let (value, share) = number_or_share(text)?;
        Some(if share { Components::Variance(value) } else { Components::Number(value as usize) })
    }

    fn show(&self) -> String {
        match self {
            Components::Number(n) => n.to_string(),
            Components::Variance(s) => format!("{}%", s * 100.0),
        }
    }

    fn types() -> Vec<&'static str> {
        vec!["int", "float", "text"]
    }
}

/// Width and height of an image, as `28x28`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl ImageSize {
    /// The given size, or a square one that fits; checked against the number of features.
    pub fn for_features(given: Option<Self>, dim: usize) -> Result<Self> {
        let side = dim.isqrt();
        let size = given.unwrap_or(ImageSize { width: side, height: side });
        if size.width * size.height == dim {
            return Ok(size);
        }
        let expected = format!("WIDTHxHEIGHT with {dim} pixels in all");
        Err(Error::setting("image", given.map_or("none".into(), |g| g.show()), expected))
    }
}

impl SettingValue for ImageSize {
    fn parse(text: &str) -> Option<Self> {
        let (w, h) = text.split_once('x')?;
        let size = ImageSize { width: w.parse().ok()?, height: h.parse().ok()? };
        (size.width > 0 && size.height > 0).then_some(size)
    }

    fn show(&self) -> String {
        format!("{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_pipeline_is_undone_in_reverse() {
        let x = array![[1.0, 10.0, 3.0], [2.0, 30.0, 1.0], [4.0, 20.0, 5.0], [0.0, 25.0, 2.0]];
        let scaling = Scaling::learn(Scale::Standard, x.view());
        let mut z = x.clone();
        scaling.apply(z.view_mut());
        let map = pca(z.view(), Components::Number(3)).unwrap();
        let pipeline = Pipeline { steps: vec![Box::new(scaling), Box::new(map)] };
        let back = pipeline.invert(pipeline.apply(x.clone()));
        assert!((&back - &x).iter().all(|v: &f64| v.abs() < 1e-12));
    }

    #[test]
    fn sizes_and_components_parse() {
        assert_eq!(ImageSize::parse("28x20"), Some(ImageSize { width: 28, height: 20 }));
        assert_eq!(ImageSize::for_features(None, 784).unwrap().show(), "28x28");
        assert!(ImageSize::for_features(None, 10).is_err());
        assert_eq!(Components::parse("95%"), Some(Components::Variance(0.95)));
        assert_eq!(Components::parse("80").unwrap().show(), "80");
    }
}
