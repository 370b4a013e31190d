//! What happens before anything is learned: checks, representation, first prototypes.

use super::Training;
use super::check::{check_range, check_spread};
use crate::init::leave_one_out_errors;
use crate::metric::Space;
use crate::metric_learning::{Graph, LearnedMatrix, Learners, Projection};
use crate::progress::Progress;
use crate::represent::{
    Components, Deskew, Encoding, Hog, ImageSize, LinearMap, PiecewiseLinear, Pipeline, Scale, Scaling,
    SmoothClip, Step, UnitLength, pca, target_encoding,
};
use crate::settings::settings;
use crate::{Dataset, Error, Float, Result};
use ndarray::Array2;

/// Samples on which the scaling `auto` is decided.
const SCALE_SAMPLES: usize = 3000;

settings! {
    /// What samples look like before distances are measured.
    pub struct Representing {
        Representing {
            /// How features are scaled.
            ///
            /// raw leaves them alone, none centres them, global divides all by one standard deviation, standard divides each
            /// by its own, minmax maps each to [0, 1], robust uses medians and quartiles and clips outliers; auto picks
            /// global or standard by leave-one-out error on the training samples.
            scale("scale"): Scale = Scale::Auto;
            /// Piecewise-linear encoding of each feature, before scaling; bins after a colon, such as ple:16.
            ///
            /// ple has bins of equally many samples, tree has bins where a small decision tree splits the classes. Without a
            /// number there are 8 to 48 bins, by the number of samples. For tables whose features act by thresholds.
            encode("encode"): Option<Encoding> = None;
            /// Target-encode text columns with more than this many values; none one-hot encodes all of them.
            ///
            /// Such a column becomes how much more often than elsewhere each class occurs with a value, smoothed and
            /// cross-fitted. A value that was not seen in training counts as average.
            target_encode("target-encode"): Option<usize> = None, |_| true, "none or a number like 10";
            /// Principal components to keep: a number, or a share of the variance.
            pca("pca"): Option<Components> = None, |_| true, "none, a number like 80, or a share like 95%";
            /// Supervised projection after scaling and PCA; a number after a colon sets its dimension.
            ///
            /// innlp and lpp keep neighbours together, lda separates classes.
            project("project"): Option<Projection> = None;
            /// What the projection innlp preserves.
            ///
            /// laplacian keeps neighbours together, reconstruction keeps samples as sums of their neighbours.
            graph("graph"): Graph = Graph::Laplacian;
            /// Restrict the neighbours of innlp and lpp to the same class.
            supervised("supervised"): bool = true;
            /// Normalise each sample to length 1, after scaling and projections.
            unit("unit"): bool = false;
            /// Width and height of images; square images are recognised.
            image("image"): Option<ImageSize> = None, |_| true, "none or WIDTHxHEIGHT like 28x28";
            /// Replace images by histograms of oriented gradients (HOG).
            ///
            /// Cells of 4 × 4 pixels, blocks of 2 × 2 cells, 8 directions.
            hog("hog"): bool = false;
            /// Deskew images: remove their slant before anything else.
            deskew("deskew"): bool = false;
        }
    }
}

/// A pipeline and what became of the training samples.
pub(super) struct Represented<F: Float> {
    pub pipeline: Pipeline<F>,
    pub x: Array2<F>,
    /// A metric that was learned on the samples; it is the last step of the pipeline.
    pub learned: Option<LearnedMatrix<F>>,
}

impl<F: Float> Represented<F> {
    /// Samples as an earlier pipeline shows them.
    pub fn as_in(pipeline: &Pipeline<F>, train: &Dataset<F>) -> Self {
        Represented { pipeline: pipeline.clone(), x: pipeline.apply(train.x.clone()), learned: None }
    }
}

/// Learns the pipeline on training samples and applies it; `first` are steps that come before, and where `fixed`, the matrix is
/// the last.
pub(super) fn represent<F: Float>(
    t: &Training,
    learners: &Learners,
    train: &Dataset<F>,
    first: Pipeline<F>,
    matrix: Option<&Array2<F>>,
    fixed: bool,
    progress: &mut dyn Progress,
) -> Result<Represented<F>> {
    let dim = first
        .output_dim(train.dim())
        .ok_or_else(|| Error::data(format!("a step of your own does not fit {} features", train.dim())))?;
    let x = first.apply(train.x.clone());
    let mut steps = first.steps;
    let x = of_images(&t.representing, &mut steps, x, dim)?;
    let mut now = Dataset { x, ..train.clone_labels() };
    let ends = encode(t, &mut steps, &mut now)?;
    let scale = decided(t.representing.scale, &now, &ends, t.start.seed);
    if scale != Scale::Raw {
        now.x = push(&mut steps, Scaling::learn_grouped(scale, now.x.view(), &ends), now.x);
    }
    if scale == Scale::Robust {
        now.x = push(&mut steps, SmoothClip, now.x);
    }
    if let Some(components) = t.representing.pca {
        let map = pca(now.x.view(), components)?;
        now.x = push(&mut steps, map, now.x);
    }
    if let Some(projection) = t.representing.project {
        progress.phase("projection");
        let map = projection.learn(
            &now,
            t.representing.graph,
            t.representing.supervised,
            t.representing.pca.is_some(),
        )?;
        now.x = push(&mut steps, map, now.x);
    }
    if t.representing.unit {
        check_range(now.x.view())?;
        check_spread(now.x.view())?;
        now.x = push(&mut steps, UnitLength, now.x);
    }
    if let Some(matrix) = matrix {
        if matrix.ncols() != now.x.ncols() {
            let expected = format!("a matrix with {} columns, one for each feature", now.x.ncols());
            return Err(Error::setting("metric matrix", format!("{:?}", matrix.dim()), expected));
        }
        if fixed {
            let map = LinearMap::new(matrix.clone())?;
            now.x = push(&mut steps, map, now.x);
        }
    }
    let learned = learners.learn(t.metric.kind, &now, t.metric.rank, t.descending.tol, progress)?;
    if let Some(LearnedMatrix { matrix, .. }) = &learned {
        let map = LinearMap::new(matrix.clone())?;
        now.x = push(&mut steps, map, now.x);
    }
    Ok(Represented { pipeline: Pipeline { steps }, x: now.x, learned })
}

/// Straightens images and takes their edges, as far as the settings ask for it.
fn of_images<F: Float>(
    settings: &Representing,
    steps: &mut Vec<Box<dyn Step<F>>>,
    mut x: Array2<F>,
    dim: usize,
) -> Result<Array2<F>> {
    if settings.deskew || settings.hog {
        check_range(x.view())?;
    }
    if settings.deskew {
        let size = ImageSize::for_features(settings.image, dim)?;
        x = push(steps, Deskew::learn(size, x.view()), x);
    } else if let Some(size) = settings.image {
        ImageSize::for_features(Some(size), dim)?;
    }
    if settings.hog {
        let hog = Hog::new(ImageSize::for_features(settings.image, dim)?)?;
        x = push(steps, hog, x);
    }
    Ok(x)
}

/// Encodes text columns and numbers of a table, as far as the settings ask for it; tells where the components of each feature end.
fn encode<F: Float>(
    t: &Training,
    steps: &mut Vec<Box<dyn Step<F>>>,
    now: &mut Dataset<F>,
) -> Result<Vec<usize>> {
    // One-hot features are found by their names, which other steps would have changed.
    if let Some(least) = t.representing.target_encode.filter(|_| steps.is_empty())
        && let Some((map, x)) = target_encoding(now, least, t.start.seed)?
    {
        steps.push(Box::new(map));
        now.x = x;
    }
    let Some(encoding) = t.representing.encode else { return Ok((1..=now.x.ncols()).collect()) };
    check_range(now.x.view())?;
    let encoded = PiecewiseLinear::learn(encoding, now);
    let ends = encoded.component_ends();
    let x = std::mem::replace(&mut now.x, Array2::zeros((0, 0)));
    now.x = push(steps, encoded, x);
    Ok(ends)
}

/// Adds a step and applies it.
fn push<F: Float>(
    steps: &mut Vec<Box<dyn Step<F>>>,
    step: impl Step<F> + 'static,
    x: Array2<F>,
) -> Array2<F> {
    let x = step.apply(x);
    steps.push(Box::new(step));
    x
}

/// Decides the scaling `auto` by leave-one-out 1-NN on training samples; equal errors go to `global`.
fn decided<F: Float>(scale: Scale, data: &Dataset<F>, ends: &[usize], seed: u64) -> Scale {
    if scale != Scale::Auto {
        return scale;
    }
    let sample = data.sample(SCALE_SAMPLES, seed, "scale");
    let errors = |scale| {
        let mut x = sample.x.clone();
        Scaling::learn_grouped(scale, data.x.view(), ends).apply(x.view_mut());
        leave_one_out_errors(&Space::euclidean(x.view()), x.view(), &sample.y)
    };
    if errors(Scale::Standard) < errors(Scale::Global) { Scale::Standard } else { Scale::Global }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;
    use rand::RngExt;

    #[test]
    fn auto_standardises_when_one_feature_drowns_the_others() {
        let mut rng = rng(3, "test");
        let y: Vec<usize> = (0..200).map(|i| i % 2).collect();
        let noise = Array2::from_shape_fn((200, 2), |_| rng.random::<f64>());
        let names = vec!["a".to_string(), "b".to_string()];
        let informative = |i: usize| y[i] as f64 * 2.0 + noise[[i, 0]];
        let drowned =
            Array2::from_shape_fn(
                (200, 2),
                |(i, j)| if j == 0 { informative(i) } else { 1e4 * noise[[i, 1]] },
            );
        let drowned = Dataset::new(drowned, y.clone(), names.clone()).unwrap();
        assert_eq!(decided(Scale::Auto, &drowned, &[1, 2], 0), Scale::Standard);
        let even =
            Array2::from_shape_fn(
                (200, 2),
                |(i, j)| if j == 0 { informative(i) } else { 0.01 * noise[[i, 1]] },
            );
        let even = Dataset::new(even, y, names).unwrap();
        assert_eq!(decided(Scale::Auto, &even, &[1, 2], 0), Scale::Global);
    }
}
