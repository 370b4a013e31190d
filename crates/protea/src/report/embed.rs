//! A model as JSON with arrays in Base64, for the script of a page to answer with; `model.js` is its reader.

use super::Report;
use super::encode::numbers;
use crate::metric::Form;
use crate::model::{Head, Rule};
use crate::represent::Step;
use crate::settings::SettingValue;
use crate::{Float, Model};
use ndarray::Axis;
use serde_json::{Value, json};

/// Bytes of numbers that a page carries at most.
const MOST: usize = 3_000_000;
/// Bytes of test samples that a page carries, to check its answers by and to try.
const CHECKED: usize = 400_000;
/// Test samples that a page carries at most.
const CHECKED_ROWS: usize = 1000;

/// Why a page cannot answer with this model; none if it can.
pub(super) fn refused<F: Float>(model: &Model<F>) -> Option<String> {
    let step = |s: &Step<F>| match s {
        Step::Linear(s) => 2 * s.matrix.len(),
        _ => 0,
    };
    let values = model.prototypes().x.len()
        + model.metric().values().count()
        + model.pipeline().steps.iter().map(step).sum::<usize>();
    let bytes = values * size_of::<F>();
    if model.rule() == Rule::Code {
        return Some("The model decides by codes, which the page cannot compute; use protea predict.".into());
    }
    if matches!(model.head(), Some(Head::Ensemble { .. })) {
        return Some("The model is an ensemble, which the page cannot compute; use protea predict.".into());
    }
    if model.pipeline().steps.iter().any(|s| matches!(s, Step::Hog(_))) {
        return Some(
            "The model looks at edges of images, which the page cannot compute; use protea predict.".into(),
        );
    }
    (bytes > MOST).then(|| {
        let mega = |b: usize| b as f64 / 1e6;
        let (has, most) = (mega(bytes), mega(MOST));
        format!("The model has {has:.1} MB of numbers, and a page holds {most:.0} MB; use protea predict.")
    })
}

/// The model with some test samples and the answers to them.
pub(super) fn document<F: Float>(r: &Report<F>) -> Value {
    let model = r.model;
    let rows = (CHECKED / (r.test.dim() * size_of::<F>())).clamp(1, CHECKED_ROWS).min(r.test.len());
    let step = r.test.len() / rows;
    let chosen: Vec<usize> = (0..rows).map(|i| i * step).collect();
    let x = r.test.x.select(Axis(0), &chosen);
    let of = |all: &[usize]| chosen.iter().map(|&i| all[i]).collect::<Vec<_>>();
    let ranges = r.ranges();
    json!({
        "type": F::NAME,
        "classes": model.classes(),
        "features": model.features(),
        "labels": model.prototypes().y,
        "dim": model.prototypes().x.ncols(),
        "prototypes": numbers(model.prototypes().x.iter().copied()),
        "steps": model.pipeline().steps.iter().map(step_document).collect::<Vec<_>>(),
        "metric": metric(model.metric()),
        "rule": model.rule().show(),
        "posterior": model.posterior().show(),
        "gamma": model.gamma(),
        "head": model.head().and_then(head),
        "image": r.image.map(|s| [s.width, s.height]),
        "low": ranges.iter().map(|r| r.0).collect::<Vec<_>>(),
        "high": ranges.iter().map(|r| r.1).collect::<Vec<_>>(),
        "check": { "row": chosen, "x": numbers(x.iter().copied()), "answer": of(&r.answers.decided), "truth": of(&r.test.y) },
    })
}

fn step_document<F: Float>(step: &Step<F>) -> Value {
    match step {
        Step::Deskew(s) => {
            json!({ "kind": "deskew", "width": s.size.width, "height": s.size.height, "background": s.background })
        }
        Step::Scale(s) => {
            json!({ "kind": "scale", "centre": numbers(s.centre.iter().copied()), "factor": numbers(s.factor.iter().copied()) })
        }
        Step::Linear(s) => json!({ "kind": "linear", "centre": numbers(s.centre.iter().copied()),
            "matrix": numbers(s.matrix.iter().copied()), "inverse": numbers(s.inverse.iter().copied()) }),
        Step::Unit => json!({ "kind": "unit" }),
        // Refused before.
        Step::Hog(_) => Value::Null,
    }
}

fn metric<F: Float>(form: &Form<F>) -> Value {
    let mut document = json!({ "kind": form.kind().show(), "values": numbers(form.values()) });
    if let Form::LocalLinear { groups, .. } = form {
        document["ends"] = json!(groups.iter().map(|g| g.end).collect::<Vec<_>>());
    }
    document
}

fn head<F: Float>(head: &Head<F>) -> Option<Value> {
    let values = |v: &[F]| v.iter().map(|v| v.f64()).collect::<Vec<_>>();
    match head {
        Head::Affine { weights, biases } => {
            Some(json!({ "weights": values(weights), "biases": values(biases) }))
        }
        Head::Members { ends, biases } => Some(json!({ "ends": ends, "biases": values(biases) })),
        Head::Ensemble { .. } => None,
    }
}
