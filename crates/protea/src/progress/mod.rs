//! What training tells while it runs.

mod watch;

pub(crate) use watch::{Stop, watched_run};

use crate::settings::{SettingValue, named_enum};
use serde::{Deserialize, Serialize};

/// State after one epoch (mini-batches) or one step (full batch).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Epoch or step, from 1.
    pub epoch: usize,
    /// Epochs or steps planned; an upper bound when the optimizer may converge earlier.
    pub of: usize,
    /// γ of this epoch.
    pub gamma: f64,
    /// Mean loss.
    pub loss: f64,
    /// Share of training samples whose nearest prototype is of another class, as seen in passing.
    pub train_error: f64,
    /// Share of validation samples decided wrongly, where there are any.
    pub valid_error: Option<f64>,
}

/// Watches training, and may end it. Whoever works asks whether to go on, from any thread.
pub trait Progress: Send + Sync {
    /// A phase begins: "representation", "prototypes", "training" …
    fn phase(&mut self, _name: &str) {}

    /// An epoch or step is over.
    fn epoch(&mut self, _epoch: &Epoch) {}

    /// So many trials, trainings on a part of the samples, are done; called often, from several threads, also while none ends.
    fn trials(&self, _done: usize, _of: usize, _what: &str) {}

    /// Polled often; `true` ends training with the best model so far.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Says nothing and never interrupts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// For trials inside a training: nobody watches them, but they can be interrupted.
pub(crate) struct Interruptible<'a>(pub &'a dyn Progress);

impl Progress for Interruptible<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

named_enum! {
    /// Why training ended.
    pub enum Stopped {
        /// All epochs, or all values of γ, are done.
        Finished = "finished",
        /// At the last γ the optimizer had not converged when its steps ran out.
        Unconverged = "not converged",
        /// The validation error did not improve for the given number of epochs.
        Early = "stopped early",
        /// It was interrupted.
        Interrupted = "interrupted",
        /// Loss or gradient left the finite numbers; the last sound iterate was kept.
        Diverged = "diverged",
    }
}

impl Serialize for Stopped {
    fn serialize<S: serde::Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        s.serialize_str(&self.show())
    }
}

impl<'de> Deserialize<'de> for Stopped {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Stopped::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("unknown reason {text:?}")))
    }
}
