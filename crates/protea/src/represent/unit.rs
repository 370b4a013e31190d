//! Samples as directions.

use crate::Float;
use ndarray::ArrayViewMut2;

/// Divides every row by its length; rows of zeros stay.
pub fn to_unit_length<F: Float>(mut x: ArrayViewMut2<F>) {
    for mut row in x.rows_mut() {
        // The largest value first, so that squares neither overflow nor vanish.
        let largest = row.iter().fold(0.0, |m: f64, v| m.max(v.f64().abs()));
        if largest > 0.0 {
            let size = row.iter().map(|v| (v.f64() / largest).powi(2)).sum::<f64>().sqrt() * largest;
            row.mapv_inplace(|v| F::of(v.f64() / size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn lengths_become_one_and_zeros_stay() {
        let mut x = array![[3.0f32, -4.0], [0.0, 0.0], [1e30, 0.0], [3e-30, 4e-30]];
        to_unit_length(x.view_mut());
        assert_eq!(x, array![[0.6, -0.8], [0.0, 0.0], [1.0, 0.0], [0.6, 0.8]]);
    }
}
