//! DROP3: drops samples from the inside of the classes while their neighbourhood is decided as well without them.
//!
//! # Algorithm
//! 1. Drop what [edited nearest neighbours](super::enn) would drop; the rest is `T`, and `S` starts as all of `T`.
//! 2. Every sample of `T` keeps a list of its 4 nearest others in `S`. The first 3 decide it; the fourth moves up when one of
//!    them is taken away. The associates of a sample are those that have it on their list.
//! 3. Visit the samples of `S` by the distance to their nearest enemy (sample of another class), farthest first. Drop a
//!    sample from `S` when at least as many of its associates are decided rightly without it as with it. Its associates
//!    then look for another neighbour, and become associates of that one.
//!
//! Associates that have been dropped themselves keep their say. What remains stands near the borders.
//!
//! # Reference
//! Wilson, Martinez: Reduction Techniques for Instance-Based Learning Algorithms, Machine Learning 38, 2000.
//!
//! # Departures
//! A class that would lose all samples keeps the one closest to its mean.
//!
//! # Speed
//! Each sample knows its nearest [`POOL`] others of `T` beforehand and moves along them as they are dropped; only when
//! that runs out are the distances to all of `S` computed again.

use super::enn::{K, enn};
use super::neighbours::{in_order, k_smallest, majority, neighbours, with_every_class};
use crate::metric::Space;
use crate::{Dataset, Float};
use ndarray::{Array2, Axis};

/// Neighbours that are found at a time.
const POOL: usize = 200;

/// Samples to keep, ascending; when `cancelled`, all that have not been dropped so far.
pub(super) fn drop3<F: Float>(data: &Dataset<F>, cancelled: &dyn Fn() -> bool) -> Vec<usize> {
    let kept = enn(data, cancelled);
    let edited = data.select(&kept);
    let Some(mut reduction) = Reduction::new(&edited, cancelled) else { return kept };
    for p in by_nearest_enemy(&edited, cancelled) {
        if cancelled() {
            break;
        }
        if reduction.is_dispensable(p) {
            reduction.drop_sample(p);
        }
    }
    let kept = kept.into_iter().zip(&reduction.stays).filter(|(_, stays)| **stays);
    with_every_class(data, kept.map(|(i, _)| i).collect())
}

/// All samples, those farthest from any sample of another class first; none when `cancelled`.
fn by_nearest_enemy<F: Float>(data: &Dataset<F>, cancelled: &dyn Fn() -> bool) -> Vec<usize> {
    let enemy = Space::euclidean(data.x.view()).map_until(data.x.view(), cancelled, |i, d| {
        let enemies = d.iter().zip(&data.y).filter(|(_, y)| **y != data.y[i]);
        enemies.fold(f64::INFINITY, |nearest, (d, _)| nearest.min(d.f64()))
    });
    if enemy.len() < data.len() {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..data.len()).collect();
    order.sort_by(|&a, &b| enemy[b].total_cmp(&enemy[a]).then(a.cmp(&b)));
    order
}

/// The samples with who is near whom among those that stay.
struct Reduction<'a, F> {
    x: &'a Array2<F>,
    y: &'a [usize],
    stays: Vec<bool>,
    /// Up to `K + 1` nearest samples that stay, nearest first.
    near: Vec<Vec<u32>>,
    /// Further neighbours, the farthest first, so that the next one is the last.
    pool: Vec<Vec<u32>>,
    associates: Vec<Vec<u32>>,
}

impl<'a, F: Float> Reduction<'a, F> {
    /// None when `cancelled`.
    fn new(data: &'a Dataset<F>, cancelled: &dyn Fn() -> bool) -> Option<Self> {
        let n = data.len();
        let all: Vec<usize> = (0..n).collect();
        let mut near = neighbours(data, &all, POOL, cancelled);
        if near.len() < n {
            return None;
        }
        let pool =
            near.iter_mut().map(|near| near.split_off(near.len().min(K + 1)).into_iter().rev().collect());
        let pool = pool.collect();
        let mut associates = vec![Vec::new(); n];
        for (i, near) in near.iter().enumerate() {
            near.iter().for_each(|&j| associates[j as usize].push(i as u32));
        }
        Some(Reduction { x: &data.x, y: &data.y, stays: vec![true; n], near, pool, associates })
    }

    /// Whether the associates of `p` are decided as well without it.
    fn is_dispensable(&self, p: usize) -> bool {
        let right = |a: u32, without: Option<u32>| {
            let near = self.near[a as usize].iter().filter(|&&j| Some(j) != without).take(K);
            majority(near.map(|&j| self.y[j as usize])) == Some(self.y[a as usize])
        };
        let count = |without| self.associates[p].iter().filter(|&&a| right(a, without)).count();
        count(Some(p as u32)) >= count(None)
    }

    fn drop_sample(&mut self, p: usize) {
        self.stays[p] = false;
        for a in std::mem::take(&mut self.associates[p]) {
            self.near[a as usize].retain(|&j| j as usize != p);
            if let Some(next) = self.next_neighbour(a as usize) {
                self.near[a as usize].push(next);
                self.associates[next as usize].push(a);
            }
        }
    }

    /// The nearest sample that stays and is not on the list of `a` yet.
    fn next_neighbour(&mut self, a: usize) -> Option<u32> {
        loop {
            match self.pool[a].pop() {
                Some(j) if self.stays[j as usize] => return Some(j),
                Some(_) => {}
                None => {
                    self.pool[a] = self.search(a);
                    if self.pool[a].is_empty() {
                        return None;
                    }
                }
            }
        }
    }

    /// Neighbours of `a` among all that stay, beyond those on its list; farthest first.
    fn search(&self, a: usize) -> Vec<u32> {
        let others = |&j: &usize| self.stays[j] && j != a && !self.near[a].contains(&(j as u32));
        let others: Vec<usize> = (0..self.x.nrows()).filter(others).collect();
        if others.is_empty() {
            return Vec::new();
        }
        let (x, p) = (self.x.select(Axis(0), &[a]), self.x.select(Axis(0), &others));
        let found = Space::euclidean(p.view()).map(x.view(), |_, d| k_smallest(d, POOL)).concat();
        let found = found.into_iter().map(|j| others[j as usize] as u32).collect();
        let mut found = in_order(self.x.view(), a, found, POOL);
        found.reverse();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::on_a_line;

    #[test]
    fn the_inside_goes_and_the_border_stays() {
        //                        0    1    2    3    4     5    6    7     8     9
        let data = on_a_line(&[0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0, 9.0, 10.0], "AAAAABBBBB");
        // Visited are 0, 9, 1, 8: their associates still have three of their class near. Without 2, the nearest three of 3
        // would be 4 and two B's; each of the others has a neighbour that needs it in the same way.
        assert_eq!(drop3(&data, &|| false), [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn noise_goes_first() {
        let data = on_a_line(&[0.0, 1.0, 2.0, 3.0, 1.4, 10.0, 11.0, 12.0, 13.0], "AAAABBBBB");
        assert!(!drop3(&data, &|| false).contains(&4));
    }

    #[test]
    fn a_new_neighbour_is_the_nearest_that_stays() {
        let data = on_a_line(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "AAAAAAA");
        let mut r = Reduction::new(&data, &|| false).unwrap();
        assert_eq!(r.near[0], [1, 2, 3, 4]);
        r.drop_sample(2);
        assert_eq!(r.near[0], [1, 3, 4, 5]);
        assert!(r.associates[5].contains(&0));
        // The pool of neighbours runs out, and what stays is searched again: nothing beyond the list.
        r.pool[0].clear();
        r.drop_sample(1);
        assert_eq!(r.near[0], [3, 4, 5, 6]);
        r.drop_sample(6);
        assert_eq!(r.near[0], [3, 4, 5]);
    }

    #[test]
    fn every_class_keeps_a_sample() {
        let data = on_a_line(&[0.0, 1.0, 2.0, 1.5, 3.0], "AAABA");
        assert!(drop3(&data, &|| false).contains(&3));
    }
}
