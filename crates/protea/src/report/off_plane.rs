//! From a plane back to where samples are: each point gets what the samples around it have in the other directions.
//!
//! With `u_i` the places of samples on the plane and `r_i` what they have off it, a point `u` of the plane goes to
//! ```text
//! plane(u) + Σ w_i r_i / Σ w_i,    w_i = 1 / |u − u_i|⁴    over the nearest few
//! ```
//! (Shepard's interpolation), so that at the place of a sample it is the sample itself. Points that are drawn are as large as a cell
//! of a grid: one that holds a sample goes to the nearest sample alone.

use super::regions::Frame;
use crate::Float;
use crate::represent::LinearMap;
use ndarray::{Array2, ArrayView2};

/// Samples that a point is between.
const NEAR: usize = 4;

/// Samples by their place on the plane.
pub(super) struct OffPlane<F> {
    frame: Frame,
    /// Cells of the grid in a row, and rows.
    cells: (usize, usize),
    /// Places in a frame of sides 1.
    places: Vec<[f64; 2]>,
    /// What they have off the plane.
    rest: Array2<F>,
}

impl<F: Float> OffPlane<F> {
    /// Samples `x`, for points of a frame with so many cells in a row, and rows.
    pub fn new(frame: Frame, cells: (usize, usize), plane: &LinearMap<F>, x: ArrayView2<F>) -> Self {
        let u = plane.apply(x);
        let places = u.rows().into_iter().map(|u| place(frame, [u[0].f64(), u[1].f64()])).collect();
        OffPlane { frame, cells, places, rest: &x - &plane.invert(u.view()) }
    }

    /// Points of the plane among the samples.
    pub fn lift(&self, plane: &LinearMap<F>, u: ArrayView2<F>) -> Array2<F> {
        let mut z = plane.invert(u);
        for (u, mut z) in u.rows().into_iter().zip(z.rows_mut()) {
            let near = self.near(place(self.frame, [u[0].f64(), u[1].f64()]));
            let total: f64 = near.iter().map(|n| n.1).sum();
            for (i, w) in near {
                z.scaled_add(F::of(w / total), &self.rest.row(i));
            }
        }
        z
    }

    /// The nearest samples with their weights.
    fn near(&self, u: [f64; 2]) -> Vec<(usize, f64)> {
        let mut near: Vec<(usize, f64)> = Vec::with_capacity(NEAR + 1);
        for (i, v) in self.places.iter().enumerate() {
            let d = (u[0] - v[0]).powi(2) + (u[1] - v[1]).powi(2);
            if near.len() < NEAR || d < near[NEAR - 1].1 {
                near.insert(near.partition_point(|n| n.1 <= d), (i, d));
                near.truncate(NEAR);
            }
        }
        let v = self.places[near[0].0];
        let inside = |f: usize, n: usize| 2.0 * (u[f] - v[f]).abs() * n as f64 <= 1.0;
        if inside(0, self.cells.0) && inside(1, self.cells.1) {
            near.truncate(1);
        }
        near.into_iter().map(|(i, d)| (i, (d + 1e-12).powi(-2))).collect()
    }
}

fn place([low, high]: Frame, u: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|f| (u[f] - low[f]) / (high[f] - low[f]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::represent::{Components, pca};
    use ndarray::array;

    /// At the place of a sample is the sample; in the middle of all of them is their mean.
    #[test]
    fn samples_lie_where_they_are() {
        let x = array![[0.0f64, 0.0, 1.0], [9.0, 0.0, -1.0], [0.0, 5.0, -1.0], [9.0, 5.0, 1.0]];
        let plane = pca(x.view(), Components::Number(2)).unwrap();
        let u = plane.apply(x.view());
        let off = OffPlane::new([[-5.0, -3.0], [5.0, 3.0]], (100, 100), &plane, x.view());
        let back = off.lift(&plane, u.view());
        let middle = off.lift(&plane, array![[0.0, 0.0]].view());
        assert!(middle.row(0).iter().zip([4.5, 2.5, 0.0]).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
