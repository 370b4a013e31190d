//! Samples as directions.

use super::{Nature, Step, in_place, rows_of};
use crate::plan::{Op, Plan};
use crate::store::Stored;
use crate::{Float, Result};
use ndarray::{Array2, ArrayViewMut2};

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

/// The step that brings every sample to length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitLength;

impl<F: Float> Step<F> for UnitLength {
    fn output_dim(&self, input: usize) -> Option<usize> {
        Some(input)
    }

    fn apply(&self, mut x: Array2<F>) -> Array2<F> {
        in_place(&mut x, to_unit_length);
        x
    }

    fn apply_rows(&self, rows: &mut Vec<F>, dim: usize) -> usize {
        to_unit_length(rows_of(rows, dim));
        dim
    }

    fn nature(&self) -> Nature {
        Nature::Other
    }

    fn size(&self) -> usize {
        1
    }

    fn describe(&self) -> String {
        "length 1".into()
    }

    fn store(&self) -> Stored<F> {
        Stored::new("unit")
    }

    fn lower(&self, _: &mut Plan) -> Result<Op> {
        Ok(Op::Unit)
    }

    fn boxed(&self) -> Box<dyn Step<F>> {
        Box::new(*self)
    }
}

pub(super) fn restore<F: Float>(_: &Stored<F>) -> Result<Box<dyn Step<F>>> {
    Ok(Box::new(UnitLength))
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
