//! k-means with k-means++ seeding, on the same blocked product as every distance.
//!
//! Blocks of rows have a fixed size and are summed in order, so the result does not depend on the number of threads.
//! A cluster that loses all its samples is seeded again at the sample farthest from its centre, or dropped if no sample is left
//! for it. No two centres are equal.

use crate::Float;
use crate::kernel::argmin;
use crate::metric::Space;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rand::{Rng, RngExt};
use std::collections::HashSet;

/// Below this many multiply-adds for one round the clustering is started several times and the best one kept.
const SMALL: usize = 20_000_000;

/// Settings of k-means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KMeans {
    /// Most rounds of Lloyd's algorithm.
    pub rounds: usize,
    /// Starts on small data; large data is started once.
    pub starts: usize,
    /// Stops when the relative change of the inertia falls below this.
    pub tolerance: f64,
}

impl Default for KMeans {
    fn default() -> Self {
        KMeans { rounds: 30, starts: 4, tolerance: 1e-4 }
    }
}

/// Nearest centre of each sample with its distance.
struct Assignment<F> {
    to: Vec<usize>,
    d: Vec<F>,
}

impl KMeans {
    /// `k` centres of `x` (`n × dim`), no two of them equal: at most as many as there are distinct samples.
    pub fn fit<F: Float>(
        &self,
        x: ArrayView2<F>,
        weights: Option<&[f64]>,
        k: usize,
        rng: &mut impl Rng,
    ) -> Array2<F> {
        let (n, dim) = x.dim();
        if k == 0 {
            return Array2::zeros((0, dim));
        }
        let distinct = distinct_rows(x, k + 1);
        if distinct.len() <= k {
            return x.select(Axis(0), &distinct);
        }
        let x = x.as_standard_layout();
        let starts = if n * k * dim < SMALL { self.starts.max(1) } else { 1 };
        let best = (0..starts)
            .map(|_| self.run(x.view(), weights, k, rng))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or_else(|| Array2::zeros((0, dim)), |best| best.1);
        best.select(Axis(0), &distinct_rows(best.view(), k))
    }

    /// One start: inertia and centres.
    fn run<F: Float>(
        &self,
        x: ArrayView2<F>,
        weights: Option<&[f64]>,
        k: usize,
        rng: &mut impl Rng,
    ) -> (f64, Array2<F>) {
        let mut centres = plus_plus(x, weights, k, rng);
        let mut last = f64::INFINITY;
        for _ in 0..self.rounds {
            let assigned = assign(x, centres.view());
            let inertia = inertia(&assigned, weights);
            if last - inertia <= self.tolerance * inertia {
                break;
            }
            last = inertia;
            centres = means(x, weights, centres.nrows(), assigned);
        }
        (inertia(&assign(x, centres.view()), weights), centres)
    }
}

/// The first `most` rows that differ from all rows before them.
pub(super) fn distinct_rows<F: Float>(x: ArrayView2<F>, most: usize) -> Vec<usize> {
    let mut seen = HashSet::new();
    // Adding zero makes −0 the same as 0.
    let bits = |row: ArrayView1<F>| row.iter().map(|v| (v.f64() + 0.0).to_bits()).collect::<Vec<u64>>();
    (0..x.nrows()).filter(|&i| seen.insert(bits(x.row(i)))).take(most).collect()
}

fn inertia<F: Float>(assigned: &Assignment<F>, weights: Option<&[f64]>) -> f64 {
    assigned.d.iter().enumerate().map(|(i, d)| d.f64() * weights.map_or(1.0, |w| w[i])).sum()
}

/// First centre by weight, each further one with probability proportional to its distance from those chosen.
fn plus_plus<F: Float>(x: ArrayView2<F>, weights: Option<&[f64]>, k: usize, rng: &mut impl Rng) -> Array2<F> {
    let n = x.nrows();
    let mass = |i: usize, d: f64| d * weights.map_or(1.0, |w| w[i]);
    let mut nearest = vec![1.0; n];
    let mut chosen = Vec::with_capacity(k);
    for round in 0..k {
        let total: f64 = nearest.iter().enumerate().map(|(i, &d)| mass(i, d)).sum();
        // All samples coincide with a centre: any further centre is as good as any other.
        let next = if total > 0.0 && total.is_finite() {
            let mut left = rng.random::<f64>() * total;
            let hit = nearest.iter().enumerate().position(|(i, &d)| {
                left -= mass(i, d);
                left < 0.0
            });
            hit.unwrap_or(n - 1)
        } else {
            rng.random_range(0..n)
        };
        chosen.push(next);
        let d = assign(x, x.select(Axis(0), &[next]).view()).d;
        for (old, d) in nearest.iter_mut().zip(d) {
            *old = if round == 0 { d.f64() } else { old.min(d.f64()) };
        }
    }
    x.select(Axis(0), &chosen)
}

/// Nearest centre of every sample, ties to the lowest index.
fn assign<F: Float>(x: ArrayView2<F>, centres: ArrayView2<F>) -> Assignment<F> {
    let nearest = Space::euclidean(centres).map(x, |_, d| {
        let j = argmin(d);
        (j, d[j])
    });
    let (to, d) = nearest.into_iter().unzip();
    Assignment { to, d }
}

/// Weighted mean of every cluster; empty clusters take the farthest samples, and are dropped where none can be spared.
fn means<F: Float>(
    x: ArrayView2<F>,
    weights: Option<&[f64]>,
    k: usize,
    mut assigned: Assignment<F>,
) -> Array2<F> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let mut mass = vec![0.0; k];
    assigned.to.iter().enumerate().for_each(|(i, &j)| mass[j] += weight(i));
    for j in 0..k {
        if mass[j] > 0.0 {
            continue;
        }
        let farthest = |a: &usize, b: &usize| {
            let by_d = assigned.d[*a].f64().total_cmp(&assigned.d[*b].f64());
            by_d.then(b.cmp(a))
        };
        // A sample that is its cluster's only one stays where it is.
        let spare = |i: &usize| weight(*i) > 0.0 && mass[assigned.to[*i]] > weight(*i);
        if let Some(i) = (0..x.nrows()).filter(spare).max_by(farthest) {
            mass[assigned.to[i]] -= weight(i);
            mass[j] = weight(i);
            assigned.to[i] = j;
            assigned.d[i] = F::zero();
        }
    }
    let mut sums = Array2::<f64>::zeros((k, x.ncols()));
    for (i, (row, &j)) in x.rows().into_iter().zip(&assigned.to).enumerate() {
        let w = weight(i);
        sums.row_mut(j).iter_mut().zip(row).for_each(|(s, v)| *s += w * v.f64());
    }
    for (mut row, &mass) in sums.rows_mut().into_iter().zip(&mass) {
        row.mapv_inplace(|v| v / mass);
    }
    let full: Vec<usize> = (0..k).filter(|&j| mass[j] > 0.0).collect();
    sums.select(Axis(0), &full).mapv(F::of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;
    use ndarray::array;

    #[test]
    fn separated_groups_are_found_from_every_seed() {
        let x = array![[0.0, 0.0], [0.0, 1.0], [10.0, 0.0], [10.0, 1.0], [0.0, 20.0], [1.0, 20.0]];
        for seed in 0..10 {
            let mut c: Vec<Vec<f64>> = KMeans::default()
                .fit(x.view(), None, 3, &mut rng(seed, "test"))
                .rows()
                .into_iter()
                .map(|r| r.to_vec())
                .collect();
            c.sort_by(|a, b| a[0].total_cmp(&b[0]));
            assert_eq!(c, [[0.0, 0.5], [0.5, 20.0], [10.0, 0.5]]);
        }
    }

    #[test]
    fn no_two_centres_are_equal() {
        let fit = |x: &Array2<f32>, k: usize| KMeans::default().fit(x.view(), None, k, &mut rng(0, "test"));
        let same = Array2::<f32>::ones((7, 3));
        assert_eq!(fit(&same, 3), Array2::<f32>::ones((1, 3)));
        assert_eq!(fit(&same, 9), Array2::<f32>::ones((1, 3)));
        // 60 samples at four places: four centres, whatever is asked for from there on.
        let places = Array2::from_shape_fn((60, 2), |(i, j)| ((i >> j) % 2) as f32);
        for k in [4, 5, 40, 60, 90] {
            assert_eq!(fit(&places, k).nrows(), 4, "{k}");
        }
        assert_eq!(fit(&places, 3).nrows(), 3);
    }

    #[test]
    fn a_cluster_that_no_sample_is_left_for_is_dropped() {
        let x = array![[1.0], [3.0]];
        let assigned = Assignment { to: vec![0, 1], d: vec![0.0, 0.0] };
        assert_eq!(means(x.view(), None, 3, assigned), x);
    }

    #[test]
    fn an_empty_cluster_moves_to_the_farthest_sample() {
        let x = array![[0.0], [1.0], [9.0]];
        let assigned = Assignment { to: vec![0, 0, 0], d: vec![0.0, 1.0, 81.0] };
        assert_eq!(means(x.view(), None, 2, assigned), array![[0.5], [9.0]]);
    }

    #[test]
    fn weights_pull_the_centre() {
        let x = array![[0.0], [1.0]];
        let c = KMeans::default().fit(x.view(), Some(&[1.0, 3.0]), 1, &mut rng(0, "test"));
        assert_eq!(c, array![[0.75]]);
    }
}
