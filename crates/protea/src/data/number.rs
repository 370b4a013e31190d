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

/// Whether a whole number has more digits than the element type holds.
pub(crate) fn is_rounded<F: Float>(v: f64) -> bool {
    // Beyond 2⁵³ nobody knows whether a number was rounded before.
    v.fract() == 0.0 && v.is_finite() && (F::of(v).f64() != v || v.abs() > 9_007_199_254_740_992.0)
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// `$1.4` or `0.2 cm`, with the same currency before or unit after every number
    Unit {
        /// What stands before each number.
        prefix: String,
        /// What stands after it.
        suffix: String,
        /// How the number itself is spelled.
        number: Box<Spelling>,
    },
}

impl Spelling {
    /// Whether numbers are spelled as usual; such columns need no mark in model files.
    pub(super) fn is_plain(&self) -> bool {
        *self == Spelling::Plain
    }

    /// The number that a field spells in this way, or plainly.
    pub(crate) fn parse(&self, field: &str) -> Option<f64> {
        match self {
            Spelling::Plain => parse_number(field),
            Spelling::Percent => parse_number(field.strip_suffix('%').unwrap_or(field).trim_end()),
            Spelling::Thousands => grouped(field, ',', '.').or_else(|| parse_number(field)),
            Spelling::Comma => {
                grouped(field, '.', ',').or_else(|| parse_number(&field.replacen(',', ".", 1)))
            }
            Spelling::Unit { prefix, suffix, number } => {
                let bare = strip_unit(field, prefix, suffix);
                bare.and_then(|b| number.parse(b)).or_else(|| parse_number(field))
            }
        }
    }

    /// What is special about a spelling, in words; nothing about the plain one.
    pub fn words(&self) -> Option<String> {
        match self {
            Spelling::Plain => None,
            Spelling::Comma => Some("decimal comma".into()),
            Spelling::Thousands => Some("commas between thousands".into()),
            Spelling::Percent => Some("percent".into()),
            Spelling::Unit { prefix, suffix, number } => {
                let more = number.words().map_or(String::new(), |w| format!(", {w}"));
                Some(format!("in {}{more}", if suffix.is_empty() { prefix } else { suffix }))
            }
        }
    }
}

/// Currencies that stand before a number.
const CURRENCIES: [&str; 13] = ["US$", "$", "€", "£", "¥", "₹", "₩", "₽", "USD", "EUR", "GBP", "CHF", "JPY"];

/// A unit has at most so many characters.
const LONGEST_UNIT: usize = 8;

/// The currency before a number or the unit after it; `None` where there is neither, or both.
fn unit(field: &str) -> Option<(&str, &str)> {
    let prefix = CURRENCIES.iter().find(|c| field.starts_with(**c)).copied().unwrap_or("");
    let end = field.rfind(|c: char| c.is_ascii_digit())? + 1;
    let suffix = field[end..].trim_start_matches(['.', ',']).trim_start();
    let number = field[prefix.len()..].trim_start().trim_start_matches(['-', '+']);
    let begins = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // A percent has a spelling of its own.
    let ends = suffix != "%" && suffix.chars().count() <= LONGEST_UNIT && !suffix.contains(['-', ':']);
    (begins && ends && prefix.is_empty() != suffix.is_empty()).then_some((prefix, suffix))
}

/// The number between a currency and a unit.
fn strip_unit<'a>(field: &'a str, prefix: &str, suffix: &str) -> Option<&'a str> {
    Some(field.strip_prefix(prefix)?.strip_suffix(suffix)?.trim())
}

/// Whether a field is a number in any spelling.
pub(crate) fn looks_numeric(field: &str) -> bool {
    parse_number(field).is_some()
        || [Spelling::Comma, Spelling::Thousands, Spelling::Percent].iter().any(|s| s.parse(field).is_some())
        || unit(field).is_some_and(|(prefix, suffix)| {
            strip_unit(field, prefix, suffix).is_some_and(|bare| unit(bare).is_none() && looks_numeric(bare))
        })
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
        (false, false, _) => spelled_units(texts, decimal),
    }
}

/// How texts spell numbers that all have the same currency or unit.
fn spelled_units<'a>(texts: impl Iterator<Item = &'a str> + Clone, decimal: Option<Decimal>) -> Spelled {
    let Some((prefix, suffix)) = texts.clone().next().and_then(unit) else { return Spelled::Not };
    let Some(bare) = texts.map(|t| strip_unit(t, prefix, suffix)).collect::<Option<Vec<&str>>>() else {
        return Spelled::Not;
    };
    let number = match bare.iter().all(|b| parse_number(b).is_some()) {
        true => Spelling::Plain,
        // A unit inside a unit is none.
        false if bare.iter().any(|b| unit(b).is_some()) => return Spelled::Not,
        false => match spelled(bare.iter().copied(), decimal) {
            Spelled::As(spelling) => spelling,
            other => return other,
        },
    };
    Spelled::As(Spelling::Unit { prefix: prefix.into(), suffix: suffix.into(), number: Box::new(number) })
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

    #[test]
    fn currencies_and_units_are_left_out() {
        let of = |texts: &[&str]| spelled(texts.iter().copied(), None);
        let unit = |prefix: &str, suffix: &str, number| {
            let (prefix, suffix) = (prefix.into(), suffix.into());
            Spelled::As(Spelling::Unit { prefix, suffix, number: Box::new(number) })
        };
        assert_eq!(of(&["$1.4", "$20"]), unit("$", "", Spelling::Plain));
        assert_eq!(of(&["$1,400.50", "$20"]), unit("$", "", Spelling::Thousands));
        assert_eq!(of(&["0.2 cm", "11 cm", "3cm"]), unit("", "cm", Spelling::Plain));
        assert_eq!(of(&["1,4 €", "20,0 €"]), unit("", "€", Spelling::Comma));
        // Other units, codes, clock times and what is half a number.
        for texts in [["2 cm", "3 mm"], ["A1", "A2"], ["10:30", "11:30"], ["2", "5more"], ["$x", "$y"]] {
            assert_eq!(of(&texts), Spelled::Not, "{texts:?}");
        }
        let Spelled::As(cm) = of(&["0.2 cm", "11 cm"]) else { panic!("no unit") };
        assert_eq!((cm.parse("7 cm"), cm.parse("7"), cm.parse("7 mm")), (Some(7.0), Some(7.0), None));
        assert_eq!(cm.words().as_deref(), Some("in cm"));
        let json = serde_json::to_string(&cm).unwrap();
        assert_eq!(serde_json::from_str::<Spelling>(&json).unwrap(), cm);
        assert!(looks_numeric("$1.4") && looks_numeric("0.2 cm") && !looks_numeric("cm"));
    }
}
