//! Which column is the label, and which classes it names.

use super::number::parse_number;
use super::table::{ColumnView, Table};
use crate::error::typing_errors;
use crate::{Error, Float, Result};
use serde::Serialize;
use std::collections::BTreeSet;
use std::str::FromStr;

/// More classes than this are taken for a measurement.
const MAX_CLASSES: usize = 2000;

/// Column names that are taken for the label, whatever their case, the likeliest first.
const LABEL_NAMES: [&str; 12] = [
    "label",
    "labels",
    "target",
    "outcome",
    "survived",
    "diagnosis",
    "class",
    "classes",
    "y",
    "species",
    "category",
    "variety",
];

/// A column of at most so many different values may be a label.
const FEW_CLASSES: usize = 20;

/// Which column holds the label.
///
/// As text: `auto`, `first`, `last`, a position from 1 (negative from the end), or else a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LabelSpec {
    /// Labels that the file keeps apart, if it does; else the column named `label`, `class`, `target`, `y`,
    /// `species` … in any case; else the last column.
    #[default]
    Auto,
    /// The column of this name.
    Name(String),
    /// The column at this position, from 1; negative positions count from the end.
    Position(isize),
}

impl FromStr for LabelSpec {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        Ok(match s.trim() {
            "" | "0" => {
                return Err(Error::setting("label", s, "the name of a column, or its position from 1"));
            }
            "auto" => LabelSpec::Auto,
            "first" => LabelSpec::Position(1),
            "last" => LabelSpec::Position(-1),
            s => s.parse().map_or_else(|_| LabelSpec::Name(s.into()), LabelSpec::Position),
        })
    }
}

/// How the label was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelFrom {
    /// It was named.
    Given,
    /// By the name of its column.
    Name,
    /// The last column is taken where no name tells.
    Last,
    /// The file, or another one, keeps labels apart from the columns.
    Apart,
}

impl LabelSpec {
    /// The position of the label column from 0, `None` where the table keeps labels apart; and how it was found.
    pub(super) fn find<F>(&self, table: &Table<F>) -> Result<(Option<usize>, LabelFrom)> {
        let columns = table.columns();
        let (at, from) = match self {
            LabelSpec::Auto if table.labels.is_some() => return Ok((None, LabelFrom::Apart)),
            LabelSpec::Auto if table.labels_apart => {
                let problem = "has no labels; give them in a separate file";
                return Err(Error::file(&table.source, problem));
            }
            LabelSpec::Auto => match named_labels(table).first() {
                Some(&at) => (at, LabelFrom::Name),
                None => (last_column(table), LabelFrom::Last),
            },
            LabelSpec::Name(name) => {
                let at = table.names.iter().position(|n| n == name);
                let at = at.ok_or_else(|| Error::file(&table.source, no_column(name, &table.names)))?;
                (at, LabelFrom::Given)
            }
            &LabelSpec::Position(p) => {
                let at = if p > 0 { p.checked_sub(1) } else { p.checked_add_unsigned(columns) };
                let at = at.and_then(|a| usize::try_from(a).ok()).filter(|&a| a < columns && p != 0);
                let at = at.ok_or_else(|| {
                    Error::file(&table.source, format!("has {columns} columns, so none is at position {p}"))
                })?;
                (at, LabelFrom::Given)
            }
        };
        if columns == 1 {
            return Err(Error::file(
                &table.source,
                "has one column only: there is nothing to tell the classes by",
            ));
        }
        Ok((Some(at), from))
    }
}

/// The last column that is no index of the rows.
fn last_column<F>(table: &Table<F>) -> usize {
    (0..table.columns()).rev().find(|&j| !is_index(table, j)).unwrap_or(table.columns() - 1)
}

/// Whether a column is the index that pandas writes.
pub(super) fn is_index<F>(table: &Table<F>, j: usize) -> bool {
    let name = &table.names[j];
    name == "Unnamed: 0" || name.starts_with("__index_level_") || table.index_columns.contains(&j)
}

/// The columns whose names are those of labels, the likeliest first.
fn named_labels<F>(table: &Table<F>) -> Vec<usize> {
    if !table.named {
        return Vec::new();
    }
    let places = LABEL_NAMES.iter().flat_map(|&l| {
        table.names.iter().enumerate().filter(move |(_, n)| n.eq_ignore_ascii_case(l)).map(|(j, _)| j)
    });
    places.collect()
}

/// Other columns that could be meant where the one at `at` was taken for the label by its name: those with such names, and
/// the last column if it has few different values.
pub(super) fn other_labels<F: Float>(table: &Table<F>, at: usize) -> Vec<usize> {
    let mut others = named_labels(table);
    let last = last_column(table);
    let few = match table.column(last) {
        ColumnView::Text(levels, _) => (2..=FEW_CLASSES).contains(&levels.len()),
        ColumnView::Number(values) => {
            let mut seen: Vec<F> = Vec::new();
            let present = values.iter().filter(|v| !v.is_nan());
            let small = present.into_iter().all(|&v| {
                if !seen.contains(&v) {
                    seen.push(v);
                }
                v.fract() == F::zero() && seen.len() <= FEW_CLASSES
            });
            small && seen.len() >= 2
        }
    };
    // A label is seldom called `label` by accident.
    let sure = ["label", "labels", "target"].iter().any(|l| table.names[at].eq_ignore_ascii_case(l));
    if few && !sure && !others.contains(&last) {
        others.push(last);
    }
    others.retain(|&j| j != at);
    others
}

/// A sentence about a name that is not there: the closest one and a few others.
pub(super) fn no_column(name: &str, names: &[String]) -> String {
    let few: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more = if names.len() > few.len() { format!(" … ({} in all)", names.len()) } else { String::new() };
    let close = names.iter().map(|n| (typing_errors(&name.to_lowercase(), &n.to_lowercase()), n)).min();
    let close = close.filter(|(d, _)| *d <= name.chars().count().div_ceil(2));
    let close = close.map_or_else(String::new, |(_, n)| format!("; did you mean {n:?}?"));
    format!("there is no column {name:?} among {}{more}{close}", few.join(", "))
}

/// The class or category that a number names: integers without decimal point.
pub fn class_name<F: Float>(v: F) -> String {
    // Adding zero turns −0 into 0.
    format!("{}", v + F::zero())
}

/// Whether the names in the table's metadata are those of the classes in column `at`.
fn uses_names<F>(table: &Table<F>, at: Option<usize>) -> bool {
    let is_label = |j: usize| LABEL_NAMES.iter().any(|l| table.names[j].eq_ignore_ascii_case(l));
    let is_number = |j: usize| matches!(table.column(j), ColumnView::Number(_));
    at.is_some_and(|j| !table.class_names.is_empty() && is_label(j) && is_number(j))
}

/// The label of every row, `None` where it is missing; from the column `at`, or from the labels kept apart.
pub(super) fn row_labels<F: Float>(table: &Table<F>, at: Option<usize>) -> Result<Vec<Option<String>>> {
    let Some(j) = at else {
        return Ok(table.labels.iter().flatten().map(|l| Some(l.clone())).collect());
    };
    let by_index = uses_names(table, at);
    match table.column(j) {
        ColumnView::Text(levels, codes) => {
            Ok(codes.iter().map(|c| c.map(|c| levels[c as usize].clone())).collect())
        }
        ColumnView::Number(values) => {
            let name = |(i, &v): (usize, &F)| match v {
                v if v.is_nan() => Ok(None),
                v => number_label(v, by_index.then_some(&table.class_names[..]))
                    .map(Some)
                    .map_err(|problem| Error::cell(&table.source, table.line(i), &table.names[j], problem)),
            };
            values.iter().enumerate().map(name).collect()
        }
    }
}

/// The class named by a number: an index into `names`, or the integer itself.
fn number_label<F: Float>(v: F, names: Option<&[String]>) -> std::result::Result<String, String> {
    if v.fract() != F::zero() {
        return Err(format!("{v} looks like a measurement, not a class; name the label column"));
    }
    if v.f64().abs() >= 2.0 / F::EPS {
        return Err(format!("the class {v} has more digits than the element type holds; read it as f64"));
    }
    match names {
        None => Ok(class_name(v)),
        Some(names) => {
            let name = (v >= F::zero()).then(|| names.get(v.f64() as usize)).flatten();
            name.cloned().ok_or_else(|| {
                format!("{v} is not an index of the {} classes that the file names", names.len())
            })
        }
    }
}

/// The error about a row without label.
pub(super) fn no_label<F>(table: &Table<F>, at: Option<usize>, i: usize) -> Error {
    let column = at.map_or("label", |j| &table.names[j]);
    Error::cell(&table.source, table.line(i), column, "the label is missing; drop the row")
}

/// The classes of the labels: in the order of the file's own list, or numbers by value, or text by alphabet.
pub(super) fn classes<F>(table: &Table<F>, at: Option<usize>, labels: &[String]) -> Result<Vec<String>> {
    if uses_names(table, at) {
        return Ok(table.class_names.clone());
    }
    let distinct: BTreeSet<&String> = labels.iter().collect();
    // What is kept apart from the columns is not changed by naming a column.
    let advice = match at {
        Some(_) => "name the label column",
        None if table.columns() > 1 && !table.labels_apart => {
            "give other labels, or name a column of the table"
        }
        None => "give other labels",
    };
    if distinct.len() > MAX_CLASSES {
        let n = distinct.len();
        let what = at.map_or_else(|| "the labels have".into(), |j| format!("column {} has", table.names[j]));
        let problem = format!("{what} {n} different values, which looks like a measurement, not a class");
        let most = format!("there may be {MAX_CLASSES} classes");
        return Err(Error::file(&table.source, format!("{problem} ({most}); {advice}")));
    }
    let mut classes: Vec<String> = distinct.into_iter().cloned().collect();
    let values: Option<Vec<f64>> = classes.iter().map(|c| parse_number(c)).collect();
    if let Some(v) = values.iter().flatten().find(|v| v.fract() != 0.0) {
        return Err(Error::file(
            &table.source,
            format!("the label {v} looks like a measurement, not a class; {advice}"),
        ));
    }
    if let Some(values) = values {
        let mut order: Vec<(f64, String)> = values.into_iter().zip(classes).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        classes = order.into_iter().map(|(_, c)| c).collect();
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Body;
    use ndarray::Array2;

    fn table(names: &[&str]) -> Table<f32> {
        let x = Array2::zeros((2, names.len()));
        let names = names.iter().map(|n| n.to_string()).collect();
        Table { names, named: true, ..Table::new("x.csv", Body::Dense(x)) }
    }

    #[test]
    fn labels_are_found_by_name_or_place() {
        let t = table(&["id", "Species", "len"]);
        let at = |s: &str| {
            s.parse::<LabelSpec>().and_then(|l| l.find(&t)).map(|(at, _)| at).map_err(|e| e.to_string())
        };
        assert_eq!(at("auto"), Ok(Some(1)));
        assert_eq!(
            (at("first"), at("last"), at("-2"), at("3")),
            (Ok(Some(0)), Ok(Some(2)), Ok(Some(1)), Ok(Some(2)))
        );
        assert_eq!(
            at("lem"),
            Err("x.csv: there is no column \"lem\" among id, Species, len; did you mean \"len\"?".into())
        );
        assert_eq!(at("4"), Err("x.csv: has 3 columns, so none is at position 4".into()));
        assert!(at("0").is_err() && at("-4").is_err());
        assert_eq!(LabelSpec::Auto.find(&table(&["a", "b"])).unwrap(), (Some(1), LabelFrom::Last));
        // Of several columns that could be meant, one is taken and the others are known.
        let titanic = table(&["class", "age", "survived"]);
        assert_eq!(LabelSpec::Auto.find(&titanic).unwrap(), (Some(2), LabelFrom::Name));
        assert_eq!(other_labels(&titanic, 2), [0]);
    }

    #[test]
    fn the_advice_about_too_many_classes_is_one_that_helps() {
        let many: Vec<String> = (0..2001).map(|i| i.to_string()).collect();
        let e = |t: &Table<f32>, at| classes(t, at, &many).unwrap_err().to_string();
        let t = table(&["a", "b"]);
        let looks =
            "2001 different values, which looks like a measurement, not a class (there may be 2000 classes)";
        assert_eq!(e(&t, Some(1)), format!("x.csv: column b has {looks}; name the label column"));
        assert_eq!(
            e(&t, None),
            format!("x.csv: the labels have {looks}; give other labels, or name a column of the table")
        );
        let apart = Table { labels_apart: true, ..t };
        assert_eq!(e(&apart, None), format!("x.csv: the labels have {looks}; give other labels"));
    }

    #[test]
    fn numbers_order_by_value_and_text_by_alphabet() {
        let t = table(&["a", "b"]);
        let order = |labels: &[&str]| {
            classes(&t, Some(1), &labels.iter().map(|l| l.to_string()).collect::<Vec<_>>()).unwrap().join(" ")
        };
        assert_eq!(order(&["10", "9", "-1", "9"]), "-1 9 10");
        assert_eq!(order(&["b", "10", "9"]), "10 9 b");
        assert_eq!(
            (class_name(3.0), class_name(-0.0), class_name(0.1f32)),
            ("3".into(), "0".into(), "0.1".into())
        );
    }
}
