//! Numbers in fields of text: what is one, how it is spelled, what is missing, what does not fit.

use crate::Float;
use serde::{Deserialize, Serialize};

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

/// Which character separates the decimals of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// `1234.5`, perhaps with commas between thousands.
    Point,
    /// `1234,5`, perhaps with points between thousands.
    Comma,
}

/// How the numbers of a column are spelled in text files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spelling {
    /// `1234.5`
    #[default]
    Plain,
    /// `1234,5`, perhaps with points between thousands
    Comma,
    /// `1,234.5`
    Thousands,
    /// `51%` or `51 %`
    Percent,
}

impl Spelling {
    /// Whether numbers are spelled as usual; such columns need no mark in model files.
    pub(super) fn is_plain(&self) -> bool {
        *self == Spelling::Plain
    }

    /// The number that a field spells in this way, or plainly.
    pub(crate) fn parse(self, field: &str) -> Option<f64> {
        match self {
            Spelling::Plain => parse_number(field),
            Spelling::Percent => parse_number(field.strip_suffix('%').unwrap_or(field).trim_end()),
            Spelling::Thousands => grouped(field, ',', '.').or_else(|| parse_number(field)),
            Spelling::Comma => {
                grouped(field, '.', ',').or_else(|| parse_number(&field.replacen(',', ".", 1)))
            }
        }
    }

    /// What is special about a spelling, in words; nothing about the plain one.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Spelling::Plain => None,
            Spelling::Comma => Some("decimal comma"),
            Spelling::Thousands => Some("commas between thousands"),
            Spelling::Percent => Some("percent"),
        }
    }
}

/// Whether a field is a number in any spelling.
pub(crate) fn looks_numeric(field: &str) -> bool {
    parse_number(field).is_some()
        || [Spelling::Comma, Spelling::Thousands, Spelling::Percent].iter().any(|s| s.parse(field).is_some())
}

/// A number with `separator` before each group of three digits: `1,234` or `1,234.5`.
fn grouped(field: &str, separator: char, point: char) -> Option<f64> {
    let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
    let (whole, fraction) = digits.split_once(point).unwrap_or((digits, ""));
    let mut groups = whole.split(separator);
    let all_digits = |g: &str| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().filter(|g| g.len() <= 3 && all_digits(g))?;
    let rest: Vec<&str> = groups.collect();
    let sound = !rest.is_empty()
        && rest.iter().all(|g| g.len() == 3 && all_digits(g))
        && (fraction.is_empty() || all_digits(fraction));
    let sign = if field.starts_with('-') { "-" } else { "" };
    sound.then(|| format!("{sign}{first}{}.{fraction}0", rest.concat()).parse().ok()).flatten()
}

/// What the texts of a column say about how its numbers are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelled {
    /// They are not all numbers, or all spelled plainly and still meant as text.
    Not,
    /// All are numbers in this spelling.
    As(Spelling),
    /// All are numbers such as `5,100`, where the comma may separate decimals or thousands.
    Ambiguous,
}

/// How the different texts of a column spell numbers, if all of them do and at least one not plainly.
pub(super) fn spelled<'a>(texts: impl Iterator<Item = &'a str> + Clone, decimal: Option<Decimal>) -> Spelled {
    let all = |s: Spelling| texts.clone().all(|t| s.parse(t).is_some());
    if all(Spelling::Plain) {
        return Spelled::Not;
    }
    if all(Spelling::Percent) {
        return Spelled::As(Spelling::Percent);
    }
    let (comma, thousands) = (all(Spelling::Comma), all(Spelling::Thousands));
    // Two groups, or decimals after a group, can only be thousands; `5,1` can only be a decimal comma.
    match (comma, thousands, decimal) {
        (true, _, Some(Decimal::Comma)) => Spelled::As(Spelling::Comma),
        (_, true, Some(Decimal::Point)) => Spelled::As(Spelling::Thousands),
        (true, true, _) => Spelled::Ambiguous,
        (true, false, _) => Spelled::As(Spelling::Comma),
        (false, true, _) => Spelled::As(Spelling::Thousands),
        (false, false, _) => Spelled::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_spelled() {
        let parse = |s: Spelling, t: &str| s.parse(t);
        assert_eq!(parse(Spelling::Comma, "5,1"), Some(5.1));
        assert_eq!(parse(Spelling::Comma, "-1.234,5"), Some(-1234.5));
        assert_eq!(parse(Spelling::Comma, "7"), Some(7.0));
        assert_eq!(parse(Spelling::Comma, "1,2,3"), None);
        assert_eq!(parse(Spelling::Thousands, "1,234,567.25"), Some(1_234_567.25));
        assert_eq!(parse(Spelling::Thousands, "999"), Some(999.0));
        assert_eq!(parse(Spelling::Thousands, "5,1"), None);
        assert_eq!(parse(Spelling::Percent, "51 %"), Some(51.0));
        assert_eq!(parse(Spelling::Percent, "%"), None);
        assert!(
            looks_numeric("5,1")
                && looks_numeric("51%")
                && !looks_numeric("a")
                && !looks_numeric("2026-01-02")
        );
    }

    #[test]
    fn the_spelling_of_a_column_is_told_by_all_its_texts() {
        let of = |texts: &[&str], decimal| spelled(texts.iter().copied(), decimal);
        assert_eq!(of(&["5,1", "4,9", "5"], None), Spelled::As(Spelling::Comma));
        assert_eq!(of(&["5,100", "12,000"], None), Spelled::Ambiguous);
        assert_eq!(of(&["5,100", "12,000"], Some(Decimal::Comma)), Spelled::As(Spelling::Comma));
        assert_eq!(of(&["5,100", "12,000"], Some(Decimal::Point)), Spelled::As(Spelling::Thousands));
        assert_eq!(of(&["5,100", "1,200,300"], None), Spelled::As(Spelling::Thousands));
        assert_eq!(of(&["5,100.5", "999"], None), Spelled::As(Spelling::Thousands));
        assert_eq!(of(&["51%", "3 %", "7"], None), Spelled::As(Spelling::Percent));
        assert_eq!(of(&["5,1", "red"], None), Spelled::Not);
        assert_eq!(of(&["5", "7"], None), Spelled::Not);
    }
}
