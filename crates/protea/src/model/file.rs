//! Models as safetensors files that any reader of that format opens.
//!
//! # Layout
//! | tensor | type | shape | what |
//! |---|---|---|---|
//! | `prototypes` | F32 or F64 | m × dim | prototypes after preprocessing |
//! | `labels` | I64 | m | class index of each |
//! | `importance` | F64 | m | share of the training samples |
//! | `components` | F32 or F64 | r × dim | matrix of the metric, where there is one |
//! | `pipeline.N.…` | F32 or F64 | – | arrays of preprocessing step N |
//!
//! The metadata has one entry, `protea`: JSON with schema version, classes, features, steps of the preprocessing, rule, γ,
//! provenance and the columns of the training file. Files are written beside their place and moved there, so they appear whole or not at all.

use super::{Model, Provenance, Rule};
use crate::data::Schema;
use crate::init::Prototypes;
use crate::represent::{Deskew, ImageSize, Linear, Pipeline, Scaling, Step};
use crate::settings::SettingValue;
use crate::{Error, Float, Result};
use ndarray::Array2;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// Version of the layout; readers refuse newer ones.
const SCHEMA: u32 = 1;
const KEY: &str = "protea";

#[derive(Serialize, Deserialize)]
struct Metadata {
    schema: u32,
    precision: String,
    classes: Vec<String>,
    features: Vec<String>,
    pipeline: Vec<StepMetadata>,
    rule: String,
    gamma: f64,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Schema>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum StepMetadata {
    Deskew { width: usize, height: usize, background: f64 },
    Scale,
    Linear,
}

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
        let mut tensors = vec![
            floats("prototypes", self.prototypes.x.shape(), self.prototypes.x.iter().copied()),
            Tensor {
                name: "labels".into(),
                dtype: Dtype::I64,
                shape: vec![self.prototypes.y.len()],
                bytes: self.prototypes.y.iter().flat_map(|&y| (y as i64).to_le_bytes()).collect(),
            },
            floats("importance", &[self.importance.len()], self.importance.iter().copied()),
        ];
        if let Some(a) = &self.components {
            tensors.push(floats("components", a.shape(), a.iter().copied()));
        }
        let mut pipeline = Vec::new();
        for (n, step) in self.pipeline.steps.iter().enumerate() {
            let name = |part: &str| format!("pipeline.{n}.{part}");
            pipeline.push(match step {
                Step::Deskew(s) => {
                    let ImageSize { width, height } = s.size;
                    StepMetadata::Deskew { width, height, background: s.background }
                }
                Step::Scale(s) => {
                    tensors.push(floats(&name("centre"), &[s.centre.len()], s.centre.iter().copied()));
                    tensors.push(floats(&name("factor"), &[s.factor.len()], s.factor.iter().copied()));
                    StepMetadata::Scale
                }
                Step::Linear(s) => {
                    tensors.push(floats(&name("centre"), &[s.centre.len()], s.centre.iter().copied()));
                    tensors.push(floats(&name("matrix"), s.matrix.shape(), s.matrix.iter().copied()));
                    tensors.push(floats(&name("inverse"), s.inverse.shape(), s.inverse.iter().copied()));
                    StepMetadata::Linear
                }
            });
        }
        let metadata = Metadata {
            schema: SCHEMA,
            precision: F::NAME.into(),
            classes: self.classes.clone(),
            features: self.features.clone(),
            pipeline,
            rule: self.rule.show(),
            gamma: self.gamma,
            provenance: self.provenance.clone(),
            columns: self.schema.clone(),
        };
        let json = serde_json::to_string(&metadata).map_err(|e| Error::data(e.to_string()))?;
        let views: Vec<(&str, TensorView)> = tensors
            .iter()
            .map(|t| Ok((&*t.name, TensorView::new(t.dtype, t.shape.clone(), &t.bytes)?)))
            .collect::<std::result::Result<_, safetensors::SafeTensorError>>()
            .map_err(|e| Error::data(e.to_string()))?;
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_string(), json)])))
            .map_err(|e| Error::data(e.to_string()))
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
        let file = SafeTensors::deserialize(bytes).map_err(|e| broken(source, e))?;
        let read = Reader { file, source };
        let labels = read.integers("labels")?;
        let prototypes = read.matrix::<F>("prototypes")?;
        let components =
            if read.file.tensor("components").is_ok() { Some(read.matrix("components")?) } else { None };
        let mut steps = Vec::new();
        for (n, step) in metadata.pipeline.iter().enumerate() {
            let name = |part: &str| format!("pipeline.{n}.{part}");
            steps.push(match *step {
                StepMetadata::Deskew { width, height, background } => {
                    Step::Deskew(Deskew { size: ImageSize { width, height }, background })
                }
                StepMetadata::Scale => Step::Scale(Scaling {
                    centre: read.vector(&name("centre"))?,
                    factor: read.vector(&name("factor"))?,
                }),
                StepMetadata::Linear => Step::Linear(Linear {
                    centre: read.vector(&name("centre"))?,
                    matrix: read.matrix(&name("matrix"))?,
                    inverse: read.matrix(&name("inverse"))?,
                }),
            });
        }
        let rule =
            Rule::parse(&metadata.rule).ok_or_else(|| broken(source, format!("rule {:?}", metadata.rule)))?;
        let model = Model::new(
            Prototypes { x: prototypes, y: labels },
            components,
            Pipeline { steps },
            metadata.classes,
            metadata.features,
            rule,
            metadata.gamma,
            read.vector::<f64>("importance")?,
            metadata.provenance,
        )
        .map_err(|e| broken(source, e))?;
        match metadata.columns {
            Some(schema) => model.with_schema(schema).map_err(|e| broken(source, e)),
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
        let bytes = std::fs::read(path).map_err(|e| Error::file(path, e))?;
        Model::from_bytes(&bytes, &path.display().to_string())
    }
}

fn broken(source: &str, why: impl std::fmt::Display) -> Error {
    Error::file(source, format!("not a sound protea model: {why}"))
}

fn metadata(bytes: &[u8], source: &str) -> Result<Metadata> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| broken(source, e))?;
    let json = header
        .metadata()
        .as_ref()
        .and_then(|m| m.get(KEY))
        .ok_or_else(|| broken(source, "the file has no protea metadata"))?;
    let value: serde_json::Value = serde_json::from_str(json).map_err(|e| broken(source, e))?;
    let schema = value.get("schema").and_then(|v| v.as_u64()).unwrap_or(0);
    if schema > SCHEMA.into() {
        let problem =
            format!("the model has layout {schema}, this protea reads up to {SCHEMA}; use a newer one");
        return Err(Error::file(source, problem));
    }
    serde_json::from_value(value).map_err(|e| broken(source, e))
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
