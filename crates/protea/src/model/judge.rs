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

/// The same with half an error for a sample whose nearest prototypes of its class and of another are equally far, up to rounding: the
/// order of the prototypes would decide.
pub(crate) fn fair_error<F: Float>(space: &Space<F>, labels: &[usize], data: &Dataset<F>) -> f64 {
    let leads = space.map(data.x.view(), |i, d| {
        let (mut own, mut other, mut sum) = (f64::INFINITY, f64::INFINITY, 0.0);
        for (d, &label) in d.iter().map(|d| d.f64()).zip(labels) {
            sum += d;
            let least = if label == data.y[i] { &mut own } else { &mut other };
            *least = least.min(d);
        }
        let tie = F::EPS.sqrt() * sum / labels.len() as f64;
        if (other - own).abs() <= tie { 0.5 } else { f64::from(u8::from(other < own)) }
    });
    let weighted = leads.iter().enumerate().map(|(i, wrong)| data.weight(i) * wrong);
    weighted.sum::<f64>() / (0..data.len()).map(|i| data.weight(i)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Prototypes of both classes at 0, one of class 1 at 4: at 0 it is a tie, at 4 class 1 is right.
    #[test]
    fn ties_are_half_an_error() {
        let data = |y: [usize; 3]| {
            let x = array![[0.0], [0.0], [4.0]];
            Dataset::new(x, y.to_vec(), vec!["a".into(), "b".into()]).unwrap()
        };
        let p = array![[0.0], [0.0], [4.0]];
        let error = |y| fair_error(&Space::euclidean(p.view()), &[0, 1, 1], &data(y));
        assert_eq!((error([0, 1, 1]), error([0, 0, 0])), (1.0 / 3.0, 2.0 / 3.0));
    }
}
