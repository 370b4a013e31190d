//! Decision regions on a plane that prototypes are seen from.
//!
//! A point `u` of the plane lies at `e(u) = b + B u` where distances are Euclidean, so with `h_j = Bᵀ(q_j − b)` and
//! `s_j = ‖q_j − b‖²`
//! ```text
//! ‖e(u) − q_j‖² = ‖B u‖² + s_j − 2 h_j·u
//! ```
//! and prototype `j` is the nearest where `s_j − 2 h_j·u` is least: a convex cell, found by cutting the frame with one line for
//! each of the others (a power diagram). Nothing is sampled, so borders are exact.

use ndarray::{Array2, ArrayView2};

/// Corners of a frame, lowest and highest.
pub(super) type Frame = [[f64; 2]; 2];

/// The background of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Regions {
    /// None: the model does not decide by distances.
    None,
    /// Cells of single prototypes, exact: prototype and corners.
    Cells(Vec<(usize, Vec<[f64; 2]>)>),
    /// Answers on a grid, `across` of them in each row, lowest row first.
    Grid { across: usize, classes: Vec<usize> },
}

/// What decides whether a prototype is the nearest: the least `s − 2 h·u`, with `u` counted from the lowest corner.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Site {
    h: [f64; 2],
    s: f64,
}

/// Cells of prototypes `q` in a frame whose lowest, lower right and upper left corners lie at the three rows of `corners`.
pub(super) fn cells(
    frame: Frame,
    corners: ArrayView2<f64>,
    q: ArrayView2<f64>,
) -> Vec<(usize, Vec<[f64; 2]>)> {
    let [low, high] = frame;
    let size = [high[0] - low[0], high[1] - low[1]];
    let b = Array2::from_shape_fn((2, q.ncols()), |(f, k)| (corners[[f + 1, k]] - corners[[0, k]]) / size[f]);
    let site = |p: ndarray::ArrayView1<f64>| {
        let from = &p - &corners.row(0);
        Site { h: [b.row(0).dot(&from), b.row(1).dot(&from)], s: from.dot(&from) }
    };
    let sites: Vec<Site> = q.rows().into_iter().map(site).collect();
    let whole = vec![[0.0, 0.0], [size[0], 0.0], size, [0.0, size[1]]];
    let shift = |corner: [f64; 2]| [corner[0] + low[0], corner[1] + low[1]];
    let found = (0..sites.len()).filter_map(|j| {
        let cell = cell(j, &sites, whole.clone());
        (cell.len() > 2).then(|| (j, cell.into_iter().map(shift).collect()))
    });
    found.collect()
}

fn cell(j: usize, sites: &[Site], mut corners: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let own = sites[j];
    for (k, other) in sites.iter().enumerate().filter(|(k, _)| *k != j) {
        if *other == own {
            // Of prototypes in one place the first answers.
            if k < j {
                return Vec::new();
            }
            continue;
        }
        let excess = |u: [f64; 2]| {
            own.s - other.s - 2.0 * ((own.h[0] - other.h[0]) * u[0] + (own.h[1] - other.h[1]) * u[1])
        };
        corners = cut(&corners, excess);
        if corners.len() < 3 {
            return Vec::new();
        }
    }
    corners
}

/// The part of a convex polygon where an affine function is not above 0.
fn cut(corners: &[[f64; 2]], f: impl Fn([f64; 2]) -> f64) -> Vec<[f64; 2]> {
    let values: Vec<f64> = corners.iter().map(|&u| f(u)).collect();
    if values.iter().all(|v| *v <= 0.0) {
        return corners.to_vec();
    }
    let mut left = Vec::with_capacity(corners.len() + 1);
    for (i, (&u, &v)) in corners.iter().zip(&values).enumerate() {
        let next = (i + 1) % corners.len();
        let (to, w) = (corners[next], values[next]);
        if v <= 0.0 {
            left.push(u);
        }
        if (v < 0.0 && w > 0.0) || (v > 0.0 && w < 0.0) {
            let t = v / (v - w);
            left.push([u[0] + t * (to[0] - u[0]), u[1] + t * (to[1] - u[1])]);
        }
    }
    left
}

/// Area of a polygon.
#[cfg(test)]
pub(super) fn area(corners: &[[f64; 2]]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f64>().abs() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// The plane as it is, three prototypes: the border between the first two is x = 2, the third takes y > 2 + …, by hand.
    #[test]
    fn cells_are_those_on_paper() {
        let frame = [[0.0, 0.0], [4.0, 4.0]];
        let corners = array![[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
        let two = cells(frame, corners.view(), array![[1.0, 1.0], [3.0, 1.0]].view());
        assert_eq!(two[0], (0, vec![[0.0, 0.0], [2.0, 0.0], [2.0, 4.0], [0.0, 4.0]]));
        assert_eq!(area(&two[1].1), 8.0);
        // (2, 5) is nearer than (1, 1) above the line x + 4y = 13.5: at x = 0 from 3.375, at x = 2 from 2.875.
        let three = cells(frame, corners.view(), array![[1.0, 1.0], [3.0, 1.0], [2.0, 5.0]].view());
        assert_eq!(three.iter().map(|c| area(&c.1)).collect::<Vec<_>>(), [6.25, 6.25, 3.5]);
        // One in the place of another has nothing left, nor has one far below the plane.
        let far = array![[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 9.0]];
        let flat = array![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let one = cells(frame, flat.view(), far.view());
        assert_eq!((one.len(), one[0].0, area(&one[0].1)), (1, 0, 16.0));
    }
}
