//! Target encoding: the one-hot features of a text column become how much more often each class occurs with a value.
//!
//! # Formula
//! A column whose value `l` occurs in `n_l` samples, `n_lc` of them of class `c`, has the numbers
//! ```text
//! r_c(l) = (n_lc + a s_c) / (n_l + a) − s_c,     a = 10,  s_c = share of class c in all samples
//! ```
//! for all classes but the last. A rare value is drawn towards 0, and a value that was not seen is 0: the share that the class
//! has everywhere. As a map of one-hot features this is linear.
//!
//! # Cross-fitting
//! A training sample is encoded by the samples of the other four of five folds; otherwise its own class would leak into its
//! features. Later samples are encoded by all training samples.
//!
//! # Reference
//! Micci-Barreca: "A Preprocessing Scheme for High-Cardinality Categorical Attributes", SIGKDD Explorations 3, 2001.

use super::LinearMap;
use crate::kernel::product;
use crate::{Dataset, Float, Result, rng};
use ndarray::{Array2, Axis};
use rand::seq::SliceRandom;
use std::ops::Range;

/// Samples that the share of a class in all samples counts for.
const SMOOTHING: f64 = 10.0;
/// Parts of the training samples.
const FOLDS: usize = 5;

/// Target-encodes text columns with more than `least` values: the map for later samples, and what becomes of the training
/// samples; none where there is no such column.
pub(crate) fn target_encoding<F: Float>(
    data: &Dataset<F>,
    least: usize,
    seed: u64,
) -> Result<Option<(LinearMap<F>, Array2<F>)>> {
    let columns = columns(data, least.max(data.n_classes() - 1));
    if columns.is_empty() {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..data.len()).collect();
    order.shuffle(&mut rng(seed, "target encoding"));
    let map = LinearMap::new(matrix(data, &columns, &order))?;
    let mut x = Array2::zeros((data.len(), map.output_dim()));
    for fold in 0..FOLDS {
        let in_fold = |at: &usize| at % FOLDS == fold;
        let (own, others): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(in_fold);
        let rows: Vec<usize> = own.iter().map(|&at| order[at]).collect();
        let others: Vec<usize> = others.iter().map(|&at| order[at]).collect();
        let z = product(data.x.select(Axis(0), &rows).view(), matrix(data, &columns, &others).view());
        rows.iter().zip(z.rows()).for_each(|(&i, z)| x.row_mut(i).assign(&z));
    }
    Ok(Some((map, x)))
}

/// One-hot features of text columns with more than `least` values: neighbours called `column=value`, all zeros and ones,
/// at most one 1 in a row.
fn columns<F: Float>(data: &Dataset<F>, least: usize) -> Vec<Range<usize>> {
    let column = |f: usize| data.features[f].split_once('=').map(|(column, _)| column);
    let mut columns: Vec<Range<usize>> = Vec::new();
    for f in 0..data.dim() {
        match columns.last_mut() {
            Some(last) if column(f).is_some() && column(last.start) == column(f) => last.end = f + 1,
            _ => columns.push(f..f + 1),
        }
    }
    let one_hot = |range: &Range<usize>| {
        data.x.rows().into_iter().all(|row| {
            let values = || range.clone().map(|f| row[f]);
            let ones = values().filter(|&v| v == F::one()).count();
            ones <= 1 && values().all(|v| v == F::zero() || v == F::one())
        })
    };
    columns.retain(|range| range.len() > least && one_hot(range));
    columns
}

/// The map by the samples of `rows`: features outside of `columns` stay.
fn matrix<F: Float>(data: &Dataset<F>, columns: &[Range<usize>], rows: &[usize]) -> Array2<F> {
    let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
    let mut counts = Array2::<f64>::zeros((data.dim(), data.n_classes()));
    let mut shares = vec![0.0; data.n_classes()];
    for &i in rows {
        shares[data.y[i]] += weight(i);
        for f in columns.iter().flat_map(Clone::clone).filter(|&f| data.x[[i, f]] == F::one()) {
            counts[[f, data.y[i]]] += weight(i);
        }
    }
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total);
    let width = data.n_classes() - 1;
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    let (mut out, mut f) = (0, 0);
    while f < data.dim() {
        match columns.iter().find(|c| c.start == f) {
            Some(column) => {
                for f in column.clone() {
                    let n = counts.row(f).sum();
                    let rate =
                        |c: usize| (counts[[f, c]] + SMOOTHING * shares[c]) / (n + SMOOTHING) - shares[c];
                    entries.extend((0..width).map(|c| (out + c, f, rate(c))));
                }
                (out, f) = (out + width, column.end);
            }
            None => {
                entries.push((out, f, 1.0));
                (out, f) = (out + 1, f + 1);
            }
        }
    }
    let mut matrix = Array2::zeros((out, data.dim()));
    entries.into_iter().for_each(|(o, f, v)| matrix[[o, f]] = F::of(v));
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::s;

    /// A number, then a column of three values; of the value `a` all samples are of class 0.
    fn example() -> Dataset<f64> {
        let value = |i: usize| i % 3;
        let x = Array2::from_shape_fn((60, 4), |(i, f)| match f {
            0 => i as f64,
            f => f64::from(u8::from(value(i) == f - 1)),
        });
        let y = (0..60).map(|i| usize::from(value(i) > 0 && i % 2 == 0)).collect();
        let names = ["n", "t=a", "t=b", "t=c"].map(String::from).to_vec();
        Dataset::new(x, y, vec!["0".into(), "1".into()]).unwrap().with_features(names).unwrap()
    }

    #[test]
    fn rates_follow_the_formula_and_unknown_values_are_the_prior() {
        let data = example();
        let (map, x) = target_encoding(&data, 2, 7).unwrap().unwrap();
        assert_eq!((x.dim(), map.matrix.dim()), ((60, 2), (2, 4)));
        // 40 of 60 samples are of class 0, and all 20 with the value a: (20 + 10 · 2/3) / 30 − 2/3 = 2/9.
        assert!((map.matrix[[1, 1]] - 2.0 / 9.0).abs() < 1e-12);
        assert_eq!(map.apply(ndarray::array![[5.0, 0.0, 0.0, 0.0]].view()), ndarray::array![[5.0, 0.0]]);
        // Numbers stay; training samples are encoded by others.
        assert_eq!(x.column(0), data.x.column(0));
        let z = map.apply(data.x.view());
        assert!((&x.slice(s![.., 1]) - &z.slice(s![.., 1])).iter().all(|v| v.abs() < 0.1));
        assert_ne!(x, z);
        assert_eq!(target_encoding(&data, 2, 7).unwrap().unwrap().1, x);
    }

    /// Rates of a column of noise with a value for each sample say nothing about the samples themselves.
    #[test]
    fn the_class_of_a_sample_does_not_leak() {
        let n = 40;
        let x = Array2::from_shape_fn((n, n), |(i, f)| f64::from(u8::from(i == f)));
        let names = (0..n).map(|f| format!("id={f}")).collect();
        let y = (0..n).map(|i| i % 2).collect();
        let data = Dataset::new(x, y, vec!["0".into(), "1".into()]).unwrap().with_features(names).unwrap();
        let (_, x) = target_encoding(&data, 20, 0).unwrap().unwrap();
        assert!(x.iter().all(|v| v.abs() < 1e-12), "{x}");
    }

    #[test]
    fn columns_of_few_values_and_other_features_stay() {
        assert!(target_encoding(&example(), 3, 0).unwrap().is_none());
        let mut counts = example();
        counts.x[[0, 2]] = 2.0;
        assert!(target_encoding(&counts, 2, 0).unwrap().is_none());
    }
}
