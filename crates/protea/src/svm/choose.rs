//! The price `C` by validation.

use super::{Labelled, LinearSvm, Rows, Svm};
use crate::kernel::parallel::*;
use crate::progress::Stop;
use crate::{Error, Result, data};

/// Prices that are worth a try where nothing is known.
pub const COSTS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];

/// Trains with each price of `costs` on a part of the rows, and with the best one on all of them.
///
/// `share` of every class is held out; the best price has the lowest (weighted) error there, ties go to the smallest. Where classes
/// are too small for that, the price is that of `svm`.
/// Candidates are trained in parallel and do not depend on each other.
pub fn choose_c(
    svm: &Svm,
    costs: &[f64],
    share: f64,
    samples: &Labelled,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<LinearSvm> {
    let with = |c: f64| Svm { c, ..svm.clone() };
    costs.iter().try_for_each(|&c| with(c).check())?;
    samples.check()?;
    let &[first, ref others @ ..] = costs else {
        return Err(Error::setting("costs", "none", "at least one number > 0"));
    };
    if others.is_empty() {
        return with(first).fit(samples, cancelled);
    }
    let (kept, held) = match data::stratified(samples.y, samples.classes, share, svm.seed) {
        // Classes of one or two samples leave none to choose by.
        Err(Error::TooFew { .. }) => return svm.fit(samples, cancelled),
        parts => parts?,
    };
    let (kept, held) = (Part::of(samples, &kept), Part::of(samples, &held));
    let stop = Stop(cancelled);
    let error = |&c: &f64| (c, held.error(&with(c).solve(&kept.labelled(), stop)));
    // The largest prices take longest, so they go first.
    let mut order = costs.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let errors: Vec<(f64, f64)> = order.par_iter().with_max_len(1).map(error).collect();
    let best = errors.iter().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
    Ok(with(best.map_or(first, |b| b.0)).solve(samples, stop))
}

/// Some of the samples.
struct Part {
    rows: Rows,
    y: Vec<usize>,
    classes: usize,
    weights: Option<Vec<f64>>,
}

impl Part {
    fn of(samples: &Labelled, which: &[usize]) -> Self {
        Part {
            rows: samples.rows.select(which),
            y: which.iter().map(|&i| samples.y[i]).collect(),
            classes: samples.classes,
            weights: samples.weights.map(|w| which.iter().map(|&i| w[i]).collect()),
        }
    }

    fn labelled(&self) -> Labelled<'_> {
        Labelled { rows: &self.rows, y: &self.y, classes: self.classes, weights: self.weights.as_deref() }
    }

    /// Weight of the samples that are decided wrongly.
    fn error(&self, svm: &LinearSvm) -> f64 {
        let decided = svm.predict_all(&self.rows);
        (0..self.y.len()).filter(|&i| decided[i] != self.y[i]).map(|i| self.labelled().weight(i)).sum()
    }
}
