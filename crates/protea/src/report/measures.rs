//! What a report measures beyond [`eval`](crate::eval).

use super::Report;
use crate::{Float, Result};
use ndarray::{ArrayView2, Axis};

/// Bins of the reliability diagram.
const BINS: usize = 10;
/// Samples that the share of features in decisions is taken over.
const EXPLAINED: usize = 500;

/// Answers of about the same confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Bin {
    pub answers: usize,
    /// Mean confidence.
    pub confidence: f64,
    /// Share of right answers.
    pub right: f64,
}

/// The most probable class of each row by how probable it was: bins of equal width, those without answers left out.
pub(super) fn reliability(y: &[usize], q: ArrayView2<f64>) -> Vec<Bin> {
    let mut bins = [Bin::default(); BINS];
    for (row, &y) in q.rows().into_iter().zip(y) {
        let best = row.iter().enumerate().fold(0, |b, (c, &v)| if v > row[b] { c } else { b });
        let bin = &mut bins[((row[best] * BINS as f64) as usize).min(BINS - 1)];
        bin.answers += 1;
        bin.confidence += row[best];
        bin.right += f64::from(u8::from(best == y));
    }
    let share = |b: Bin| {
        let n = b.answers as f64;
        Bin { confidence: b.confidence / n, right: b.right / n, ..b }
    };
    bins.into_iter().filter(|b| b.answers > 0).map(share).collect()
}

impl<F: Float> Report<'_, F> {
    /// Prototypes by importance, the most important first.
    pub(super) fn by_importance(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.uses.len()).collect();
        order.sort_by(|&a, &b| self.uses[b].importance.total_cmp(&self.uses[a].importance).then(a.cmp(&b)));
        order
    }

    /// Error of the nearest prototype among the first 1, 2, … m, when each class gives its most important one in turn.
    pub(super) fn anytime(&self) -> Vec<f64> {
        let labels = &self.model.prototypes().y;
        let mut round = vec![0usize; self.model.classes().len()];
        let mut order: Vec<(usize, usize)> = (self.by_importance().into_iter())
            .map(|j| {
                round[labels[j]] += 1;
                (round[labels[j]], j)
            })
            .collect();
        // Stable: within a round the most important first.
        order.sort_by_key(|&(round, _)| round);
        let mut wrong = vec![0usize; labels.len()];
        for (block, y) in self.test.x.axis_chunks_iter(Axis(0), 256).zip(self.test.y.chunks(256)) {
            let d = self.model.distances(block);
            for (d, &y) in d.rows().into_iter().zip(y) {
                let mut best = (F::infinity(), 0);
                for (k, &(_, j)) in order.iter().enumerate() {
                    // Ties go to the lowest index, as in the model.
                    if d[j] < best.0 || (d[j] == best.0 && j < best.1) {
                        best = (d[j], j);
                    }
                    wrong[k] += usize::from(labels[best.1] != y);
                }
            }
        }
        wrong.into_iter().map(|w| w as f64 / self.test.len() as f64).collect()
    }

    /// Mean over samples of what each feature adds to `d⁻ − d⁺`, the lead of the nearest prototype over the nearest of another
    /// class; none where preprocessing mixes features beyond recovery.
    pub(super) fn deciding_features(&self) -> Result<Option<Vec<f64>>> {
        if self.shown_prototypes().is_none() || self.answers.winners.iter().any(|w| w.rival.is_none()) {
            return Ok(None);
        }
        let step = self.test.len().div_ceil(EXPLAINED);
        let rows: Vec<usize> = (0..self.test.len()).step_by(step).collect();
        let x = self.test.x.select(Axis(0), &rows);
        let near: Vec<usize> = rows.iter().map(|&i| self.answers.winners[i].nearest.prototype).collect();
        let rival: Vec<usize> =
            rows.iter().filter_map(|&i| self.answers.winners[i].rival.map(|r| r.prototype)).collect();
        let lead = self.model.contributions(x.view(), &rival)? - self.model.contributions(x.view(), &near)?;
        Ok(lead.mean_axis(Axis(0)).map(|m| m.to_vec()))
    }

    /// Smallest and largest value of each feature.
    pub(super) fn ranges(&self) -> Vec<(f64, f64)> {
        let range = |column: ndarray::ArrayView1<F>| {
            column
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v.f64()), b.max(v.f64())))
        };
        self.test.x.columns().into_iter().map(range).collect()
    }

    /// Confused pairs of classes, the most frequent first: true class, decided class, samples.
    pub(super) fn confusions(&self) -> Vec<(usize, usize, usize)> {
        let cells = self.evaluation.confusion.indexed_iter();
        let mut pairs: Vec<_> =
            cells.filter(|((a, b), n)| a != b && **n > 0).map(|((a, b), &n)| (a, b, n)).collect();
        pairs.sort_by_key(|&(a, b, n)| (std::cmp::Reverse(n), a, b));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn bins_are_counted_as_on_paper() {
        let q = array![[0.95, 0.05], [0.92, 0.08], [0.35, 0.65], [0.5, 0.5]];
        let bins = reliability(&[0, 1, 1, 0], q.view());
        let shares: Vec<_> = bins.iter().map(|b| (b.answers, b.right)).collect();
        assert_eq!(shares, [(1, 1.0), (1, 1.0), (2, 0.5)]);
        assert!((bins[2].confidence - 0.935).abs() < 1e-12);
    }
}
