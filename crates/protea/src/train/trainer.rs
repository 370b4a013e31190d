//! [`Trainer`]: one builder for every method.

use super::choose::Choice;
use super::code;
use super::cross_fit::cross_fitted;
use super::finish::{Fitted, Origin, finish};
use super::first_metric::cdvw;
use super::learn::{Descending, Images};
use super::prepare::{Represented, check_classes, check_range, check_valid, first_prototypes, represent};
use super::{OptimizerKind, Progress, Silent, Training, auto, members, online, parametric};
use crate::init::{Prototypes, select};
use crate::metric::{Form, MetricKind};
use crate::model::{Head, Model, Provenance};
use crate::objective::{AnyObjective, LEARNABLE, Learner, Method, Objective, method};
use crate::represent::{ImageSize, Learners, Linear, Pipeline, Step};
use crate::settings::{Setting, SettingValue, Values, unknown};
use crate::{Dataset, Error, Float, Result, data};
use ndarray::Array2;

/// Stands in the place of a registered method for objectives that users bring along.
static CUSTOM: Method = Method {
    name: "custom",
    summary: "an objective given to the trainer",
    reference: "",
    settings: &[],
    defaults: &[],
    variants: &[],
    page: "",
    open: &[],
    metrics: LEARNABLE,
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
pub struct Trainer<F: Float = f32> {
    method: &'static Method,
    options: Values,
    /// Settings that all methods share.
    pub training: Training,
    objective: Option<Box<dyn AnyObjective>>,
    start: Option<Prototypes<F>>,
    matrix: Option<Array2<F>>,
    frozen: bool,
    dictionary: Option<Model<F>>,
    /// A model to go on from.
    resumed: Option<Model<F>>,
    /// Preprocessing that was learned before, and the features that it is for.
    represented: Option<(Pipeline<F>, usize)>,
    cross_fitted: bool,
    learners: Learners,
}

impl<F: Float> Trainer<F> {
    /// For a method by name, with its defaults.
    pub fn new(name: &str) -> Result<Self> {
        Self::for_method(method(name)?, None)
    }

    /// For an objective of your own, with the common defaults; its models name the method `custom`.
    pub fn with_objective(objective: Box<dyn AnyObjective>) -> Self {
        Self::for_method(&CUSTOM, Some(objective)).expect("it has no defaults of its own to refuse")
    }

    fn for_method(method: &'static Method, objective: Option<Box<dyn AnyObjective>>) -> Result<Self> {
        let mut training = Training::default();
        for (name, value) in method.defaults {
            training.set(name, value)?;
        }
        Ok(Trainer {
            method,
            options: Values::new(),
            training,
            objective,
            start: None,
            matrix: None,
            frozen: false,
            dictionary: None,
            resumed: None,
            represented: None,
            cross_fitted: false,
            learners: Learners::default(),
        })
    }

    /// Sets one value by name, of the method or of those that all methods share.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self> {
        // A name that both have is the method's: its own settings are the more particular ones.
        if self.method.settings.iter().any(|s| s.name == name) {
            self.options.insert(name.into(), value.into());
            match self.method.learner {
                Learner::Objective(build) => build(&self.options).map(drop)?,
                Learner::Online(build) => build(&self.options).map(drop)?,
                Learner::Parametric(build) => build(&self.options).map(|_| ())?,
                Learner::Initialiser => {}
                Learner::Samples => self.learners.set(name, value).map(|_| ())?,
                Learner::Coder(build) => build(&self.options).map(drop)?,
                Learner::Search => auto::parse(&self.options).map(drop)?,
            }
            return Ok(self);
        }
        if self.training.set(name, value)? || self.learners.set(name, value)? {
            return Ok(self);
        }
        let known: Vec<Setting> = [self.method.settings, Training::SETTINGS].concat();
        Err(unknown(self.method.name, name, &known))
    }

    /// Starts from these prototypes, given in the units of the input.
    pub fn start_from(mut self, prototypes: Prototypes<F>) -> Self {
        self.start = Some(prototypes);
        self
    }

    /// Fits the temperature of the probabilities to samples that training has not seen, also where there are none to
    /// validate on: a model with many prototypes for its samples is trained three more times, without a third of them.
    pub fn held_out_temperature(mut self) -> Self {
        self.cross_fitted = true;
        self
    }

    /// Goes on from a model of the same classes and features: its preprocessing stays as it is, its prototypes and metric are
    /// where learning starts, and samples need not be of every class. For methods with an objective or an online rule.
    pub fn resume(mut self, model: &Model<F>) -> Self {
        self.resumed = Some(model.clone());
        self
    }

    /// Sees samples as another model does in place of learning that again: its preprocessing and, where it has one, its metric
    /// over samples (`lmnn`, `nca`), which takes long on large sets and does not depend on the prototypes.
    pub fn represented_as(mut self, model: &Model<F>) -> Self {
        self.represented = Some((model.pipeline().clone(), model.features().len()));
        self
    }

    /// Uses the metric `‖A(x − p)‖²` with this matrix (`r × features after preprocessing`): fixed, or as the start of a
    /// learned one.
    pub fn metric_matrix(mut self, matrix: Array2<F>, learn: bool) -> Self {
        self.matrix = Some(matrix);
        self.frozen = !learn;
        self.training.metric = match self.training.metric {
            MetricKind::Euclidean if learn => MetricKind::Linear,
            MetricKind::Linear if !learn => MetricKind::Euclidean,
            other => other,
        };
        self
    }

    /// Codes over the prototypes of another model, in its representation, in place of all training samples.
    pub fn dictionary(mut self, model: Model<F>) -> Result<Self> {
        if !matches!(self.method.learner, Learner::Coder(_)) {
            let expected = "a method that codes: inn, src, crc, wcrc, mp, omp or lle";
            return Err(Error::setting("method", self.method.name, expected));
        }
        if self.method.name == "wcrc" {
            let expected = "crc, when a dictionary is given: the weights of wcrc come from samples";
            return Err(Error::setting("method", "wcrc", expected));
        }
        self.dictionary = Some(model);
        Ok(self)
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
        if matches!(self.method.learner, Learner::Search) {
            check_classes(data)?;
            check_valid(data, valid)?;
            self.check_metric()?;
            if let Some(model) = &self.resumed {
                self.check_resumed(model, data)?;
            }
            let given = self.matrix.as_ref().map(|_| "a matrix");
            if let Some(given) = given.or(self.represented.as_ref().map(|_| "a representation")) {
                let expected = format!("a method that learns by itself, when {given} is given");
                return Err(Error::setting("method", self.method.name, expected));
            }
            return auto::fit(self, &self.options, data, valid, progress);
        }
        let model = self.fit_once(data, valid, progress)?;
        let held = valid.is_some() || self.training.holdout.is_some();
        let memorised = matches!(self.method.learner, Learner::Samples);
        if !self.cross_fitted || held || memorised || self.resumed.is_some() {
            return Ok(model);
        }
        Ok(cross_fitted(model, data, self.training.seed, progress, self))
    }

    /// Gives another trainer what this one was given besides settings; for trials without what costs time alone.
    pub(super) fn lend_to(&self, other: &mut Self, trial: bool) {
        other.start.clone_from(&self.start);
        other.cross_fitted = self.cross_fitted && !trial;
    }

    /// One training.
    pub(super) fn fit_once(
        &self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        let t = &self.training;
        t.check()?;
        self.check_metric()?;
        self.check_common()?;
        match &self.resumed {
            None => check_classes(data)?,
            Some(model) => self.check_resumed(model, data)?,
        }
        check_valid(data, valid)?;
        members::check(t, self.descends(), self.start.is_some() || self.resumed.is_some(), data)?;
        let (train, held) = match t.holdout {
            Some(share) if valid.is_none() => {
                let (kept, held) = data::holdout(data, share, t.seed)?;
                (Some(data.select(&kept)), Some(data.select(&held)))
            }
            _ => (None, None),
        };
        let train = train.as_ref().unwrap_or(data);
        let valid = valid.or(held.as_ref());

        progress.phase("representation");
        let matrix = self.matrix.as_ref();
        let given = self.dictionary.as_ref().map(|model| code::dictionary(model, train)).transpose()?;
        let (Represented { mut pipeline, x, learned }, given) = match (given, &self.resumed) {
            (Some((pipeline, given)), _) => {
                let x = pipeline.apply(train.x.clone());
                (Represented { pipeline, x, learned: None }, Some(given))
            }
            (None, Some(model)) => (Represented::as_in(model.pipeline(), train), None),
            (None, None) => match &self.represented {
                Some((pipeline, features)) => {
                    check_features(*features, train)?;
                    (Represented::as_in(pipeline, train), None)
                }
                None => (represent(t, &self.learners, train, matrix, self.frozen, progress)?, None),
            },
        };
        let size = if t.augment > 0.0 { Some(ImageSize::for_features(t.image, train.dim())?) } else { None };
        let raw = &train.x;
        let mut train = Dataset { x, features: Vec::new(), ..train.clone_labels() };
        // A model to go on from has it in its preprocessing.
        if t.common_epochs > 0 && self.resumed.is_none() {
            let images = size.map(|size| Images { x: raw, size, pipeline: &pipeline });
            let map = self.common_map(&train, images, progress)?;
            train.x = map.apply(train.x.view());
            pipeline.steps.push(Step::Linear(map));
        }
        let images = size.map(|size| Images { x: raw, size, pipeline: &pipeline });
        train.features = (0..train.dim()).map(|j| format!("z{j}")).collect();
        let valid = valid.map(|v| Dataset { x: pipeline.apply(v.x.clone()), ..v.clone_labels() });
        check_range(train.x.view())?;

        progress.phase("prototypes");
        let memorised =
            given.is_none() && matches!(self.method.learner, Learner::Samples | Learner::Coder(_));
        let mut selected = None;
        let start = if let Some(given) = given {
            given
        } else if let Some(model) = &self.resumed {
            model.prototypes().clone()
        } else if memorised {
            // In the order of the samples, so that ties go to the first sample, as everywhere else.
            Prototypes { x: train.x.clone(), y: train.y.clone() }
        } else if self.start.is_none()
            && matches!(self.method.learner, Learner::Initialiser)
            && t.init.selects()
        {
            let rows = select(t.init, &train, t.seed)?;
            let kept = train.select(&rows);
            selected = Some(rows);
            Prototypes { x: kept.x, y: kept.y }
        } else {
            // Only what descends on an objective is pruned later.
            let times = if self.descends() { t.prune } else { 1 };
            first_prototypes(&members::settings_of(t, 0), times, self.start.as_ref(), &train, &pipeline)?
        };
        let (t, options) = self.chosen(&train, progress)?;
        let mut fitted = self.learn(start, &t, &options, &train, images, valid.as_ref(), progress)?;
        if let Some(learned) = learned.filter(|_| fitted.history.is_empty()) {
            (fitted.history, fitted.stopped) = (learned.history, learned.stopped);
        }

        progress.phase("calibration");
        let mut provenance = Provenance::new(self.method.name, self.settings(&t, options), t.seed, data);
        provenance.given_start = self.start.is_some() || self.resumed.is_some();
        let (classes, features) = (data.classes.clone(), data.features.clone());
        let model = finish(
            fitted,
            Origin { training: &t, train, valid, memorised, pipeline, classes, features, provenance },
        )?;
        Ok(match selected {
            Some(rows) => model.with_selected(rows),
            None => model,
        })
    }

    /// A matrix that is learned with prototypes of its own, one for all classes, as a map of the samples.
    fn common_map(
        &self,
        train: &Dataset<F>,
        images: Option<Images<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Linear<F>> {
        check_range(train.x.view())?;
        let t = Training {
            metric: MetricKind::Linear,
            rank: None,
            members: 1,
            prune: 1,
            optimizer: OptimizerKind::Adam,
            epochs: Some(self.training.common_epochs),
            ..members::settings_of(&self.training, 0)
        };
        progress.phase("common matrix");
        let start = t.start(train)?;
        let fitted = self.learn(start, &t, &self.options, train, images, None, progress)?;
        match fitted.metric {
            Form::Linear(matrix) => Linear::new(matrix),
            _ => Err(Error::data("the common metric has no matrix")),
        }
    }

    /// Refuses a common matrix where none can be learned, or where its place is taken.
    fn check_common(&self) -> Result<()> {
        let refused = |expected| Err(Error::setting("common-epochs", self.training.common_epochs, expected));
        if self.training.common_epochs == 0 {
            Ok(())
        } else if !self.descends() || !self.method.metrics.contains(&MetricKind::Linear) {
            refused("0 for methods that do not learn the metric linear with an objective")
        } else if self.matrix.is_some() {
            refused("0, when a matrix is given")
        } else {
            Ok(())
        }
    }

    /// Whether training descends on an objective.
    fn descends(&self) -> bool {
        self.objective.is_some() || matches!(self.method.learner, Learner::Objective(_))
    }

    /// A given matrix that learning starts from.
    fn first_matrix(&self) -> Option<&Array2<F>> {
        self.matrix.as_ref().filter(|_| !self.frozen)
    }

    /// The settings, with what the method leaves open chosen on the training samples.
    fn chosen(&self, train: &Dataset<F>, progress: &mut dyn Progress) -> Result<(Training, Values)> {
        let (training, options, matrix) = (&self.training, &self.options, self.first_matrix());
        match self.method.learner {
            Learner::Objective(build) => {
                Choice { training, options, build, train, matrix }.choose(self.method.open, progress)
            }
            Learner::Parametric(build) => {
                let margin = parametric::margin(training, &build(options)?, train, progress)?;
                let mut chosen = options.clone();
                chosen.insert("margin".into(), margin.to_string());
                Ok((training.clone(), chosen))
            }
            _ => Ok((training.clone(), options.clone())),
        }
    }

    /// What the method makes of the first prototypes.
    #[allow(clippy::too_many_arguments)]
    fn learn(
        &self,
        start: Prototypes<F>,
        t: &Training,
        options: &Values,
        train: &Dataset<F>,
        images: Option<Images<F>>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Fitted<F>> {
        let descend = |objective: &dyn Objective<F>, progress: &mut dyn Progress| {
            let (matrix, form) = (self.first_matrix(), self.resumed.as_ref().map(Model::metric));
            members::learn(t, train.n_classes(), progress, |member, progress| {
                let training = &members::settings_of(t, member);
                let start = match member {
                    0 => start.clone(),
                    _ => training.start_times(t.prune, train)?,
                };
                Descending { training, objective, train, valid, matrix, form, images }.learn(start, progress)
            })
        };
        if let Some(objective) = &self.objective {
            return descend(F::objective(&**objective), progress);
        }
        match self.method.learner {
            Learner::Objective(build) => descend(F::objective(&*build(options)?), progress),
            Learner::Online(build) => {
                online::learn(t, F::rule(&mut *build(options)?), train, valid, start, progress)
            }
            Learner::Parametric(build) => parametric::learn(t, &build(options)?, train, start, progress),
            Learner::Initialiser => Ok(Fitted::as_is(start, Form::Euclidean)),
            Learner::Samples if t.metric == MetricKind::Cdvw => Ok(Fitted::as_is(start, cdvw(train))),
            Learner::Samples => Ok(Fitted::as_is(start, Form::Euclidean)),
            Learner::Search => {
                Err(Error::setting("method", self.method.name, "a method that learns by itself"))
            }
            Learner::Coder(build) => {
                let mut coding = build(options)?;
                coding.learn(train);
                Ok(Fitted { coding: Some(coding), ..Fitted::as_is(start, Form::Euclidean) })
            }
        }
    }

    /// Refuses to go on from a model where the method cannot, or where it is of other classes, features or metric.
    fn check_resumed(&self, model: &Model<F>, data: &Dataset<F>) -> Result<()> {
        if !self.descends() && !matches!(self.method.learner, Learner::Online(_)) {
            let name = self.method.name;
            return Err(Error::data(format!("{name} cannot go on from a model: it learns from scratch")));
        }
        if matches!(model.head(), Some(Head::Members { .. })) {
            return Err(Error::data(
                "the model to go on from has members; train a model with the setting members anew",
            ));
        }
        if model.classes() != data.classes {
            return Err(Error::data("the samples are of other classes than the model to go on from"));
        }
        check_features(model.features().len(), data)?;
        // Metrics that were learned before the prototypes are part of the preprocessing.
        let kind = match self.training.metric {
            MetricKind::Lmnn | MetricKind::Nca => MetricKind::Euclidean,
            other => other,
        };
        if model.metric().kind() != kind {
            let expected = format!("{}, that of the model to go on from", model.metric().kind().show());
            return Err(Error::setting("metric", self.training.metric.show(), expected));
        }
        Ok(())
    }

    /// Refuses a metric that the method cannot have, and a matrix beside a metric that finds its own.
    fn check_metric(&self) -> Result<()> {
        let given = matches!(
            self.training.metric,
            MetricKind::Euclidean | MetricKind::Linear | MetricKind::LocalLinear
        );
        if self.matrix.is_some() && !given {
            let expected = "linear, when a matrix is given";
            return Err(Error::setting("metric", self.training.metric.show(), expected));
        }
        if self.method.metrics.contains(&self.training.metric) {
            return Ok(());
        }
        let allowed: Vec<String> = self.method.metrics.iter().map(MetricKind::show).collect();
        let expected = format!("{} for {}", allowed.join(", "), self.method.name);
        Err(Error::setting("metric", self.training.metric.show(), expected))
    }

    /// Every setting as it will be stored.
    fn settings(&self, t: &Training, options: Values) -> Values {
        let mut values = t.values();
        if self.objective.is_none() {
            values.extend(self.method.settings.iter().map(|s| (s.name.to_string(), (s.default)())));
            values.extend(options);
        }
        values.extend(self.learners.values(t.metric));
        values.extend(self.dictionary.as_ref().map(|m| ("dictionary".into(), m.provenance().method.clone())));
        values
    }
}

/// Refuses samples with another number of features than a model has.
fn check_features<F: Float>(expected: usize, data: &Dataset<F>) -> Result<()> {
    match data.dim() {
        found if found == expected => Ok(()),
        found => Err(Error::Features { source_name: "the training samples".into(), expected, found }),
    }
}
