//! Plans in whole numbers: prototypes of 8 or 16 bits, distances in 32 bits without rounding.
//!
//! All features share one step, so that `Σ (x_f − p_f)²` over whole numbers is the squared distance in units of step². Prototypes
//! fill ±127 (8 bits); the sample is rounded with the same step to 16 bits, so it may lie far outside of the prototypes.
//!
//! # Why 32 bits are enough
//! With `B = ⌊√((2³¹ − 1) / dim)⌋`, prototypes within ±⌊B/4⌋ and samples within ±(B − ⌊B/4⌋), every difference is at most `B`, and
//! `dim · B² ≤ 2³¹ − 1`. A linear map in whole numbers is checked row by row: `32767 · Σ|a| + 2^(shift−1) ≤ 2³¹ − 1`.

use super::{ArrayId, Op, Plan};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// How many bits a rounded number has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// From −127 to 127.
    Eight,
    /// From −32767 to 32767.
    Sixteen,
}

impl Bits {
    /// The largest number.
    pub fn largest(self) -> i32 {
        match self {
            Bits::Eight => 127,
            Bits::Sixteen => 32767,
        }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Bits::Eight => 1,
            Bits::Sixteen => 2,
        }
    }
}

/// Largest value of a rounded sample.
const SAMPLE: i32 = 32767;
/// A feature may add this many times the range of the prototypes to a projection before it is cut.
const ROOM: f64 = 8.0;

/// Rounds `(v − centre) factor` in `f32`, ties away from zero, within ±limit; what is no number becomes −limit.
pub(crate) fn round(v: f32, centre: f32, factor: f32, limit: i32) -> i32 {
    let v = (v - centre) * factor;
    let end = limit as f32;
    if v > -end && v < end {
        (if v < 0.0 { v - 0.5 } else { v + 0.5 }) as i32
    } else if v >= end {
        limit
    } else {
        -limit
    }
}

/// `sum / 2^shift`, rounded, ties away from zero, within ±limit.
pub(crate) fn shifted(sum: i32, shift: u32, limit: i32) -> i32 {
    let half = (1 << shift) >> 1;
    let sum = if sum < 0 { sum - half } else { sum + half };
    (sum / (1 << shift)).clamp(-limit, limit)
}

/// Largest difference whose square can be summed `dim` times in 31 bits.
fn largest_difference(dim: usize) -> i32 {
    // Differences are kept in 16 bits.
    (i32::MAX as usize / dim.max(1)).isqrt().min(i16::MAX as usize) as i32
}

/// Where prototypes and samples lie in whole numbers.
struct Grid {
    step: f64,
    /// Largest value of a rounded sample.
    limit: i32,
    /// Largest value of a rounded prototype.
    most: i32,
}

impl Grid {
    fn new(prototypes: &[f64], dim: usize, bits: Bits) -> Result<Self> {
        let difference = largest_difference(dim);
        let most = bits.largest().min(difference / 4);
        if most < 1 {
            return Err(Error::unsupported(format!(
                "distances over {dim} features do not fit 32 bits; reduce them by a projection"
            )));
        }
        let range = prototypes.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let step = if range > 0.0 { range / f64::from(most) } else { 1.0 };
        Ok(Grid { step, limit: (difference - most).min(SAMPLE), most })
    }

    fn round(&self, prototypes: &[f64]) -> Vec<i32> {
        let whole = |p: &f64| ((p / self.step).round() as i32).clamp(-self.most, self.most);
        prototypes.iter().map(whole).collect()
    }
}

impl Plan {
    /// The plan with prototypes, the linear map before them and the sample in whole numbers.
    ///
    /// Refuses metrics that differ between prototypes.
    pub fn quantized(&self, bits: Bits) -> Result<Plan> {
        let folded = self.folded();
        let at =
            folded.ops.iter().position(|op| matches!(op, Op::Distance { .. } | Op::MatrixDistance { .. }));
        let distance = at.map(|at| (at, folded.ops[at].clone()));
        let Some((at, Op::Distance { prototypes, weights: None })) = distance else {
            return Err(Error::unsupported(
                "this model has a metric that differs between prototypes, which cannot be quantised",
            ));
        };
        let mut plan = Plan { arrays: Vec::new(), ops: Vec::new(), ..self.clone() };
        let mut copied = BTreeMap::new();
        let linear = at.checked_sub(1).map(|last| folded.ops[last].clone());
        let linear = linear.filter(|op| matches!(op, Op::Scale { .. } | Op::Affine { .. }));
        for op in &folded.ops[..at - usize::from(linear.is_some())] {
            plan.copy(&folded, op, &mut copied);
        }
        let step = match linear {
            Some(Op::Affine { centre, matrix, .. }) => {
                plan.round_affine(&folded, centre, matrix, prototypes, bits)?
            }
            Some(Op::Scale { centre, factor }) => {
                plan.round_scale(&folded, folded.reals(centre), folded.reals(factor), prototypes, bits)?
            }
            _ => {
                let dim = folded.shape(prototypes)[1];
                plan.round_scale(&folded, &vec![0.0; dim], &vec![1.0; dim], prototypes, bits)?
            }
        };
        let rest = &folded.ops[at + 1..];
        let votes = usize::from(matches!(rest.first(), Some(Op::Vote { .. })));
        rest[..votes].iter().for_each(|op| plan.copy(&folded, op, &mut copied));
        plan.ops.push(Op::Multiply { by: step * step });
        rest[votes..].iter().for_each(|op| plan.copy(&folded, op, &mut copied));
        Ok(plan)
    }

    /// `Round` and `RoundedDistance` after scaling by `centre` and `factor`; gives the step.
    fn round_scale(
        &mut self,
        from: &Plan,
        centre: &[f64],
        factor: &[f64],
        prototypes: ArrayId,
        bits: Bits,
    ) -> Result<f64> {
        let (p, shape) = (from.reals(prototypes), from.shape(prototypes));
        let dim = shape[1];
        // Prototypes around the middle of their range, feature by feature; a factor of 0 leaves nothing to shift.
        let middle: Vec<f64> = (0..dim)
            .map(|f| {
                let column = || p.iter().skip(f).step_by(dim).copied();
                let (low, high) = (column().fold(f64::MAX, f64::min), column().fold(f64::MIN, f64::max));
                if factor[f] == 0.0 { 0.0 } else { (low + high) / 2.0 }
            })
            .collect();
        let centred: Vec<f64> = p.iter().zip(middle.iter().cycle()).map(|(p, m)| p - m).collect();
        let grid = Grid::new(&centred, dim, bits)?;
        let shift = |((c, f), m): ((&f64, &f64), &f64)| if *f == 0.0 { *c } else { c + m / f };
        let centre: Vec<f64> = centre.iter().zip(factor).zip(&middle).map(shift).collect();
        let centre = self.real("centre", &[dim], centre);
        let factor = self.real("factor", &[dim], factor.iter().map(|f| f / grid.step));
        self.ops.push(Op::Round { centre, factor, limit: grid.limit });
        let prototypes = self.rounded("prototypes", shape, bits, grid.round(&centred));
        self.ops.push(Op::RoundedDistance { prototypes });
        Ok(grid.step)
    }

    /// `Round`, `RoundedAffine` and `RoundedDistance`; gives the step.
    ///
    /// Each feature is rounded in units of what it adds to the result: its difference to the centre times the length of its column.
    /// The matrix has 16 bits whatever the prototypes have: its errors add up over features, and it is small.
    fn round_affine(
        &mut self,
        from: &Plan,
        centre: ArrayId,
        matrix: ArrayId,
        prototypes: ArrayId,
        bits: Bits,
    ) -> Result<f64> {
        let (a, dim, rows) = (from.reals(matrix), from.shape(matrix)[1], from.shape(matrix)[0]);
        let lengths: Vec<f64> = (0..dim)
            .map(|f| a.iter().skip(f).step_by(dim).map(|v| v * v).sum::<f64>().sqrt())
            .map(|length| if length > 0.0 { length } else { 1.0 })
            .collect();
        let grid = Grid::new(from.reals(prototypes), rows, bits)?;
        let range = grid.step * f64::from(grid.most);
        let per_unit = f64::from(SAMPLE) / (ROOM * range);
        let directions: Vec<f64> = a.iter().zip(lengths.iter().cycle()).map(|(a, l)| a / l).collect();
        let fits = |shift: u32| {
            let scale = f64::from(1u32 << shift) / (grid.step * per_unit);
            let whole: Vec<i64> = directions.iter().map(|v| (v * scale).round() as i64).collect();
            let room = i64::from(i32::MAX) - (1 << shift) / 2;
            let small = whole.iter().all(|v| v.abs() <= i64::from(Bits::Sixteen.largest()));
            let sums = whole
                .chunks_exact(dim)
                .all(|r| r.iter().map(|v| v.abs()).sum::<i64>() <= room / i64::from(SAMPLE));
            (small && sums).then(|| (shift, whole.iter().map(|&v| v as i32).collect::<Vec<_>>()))
        };
        let Some((shift, whole)) = (0..24).rev().find_map(fits) else {
            let problem = format!("a linear map of {dim} features does not fit 32 bits; use fewer features");
            return Err(Error::unsupported(problem));
        };
        let centre = self.real("centre", &[dim], from.reals(centre).iter().copied());
        let factor = self.real("factor", &[dim], lengths.iter().map(|l| l * per_unit));
        self.ops.push(Op::Round { centre, factor, limit: SAMPLE });
        let matrix = self.rounded("matrix", &[rows, dim], Bits::Sixteen, whole);
        self.ops.push(Op::RoundedAffine { matrix, shift, limit: grid.limit });
        let p = grid.round(from.reals(prototypes));
        let prototypes = self.rounded("prototypes", from.shape(prototypes), bits, p);
        self.ops.push(Op::RoundedDistance { prototypes });
        Ok(grid.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_away_from_zero_and_stay_within_the_limit() {
        let whole = |v| round(v, 0.0, 1.0, 100);
        assert_eq!([2.5, -2.5, 2.4, -0.4].map(whole), [3, -3, 2, 0]);
        assert_eq!([99.5, 1e30, -1e30, f32::INFINITY, f32::NAN].map(whole), [100, 100, -100, 100, -100]);
        assert_eq!([6, -6, 5, 4000].map(|v| shifted(v, 2, 100)), [2, -2, 1, 100]);
        assert_eq!(shifted(-7, 0, 100), -7);
    }

    #[test]
    fn the_largest_sum_of_squares_fits() {
        for dim in [1, 2, 16, 784, 33_000, 1_000_000] {
            let b = largest_difference(dim) as i64;
            assert!(dim as i64 * b * b <= i64::from(i32::MAX), "{dim}");
            assert!(b == 32767 || dim as i64 * (b + 1) * (b + 1) > i64::from(i32::MAX), "{dim}");
        }
    }
}
