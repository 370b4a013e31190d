//! Models as safetensors files that any reader of that format opens.
//!
//! # Layout
//! | tensor | type | shape | what |
//! |---|---|---|---|
//! | `prototypes` | F32 or F64 | m × dim | prototypes after preprocessing |
//! | `labels` | I64 | m | class index of each |
//! | `importance` | F64 | m | share of the training samples |
//! | `components` | F32 or F64 | r × dim | matrix of a linear metric |
//! | `relevances` | F32 or F64 | dim | weights of a diagonal metric |
//! | `local.weights` | F32 or F64 | m × dim | weights of a local metric |
//! | `local.components` | F32 or F64 | groups × r × dim | matrices of a local linear metric |
//! | `local.groups` | I64 | m | which of these matrices a prototype has |
//! | `head.weights`, `head.biases` | F32 or F64 | – | scores of `pnn` (classes) and `epnn` (classes × code, classes) |
//! | `head.learner` | I64 | m | learner that a prototype of `epnn` belongs to |
//! | `head.members`, `head.biases` | I64, F32 or F64 | – | where the prototypes of each member end (members); a number of each class (classes) |
//! | `code.atoms`, `code.features` | F64 | m, dim | weights of `wcrc` |
//! | `pipeline.N.…` | F32 or F64 | – | arrays of preprocessing step N |
//!
//! The metadata has one entry, `protea`: JSON with schema version, classes, features, steps of the preprocessing, metric, decision, rule,
//! posterior, γ, code of the scores, coder and its settings, provenance and the columns of the training file. Files are written beside their place and moved there, so they appear whole or not at all.

mod tensors;

use super::{Decision, Model, Parts, Posterior, Provenance, Rule, decide};
use crate::data::Schema;
use crate::init::Prototypes;
use crate::metric::{self, FittedMetric};
use crate::represent::{self, Pipeline};
use crate::settings::SettingValue;
use crate::store::Stored;
use crate::{Error, Float, Result};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tensors::{Reader, Writer};

/// Version of the layout; readers refuse newer ones.
const SCHEMA: u32 = 2;
const KEY: &str = "protea";

#[derive(Serialize, Deserialize)]
struct Metadata {
    schema: u32,
    precision: String,
    classes: Vec<String>,
    features: Vec<String>,
    pipeline: Vec<PartMetadata>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metric: Option<PartMetadata>,
    rule: String,
    posterior: String,
    gamma: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<PartMetadata>,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Schema>,
    /// Values of the decision, such as the coder.
    #[serde(flatten)]
    of_decision: serde_json::Map<String, serde_json::Value>,
}

/// A part that stores itself: its tag, the names of its arrays, and its values.
#[derive(Serialize, Deserialize)]
struct PartMetadata {
    #[serde(rename = "type")]
    tag: String,
    /// None for steps, whose arrays have the number of the step in their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arrays: Option<Vec<String>>,
    #[serde(flatten)]
    fields: serde_json::Map<String, serde_json::Value>,
}

/// Metrics that files named by their tensors alone, before they had a tag: tensor, tag and all arrays.
const UNTAGGED_METRICS: &[(&str, &str, &[&str])] = &[
    ("relevances", "diagonal", &["relevances"]),
    ("components", "linear", &["components"]),
    ("local.weights", "local", &["local.weights"]),
    ("local.components", "local-linear", &["local.components", "local.groups"]),
];

/// Decisions that files named by a value or by their tensors alone, before they had a tag: what tells, tag, and arrays.
const UNTAGGED_DECISIONS: &[(&str, &str, &[&str])] = &[
    ("coder", "code", &["code.atoms", "code.features"]),
    ("code", "ensemble", &["head.weights", "head.biases", "head.learner"]),
    ("head.members", "members", &["head.members", "head.biases"]),
    ("head.weights", "affine", &["head.weights", "head.biases"]),
];

/// `"f32"` or `"f64"`: the element type of a model file, to be read before [`Model::from_bytes`].
pub fn precision(bytes: &[u8], source: &str) -> Result<String> {
    Ok(metadata(bytes, source)?.precision)
}

impl<F: Float> Model<F> {
    /// The model as the bytes of a safetensors file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Parts { prototypes, importance, .. } = &self.parts;
        let mut file = Writer::default();
        file.floats("prototypes", prototypes.x.shape(), prototypes.x.iter().copied());
        file.wholes("labels", &prototypes.y);
        file.floats("importance", &[importance.len()], importance.iter().copied());
        let metric = Some(file.part("", self.parts.metric.store()));
        let PartMetadata { tag, arrays, fields } = file.part("", self.parts.decision.store());
        let decision = Some(PartMetadata { tag, arrays, fields: Default::default() });
        let steps = self.parts.pipeline.steps.iter().enumerate();
        let pipeline = steps.map(|(n, step)| PartMetadata {
            arrays: None,
            ..file.part(&format!("pipeline.{n}."), step.store())
        });
        let metadata = Metadata {
            schema: SCHEMA,
            precision: F::NAME.into(),
            classes: self.parts.classes.clone(),
            features: self.parts.features.clone(),
            pipeline: pipeline.collect(),
            metric,
            rule: self.parts.rule.show(),
            posterior: self.parts.posterior.show(),
            gamma: self.parts.gamma,
            decision,
            of_decision: fields,
            provenance: self.parts.provenance.clone(),
            columns: self.schema.clone(),
        };
        file.finish(KEY, serde_json::to_string(&metadata).map_err(encode)?)
    }

    /// Reads a model from the bytes of a file; `source` is how messages name it.
    pub fn from_bytes(bytes: &[u8], source: &str) -> Result<Self> {
        let metadata = metadata(bytes, source)?;
        if metadata.precision != F::NAME {
            let (found, wanted) = (&metadata.precision, F::NAME);
            return Err(Error::file(
                source,
                format!("the model is of type {found}, but was read as {wanted}"),
            ));
        }
        let file = SafeTensors::deserialize(bytes).map_err(|e| unreadable(source, e))?;
        let read = Reader { file, source };
        let labels = read.wholes("labels")?;
        let prototypes = read.matrix::<F>("prototypes")?;
        let metric = read.metric(metadata.metric.as_ref())?;
        let steps = metadata.pipeline.iter().enumerate().map(|(n, step)| read.step(n, step));
        let steps: Vec<_> = steps.collect::<Result<_>>()?;
        let rule =
            Rule::parse(&metadata.rule).ok_or_else(|| broken(source, format!("rule {:?}", metadata.rule)))?;
        let posterior = Posterior::parse(&metadata.posterior)
            .ok_or_else(|| broken(source, format!("posterior {:?}", metadata.posterior)))?;
        let decision = read.decision(metadata.decision.as_ref(), metadata.of_decision, posterior)?;
        let model = Model::new(Parts {
            prototypes: Prototypes { x: prototypes, y: labels },
            metric,
            decision,
            pipeline: Pipeline { steps },
            classes: metadata.classes,
            features: metadata.features,
            rule,
            posterior,
            gamma: metadata.gamma,
            importance: read.vector::<f64>("importance")?,
            provenance: metadata.provenance,
        })
        .map_err(|e| unreadable(source, e))?;
        match metadata.columns {
            Some(schema) => model.with_schema(schema).map_err(|e| unreadable(source, e)),
            None => Ok(model),
        }
    }

    /// Saves the model; the file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        crate::io::write_atomically(path.as_ref(), &self.to_bytes()?)
    }

    /// Loads a model that was saved with this element type.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::file(path, &e).because(e))?;
        Model::from_bytes(&bytes, &path.display().to_string())
    }
}

/// A file that another library could not read.
fn unreadable(source: &str, cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    broken(source, &cause).because(cause)
}

fn encode(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Encode { source: Box::new(cause) }
}

fn broken(source: &str, why: impl std::fmt::Display) -> Error {
    Error::file(source, format!("not a sound protea model: {why}"))
}

fn metadata(bytes: &[u8], source: &str) -> Result<Metadata> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| unreadable(source, e))?;
    let json = header
        .metadata()
        .as_ref()
        .and_then(|m| m.get(KEY))
        .ok_or_else(|| broken(source, "the file has no protea metadata"))?;
    let value: serde_json::Value = serde_json::from_str(json).map_err(|e| unreadable(source, e))?;
    let schema = value.get("schema").and_then(|v| v.as_u64()).unwrap_or(0);
    if schema > SCHEMA.into() {
        let problem =
            format!("the model has layout {schema}, this protea reads up to {SCHEMA}; use a newer one");
        return Err(Error::file(source, problem));
    }
    serde_json::from_value(value).map_err(|e| unreadable(source, e))
}

impl Reader<'_> {
    /// Step `n` of the preprocessing.
    fn step<F: Float>(&self, n: usize, step: &PartMetadata) -> Result<Box<dyn represent::Step<F>>> {
        let stored = self.part(&format!("pipeline.{n}."), step)?;
        represent::restore(&stored).map_err(|e| broken(self.source, e))
    }

    /// The metric, by its tag or, in files without one, by its tensors.
    fn metric<F: Float>(&self, part: Option<&PartMetadata>) -> Result<Box<dyn FittedMetric<F>>> {
        let stored = match (part, UNTAGGED_METRICS.iter().find(|(tensor, ..)| self.has(tensor))) {
            (Some(part), _) => self.part("", part)?,
            (None, Some((_, tag, arrays))) => {
                let arrays = Some(arrays.iter().map(|a| a.to_string()).collect());
                self.part("", &PartMetadata { tag: tag.to_string(), arrays, fields: Default::default() })?
            }
            (None, None) => Stored::new("euclidean"),
        };
        metric::restore(&stored).map_err(|e| broken(self.source, e))
    }

    /// The decision, by its tag or, in files without one, by what it stores; `fields` are its values.
    fn decision<F: Float>(
        &self,
        part: Option<&PartMetadata>,
        fields: serde_json::Map<String, serde_json::Value>,
        posterior: Posterior,
    ) -> Result<Box<dyn Decision<F>>> {
        let told = |what: &str| fields.contains_key(what) || self.has(what);
        let (tag, arrays) = match (part, UNTAGGED_DECISIONS.iter().find(|(what, ..)| told(what))) {
            (Some(part), _) => (part.tag.clone(), part.arrays.clone().unwrap_or_default()),
            (None, Some((_, tag, arrays))) => {
                let arrays = arrays.iter().filter(|a| self.has(a)).map(|a| a.to_string());
                (tag.to_string(), arrays.collect())
            }
            (None, None) => (posterior.show(), Vec::new()),
        };
        let stored = self.part("", &PartMetadata { tag, arrays: Some(arrays), fields })?;
        decide::restore(&stored).map_err(|e| broken(self.source, e))
    }
}
