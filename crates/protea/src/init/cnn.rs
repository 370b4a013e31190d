//! Condensed nearest neighbours: keeps the samples that the nearest-neighbour rule cannot do without.
//!
//! # Algorithm
//! ```text
//! store ← first sample
//! repeat: for each sample not in the store: if its nearest stored sample is of another class, store it
//! until a pass stores nothing
//! ```
//! At the end the store decides every training sample as its label says. Samples are visited in a random order of the
//! seed, the same one in each pass; another seed gives another store of about the same size. Labels that are wrong are kept
//! faithfully, with a ring of samples around each, so [editing](super::enn) first pays where classes overlap.
//!
//! # Reference
//! Hart: The Condensed Nearest Neighbor Rule, IEEE Trans. Information Theory, 1968.
//!
//! # Departures
//! A tie between classes counts as wrong, so that the result does not depend on how ties are broken later; a sample that
//! equals a stored one of its class is right in any case.
//!
//! # Speed
//! Of each sample only the distances to the nearest stored sample of its own and of another class are kept. Samples are
//! visited in blocks: distances to all that was stored before the block come from one product, those to samples
//! stored inside the block from differences. No distance is computed twice.

use super::neighbours::{squared_distance, with_every_class};
use crate::metric::Space;
use crate::{Dataset, Float, rng};
use ndarray::Axis;
use rand::seq::SliceRandom;

/// Samples of a block.
const BLOCK: usize = 2048;

/// Squared distances to the nearest stored sample.
#[derive(Clone, Copy)]
struct Nearest {
    own: f64,
    other: f64,
}

impl Nearest {
    fn see(&mut self, own: bool, d: f64) {
        let nearest = if own { &mut self.own } else { &mut self.other };
        *nearest = nearest.min(d);
    }

    fn is_right(&self) -> bool {
        self.own < self.other || self.own == 0.0
    }
}

/// Samples to keep, ascending; those stored so far when `cancelled`.
pub(super) fn cnn<F: Float>(data: &Dataset<F>, seed: u64, cancelled: &dyn Fn() -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..data.len()).collect();
    order.shuffle(&mut rng(seed, "cnn"));
    let mut store = vec![order[0]];
    let mut stored = vec![false; data.len()];
    stored[order[0]] = true;
    let mut nearest = vec![Nearest { own: f64::INFINITY, other: f64::INFINITY }; data.len()];
    // What each block has been compared with already.
    let mut seen = vec![0; order.len().div_ceil(BLOCK)];
    loop {
        let before = store.len();
        for (block, seen) in order.chunks(BLOCK).zip(&mut seen) {
            if cancelled() {
                break;
            }
            compare(data, block, &store[*seen..], &mut nearest);
            *seen = store.len();
            let first = store.len();
            for &i in block.iter().filter(|&&i| !stored[i]).collect::<Vec<_>>() {
                for &j in &store[first..] {
                    nearest[i].see(data.y[i] == data.y[j], squared_distance(data.x.view(), i, j));
                }
                if !nearest[i].is_right() {
                    stored[i] = true;
                    store.push(i);
                }
            }
        }
        if store.len() == before {
            break;
        }
    }
    store.sort_unstable();
    with_every_class(data, store)
}

/// Compares the samples of a block with those stored since the last time.
fn compare<F: Float>(data: &Dataset<F>, block: &[usize], store: &[usize], nearest: &mut [Nearest]) {
    if store.is_empty() {
        return;
    }
    let (x, p) = (data.x.select(Axis(0), block), data.x.select(Axis(0), store));
    let found = Space::euclidean(p.view()).map(x.view(), |r, d| {
        let mut nearest = nearest[block[r]];
        for (&j, d) in store.iter().zip(d) {
            nearest.see(data.y[block[r]] == data.y[j], d.f64());
        }
        nearest
    });
    block.iter().zip(found).for_each(|(&i, found)| nearest[i] = found);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::on_a_line;
    use rand::RngExt;

    #[test]
    fn two_groups_need_one_sample_each() {
        let data = on_a_line(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], "AAABBB");
        for seed in 0..20 {
            let kept = cnn(&data, seed, &|| false);
            assert_eq!(kept.iter().filter(|&&i| i < 3).count(), 1, "{kept:?}");
            assert_eq!(kept.len(), 2);
        }
    }

    #[test]
    fn conflicting_duplicates_end() {
        let data = on_a_line(&[1.0, 1.0, 1.0, 1.0], "ABAB");
        let kept = cnn(&data, 0, &|| false);
        assert!(kept.iter().any(|&i| i % 2 == 0) && kept.iter().any(|&i| i % 2 == 1));
    }

    #[test]
    fn the_store_decides_every_training_sample() {
        let mut random = rng(4, "test");
        let n = 3000;
        let x = ndarray::Array2::from_shape_fn((n, 2), |_| random.random::<f64>());
        // Three overlapping classes, so that many samples are stored and blocks matter.
        let y: Vec<usize> = x.rows().into_iter().map(|r| ((r[0] * 6.0 + r[1]) as usize) % 3).collect();
        let data = Dataset::new(x, y, vec!["a".into(), "b".into(), "c".into()]).unwrap();
        for seed in 0..2 {
            let kept = cnn(&data, seed, &|| false);
            assert!(kept.len() < n / 4, "{}", kept.len());
            for i in 0..n {
                let nearest = kept.iter().min_by(|&&a, &&b| {
                    let d = |j: usize| squared_distance(data.x.view(), i, j);
                    d(a).total_cmp(&d(b))
                });
                assert_eq!(data.y[*nearest.unwrap()], data.y[i]);
            }
        }
    }
}
