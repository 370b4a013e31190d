//! Columns of the input that the output of `predict` has, too: their values as the file has them, not as the model reads them.

use crate::args::Predict;
use crate::parts::{Part, cell_text};
use anyhow::Result;
use ndarray::ArrayView2;
use protea::data::Written;
use protea::io::{Cell, ParquetType, WrittenColumns};
use protea::{Error, Float};
use serde_json::{Value, json};

/// Columns of the input for some rows.
#[derive(Default)]
pub struct Kept {
    /// Names of the columns.
    pub names: Vec<String>,
    /// For each row, the values of these columns.
    pub rows: Vec<Vec<KeptValue>>,
}

/// A value of the input.
pub enum KeptValue {
    /// A field of text, of which nobody says whether it is a number; empty where it is missing.
    Field(String),
    /// A value of a format that has types.
    Typed(Written),
}

impl Kept {
    /// The columns that are asked for.
    pub fn wanted(args: &Predict) -> WrittenColumns {
        match (args.append, args.keep.is_empty()) {
            (true, _) => WrittenColumns::All,
            (false, true) => WrittenColumns::None,
            (false, false) => WrittenColumns::Named(args.keep.clone()),
        }
    }

    /// Of rows of a file.
    pub fn of_part<F: Float>(part: &Part<F>, args: &Predict) -> Result<Self> {
        let table = &part.table;
        let columns = Self::columns(&table.names, &table.source, args)?;
        let value = |i: usize, j: usize| match (&part.fields, table.written.get(j), &part.wide) {
            (Some(fields), ..) => KeptValue::Field(fields[i].get(j).cloned().unwrap_or_default()),
            (None, Some(Some(values)), _) => KeptValue::Typed(values[i].clone()),
            (None, _, Some(wide)) => KeptValue::Field(cell_text(wide, i, j)),
            (None, _, None) => KeptValue::Field(cell_text(table, i, j)),
        };
        let row = |i: usize| columns.iter().map(|&j| value(i, j)).collect();
        Ok(Kept {
            names: columns.iter().map(|&j| table.names[j].clone()).collect(),
            rows: (0..table.rows()).map(row).collect(),
        })
    }

    /// Of rows of a data set.
    pub fn of_features<F: Float>(names: &[String], x: ArrayView2<F>, args: &Predict) -> Result<Self> {
        let columns = Self::columns(names, "the data set", args)?;
        let row =
            |r: ndarray::ArrayView1<F>| columns.iter().map(|&j| KeptValue::Field(r[j].to_string())).collect();
        let rows = x.rows().into_iter().map(row).collect();
        Ok(Kept { names: columns.iter().map(|&j| names[j].clone()).collect(), rows })
    }

    /// Positions of the columns: those that are named, or all.
    fn columns(names: &[String], source: &str, args: &Predict) -> Result<Vec<usize>> {
        if args.append {
            return Ok((0..names.len()).collect());
        }
        let place = |name: &String| {
            names.iter().position(|n| n == name).ok_or_else(|| {
                let known = names.join(", ");
                Error::file(source, format!("there is no column {name:?} to keep among {known}"))
            })
        };
        Ok(args.keep.iter().map(place).collect::<Result<_, _>>()?)
    }

    /// The type of each column in a Parquet file, by the values of these rows.
    pub fn types(&self) -> Vec<ParquetType> {
        (0..self.names.len()).map(|j| column_type(self.rows.iter().map(|r| &r[j]))).collect()
    }
}

/// Whole numbers, numbers or truth values where all values are, else text.
fn column_type<'a>(values: impl Iterator<Item = &'a KeptValue>) -> ParquetType {
    let all = values.filter_map(KeptValue::own_type).reduce(|a, b| match (a, b) {
        (a, b) if a == b => a,
        (ParquetType::Integer | ParquetType::Number, ParquetType::Integer | ParquetType::Number) => {
            ParquetType::Number
        }
        _ => ParquetType::Text,
    });
    all.unwrap_or(ParquetType::Text)
}

/// A number as one would write it: not one with leading zeros, which may be an identifier.
fn plain_number(text: &str) -> Option<f64> {
    serde_json::from_str::<f64>(text).ok().filter(|v| v.is_finite())
}

impl KeptValue {
    /// The type that holds the value; none for a missing one.
    fn own_type(&self) -> Option<ParquetType> {
        match self {
            KeptValue::Field(text) if text.is_empty() => None,
            KeptValue::Field(text) if serde_json::from_str::<i64>(text).is_ok() => Some(ParquetType::Integer),
            KeptValue::Field(text) if plain_number(text).is_some() => Some(ParquetType::Number),
            KeptValue::Typed(Written::Missing) => None,
            KeptValue::Typed(Written::Boolean(_)) => Some(ParquetType::Boolean),
            KeptValue::Typed(Written::Integer(v)) if i64::try_from(*v).is_ok() => Some(ParquetType::Integer),
            KeptValue::Typed(Written::Number(_)) => Some(ParquetType::Number),
            _ => Some(ParquetType::Text),
        }
    }

    /// As text; empty where it is missing.
    pub fn text(&self) -> String {
        match self {
            KeptValue::Field(text) | KeptValue::Typed(Written::Text(text)) => text.clone(),
            KeptValue::Typed(Written::Missing) => String::new(),
            KeptValue::Typed(Written::Boolean(v)) => v.to_string(),
            KeptValue::Typed(Written::Integer(v)) => v.to_string(),
            KeptValue::Typed(Written::Number(v)) if v.is_nan() => String::new(),
            KeptValue::Typed(Written::Number(v)) => v.to_string(),
        }
    }

    /// For a column of a Parquet file.
    pub fn cell(&self, of: ParquetType) -> Result<Cell> {
        let text = self.text();
        if text.is_empty() {
            return Ok(Cell::Missing);
        }
        let cell = match of {
            ParquetType::Text => Some(Cell::Text(text.clone())),
            ParquetType::Number => plain_number(&text).map(Cell::Number),
            ParquetType::Integer => text.parse().ok().map(Cell::Integer),
            ParquetType::Boolean => text.parse().ok().map(Cell::Boolean),
        };
        let words = if of == ParquetType::Integer { "whole numbers" } else { "numbers" };
        cell.ok_or_else(|| {
            let problem = format!(
                "{text:?} is kept in a column whose first rows are {words}, which a Parquet file cannot hold; write .csv or .jsonl"
            );
            Error::unsupported(problem).into()
        })
    }

    /// In JSON; a field is a number if it is written as one.
    pub fn json(&self) -> Value {
        match self {
            KeptValue::Field(text) => match plain_number(text) {
                Some(_) => serde_json::from_str(text).unwrap_or(Value::Null),
                None if text.is_empty() => Value::Null,
                None => json!(text),
            },
            KeptValue::Typed(Written::Missing) => Value::Null,
            KeptValue::Typed(Written::Text(text)) => json!(text),
            KeptValue::Typed(Written::Boolean(v)) => json!(v),
            KeptValue::Typed(Written::Integer(v)) => {
                serde_json::from_str(&v.to_string()).unwrap_or(Value::Null)
            }
            KeptValue::Typed(Written::Number(v)) => json!(v),
        }
    }
}
