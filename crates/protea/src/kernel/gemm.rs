//! The one door to the linear-algebra library: products, eigenvectors, least squares.
//!
//! Matrices are row-major slices with their shape. Products are sequential; callers parallelise over blocks of
//! rows outside (threaded products collapse on small blocks).

use crate::{Error, Float, Result};
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Solve;
use faer::{Accum, MatMut, MatRef, Par, Side};
use ndarray::Array2;

/// A row-major matrix, or its transpose, as an operand of [`gemm`].
#[derive(Clone, Copy)]
pub(crate) enum Op<'a, F> {
    /// As stored, `rows × cols`.
    N(&'a [F], usize, usize),
    /// Stored `rows × cols`, used transposed.
    T(&'a [F], usize, usize),
}

impl<'a, F: Float> Op<'a, F> {
    fn view(self) -> MatRef<'a, F> {
        match self {
            Op::N(a, r, c) => MatRef::from_row_major_slice(a, r, c),
            Op::T(a, r, c) => MatRef::from_row_major_slice(a, r, c).transpose(),
        }
    }
}

/// `out = alpha · a b`, or `out += alpha · a b` with `add`; `out` is row-major.
pub(crate) fn gemm<F: Float>(alpha: F, a: Op<F>, b: Op<F>, out: &mut [F], add: bool) {
    let (a, b) = (a.view(), b.view());
    let out = MatMut::from_row_major_slice_mut(out, a.nrows(), b.ncols());
    let beta = if add { Accum::Add } else { Accum::Replace };
    matmul(out, beta, a, b, alpha, Par::Seq);
}

/// `a b` into the last columns of `out`, which is row-major and has `width` of them.
pub(crate) fn gemm_into_last<F: Float>(a: Op<F>, b: Op<F>, out: &mut [F], width: usize) {
    let (a, b) = (a.view(), b.view());
    let out = MatMut::from_row_major_slice_mut(out, a.nrows(), width);
    let out = out.subcols_mut(width - b.ncols(), b.ncols());
    matmul(out, Accum::Replace, a, b, F::one(), Par::Seq);
}

/// Eigenvalues in descending order and their eigenvectors as rows, of a symmetric matrix.
///
/// The sign of an eigenvector is fixed by making its entry of largest magnitude positive.
pub(crate) fn eigh(symmetric: &Array2<f64>) -> Result<(Vec<f64>, Array2<f64>)> {
    let n = symmetric.nrows();
    let s = symmetric.as_standard_layout();
    let view = MatRef::from_row_major_slice(s.as_slice().expect("standard layout"), n, n);
    let e = view.self_adjoint_eigen(Side::Lower).map_err(|e| Error::Matrix {
        rows: n,
        columns: n,
        problem: format!("has no eigenvalues that could be found: {e:?}"),
    })?;
    let (values, vectors) = (e.S().column_vector(), e.U());
    let mut rows = Array2::zeros((n, n));
    for (i, mut row) in rows.rows_mut().into_iter().enumerate() {
        let column = vectors.col(n - 1 - i);
        let sign = (0..n).map(|j| column[j]).fold(0.0, |m: f64, v| if v.abs() > m.abs() { v } else { m });
        row.iter_mut().enumerate().for_each(|(j, v)| *v = column[j] * sign.signum());
    }
    Ok(((0..n).map(|i| values[n - 1 - i]).collect(), rows))
}

/// Moore–Penrose inverse of `a` (`r × d`), singular values below 1e-10 of the largest taken as zero.
pub(crate) fn pseudo_inverse(a: &Array2<f64>) -> Result<Array2<f64>> {
    let (r, d) = a.dim();
    let s = a.as_standard_layout();
    let view = MatRef::from_row_major_slice(s.as_slice().expect("standard layout"), r, d);
    let svd = view.thin_svd().map_err(|e| Error::Matrix {
        rows: r,
        columns: d,
        problem: format!("could not be inverted: {e:?}"),
    })?;
    let (u, v, values) = (svd.U(), svd.V(), svd.S().column_vector());
    let k = r.min(d);
    let floor = (0..k).map(|i| values[i]).fold(0.0, f64::max) * 1e-10;
    Ok(Array2::from_shape_fn((d, r), |(i, j)| {
        (0..k).filter(|&l| values[l] > floor).map(|l| v[(i, l)] * u[(j, l)] / values[l]).sum()
    }))
}

/// `X` with `a X = b` for a symmetric positive definite `a` (`n × n`) and `b` (`n × k`).
pub(crate) fn solve(a: &Array2<f64>, b: &Array2<f64>) -> Result<Array2<f64>> {
    let (n, k) = b.dim();
    let (a, b) = (a.as_standard_layout(), b.as_standard_layout());
    let view = MatRef::from_row_major_slice(a.as_slice().expect("standard layout"), n, n);
    let factor = view.llt(Side::Lower).map_err(|_| Error::Matrix {
        rows: n,
        columns: n,
        problem: "is not positive definite".into(),
    })?;
    let x = factor.solve(MatRef::from_row_major_slice(b.as_slice().expect("standard layout"), n, k));
    Ok(Array2::from_shape_fn((n, k), |(i, j)| x[(i, j)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn products_match_a_naive_loop() {
        for (r, k, c) in [(1, 1, 1), (3, 5, 2), (17, 9, 33), (1, 40, 7)] {
            let a: Vec<f64> = (0..r * k).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
            let b: Vec<f64> = (0..k * c).map(|i| ((i * 5 + 1) % 13) as f64 - 6.0).collect();
            let at: Vec<f64> = (0..k * r).map(|i| a[(i % r) * k + i / r]).collect();
            let bt: Vec<f64> = (0..c * k).map(|i| b[(i % k) * c + i / k]).collect();
            let naive: Vec<f64> = (0..r * c)
                .map(|i| (0..k).map(|l| a[(i / c) * k + l] * b[l * c + i % c]).sum::<f64>() * 2.0)
                .collect();
            for (a, b) in [
                (Op::N(&a, r, k), Op::N(&b, k, c)),
                (Op::T(&at, k, r), Op::N(&b, k, c)),
                (Op::N(&a, r, k), Op::T(&bt, c, k)),
                (Op::T(&at, k, r), Op::T(&bt, c, k)),
            ] {
                let mut out = vec![1.0; r * c];
                gemm(2.0, a, b, &mut out, false);
                assert_eq!(out, naive);
                gemm(2.0, a, b, &mut out, true);
                assert!(out.iter().zip(&naive).all(|(o, n)| *o == 2.0 * n));
            }
        }
    }

    #[test]
    fn eigenvectors_come_sorted_with_a_fixed_sign() {
        let (values, rows) = eigh(&array![[2.0, 1.0], [1.0, 2.0]]).unwrap();
        assert!((values[0] - 3.0).abs() < 1e-14 && (values[1] - 1.0).abs() < 1e-14);
        let h = 0.5f64.sqrt();
        assert!((rows[[0, 0]] - h).abs() < 1e-14 && (rows[[0, 1]] - h).abs() < 1e-14);
        assert!((rows[[1, 0]] * rows[[1, 1]] + 0.5).abs() < 1e-14);
    }

    #[test]
    fn equations_are_solved_or_refused() {
        let x = solve(&array![[4.0, 2.0], [2.0, 3.0]], &array![[10.0], [9.0]]).unwrap();
        assert!((x[[0, 0]] - 1.5).abs() < 1e-14 && (x[[1, 0]] - 2.0).abs() < 1e-14);
        let error = solve(&array![[1.0, 2.0], [2.0, 1.0]], &array![[1.0], [1.0]]).unwrap_err();
        assert_eq!(error.to_string(), "a 2 × 2 matrix is not positive definite");
    }

    #[test]
    fn the_pseudo_inverse_undoes_what_can_be_undone() {
        let a = array![[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        assert!(
            (&pseudo_inverse(&a).unwrap() - &array![[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]])
                .iter()
                .all(|v| v.abs() < 1e-14)
        );
        assert!(pseudo_inverse(&Array2::zeros((2, 2))).unwrap().iter().all(|&v| v == 0.0));
    }
}
