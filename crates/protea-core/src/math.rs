//! Root, exponential and logarithm in plain arithmetic, for targets without a mathematical library.

/// `√v` by Newton's method from a guess that halves the exponent; 0 for what has no root.
pub(crate) fn sqrt(v: f32) -> f32 {
    if v == f32::INFINITY {
        return v;
    }
    if v.is_nan() || v <= 0.0 {
        return 0.0;
    }
    if v < f32::MIN_POSITIVE {
        // The exponent of a subnormal number tells nothing; 2²⁴ makes it a normal one.
        return sqrt(v * 16_777_216.0) / 4096.0;
    }
    let mut root = f32::from_bits((v.to_bits() >> 1) + 0x1fbd_1df5);
    for _ in 0..4 {
        root = 0.5 * (root + v / root);
    }
    root
}

/// `e^v`; 0 below −87, and no more than `e^88`.
pub(crate) fn exp(v: f32) -> f32 {
    if v.is_nan() || v <= -87.0 {
        return 0.0;
    }
    let v = if v > 88.0 { 88.0 } else { v };
    let turns = v * core::f32::consts::LOG2_E;
    let n = (if turns < 0.0 { turns - 0.5 } else { turns + 0.5 }) as i32;
    let r = v - n as f32 * 0.693_145_75 - n as f32 * 1.428_606_8e-6;
    let series = [1.388_888_9e-3, 8.333_334e-3, 4.166_666_6e-2, 1.666_666_7e-1, 0.5, 1.0, 1.0];
    let e = series.iter().fold(0.0, |e: f32, c| e * r + c);
    e * f32::from_bits(((n + 127) as u32) << 23)
}

/// `ln v` for positive normal numbers; the smallest of them otherwise.
pub(crate) fn ln(v: f32) -> f32 {
    let v = if v > f32::MIN_POSITIVE { v } else { f32::MIN_POSITIVE };
    if v == f32::INFINITY {
        return f32::INFINITY;
    }
    let bits = v.to_bits();
    let mut exponent = (bits >> 23) as i32 - 127;
    let mut m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    if m > core::f32::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh((m − 1)/(m + 1)), |s| < 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let q = s * s;
    let series = 1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0 + q / 9.0)));
    2.0 * s * series + exponent as f32 * core::f32::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_exact_to_a_few_units_in_the_last_place() {
        for k in 1..20_000 {
            let v = k as f32 * 0.013;
            assert!((sqrt(v) / v.sqrt() - 1.0).abs() < 3e-7, "{v}");
            assert!((ln(v) - v.ln()).abs() < 1e-6 * (1.0 + v.ln().abs()), "{v}");
            let e = -(k as f32) * 0.0043;
            assert!((exp(e) / e.exp() - 1.0).abs() < 1e-6, "{e}");
        }
        assert_eq!((sqrt(0.0), exp(-1e30), exp(f32::NAN), sqrt(f32::NAN)), (0.0, 0.0, 0.0, 0.0));
        assert!(ln(0.0) < -87.0 && (sqrt(1e-40) - 1e-20).abs() < 1e-22);
    }
}
