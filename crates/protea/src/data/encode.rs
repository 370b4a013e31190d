//! One column of a file as features: what is learned of it in training, and how values become numbers.

use super::class_name;
use super::number::number;
use super::table::{ColumnView, Table};
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// More values than this in a column of text are taken for an identifier.
const MAX_LEVELS: usize = 1000;

/// Up to so many values, all different, a column of text is still not taken for an identifier.
const MIN_DISTINCT: usize = 20;

/// From this share of numbers among its values on, a column of text is taken for numbers with a mistake in it.
const NUMERIC: f64 = 0.9;

/// What to do about missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse them, with file, row and column.
    #[default]
    Reject,
    /// Fill with the mean of the training file; text with its most frequent value.
    Mean,
    /// Fill with the median of the training file; text with its most frequent value.
    Median,
}

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
pub enum ColumnKind {
    /// Numbers.
    Number {
        /// Replaces missing values; without it they are refused.
        fill: Option<f64>,
    },
    /// Text, which becomes one feature for each level.
    Category {
        /// The values seen in training, sorted.
        levels: Vec<String>,
        /// Replaces missing values; without it they are refused.
        fill: Option<String>,
    },
}

impl ColumnKind {
    /// Number of features that the column becomes.
    pub(crate) fn width(&self) -> usize {
        match self {
            ColumnKind::Number { .. } => 1,
            ColumnKind::Category { levels, .. } => levels.len(),
        }
    }
}

impl ColumnSpec {
    /// Learns column `j` of the training file.
    pub(super) fn learn<F: Float>(table: &Table<F>, j: usize, missing: Missing) -> Result<Self> {
        let name = table.names[j].clone();
        let empty = || Error::file(&table.source, format!("column {name} has no values; drop it"));
        let kind = match table.column(j) {
            ColumnView::Number(values) => {
                let present = values.iter().filter(|v| !v.is_nan()).count();
                let absent = values.iter().position(|v| v.is_nan());
                match (absent, missing) {
                    _ if present == 0 => return Err(empty()),
                    (Some(i), Missing::Reject) => return Err(is_missing(table, i, &name)),
                    (None, Missing::Reject) => ColumnKind::Number { fill: None },
                    (_, Missing::Mean) => ColumnKind::Number { fill: Some(mean(values)) },
                    (_, Missing::Median) => ColumnKind::Number { fill: Some(median(values)) },
                }
            }
            ColumnView::Text(levels, codes) => {
                let mut counts = vec![0; levels.len()];
                codes.iter().flatten().for_each(|&c| counts[c as usize] += 1);
                let mut used: Vec<(&String, usize)> =
                    levels.iter().zip(counts).filter(|(_, n)| *n > 0).collect();
                used.sort();
                let all_distinct = used.len() > MIN_DISTINCT && used.iter().all(|(_, n)| *n == 1);
                if used.is_empty() {
                    return Err(empty());
                }
                let is_number = |text: &str| text.parse::<f64>().is_ok();
                let numbers = used.iter().filter(|(l, _)| is_number(l)).count();
                let wrong = |c: &Option<u32>| c.is_some_and(|c| !is_number(&levels[c as usize]));
                let mostly_numbers =
                    used.len() > MIN_DISTINCT && numbers as f64 >= NUMERIC * used.len() as f64;
                if let Some(i) = codes.iter().position(wrong).filter(|_| mostly_numbers) {
                    let text = codes[i].map_or("", |c| &levels[c as usize]);
                    let problem = format!("expected a number as in the other rows, found {text:?}");
                    return Err(Error::cell(&table.source, table.line(i), &name, problem));
                }
                if used.len() > MAX_LEVELS || all_distinct {
                    let (n, example) = (used.len(), used[0].0);
                    let what = format!("holds {n} different texts such as {example:?}");
                    let problem = format!("column {name} {what}, which looks like an identifier; drop it");
                    return Err(Error::file(&table.source, problem));
                }
                let absent = codes.iter().position(Option::is_none);
                if let (Some(i), Missing::Reject) = (absent, missing) {
                    return Err(is_missing(table, i, &name));
                }
                // The most frequent value, the first by alphabet of several.
                let frequent = used.iter().rev().max_by_key(|(_, n)| *n).map(|(l, _)| l.to_string());
                let levels = used.into_iter().map(|(l, _)| l.clone()).collect();
                ColumnKind::Category { levels, fill: frequent.filter(|_| missing != Missing::Reject) }
            }
        };
        Ok(ColumnSpec { name, kind })
    }

    /// Writes column `j` of a table into the columns of `x` from `start` on, which are zero so far.
    pub(super) fn encode<F: Float>(
        &self,
        table: &Table<F>,
        j: usize,
        x: &mut Array2<F>,
        start: usize,
    ) -> Result<()> {
        match &self.kind {
            ColumnKind::Number { fill } => {
                let absent = |i: usize| fill.map(F::of).ok_or_else(|| is_missing(table, i, &self.name));
                match table.column(j) {
                    ColumnView::Number(values) => {
                        for (i, &v) in values.iter().enumerate() {
                            x[[i, start]] = if v.is_nan() { absent(i)? } else { v };
                        }
                    }
                    ColumnView::Text(levels, codes) => {
                        for (i, code) in codes.iter().enumerate() {
                            x[[i, start]] = match code {
                                None => absent(i)?,
                                Some(c) => self.parse(table, i, &levels[*c as usize])?,
                            };
                        }
                    }
                }
            }
            ColumnKind::Category { levels, fill } => {
                let index: HashMap<&str, usize> =
                    levels.iter().enumerate().map(|(k, l)| (l.as_str(), k)).collect();
                let mut mark = |i: usize, value: Option<&str>| {
                    let value = value.or(fill.as_deref()).ok_or_else(|| is_missing(table, i, &self.name))?;
                    let Some(k) = index.get(value) else {
                        let problem =
                            format!("{value:?} was not seen in training; known are {}", few(levels));
                        return Err(Error::cell(&table.source, table.line(i), &self.name, problem));
                    };
                    x[[i, start + k]] = F::one();
                    Ok(())
                };
                match table.column(j) {
                    ColumnView::Text(levels, codes) => {
                        for (i, code) in codes.iter().enumerate() {
                            mark(i, code.map(|c| levels[c as usize].as_str()))?;
                        }
                    }
                    ColumnView::Number(values) => {
                        for (i, v) in values.iter().enumerate() {
                            let value = Some(v.f64()).filter(|v| !v.is_nan()).map(class_name);
                            mark(i, value.as_deref())?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A number in a column that has text elsewhere.
    fn parse<F: Float>(&self, table: &Table<F>, i: usize, text: &str) -> Result<F> {
        let problem = || format!("expected a number, found {text:?}");
        let value = text.parse::<f64>().map_err(|_| problem()).and_then(number);
        value.map_err(|problem| Error::cell(&table.source, table.line(i), &self.name, problem))
    }
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

fn mean<F: Float>(values: ArrayView1<F>) -> f64 {
    let present = values.iter().filter(|v| !v.is_nan());
    let (n, sum) = present.fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v.f64()));
    sum / n
}

fn median<F: Float>(values: ArrayView1<F>) -> f64 {
    let mut sorted: Vec<f64> = values.iter().filter(|v| !v.is_nan()).map(|v| v.f64()).collect();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{LabelSpec, Schema};
    use crate::io::{ReadOptions, read_bytes};
    use ndarray::array;

    fn table(text: &str) -> Table<f32> {
        read_bytes("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    fn learn(text: &str, missing: Missing) -> Result<Schema> {
        Schema::learn(&table(text), &LabelSpec::Auto, missing)
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
        assert_eq!(median.columns[0].kind, ColumnKind::Number { fill: Some(2.0) });
        let e = learn("a,b,class\n1,,0\n2,,1\n", Missing::Mean).unwrap_err().to_string();
        assert_eq!(e, "x.csv: column b has no values; drop it");
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
    }

    #[test]
    fn identifiers_are_refused() {
        let rows: String = (0..30).map(|i| format!("id{i},{i},{}\n", i % 2)).collect();
        let e = learn(&format!("id,a,class\n{rows}"), Missing::Reject).unwrap_err().to_string();
        let expected = "x.csv: column id holds 30 different texts such as \"id0\", which looks like an identifier; drop it";
        assert_eq!(e, expected);
    }

    #[test]
    fn a_mistake_among_numbers_is_not_a_category() {
        let row = |i: usize| format!("{},{}\n", if i == 17 { "1.2x".into() } else { i.to_string() }, i % 2);
        let rows: String = (0..40).chain(0..40).map(row).collect();
        let e = learn(&format!("a,class\n{rows}"), Missing::Reject).unwrap_err().to_string();
        assert_eq!(e, "x.csv, row 19, column a: expected a number as in the other rows, found \"1.2x\"");
        // Codes of which a few are words stay categories.
        let rows: String =
            (0..40).map(|i| format!("{},{}\n", ["1", "2", "3", "none"][i % 4], i % 2)).collect();
        assert!(learn(&format!("a,class\n{rows}"), Missing::Reject).is_ok());
    }
}
