//! Area under the ROC curve: how well probabilities rank samples, whatever the threshold and however rare a class is.
//!
//! # Measure
//! For a class `c`, the probability that a sample of `c` has a higher score for `c` than a sample of another class, ties counting
//! half. With more than two classes, the mean over the classes that have samples, each against the rest.
//!
//! # Reference
//! Hand, Till: A Simple Generalisation of the Area Under the ROC Curve, Machine Learning 45, 2001 (one class against the rest, classes
//! counting alike: `roc_auc_score(multi_class="ovr")` of scikit-learn).

use super::steps::steps;
use ndarray::ArrayView2;

/// Area under the ROC curve of probabilities `q` (`n × classes`); none where no class can be told from others.
pub(super) fn auc(y: &[usize], q: ArrayView2<f64>) -> Option<f64> {
    // Both classes of two give the same area.
    let classes = if q.ncols() == 2 { 1..2 } else { 0..q.ncols() };
    let areas: Vec<f64> = classes.filter_map(|c| area(y, q, c)).collect();
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
}

/// Area of one class against the rest.
fn area(y: &[usize], q: ArrayView2<f64>, class: usize) -> Option<f64> {
    let own: Vec<bool> = y.iter().map(|&y| y == class).collect();
    let (mut area, mut before) = (0.0, (0.0, 0.0));
    for step in steps(&q.column(class).to_vec(), &own) {
        let now = (step.wanted as f64, step.unwanted as f64);
        area += (now.1 - before.1) * (now.0 + before.0) / 2.0;
        before = now;
    }
    (before.0 > 0.0 && before.1 > 0.0).then(|| area / (before.0 * before.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn areas_match_counting_pairs() {
        // Class 1 scores 0.9, 0.4, 0.4; class 0 scores 0.4, 0.1: of 6 pairs 4 are right and 2 tied.
        let scores = [0.9, 0.4, 0.4, 0.4, 0.1];
        let q = Array2::from_shape_fn((5, 2), |(i, c)| if c == 1 { scores[i] } else { 1.0 - scores[i] });
        let found = auc(&[1, 1, 1, 0, 0], q.view()).unwrap();
        assert!((found - 5.0 / 6.0).abs() < 1e-15);
        assert_eq!(auc(&[1; 5], q.view()), None);
        // Three classes, the last without samples: the mean of two areas, 1 and ¾ (pairs of class 1: 0.6 and 0.2 against 0.3 and 0.1).
        let q = array![[0.7, 0.3, 0.0], [0.9, 0.1, 0.0], [0.4, 0.6, 0.0], [0.5, 0.2, 0.3]];
        assert!((auc(&[0, 0, 1, 1], q.view()).unwrap() - (1.0 + 0.75) / 2.0).abs() < 1e-15);
    }
}
