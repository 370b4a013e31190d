//! Prototype-based classification: a labelled training set becomes a few labelled prototypes and, if wanted, a learned
//! metric, so that classifying is one nearest-prototype look-up.
//!
//! ```
//! use protea::{Trainer, data::catalog::{self, Part}};
//!
//! let train = catalog::load::<f32>("satimage", Part::Train, None)?;
//! let test = catalog::load::<f32>("satimage", Part::Test, None)?;
//! let model = Trainer::new("npc")?.set("per-class", "5")?.set("epochs", "10")?.fit(&train)?;
//! assert_eq!(model.prototypes().y.len(), 30);
//! assert!(model.error(&test)? < 0.14); // 1-NN over all 4435 samples: 0.105
//! # Ok::<(), protea::Error>(())
//! ```
//!
//! Data flows one way, and the modules stand in that order:
//!
//! ```text
//! io ─> data ─> represent ─> init ─┐
//!                                  ├─> train ─> model ─> eval
//!       metric + objective + optim ┘             └─> io (save)
//! ```
//!
//! Three blindnesses keep the parts small: an [`objective`] never sees coordinates, only distances and classes; a
//! [`metric`] never sees labels; an [`optim`]izer never sees data, only a flat vector and its gradient. They meet in
//! [`train::TrainingProblem`].
//!
//! [`coding`] and [`svm`] stand beside them: samples as sums of others, and linear machines for what ends in one. [`report`] draws
//! what a model is and does.
//!
//! Methods are listed once, in [`objective::METHODS`]; settings are declared once, where they are used. Results do not depend
//! on the number of threads, and everything random has a seed.

mod error;
mod float;
mod settings;
mod simd;
mod watch;

pub mod coding;
pub mod data;
pub mod eval;
pub mod init;
pub mod io;
pub mod metric;
pub mod model;
pub mod objective;
pub mod optim;
pub mod report;
pub mod represent;
pub mod svm;
pub mod train;

pub use data::Dataset;
pub use error::{Error, Result};
pub use float::Float;
pub use model::Model;
pub use settings::{Setting, SettingValue, Values};
pub use train::Trainer;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random numbers of one `purpose` under a seed; purposes do not share a stream, so that using more numbers
/// for one leaves the others as they were.
pub(crate) fn rng(seed: u64, purpose: &str) -> Xoshiro256PlusPlus {
    // FNV-1a of the purpose, mixed into the seed.
    let salt =
        purpose.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3));
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}

/// Two independent normal deviates, by Box and Muller.
pub(crate) fn normal_pair(rng: &mut impl Rng) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
    [radius * sin, radius * cos]
}
