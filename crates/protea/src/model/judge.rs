//! How well prototypes under a metric tell labelled samples apart.

use crate::metric::Space;
use crate::{Dataset, Float};

/// Share of the (weighted) samples whose nearest prototype has another label.
pub(crate) fn nearest_error<F: Float>(space: &Space<F>, labels: &[usize], data: &Dataset<F>) -> f64 {
    let nearest = space.nearest_of_all(data.x.view());
    let wrong = (0..data.len()).filter(|&i| labels[nearest[i]] != data.y[i]);
    match &data.weights {
        None => wrong.count() as f64 / data.len() as f64,
        Some(weights) => wrong.map(|i| weights[i]).sum::<f64>() / weights.iter().sum::<f64>(),
    }
}
