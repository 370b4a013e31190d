//! [`Rows`]: samples as sparse rows, one after the other.

use crate::{Error, Float, Result};
use ndarray::ArrayView2;

/// Sparse rows of `dim` features: what is not listed is zero. Values are `f64`, as in the solvers.
///
/// ```
/// use protea::svm::Rows;
/// let mut rows = Rows::new(5);
/// rows.push([(1, 0.5), (4, 2.0)])?;
/// assert_eq!((rows.len(), rows.row(0).values), (1, &[0.5, 2.0][..]));
/// # Ok::<(), protea::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    dim: usize,
    /// Where the entries of each row end; the first row starts at 0.
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

/// One row of [`Rows`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// Features that are listed, ascending.
    pub indices: &'a [u32],
    /// Their values.
    pub values: &'a [f64],
}

impl Rows {
    /// No rows yet, of `dim` features.
    pub fn new(dim: usize) -> Self {
        Rows { dim, ends: Vec::new(), indices: Vec::new(), values: Vec::new() }
    }

    /// Appends a row given by its entries, features ascending and values finite.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        let start = self.indices.len();
        for (index, value) in entries {
            let ascends = self.indices[start..].last().is_none_or(|&last| last < index);
            if index as usize >= self.dim || !ascends || !value.is_finite() {
                self.indices.truncate(start);
                self.values.truncate(start);
                return Err(Error::data(format!(
                    "row {}: the entry {value} of feature {index} is not a finite number at an ascending feature below {}",
                    self.len() + 1,
                    self.dim
                )));
            }
            self.indices.push(index);
            self.values.push(value);
        }
        self.ends.push(self.indices.len());
        Ok(())
    }

    /// The rows of a matrix without their zeros.
    pub fn from_dense<F: Float>(x: ArrayView2<F>) -> Result<Self> {
        let mut rows = Rows::new(x.ncols());
        for row in x.rows() {
            let entries = row.iter().enumerate().map(|(j, v)| (j as u32, v.f64()));
            rows.push(entries.filter(|&(_, v)| v != 0.0))?;
        }
        Ok(rows)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        let at = if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i];
        Row { indices: &self.indices[at.clone()], values: &self.values[at] }
    }

    /// The rows at `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let mut rows = Rows::new(self.dim);
        for &i in which {
            let row = self.row(i);
            rows.indices.extend_from_slice(row.indices);
            rows.values.extend_from_slice(row.values);
            rows.ends.push(rows.indices.len());
        }
        rows
    }
}

impl Row<'_> {
    /// Features and values.
    #[inline(always)]
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> {
        self.indices.iter().zip(self.values).map(|(&j, &v)| (j as usize, v))
    }

    /// `Σ v_j w_j`, in four lanes that do not wait for each other.
    #[inline(always)]
    pub(super) fn dot(&self, w: &[f64]) -> f64 {
        let mut lanes = [0.0; 4];
        let (indices, values) = (self.indices.chunks_exact(4), self.values.chunks_exact(4));
        let tail = indices.remainder().iter().zip(values.remainder());
        let tail = tail.fold(0.0, |sum, (&j, &v)| sum + v * w[j as usize]);
        for (indices, values) in indices.zip(values) {
            for ((l, &j), &v) in lanes.iter_mut().zip(indices).zip(values) {
                *l += v * w[j as usize];
            }
        }
        lanes.into_iter().sum::<f64>() + tail
    }

    /// `w += factor · row`.
    #[inline(always)]
    pub(super) fn add_to(&self, factor: f64, w: &mut [f64]) {
        self.entries().for_each(|(j, v)| w[j] += factor * v);
    }

    /// Sum of the squares.
    #[inline(always)]
    pub(super) fn square_sum(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn dense_rows_lose_their_zeros_and_nothing_else() {
        let rows =
            Rows::from_dense(array![[0.0f32, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]].view()).unwrap();
        assert_eq!((rows.len(), rows.dim()), (3, 3));
        assert_eq!(rows.row(2).entries().collect::<Vec<_>>(), [(0, 1.0), (2, 3.0)]);
        assert!(rows.row(1).indices.is_empty());
        assert_eq!(rows.select(&[2, 0]).row(1), rows.row(0));
    }

    #[test]
    fn products_are_those_of_a_plain_loop() {
        let mut rows = Rows::new(11);
        rows.push((0..11).map(|j| (j, f64::from(j) - 4.0))).unwrap();
        let w: Vec<f64> = (0..11).map(|j| f64::from(j * j)).collect();
        let plain: f64 = (0..11).map(|j| (f64::from(j) - 4.0) * f64::from(j * j)).sum();
        assert_eq!(rows.row(0).dot(&w), plain);
    }

    #[test]
    fn bad_entries_are_refused_and_leave_no_trace() {
        let mut rows = Rows::new(3);
        for bad in [vec![(3, 1.0)], vec![(1, 1.0), (1, 2.0)], vec![(2, 1.0), (0, 1.0)], vec![(0, f64::NAN)]] {
            assert!(rows.push(bad).unwrap_err().to_string().starts_with("row 1: "));
        }
        assert_eq!(rows, Rows::new(3));
    }
}
