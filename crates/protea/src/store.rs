//! What a part of a model writes of itself, and is read back from: a tag, a few values, and named arrays.

use crate::{Error, Float, Result};
use ndarray::Array2;
use serde_json::{Map, Value};

/// A part of a model as its file keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<F> {
    /// Which kind of part.
    pub tag: String,
    /// Values by name.
    pub fields: Map<String, Value>,
    /// Arrays by name: shape and values, row-major.
    pub arrays: Vec<(String, Vec<usize>, Vec<F>)>,
}

impl<F: Float> Stored<F> {
    /// A part of this kind, still empty.
    pub fn new(tag: &str) -> Self {
        Stored { tag: tag.into(), fields: Map::new(), arrays: Vec::new() }
    }

    /// Adds a value.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// Adds a list of numbers.
    pub fn with_vector(mut self, name: &str, values: &[F]) -> Self {
        self.arrays.push((name.into(), vec![values.len()], values.to_vec()));
        self
    }

    /// Adds a matrix.
    pub fn with_matrix(mut self, name: &str, matrix: &Array2<F>) -> Self {
        self.arrays.push((name.into(), matrix.shape().to_vec(), matrix.iter().copied().collect()));
        self
    }

    /// A whole number by name.
    pub fn count(&self, name: &str) -> Result<usize> {
        let value = self.fields.get(name).and_then(Value::as_u64).and_then(|v| usize::try_from(v).ok());
        value.ok_or_else(|| self.lacks(name))
    }

    /// A number by name.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.fields.get(name).and_then(Value::as_f64).ok_or_else(|| self.lacks(name))
    }

    /// A list of numbers by name.
    pub fn vector(&self, name: &str) -> Result<Vec<F>> {
        let array = self.arrays.iter().find(|a| a.0 == name && a.1.len() == 1);
        array.map(|a| a.2.clone()).ok_or_else(|| self.lacks(name))
    }

    /// A matrix by name.
    pub fn matrix(&self, name: &str) -> Result<Array2<F>> {
        let array = self.arrays.iter().find(|a| a.0 == name && a.1.len() == 2);
        let (_, shape, values) = array.ok_or_else(|| self.lacks(name))?;
        Array2::from_shape_vec((shape[0], shape[1]), values.clone()).map_err(|_| self.lacks(name))
    }

    fn lacks(&self, name: &str) -> Error {
        Error::data(format!("the part {:?} of the model lacks {name}, or has it in another shape", self.tag))
    }
}
