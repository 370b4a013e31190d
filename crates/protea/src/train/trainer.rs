//! [`Trainer`]: one builder for every method.

use super::learner::{AnyLearner, Descent, Facts};
use super::method::{LearnerKind, Method, Reads};
use super::{Representing, Training};
use crate::init::{PerClass, Prototypes};
use crate::metric::{FittedMetric, MetricKind};
use crate::metric_learning::Learners;
use crate::model::Model;
use crate::objective::AnyObjective;
use crate::represent::{Pipeline, Scale, Step};
use crate::settings::{SettingValue, Values, unknown};
use crate::{Error, Float, Result};
use ndarray::Array2;
use std::sync::Arc;

/// Stands in the place of a registered method for objectives that users bring along.
static CUSTOM: Method = Method {
    name: "custom",
    summary: "an objective given to the trainer",
    reference: "",
    settings: &[],
    needs: &[],
    reads: Reads::ALL,
    defaults: &[],
    variants: &[],
    page: "",
    open: &[],
    metrics: MetricKind::LEARNABLE,
    learner: LearnerKind {
        facts: Descent::FACTS,
        build: |_| Err(Error::setting("method", "custom", "an objective given to the trainer")),
    },
};

/// Trains models: a method of the registry, its settings, and what all methods share.
///
/// ```
/// # #[cfg(feature = "datasets")] {
/// use protea::{Trainer, catalog, objective::{Loss, Npc}};
/// let train = catalog::load::<f32>("wine", catalog::Part::All, None)?;
/// let typed = Npc { loss: Loss::Nll, ..Npc::default() }.trainer().prototypes(2).seed(7).fit(&train)?;
/// let named = Trainer::named("npc")?.set("loss", "nll")?.set("per-class", "2")?.set("seed", "7")?.fit(&train)?;
/// assert_eq!(typed.prototypes(), named.prototypes());
/// assert!(typed.error(&train)? < 0.05);
/// # }
/// # Ok::<(), protea::Error>(())
/// ```
#[derive(Clone)]
pub struct Trainer<F: Float = f32> {
    pub(crate) method: &'static Method,
    /// Settings of the method itself.
    pub(crate) options: Values,
    /// Settings that all methods share.
    pub training: Training,
    /// What was set, as it was typed; a value that equals the default is given all the same.
    pub(crate) given: Values,
    /// An objective that the user brought along.
    custom: Option<Arc<dyn AnyLearner>>,
    pub(crate) start: Option<Prototypes<F>>,
    pub(crate) matrix: Option<Array2<F>>,
    /// A metric of the user's own to start from.
    pub(crate) own_metric: Option<Box<dyn FittedMetric<F>>>,
    pub(super) frozen: bool,
    /// Steps of the user's own, which come before all others.
    pub(super) steps: Vec<Box<dyn Step<F>>>,
    pub(super) dictionary: Option<Model<F>>,
    /// A model to go on from.
    pub(crate) resumed: Option<Model<F>>,
    /// Preprocessing that was learned before, and the features that it is for.
    pub(crate) represented: Option<(Pipeline<F>, usize)>,
    pub(crate) learners: Learners,
    /// Costs of errors: rows are true classes, columns are decisions.
    pub(crate) costs: Option<Array2<f64>>,
}

impl<F: Float> Trainer<F> {
    /// For an objective of your own, with the common defaults; its models name the method `custom`.
    pub fn with_objective(objective: Box<dyn AnyObjective>) -> Self {
        let trainer = Self::for_method(&CUSTOM).expect("it has no defaults of its own to refuse");
        Trainer { custom: Some(Arc::new(Descent(objective))), ..trainer }
    }

    /// For a method, with its defaults.
    pub fn for_method(method: &'static Method) -> Result<Self> {
        let mut training = Training::default();
        for (name, value) in method.defaults {
            training.set(name, value)?;
        }
        Ok(Trainer {
            method,
            options: Values::new(),
            training,
            given: Values::new(),
            custom: None,
            start: None,
            matrix: None,
            own_metric: None,
            frozen: false,
            steps: Vec::new(),
            dictionary: None,
            resumed: None,
            represented: None,
            learners: Learners::default(),
            costs: None,
        })
    }

    /// Sets one value by name, of the method or of those that all methods share.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self> {
        // A name that both have is the method's: its own settings are the more particular ones.
        if self.method.settings.iter().any(|s| s.name == name) {
            self.options.insert(name.into(), value.into());
            (self.method.learner.build)(&self.options)?;
            if self.facts().keeps_samples {
                self.learners.set(name, value)?;
            }
        } else if !self.training.set(name, value)? && !self.learners.set(name, value)? {
            return Err(unknown(self.method.name, name, &self.known_settings()));
        }
        self.given.insert(name.into(), value.into());
        Ok(self)
    }

    /// Prototypes of each class.
    pub fn prototypes(self, per_class: usize) -> Self {
        self.with("per-class", &PerClass::all(per_class), |t, v| t.start.per_class = v)
    }

    /// The metric, fixed or learned.
    pub fn metric(self, metric: MetricKind) -> Self {
        self.with("metric", &metric, |t, v| t.metric.kind = v)
    }

    /// Rows of a learned matrix.
    pub fn rank(self, rank: usize) -> Self {
        self.with("rank", &Some(rank), |t, v| t.metric.rank = v)
    }

    /// How features are scaled.
    pub fn scale(self, scale: Scale) -> Self {
        self.with("scale", &scale, |t, v| t.representing.scale = v)
    }

    /// Passes over the training samples.
    pub fn epochs(self, epochs: usize) -> Self {
        self.with("epochs", &Some(epochs), |t, v| t.descending.epochs = v)
    }

    /// Seed of all randomness.
    pub fn seed(self, seed: u64) -> Self {
        self.with("seed", &seed, |t, v| t.start.seed = v)
    }

    /// A shared setting by its type; its range is checked with all others, before training.
    fn with<T: SettingValue + Clone>(mut self, name: &str, value: &T, set: fn(&mut Training, T)) -> Self {
        set(&mut self.training, value.clone());
        self.given.insert(name.into(), value.show());
        self
    }

    /// The same with settings of the method, checked before training.
    pub(crate) fn with_options(mut self, options: Values) -> Self {
        let default =
            |name: &str| self.method.settings.iter().find(|s| s.name == name).map(|s| (s.default)());
        let changed = options.into_iter().filter(|(name, value)| default(name).as_ref() != Some(value));
        self.options = changed.collect();
        self.given.extend(self.options.clone());
        self
    }

    /// The method.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// What is known of how it learns.
    pub(crate) fn facts(&self) -> Facts {
        self.method.learner.facts
    }

    /// What learns under these settings of the method.
    pub(crate) fn learner(&self, options: &Values) -> Result<Arc<dyn AnyLearner>> {
        match &self.custom {
            Some(learner) => Ok(learner.clone()),
            None => Ok((self.method.learner.build)(options)?.into()),
        }
    }

    /// Starts from these prototypes, given in the units of the input.
    pub fn start_from(mut self, prototypes: Prototypes<F>) -> Self {
        self.start = Some(prototypes);
        self
    }

    /// Goes on from a model of the same classes and features: its preprocessing stays as it is, its prototypes and metric are
    /// where learning starts, and samples need not be of every class. For methods with an objective or an online rule. Settings
    /// of preprocessing that were set before are forgotten, and refused afterwards.
    pub fn resume(mut self, model: &Model<F>) -> Self {
        self.resumed = Some(model.clone());
        self.given.retain(|name, _| Representing::SETTINGS.iter().all(|s| s.name != *name));
        self
    }

    /// Sees samples as another model does in place of learning that again: its preprocessing and, where it has one, its metric
    /// over samples (`lmnn`, `nca`), which takes long on large sets and does not depend on the prototypes.
    pub fn represented_as(mut self, model: &Model<F>) -> Self {
        self.represented = Some((model.pipeline().clone(), model.features().len()));
        self
    }

    /// Applies a step of your own before all others. Models with it are loaded where [`represent::register`](crate::represent::register)
    /// has made its kind known.
    pub fn with_step(mut self, step: Box<dyn Step<F>>) -> Self {
        self.steps.push(step);
        self
    }

    /// Learns a metric of your own with the prototypes, starting from this one, in place of the setting `metric`. Models with it are
    /// loaded where [`metric::register`](crate::metric::register) has made its kind known.
    pub fn with_metric(mut self, metric: Box<dyn FittedMetric<F>>) -> Self {
        self.own_metric = Some(metric);
        self
    }

    /// Uses the metric `‖A(x − p)‖²` with this matrix (`r × features after preprocessing`): fixed, or as the start of a
    /// learned one.
    pub fn metric_matrix(mut self, matrix: Array2<F>, learn: bool) -> Self {
        self.matrix = Some(matrix);
        self.frozen = !learn;
        self.training.metric.kind = match self.training.metric.kind {
            MetricKind::Euclidean if learn => MetricKind::Linear,
            MetricKind::Linear if !learn => MetricKind::Euclidean,
            other => other,
        };
        self
    }

    /// Decides by the costs of errors: row `c`, column `j` is the cost of deciding class `j` where `c` is true. As weights of classes
    /// do, costs change decisions and probabilities, not the prototypes.
    pub fn costs(mut self, costs: Array2<f64>) -> Self {
        self.costs = Some(costs);
        self
    }

    /// Codes over the prototypes of another model, in its representation, in place of all training samples.
    pub fn dictionary(mut self, model: Model<F>) -> Result<Self> {
        if !self.facts().codes {
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

    /// A given matrix that learning starts from.
    pub(crate) fn first_matrix(&self) -> Option<&Array2<F>> {
        self.matrix.as_ref().filter(|_| !self.frozen)
    }

    /// A metric that learning starts from: that of a model to go on from, or one of the user's own.
    pub(super) fn first_metric(&self) -> Option<&dyn FittedMetric<F>> {
        self.resumed.as_ref().map(Model::metric).or(self.own_metric.as_deref())
    }

    /// Every setting that was read, as it will be stored.
    pub(super) fn settings(&self, t: &Training, options: Values) -> Values {
        let mut values = t.values();
        values.retain(|name, _| self.reads(name));
        if self.custom.is_none() {
            let own = self.method.settings.iter().filter(|s| self.reads(s.name));
            values.extend(own.map(|s| (s.name.to_string(), (s.default)())));
            values.extend(options.into_iter().filter(|(name, _)| self.reads(name)));
        }
        values.extend(self.learners.values(t.metric.kind));
        values.extend(self.own_metric.as_ref().map(|m| ("metric".into(), m.tag().into())));
        values.extend(self.dictionary.as_ref().map(|m| ("dictionary".into(), m.provenance().method.clone())));
        values
    }
}
