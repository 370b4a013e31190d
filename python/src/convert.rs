//! From arrays of NumPy to samples.

use crate::error::exception;
use ndarray::{ArrayView2, Axis};
use protea::{Dataset, Error, Float};
use pyo3::PyResult;

/// Whole weights become repeated rows up to this many rows for each given one …
const REPEATS: f64 = 4.0;
/// … and this many in all.
const FEW: f64 = 1000.0;

/// Labelled rows as Python gives them.
pub struct Given<'a, F> {
    pub x: ArrayView2<'a, F>,
    pub y: &'a [i64],
    pub classes: &'a [String],
    pub features: Option<Vec<String>>,
    pub weights: Option<&'a [f64]>,
}

/// Samples for training, and the given row that each of them is.
///
/// Samples are sorted by class and values, so that a fit does not depend on the order of the rows. Rows of weight 0 are left
/// out; a row of whole weight `k` is given `k` times, which is what the weight means, wherever that makes few rows; equal
/// weights are none.
pub fn samples<F: Float>(given: &Given<F>) -> PyResult<(Dataset<F>, Vec<usize>)> {
    let y = indices(given.y, given.classes.len())?;
    let n = given.x.nrows();
    if let Some(found) = given.weights.map(<[f64]>::len).filter(|&len| len != n) {
        return Err(exception(Error::shape("sample weights, one for each row", n, found)));
    }
    if y.len() != n {
        return Err(exception(Error::shape("labels, one for each row", n, y.len())));
    }
    let weight = |i: usize| given.weights.map_or(1.0, |w| w[i]);
    let mut order: Vec<usize> = (0..n).filter(|&i| weight(i) != 0.0).collect();
    let x = given.x;
    order.sort_by(|&a, &b| {
        let values = || {
            let pairs = x.row(a).into_iter().zip(x.row(b));
            pairs.map(|(a, b)| a.f64().total_cmp(&b.f64())).find(|o| o.is_ne())
        };
        // Equal rows by weight, so that sums of weights are taken in the same order.
        y[a].cmp(&y[b]).then_with(|| values().unwrap_or_else(|| weight(a).total_cmp(&weight(b))))
    });
    let equal = order.windows(2).all(|pair| weight(pair[0]) == weight(pair[1]));
    let total: f64 = order.iter().map(|&i| weight(i)).sum();
    let whole = order.iter().all(|&i| weight(i).fract() == 0.0 && weight(i) > 0.0);
    let mut weights = None;
    if whole && total <= REPEATS * n as f64 + FEW {
        order = order.into_iter().flat_map(|i| std::iter::repeat_n(i, weight(i) as usize)).collect();
    } else if !equal || order.iter().any(|&i| weight(i) < 0.0) {
        weights = Some(order.iter().map(|&i| weight(i)).collect());
    }
    let data = dataset(given, &y, &order)?;
    let data = match weights {
        Some(weights) => data.with_weights(weights).map_err(exception)?,
        None => data,
    };
    Ok((data, order))
}

/// Labelled rows as they are, for validation and measuring.
pub fn as_given<F: Float>(given: &Given<F>) -> PyResult<Dataset<F>> {
    let y = indices(given.y, given.classes.len())?;
    dataset(given, &y, &(0..y.len()).collect::<Vec<_>>())
}

fn dataset<F: Float>(given: &Given<F>, y: &[usize], order: &[usize]) -> PyResult<Dataset<F>> {
    let x = given.x.select(Axis(0), order);
    let y = order.iter().map(|&i| y[i]).collect();
    let data = Dataset::new(x, y, given.classes.to_vec()).map_err(exception)?;
    match &given.features {
        Some(names) => data.with_features(names.clone()).map_err(exception),
        None => Ok(data),
    }
}

fn indices(y: &[i64], classes: usize) -> PyResult<Vec<usize>> {
    let index = |(i, &index): (usize, &i64)| {
        usize::try_from(index).map_err(|_| exception(Error::ClassIndex { row: i + 1, index, classes }))
    };
    y.iter().enumerate().map(index).collect()
}

/// Refuses NaN and infinities, with the place of the first.
pub fn check_finite<F: Float>(x: ArrayView2<F>) -> PyResult<()> {
    // Zero times a number is zero, times anything else NaN: a sum without branches.
    let sound = match x.as_slice() {
        Some(values) => {
            values.chunks(4096).all(|c| c.iter().fold(F::zero(), |a, &v| a + v * F::zero()) == F::zero())
        }
        None => x.iter().all(|v| v.f64().is_finite()),
    };
    if sound {
        return Ok(());
    }
    match x.indexed_iter().find(|(_, v)| !v.f64().is_finite()) {
        Some(((i, j), v)) => {
            let (row, column, value) = (i + 1, j + 1, v.f64());
            Err(exception(Error::NotFinite { what: "the samples", row, column, value }))
        }
        None => Ok(()),
    }
}
