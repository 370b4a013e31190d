//! What a part of a model writes of itself, and is read back from: a tag, a few values, and named arrays; and the registries in
//! which the kinds of parts are found by their tag.

use crate::{Error, Float, Result};
use ndarray::{Array2, Array3};
use serde_json::{Map, Value};

/// A part of a model as its file keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<F> {
    /// Which kind of part.
    pub tag: String,
    /// Values by name.
    pub fields: Map<String, Value>,
    /// Arrays by name.
    pub arrays: Vec<StoredArray<F>>,
}

/// A named array of a stored part.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredArray<F> {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its values, row-major.
    pub values: StoredValues<F>,
}

/// Values of a stored array.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredValues<F> {
    /// Numbers of the model's element type.
    Element(Vec<F>),
    /// Numbers in `f64`, whatever the model's element type.
    Double(Vec<f64>),
    /// Counts, places and classes.
    Whole(Vec<usize>),
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
    pub fn with_vector(self, name: &str, values: &[F]) -> Self {
        self.with_array(name, &[values.len()], StoredValues::Element(values.to_vec()))
    }

    /// Adds a matrix.
    pub fn with_matrix(self, name: &str, matrix: &Array2<F>) -> Self {
        self.with_array(name, matrix.shape(), StoredValues::Element(matrix.iter().copied().collect()))
    }

    /// Adds matrices of one shape, `count × rows × columns`.
    pub fn with_matrices(self, name: &str, matrices: &Array3<F>) -> Self {
        self.with_array(name, matrices.shape(), StoredValues::Element(matrices.iter().copied().collect()))
    }

    /// Adds a list of numbers that stay in `f64`.
    pub fn with_doubles(self, name: &str, values: &[f64]) -> Self {
        self.with_array(name, &[values.len()], StoredValues::Double(values.to_vec()))
    }

    /// Adds a list of whole numbers.
    pub fn with_wholes(self, name: &str, values: &[usize]) -> Self {
        self.with_array(name, &[values.len()], StoredValues::Whole(values.to_vec()))
    }

    fn with_array(mut self, name: &str, shape: &[usize], values: StoredValues<F>) -> Self {
        self.arrays.push(StoredArray { name: name.into(), shape: shape.to_vec(), values });
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

    /// A text by name.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.fields.get(name).and_then(Value::as_str).ok_or_else(|| self.lacks(name))
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|a| a.name == name)
    }

    /// A list of numbers by name.
    pub fn vector(&self, name: &str) -> Result<Vec<F>> {
        Ok(self.elements(name, 1)?.1.to_vec())
    }

    /// A matrix by name.
    pub fn matrix(&self, name: &str) -> Result<Array2<F>> {
        let (shape, values) = self.elements(name, 2)?;
        Array2::from_shape_vec((shape[0], shape[1]), values.to_vec()).map_err(|_| self.lacks(name))
    }

    /// Matrices of one shape by name.
    pub fn matrices(&self, name: &str) -> Result<Array3<F>> {
        let (shape, values) = self.elements(name, 3)?;
        Array3::from_shape_vec((shape[0], shape[1], shape[2]), values.to_vec()).map_err(|_| self.lacks(name))
    }

    /// A list of numbers in `f64` by name.
    pub fn doubles(&self, name: &str) -> Result<Vec<f64>> {
        match self.array(name, 1)? {
            // A model in `f64` has one type for both.
            StoredArray { values: StoredValues::Element(v), .. } if F::NAME == "f64" => {
                Ok(v.iter().map(|v| v.f64()).collect())
            }
            StoredArray { values: StoredValues::Double(v), .. } => Ok(v.clone()),
            _ => Err(self.lacks(name)),
        }
    }

    /// A list of whole numbers by name.
    pub fn wholes(&self, name: &str) -> Result<Vec<usize>> {
        match &self.array(name, 1)?.values {
            StoredValues::Whole(values) => Ok(values.clone()),
            _ => Err(self.lacks(name)),
        }
    }

    /// All numbers of the model's element type, one array after the other.
    pub fn numbers(&self) -> impl Iterator<Item = F> + '_ {
        self.arrays
            .iter()
            .flat_map(|a| match &a.values {
                StoredValues::Element(values) => values.as_slice(),
                _ => &[],
            })
            .copied()
    }

    /// How many numbers stay in `f64`.
    pub(crate) fn doubles_count(&self) -> usize {
        let count = |a: &StoredArray<F>| if let StoredValues::Double(v) = &a.values { v.len() } else { 0 };
        self.arrays.iter().map(count).sum()
    }

    fn elements(&self, name: &str, rank: usize) -> Result<(&[usize], &[F])> {
        match self.array(name, rank)? {
            StoredArray { shape, values: StoredValues::Element(values), .. } => Ok((shape, values)),
            _ => Err(self.lacks(name)),
        }
    }

    fn array(&self, name: &str, rank: usize) -> Result<&StoredArray<F>> {
        let array = self.arrays.iter().find(|a| a.name == name && a.shape.len() == rank);
        array.ok_or_else(|| self.lacks(name))
    }

    fn lacks(&self, name: &str) -> Error {
        Error::data(format!("the part {:?} of the model lacks {name}, or has it in another shape", self.tag))
    }
}

/// A registry of the kinds of one part: a struct for a kind, the list of protea's own, those that users have registered, and the
/// functions `register` and `restore`.
macro_rules! registry {
    (
        $(#[$kind_doc:meta])* pub struct $kind:ident reads $part:ident, $word:literal;
        $(#[$list_doc:meta])* pub const $list:ident = [$($tag:literal => $restore:path),* $(,)?];
    ) => {
        /// How parts of a kind are read back.
        pub type Restore<F> = fn(&$crate::store::Stored<F>) -> $crate::Result<Box<dyn $part<F>>>;

        $(#[$kind_doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $kind {
            /// Its name in model files.
            pub tag: &'static str,
            /// Reads one of numbers in `f32`.
            pub f32: Restore<f32>,
            /// Reads one of numbers in `f64`.
            pub f64: Restore<f64>,
        }

        impl $crate::float::Family for $kind {
            type At<F: $crate::Float> = Restore<F>;

            fn f32(&self) -> &Restore<f32> {
                &self.f32
            }

            fn f64(&self) -> &Restore<f64> {
                &self.f64
            }

            fn f32_mut(&mut self) -> &mut Restore<f32> {
                &mut self.f32
            }

            fn f64_mut(&mut self) -> &mut Restore<f64> {
                &mut self.f64
            }
        }

        $(#[$list_doc])*
        pub const $list: &[$kind] = &[$(
            $kind { tag: $tag, f32: $restore, f64: $restore }
        ),*];

        static REGISTERED: std::sync::RwLock<Vec<$kind>> = std::sync::RwLock::new(Vec::new());

        #[doc = concat!("Makes a kind of ", $word, " known, so that models that have it can be loaded; refuses a tag that is taken.")]
        pub fn register(kind: $kind) -> $crate::Result<()> {
            let mut own = REGISTERED.write().unwrap_or_else(std::sync::PoisonError::into_inner);
            if $list.iter().chain(own.iter()).any(|k| k.tag == kind.tag) {
                return Err($crate::Error::data(format!(concat!("there is a ", $word, " {:?} already"), kind.tag)));
            }
            own.push(kind);
            Ok(())
        }

        #[doc = concat!("Reads a ", $word, " back.")]
        pub(crate) fn restore<F: $crate::Float>(
            stored: &$crate::store::Stored<F>,
        ) -> $crate::Result<Box<dyn $part<F>>> {
            let own = REGISTERED.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let kind = $list.iter().chain(own.iter()).find(|k| k.tag == stored.tag);
            let kind = kind.ok_or_else(|| {
                $crate::Error::data(format!(
                    concat!("the model has a ", $word, " {:?} that is not known here; register it first"),
                    stored.tag
                ))
            })?;
            F::pick(kind)(stored)
        }
    };
}
pub(crate) use registry;
