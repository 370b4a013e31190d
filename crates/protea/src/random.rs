//! Random numbers by seed and purpose.

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
