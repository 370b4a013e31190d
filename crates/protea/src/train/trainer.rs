//! [`Trainer`]: one builder for every method.

use super::calibrate::{gamma_end, gamma_start, temperature};
use super::descend::{Descent, Validate, full_batch, stochastic};
use super::problem::TrainingProblem;
use super::{OptimizerKind, Progress, Report, Silent, Stopped, Training};
use crate::init::{Prototypes, initialise};
use crate::metric::{self, Metric, MetricKind};
use crate::model::{Model, Provenance, Space};
use crate::objective::{AnyObjective, ClassLayout, Learner, Method, Objective, method};
use crate::optim::{Adam, Cg, Lbfgs, Optimizer, Sgd};
use crate::represent::{
    Deskew, ImageSize, Learned, Learners, Linear, Pipeline, Scale, Scaling, Step, first_matrix, pca,
};
use crate::settings::{Setting, SettingValue, Values, unknown};
use crate::{Dataset, Error, Float, Result, data, normal_pair, rng};
use ndarray::{Array2, ArrayView2};
use rand::seq::index;

/// Samples that calibration looks at.
const CALIBRATION_SAMPLES: usize = 5000;

/// Stands in the place of a registered method for objectives that users bring along.
static CUSTOM: Method = Method {
    name: "custom",
    summary: "an objective given to the trainer",
    reference: "",
    settings: &[],
    defaults: &[],
    variants: &[],
    learner: Learner::Initialiser,
};

/// Trains models: a method of the registry, its settings, and what all methods share.
///
/// ```
/// use protea::{Trainer, data::catalog};
/// let train = catalog::load::<f32>("wine", catalog::Part::All, None)?;
/// let model = Trainer::new("npc")?.set("per-class", "2")?.set("seed", "7")?.fit(&train)?;
/// assert!(model.error(&train)? < 0.05);
/// # Ok::<(), protea::Error>(())
/// ```
pub struct Trainer<F = f32> {
    method: &'static Method,
    options: Values,
    /// Settings that all methods share.
    pub training: Training,
    objective: Option<Box<dyn AnyObjective>>,
    start: Option<Prototypes<F>>,
    matrix: Option<Array2<F>>,
    frozen: bool,
    learners: Learners,
}

impl<F: Float> Trainer<F> {
    /// For a method by name, with its defaults.
    pub fn new(name: &str) -> Result<Self> {
        let method = method(name)?;
        let mut training = Training::default();
        for (name, value) in method.defaults {
            training.set(name, value)?;
        }
        Ok(Trainer {
            method,
            options: Values::new(),
            training,
            objective: None,
            start: None,
            matrix: None,
            frozen: false,
            learners: Learners::default(),
        })
    }

    /// For an objective of your own, with the common defaults; its models name the method `custom`.
    pub fn with_objective(objective: Box<dyn AnyObjective>) -> Self {
        Trainer {
            method: &CUSTOM,
            options: Values::new(),
            training: Training::default(),
            objective: Some(objective),
            start: None,
            matrix: None,
            frozen: false,
            learners: Learners::default(),
        }
    }

    /// Sets one value by name, of the method or of those that all methods share.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self> {
        if self.training.set(name, value)? | self.learners.set(name, value)? {
            return Ok(self);
        }
        if !self.method.settings.iter().any(|s| s.name == name) {
            let known: Vec<Setting> = [self.method.settings, Training::SETTINGS].concat();
            return Err(unknown(self.method.name, name, &known));
        }
        self.options.insert(name.into(), value.into());
        if let Learner::Objective(build) = self.method.learner {
            build(&self.options)?;
        }
        Ok(self)
    }

    /// Starts from these prototypes, given in the units of the input.
    pub fn start_from(mut self, prototypes: Prototypes<F>) -> Self {
        self.start = Some(prototypes);
        self
    }

    /// Uses the metric `‖A(x − p)‖²` with this matrix (`r × features after preprocessing`): fixed, or as the start of a
    /// learned one.
    pub fn metric_matrix(mut self, matrix: Array2<F>, learn: bool) -> Self {
        self.matrix = Some(matrix);
        self.frozen = !learn;
        if self.training.metric == MetricKind::Euclidean {
            self.training.metric = MetricKind::Linear;
        }
        self
    }

    /// Fits without validation samples and in silence.
    pub fn fit(&self, data: &Dataset<F>) -> Result<Model<F>> {
        self.fit_with(data, None, &mut Silent)
    }

    /// Fits; `valid` chooses the best iterate, `progress` watches and may interrupt.
    pub fn fit_with(
        &self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        self.training.check()?;
        check_classes(data)?;
        if let Some(v) = valid.filter(|v| v.classes != data.classes || v.dim() != data.dim()) {
            let (c, d) = (v.n_classes(), v.dim());
            return Err(Error::data(format!(
                "validation samples have {c} classes and {d} features, not the training's"
            )));
        }
        let (train, held) = match self.training.holdout {
            Some(share) if valid.is_none() => {
                let (kept, held) = data::holdout(data, share, self.training.seed)?;
                (Some(data.select(&kept)), Some(data.select(&held)))
            }
            _ => (None, None),
        };
        let train = train.as_ref().unwrap_or(data);
        let valid = valid.or(held.as_ref());

        progress.phase("representation");
        let (pipeline, x, learned) = self.represent(train, progress)?;
        let mut train = Dataset { x, features: Vec::new(), ..train.clone_labels() };
        train.features = (0..train.dim()).map(|j| format!("z{j}")).collect();
        let valid = valid.map(|v| Dataset { x: pipeline.apply(v.x.clone()), ..v.clone_labels() });
        check_range(train.x.view())?;

        progress.phase("prototypes");
        let start = self.first_prototypes(&train, &pipeline)?;
        let provenance = Provenance::new(self.method.name, self.settings(), self.training.seed, data);
        let fitted = match (&self.objective, self.method.learner) {
            (Some(objective), _) => {
                self.descend(F::objective(&**objective), &train, valid.as_ref(), start, progress)?
            }
            (None, Learner::Objective(build)) => {
                let objective = build(&self.options)?;
                self.descend(F::objective(&*objective), &train, valid.as_ref(), start, progress)?
            }
            (None, Learner::Initialiser | Learner::Samples) => Fitted::as_is(start, learned),
        };

        progress.phase("calibration");
        self.finish(fitted, train, valid, pipeline, data, provenance)
    }

    /// Every setting as it will be stored.
    fn settings(&self) -> Values {
        let mut values = self.training.values();
        if self.objective.is_none() {
            values.extend(self.method.settings.iter().map(|s| (s.name.to_string(), (s.default)())));
            values.extend(self.options.clone());
        }
        values.extend(self.learners.values(self.training.metric));
        values
    }

    /// Learns the pipeline on training samples and applies it.
    fn represent(&self, train: &Dataset<F>, progress: &mut dyn Progress) -> Result<Represented<F>> {
        let mut steps = Vec::new();
        let mut x = train.x.clone();
        if self.training.deskew {
            let size = ImageSize::for_features(self.training.image, train.dim())?;
            let step = Step::Deskew(Deskew::learn(size, x.view()));
            x = Pipeline { steps: vec![step.clone()] }.apply(x);
            steps.push(step);
        } else if let Some(size) = self.training.image {
            ImageSize::for_features(Some(size), train.dim())?;
        }
        let mut now = Dataset { x, ..train.clone_labels() };
        let scale = self.training.scale.decide(&now, self.training.seed);
        let step = Step::Scale(Scaling::learn(scale, now.x.view()));
        now.x = Pipeline { steps: vec![step.clone()] }.apply(now.x);
        steps.push(step);
        if let Some(components) = self.training.pca {
            let map = pca(now.x.view(), components)?;
            now.x = map.apply(now.x.view());
            steps.push(Step::Linear(map));
        }
        if let Some(matrix) = &self.matrix {
            if self.training.metric != MetricKind::Linear {
                let expected = "linear, when a matrix is given";
                return Err(Error::setting("metric", self.training.metric.show(), expected));
            }
            if matrix.ncols() != now.x.ncols() {
                let expected = format!("a matrix with {} columns, one for each feature", now.x.ncols());
                return Err(Error::setting("metric matrix", format!("{:?}", matrix.dim()), expected));
            }
            if self.frozen {
                let map = Linear::new(matrix.clone())?;
                now.x = map.apply(now.x.view());
                steps.push(Step::Linear(map));
            }
        }
        let t = &self.training;
        let learned = self.learners.learn(t.metric, &now, t.rank, t.tol, progress)?;
        if let Some(Learned { matrix, .. }) = &learned {
            let map = Linear::new(matrix.clone())?;
            now.x = map.apply(now.x.view());
            steps.push(Step::Linear(map));
        }
        Ok((Pipeline { steps }, now.x, learned))
    }

    fn first_prototypes(&self, train: &Dataset<F>, pipeline: &Pipeline<F>) -> Result<Prototypes<F>> {
        if let Learner::Samples = self.method.learner {
            // In the order of the samples, so that ties go to the first sample, as everywhere else.
            return Ok(Prototypes { x: train.x.clone(), y: train.y.clone() });
        }
        let Some(given) = &self.start else {
            let t = &self.training;
            return initialise(t.init, train, &t.per_class, t.seed);
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

    fn first_metric(&self, dim: usize, train: &Dataset<F>) -> Result<Box<dyn Metric<F>>> {
        Ok(match (self.training.metric, &self.matrix) {
            (MetricKind::Euclidean, _) => match self.training.rank {
                None => Box::new(metric::Euclidean::new(dim)),
                Some(r) => return Err(Error::setting("rank", r, "none, unless the metric is learned")),
            },
            // The samples are under the metric already.
            (MetricKind::Lmnn | MetricKind::Nca, _) => Box::new(metric::Euclidean::new(dim)),
            (MetricKind::Linear, Some(_)) if self.frozen => Box::new(metric::Euclidean::new(dim)),
            (MetricKind::Linear, Some(matrix)) => Box::new(metric::Linear::new(matrix)),
            (MetricKind::Linear, None) => {
                Box::new(metric::Linear::new(&first_matrix(train.x.view(), self.training.rank)?))
            }
        })
    }

    /// Minimises an objective from the first prototypes on.
    fn descend(
        &self,
        objective: &dyn Objective<F>,
        train: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        start: Prototypes<F>,
        progress: &mut dyn Progress,
    ) -> Result<Fitted<F>> {
        let t = &self.training;
        let (m, dim) = start.x.dim();
        let classes = ClassLayout::new(&start.y, train.n_classes());
        let mut metric = self.first_metric(dim, train)?;
        let p = start.x.as_slice().unwrap_or_default();
        metric.set(p, &metric.params());

        let start_components = components_of(metric.as_ref(), dim);
        let space = Space::of(metric.as_ref(), p, dim);
        let d = space.distances(sample(train, t.seed).x.view());
        let gamma = t.gamma.unwrap_or_else(|| gamma_start(d.view(), 0.5, 0.8));
        // With validation samples the start has stood for election among the iterates already.
        let start_error = if valid.is_some() { 1.0 } else { space.error(train.x.view(), &train.y, &start.y) };

        let unit = deviation(train.x.view());
        let metric_unit = 1.0 / unit; // parameters of the metric have no unit
        let mut problem = TrainingProblem::new(
            train.x.view(),
            &train.y,
            train.weights.as_deref(),
            &classes,
            objective,
            metric,
        )
        .with_metric_rate(t.metric_rate * metric_unit)
        .with_noise(t.noise * unit, t.seed);
        let theta = problem.pack(p);
        let validator = self.first_metric(dim, train)?;
        let labels = start.y.clone();
        let mut check = valid.map(|v| validate(v, m, dim, &labels, validator));
        let check = check.as_mut().map(|c| c as Validate);

        progress.phase("training");
        let descent = match optimizer(t, unit) {
            mut o if o.stochastic() => {
                stochastic(&mut problem, &mut *o, theta, train.len(), gamma, t, check, progress)?
            }
            mut o => {
                let gammas = ladder(gamma, self.hard_limit(d.view(), train), t.gamma_steps);
                full_batch(&mut problem, &mut *o, theta, &gammas, t, check, progress)?
            }
        };
        Ok(Fitted::better(start, start_components, start_error, descent, problem, train))
    }

    /// γ of the hard limit, capped where rounding of the distances would become noise in the weights.
    fn hard_limit(&self, d: ArrayView2<F>, train: &Dataset<F>) -> f64 {
        let largest =
            train.x.rows().into_iter().map(|r| r.iter().map(|v| v.f64() * v.f64()).sum()).fold(0.0, f64::max);
        gamma_end(d, 1e-3).min(0.1 / (10.0 * F::EPS * largest).max(f64::MIN_POSITIVE))
    }

    /// Calibrates probabilities, measures importance, and puts the model together.
    fn finish(
        &self,
        fitted: Fitted<F>,
        train: Dataset<F>,
        valid: Option<Dataset<F>>,
        pipeline: Pipeline<F>,
        data: &Dataset<F>,
        mut provenance: Provenance,
    ) -> Result<Model<F>> {
        let Fitted { prototypes, components, history, stopped, kept_start } = fitted;
        provenance.kept_start = kept_start;
        let space = Space::new(components.as_ref(), prototypes.x.view());
        let gamma = if let Learner::Samples = self.method.learner {
            // Every training sample is its own prototype: nothing can be learned from its distance 0.
            let d = space.distances(few(&train, self.training.seed, 200).x.view());
            gamma_start(d.view(), 0.5, 0.8)
        } else {
            // Without validation samples, training samples under the noise of training stand in for them.
            let few = match &valid {
                Some(valid) => sample(valid, self.training.seed),
                None => jitter(sample(&train, self.training.seed), self.training.noise, self.training.seed),
            };
            let d = space.distances(few.x.view());
            let start = gamma_start(d.view(), 0.5, 0.8);
            let classes = ClassLayout::new(&prototypes.y, train.n_classes());
            temperature(d.view(), &few.y, &classes, start / 10.0, start * 100.0)
        };
        let importance = match self.method.learner {
            Learner::Samples => vec![1.0 / prototypes.y.len() as f64; prototypes.y.len()],
            _ => space.importance(train.x.view(), train.weights.as_deref(), gamma),
        };
        provenance.train_error = match self.method.learner {
            Learner::Samples => None,
            _ => Some(space.error(train.x.view(), &train.y, &prototypes.y)),
        };
        provenance.stopped = stopped;
        provenance.history = history;
        Model::new(
            prototypes,
            components,
            pipeline,
            data.classes.clone(),
            data.features.clone(),
            self.training.rule,
            gamma,
            importance,
            provenance,
        )
    }
}

/// The pipeline, the samples that come out of it, and the metric in it that was learned.
type Represented<F> = (Pipeline<F>, Array2<F>, Option<Learned<F>>);

/// Prototypes and metric after training.
struct Fitted<F> {
    prototypes: Prototypes<F>,
    components: Option<Array2<F>>,
    history: Vec<Report>,
    stopped: Stopped,
    kept_start: bool,
}

impl<F: Float> Fitted<F> {
    /// The first prototypes, with the course of learning their metric.
    fn as_is(prototypes: Prototypes<F>, learned: Option<Learned<F>>) -> Self {
        let (history, stopped) = learned.map_or((Vec::new(), Stopped::Finished), |l| (l.history, l.stopped));
        Fitted { prototypes, components: None, history, stopped, kept_start: false }
    }

    /// The result of a descent, or the start where that has the lower training error.
    fn better(
        start: Prototypes<F>,
        start_components: Option<Array2<F>>,
        start_error: f64,
        descent: Descent,
        problem: TrainingProblem<F>,
        train: &Dataset<F>,
    ) -> Self {
        let dim = start.x.ncols();
        let metric = problem.into_metric(&descent.theta);
        let x: Vec<F> = descent.theta[..start.x.len()].iter().map(|&v| F::of(v)).collect();
        let components = components_of(metric.as_ref(), dim);
        let found = Array2::from_shape_vec(start.x.dim(), x)
            .ok()
            .filter(|x| x.iter().all(|v| v.f64().is_finite()))
            .filter(|x| {
                let space = Space::new(components.as_ref(), x.view());
                space.error(train.x.view(), &train.y, &start.y) <= start_error
            });
        let Descent { history, stopped, .. } = descent;
        let kept_start = found.is_none();
        let (x, components) = found.map_or((start.x, start_components), |x| (x, components));
        Fitted { prototypes: Prototypes { x, y: start.y }, components, history, stopped, kept_start }
    }
}

/// The matrix of a linear metric.
fn components_of<F: Float>(metric: &dyn Metric<F>, dim: usize) -> Option<Array2<F>> {
    let params = metric.params();
    if params.is_empty() { None } else { Array2::from_shape_vec((params.len() / dim, dim), params).ok() }
}

fn optimizer(t: &Training, unit: f64) -> Box<dyn Optimizer> {
    match t.optimizer {
        OptimizerKind::Adam => Box::new(Adam::new(t.rate * unit)),
        // The gradient by a prototype scales with 1/unit, a step with unit.
        OptimizerKind::Sgd => Box::new(Sgd::new(t.rate * unit * unit, 0.9)),
        OptimizerKind::Cg => Box::new(Cg::new(t.tol)),
        OptimizerKind::Lbfgs => Box::new(Lbfgs::new(t.tol)),
    }
}

/// Error on validation samples as a function of θ.
fn validate<F: Float>(
    valid: &Dataset<F>,
    m: usize,
    dim: usize,
    labels: &[usize],
    mut metric: Box<dyn Metric<F>>,
) -> impl FnMut(&[f64]) -> f64 {
    move |theta| {
        let theta: Vec<F> = theta.iter().map(|&v| F::of(v)).collect();
        let (p, params) = theta.split_at(m * dim);
        metric.set(p, params);
        Space::of(metric.as_ref(), p, dim).error(valid.x.view(), &valid.y, labels)
    }
}

/// `n` values from `low` to `high`, log-spaced.
fn ladder(low: f64, high: f64, n: usize) -> Vec<f64> {
    let ratio = (high / low).max(1.0);
    (0..n).map(|i| low * ratio.powf(i as f64 / (n - 1).max(1) as f64)).collect()
}

/// Root of the mean variance of the features; 1 when all are constant.
fn deviation<F: Float>(x: ArrayView2<F>) -> f64 {
    1.0 / Scaling::learn(Scale::Global, x).factor[0].f64()
}

/// At most 5000 samples, drawn with the seed.
fn sample<F: Float>(data: &Dataset<F>, seed: u64) -> Dataset<F> {
    few(data, seed, CALIBRATION_SAMPLES)
}

fn few<F: Float>(data: &Dataset<F>, seed: u64, most: usize) -> Dataset<F> {
    if data.len() <= most {
        return data.clone();
    }
    let mut rows = index::sample(&mut rng(seed, "calibration"), data.len(), most).into_vec();
    rows.sort_unstable();
    data.select(&rows)
}

/// The samples with normal noise, `noise` in units of the global standard deviation.
fn jitter<F: Float>(mut data: Dataset<F>, noise: f64, seed: u64) -> Dataset<F> {
    let deviation = noise * deviation(data.x.view());
    let mut rng = rng(seed, "jitter");
    data.x.mapv_inplace(|v| v + F::of(deviation * normal_pair(&mut rng)[0]));
    data
}

fn check_classes<F: Float>(data: &Dataset<F>) -> Result<()> {
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
fn check_range<F: Float>(x: ArrayView2<F>) -> Result<()> {
    let largest = x.iter().fold(0.0, |m: f64, v| m.max(v.f64().abs()));
    if 16.0 * largest * largest * x.ncols() as f64 <= F::max_value().f64() {
        return Ok(());
    }
    let name = F::NAME;
    Err(Error::data(format!(
        "values up to {largest:.3e} overflow squared distances in {name}; use scale global or standard"
    )))
}
