//! A model as JSON with arrays in Base64, for the script of a page to answer with; `model.js` is its reader.

use super::columns::InputColumn;
use super::{Report, mistakes};
use crate::export::{check_readable, numbers, page_document};
use crate::plan::{Numbers, Plan};
use crate::{Float, Model};
use ndarray::Axis;
use serde_json::{Value, json};

/// Bytes of numbers that a page carries at most.
const MOST: usize = 3_000_000;
/// Bytes of test samples that a page carries, to check its answers by and to try.
const CHECKED: usize = 400_000;
/// Test samples that a page carries at most.
const CHECKED_ROWS: usize = 1000;

/// The plan that a page answers by, or why it cannot.
pub(super) fn plan<F: Float>(model: &Model<F>) -> std::result::Result<Plan, String> {
    let Ok(plan) = model.plan() else {
        return Err("The model decides by codes, which the page cannot compute; use protea predict.".into());
    };
    if let Err(why) = check_readable(&plan) {
        return Err(format!("The page cannot answer: {why}; use protea predict."));
    }
    let reals = plan.arrays.iter().filter(|a| matches!(a.values, Numbers::Real(_)));
    let bytes = reals.map(|a| a.shape.iter().product::<usize>()).sum::<usize>() * size_of::<F>();
    if bytes <= MOST {
        return Ok(plan);
    }
    let mega = |b: usize| b as f64 / 1e6;
    let (has, most) = (mega(bytes), mega(MOST));
    Err(format!("The model has {has:.1} MB of numbers, and a page holds {most:.0} MB; use protea predict."))
}

/// Test samples that the page carries: every so many, and the errors that it lists.
fn carried<F: Float>(r: &Report<F>) -> Vec<usize> {
    let rows = (CHECKED / (r.test.dim() * size_of::<F>())).clamp(1, CHECKED_ROWS).min(r.test.len());
    let step = r.test.len() / rows;
    let mut chosen: Vec<usize> = (0..rows).map(|i| i * step).chain(mistakes::listed(r)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The model with some test samples and the answers to them.
pub(super) fn document<F: Float>(r: &Report<F>, plan: &Plan) -> Value {
    let chosen = carried(r);
    let x = r.test.x.select(Axis(0), &chosen);
    let of = |all: &[usize]| chosen.iter().map(|&i| all[i]).collect::<Vec<_>>();
    let ranges = r.ranges();
    let column = |c: &InputColumn| {
        let whole =
            c.levels.is_none() && r.test.x.column(c.features.start).iter().all(|v| v.fract() == F::zero());
        json!({ "name": c.name, "at": c.features.start, "levels": c.levels, "whole": whole })
    };
    let mut document = page_document(plan);
    let more = json!({
        "columns": if r.image.is_some() { Vec::new() } else { r.input_columns().iter().map(column).collect() },
        "image": r.image.map(|s| [s.width, s.height]),
        "low": ranges.iter().map(|r| r.0).collect::<Vec<_>>(),
        "high": ranges.iter().map(|r| r.1).collect::<Vec<_>>(),
        "check": {
            "row": chosen,
            "x": numbers(F::NAME, x.iter().map(|v| v.f64())),
            "answer": of(&r.answers.decided),
            "truth": of(&r.test.y),
        },
    });
    if let (Value::Object(document), Value::Object(more)) = (&mut document, more) {
        document.extend(more);
    }
    document
}
