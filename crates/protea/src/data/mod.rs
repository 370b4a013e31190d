//! Labelled samples: in memory, split into parts, and the sets that ship with the crate.

mod dataset;
mod split;

pub use dataset::Dataset;
pub use split::{holdout, k_folds};
