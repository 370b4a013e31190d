//! Tensors of a model file: written in one place, and checked for type and shape where they are read.

use super::{PartMetadata, broken, encode};
use crate::store::{Stored, StoredArray, StoredValues};
use crate::{Error, Float, Result};
use ndarray::Array2;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::HashMap;

/// A tensor on its way into a file.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Tensors on their way into a file.
#[derive(Default)]
pub(super) struct Writer {
    tensors: Vec<Tensor>,
}

impl Writer {
    /// Adds numbers.
    pub fn floats<G: Float>(&mut self, name: &str, shape: &[usize], values: impl Iterator<Item = G>) {
        let wide = G::NAME == "f64";
        let bytes = if wide {
            values.flat_map(|v| v.f64().to_le_bytes()).collect()
        } else {
            values.flat_map(|v| (v.f64() as f32).to_le_bytes()).collect()
        };
        let dtype = if wide { Dtype::F64 } else { Dtype::F32 };
        self.tensors.push(Tensor { name: name.into(), dtype, shape: shape.to_vec(), bytes });
    }

    /// Adds a list of whole numbers.
    pub fn wholes(&mut self, name: &str, values: &[usize]) {
        let bytes = values.iter().flat_map(|&v| (v as i64).to_le_bytes()).collect();
        self.tensors.push(Tensor { name: name.into(), dtype: Dtype::I64, shape: vec![values.len()], bytes });
    }

    /// Adds the arrays of a part, each under `prefix` and its name, and gives what the metadata keep of the part.
    pub fn part<F: Float>(&mut self, prefix: &str, part: Stored<F>) -> PartMetadata {
        let mut arrays = Vec::new();
        for StoredArray { name, shape, values } in part.arrays {
            let full = format!("{prefix}{name}");
            match values {
                StoredValues::Element(values) => self.floats(&full, &shape, values.into_iter()),
                StoredValues::Double(values) => self.floats(&full, &shape, values.into_iter()),
                StoredValues::Whole(values) => self.wholes(&full, &values),
            }
            arrays.push(name);
        }
        PartMetadata { tag: part.tag, arrays: Some(arrays), fields: part.fields }
    }

    /// The bytes of a file with these tensors and one entry of metadata; refuses two tensors of one name.
    pub fn finish(self, key: &str, metadata: String) -> Result<Vec<u8>> {
        let mut names: Vec<&str> = self.tensors.iter().map(|t| &*t.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::unsupported(format!("two parts of the model store an array {:?}", pair[0])));
        }
        let views: Vec<(&str, TensorView)> = self
            .tensors
            .iter()
            .map(|t| Ok((&*t.name, TensorView::new(t.dtype, t.shape.clone(), &t.bytes)?)))
            .collect::<std::result::Result<_, safetensors::SafeTensorError>>()
            .map_err(encode)?;
        safetensors::serialize(views, Some(HashMap::from([(key.to_string(), metadata)]))).map_err(encode)
    }
}

/// Tensors of a file, checked for type and shape.
pub(super) struct Reader<'a> {
    pub file: SafeTensors<'a>,
    pub source: &'a str,
}

impl Reader<'_> {
    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file.tensor(name).is_ok()
    }

    /// A list of numbers.
    pub fn vector<G: Float>(&self, name: &str) -> Result<Vec<G>> {
        self.floats(&self.tensor(name, dtype::<G>(), 1)?, name)
    }

    /// A matrix.
    pub fn matrix<G: Float>(&self, name: &str) -> Result<Array2<G>> {
        let t = self.tensor(name, dtype::<G>(), 2)?;
        let (rows, columns) = (t.shape()[0], t.shape()[1]);
        Array2::from_shape_vec((rows, columns), self.floats(&t, name)?).map_err(|e| broken(self.source, e))
    }

    /// A list of whole numbers.
    pub fn wholes(&self, name: &str) -> Result<Vec<usize>> {
        self.integers(&self.tensor(name, Dtype::I64, 1)?, name)
    }

    /// A part with the arrays that its metadata name or, for those that name none, all under `prefix`.
    pub fn part<F: Float>(&self, prefix: &str, part: &PartMetadata) -> Result<Stored<F>> {
        let names: Vec<String> = match &part.arrays {
            Some(arrays) => arrays.clone(),
            None => {
                let under = self.file.names().into_iter().filter_map(|name| name.strip_prefix(prefix));
                let mut under: Vec<String> = under.map(String::from).collect();
                under.sort_unstable();
                under
            }
        };
        let arrays = names.into_iter().map(|name| {
            let full = format!("{prefix}{name}");
            let t = self.any(&full)?;
            let values = match t.dtype() {
                Dtype::I64 => StoredValues::Whole(self.integers(&t, &full)?),
                found if found == dtype::<F>() => StoredValues::Element(self.floats(&t, &full)?),
                Dtype::F64 => StoredValues::Double(self.floats(&t, &full)?),
                found => {
                    let expected = dtype::<F>();
                    let problem = format!("tensor {full} is {found:?}, expected {expected:?} or I64");
                    return Err(broken(self.source, problem));
                }
            };
            Ok(StoredArray { name, shape: t.shape().to_vec(), values })
        });
        let arrays = arrays.collect::<Result<_>>()?;
        Ok(Stored { tag: part.tag.clone(), fields: part.fields.clone(), arrays })
    }

    /// A tensor that has values: extents of nothing may be of any size, and ask for memory.
    fn any(&self, name: &str) -> Result<TensorView<'_>> {
        let t = self.file.tensor(name).map_err(|e| broken(self.source, e))?;
        if t.data().is_empty() {
            return Err(broken(self.source, format!("tensor {name} is empty")));
        }
        Ok(t)
    }

    fn tensor(&self, name: &str, dtype: Dtype, rank: usize) -> Result<TensorView<'_>> {
        let t = self.any(name)?;
        if t.dtype() != dtype || t.shape().len() != rank {
            let (d, s) = (t.dtype(), t.shape());
            let problem = format!("tensor {name} is {d:?} {s:?}, expected {dtype:?} of rank {rank}");
            return Err(broken(self.source, problem));
        }
        Ok(t)
    }

    fn floats<G: Float>(&self, t: &TensorView, name: &str) -> Result<Vec<G>> {
        let values: Vec<G> = if t.dtype() == Dtype::F64 {
            t.data().as_chunks::<8>().0.iter().map(|b| G::of(f64::from_le_bytes(*b))).collect()
        } else {
            t.data().as_chunks::<4>().0.iter().map(|b| G::of(f32::from_le_bytes(*b).into())).collect()
        };
        if values.iter().any(|v| !v.f64().is_finite()) {
            let problem = format!("tensor {name} has a value that is not a finite number");
            return Err(broken(self.source, problem));
        }
        Ok(values)
    }

    fn integers(&self, t: &TensorView, name: &str) -> Result<Vec<usize>> {
        let whole = |b: &[u8; 8]| usize::try_from(i64::from_le_bytes(*b));
        let values = t.data().as_chunks::<8>().0.iter().map(whole).collect::<std::result::Result<_, _>>();
        values.map_err(|_| broken(self.source, format!("tensor {name} has a negative number")))
    }
}

fn dtype<F: Float>() -> Dtype {
    if F::NAME == "f64" { Dtype::F64 } else { Dtype::F32 }
}
