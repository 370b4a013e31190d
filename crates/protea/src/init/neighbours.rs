//! Nearest neighbours among the training samples, for the initialisers that look at them.
//!
//! Distances are computed in blocks and never kept; those that decide are computed once more by differences, in `f64`,
//! so that equal samples have equal distances and ties go to the lowest index.

use crate::kernel::argmin;
use crate::metric::Space;
use crate::{Dataset, Float};
use ndarray::ArrayView2;

/// Neighbours that are measured again beyond those asked for, because rounding may have put them in the wrong order.
const SPARE: usize = 4;

/// The `k` nearest other samples of each sample among `which`, as positions in `which`, nearest first; of the first samples alone
/// when `cancelled`.
pub(super) fn neighbours<F: Float>(
    data: &Dataset<F>,
    which: &[usize],
    k: usize,
    cancelled: &dyn Fn() -> bool,
) -> Vec<Vec<u32>> {
    let x = data.x.select(ndarray::Axis(0), which);
    let k = k.min(which.len().saturating_sub(1));
    Space::euclidean(x.view()).map_until(x.view(), cancelled, |i, d| {
        d[i] = F::infinity();
        let found = k_smallest(d, (k + SPARE).min(d.len() - 1));
        in_order(x.view(), i, found, k)
    })
}

/// The `k` of `candidates` that are nearest to row `i` of `x`, by exact distances.
pub(super) fn in_order<F: Float>(x: ArrayView2<F>, i: usize, candidates: Vec<u32>, k: usize) -> Vec<u32> {
    let mut exact: Vec<(f64, u32)> =
        candidates.into_iter().map(|j| (squared_distance(x, i, j as usize), j)).collect();
    exact.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    exact.truncate(k);
    exact.into_iter().map(|(_, j)| j).collect()
}

/// Squared distance of two rows, by differences.
pub(super) fn squared_distance<F: Float>(x: ArrayView2<F>, i: usize, j: usize) -> f64 {
    x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a.f64() - b.f64()).powi(2)).sum()
}

/// Positions of the `k` smallest values, in no order; ties go to the first.
pub(super) fn k_smallest<F: Float>(d: &[F], k: usize) -> Vec<u32> {
    // Those found so far, largest last: most values are no smaller than it and cost one comparison.
    let mut found: Vec<(F, u32)> = Vec::with_capacity(k + 1);
    for (j, &d) in d.iter().enumerate() {
        if found.len() < k || found.last().is_some_and(|last| d < last.0) {
            let at = found.partition_point(|f| f.0 <= d);
            found.insert(at, (d, j as u32));
            found.truncate(k);
        }
    }
    found.into_iter().map(|(_, j)| j).collect()
}

/// Samples whose nearest other sample is of another class, in the space that they are the prototypes of.
pub(crate) fn leave_one_out_errors<F: Float>(space: &Space<F>, x: ArrayView2<F>, y: &[usize]) -> usize {
    let wrong = space.map(x, |i, d| {
        d[i] = F::infinity();
        y[argmin(d)] != y[i]
    });
    wrong.into_iter().filter(|&wrong| wrong).count()
}

/// The class with most votes, of tied classes that of the nearest; votes come nearest first.
pub(super) fn majority(votes: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    let count = |c: usize| votes.clone().filter(|&v| v == c).count();
    let most = votes.clone().map(count).max()?;
    votes.clone().find(|&c| count(c) == most)
}

/// Puts the sample closest to the class mean back where `kept` (ascending) leaves a class without any.
pub(super) fn with_every_class<F: Float>(data: &Dataset<F>, mut kept: Vec<usize>) -> Vec<usize> {
    for (class, rows) in data.class_rows().into_iter().enumerate() {
        if kept.iter().any(|&i| data.y[i] == class) {
            continue;
        }
        let own = data.x.select(ndarray::Axis(0), &rows).mapv(|v| v.f64());
        let Some(mean) = own.mean_axis(ndarray::Axis(0)) else { continue };
        let from_mean = |k: usize| (&own.row(k) - &mean).mapv(|v| v * v).sum();
        let closest = (0..rows.len()).min_by(|&a, &b| from_mean(a).total_cmp(&from_mean(b)));
        kept.extend(closest.map(|k| rows[k]));
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_a_plain_loop() {
        let x = ndarray::Array2::from_shape_fn((70, 3), |(i, j)| ((i * (7 + j * 4)) % 13) as f32 / 3.0);
        let data = Dataset::new(x, vec![0; 70], vec!["a".into()]).unwrap();
        let which: Vec<usize> = (0..70).step_by(2).collect();
        for (i, found) in neighbours(&data, &which, 5, &|| false).into_iter().enumerate() {
            let mut all: Vec<usize> = (0..which.len()).filter(|&j| j != i).collect();
            all.sort_by(|&a, &b| {
                let d = |j: usize| squared_distance(data.x.view(), which[i], which[j]);
                d(a).total_cmp(&d(b)).then(a.cmp(&b))
            });
            let exact = |j: &usize| squared_distance(data.x.view(), which[i], which[*j]);
            let found: Vec<usize> = found.into_iter().map(|j| j as usize).collect();
            assert_eq!(
                found.iter().map(exact).collect::<Vec<_>>(),
                all[..5].iter().map(exact).collect::<Vec<_>>()
            );
            assert!(found.is_sorted_by(|a, b| exact(a) < exact(b) || (exact(a) == exact(b) && a < b)));
        }
    }

    #[test]
    fn the_first_of_equals_are_found() {
        let mut found = k_smallest(&[3.0, 1.0, 2.0, 1.0, 1.0, 0.5], 3);
        found.sort_unstable();
        assert_eq!(found, [1, 3, 5]);
        assert!(k_smallest(&[1.0], 0).is_empty());
    }

    #[test]
    fn votes() {
        assert_eq!(majority([2, 0, 0].into_iter()), Some(0));
        assert_eq!(majority([2, 0, 1].into_iter()), Some(2));
        assert_eq!(majority([].into_iter()), None);
    }
}
