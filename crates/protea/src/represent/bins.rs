//! Where the bins of a feature end: at quantiles, or where a small decision tree would split.
//!
//! # Quantiles
//! Edges are values of the feature. From the smallest value on, an edge is set as soon as the samples since the last edge are
//! an equal share of those that are left, so that a value that many samples have takes one edge and leaves the other bins
//! to the rest.
//!
//! # Tree
//! A decision tree of this feature alone, by Gini impurity, that always splits the leaf whose best split lowers the impurity
//! most. Its thresholds are the inner edges. Weights of samples count in neither.
//!
//! # Reference
//! Gorishniy, Rubachev, Babenko: "On Embeddings for Numerical Features in Tabular Deep Learning", NeurIPS 2022.

use crate::settings::{SettingValue, either, named_enum};
use std::ops::Range;

named_enum! {
    /// How the edges of bins are found.
    pub enum Bins {
        /// As many samples in each bin.
        Quantile = "ple",
        /// Where a decision tree of the feature splits the classes.
        Tree = "tree",
    }
}

/// How each feature is encoded: `ple`, `ple:16`, `tree:16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// How edges are found.
    pub bins: Bins,
    /// Bins of each feature at most; by the number of samples where none is given.
    pub most: Option<usize>,
}

impl Encoding {
    /// Largest number of bins that can be asked for.
    pub const MOST: usize = 256;

    /// Bins of each feature at most, for `n` samples: `√n / 4`, from 8 to 48, where none is given.
    pub fn most(&self, n: usize) -> usize {
        self.most.unwrap_or((n.isqrt() / 4).clamp(8, 48))
    }
}

impl SettingValue for Encoding {
    fn parse(text: &str) -> Option<Self> {
        let (name, most) = match text.split_once(':') {
            Some((name, most)) => {
                (name, Some(most.parse().ok().filter(|b| (1..=Encoding::MOST).contains(b))?))
            }
            None => (text, None),
        };
        Some(Encoding { bins: Bins::parse(name)?, most })
    }

    fn show(&self) -> String {
        self.most.map_or(self.bins.show(), |most| format!("{}:{most}", self.bins.show()))
    }

    fn expected() -> String {
        format!("{}, with at most {} bins after a colon, such as ple:16", either(Bins::NAMES), Encoding::MOST)
    }
}

/// A value of a feature and how many samples of each class have it.
struct Value {
    at: f64,
    counts: Vec<u32>,
}

/// Distinct values in ascending order.
fn distinct(values: &[f64], y: &[usize], classes: usize) -> Vec<Value> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut distinct: Vec<Value> = Vec::new();
    for i in order {
        if distinct.last().is_none_or(|v| v.at != values[i]) {
            distinct.push(Value { at: values[i], counts: vec![0; classes] });
        }
        distinct.last_mut().expect("a value was added").counts[y[i]] += 1;
    }
    distinct
}

/// Edges of at most `most` bins in ascending order, the smallest and the largest value among them.
///
/// A feature with few values has an edge at each of them under [`Bins::Quantile`]; a constant one has its value twice.
pub(super) fn edges(bins: Bins, most: usize, values: &[f64], y: &[usize], classes: usize) -> Vec<f64> {
    match bins {
        Bins::Quantile => {
            let zeros = vec![0; values.len()];
            quantiles(&distinct(values, &zeros, 1), most)
        }
        Bins::Tree => tree(&distinct(values, y, classes), classes, most),
    }
}

fn quantiles(values: &[Value], most: usize) -> Vec<f64> {
    let mut edges = vec![values[0].at];
    let count = |v: &Value| v.counts[0] as usize;
    let (mut left, mut since): (usize, usize) = (values.iter().skip(1).map(count).sum(), 0);
    for (i, value) in values.iter().enumerate().skip(1) {
        since += count(value);
        let bins = most + 1 - edges.len();
        // One edge is kept for the largest value.
        let full = bins > 1 && since * bins >= left;
        if full || bins >= values.len() - i || i + 1 == values.len() {
            edges.push(value.at);
            left -= since;
            since = 0;
        }
    }
    closed(edges)
}

/// A constant feature gets an empty bin.
fn closed(mut edges: Vec<f64>) -> Vec<f64> {
    if edges.len() == 1 {
        edges.push(edges[0]);
    }
    edges
}

/// Samples that a leaf of the tree has at least, as a share of `n` over the number of bins.
const LEAST_SHARE: f64 = 0.25;

fn tree(values: &[Value], classes: usize, most: usize) -> Vec<f64> {
    let n: u32 = values.iter().flat_map(|v| &v.counts).sum();
    let least = ((LEAST_SHARE * f64::from(n) / most as f64) as u32).max(4);
    let mut leaves: Vec<(Range<usize>, Option<Split>)> = vec![(0..values.len(), None)];
    leaves[0].1 = best_split(values, leaves[0].0.clone(), classes, least);
    while leaves.len() < most {
        let gain = |i: usize| leaves[i].1.as_ref().map_or(0.0, |s| s.gain);
        let best = (0..leaves.len()).fold(0, |best, i| if gain(i) > gain(best) { i } else { best });
        let Some(split) = leaves[best].1.take() else { break };
        let range = leaves[best].0.clone();
        let halves = [range.start..split.at, split.at..range.end];
        let [left, right] = halves.map(|r| (r.clone(), best_split(values, r, classes, least)));
        leaves[best] = left;
        leaves.insert(best + 1, right);
    }
    let inner = leaves.iter().skip(1).map(|(r, _)| 0.5 * (values[r.start - 1].at + values[r.start].at));
    let mut edges: Vec<f64> = std::iter::once(values[0].at).chain(inner).collect();
    edges.push(values[values.len() - 1].at);
    edges
}

/// The values of a leaf, cut before the value `at`.
struct Split {
    at: usize,
    gain: f64,
}

/// The split of a leaf that lowers `n · Gini impurity` most; none if no split does.
fn best_split(values: &[Value], leaf: Range<usize>, classes: usize, least: u32) -> Option<Split> {
    let mut right = vec![0u32; classes];
    for value in &values[leaf.clone()] {
        right.iter_mut().zip(&value.counts).for_each(|(r, c)| *r += c);
    }
    // n · impurity = n − Σ_c n_c² / n; the smaller n cancels in the gain.
    let purity = |counts: &[u32]| {
        let n: f64 = counts.iter().map(|&c| f64::from(c)).sum();
        if n > 0.0 { counts.iter().map(|&c| f64::from(c).powi(2)).sum::<f64>() / n } else { 0.0 }
    };
    let (whole, mut left) = (purity(&right), vec![0u32; classes]);
    let mut best: Option<Split> = None;
    for at in leaf.start + 1..leaf.end {
        for ((l, r), c) in left.iter_mut().zip(&mut right).zip(&values[at - 1].counts) {
            *l += c;
            *r -= c;
        }
        if left.iter().sum::<u32>() < least || right.iter().sum::<u32>() < least {
            continue;
        }
        let gain = purity(&left) + purity(&right) - whole;
        if gain > 1e-9 * whole && best.as_ref().is_none_or(|b| gain > b.gain) {
            best = Some(Split { at, gain });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_quantiles(values: &[f64], most: usize) -> Vec<f64> {
        edges(Bins::Quantile, most, values, &[], 0)
    }

    #[test]
    fn quantiles_share_the_samples() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(by_quantiles(&values, 4), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(by_quantiles(&values, 1), [0.0, 100.0]);
    }

    #[test]
    fn few_values_have_an_edge_each() {
        assert_eq!(by_quantiles(&[2.0, 1.0, 5.0, 1.0, 2.0], 8), [1.0, 2.0, 5.0]);
        assert_eq!(by_quantiles(&[0.0, 1.0, 1.0], 8), [0.0, 1.0]);
        assert_eq!(by_quantiles(&[3.0, 3.0], 8), [3.0, 3.0]);
        assert_eq!(edges(Bins::Tree, 8, &[3.0, 3.0], &[0, 1], 2), [3.0, 3.0]);
    }

    /// Ninety zeros take no bin from the ten other values.
    #[test]
    fn a_frequent_value_leaves_bins_to_the_rest() {
        let values: Vec<f64> = (0..100).map(|i| (i - 90).max(0) as f64).collect();
        assert_eq!(by_quantiles(&values, 3), [0.0, 3.0, 6.0, 9.0]);
        let last: Vec<f64> = values.iter().map(|v| -v).collect();
        assert_eq!(by_quantiles(&last, 3).last(), Some(&0.0));
    }

    /// Classes change at 20.5 and 70.5 only.
    #[test]
    fn a_tree_splits_where_classes_change() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let y: Vec<usize> = (0..100).map(|i| usize::from((21..71).contains(&i))).collect();
        assert_eq!(edges(Bins::Tree, 8, &values, &y, 2), [0.0, 20.5, 70.5, 99.0]);
        assert_eq!(edges(Bins::Tree, 2, &values, &y, 2).len(), 3);
        // Nothing to learn: one bin.
        assert_eq!(edges(Bins::Tree, 8, &values, &[0; 100], 1), [0.0, 99.0]);
    }

    #[test]
    fn encodings_parse() {
        for text in ["ple", "ple:16", "tree:256"] {
            assert_eq!(Encoding::parse(text).unwrap().show(), text);
        }
        for text in ["ple:0", "ple:257", "tree:", "plr"] {
            assert_eq!(Encoding::parse(text), None, "{text}");
        }
        let most = |n| Encoding::parse("ple").unwrap().most(n);
        assert_eq!((most(100), most(4000), most(1_000_000)), (8, 15, 48));
    }
}
