//! Plans as data: JSON and NPZ.
//!
//! Both hold the operations in order, with the names of the arrays that they read. [`Plan`] explains each operation.

use super::{Export, ExportOptions, File};
use crate::io::npy::{self, NpyValues};
use crate::plan::{Numbers, Plan};
use crate::{Error, Result};
use serde_json::{Map, Value, json};

/// One JSON document with all numbers.
pub(super) struct Json;

/// One NPZ archive, an array for each of the plan's.
pub(super) struct Npz;

/// Operations with the names of arrays in the place of their numbers.
fn operations(plan: &Plan) -> Result<Value> {
    let name = |id: &Value| match id.as_u64() {
        Some(id) => json!(plan.arrays[id as usize].name),
        None => Value::Null,
    };
    let operation = |op| {
        let mut value = serde_json::to_value(op).map_err(|e| Error::Encode { source: e.into() })?;
        if let Value::Object(fields) = &mut value {
            for key in ARRAYS.iter().filter(|key| fields.contains_key(**key)).collect::<Vec<_>>() {
                fields[*key] = name(&fields[*key]);
            }
        }
        Ok(value)
    };
    plan.ops.iter().map(operation).collect::<Result<Vec<_>>>().map(Value::Array)
}

/// Fields of operations that name an array.
const ARRAYS: &[&str] = &[
    "centre",
    "factor",
    "edges",
    "matrix",
    "inverse",
    "prototypes",
    "weights",
    "matrices",
    "ends",
    "labels",
    "learners",
    "biases",
];

/// What a document says besides the arrays.
fn head(plan: &Plan) -> Result<Map<String, Value>> {
    let mut head = Map::new();
    head.insert("format".into(), json!("protea-plan"));
    head.insert("version".into(), json!(1));
    head.insert("precision".into(), json!(plan.precision));
    head.insert("features".into(), json!(plan.features));
    head.insert("classes".into(), json!(plan.classes));
    head.insert("ops".into(), operations(plan)?);
    Ok(head)
}

impl Export for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "operations and arrays as one JSON document"
    }

    fn holds_rounded(&self) -> bool {
        true
    }

    fn write(&self, plan: &Plan, _: &ExportOptions) -> Result<Vec<File>> {
        let mut document = head(plan)?;
        let values = |numbers: &Numbers| match numbers {
            // The shortest digits of the model's own type.
            Numbers::Real(v) if plan.precision == "f32" => {
                json!(v.iter().map(|&v| v as f32).collect::<Vec<_>>())
            }
            Numbers::Real(v) => json!(v),
            Numbers::Whole(v) => json!(v),
            Numbers::Rounded(_, v) => json!(v),
        };
        let array = |a: &crate::plan::PlanArray| {
            (a.name.clone(), json!({ "shape": a.shape, "values": values(&a.values) }))
        };
        document.insert("arrays".into(), Value::Object(plan.arrays.iter().map(array).collect()));
        let text = serde_json::to_string(&Value::Object(document))
            .map_err(|e| Error::Encode { source: e.into() })?;
        Ok(vec![File::new("json", text + "\n")])
    }
}

impl Export for Npz {
    fn name(&self) -> &'static str {
        "npz"
    }

    fn about(&self) -> &'static str {
        "arrays for NumPy, with the operations as JSON in the array `plan`"
    }

    fn holds_rounded(&self) -> bool {
        true
    }

    fn write(&self, plan: &Plan, _: &ExportOptions) -> Result<Vec<File>> {
        let head = Value::Object(head(plan)?).to_string();
        let mut arrays = vec![("plan", npy::write::<f64>(NpyValues::Texts(&[head]), &[1]))];
        arrays.push(("classes", npy::write::<f64>(NpyValues::Texts(&plan.classes), &[plan.classes.len()])));
        arrays
            .push(("features", npy::write::<f64>(NpyValues::Texts(&plan.features), &[plan.features.len()])));
        for array in &plan.arrays {
            let bytes = match &array.values {
                Numbers::Real(v) if plan.precision == "f32" => {
                    let narrow: Vec<f32> = v.iter().map(|&v| v as f32).collect();
                    npy::write(NpyValues::Floats(&narrow), &array.shape)
                }
                Numbers::Real(v) => npy::write::<f64>(NpyValues::Wide(v), &array.shape),
                Numbers::Whole(v) => npy::write::<f64>(NpyValues::Indices(v), &array.shape),
                Numbers::Rounded(bits, v) => {
                    npy::write::<f64>(NpyValues::Rounded(bits.bytes(), v), &array.shape)
                }
            };
            arrays.push((&array.name, bytes));
        }
        Ok(vec![File::new("npz", npy::write_archive(arrays)?)])
    }
}
