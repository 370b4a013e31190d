//! What an optimizer remembers, under names, so that it can be saved and restored.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Named numbers and vectors of an optimizer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OptimizerState {
    /// Single numbers, counts among them.
    pub scalars: BTreeMap<String, f64>,
    /// Vectors, most of them as long as θ.
    pub vectors: BTreeMap<String, Vec<f64>>,
}

impl OptimizerState {
    /// Adds a number.
    pub fn scalar(mut self, name: &str, value: f64) -> Self {
        self.scalars.insert(name.into(), value);
        self
    }

    /// Adds a vector.
    pub fn vector(mut self, name: &str, values: &[f64]) -> Self {
        self.vectors.insert(name.into(), values.to_vec());
        self
    }

    /// Whether there is a number of this name.
    pub fn has(&self, name: &str) -> bool {
        self.scalars.contains_key(name)
    }

    /// The number of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, name: &str) -> Result<f64> {
        self.scalars.get(name).copied().ok_or_else(|| missing("number", name))
    }

    /// The vector of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn get_vector(&self, name: &str) -> Result<Vec<f64>> {
        self.vectors.get(name).cloned().ok_or_else(|| missing("vector", name))
    }
}

fn missing(what: &str, name: &str) -> Error {
    Error::data(format!("the saved state has no {what} {name:?}; it belongs to another optimizer"))
}
