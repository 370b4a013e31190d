//! How good decisions and probabilities are: error, confusion, per-class measures, calibration.

use super::auc::auc;
use crate::{Dataset, Error, Float, Model, Result};
use ndarray::{Array2, ArrayView2};
use serde::Serialize;

/// Bins of the expected calibration error.
const BINS: usize = 15;

/// Classes of a confusion matrix, at most: 800 MB.
const MOST_CLASSES: usize = 10_000;

/// Measures of a model on labelled samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Samples.
    pub samples: usize,
    /// Samples decided wrongly.
    pub wrong: usize,
    /// Share of samples decided wrongly.
    pub error: f64,
    /// 95 % confidence interval of the error (Wilson's score interval).
    pub interval: (f64, f64),
    /// Mean of the errors of the classes, each counting alike (1 − balanced accuracy).
    pub balanced_error: f64,
    /// Mean F1 score of the classes that have samples or decisions.
    pub macro_f1: f64,
    /// Area under the ROC curve, the mean over classes against the rest where there are more than two; none with samples of one
    /// class alone.
    pub auc: Option<f64>,
    /// The most frequent class of these samples, and the error of always deciding for it.
    pub majority: Majority,
    /// Measures of each class.
    pub classes: Vec<ClassMeasures>,
    /// Samples by true class (rows) and decided class (columns).
    #[serde(serialize_with = "rows")]
    pub confusion: Array2<usize>,
    /// Mean of `−ln` of the probability given to the true class.
    pub log_loss: f64,
    /// Expected calibration error: mean distance between confidence and share of correct answers, over 15 bins.
    pub calibration_error: f64,
}

/// What a classifier that ignores the features achieves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Majority {
    /// The most frequent class.
    pub class: String,
    /// Share of the samples that are of other classes.
    pub error: f64,
}

/// Measures of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassMeasures {
    /// Name.
    pub class: String,
    /// Samples of the class.
    pub samples: usize,
    /// Share of its samples that were decided for it; none without samples.
    pub recall: Option<f64>,
    /// Share of the decisions for it that were right; none without decisions.
    pub precision: Option<f64>,
    /// Harmonic mean of both; none without samples and decisions.
    pub f1: Option<f64>,
}

fn rows<S: serde::Serializer>(matrix: &Array2<usize>, s: S) -> std::result::Result<S::Ok, S::Error> {
    s.collect_seq(matrix.rows().into_iter().map(|r| r.to_vec()))
}

/// Evaluates a model on labelled samples.
pub fn evaluate<F: Float>(model: &Model<F>, data: &Dataset<F>) -> Result<Evaluation> {
    check_classes(model.classes().len())?;
    let decided = model.predict(data.x.view())?;
    let probabilities = model.probabilities(data.x.view())?;
    Ok(measure(&data.classes, &data.y, &decided, probabilities.view()))
}

/// Refuses more classes than a confusion matrix has room for.
pub(super) fn check_classes(n: usize) -> Result<()> {
    if n <= MOST_CLASSES {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "models of at most {MOST_CLASSES} classes are evaluated; this one has {n}"
    )))
}

pub(super) fn measure(classes: &[String], y: &[usize], decided: &[usize], q: ArrayView2<f64>) -> Evaluation {
    let mut confusion = Array2::zeros((classes.len(), classes.len()));
    y.iter().zip(decided).for_each(|(&y, &c)| confusion[[y, c]] += 1);
    let n = y.len();
    let wrong = n - confusion.diag().sum();
    let share = |part: usize, all: usize| (all > 0).then(|| part as f64 / all as f64);
    let measures = classes.iter().enumerate().map(|(c, class)| ClassMeasures {
        class: class.clone(),
        samples: confusion.row(c).sum(),
        recall: share(confusion[[c, c]], confusion.row(c).sum()),
        precision: share(confusion[[c, c]], confusion.column(c).sum()),
        f1: share(2 * confusion[[c, c]], confusion.row(c).sum() + confusion.column(c).sum()),
    });
    let measures: Vec<ClassMeasures> = measures.collect();
    let most = measures.iter().fold(&measures[0], |a, b| if b.samples > a.samples { b } else { a });
    let majority = Majority { class: most.class.clone(), error: 1.0 - most.samples as f64 / n as f64 };
    Evaluation {
        samples: n,
        wrong,
        error: wrong as f64 / n as f64,
        interval: wilson(wrong, n),
        balanced_error: 1.0 - mean(measures.iter().filter_map(|m| m.recall)),
        macro_f1: mean(measures.iter().filter_map(|m| m.f1)),
        auc: auc(y, q),
        majority,
        classes: measures,
        log_loss: y.iter().enumerate().map(|(i, &y)| (1.0 / q[[i, y]].max(1e-12)).ln()).sum::<f64>()
            / n as f64,
        calibration_error: calibration_error(y, q),
        confusion,
    }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Wilson's 95 % score interval of a share.
fn wilson(part: usize, all: usize) -> (f64, f64) {
    let (n, p, z) = (all as f64, part as f64 / all as f64, 1.959_964);
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// Mean over samples of |confidence − accuracy| of their bin of confidence.
fn calibration_error(y: &[usize], q: ArrayView2<f64>) -> f64 {
    let mut bins = [(0.0, 0.0); BINS];
    for (row, &y) in q.rows().into_iter().zip(y) {
        let best = row.iter().enumerate().fold(0, |b, (c, &v)| if v > row[b] { c } else { b });
        let bin = &mut bins[((row[best] * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += row[best];
        bin.1 += f64::from(u8::from(best == y));
    }
    bins.iter().map(|(confidence, correct)| (confidence - correct).abs()).sum::<f64>() / y.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn measures_match_counting_by_hand() {
        let names = ["a".to_string(), "b".to_string(), "c".to_string()];
        let q = array![[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0], [0.6, 0.4, 0.0]];
        let e = measure(&names, &[0, 0, 1, 1], &[0, 0, 1, 0], q.view());
        assert_eq!((e.wrong, e.error), (1, 0.25));
        assert_eq!(e.confusion, array![[2, 0, 0], [1, 1, 0], [0, 0, 0]]);
        assert_eq!(e.classes[0].precision, Some(2.0 / 3.0));
        assert_eq!((e.classes[1].recall, e.classes[2].recall), (Some(0.5), None));
        // Recalls 1 and ½; F1 4/5 and 2/3; every pair of a sample of a and one of b is ranked rightly.
        assert_eq!((e.balanced_error, e.auc), (0.25, Some(1.0)));
        assert!((e.macro_f1 - (0.8 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
        assert_eq!((&*e.majority.class, e.majority.error), ("a", 0.5));
        let log_loss = -(0.9f64.ln() + 0.8f64.ln() + 0.7f64.ln() + 0.4f64.ln()) / 4.0;
        assert!((e.log_loss - log_loss).abs() < 1e-15);
        // Bins of 1/15: 0.9, 0.8, 0.7 and 0.6 fall apart; gaps 0.1, 0.2, 0.3 and 0.6 of four samples.
        assert!((e.calibration_error - 0.3).abs() < 1e-12);
    }

    #[test]
    fn the_interval_holds_the_share_and_stays_inside_the_unit() {
        let (low, high) = wilson(5, 100);
        assert!((low - 0.0215).abs() < 1e-4 && (high - 0.1118).abs() < 1e-4);
        assert_eq!(wilson(0, 10).0, 0.0);
        assert!(wilson(10, 10).1 <= 1.0);
    }
}
