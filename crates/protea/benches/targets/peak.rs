//! The machine's limit: fused multiply-adds on registers, all threads at once.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::time::Instant;

/// Independent accumulators: enough to hide the latency of a multiply-add on two units.
const CHAINS: usize = 12;
const ROUNDS: usize = 20_000_000;

struct Chains;

impl WithSimd for Chains {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let (b, c) = (simd.splat_f32s(0.999_999), simd.splat_f32s(1e-9));
        let mut a = [simd.splat_f32s(1.0); CHAINS];
        for _ in 0..ROUNDS {
            for v in &mut a {
                *v = simd.mul_add_f32s(*v, b, c);
            }
        }
        a.into_iter().map(|v| simd.reduce_sum_f32s(v)).sum()
    }
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

/// GFLOP/s of f32 multiply-adds on all threads, best of three.
pub fn gflops() -> f64 {
    let threads = rayon::current_num_threads();
    let lanes = Arch::new().dispatch(Lanes);
    let run = || {
        let start = Instant::now();
        let sum: f32 = (0..threads).into_par_iter().map(|_| Arch::new().dispatch(Chains)).sum();
        assert!(sum.is_finite());
        (2 * lanes * CHAINS * ROUNDS * threads) as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..3).map(|_| run()).fold(0.0, f64::max)
}
