//! Centring and scaling of features.
//!
//! | scale | centre | factor |
//! |---|---|---|
//! | `raw` | 0 | 1 |
//! | `none` | mean (whole numbers stay whole) | 1 |
//! | `global` | mean | 1 / root of the mean variance, one number for all features |
//! | `standard` | mean | 1 / standard deviation of the feature |
//! | `minmax` | minimum | 1 / range of the feature |
//! | `robust` | median | 1 / distance of the quartiles; 2 / range where they are equal |
//! | `auto` | – | `global` or `standard`, whichever has the lower leave-one-out 1-NN error on training samples |
//!
//! Centring changes no distance but keeps the expansion `|x|² + |p|² − 2x·p` from cancelling. Constant features have
//! factor 1. After `robust` values are [clipped smoothly](super::SmoothClip). Components of an encoded feature share
//! one factor under `standard`, by which their variances add up to 1.

use super::{Nature, Step, in_place, rows_of};
use crate::kernel::column_means;
use crate::plan::{Op, Plan};
use crate::settings::named_enum;
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2};

named_enum! {
    /// How features are scaled.
    pub enum Scale {
        /// Not at all, nor centred.
        Raw = "raw",
        /// Not scaled.
        None = "none",
        /// One factor for all features.
        Global = "global",
        /// Each feature to variance 1.
        Standard = "standard",
        /// Each feature to the range 0 to 1.
        MinMax = "minmax",
        /// Each feature by its median and quartiles, then clipped smoothly.
        Robust = "robust",
        /// `global` or `standard`, chosen on training samples.
        Auto = "auto",
    }
}

/// `z = (x − centre) · factor`, feature by feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling<F> {
    /// What is subtracted.
    pub centre: Vec<F>,
    /// What the difference is multiplied by.
    pub factor: Vec<F>,
}

/// Deviations whose squares neither overflow nor vanish, however many are summed.
const SQUARES: std::ops::Range<f64> = 1e-140..1e140;

impl<F: Float> Scaling<F> {
    /// Learns centre and factors from training samples; `Auto`, which needs labels, is taken as `Global`.
    pub fn learn(scale: Scale, x: ArrayView2<F>) -> Self {
        let means = column_means(x);
        let (mut low, mut high) = (vec![f64::INFINITY; x.ncols()], vec![f64::NEG_INFINITY; x.ncols()]);
        let mut whole = vec![true; x.ncols()];
        for row in x.rows() {
            for (j, v) in row.iter().enumerate() {
                let v = v.f64();
                (low[j], high[j]) = (low[j].min(v), high[j].max(v));
                whole[j] &= v.fract() == 0.0;
            }
        }
        // Sums of squares in units of 1, or of the spread where its square would overflow or vanish.
        let spreads = (0..x.ncols()).map(|j| (high[j] - means[j]).max(means[j] - low[j]));
        let units: Vec<f64> =
            spreads.map(|s| if s == 0.0 || (SQUARES.contains(&s)) { 1.0 } else { s }).collect();
        let mut squares = vec![0.0; x.ncols()];
        for row in x.rows() {
            for (((s, v), mean), unit) in squares.iter_mut().zip(row).zip(&means).zip(&units) {
                *s += ((v.f64() - mean) / unit).powi(2);
            }
        }
        let n = x.nrows() as f64;
        let deviation = |variance: f64| if variance > 0.0 { 1.0 / variance.sqrt() } else { 1.0 };
        let unit = units.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let common = squares.iter().zip(&units).map(|(s, u)| s * (u / unit).powi(2));
        let global = deviation(common.sum::<f64>() / (n * x.ncols() as f64)) / unit;
        let quartiles = if scale == Scale::Robust { quartiles(x) } else { Vec::new() };
        let centre = (0..x.ncols()).map(|j| match scale {
            Scale::Raw => 0.0,
            Scale::None if whole[j] => means[j].round(),
            Scale::MinMax => low[j],
            Scale::Robust => quartiles[j][1],
            _ => means[j],
        });
        let factor = (0..x.ncols()).map(|j| match scale {
            Scale::Raw | Scale::None => 1.0,
            Scale::Global | Scale::Auto => global,
            Scale::Standard if low[j] == high[j] => 1.0,
            Scale::Standard => deviation(squares[j] / n) / units[j],
            Scale::Robust if quartiles[j][2] > quartiles[j][0] => 1.0 / (quartiles[j][2] - quartiles[j][0]),
            Scale::MinMax | Scale::Robust if low[j] == high[j] => 1.0,
            Scale::MinMax => 1.0 / (high[j] - low[j]),
            Scale::Robust => 2.0 / (high[j] - low[j]),
        });
        Scaling { centre: centre.map(F::of).collect(), factor: factor.map(F::of).collect() }
    }

    /// The same where features came out of others: those of one feature, up to each of `ends`, share a factor under
    /// `Standard`.
    pub fn learn_grouped(scale: Scale, x: ArrayView2<F>, ends: &[usize]) -> Self {
        let mut scaling = Scaling::learn(scale, x);
        if scale != Scale::Standard {
            return scaling;
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let groups = starts.zip(ends).map(|(start, &end)| start..end);
        for group in groups.filter(|group| group.len() > 1) {
            // A component that never changes has no variance, though its factor is 1.
            let varies = |&j: &usize| x.column(j).iter().any(|&v| v != x[[0, j]]);
            let variances = group.clone().filter(varies).map(|j| scaling.factor[j].f64().powi(-2));
            let variance: f64 = variances.sum();
            if variance > 0.0 {
                scaling.factor[group].fill(F::of(1.0 / variance.sqrt()));
            }
        }
        scaling
    }

    /// Scales rows in place.
    pub fn apply(&self, mut x: ArrayViewMut2<F>) {
        for mut row in x.rows_mut() {
            row.iter_mut().zip(&self.centre).zip(&self.factor).for_each(|((v, &c), &f)| *v = (*v - c) * f);
        }
    }

    /// Undoes [`apply`](Self::apply).
    pub fn invert(&self, mut z: ArrayViewMut2<F>) {
        for mut row in z.rows_mut() {
            row.iter_mut().zip(&self.centre).zip(&self.factor).for_each(|((v, &c), &f)| *v = *v / f + c);
        }
    }
}

/// First quartile, median and third quartile of each feature.
fn quartiles<F: Float>(x: ArrayView2<F>) -> Vec<[f64; 3]> {
    let of_feature = |column: ArrayView1<F>| {
        let mut values: Vec<f64> = column.iter().map(|v| v.f64()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (values.len() - 1) as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + place.fract() * (above - below)
        };
        [at(0.25), at(0.5), at(0.75)]
    };
    x.columns().into_iter().map(of_feature).collect()
}

impl<F: Float> Step<F> for Scaling<F> {
    fn output_dim(&self, input: usize) -> Option<usize> {
        (self.centre.len() == input && self.factor.len() == input).then_some(input)
    }

    fn apply(&self, mut x: Array2<F>) -> Array2<F> {
        in_place(&mut x, |block| Scaling::apply(self, block));
        x
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        Scaling::apply(self, rows_of(rows, dim));
        dim
    }

    fn invert(&self, mut z: Array2<F>) -> Array2<F> {
        in_place(&mut z, |block| Scaling::invert(self, block));
        z
    }

    fn nature(&self) -> Nature {
        Nature::Linear
    }

    fn pull_back(&self, mut v: Vec<f64>) -> Vec<f64> {
        v.iter_mut().zip(&self.factor).for_each(|(v, f)| *v *= f.f64());
        v
    }

    fn after(&self, mut a: Array2<F>) -> Array2<F> {
        a.rows_mut().into_iter().zip(&self.factor).for_each(|(mut row, &f)| row *= f);
        a
    }

    fn keeps_proportions(&self) -> bool {
        self.factor.windows(2).all(|f| f[0] == f[1])
    }

    fn size(&self) -> usize {
        self.centre.len() + self.factor.len()
    }

    fn describe(&self) -> String {
        match self.factor.first() {
            Some(f) if self.keeps_proportions() => format!("centred, every feature times {:.6}", f.f64()),
            _ => "centred, each feature times a factor of its own".into(),
        }
    }

    fn store(&self) -> Stored<F> {
        Stored::new("scale").with_vector("centre", &self.centre).with_vector("factor", &self.factor)
    }

    fn lower(&self, plan: &mut Plan) -> Result<Op> {
        Ok(Op::Scale {
            centre: plan.real("centre", &[self.centre.len()], self.centre.iter().map(|v| v.f64())),
            factor: plan.real("factor", &[self.factor.len()], self.factor.iter().map(|v| v.f64())),
        })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    let (centre, factor): (_, Vec<F>) = (stored.vector("centre")?, stored.vector("factor")?);
    match factor.iter().find(|f| !f.is_normal() || !f.recip().is_normal()) {
        Some(f) => Err(Error::data(format!("a feature is scaled by {:e}, which cannot be undone", f.f64()))),
        None => Ok(Box::new(Scaling { centre, factor })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn scaled(scale: Scale, x: &Array2<f64>) -> Array2<f64> {
        let mut z = x.clone();
        Scaling::learn(scale, x.view()).apply(z.view_mut());
        z
    }

    #[test]
    fn scales_do_what_their_names_say() {
        let x = array![[0.0, 5.0, 1.0], [2.0, 5.0, 3.0], [4.0, 5.0, 5.0], [2.0, 5.0, 7.0]];
        // Means 2, 5, 4; variances 2, 0, 5.
        assert_eq!(scaled(Scale::Raw, &x), x);
        assert_eq!(scaled(Scale::None, &x), &x - &array![2.0, 5.0, 4.0]);
        let z = scaled(Scale::Standard, &x);
        assert!((z[[0, 0]] + 2.0 / 2f64.sqrt()).abs() < 1e-15 && z[[0, 1]] == 0.0);
        let z = scaled(Scale::Global, &x);
        assert!((z[[0, 0]] + 2.0 / (7f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(scaled(Scale::MinMax, &x).column(2).to_vec(), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        // Quartiles 1.5, 2, 2.5 and 5, 5, 5 and 2.5, 4, 5.5.
        let z = scaled(Scale::Robust, &x);
        assert_eq!(z.row(0).to_vec(), [-2.0, 0.0, -1.0]);
        // Quartiles 0, 0, 0: half of the range is 1.
        assert_eq!(scaled(Scale::Robust, &array![[0.0], [0.0], [0.0], [0.0], [8.0]])[[4, 0]], 2.0);
    }

    /// Variances 1, 4 and 0: those of the first two features add up to 5.
    #[test]
    fn components_of_a_feature_share_a_factor() {
        let x = array![[1.0, 2.0, 3.0], [-1.0, -2.0, 3.0]];
        let scaling = Scaling::learn_grouped(Scale::Standard, x.view(), &[2, 3]);
        assert_eq!(scaling.factor, [1.0 / 5f64.sqrt(), 1.0 / 5f64.sqrt(), 1.0]);
        let global = Scaling::learn_grouped(Scale::Global, x.view(), &[2, 3]);
        assert_eq!(global, Scaling::learn(Scale::Global, x.view()));
    }

    /// Squares of these leave the range of f64; the scaled samples must not tell.
    #[test]
    fn features_of_any_size_are_scaled_alike() {
        let x = array![[0.0, 5.0], [2.0, 1.0], [4.0, 7.0], [2.0, 5.0]];
        for scale in [Scale::Standard, Scale::Global, Scale::MinMax] {
            for factor in [1e-160, 1e160] {
                let (z, expected) = (scaled(scale, &(&x * factor)), scaled(scale, &x));
                assert!((&z - &expected).iter().all(|v| v.abs() < 1e-12), "{scale:?} {factor:e}: {z}");
            }
        }
    }

    #[test]
    fn whole_numbers_stay_whole_without_scaling() {
        let z = scaled(Scale::None, &array![[0.0], [1.0], [1.0]]);
        assert_eq!(z, array![[-1.0], [0.0], [0.0]]);
    }
}
