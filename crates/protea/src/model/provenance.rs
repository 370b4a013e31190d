//! How a model was made.

use crate::progress::{Epoch, Stopped};
use crate::settings::Values;
use crate::{Dataset, Float};
use serde::{Deserialize, Serialize};

/// Method, settings, data and course of a training run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name of the method.
    pub method: String,
    /// Every setting as a user would type it.
    pub settings: Values,
    /// Seed of all randomness.
    pub seed: u64,
    /// SHA-256 of the training samples, labels and class names.
    pub data_hash: String,
    /// Training samples.
    pub samples: usize,
    /// Version of protea.
    pub version: String,
    /// Share of training samples whose nearest prototype is of another class.
    pub train_error: Option<f64>,
    /// Whether training started from prototypes or a model that were given.
    #[serde(default)]
    pub given_start: bool,
    /// Whether the first prototypes were kept because training did not lower the training error.
    pub kept_start: bool,
    /// Why training ended.
    pub stopped: Stopped,
    /// Course of the training.
    pub history: Vec<Epoch>,
}

impl Provenance {
    pub(crate) fn new<F: Float>(method: &str, settings: Values, seed: u64, data: &Dataset<F>) -> Self {
        Provenance {
            method: method.into(),
            settings,
            seed,
            data_hash: data.hash(),
            samples: data.len(),
            version: env!("CARGO_PKG_VERSION").into(),
            train_error: None,
            given_start: false,
            kept_start: false,
            stopped: Stopped::Finished,
            history: Vec::new(),
        }
    }
}
