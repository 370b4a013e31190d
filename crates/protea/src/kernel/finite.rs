//! Numbers that are none: NaN and infinities.

use crate::{Error, Float, Result};
use ndarray::ArrayView2;

/// Refuses NaN and infinities, with the place of the first; `what` names the array.
pub(crate) fn check_finite<F: Float>(what: &'static str, x: ArrayView2<F>) -> Result<()> {
    match x.indexed_iter().find(|(_, v)| !v.f64().is_finite()) {
        Some(((i, j), v)) => Err(Error::NotFinite { what, row: i + 1, column: j + 1, value: v.f64() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_first_place_is_named() {
        let x = array![[1.0f32, 2.0], [3.0, f32::NAN], [f32::INFINITY, 0.0]];
        let error = check_finite("the atoms", x.view()).unwrap_err().to_string();
        assert_eq!(error, "the atoms, row 2, column 2: NaN is not a finite number");
        assert!(check_finite("the atoms", array![[f64::MAX]].view()).is_ok());
    }
}
