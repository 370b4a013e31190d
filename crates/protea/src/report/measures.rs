//! What a report measures beyond [`eval`](crate::eval).

use super::Report;
use crate::{Float, Result};
use ndarray::Axis;

/// Samples that the share of features in decisions is taken over.
const EXPLAINED: usize = 500;

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
