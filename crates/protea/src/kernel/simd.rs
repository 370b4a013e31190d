//! Loops compiled for the widest vectors of the machine that runs them.
//!
//! A [`Kernel`] is plain code; [`run`] compiles it once for each instruction set and picks one at run time. Its `run` and
//! everything that should vectorise inside must be `#[inline(always)]`: what is not inlined keeps the baseline
//! instructions, and a fused multiply-add becomes a library call there.

use pulp::{Arch, Simd, WithSimd};

/// A loop to be compiled for several instruction sets.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;
    /// The loop itself.
    fn run(self) -> Self::Output;
}

struct Op<K>(K);

impl<K: Kernel> WithSimd for Op<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        self.0.run()
    }
}

/// Runs a kernel with the best instructions of this machine.
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(Op(kernel))
}
