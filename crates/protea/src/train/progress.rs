//! What training tells while it runs.

use serde::{Deserialize, Serialize};

/// State after one epoch (mini-batches) or one step (full batch).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Report {
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

/// Watches training, and may end it. Trials that run beside each other ask from several threads whether they shall end.
pub trait Progress: Sync {
    /// A phase begins: "representation", "prototypes", "training" …
    fn phase(&mut self, _name: &str) {}

    /// An epoch or step is over.
    fn report(&mut self, _report: &Report) {}

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
pub(super) struct Interruptible<'a>(pub &'a dyn Progress);

impl Progress for Interruptible<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
