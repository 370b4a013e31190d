//! CRC and WCRC: weights on all atoms, penalised by their squares, by one projection for all queries.
//!
//! # Code
//! With atoms as rows of `X`, `ρ = ridge · mean |x_j|²`, penalties `Γ` of atoms and weights `Φ` of features (both diagonal, both `I` for
//! `crc`),
//! ```text
//! min (q − Xᵀw)ᵀ Φ (q − Xᵀw) + ρ wᵀ Γ w,     w = P q,     P = (X Φ Xᵀ + ρ Γ)⁻¹ X Φ = Γ⁻¹ X (Xᵀ Γ⁻¹ X + ρ Φ⁻¹)⁻¹
//! ```
//! `P` does not depend on the query; the smaller of the two inverses is taken, once. The class with the smallest
//! `|q − X_cᵀ w_c| / |w_c|` decides.
//!
//! # Weights of `wcrc`
//! | | value |
//! |---|---|
//! | `Γ_jj` | distance to the nearest other sample of the class over that to the nearest of another class, between ½ and 2: samples among their own are cheap |
//! | `Φ_ff` | variance of the feature over its variance inside the classes, the mean being 1; at most ten before that |
//!
//! # Reference
//! Zhang, Yang, Feng: "Sparse Representation or Collaborative Representation: Which Helps Face Recognition?", ICCV 2011.
//! Timofte, Van Gool: "Weighted Collaborative Representation and Classification of Images", ICPR 2012.
//!
//! # Departures
//! The weights of `wcrc` are a reconstruction: the paper takes them from the confidence of samples and the variance of features.

use super::dictionary::length;
use super::{Code, Coder, Dictionary};
use crate::kernel::parallel::*;
use crate::kernel::{Op, gemm, solve};
use crate::metric::Space;
use crate::settings::settings;
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2, Axis};

settings! {
    /// Collaborative representation.
    pub struct Crc {
        /// Ridge penalty on the weights, as a share of the mean squared length of a sample.
        ridge("ridge"): f64 = 0.01, |v| *v > 0.0 && v.is_finite(), "a number > 0";
    }
}

/// What `wcrc` knows about atoms and features.
#[derive(Debug, Clone, PartialEq)]
pub struct Priors {
    /// Penalty of each atom, `Γ`.
    pub atoms: Vec<f64>,
    /// Weight of each feature, `Φ`.
    pub features: Vec<f64>,
}

impl Priors {
    /// Measures confidence and variance on labelled samples, which become the atoms.
    pub(super) fn learn<F: Float>(data: &Dataset<F>, cancelled: &dyn Fn() -> bool) -> Self {
        Priors { atoms: penalties(data, cancelled), features: feature_weights(data) }
    }

    /// Whether they are positive numbers for `m` atoms of `dim` features.
    pub(crate) fn fit(&self, m: usize, dim: usize) -> bool {
        let sound = |v: &f64| v.is_finite() && *v > 0.0;
        let sizes = self.atoms.len() == m && self.features.len() == dim;
        sizes && self.atoms.iter().chain(&self.features).all(sound)
    }
}

/// Distance to the sample's class over distance to the other classes, for each sample; 1 for those not reached when `cancelled`.
fn penalties<F: Float>(data: &Dataset<F>, cancelled: &dyn Fn() -> bool) -> Vec<f64> {
    let mut penalties = Space::euclidean(data.x.view()).map_until(data.x.view(), cancelled, |i, d| {
        let (mut own, mut other) = (f64::INFINITY, f64::INFINITY);
        for (j, d) in d.iter().enumerate().filter(|(j, _)| *j != i) {
            let nearest = if data.y[j] == data.y[i] { &mut own } else { &mut other };
            *nearest = nearest.min(d.f64());
        }
        // A sample without others of its class, or that coincides with both, carries no information.
        let ratio = (own / other).sqrt();
        if ratio.is_finite() { ratio.clamp(0.5, 2.0) } else { 1.0 }
    });
    penalties.resize(data.len(), 1.0);
    penalties
}

/// Variance over variance inside the classes, for each feature.
fn feature_weights<F: Float>(data: &Dataset<F>) -> Vec<f64> {
    let x = data.x.mapv(F::f64);
    let all: Vec<usize> = (0..data.len()).collect();
    let within = squares_around_means(&x, &data.class_rows());
    let total = squares_around_means(&x, &[all]);
    let ratio = |(total, within): (f64, f64)| {
        // A feature that is constant everywhere carries no information; one that is constant within classes carries much.
        if total == 0.0 { 1.0 } else { (total / within.max(f64::MIN_POSITIVE)).min(10.0) }
    };
    let weights: Vec<f64> = total.into_iter().zip(within).map(ratio).collect();
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.into_iter().map(|w| w / mean).collect()
}

/// Sum of the squared distances of each feature to the means of the groups.
fn squares_around_means(x: &Array2<f64>, groups: &[Vec<usize>]) -> Vec<f64> {
    let mut squares = vec![0.0; x.ncols()];
    for rows in groups {
        let own = x.select(Axis(0), rows);
        let Some(mean) = own.mean_axis(Axis(0)) else { continue };
        own.rows().into_iter().for_each(|row| {
            squares.iter_mut().zip(&row - &mean).for_each(|(s, d)| *s += d * d);
        });
    }
    squares
}

/// The projection of a dictionary.
#[derive(Debug)]
struct CrcCoder<F> {
    dictionary: Dictionary<F>,
    /// `P`, `m × dim`.
    projection: Array2<F>,
}

impl Crc {
    /// The coder over a dictionary, with the weights of `wcrc`, if given.
    pub fn over<F: Float>(
        &self,
        dictionary: Dictionary<F>,
        priors: Option<&Priors>,
    ) -> Result<impl Coder<F> + use<F>> {
        self.check()?;
        let (m, dim) = (dictionary.len(), dictionary.dim());
        if priors.is_some_and(|p| !p.fit(m, dim)) {
            return Err(Error::parts("wcrc weights", "atoms and features"));
        }
        let x = ArrayView2::from_shape((m, dim), dictionary.atoms())?;
        let squares: f64 = dictionary.squares().iter().map(|s| s.f64()).sum();
        let ridge = self.ridge * if squares > 0.0 { squares / m as f64 } else { 1.0 };
        let gamma = |j: usize| priors.map_or(1.0, |p| p.atoms[j]);
        let phi = |f: usize| priors.map_or(1.0, |p| p.features[f]);
        let projection = if m < dim {
            let xf = Array2::from_shape_fn((m, dim), |(j, f)| x[[j, f]].f64() * phi(f));
            let mut a = product_of_rows(xf.view(), x.mapv(F::f64).view());
            a.diag_mut().iter_mut().enumerate().for_each(|(j, v)| *v += ridge * gamma(j));
            solve(&a, &xf)?.mapv(F::of)
        } else {
            let scaled = Array2::from_shape_fn((dim, m), |(f, j)| x[[j, f]].f64() / gamma(j));
            let plain = x.t().mapv(F::f64);
            let mut a = product_of_rows(scaled.view(), plain.view());
            a.diag_mut().iter_mut().enumerate().for_each(|(f, v)| *v += ridge / phi(f));
            solve(&a, &scaled)?.t().mapv(F::of).as_standard_layout().into_owned()
        };
        Ok(CrcCoder { dictionary, projection })
    }
}

/// `a bᵀ` in parallel blocks of rows.
fn product_of_rows(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let ((n, k), m) = (a.dim(), b.nrows());
    let (a, b) = (a.as_standard_layout(), b.as_standard_layout());
    let mut out = Array2::zeros((n, m));
    if let (Some(a), Some(b), Some(out)) = (a.as_slice(), b.as_slice(), out.as_slice_mut()) {
        out.par_chunks_mut(64 * m).zip(a.par_chunks(64 * k)).for_each(|(out, a)| {
            gemm(1.0, Op::N(a, a.len() / k, k), Op::T(b, m, k), out, false);
        });
    }
    out
}

impl<F: Float> Coder<F> for CrcCoder<F> {
    fn dictionary(&self) -> &Dictionary<F> {
        &self.dictionary
    }

    fn code(&self, q: &[F]) -> Vec<Code<F>> {
        let (m, dim) = (self.dictionary.len(), self.dictionary.dim());
        let n = q.len() / dim;
        let mut weights = vec![F::zero(); n * m];
        let projection = self.projection.as_slice().expect("the projection is stored row by row");
        gemm(F::one(), Op::N(q, n, dim), Op::T(projection, m, dim), &mut weights, false);
        let mut residuals = q.to_vec();
        gemm(-F::one(), Op::N(&weights, n, m), Op::N(self.dictionary.atoms(), m, dim), &mut residuals, true);
        let rows = weights.chunks_exact(m).zip(residuals.chunks_exact(dim));
        rows.map(|(w, r)| Code { atoms: (0..m).collect(), weights: w.to_vec(), residual: length(r) })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dictionary::{dot, subtract};
    use super::*;
    use crate::{normal_pair, rng};

    /// The gradient of the penalised error is zero: X Φ r = ρ Γ w, for few and for many atoms.
    #[test]
    fn weights_are_at_the_minimum() {
        for (m, dim) in [(5, 9), (30, 4), (6, 6)] {
            let mut rng = rng(7, "crc");
            let x = Array2::from_shape_fn((m, dim), |_| normal_pair(&mut rng)[0]);
            let q: Vec<f64> = (0..dim).map(|_| normal_pair(&mut rng)[0]).collect();
            let priors = Priors {
                atoms: (0..m).map(|j| 0.5 + j as f64 / m as f64).collect(),
                features: (0..dim).map(|f| 0.2 + f as f64).collect(),
            };
            let d = Dictionary::new(x.view()).unwrap();
            let ridge = 0.3 * x.mapv(|v| v * v).sum() / m as f64;
            let ones = Priors { atoms: vec![1.0; m], features: vec![1.0; dim] };
            for given in [None, Some(&priors)] {
                let code = Crc { ridge: 0.3 }.over(d.clone(), given).unwrap().code(&q).remove(0);
                let (p, mut r) = (given.unwrap_or(&ones), q.clone());
                code.weights.iter().enumerate().for_each(|(j, &w)| subtract(&mut r, w, d.atom(j)));
                assert!((length(&r) - code.residual).abs() < 1e-12);
                let weighted: Vec<f64> = r.iter().zip(&p.features).map(|(r, f)| r * f).collect();
                for j in 0..m {
                    let gradient = dot(&weighted, d.atom(j)) - ridge * p.atoms[j] * code.weights[j];
                    assert!(gradient.abs() < 1e-9, "{m} × {dim}, atom {j}: {gradient}");
                }
            }
        }
    }

    #[test]
    fn priors_know_strays_and_noisy_features() {
        // Two classes along the first feature, a stray of the first inside the second; the other feature is noise.
        let x = ndarray::array![
            [0.0, 1.0],
            [0.1, -1.0],
            [0.2, 1.0],
            [5.0, 1.0],
            [5.1, -1.0],
            [5.2, 1.0],
            [5.3, 1.0]
        ];
        let data = Dataset::new(x, vec![0, 0, 0, 1, 1, 1, 0], vec!["a".into(), "b".into()]).unwrap();
        let p = Priors::learn(&data, &|| false);
        assert!(p.atoms[0] == 0.5 && p.atoms[6] == 2.0, "{:?}", p.atoms);
        assert!(p.fit(7, 2) && !p.fit(6, 2));
        let even = (p.features[0] + p.features[1]) / 2.0;
        assert!((even - 1.0).abs() < 1e-12 && p.features[0] > p.features[1]);
    }
}
