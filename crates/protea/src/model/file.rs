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
//! The metadata has one entry, `protea`: JSON with schema version, classes, features, steps of the preprocessing, rule,
//! posterior, γ, code of the scores, coder and its settings, provenance and the columns of the training file. Files are written beside their place and moved there, so they appear whole or not at all.

use super::{Head, LearnerCode, Model, Parts, Posterior, Provenance, Rule};
use crate::coding::{Coding, Priors};
use crate::data::Schema;
use crate::init::Prototypes;
use crate::metric::Form;
use crate::represent::{self, Pipeline, Step};
use crate::settings::{SettingValue, Values};
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, Array3};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// Version of the layout; readers refuse newer ones.
const SCHEMA: u32 = 2;
const KEY: &str = "protea";

#[derive(Serialize, Deserialize)]
struct Metadata {
    schema: u32,
    precision: String,
    classes: Vec<String>,
    features: Vec<String>,
    pipeline: Vec<StepMetadata>,
    rule: String,
    posterior: String,
    gamma: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coder: Option<CoderMetadata>,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Schema>,
}

#[derive(Serialize, Deserialize)]
struct CoderMetadata {
    name: String,
    settings: Values,
}

/// A step: its tag as `type`, and its values.
type StepMetadata = serde_json::Map<String, serde_json::Value>;

/// A tensor on its way into a file.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// `"f32"` or `"f64"`: the element type of a model file, to be read before [`Model::from_bytes`].
pub fn precision(bytes: &[u8], source: &str) -> Result<String> {
    Ok(metadata(bytes, source)?.precision)
}

impl<F: Float> Model<F> {
    /// The model as the bytes of a safetensors file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Parts { prototypes, importance, .. } = &self.parts;
        let mut tensors = vec![
            floats("prototypes", prototypes.x.shape(), prototypes.x.iter().copied()),
            integers("labels", &prototypes.y),
            floats("importance", &[importance.len()], importance.iter().copied()),
        ];
        match &self.parts.metric {
            Form::Euclidean => {}
            Form::Diagonal(v) => tensors.push(floats("relevances", &[v.len()], v.iter().copied())),
            Form::Linear(a) => tensors.push(floats("components", a.shape(), a.iter().copied())),
            Form::Local(v) => tensors.push(floats("local.weights", v.shape(), v.iter().copied())),
            Form::LocalLinear { groups, matrices } => {
                let of: Vec<usize> =
                    groups.iter().enumerate().flat_map(|(g, range)| vec![g; range.len()]).collect();
                tensors.push(floats("local.components", matrices.shape(), matrices.iter().copied()));
                tensors.push(integers("local.groups", &of));
            }
        }
        match &self.parts.head {
            None => {}
            Some(Head::Affine { weights, biases }) => {
                tensors.push(floats("head.weights", &[weights.len()], weights.iter().copied()));
                tensors.push(floats("head.biases", &[biases.len()], biases.iter().copied()));
            }
            Some(Head::Ensemble { learner, weights, biases, .. }) => {
                tensors.push(floats("head.weights", weights.shape(), weights.iter().copied()));
                tensors.push(floats("head.biases", &[biases.len()], biases.iter().copied()));
                tensors.push(integers("head.learner", learner));
            }
            Some(Head::Members { ends, biases }) => {
                tensors.push(integers("head.members", ends));
                tensors.push(floats("head.biases", &[biases.len()], biases.iter().copied()));
            }
        }
        if let Some(priors) = self.parts.coding.as_ref().and_then(|c| c.priors.as_ref()) {
            let (atoms, features) = (&priors.atoms, &priors.features);
            tensors.push(floats("code.atoms", &[atoms.len()], atoms.iter().copied()));
            tensors.push(floats("code.features", &[features.len()], features.iter().copied()));
        }
        let mut pipeline = Vec::new();
        for (n, step) in self.parts.pipeline.steps.iter().enumerate() {
            let Stored { tag, fields, arrays } = step.store();
            for (name, shape, values) in arrays {
                tensors.push(floats(&format!("pipeline.{n}.{name}"), &shape, values.into_iter()));
            }
            let mut step = StepMetadata::from_iter([("type".to_string(), tag.into())]);
            step.extend(fields);
            pipeline.push(step);
        }
        let metadata = Metadata {
            schema: SCHEMA,
            precision: F::NAME.into(),
            classes: self.parts.classes.clone(),
            features: self.parts.features.clone(),
            pipeline,
            rule: self.parts.rule.show(),
            posterior: self.parts.posterior.show(),
            gamma: self.parts.gamma,
            code: match &self.parts.head {
                Some(Head::Ensemble { code, .. }) => Some(code.show()),
                _ => None,
            },
            coder: (self.parts.coding.as_ref())
                .map(|c| CoderMetadata { name: c.name().into(), settings: c.values() }),
            provenance: self.parts.provenance.clone(),
            columns: self.schema.clone(),
        };
        let json = serde_json::to_string(&metadata).map_err(encode)?;
        let views: Vec<(&str, TensorView)> = tensors
            .iter()
            .map(|t| Ok((&*t.name, TensorView::new(t.dtype, t.shape.clone(), &t.bytes)?)))
            .collect::<std::result::Result<_, safetensors::SafeTensorError>>()
            .map_err(encode)?;
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_string(), json)]))).map_err(encode)
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
        let labels = read.integers("labels")?;
        let prototypes = read.matrix::<F>("prototypes")?;
        let metric = read.form(prototypes.nrows())?;
        let head = read.head(metadata.code.as_deref())?;
        let coding = read.coding(metadata.coder.as_ref())?;
        let steps = metadata.pipeline.iter().enumerate().map(|(n, step)| read.step(n, step));
        let steps: Vec<_> = steps.collect::<Result<_>>()?;
        let rule =
            Rule::parse(&metadata.rule).ok_or_else(|| broken(source, format!("rule {:?}", metadata.rule)))?;
        let posterior = Posterior::parse(&metadata.posterior)
            .ok_or_else(|| broken(source, format!("posterior {:?}", metadata.posterior)))?;
        let model = Model::new(Parts {
            prototypes: Prototypes { x: prototypes, y: labels },
            metric,
            head,
            coding,
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

fn floats<G: Float>(name: &str, shape: &[usize], values: impl Iterator<Item = G>) -> Tensor {
    let wide = G::NAME == "f64";
    let bytes = if wide {
        values.flat_map(|v| v.f64().to_le_bytes()).collect()
    } else {
        values.flat_map(|v| (v.f64() as f32).to_le_bytes()).collect()
    };
    let dtype = if wide { Dtype::F64 } else { Dtype::F32 };
    Tensor { name: name.into(), dtype, shape: shape.to_vec(), bytes }
}

fn integers(name: &str, values: &[usize]) -> Tensor {
    let bytes = values.iter().flat_map(|&v| (v as i64).to_le_bytes()).collect();
    Tensor { name: name.into(), dtype: Dtype::I64, shape: vec![values.len()], bytes }
}

/// Tensors of a file, checked for type and shape.
struct Reader<'a> {
    file: SafeTensors<'a>,
    source: &'a str,
}

impl Reader<'_> {
    fn tensor(&self, name: &str, dtype: Dtype, rank: usize) -> Result<TensorView<'_>> {
        let t = self.file.tensor(name).map_err(|e| broken(self.source, e))?;
        if t.dtype() != dtype || t.shape().len() != rank {
            let (d, s) = (t.dtype(), t.shape());
            return Err(broken(
                self.source,
                format!("tensor {name} is {d:?} {s:?}, expected {dtype:?} of rank {rank}"),
            ));
        }
        Ok(t)
    }

    fn values<G: Float>(&self, name: &str, rank: usize) -> Result<(Vec<usize>, Vec<G>)> {
        let wide = G::NAME == "f64";
        let t = self.tensor(name, if wide { Dtype::F64 } else { Dtype::F32 }, rank)?;
        let values: Vec<G> = if wide {
            let (chunks, _) = t.data().as_chunks::<8>();
            chunks.iter().map(|b| G::of(f64::from_le_bytes(*b))).collect()
        } else {
            let (chunks, _) = t.data().as_chunks::<4>();
            chunks.iter().map(|b| G::of(f32::from_le_bytes(*b).into())).collect()
        };
        if values.iter().any(|v| !v.f64().is_finite()) {
            return Err(broken(
                self.source,
                format!("tensor {name} has a value that is not a finite number"),
            ));
        }
        Ok((t.shape().to_vec(), values))
    }

    fn vector<G: Float>(&self, name: &str) -> Result<Vec<G>> {
        Ok(self.values(name, 1)?.1)
    }

    fn matrix<G: Float>(&self, name: &str) -> Result<Array2<G>> {
        let (shape, values) = self.values(name, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values).map_err(|e| broken(self.source, e))
    }

    /// Step `n` of the preprocessing, with the arrays that are under its name.
    fn step<G: Float>(&self, n: usize, step: &StepMetadata) -> Result<Box<dyn Step<G>>> {
        let mut fields = step.clone();
        let tag = fields.remove("type").and_then(|t| t.as_str().map(str::to_string)).unwrap_or_default();
        let prefix = format!("pipeline.{n}.");
        let mut arrays = Vec::new();
        let mut names = self.file.names();
        names.sort_unstable();
        for name in names {
            if let Some(short) = name.strip_prefix(&prefix) {
                let rank = self.file.tensor(name).map_err(|e| broken(self.source, e))?.shape().len();
                let (shape, values) = self.values(name, rank)?;
                arrays.push((short.to_string(), shape, values));
            }
        }
        represent::restore(&Stored { tag, fields, arrays }).map_err(|e| broken(self.source, e))
    }

    fn has(&self, name: &str) -> bool {
        self.file.tensor(name).is_ok()
    }

    /// The metric of `m` prototypes.
    fn form<G: Float>(&self, m: usize) -> Result<Form<G>> {
        if self.has("relevances") {
            return Ok(Form::Diagonal(self.vector("relevances")?));
        }
        if self.has("components") {
            return Ok(Form::Linear(self.matrix("components")?));
        }
        if self.has("local.weights") {
            return Ok(Form::Local(self.matrix("local.weights")?));
        }
        if !self.has("local.components") {
            return Ok(Form::Euclidean);
        }
        let (shape, values) = self.values("local.components", 3)?;
        let matrices = Array3::from_shape_vec((shape[0], shape[1], shape[2]), values)
            .map_err(|e| broken(self.source, e))?;
        let of = self.integers("local.groups")?;
        if of.len() != m || !of.is_sorted() || of.iter().any(|&g| g >= shape[0]) {
            return Err(broken(self.source, "the groups of the metric do not fit the prototypes"));
        }
        let groups = (0..shape[0]).map(|g| of.partition_point(|&o| o < g)..of.partition_point(|&o| o <= g));
        Ok(Form::LocalLinear { groups: groups.collect(), matrices })
    }

    /// Scores behind the prototypes.
    fn head<G: Float>(&self, code: Option<&str>) -> Result<Option<Head<G>>> {
        if self.has("head.members") {
            let (ends, biases) = (self.integers("head.members")?, self.vector("head.biases")?);
            return Ok(Some(Head::Members { ends, biases }));
        }
        if !self.has("head.weights") {
            return Ok(None);
        }
        let biases = self.vector("head.biases")?;
        Ok(Some(match code {
            None => Head::Affine { weights: self.vector("head.weights")?, biases },
            Some(code) => Head::Ensemble {
                code: LearnerCode::parse(code)
                    .ok_or_else(|| broken(self.source, format!("code {code:?}")))?,
                learner: self.integers("head.learner")?,
                weights: self.matrix("head.weights")?,
                biases,
            },
        }))
    }

    /// The coder by name, with its settings and what it learned.
    fn coding(&self, coder: Option<&CoderMetadata>) -> Result<Option<Coding>> {
        let Some(coder) = coder else { return Ok(None) };
        let mut coding = Coding::parse(&coder.name, &coder.settings).map_err(|e| broken(self.source, e))?;
        if self.has("code.atoms") {
            let (atoms, features) = (self.vector("code.atoms")?, self.vector("code.features")?);
            coding.priors = Some(Priors { atoms, features });
        }
        Ok(Some(coding))
    }

    fn integers(&self, name: &str) -> Result<Vec<usize>> {
        let t = self.tensor(name, Dtype::I64, 1)?;
        let (chunks, _) = t.data().as_chunks::<8>();
        chunks
            .iter()
            .map(|b| {
                usize::try_from(i64::from_le_bytes(*b))
                    .map_err(|_| broken(self.source, "a label is negative"))
            })
            .collect()
    }
}
