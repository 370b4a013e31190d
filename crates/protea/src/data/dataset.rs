//! [`Dataset`]: features, classes, optional weights.

use crate::{Error, Float, Result, rng};
use ndarray::{Array2, Axis};
use rand::seq::index;
use sha2::{Digest, Sha256};

/// Labelled samples that every other part may trust: finite, non-empty, classes in range.
///
/// ```
/// use protea::Dataset;
/// use ndarray::array;
/// let d = Dataset::new(array![[0.0f32, 1.0], [2.0, 3.0]], vec![0, 1], vec!["no".into(), "yes".into()])?;
/// assert_eq!((d.len(), d.dim(), d.n_classes()), (2, 2, 2));
/// # Ok::<(), protea::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset<F = f32> {
    /// Samples as rows, `n × dim`, row-major.
    pub x: Array2<F>,
    /// Class of each sample, an index into `classes`.
    pub y: Vec<usize>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Names of the features; `f0, f1, …` unless set.
    pub features: Vec<String>,
    /// Weight of each sample; all 1 when absent.
    pub weights: Option<Vec<f64>>,
}

impl<F: Float> Dataset<F> {
    /// Checks and takes the samples: at least one row and column, every value finite, classes in range.
    ///
    /// A class without samples is allowed here, so that a fold or a test part may lack one; training rejects it.
    pub fn new(x: Array2<F>, y: Vec<usize>, classes: Vec<String>) -> Result<Self> {
        let (n, dim) = x.dim();
        if n == 0 || dim == 0 {
            return Err(Error::Empty { what: format!("a data set of {n} rows and {dim} columns") });
        }
        if y.len() != n {
            return Err(Error::shape("labels, one for each row", n, y.len()));
        }
        if let Some(i) = y.iter().position(|&c| c >= classes.len()) {
            return Err(Error::ClassIndex { row: i + 1, index: y[i] as i64, classes: classes.len() });
        }
        let x = if x.is_standard_layout() { x } else { x.as_standard_layout().into_owned() };
        if let Some((i, j)) = first_not_finite(&x) {
            let value = x[[i, j]].f64();
            return Err(Error::NotFinite { what: "the samples", row: i + 1, column: j + 1, value });
        }
        let features = (0..dim).map(|j| format!("f{j}")).collect();
        Ok(Dataset { x, y, classes, features, weights: None })
    }

    /// Samples with a label each; the classes are the labels that occur, sorted.
    ///
    /// ```
    /// use protea::{Dataset, ndarray::array};
    /// let d = Dataset::from_labels(array![[0.0f32], [1.0], [2.0]], &["yes", "no", "yes"])?;
    /// assert_eq!((d.classes, d.y), (vec!["no".to_string(), "yes".to_string()], vec![1, 0, 1]));
    /// # Ok::<(), protea::Error>(())
    /// ```
    pub fn from_labels(x: Array2<F>, labels: &[impl AsRef<str>]) -> Result<Self> {
        let mut classes: Vec<String> = labels.iter().map(|l| l.as_ref().to_string()).collect();
        classes.sort_unstable();
        classes.dedup();
        let index = |l: &str| classes.partition_point(|c| c.as_str() < l);
        let y = labels.iter().map(|l| index(l.as_ref())).collect();
        Self::new(x, y, classes)
    }

    /// Names the features.
    pub fn with_features(mut self, features: Vec<String>) -> Result<Self> {
        if features.len() != self.dim() {
            let (d, k) = (self.dim(), features.len());
            return Err(Error::shape("feature names", d, k));
        }
        self.features = features;
        Ok(self)
    }

    /// Weights the samples; weights are finite, not negative, and not all zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        Error::check_weights(self.len(), &weights)?;
        if weights.iter().all(|&w| w == 0.0) {
            return Err(Error::data("every sample weight is 0"));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.x.nrows()
    }

    /// Never true: a data set has at least one sample.
    pub fn is_empty(&self) -> bool {
        self.x.nrows() == 0
    }

    /// Number of features.
    pub fn dim(&self) -> usize {
        self.x.ncols()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// Weight of sample `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// Number of samples of each class.
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_classes()];
        self.y.iter().for_each(|&c| counts[c] += 1);
        counts
    }

    /// Rows of each class, in order.
    pub fn class_rows(&self) -> Vec<Vec<usize>> {
        class_rows(&self.y, self.n_classes())
    }

    /// The samples at `rows`, with all classes kept.
    pub fn select(&self, rows: &[usize]) -> Self {
        Dataset {
            x: self.x.select(Axis(0), rows),
            y: rows.iter().map(|&i| self.y[i]).collect(),
            classes: self.classes.clone(),
            features: self.features.clone(),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect()),
        }
    }

    /// At most `most` samples, drawn without replacement, in their order.
    pub(crate) fn sample(&self, most: usize, seed: u64, purpose: &str) -> Self {
        if self.len() <= most {
            return self.clone();
        }
        let mut rows = self.drawn(most, seed, purpose);
        rows.sort_unstable();
        self.select(&rows)
    }

    fn drawn(&self, most: usize, seed: u64, purpose: &str) -> Vec<usize> {
        index::sample(&mut rng(seed, purpose), self.len(), most.min(self.len())).into_vec()
    }

    /// Labels, names and weights without the features, to put others beside them.
    pub(crate) fn clone_labels(&self) -> Self {
        Dataset {
            x: Array2::zeros((0, 0)),
            y: self.y.clone(),
            classes: self.classes.clone(),
            features: self.features.clone(),
            weights: self.weights.clone(),
        }
    }

    /// SHA-256 of values, labels and class names: says later which data a model was trained on.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{:?} {:?}", self.x.dim(), self.classes));
        let mut bytes = Vec::with_capacity(8 * self.dim());
        for (row, &y) in self.x.rows().into_iter().zip(&self.y) {
            bytes.clear();
            row.iter().for_each(|v| bytes.extend_from_slice(&v.f64().to_le_bytes()));
            bytes.extend_from_slice(&(y as u64).to_le_bytes());
            hash.update(&bytes);
        }
        hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Rows of each class, in order.
pub(super) fn class_rows(y: &[usize], classes: usize) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); classes];
    y.iter().enumerate().for_each(|(i, &c)| rows[c].push(i));
    rows
}

/// Row and column of the first NaN or infinity.
fn first_not_finite<F: Float>(x: &Array2<F>) -> Option<(usize, usize)> {
    let i = x.iter().position(|v| !v.f64().is_finite())?;
    Some((i / x.ncols(), i % x.ncols()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| i.to_string()).collect()
    }

    #[test]
    fn unusable_samples_are_refused_with_the_place() {
        let nan = Dataset::new(array![[0.0f32, 1.0], [f32::NAN, 3.0]], vec![0, 1], names(2)).unwrap_err();
        assert_eq!(nan.to_string(), "the samples, row 2, column 1: NaN is not a finite number");
        let class = Dataset::new(array![[0.0f64]], vec![2], names(2)).unwrap_err();
        assert_eq!(class.to_string(), "row 1 has class index 2, but there are 2 classes");
        let labels = Dataset::new(array![[0.0f64]], vec![], names(2)).unwrap_err();
        assert_eq!(labels.to_string(), "expected 1 labels, one for each row, found 0");
        assert!(Dataset::new(Array2::<f32>::zeros((0, 3)), vec![], names(1)).is_err());
        assert!(Dataset::new(Array2::<f32>::zeros((3, 0)), vec![0; 3], names(1)).is_err());
    }

    #[test]
    fn the_hash_sees_values_labels_and_class_names() {
        let d = Dataset::new(array![[0.0f32, 1.0], [2.0, 3.0]], vec![0, 1], names(2)).unwrap();
        let mut other = d.clone();
        assert_eq!(d.hash(), other.hash());
        other.x[[0, 0]] = 1e-7;
        assert_ne!(d.hash(), other.hash());
        let mut other = d.clone();
        other.y[0] = 1;
        assert_ne!(d.hash(), other.hash());
    }

    #[test]
    fn weights_must_be_usable() {
        let d = Dataset::new(array![[0.0f32], [2.0]], vec![0, 1], names(2)).unwrap();
        assert!(d.clone().with_weights(vec![0.0, 0.0]).is_err());
        assert!(d.clone().with_weights(vec![1.0, -1.0]).is_err());
        assert!(d.clone().with_weights(vec![1.0]).is_err());
        assert_eq!(d.with_weights(vec![0.0, 2.0]).unwrap().weight(1), 2.0);
    }
}
