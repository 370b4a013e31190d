//! Numbers in fields of text: what is one, what is missing, what does not fit.

use crate::Float;

/// Rounds a value to the element type; NaN stands for a missing value and infinities are refused with a reason.
pub(crate) fn number<F: Float>(v: f64) -> std::result::Result<F, String> {
    let rounded = F::of(v);
    if rounded.is_infinite() {
        return Err(match v.is_finite() {
            true => format!("{v:e} is too large for {}; read it as f64", F::NAME),
            false => {
                format!("{v} is not a finite number; replace it, or leave the field empty if it is missing")
            }
        });
    }
    Ok(rounded)
}

/// What is accepted as a missing value in text formats.
pub(crate) fn is_missing(field: &str) -> bool {
    matches!(field, "" | "?" | "NA" | "N/A" | "n/a" | "NaN" | "nan" | "NAN" | "null" | "NULL" | "None")
}

/// The number that a field of text spells; `None` for anything else, and for the names of missing values.
pub(crate) fn parse_number(field: &str) -> Option<f64> {
    field.parse::<f64>().ok().filter(|v| !v.is_nan())
}
