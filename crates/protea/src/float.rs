//! The two element types of the hot path, `f32` (default) and `f64`.

use ndarray::NdFloat;
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`; sealed, so that every kernel knows all its types.
pub trait Float:
    sealed::Sealed + NdFloat + faer::traits::ComplexField + faer::traits::RealField + Default + Debug + 'static
{
    /// `"f32"` or `"f64"`, as in model files and on the command line.
    const NAME: &'static str;
    /// Relative rounding error of one operation.
    const EPS: f64;

    /// Rounds from `f64`.
    fn of(v: f64) -> Self;
    /// Widens to `f64`.
    fn f64(self) -> f64;
    /// `self · a + b`, rounded once; for kernels, where it is one instruction.
    fn fused(self, a: Self, b: Self) -> Self;
    /// `e^self` for `self ≤ 88`; a polynomial that vectorises for `f32`, the library's for `f64`.
    ///
    /// Underflows to 0 below about −87 (`f32`) and never returns NaN for a number, −∞ included.
    fn exp_fast(self) -> Self;
    /// The member of a family for this type.
    fn pick<T: Family + ?Sized>(family: &T) -> &T::At<Self>;
    /// The same, to be changed.
    fn pick_mut<T: Family + ?Sized>(family: &mut T) -> &mut T::At<Self>;
}

/// Something that exists for both element types, such as an objective behind a pointer, of which one is asked for.
pub trait Family {
    /// The member for one type.
    type At<F: Float>: ?Sized;
    /// That for `f32`.
    fn f32(&self) -> &Self::At<f32>;
    /// That for `f64`.
    fn f64(&self) -> &Self::At<f64>;
    /// That for `f32`, to be changed.
    fn f32_mut(&mut self) -> &mut Self::At<f32>;
    /// That for `f64`, to be changed.
    fn f64_mut(&mut self) -> &mut Self::At<f64>;
}

/// Implements [`Family`] for a trait object that is a trait for both types at once.
macro_rules! both_floats {
    ($any:ident is $of:ident) => {
        impl $crate::float::Family for dyn $any {
            type At<F: $crate::Float> = dyn $of<F>;

            fn f32(&self) -> &Self::At<f32> {
                self
            }

            fn f64(&self) -> &Self::At<f64> {
                self
            }

            fn f32_mut(&mut self) -> &mut Self::At<f32> {
                self
            }

            fn f64_mut(&mut self) -> &mut Self::At<f64> {
                self
            }
        }
    };
}
pub(crate) use both_floats;

impl Float for f32 {
    const NAME: &'static str = "f32";
    const EPS: f64 = f32::EPSILON as f64;

    #[inline(always)]
    fn of(v: f64) -> Self {
        v as f32
    }

    #[inline(always)]
    fn f64(self) -> f64 {
        self as f64
    }

    #[inline(always)]
    fn fused(self, a: Self, b: Self) -> Self {
        f32::mul_add(self, a, b)
    }

    // e^x = 2^n · e^r with n = round(x / ln 2) and |r| ≤ ln 2 / 2.
    //
    // Adding 1.5·2²³ leaves n in the low mantissa bits, so no float-to-integer conversion is needed; e^r is
    // a minimax polynomial of degree 6 (relative error 2e-7 with rounding). Everything is plain arithmetic on
    // one lane, so the compiler vectorises the callers' loops.
    #[inline(always)]
    fn exp_fast(self) -> Self {
        const MAGIC: f32 = 12_582_912.0;
        let x = if self < -87.0 { -87.0 } else { self };
        let shifted = x.mul_add(std::f32::consts::LOG2_E, MAGIC);
        let n = shifted - MAGIC;
        let r = n.mul_add(-0.693_145_75, x);
        let r = n.mul_add(-1.428_606_8e-6, r);
        let mut e = 1.388_888_9e-3_f32;
        e = e.mul_add(r, 8.333_334e-3);
        e = e.mul_add(r, 4.166_666_6e-2);
        e = e.mul_add(r, 1.666_666_7e-1);
        e = e.mul_add(r, 0.5);
        e = e.mul_add(r, 1.0);
        e = e.mul_add(r, 1.0);
        let scale = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
        if self < -87.0 { 0.0 } else { e * scale }
    }

    fn pick<T: Family + ?Sized>(family: &T) -> &T::At<Self> {
        family.f32()
    }

    fn pick_mut<T: Family + ?Sized>(family: &mut T) -> &mut T::At<Self> {
        family.f32_mut()
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";
    const EPS: f64 = f64::EPSILON;

    #[inline(always)]
    fn of(v: f64) -> Self {
        v
    }

    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn fused(self, a: Self, b: Self) -> Self {
        f64::mul_add(self, a, b)
    }

    #[inline(always)]
    fn exp_fast(self) -> Self {
        self.exp()
    }

    fn pick<T: Family + ?Sized>(family: &T) -> &T::At<Self> {
        family.f64()
    }

    fn pick_mut<T: Family + ?Sized>(family: &mut T) -> &mut T::At<Self> {
        family.f64_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomial_exponential_is_exact_to_three_ulps() {
        let mut worst = 0.0f64;
        for i in 0..200_000 {
            let x = -(i as f32) * 87.0 / 200_000.0;
            let exact = (x as f64).exp();
            worst = worst.max(((x.exp_fast() as f64) - exact).abs() / exact);
        }
        assert!(worst < 3.0 * f32::EPSILON as f64, "relative error {worst:e}");
        assert_eq!(0f32.exp_fast(), 1.0);
        assert_eq!((-1e30f32).exp_fast(), 0.0);
        assert_eq!(f32::NEG_INFINITY.exp_fast(), 0.0);
    }
}
