//! A model of either element type, as files hold them.

use super::Model;
use super::file::precision;
use crate::{Error, Result};
use std::path::Path;

/// A model whose element type is known when it is read.
#[derive(Debug, Clone)]
pub enum AnyModel {
    /// 32 bits.
    F32(Model<f32>),
    /// 64 bits.
    F64(Model<f64>),
}

impl AnyModel {
    /// Reads the bytes of a model file; `source` is what errors call it.
    pub fn from_bytes(bytes: &[u8], source: &str) -> Result<Self> {
        match precision(bytes, source)?.as_str() {
            "f64" => Model::from_bytes(bytes, source).map(AnyModel::F64),
            _ => Model::from_bytes(bytes, source).map(AnyModel::F32),
        }
    }
}

impl Model<f32> {
    /// Loads a model of whichever element type it was saved with.
    ///
    /// ```
    /// use protea::{AnyModel, Model, Trainer, catalog::{self, Part}};
    /// let data = catalog::load::<f64>("wine", Part::All, None)?;
    /// let path = std::env::temp_dir().join("protea-load-any");
    /// Trainer::named("centroid")?.fit(&data)?.save(&path)?;
    /// assert!(matches!(Model::load_any(&path)?, AnyModel::F64(_)));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), protea::Error>(())
    /// ```
    pub fn load_any(path: impl AsRef<Path>) -> Result<AnyModel> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::file(path, e))?;
        AnyModel::from_bytes(&bytes, &path.display().to_string())
    }
}
