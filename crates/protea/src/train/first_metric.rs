//! Where a learned metric starts.

use super::descending::MOST_STEPS;
use super::{OptimizerKind, Training};
use crate::data::ClassLayout;
use crate::init::{Prototypes, leave_one_out_errors};
use crate::metric::{self, Metric, MetricKind, PrototypeWeights, Space};
use crate::metric_learning::first_matrix;
use crate::settings::{named_enum, settings};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Samples on which the two starts of local weights are compared.
const COMPARED: usize = 3000;

named_enum! {
    /// What has a matrix of its own under a local linear metric.
    pub enum Locality {
        /// Each class.
        Class = "class",
        /// Each prototype.
        Prototype = "prototype",
    }
}

settings! {
    /// What distances are measured with.
    pub struct MetricChoice {
        Metric {
            /// Distance between samples and prototypes, fixed or learned.
            ///
            /// euclidean is fixed. Learned together with the prototypes: diagonal (a weight per feature), linear (a matrix),
            /// local (weights per prototype), local-linear (a matrix per class or prototype). Learned beforehand on all
            /// samples: lmnn and nca. cdvw weights features by the standard deviations of each class.
            kind("metric"): MetricKind = MetricKind::Euclidean;
            /// What has a matrix of its own under the metric local-linear.
            locality("locality"): Locality = Locality::Class;
            /// Rows of the learned matrix (low rank); none learns a square matrix.
            rank("rank"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
            /// Epochs to learn one matrix shared by all classes before prototypes and metric.
            ///
            /// Samples are then mapped by that matrix, and prototypes and metric are learned from scratch.
            common_epochs("common-epochs"): usize = 0, |v| *v <= MOST_STEPS, "a number from 0 to 1000000000";
        }
    }
}

/// The metric that training starts from; `matrix` is one given by the user.
pub(super) fn first_metric<F: Float>(
    t: &Training,
    matrix: Option<&Array2<F>>,
    start: &Prototypes<F>,
    train: &Dataset<F>,
) -> Result<Box<dyn Metric<F>>> {
    let (m, dim) = start.x.dim();
    if let (Some(r), MetricKind::Euclidean | MetricKind::Diagonal | MetricKind::Local) =
        (t.metric.rank, t.metric.kind)
    {
        return Err(Error::setting("rank", r, "none, unless a matrix is learned"));
    }
    let first = || match matrix {
        Some(matrix) => Ok(matrix.clone()),
        None => first_matrix(train.x.view(), t.metric.rank),
    };
    Ok(match t.metric.kind {
        MetricKind::Linear if t.descending.optimizer == OptimizerKind::Alternating => {
            Box::new(metric::Mahalanobis::new(&first()?))
        }
        MetricKind::Linear => Box::new(metric::Linear::new(&first()?)),
        MetricKind::LocalLinear => {
            let layout = ClassLayout::new(&start.y, train.n_classes());
            let groups = match t.metric.locality {
                Locality::Class => layout.ranges().iter().filter(|r| !r.is_empty()).cloned().collect(),
                Locality::Prototype => (0..m).map(|j| j..j + 1).collect::<Vec<_>>(),
            };
            Box::new(metric::LocalLinear::new(&groups, &first()?))
        }
        MetricKind::Diagonal => Box::new(metric::Linear::diagonal(&vec![F::one(); dim])),
        MetricKind::Local => Box::new(metric::Local::new(&first_weights(t, start, train))),
        // Under a metric learned before, the samples are where it is Euclidean.
        MetricKind::Euclidean | MetricKind::Cdvw | MetricKind::Lmnn | MetricKind::Nca => {
            Box::new(metric::Euclidean::new(dim))
        }
    })
}

/// Weights of each prototype: all 1, or those of its class (cdvw), whichever has the lower leave-one-out error of the
/// nearest neighbour on training samples.
fn first_weights<F: Float>(t: &Training, start: &Prototypes<F>, train: &Dataset<F>) -> Array2<F> {
    let classes = class_weights(train);
    let few = train.sample(COMPARED, t.start.seed, "weights");
    let plain = leave_one_out_errors(&Space::euclidean(few.x.view()), few.x.view(), &few.y);
    let weighted = Space::new(&PrototypeWeights(spread(&classes, &few.y)), few.x.view());
    if leave_one_out_errors(&weighted, few.x.view(), &few.y) < plain {
        spread(&classes, &start.y)
    } else {
        Array2::ones(start.x.dim())
    }
}

/// The metric `cdvw` of labelled samples: each has the weights of its class.
pub(super) fn cdvw<F: Float>(train: &Dataset<F>) -> PrototypeWeights<F> {
    PrototypeWeights(spread(&class_weights(train), &train.y))
}

/// One over the standard deviation of each feature in each class, `classes × dim`. To each class its share of the deviation
/// over all samples is added, worth one sample: a feature that is constant in a class would have an infinite weight.
fn class_weights<F: Float>(train: &Dataset<F>) -> Array2<F> {
    let all = variances(train.x.view());
    let mut weights = Array2::ones((train.n_classes(), train.dim()));
    for (mut row, rows) in weights.rows_mut().into_iter().zip(train.class_rows()) {
        let own = variances(train.x.select(Axis(0), &rows).view());
        let n = rows.len() as f64;
        for ((w, own), &all) in row.iter_mut().zip(own).zip(&all) {
            let variance = (n * own + all) / (n + 1.0);
            // A feature that is constant everywhere tells nothing, under any weight.
            *w = if variance > 0.0 { F::of(1.0 / variance.sqrt()) } else { F::one() };
        }
    }
    weights
}

/// Variance of each feature; 0 exactly where it is constant.
fn variances<F: Float>(x: ArrayView2<F>) -> Vec<f64> {
    let spread = |column: ArrayView1<F>| {
        let n = column.len().max(1) as f64;
        let mean = column.iter().map(|v| v.f64()).sum::<f64>() / n;
        if column.iter().all(|v| *v == column[0]) {
            return 0.0;
        }
        column.iter().map(|v| (v.f64() - mean).powi(2)).sum::<f64>() / n
    };
    x.columns().into_iter().map(spread).collect()
}

/// The rows of `weights` for each label.
fn spread<F: Float>(weights: &Array2<F>, labels: &[usize]) -> Array2<F> {
    weights.select(Axis(0), labels)
}
