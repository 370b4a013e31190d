//! Prototype-based classification.

mod error;
mod float;
mod settings;
mod simd;

pub mod data;
pub mod eval;
pub mod init;
pub mod io;
pub mod metric;
pub mod model;
pub mod objective;
pub mod optim;
pub mod represent;
pub mod train;

pub use data::Dataset;
pub use error::{Error, Result};
pub use float::Float;
pub use model::Model;
pub use settings::{Setting, SettingValue, Values};
pub use train::Trainer;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random numbers of one `purpose` under a seed; purposes do not share a stream, so that using more numbers
/// for one leaves the others as they were.
pub(crate) fn rng(seed: u64, purpose: &str) -> Xoshiro256PlusPlus {
    // FNV-1a of the purpose, mixed into the seed.
    let salt =
        purpose.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3));
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}
