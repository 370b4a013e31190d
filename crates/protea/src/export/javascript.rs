//! JavaScript: one ES module for browsers and Node, without dependencies, and its types.
//!
//! `model.js` reads a plan as JSON with arrays in Base64. The page of a report embeds the same script.

use super::{Export, ExportOptions, File, refused};
use crate::Result;
use crate::plan::{Numbers, Op, Plan, PlanArray};
use serde_json::{Value, json};

/// The format `js`.
pub(super) struct JavaScript;

/// The script that answers by a plan.
pub(crate) const READER: &str = include_str!("model.js");

impl Export for JavaScript {
    fn name(&self) -> &'static str {
        "js"
    }

    fn about(&self) -> &'static str {
        "ES module for browsers and Node, with TypeScript types next to it"
    }

    fn write(&self, plan: &Plan, _: &ExportOptions) -> Result<Vec<File>> {
        check_readable(plan)?;
        let text = format!("{READER}\nconst model = readModel({});\n\n{INTERFACE}", page_document(plan));
        Ok(vec![File::new("js", text), File::new("d.ts", include_str!("model.d.ts"))])
    }
}

/// What a module exports besides the reader.
const INTERFACE: &str = r#"// Names of the features, in the order of a row, and of the classes.
export const features = model.doc.features, classes = model.doc.classes;
// Index of the class of a row of numbers.
export const predictIndex = row => model.classify(row);
// Name of the class of a row of numbers.
export const predict = row => classes[model.classify(row)];
// Probability of each class of a row of numbers.
export const probabilities = row => model.probabilities(row);
// The answer with the nearest prototype, its rival, and what each feature adds.
export const explain = row => model.explain(row);
"#;

/// Refuses a plan that the script cannot read.
pub(crate) fn check_readable(plan: &Plan) -> Result<()> {
    let is_known = |op: &Op| {
        matches!(
            op,
            Op::Scale { .. }
                | Op::Affine { .. }
                | Op::PiecewiseLinear { .. }
                | Op::SmoothClip { .. }
                | Op::Unit
                | Op::Deskew { .. }
                | Op::Hog { .. }
                | Op::Distance { .. }
                | Op::MatrixDistance { .. }
                | Op::Vote { .. }
                | Op::Largest
                | Op::Least { .. }
                | Op::SoftLeast { .. }
                | Op::Code { .. }
                | Op::Weigh { .. }
                | Op::Product { .. }
                | Op::InverseLog
                | Op::Multiply { .. }
        )
    };
    let unknown = plan.ops.iter().find(|op| !is_known(op));
    unknown.map_or(Ok(()), |op| Err(refused(op, "the JavaScript module")))
}

/// A plan as the script reads it.
pub(crate) fn page_document(plan: &Plan) -> Value {
    let array = |array: &PlanArray| match &array.values {
        Numbers::Real(values) => json!(numbers(plan.precision, values.iter().copied())),
        Numbers::Whole(values) => json!(values),
        Numbers::Rounded(_, values) => json!(values),
    };
    json!({
        "type": plan.precision,
        "classes": plan.classes,
        "features": plan.features,
        "plan": { "arrays": plan.arrays.iter().map(array).collect::<Vec<_>>(), "ops": plan.ops },
    })
}

/// Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, &b| w << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { digit as char } else { '=' });
        }
    }
    text
}

/// Numbers of type `f32` or `f64`, little-endian, in Base64.
pub(crate) fn numbers(precision: &str, values: impl IntoIterator<Item = f64>) -> String {
    let mut bytes = Vec::new();
    for v in values {
        match precision {
            "f64" => bytes.extend_from_slice(&v.to_le_bytes()),
            _ => bytes.extend_from_slice(&(v as f32).to_le_bytes()),
        }
    }
    base64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(numbers("f32", [1.0]), base64(&[0, 0, 128, 63]));
    }
}
