//! What training gives: prototypes, a metric, the way there, and the decisions that they make.

mod any;
mod calibrate;
mod class_weights;
mod coded;
mod contribution;
pub mod decide;
pub mod file;
mod history;
mod judge;
mod lower;
mod map;
mod provenance;
mod winner;

pub use any::AnyModel;
pub(crate) use calibrate::{CALIBRATION_SAMPLES, HeldOut, Judged, held_out, likeliest_gamma};
pub use calibrate::{gamma_end, gamma_start, temperature};
pub use class_weights::ClassWeights;
pub(crate) use class_weights::weights_for_costs;
pub(crate) use coded::Coded;
pub(crate) use decide::{Decider, class_minima, encode};
pub use decide::{Decision, Labels, LearnerCode, Posterior, Rule};
pub(crate) use judge::{fair_error, nearest_error};
pub use lower::Answer;
pub use provenance::{Provenance, Trial};
pub use winner::Winner;

use crate::coding::{Code, Coding};
use crate::data::Schema;
use crate::init::Prototypes;
use crate::kernel::parallel::*;
use crate::kernel::{k_smallest, largest_value};
use crate::metric::{FittedMetric, Space};
use crate::progress::Stopped;
use crate::represent::Pipeline;
use crate::settings::Values;
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2, s};
use std::sync::Arc;

/// How much a metric may stretch differences before the range of its samples shrinks: what `largest_value` leaves room for.
const STRETCH: f64 = 2048.0;

/// A classifier by labelled prototypes.
///
/// Samples go in as they are in the file (encoded to numbers); the model applies its own preprocessing.
#[derive(Debug, Clone)]
pub struct Model<F: Float = f32> {
    parts: Parts<F>,
    schema: Option<Schema>,
    space: Space<F>,
    /// Where the model decides by codes.
    coded: Option<Arc<Coded<F>>>,
    /// Largest value after preprocessing whose distances cannot overflow.
    most: F,
    selected: Option<Vec<usize>>,
}

/// What a model is made of.
#[derive(Debug, Clone)]
pub(crate) struct Parts<F: Float> {
    pub prototypes: Prototypes<F>,
    pub metric: Box<dyn FittedMetric<F>>,
    pub decision: Box<dyn Decision<F>>,
    pub pipeline: Pipeline<F>,
    pub classes: Vec<String>,
    pub features: Vec<String>,
    pub rule: Rule,
    pub posterior: Posterior,
    pub gamma: f64,
    pub importance: Vec<f64>,
    pub provenance: Provenance,
}

/// A prototype near a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index of the prototype.
    pub prototype: usize,
    /// Its class.
    pub class: usize,
    /// Squared distance to the sample in the model's space.
    pub distance: f64,
}

impl<F: Float> Model<F> {
    /// Puts a model together; refuses parts that do not fit.
    pub(crate) fn new(parts: Parts<F>) -> Result<Self> {
        let (m, dim) = parts.prototypes.x.dim();
        let sound = m > 0
            && dim > 0
            && parts.prototypes.y.len() == m
            && parts.prototypes.y.iter().all(|&c| c < parts.classes.len())
            && parts.importance.len() == m
            && parts.rule != Rule::Nearest(0);
        if !sound {
            return Err(Error::parts("prototypes", "labels, classes and importance"));
        }
        check_gamma::<F>(parts.gamma)?;
        parts.metric.check(m, dim)?;
        let most = F::of(largest_value::<F>(dim) / (parts.metric.reach() / STRETCH).max(1.0));
        // Also where a prototype is not a number.
        if !parts.prototypes.x.iter().all(|v| v.abs() <= most) {
            return Err(Error::unsupported("the distances of the model's prototypes overflow"));
        }
        parts.decision.check(Labels { of: &parts.prototypes.y, classes: parts.classes.len() })?;
        check_rule(parts.rule, &*parts.decision)?;
        check_pipeline(&parts.pipeline, parts.features.len(), dim)?;
        let space = Space::new(&*parts.metric, parts.prototypes.x.view());
        let coded = match parts.decision.coding() {
            Some(coding) => Some(Arc::new(Coded::new(coding, &parts)?)),
            None => None,
        };
        Ok(Model { parts, schema: None, space, coded, most, selected: None })
    }

    /// The same model with another decision, and the rule that belongs to it.
    pub fn with_decision(self, decision: Box<dyn Decision<F>>) -> Result<Self> {
        let rule = decision.rule().unwrap_or(match self.parts.rule {
            Rule::Scores | Rule::Code => Rule::Nearest(1),
            other => other,
        });
        let model = Model::new(Parts { decision, rule, ..self.parts })?;
        Ok(Model { schema: self.schema, selected: self.selected, ..model })
    }

    /// What it is made of.
    pub(crate) fn parts(&self) -> &Parts<F> {
        &self.parts
    }

    /// The same model with another way to decide.
    pub fn with_rule(mut self, rule: Rule) -> Result<Self> {
        check_rule(rule, &*self.parts.decision)?;
        self.parts.rule = rule;
        Ok(self)
    }

    /// How a class is decided.
    pub fn rule(&self) -> Rule {
        self.parts.rule
    }

    /// Prototypes in the space after preprocessing: in class order, or for `knn` in the order of the samples.
    pub fn prototypes(&self) -> &Prototypes<F> {
        &self.parts.prototypes
    }

    /// Prototypes in the units of the input, as far as preprocessing can be undone.
    pub fn prototypes_in_input_units(&self) -> Array2<F> {
        self.parts.pipeline.invert(self.parts.prototypes.x.clone())
    }

    /// The metric.
    pub fn metric(&self) -> &dyn FittedMetric<F> {
        &*self.parts.metric
    }

    /// The matrix `A` of a learned metric `‖A(x − p)‖²`, where there is one for all prototypes.
    pub fn components(&self) -> Option<&Array2<F>> {
        self.parts.metric.matrix()
    }

    /// How distances become evidence for each class.
    pub fn decision(&self) -> &dyn Decision<F> {
        &*self.parts.decision
    }

    /// The coder, where the method decides by codes.
    pub fn coding(&self) -> Option<&Coding> {
        self.parts.decision.coding()
    }

    /// How distances become probabilities where no decision was learned.
    pub fn posterior(&self) -> Posterior {
        self.parts.posterior
    }

    /// What is done to samples before distances are taken.
    pub fn pipeline(&self) -> &Pipeline<F> {
        &self.parts.pipeline
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.parts.classes
    }

    /// Names of the features.
    pub fn features(&self) -> &[String] {
        &self.parts.features
    }

    /// Inverse temperature of the probabilities.
    pub fn gamma(&self) -> f64 {
        self.parts.gamma
    }

    /// Share of the training samples that each prototype answers for under the soft rule; sums to 1.
    pub fn importance(&self) -> &[f64] {
        &self.parts.importance
    }

    /// How the model was made.
    pub fn provenance(&self) -> &Provenance {
        &self.parts.provenance
    }

    /// How files become samples, where the model was trained on one.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Remembers how files become samples; refuses a schema with other features or classes.
    pub fn with_schema(mut self, schema: Schema) -> Result<Self> {
        let sound = schema.is_sound();
        if !sound || schema.feature_names() != self.parts.features || schema.classes != self.parts.classes {
            return Err(Error::parts("schema", "features and classes"));
        }
        self.schema = Some(schema);
        Ok(self)
    }

    /// Rows of the training samples that the prototypes are, for methods that select some; files do not keep them.
    pub fn selected(&self) -> Option<&[usize]> {
        self.selected.as_deref()
    }

    pub(crate) fn with_selected(mut self, rows: Vec<usize>) -> Self {
        self.selected = Some(rows);
        self
    }

    /// The same model with the temperature of its probabilities fitted to these samples, which training has not seen.
    pub fn calibrated(mut self, data: &Dataset<F>) -> Result<Self> {
        if data.classes != self.parts.classes {
            return Err(Error::different_classes("the samples to calibrate on", "the model"));
        }
        self.check_features(data.dim())?;
        let few = data.sample(CALIBRATION_SAMPLES, self.parts.provenance.seed, "calibration");
        self.parts.gamma = match &self.coded {
            Some(coded) => coded.likeliest_gamma(self.parts.pipeline.apply(few.x).view(), &few.y)?,
            None => {
                let d = self.distances(few.x.view());
                likeliest_gamma(&[Judged { decision: &self.decider(), d, y: &few.y }])
            }
        };
        Ok(self)
    }

    /// Squared distances (`n × m`) of samples that have the model's features.
    pub(crate) fn distances(&self, x: ArrayView2<F>) -> Array2<F> {
        self.space.distances(self.parts.pipeline.apply(x.to_owned()).view())
    }

    /// The same model with another inverse temperature of its probabilities, by which the rule `soft` decides.
    pub fn with_gamma(mut self, gamma: f64) -> Result<Self> {
        check_gamma::<F>(gamma)?;
        self.parts.gamma = gamma;
        Ok(self)
    }

    /// The same model for classes that weigh, or are as frequent as, `weights` times what training saw.
    ///
    /// With probabilities `q_c ∝ exp(−γ d_c)` that is `w_c q_c`, so the smallest `d_c − ln w_c / γ` decides: scores behind the
    /// prototypes. Elkan: The Foundations of Cost-Sensitive Learning, IJCAI 2001.
    pub fn with_class_weights(mut self, weights: &[f64]) -> Result<Self> {
        if weights.len() != self.parts.classes.len() || !weights.iter().all(|w| *w > 0.0 && w.is_finite()) {
            let n = self.parts.classes.len();
            return Err(Error::setting("class weights", format!("{weights:?}"), format!("{n} numbers > 0")));
        }
        let shifts: Vec<f64> = weights.iter().map(|w| w.ln() / self.parts.gamma).collect();
        self.parts.decision = self.parts.decision.with_shifts(&shifts)?;
        self.parts.rule = Rule::Scores;
        Ok(self)
    }

    /// The model with the error that it now has on the training samples, where it had one.
    pub(crate) fn with_train_error(mut self, data: &Dataset<F>) -> Result<Self> {
        if self.parts.provenance.train_error.is_some() {
            self.parts.provenance.train_error = Some(self.error(data)?);
        }
        Ok(self)
    }

    /// The model under the name of the method that chose another one's settings, with the settings of its own.
    pub(crate) fn named(mut self, method: &str, options: &Values, more: &[(&str, &str)]) -> Self {
        let provenance = &mut self.parts.provenance;
        provenance.method = method.into();
        provenance.settings.extend(options.clone());
        provenance.settings.extend(more.iter().map(|(n, v)| (n.to_string(), v.to_string())));
        self
    }

    /// The model with what was tried on held-out samples before it was trained, and a sentence about the choice.
    pub(crate) fn with_trials(mut self, trials: Vec<Trial>, note: Option<String>) -> Self {
        self.parts.provenance.trials = trials;
        self.parts.provenance.notes.extend(note);
        self
    }

    /// The model as one of a training that was interrupted.
    pub(crate) fn interrupted(mut self) -> Self {
        self.parts.provenance.stopped = Stopped::Interrupted;
        self
    }

    /// Bytes that prediction needs: prototypes and metric in the space where distances are taken, scores, and labels.
    pub fn bytes(&self) -> usize {
        let (m, dim) = self.parts.prototypes.x.dim();
        let decision = self.parts.decision.store();
        let pipeline: usize = self.parts.pipeline.steps.iter().map(|step| step.size()).sum();
        let label = if self.parts.classes.len() <= 256 { 1 } else { 4 };
        let numbers = self.parts.metric.stored(m, dim) + decision.numbers().count() + pipeline;
        numbers * size_of::<F>() + decision.doubles_count() * 8 + m * label
    }

    pub(crate) fn decider(&self) -> Decider<'_, F> {
        let labels = Labels { of: &self.parts.prototypes.y, classes: self.parts.classes.len() };
        Decider { rule: self.parts.rule, decision: &*self.parts.decision, labels }
    }

    /// Class of each sample under the model's rule.
    pub fn predict(&self, x: ArrayView2<F>) -> Result<Vec<usize>> {
        if self.parts.rule == Rule::Nearest(1) {
            let nearest = self.blocks(x, |z, d| self.space.nearest(z, d))?;
            return Ok(nearest.into_iter().map(|j| self.parts.prototypes.y[j]).collect());
        }
        if let (Some(coded), Rule::Code | Rule::Soft) = (self.coded(), self.parts.rule) {
            return self.blocks(x, |z, _| coded.classes(z));
        }
        let decider = self.decider();
        self.blocks(x, |z, d| self.space.map_rows(z, d, |d| decider.decide(d, self.parts.gamma)))
    }

    /// Probability of each class (`n × classes`) at the calibrated temperature.
    pub fn probabilities(&self, x: ArrayView2<F>) -> Result<Array2<f64>> {
        let (decider, gamma) = (self.decider(), self.parts.gamma);
        let rows = match self.coded() {
            Some(coded) => self.blocks(x, |z, _| coded.probabilities(z, gamma))?,
            None => self.blocks(x, |z, d| self.space.map_rows(z, d, |d| decider.probabilities(d, gamma)))?,
        };
        let (n, c) = (rows.len(), self.parts.classes.len());
        Ok(Array2::from_shape_vec((n, c), rows.concat())?)
    }

    /// Evidence for each class (`n × classes`), in logarithms: differences are log-odds, and the probabilities are the shares of
    /// its exponentials.
    pub fn evidence(&self, x: ArrayView2<F>) -> Result<Array2<f64>> {
        let (decider, gamma) = (self.decider(), self.parts.gamma);
        let rows = match self.coded() {
            Some(coded) => self.blocks(x, |z, _| coded.evidence(z, gamma))?,
            None => self.blocks(x, |z, d| self.space.map_rows(z, d, |d| decider.evidence(d, gamma)))?,
        };
        let (n, c) = (rows.len(), self.parts.classes.len());
        Ok(Array2::from_shape_vec((n, c), rows.concat())?)
    }

    /// Squared distances of samples to all prototypes (`n × m`), in the space of the model.
    pub fn distances_to_prototypes(&self, x: ArrayView2<F>) -> Result<Array2<F>> {
        let rows = self.blocks(x, |z, d| self.space.map_rows(z, d, <[F]>::to_vec))?;
        Ok(Array2::from_shape_vec((x.nrows(), self.parts.prototypes.y.len()), rows.concat())?)
    }

    /// The `k` nearest prototypes of each sample, nearest first.
    pub fn neighbours(&self, x: ArrayView2<F>, k: usize) -> Result<Vec<Vec<Neighbour>>> {
        self.blocks(x, |z, d| {
            self.space.map_rows(z, d, |d| {
                let nearest = k_smallest(d, k);
                let y = &self.parts.prototypes.y;
                nearest
                    .into_iter()
                    .map(|j| Neighbour { prototype: j, class: y[j], distance: d[j].f64() })
                    .collect()
            })
        })
    }

    /// Samples as they are after preprocessing.
    pub fn transform(&self, x: ArrayView2<F>) -> Result<Array2<F>> {
        let dim = self.parts.prototypes.x.ncols();
        let rows = self.blocks(x, |z, _| z.to_vec())?;
        Ok(Array2::from_shape_vec((x.nrows(), dim), rows)?)
    }

    /// Each sample, after preprocessing, as a weighted sum of prototypes: by the model's coder, or, where it has none, by the equal
    /// weights of as many nearest prototypes as its rule looks at.
    pub fn represent(&self, x: ArrayView2<F>) -> Result<Vec<Code<F>>> {
        match (self.coded(), self.parts.rule) {
            (Some(coded), _) => self.blocks(x, |z, _| coded.code(z)),
            (None, rule) => {
                let k = if let Rule::Nearest(k) = rule { k } else { 1 };
                self.blocks(x, |z, d| coded::by_neighbours(&self.space, &self.parts.prototypes.x, k, z, d))
            }
        }
    }

    /// Share of samples decided wrongly.
    pub fn error(&self, data: &Dataset<F>) -> Result<f64> {
        let wrong = self.predict(data.x.view())?.iter().zip(&data.y).filter(|(a, b)| a != b).count();
        Ok(wrong as f64 / data.len() as f64)
    }

    /// The coder, ready for blocks in parallel.
    fn coded(&self) -> Option<&Coded<F>> {
        self.coded.as_deref().inspect(|coded| coded.prepare())
    }

    /// Refuses samples of another number of features than the model's.
    fn check_features(&self, found: usize) -> Result<()> {
        let expected = self.parts.features.len();
        if found == expected {
            return Ok(());
        }
        Err(Error::Features { source_name: "the input".into(), expected, found })
    }

    /// Preprocesses and maps blocks of rows in parallel, results in order.
    fn blocks<T: Send>(
        &self,
        x: ArrayView2<F>,
        f: impl Fn(&[F], &mut Vec<F>) -> Vec<T> + Sync + Send,
    ) -> Result<Vec<T>> {
        self.check_features(x.ncols())?;
        let block = self.space.block_rows();
        if x.nrows() <= block {
            // Waking another thread takes longer than a single row.
            let (mut z, mut d) = (Vec::new(), Vec::new());
            self.prepare_rows(x, 0, &mut z)?;
            return Ok(f(&z, &mut d));
        }
        let starts: Vec<usize> = (0..x.nrows()).step_by(block).collect();
        let parts: Result<Vec<Vec<T>>> = starts
            .into_par_iter()
            .map_init(
                || (Vec::new(), Vec::new()),
                |(z, d), start| {
                    self.prepare_rows(x.slice(s![start..(start + block).min(x.nrows()), ..]), start, z)?;
                    Ok(f(z, d))
                },
            )
            .collect();
        Ok(parts?.into_iter().flatten().collect())
    }

    /// Preprocesses a block whose first row is sample `start`; refuses values that are too large to compare.
    fn prepare_rows(&self, x: ArrayView2<F>, start: usize, z: &mut Vec<F>) -> Result<()> {
        let Some(row) = self.parts.pipeline.apply_into(x, self.most, z) else { return Ok(()) };
        let size = |v: &F| if v.is_nan() { f64::INFINITY } else { v.f64().abs() };
        let values = x.row(row);
        let at = (0..values.len()).fold(0, |a, b| if size(&values[b]) > size(&values[a]) { b } else { a });
        let feature = self.parts.features[at].clone();
        Err(Error::OutOfRange { row: start + row + 1, feature, value: values[at].f64() })
    }
}

/// Refuses an inverse temperature that is not positive, or larger than the element type can multiply distances by.
fn check_gamma<F: Float>(gamma: f64) -> Result<()> {
    if gamma > 0.0 && gamma <= most_gamma::<F>() {
        return Ok(());
    }
    let expected = format!("a number > 0 and at most {:e}", most_gamma::<F>());
    Err(Error::setting("gamma", format!("{gamma:e}"), expected))
}

/// Largest inverse temperature.
pub(crate) fn most_gamma<F: Float>() -> f64 {
    F::max_value().f64().min(1e300)
}

/// Refuses a rule that needs scores or codes where there are none.
fn check_rule<F: Float>(rule: Rule, decision: &dyn Decision<F>) -> Result<()> {
    match rule {
        Rule::Scores if decision.rule() != Some(Rule::Scores) => {
            Err(Error::setting("rule", "scores", "K-np or soft: the model has no scores"))
        }
        Rule::Code if decision.rule() != Some(Rule::Code) => {
            Err(Error::setting("rule", "code", "K-np or soft: the model has no coder"))
        }
        _ => Ok(()),
    }
}

/// Refuses a pipeline that does not lead from the input's features to the prototypes', or loses all features on the way.
fn check_pipeline<F: Float>(pipeline: &Pipeline<F>, features: usize, dim: usize) -> Result<()> {
    let some = |n: usize| (n > 0).then_some(n);
    let found = pipeline.steps.iter().try_fold(some(features), |n, step| step.output_dim(n?).map(some));
    match found {
        Some(Some(found)) if found == dim => Ok(()),
        Some(Some(_)) => Err(Error::parts("preprocessing", "prototypes")),
        _ => Err(Error::parts("preprocessing", "features")),
    }
}
