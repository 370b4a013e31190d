//! Linear maps of samples: principal components, or a given matrix.

use super::{Components, Nature, Step, rows_of};
use crate::kernel::{Op, check_finite, column_means, eigh, gemm, product, pseudo_inverse, sum_blocks};
use crate::plan::{self, Plan};
use crate::store::Stored;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// `z = A (x − centre)`, undone by `x = A⁺ z + centre`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap<F> {
    /// What is subtracted.
    pub centre: Vec<F>,
    /// `A`, `r × dim`.
    pub matrix: Array2<F>,
    /// The pseudo-inverse of `A`, `dim × r`.
    pub inverse: Array2<F>,
}

impl<F: Float> LinearMap<F> {
    /// The map by a given matrix (`r × dim`), without centring.
    pub fn new(matrix: Array2<F>) -> Result<Self> {
        if matrix.is_empty() {
            return Err(Error::Empty { what: "the matrix of a linear map".into() });
        }
        check_finite("the matrix of a linear map", matrix.view())?;
        let inverse = pseudo_inverse(&matrix.mapv(F::f64))?.mapv(F::of);
        Ok(LinearMap { centre: vec![F::zero(); matrix.ncols()], matrix, inverse })
    }

    /// Features that come out.
    pub fn output_dim(&self) -> usize {
        self.matrix.nrows()
    }

    /// Maps samples.
    pub fn apply(&self, x: ArrayView2<F>) -> Array2<F> {
        let centred = &x - &ndarray::aview1(&self.centre);
        product(centred.view(), self.matrix.view())
    }

    /// Maps back, as far as the matrix allows.
    pub fn invert(&self, z: ArrayView2<F>) -> Array2<F> {
        product(z, self.inverse.view()) + ndarray::aview1(&self.centre)
    }
}

/// The map to principal components: a number of them, or as few as keep a share of the variance. Of fewer samples than half the
/// features, components without variance are left out.
pub fn pca<F: Float>(x: ArrayView2<F>, components: Components) -> Result<LinearMap<F>> {
    let (n, dim) = x.dim();
    let means = column_means(x);
    let centre: Vec<F> = means.iter().map(|&v| F::of(v)).collect();
    let (values, vectors) =
        if 2 * n < dim { few_samples(x, &means)? } else { eigh(&(covariance(x, &centre) / n as f64))? };
    let r = match components {
        Components::Number(r) if r <= dim => r.min(values.len()),
        Components::Number(r) => return Err(Error::setting("pca", r, format!("at most {dim} components"))),
        Components::Variance(share) => {
            let total: f64 = values.iter().map(|v| v.max(0.0)).sum();
            let mut kept = 0.0;
            1 + values
                .iter()
                .take(values.len() - 1)
                .take_while(|&&v| {
                    kept += v.max(0.0);
                    kept < share * total
                })
                .count()
        }
    };
    let matrix = vectors.slice(ndarray::s![..r, ..]).mapv(F::of);
    let inverse = matrix.t().as_standard_layout().into_owned();
    Ok(LinearMap { centre, matrix, inverse })
}

/// Share of the largest variance below which a component is rounding.
const ROUNDING: f64 = 1e-12;

/// Variances and components in the span of fewer samples than features, in time n²·dim: with `X Xᵀ u = λ u`, `Xᵀ u` is an
/// eigenvector of `Xᵀ X` for the same λ. Where all samples are equal, the first feature stands for all.
fn few_samples<F: Float>(x: ArrayView2<F>, means: &[f64]) -> Result<(Vec<f64>, Array2<f64>)> {
    let centred = x.mapv(F::f64) - ndarray::aview1(means);
    let n = x.nrows() as f64;
    let (mut values, u) = eigh(&(product(centred.view(), centred.view()) / n))?;
    let rank = values.iter().take_while(|&&v| v > ROUNDING * values[0] && v > 0.0).count();
    values.truncate(rank);
    if rank == 0 {
        let first = |(_, j): (usize, usize)| if j == 0 { 1.0 } else { 0.0 };
        return Ok((vec![0.0], Array2::from_shape_fn((1, x.ncols()), first)));
    }
    let u = u.slice(ndarray::s![..rank, ..]).to_owned();
    let mut vectors = product(u.view(), centred.t());
    for (mut row, value) in vectors.rows_mut().into_iter().zip(&values) {
        row /= (n * value).sqrt();
    }
    Ok((values, vectors))
}

/// `Σ_i (x_i − centre)(x_i − centre)ᵀ`.
fn covariance<F: Float>(x: ArrayView2<F>, centre: &[F]) -> Array2<f64> {
    let dim = x.ncols();
    sum_blocks((dim, dim), x.nrows(), |block, part| {
        let rows = x.slice(ndarray::s![block, ..]);
        let n = rows.nrows();
        let centred: Vec<F> =
            rows.rows().into_iter().flat_map(|r| r.into_iter().zip(centre).map(|(&v, &c)| v - c)).collect();
        gemm(F::one(), Op::T(&centred, n, dim), Op::N(&centred, n, dim), part, false);
    })
}

impl<F: Float> Step<F> for LinearMap<F> {
    fn output_dim(&self, input: usize) -> Option<usize> {
        let (r, d) = self.matrix.dim();
        let fits = d == input && self.centre.len() == input && self.inverse.dim() == (d, r);
        fits.then_some(r)
    }

    fn apply(&self, x: Array2<F>) -> Array2<F> {
        LinearMap::apply(self, x.view())
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        let z = LinearMap::apply(self, rows_of(rows, dim).view());
        *rows = z.into_raw_vec_and_offset().0;
        self.matrix.nrows()
    }

    fn invert(&self, z: Array2<F>) -> Array2<F> {
        LinearMap::invert(self, z.view())
    }

    fn nature(&self) -> Nature {
        Nature::Linear
    }

    fn pull_back(&self, v: Vec<f64>) -> Vec<f64> {
        let column = |c: ArrayView1<F>| c.iter().zip(&v).map(|(a, v)| a.f64() * v).sum();
        self.matrix.columns().into_iter().map(column).collect()
    }

    fn after(&self, a: Array2<F>) -> Array2<F> {
        product(self.matrix.view(), a.t())
    }

    fn mixes(&self) -> bool {
        true
    }

    fn size(&self) -> usize {
        self.centre.len() + self.matrix.len()
    }

    fn describe(&self) -> String {
        format!("linear map {} → {}", self.matrix.ncols(), self.matrix.nrows())
    }

    fn store(&self) -> Stored<F> {
        Stored::new("linear")
            .with_vector("centre", &self.centre)
            .with_matrix("matrix", &self.matrix)
            .with_matrix("inverse", &self.inverse)
    }

    fn lower(&self, plan: &mut Plan) -> Result<plan::Op> {
        Ok(plan::Op::Affine {
            centre: plan.real("centre", &[self.centre.len()], self.centre.iter().map(|v| v.f64())),
            matrix: plan.real("matrix", self.matrix.shape(), self.matrix.iter().map(|v| v.f64())),
            inverse: plan.real("inverse", self.inverse.shape(), self.inverse.iter().map(|v| v.f64())),
        })
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(self.clone())
    }
}

pub(super) fn restore<F: Float>(stored: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    Ok(Box::new(LinearMap {
        centre: stored.vector("centre")?,
        matrix: stored.matrix("matrix")?,
        inverse: stored.matrix("inverse")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn components_follow_the_variance() {
        // Points on the diagonal with a little spread across: variances 8 and 0.5 after a turn by 45°.
        let x = array![[-2.0, -2.0], [2.0, 2.0], [0.5, -0.5], [-0.5, 0.5]];
        let map = pca(x.view(), Components::Number(2)).unwrap();
        let z = map.apply(x.view());
        assert!((z[[1, 0]] - 8f64.sqrt()).abs() < 1e-12 && (z[[2, 1]].abs() - 0.5f64.sqrt()).abs() < 1e-12);
        // The first component has 16 of 17 parts of the variance.
        assert_eq!(pca(x.view(), Components::Variance(0.94)).unwrap().output_dim(), 1);
        assert_eq!(pca(x.view(), Components::Variance(0.95)).unwrap().output_dim(), 2);
        assert!(pca(x.view(), Components::Number(3)).is_err());
    }

    /// Three samples of a thousand features span two dimensions, whatever is asked for; equal ones have none, and keep one.
    #[test]
    fn few_samples_have_no_more_components_than_they_span() {
        let x = Array2::from_shape_fn((3, 1000), |(i, j)| ((7 * i + j) as f64).sin() + i as f64);
        let map = pca(x.view(), Components::Number(128)).unwrap();
        assert_eq!(map.output_dim(), 2);
        let back = map.invert(map.apply(x.view()).view());
        assert!((&back - &x).iter().all(|v| v.abs() < 1e-9));
        let equal = Array2::from_elem((3, 1000), 2.5);
        assert_eq!(pca(equal.view(), Components::Number(128)).unwrap().output_dim(), 1);
        assert!(pca(x.view(), Components::Number(1001)).is_err());
    }

    #[test]
    fn a_square_map_is_undone_exactly() {
        let map = LinearMap::new(array![[2.0, 1.0], [0.0, 1.0]]).unwrap();
        let x = array![[3.0, -1.0]];
        assert_eq!(map.apply(x.view()), array![[5.0, -1.0]]);
        assert!((map.invert(map.apply(x.view()).view()) - x).iter().all(|v: &f64| v.abs() < 1e-12));
        assert!(LinearMap::new(array![[f64::NAN]]).is_err());
    }
}
