//! What happens before anything is learned: checks, representation, first prototypes.

use super::{Progress, Training};
use crate::init::{Prototypes, initialise};
use crate::represent::{
    Deskew, Hog, ImageSize, Learned, Learners, Linear, Pipeline, Scale, Scaling, Step, column_means,
    first_out_of_range, pca,
};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// A pipeline and what became of the training samples.
pub(super) struct Represented<F> {
    pub pipeline: Pipeline<F>,
    pub x: Array2<F>,
    /// A metric that was learned on the samples; it is the last step of the pipeline.
    pub learned: Option<Learned<F>>,
}

impl<F: Float> Represented<F> {
    /// Samples as an earlier pipeline shows them.
    pub fn as_in(pipeline: &Pipeline<F>, train: &Dataset<F>) -> Self {
        Represented { pipeline: pipeline.clone(), x: pipeline.apply(train.x.clone()), learned: None }
    }
}

impl Training {
    /// First prototypes, as these settings find them.
    pub(super) fn start<F: Float>(&self, train: &Dataset<F>) -> Result<Prototypes<F>> {
        self.start_times(1, train)
    }

    /// `times` as many of them.
    pub(super) fn start_times<F: Float>(&self, times: usize, train: &Dataset<F>) -> Result<Prototypes<F>> {
        initialise(self.init, self.starts, train, &self.per_class.times(times as f64), self.seed)
    }
}

/// Learns the pipeline on training samples and applies it; where `fixed`, the matrix is its last step.
pub(super) fn represent<F: Float>(
    t: &Training,
    learners: &Learners,
    train: &Dataset<F>,
    matrix: Option<&Array2<F>>,
    fixed: bool,
    progress: &mut dyn Progress,
) -> Result<Represented<F>> {
    let mut steps = Vec::new();
    let mut x = train.x.clone();
    if t.deskew || t.hog {
        check_range(x.view())?;
    }
    if t.deskew {
        let size = ImageSize::for_features(t.image, train.dim())?;
        let step = Step::Deskew(Deskew::learn(size, x.view()));
        x = Pipeline { steps: vec![step.clone()] }.apply(x);
        steps.push(step);
    } else if let Some(size) = t.image {
        ImageSize::for_features(Some(size), train.dim())?;
    }
    if t.hog {
        let hog = Hog::new(ImageSize::for_features(t.image, train.dim())?)?;
        x = hog.apply(x.view());
        steps.push(Step::Hog(hog));
    }
    let mut now = Dataset { x, ..train.clone_labels() };
    let scale = t.scale.decide(&now, t.seed);
    if scale != Scale::Raw {
        let step = Step::Scale(Scaling::learn(scale, now.x.view()));
        now.x = Pipeline { steps: vec![step.clone()] }.apply(now.x);
        steps.push(step);
    }
    if let Some(components) = t.pca {
        let map = pca(now.x.view(), components)?;
        now.x = map.apply(now.x.view());
        steps.push(Step::Linear(map));
    }
    if let Some(projection) = t.project {
        progress.phase("projection");
        let map = projection.learn(&now, t.graph, t.supervised, t.pca.is_some())?;
        now.x = map.apply(now.x.view());
        steps.push(Step::Linear(map));
    }
    if t.unit {
        check_range(now.x.view())?;
        check_spread(now.x.view())?;
        now.x = Pipeline { steps: vec![Step::Unit] }.apply(now.x);
        steps.push(Step::Unit);
    }
    if let Some(matrix) = matrix {
        if matrix.ncols() != now.x.ncols() {
            let expected = format!("a matrix with {} columns, one for each feature", now.x.ncols());
            return Err(Error::setting("metric matrix", format!("{:?}", matrix.dim()), expected));
        }
        if fixed {
            let map = Linear::new(matrix.clone())?;
            now.x = map.apply(now.x.view());
            steps.push(Step::Linear(map));
        }
    }
    let learned = learners.learn(t.metric, &now, t.rank, t.tol, progress)?;
    if let Some(Learned { matrix, .. }) = &learned {
        let map = Linear::new(matrix.clone())?;
        now.x = map.apply(now.x.view());
        steps.push(Step::Linear(map));
    }
    Ok(Represented { pipeline: Pipeline { steps }, x: now.x, learned })
}

/// The given prototypes in the space of the training samples, or those that the initialiser finds, `times` as many.
pub(super) fn first_prototypes<F: Float>(
    t: &Training,
    times: usize,
    given: Option<&Prototypes<F>>,
    train: &Dataset<F>,
    pipeline: &Pipeline<F>,
) -> Result<Prototypes<F>> {
    let Some(given) = given else {
        return t.start_times(times, train);
    };
    if let Some(class) = (0..train.n_classes()).find(|c| !given.y.contains(c)) {
        return Err(Error::data(format!("class {:?} has no given prototype", train.classes[class])));
    }
    let x = pipeline.apply(given.x.clone());
    if x.ncols() != train.dim() {
        let (expected, found) = (train.dim(), x.ncols());
        return Err(Error::Features { source_name: "the given prototypes".into(), expected, found });
    }
    Prototypes::new(x.view(), &given.y)
}

/// Refuses fewer than two classes and classes without samples.
pub(super) fn check_classes<F: Float>(data: &Dataset<F>) -> Result<()> {
    if data.n_classes() < 2 {
        let only = data.classes.first().map_or("none", String::as_str);
        return Err(Error::data(format!("training needs at least two classes; the only one is {only:?}")));
    }
    match data.class_counts().iter().position(|&n| n == 0) {
        Some(c) => Err(Error::data(format!("class {:?} has no training samples", data.classes[c]))),
        None => Ok(()),
    }
}

/// Refuses values whose squared distances would leave the range of the element type.
pub(super) fn check_range<F: Float>(x: ArrayView2<F>) -> Result<()> {
    let x = x.as_standard_layout();
    if x.as_slice().is_some_and(|rows| first_out_of_range(rows, x.ncols()).is_none()) {
        return Ok(());
    }
    let largest = x.iter().fold(0.0, |m: f64, v| m.max(v.f64().abs()));
    let name = F::NAME;
    Err(Error::data(format!(
        "values up to {largest:.3e} overflow squared distances in {name}; use scale global or standard"
    )))
}

/// Refuses samples that differ by so little of their size that their directions are rounding errors.
fn check_spread<F: Float>(x: ArrayView2<F>) -> Result<()> {
    let (n, means) = (x.nrows() as f64, column_means(x));
    let size: f64 = means.iter().map(|m| m * m).sum();
    let squares =
        |row: ArrayView1<F>| row.iter().zip(&means).map(|(v, m)| (v.f64() - m).powi(2)).sum::<f64>();
    let spread = x.rows().into_iter().map(squares).sum::<f64>() / n;
    if spread.sqrt() >= 100.0 * F::EPS * size.sqrt() {
        return Ok(());
    }
    Err(Error::data(format!(
        "all samples point the same way up to rounding in {}: they differ by {:.1e} of their length; use scale global or standard",
        F::NAME,
        (spread / size).sqrt()
    )))
}

/// Refuses validation samples of another shape than the training samples.
pub(super) fn check_valid<F: Float>(data: &Dataset<F>, valid: Option<&Dataset<F>>) -> Result<()> {
    match valid.filter(|v| v.classes != data.classes || v.dim() != data.dim()) {
        Some(v) => {
            let (c, d) = (v.n_classes(), v.dim());
            let problem = format!("validation samples have {c} classes and {d} features, not the training's");
            Err(Error::data(problem))
        }
        None => Ok(()),
    }
}
