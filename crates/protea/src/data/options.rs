//! [`SchemaOptions`]: what a user may say about how the columns of a training file become features.

use super::label::{LabelSpec, no_column};
use super::number::Decimal;
use super::table::Table;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What to do about missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse them, with file, row and column.
    #[default]
    Reject,
    /// Leave out training rows that lack a value or the label.
    Drop,
    /// Fill with the mean of the training file; text with its most frequent value.
    Mean,
    /// Fill with the median of the training file; text with its most frequent value.
    Median,
}

/// What to do about a category that the training file does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// Refuse it, with file, row and column.
    #[default]
    Error,
    /// None of the known categories: all their features are zero.
    Ignore,
}

impl Unknown {
    pub(super) fn is_error(&self) -> bool {
        *self == Unknown::Error
    }
}

/// How the columns of a training file become features; by default nothing is known but the file.
///
/// Columns are named as the file names them, or `f0, f1, …` where it does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    /// Which column holds the label.
    pub label: LabelSpec,
    /// What to do about missing values.
    pub missing: Missing,
    /// What to do about categories that later files add.
    pub unknown: Unknown,
    /// Columns that are not features.
    pub drop: Vec<String>,
    /// If not empty, the only columns that are features.
    pub only: Vec<String>,
    /// Columns of numbers that name categories.
    pub categorical: Vec<String>,
    /// A column with the weight of each row; it is not a feature.
    pub weight: Option<String>,
    /// What separates decimals in columns such as `5,1`; guessed when absent.
    pub decimal: Option<Decimal>,
    /// Whether every column is a feature, so that constants, row numbers and identifiers are not left out.
    pub keep_all: bool,
}

/// A list of columns by name, as a set of positions.
pub(super) fn positions<F>(table: &Table<F>, names: &[String]) -> Result<HashSet<usize>> {
    let index = table.by_name();
    let place = |name: &String| {
        let at = index.get(name.as_str()).copied();
        at.ok_or_else(|| Error::file(&table.source, no_column(name, &table.names)))
    };
    names.iter().map(place).collect()
}
