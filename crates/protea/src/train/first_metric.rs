//! Where a learned metric starts.

use super::{Locality, OptimizerKind, Training};
use crate::init::Prototypes;
use crate::metric::{self, Form, Metric, MetricKind};
use crate::objective::ClassLayout;
use crate::represent::{Scale, Scaling, first_matrix, leave_one_out_errors};
use crate::{Dataset, Error, Float, Result};
use ndarray::{Array2, ArrayView2};

/// Samples on which the two starts of local weights are compared.
const COMPARED: usize = 3000;
/// Class deviations are at least this share of the deviation over all classes.
const FLOOR: f64 = 1e-3;

/// The metric that training starts from; `matrix` is one given by the user.
pub(super) fn first_metric<F: Float>(
    t: &Training,
    matrix: Option<&Array2<F>>,
    start: &Prototypes<F>,
    train: &Dataset<F>,
) -> Result<Box<dyn Metric<F>>> {
    let (m, dim) = start.x.dim();
    if let (Some(r), MetricKind::Euclidean | MetricKind::Diagonal | MetricKind::Local) = (t.rank, t.metric) {
        return Err(Error::setting("rank", r, "none, unless a matrix is learned"));
    }
    let first = || match matrix {
        Some(matrix) => Ok(matrix.clone()),
        None => first_matrix(train.x.view(), t.rank),
    };
    Ok(match t.metric {
        MetricKind::Linear if t.optimizer == OptimizerKind::Alternating => {
            Box::new(metric::Mahalanobis::new(&first()?))
        }
        MetricKind::Linear => Box::new(metric::Linear::new(&first()?)),
        MetricKind::LocalLinear => {
            let layout = ClassLayout::new(&start.y, train.n_classes());
            let groups = match t.locality {
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
    let few = train.sample(COMPARED, t.seed, "weights");
    let plain = leave_one_out_errors(&*Form::Euclidean.at(few.x.view()), few.x.view(), &few.y);
    let weighted = Form::Local(spread(&classes, &few.y)).at(few.x.view());
    if leave_one_out_errors(&*weighted, few.x.view(), &few.y) < plain {
        spread(&classes, &start.y)
    } else {
        Array2::ones(start.x.dim())
    }
}

/// The metric `cdvw` of labelled samples: each has the weights of its class.
pub(super) fn cdvw<F: Float>(train: &Dataset<F>) -> Form<F> {
    Form::Local(spread(&class_weights(train), &train.y))
}

/// One over the standard deviation of each feature in each class, `classes × dim`.
fn class_weights<F: Float>(train: &Dataset<F>) -> Array2<F> {
    let factor = |x: ArrayView2<F>| Scaling::learn(Scale::Standard, x).factor;
    let all = factor(train.x.view());
    let mut weights = Array2::ones((train.n_classes(), train.dim()));
    for (mut row, rows) in weights.rows_mut().into_iter().zip(train.class_rows()) {
        let own = factor(train.x.select(ndarray::Axis(0), &rows).view());
        let constant = |f: usize| rows.iter().all(|&i| train.x[[i, f]] == train.x[[rows[0], f]]);
        for (f, w) in row.iter_mut().enumerate() {
            // A feature that is constant in the class would have an infinite weight.
            let most = all[f] / F::of(FLOOR);
            *w = if constant(f) || own[f] > most { most } else { own[f] };
        }
    }
    weights
}

/// The rows of `weights` for each label.
fn spread<F: Float>(weights: &Array2<F>, labels: &[usize]) -> Array2<F> {
    weights.select(ndarray::Axis(0), labels)
}
