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
    /// Course of the training; files keep at most a hundred epochs of it.
    #[serde(with = "super::history")]
    pub history: Vec<Epoch>,
    /// What was tried on held-out samples, in order; the choice is the one with the lowest error and log loss together.
    #[serde(default)]
    pub trials: Vec<Trial>,
    /// What a user should know about the result, in sentences.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Settings that were tried on held-out training samples, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The method and the settings that differ from its defaults.
    pub settings: String,
    /// Trainings, each on a part of the samples.
    pub folds: usize,
    /// Samples that were held out.
    pub samples: usize,
    /// Share of them that was decided wrongly.
    pub error: f64,
    /// Their mean log loss at the best temperature, in nats.
    pub log_loss: f64,
    /// Seconds of all trainings together; not stored, so that files of the same training are the same.
    #[serde(skip)]
    pub seconds: f64,
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
            trials: Vec::new(),
            notes: Vec::new(),
        }
    }
}
