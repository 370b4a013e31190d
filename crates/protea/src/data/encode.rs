//! One column of a file as features: what is learned of it in training, and how values become numbers.

use super::class_name;
use super::date::{Date, DateOrder, DatePart};
use super::decide::ColumnUse;
use super::number::{Spelling, number, parse_number};
use super::options::{Missing, Unknown};
use super::table::{ColumnView, Table};
use crate::{Error, Float, Result};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// One column of the training file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Number {
        /// Replaces missing values; without it they are refused.
        fill: Option<f64>,
        /// How they are spelled in text files.
        #[serde(default, skip_serializing_if = "Spelling::is_plain")]
        spelling: Spelling,
        /// Words of the training file that count as missing values; other words are refused.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blanks: Vec<String>,
    },
    /// Text, which becomes one feature for each level.
    Category {
        /// The values seen in training, sorted.
        levels: Vec<String>,
        /// Replaces missing values; without it they are refused.
        fill: Option<String>,
    },
    /// Dates, of which each part becomes a feature.
    Date {
        /// How they are spelled.
        order: DateOrder,
        /// The parts.
        parts: Vec<DatePart>,
        /// Replaces the parts of missing dates; without it they are refused.
        fill: Option<Vec<f64>>,
        /// Words of the training file that count as missing dates; other words are refused.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blanks: Vec<String>,
    },
}

/// What to do about row `i` that cannot be encoded: stop with the error, or note it and go on.
pub(super) type Fail<'a> = &'a mut dyn FnMut(usize, Error) -> Result<()>;

impl ColumnSpec {
    /// A column of numbers that has no missing values.
    pub fn number(name: impl Into<String>) -> Self {
        let kind = ColumnKind::Number { fill: None, spelling: Spelling::Plain, blanks: Vec::new() };
        ColumnSpec { name: name.into(), kind }
    }

    /// Number of features that the column becomes.
    pub fn width(&self) -> usize {
        match &self.kind {
            ColumnKind::Number { .. } => 1,
            ColumnKind::Category { levels, .. } => levels.len(),
            ColumnKind::Date { parts, .. } => parts.len(),
        }
    }

    /// Names of these features: `column`, `column=value` or `column.part`.
    pub fn feature_names(&self) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            ColumnKind::Number { .. } => vec![name.clone()],
            ColumnKind::Category { levels, .. } => levels.iter().map(|l| format!("{name}={l}")).collect(),
            ColumnKind::Date { parts, .. } => parts.iter().map(|p| format!("{name}.{}", p.name())).collect(),
        }
    }

    /// Learns column `j` of the training file, of which was decided what it becomes; `None` if it is no feature.
    pub(super) fn learn<F: Float>(
        table: &Table<F>,
        j: usize,
        becomes: &ColumnUse,
        missing: Missing,
    ) -> Result<Option<Self>> {
        let name = table.names[j].clone();
        let kind = match becomes {
            ColumnUse::Label | ColumnUse::Weight | ColumnUse::Dropped { .. } => return Ok(None),
            ColumnUse::Number { spelling } => {
                let values = numbers(table, j, spelling, missing)?;
                let blanks = words(table, j, |text| spelling.parse(text).is_some());
                let fill = fill(table, j, &values, missing)?;
                ColumnKind::Number { fill, spelling: spelling.clone(), blanks }
            }
            ColumnUse::Category { .. } => categories(table, j, missing)?,
            ColumnUse::Date { order, parts } => {
                let dates = date_values(table, j, *order);
                let part = |p: &DatePart| {
                    let values: Vec<f64> = dates.iter().map(|d| d.map_or(f64::NAN, |d| d.part(*p))).collect();
                    fill(table, j, &values, missing)
                };
                let fill = parts.iter().map(part).collect::<Result<Option<Vec<f64>>>>()?;
                let blanks = words(table, j, |text| Date::parse(text, *order).is_some());
                ColumnKind::Date { order: *order, parts: parts.clone(), fill, blanks }
            }
        };
        Ok(Some(ColumnSpec { name, kind }))
    }

    /// Writes column `j` of a table into the columns of `x` from `start` on, which are zero so far.
    pub(super) fn encode<F: Float>(
        &self,
        table: &Table<F>,
        j: usize,
        unknown: Unknown,
        (x, start): (&mut Array2<F>, usize),
        fail: Fail,
    ) -> Result<()> {
        match &self.kind {
            ColumnKind::Number { fill, spelling, blanks } => {
                for i in 0..table.rows() {
                    match self.value(table, (i, j), *fill, spelling, blanks) {
                        Ok(v) => x[[i, start]] = v,
                        Err(e) => fail(i, e)?,
                    }
                }
            }
            ColumnKind::Category { levels, fill } => {
                let index: HashMap<&str, usize> =
                    levels.iter().enumerate().map(|(k, l)| (l.as_str(), k)).collect();
                for i in 0..table.rows() {
                    let value = text(table, j, i);
                    match value.as_deref().or(fill.as_deref()) {
                        None => fail(i, is_missing(table, i, &self.name))?,
                        Some(value) => match index.get(value) {
                            Some(k) => x[[i, start + k]] = F::one(),
                            None if unknown == Unknown::Ignore => {}
                            None => fail(i, self.unseen(table, i, value, levels))?,
                        },
                    }
                }
            }
            ColumnKind::Date { order, parts, fill, blanks } => {
                for i in 0..table.rows() {
                    let written = text(table, j, i).filter(|t| !blanks.iter().any(|b| b == t));
                    let date = written.map(|t| Date::parse(&t, *order).ok_or(t)).transpose();
                    for (k, part) in parts.iter().enumerate() {
                        let v = match (&date, fill) {
                            (Ok(Some(date)), _) => date.part(*part),
                            (Ok(None), Some(fill)) => fill[k],
                            (Ok(None), None) => {
                                fail(i, is_missing(table, i, &self.name))?;
                                break;
                            }
                            (Err(text), _) => {
                                let problem =
                                    format!("expected a date as in the training file, found {text:?}");
                                fail(i, Error::cell(&table.source, table.line(i), &self.name, problem))?;
                                break;
                            }
                        };
                        x[[i, start + k]] = F::of(v);
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of a row and column, or what replaces it where it is missing.
    fn value<F: Float>(
        &self,
        table: &Table<F>,
        (i, j): (usize, usize),
        fill: Option<f64>,
        spelling: &Spelling,
        blanks: &[String],
    ) -> Result<F> {
        let text = match table.column(j) {
            ColumnView::Number(values) if !values[i].is_nan() => return Ok(values[i]),
            ColumnView::Number(_) => None,
            ColumnView::Text(levels, codes) => codes[i].map(|c| levels[c as usize].as_str()),
        };
        let Some(text) = text.filter(|t| !blanks.iter().any(|b| b == t)) else {
            return fill.map(F::of).ok_or_else(|| is_missing(table, i, &self.name));
        };
        let problem = |problem| Error::cell(&table.source, table.line(i), &self.name, problem);
        match spelling.parse(text).or_else(|| text.parse().ok()) {
            Some(v) => number(v).map_err(problem),
            None if Spelling::Comma.parse(text).is_some() => Err(problem(format!(
                "expected a number as in the training file, found {text:?}; name the decimal separator"
            ))),
            None => Err(problem(format!("expected a number, found {text:?}"))),
        }
    }

    fn unseen<F>(&self, table: &Table<F>, i: usize, value: &str, levels: &[String]) -> Error {
        let problem = format!("{value:?} was not seen in training; known are {}", few(levels));
        Error::cell(&table.source, table.line(i), &self.name, problem)
    }
}

/// The text of row `i`, or the name of its number.
fn text<F: Float>(table: &Table<F>, j: usize, i: usize) -> Option<std::borrow::Cow<'_, str>> {
    match table.column(j) {
        ColumnView::Text(levels, codes) => codes[i].map(|c| levels[c as usize].as_str().into()),
        ColumnView::Number(values) => Some(values[i]).filter(|v| !v.is_nan()).map(|v| class_name(v).into()),
    }
}

/// The numbers of a column, NaN where one is missing; a text that is no number is refused or counts as missing.
fn numbers<F: Float>(table: &Table<F>, j: usize, spelling: &Spelling, missing: Missing) -> Result<Vec<f64>> {
    match table.column(j) {
        ColumnView::Number(values) => Ok(values.iter().map(|v| v.f64()).collect()),
        ColumnView::Text(levels, codes) => {
            let value = |(i, code): (usize, &Option<u32>)| match code.map(|c| &levels[c as usize]) {
                None => Ok(f64::NAN),
                Some(text) => match spelling.parse(text) {
                    Some(v) => Ok(v),
                    None if missing != Missing::Reject => Ok(f64::NAN),
                    None => {
                        let found = format!("expected a number as in the other rows, found {text:?}");
                        let problem =
                            format!("{found}; correct it, or replace missing values by the mean or median");
                        Err(Error::cell(&table.source, table.line(i), &table.names[j], problem))
                    }
                },
            };
            codes.iter().enumerate().map(value).collect()
        }
    }
}

/// Texts of a column that say nothing that can be read, as in the file.
fn words<F: Float>(table: &Table<F>, j: usize, is_readable: impl Fn(&str) -> bool) -> Vec<String> {
    match table.column(j) {
        ColumnView::Number(_) => Vec::new(),
        ColumnView::Text(levels, _) => levels.iter().filter(|l| !is_readable(l)).cloned().collect(),
    }
}

fn date_values<F: Float>(table: &Table<F>, j: usize, order: DateOrder) -> Vec<Option<Date>> {
    (0..table.rows()).map(|i| text(table, j, i).and_then(|t| Date::parse(&t, order))).collect()
}

/// What replaces missing values of numbers, where NaN is one.
fn fill<F>(table: &Table<F>, j: usize, values: &[f64], missing: Missing) -> Result<Option<f64>> {
    match (missing, values.iter().position(|v| v.is_nan())) {
        (Missing::Reject | Missing::Drop, Some(i)) => Err(is_missing(table, i, &table.names[j])),
        (Missing::Reject | Missing::Drop, None) => Ok(None),
        (Missing::Mean, _) => Ok(Some(mean(values))),
        (Missing::Median, _) => Ok(Some(median(values))),
    }
}

/// The levels of a column, numbers by value and text by alphabet, and what replaces missing ones.
fn categories<F: Float>(table: &Table<F>, j: usize, missing: Missing) -> Result<ColumnKind> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for i in 0..table.rows() {
        match (text(table, j, i), missing) {
            (Some(t), _) => *counts.entry(t.into_owned()).or_default() += 1,
            (None, Missing::Reject | Missing::Drop) => return Err(is_missing(table, i, &table.names[j])),
            (None, _) => {}
        }
    }
    let mut used: Vec<(String, usize)> = counts.into_iter().collect();
    used.sort();
    // The most frequent value, the first by alphabet of several.
    let frequent = used.iter().rev().max_by_key(|(_, n)| *n).map(|(l, _)| l.clone());
    if matches!(table.column(j), ColumnView::Number(_)) {
        let value = |l: &str| parse_number(l).unwrap_or(f64::NAN);
        used.sort_by(|a, b| value(&a.0).total_cmp(&value(&b.0)));
    }
    let levels = used.into_iter().map(|(l, _)| l).collect();
    Ok(ColumnKind::Category {
        levels,
        fill: frequent.filter(|_| matches!(missing, Missing::Mean | Missing::Median)),
    })
}

/// The error about a missing value in row `i`.
pub(super) fn is_missing<F>(table: &Table<F>, i: usize, column: &str) -> Error {
    let problem =
        "the value is missing; fill it in, drop the row, or replace missing values by the mean or median";
    Error::cell(&table.source, table.line(i), column, problem)
}

/// A few of many names.
pub(super) fn few(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more =
        if names.len() > shown.len() { format!(" … ({} in all)", names.len()) } else { String::new() };
    shown.join(", ") + &more
}

fn mean(values: &[f64]) -> f64 {
    let present = values.iter().filter(|v| !v.is_nan());
    let (n, sum) = present.fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v));
    sum / n
}

/// The middle of the values that are not missing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() / 2 {
        _ if sorted.is_empty() => f64::NAN,
        half if sorted.len() % 2 == 1 => sorted[half],
        half => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{LabelSpec, Schema, SchemaOptions};
    use crate::io::{ReadOptions, read_bytes};
    use ndarray::array;

    fn table(text: &str) -> Table<f32> {
        read_bytes("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn learn(text: &str, missing: Missing) -> Result<Schema> {
        Schema::learn(&table(text), &SchemaOptions { missing, ..Default::default() })
    }

    #[test]
    fn missing_values_are_refused_or_filled() {
        let text = "a,t,class\n1,x,0\n2,y,1\n?,x,1\n9,?,0\n";
        let e = learn(text, Missing::Reject).unwrap_err().to_string();
        assert!(e.starts_with("x.csv, row 4, column a: the value is missing"), "{e}");
        let mean = learn(text, Missing::Mean).unwrap();
        let filled = mean.dataset(table(text)).unwrap();
        assert_eq!(filled.x, array![[1.0, 1.0, 0.0], [2.0, 0.0, 1.0], [4.0, 1.0, 0.0], [9.0, 1.0, 0.0]]);
        let median = learn(text, Missing::Median).unwrap();
        let kind = ColumnKind::Number { fill: Some(2.0), spelling: Spelling::Plain, blanks: Vec::new() };
        assert_eq!(median.columns[0].kind, kind);
    }

    #[test]
    fn values_of_later_files_must_be_known() {
        let schema = learn("a,t,class\n1,x,0\n2,y,1\n", Missing::Reject).unwrap();
        let e = |text| schema.features(table(text)).unwrap_err().to_string();
        assert_eq!(
            e("a,t\n1,x\n1,z\n"),
            "x.csv, row 3, column t: \"z\" was not seen in training; known are x, y"
        );
        assert_eq!(e("a,t\n1,x\nb,y\nb,y\n"), "x.csv, row 3, column a: expected a number, found \"b\"");
        assert_eq!(e("a,t\n1,7\n"), "x.csv, row 2, column t: \"7\" was not seen in training; known are x, y");
        let lenient = Schema { unknown: Unknown::Ignore, ..schema };
        assert_eq!(
            lenient.features(table("a,t\n1,x\n1,z\n")).unwrap().0,
            array![[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
        );
    }

    #[test]
    fn numbers_with_commas_and_dates_are_features() {
        let row =
            |i: usize| format!("{},{};{i}%;2026-{:02}-17;{}\n", i % 4, i % 10, i % 12 + 1, ["a", "b"][i % 2]);
        let text = format!("len;share;day;class\n{}", (0..30).map(row).collect::<String>());
        let schema = learn(&text, Missing::Reject).unwrap();
        assert_eq!(schema.feature_names(), ["len", "share", "day.month", "day.weekday"]);
        let (x, _) = schema.features(table("len;share;day\n1,5;7%;2026-11-18\n2;8;2026-11-19\n")).unwrap();
        assert_eq!(x, array![[1.5, 7.0, 11.0, 3.0], [2.0, 8.0, 11.0, 4.0]]);
        let e = schema.features(table("len;share;day\n1,5;7%;soon\n1,4;7%;later\n")).unwrap_err().to_string();
        assert_eq!(e, "x.csv, row 2, column day: expected a date as in the training file, found \"soon\"");
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }

    #[test]
    fn numbers_may_name_categories() {
        let text = "zone,v,class\n10,1,a\n9,2,b\n10,3,b\n";
        let options = SchemaOptions { categorical: vec!["zone".into()], ..Default::default() };
        let schema = Schema::learn(&table(text), &options).unwrap();
        assert_eq!(schema.feature_names(), ["zone=9", "zone=10", "v"]);
        assert_eq!(schema.dataset(table(text)).unwrap().x.row(0), array![0.0, 1.0, 1.0]);
        let e =
            Schema::learn(&table(text), &SchemaOptions { drop: vec!["zon".into()], ..Default::default() });
        let e = e.unwrap_err().to_string();
        assert_eq!(e, "x.csv: there is no column \"zon\" among zone, v, class; did you mean \"zone\"?");
    }

    #[test]
    fn a_mistake_among_numbers_is_not_a_category() {
        let row = |i: usize| format!("{},{}\n", if i == 17 { "1.2x".into() } else { i.to_string() }, i % 2);
        let rows: String = (0..40).chain(0..40).map(row).collect();
        let text = format!("a,class\n{rows}");
        let e = learn(&text, Missing::Reject).unwrap_err().to_string();
        let expected = "x.csv, row 19, column a: expected a number as in the other rows, found \"1.2x\"";
        assert!(e.starts_with(expected), "{e}");
        // Where missing values are filled, so is the mistake; later files may have it, but no other.
        let schema = learn(&text, Missing::Mean).unwrap();
        assert!(schema.dataset(table(&text)).is_ok());
        let e = schema.dataset(table("a,class\n1,0\nwide,1\n")).unwrap_err().to_string();
        assert_eq!(e, "x.csv, row 3, column a: expected a number, found \"wide\"");
        // Codes of which a few are words stay categories.
        let rows: String =
            (0..40).map(|i| format!("{},{}\n", ["1", "2", "3", "none"][i % 4], i % 2)).collect();
        assert!(learn(&format!("a,class\n{rows}"), Missing::Reject).is_ok());
    }

    #[test]
    fn a_label_that_measures_is_shown_as_it_was_written() {
        let t = table("a,b\n1,5.8\n2,5.9\n");
        let options = SchemaOptions { label: LabelSpec::Name("b".into()), ..Default::default() };
        let e = Schema::learn(&t, &options).unwrap_err().to_string();
        assert_eq!(
            e,
            "x.csv, row 2, column b: 5.8 looks like a measurement, not a class; name the label column"
        );
    }
}
