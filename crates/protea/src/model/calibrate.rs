//! Values of γ that fit the data: where annealing starts, where it may end, and which one gives honest probabilities.
//!
//! All of them look at a matrix of squared distances (`n × m`) of a sample of the training set.

use super::{Decider, Model, most_gamma};
use crate::kernel::parallel::*;
use crate::kernel::softmin;
use crate::{Dataset, Float};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Samples that calibration looks at.
pub(crate) const CALIBRATION_SAMPLES: usize = 5000;

/// Largest γ for which at least `share` of the rows have `w₁ − w₂ < gap` between their two largest weights.
///
/// The gap of a row grows with γ, so the share falls and bisection on log γ finds the value. Scaling all distances by `s`
/// divides it by `s`. Rows whose two nearest prototypes are equally far, up to rounding, have no gap at any γ and do not count;
/// if there are no other rows, γ is one over the mean distance.
pub fn gamma_start<F: Float>(d: ArrayView2<F>, gap: f64, share: f64) -> f64 {
    let told: Vec<usize> = (0..d.nrows()).filter(|&i| !is_tied(d.row(i))).collect();
    if told.len() == d.nrows() {
        return start_of_untied(d, gap, share);
    }
    if told.is_empty() {
        return scale(d);
    }
    start_of_untied(d.select(Axis(0), &told).view(), gap, share)
}

fn start_of_untied<F: Float>(d: ArrayView2<F>, gap: f64, share: f64) -> f64 {
    largest(d, |gamma| {
        share_of(d, |row, w| {
            let total: f64 = weights(row, gamma, w);
            let second = row_second(w);
            (1.0 - second) / total < gap
        }) >= share
    })
}

/// Whether the two smallest distances of a row differ by no more than rounding: √ε of its mean.
fn is_tied<F: Float>(row: ArrayView1<F>) -> bool {
    let (mut first, mut second, mut sum) = (f64::INFINITY, f64::INFINITY, 0.0);
    for v in row.iter().map(|v| v.f64()) {
        sum += v;
        if v < first {
            (first, second) = (v, first);
        } else if v < second {
            second = v;
        }
    }
    second - first <= F::EPS.sqrt() * sum / row.len() as f64
}

/// One over the mean distance, or 1 where that is no number.
fn scale<F: Float>(d: ArrayView2<F>) -> f64 {
    let mean = d.iter().map(|v| v.f64()).sum::<f64>() / d.len() as f64;
    if mean > 0.0 && mean.is_finite() { 1.0 / mean } else { 1.0 }
}

/// Smallest γ for which all but 0.1 % of the rows have `1 − w₁ < epsilon`: beyond it nothing changes any more.
pub fn gamma_end<F: Float>(d: ArrayView2<F>, epsilon: f64) -> f64 {
    largest(d, |gamma| share_of(d, |row, w| 1.0 - 1.0 / weights(row, gamma, w) >= epsilon) > 1e-3)
}

/// The least probability that counts: a single sample must not outweigh all others.
const LEAST: f64 = 1e-6;

/// γ at which the rows' own classes have the highest likelihood, searched between `low` and `high`; `own(i, γ)` is the
/// probability that row `i` of `n` gives to its class.
pub fn temperature(n: usize, own: impl Fn(usize, f64) -> f64 + Sync, low: f64, high: f64) -> f64 {
    let loss = |log: f64| {
        let gamma = log.exp();
        let rows: Vec<f64> = (0..n).into_par_iter().map(|i| -own(i, gamma).max(LEAST).ln()).collect();
        rows.iter().sum::<f64>()
    };
    // Golden-section search; the likelihood is unimodal in log γ but for flat ends.
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    // Where prototypes coincide the ends may lie beyond what a number can hold.
    let (mut a, mut b) = (low.clamp(1e-300, 1e300).ln(), high.clamp(1e-300, 1e300).ln());
    let (mut c, mut e) = (b - ratio * (b - a), a + ratio * (b - a));
    let (mut fc, mut fe) = (loss(c), loss(e));
    for _ in 0..60 {
        if b - a <= 0.02 {
            break;
        }
        if fc < fe {
            (b, e, fe) = (e, c, fc);
            c = b - ratio * (b - a);
            fc = loss(c);
        } else {
            (a, c, fc) = (c, e, fe);
            e = a + ratio * (b - a);
            fe = loss(e);
        }
    }
    ((a + b) / 2.0).exp()
}

/// Unnormalised soft weights of a row and their sum.
fn weights<F: Float>(row: &[F], gamma: f64, w: &mut Vec<F>) -> f64 {
    w.resize(row.len(), F::zero());
    softmin(row, F::of(gamma), w);
    w.iter().map(|w| w.f64()).sum()
}

/// Second largest of weights whose largest is 1.
fn row_second<F: Float>(w: &[F]) -> f64 {
    let (mut first, mut second) = (F::zero(), F::zero());
    for &v in w {
        if v > first {
            second = first;
            first = v;
        } else if v > second {
            second = v;
        }
    }
    second.f64()
}

/// Share of rows for which `test` holds.
fn share_of<F: Float>(d: ArrayView2<F>, test: impl Fn(&[F], &mut Vec<F>) -> bool + Sync) -> f64 {
    let holds = d
        .axis_iter(Axis(0))
        .into_par_iter()
        .map_init(Vec::new, |w, row| row.to_slice().is_some_and(|row| test(row, w)))
        .filter(|&holds| holds)
        .count();
    holds as f64 / d.nrows() as f64
}

/// Largest γ for which `small`, true for small γ, holds; bisection on log γ around the scale of the distances.
fn largest<F: Float>(d: ArrayView2<F>, small: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (scale(d), scale(d));
    // Sixty doublings each way: beyond that (all distances equal, say) the ends are the answer.
    for _ in 0..60 {
        if small(low) {
            break;
        }
        low *= 0.5;
    }
    for _ in 0..60 {
        if !small(high) {
            break;
        }
        (low, high) = (high, high * 2.0);
    }
    // Sixty halvings of the logarithm are more than enough; roots first, so that nothing leaves the range of numbers.
    for _ in 0..60 {
        if high / low <= 1.0 + 1e-4 {
            break;
        }
        let middle = low.sqrt() * high.sqrt();
        if small(middle) { low = middle } else { high = middle }
    }
    low
}

/// Distances of labelled samples, and what decides by them.
pub(crate) struct Judged<'a, F: Float> {
    pub decision: &'a Decider<'a, F>,
    pub d: Array2<F>,
    pub y: &'a [usize],
}

impl<F: Float> Judged<'_, F> {
    fn distances(&self, row: usize) -> &[F] {
        self.d.row(row).to_slice().expect("distances are row-major")
    }

    /// Probability of a sample's own class.
    fn own(&self, row: usize, gamma: f64) -> f64 {
        self.decision.probabilities(self.distances(row), gamma)[self.y[row]]
    }

    /// The same of a sample that is of one of the other classes by the share `doubt`: a geometric mean.
    fn doubted(&self, row: usize, gamma: f64, doubt: f64) -> f64 {
        let q = self.decision.probabilities(self.distances(row), gamma);
        // One logarithm for as many factors as do not underflow.
        let log = |q: &[f64]| q.iter().map(|q| q.max(LEAST)).product::<f64>().ln();
        let own = log(&[q[self.y[row]]]);
        let others = q.chunks(32).map(log).sum::<f64>() - own;
        ((1.0 - doubt) * own + doubt * others / (q.len() - 1).max(1) as f64).exp()
    }

    /// Log loss of each sample, in nats.
    fn log_losses(&self, gamma: f64) -> Vec<f64> {
        (0..self.y.len()).map(|row| -self.own(row, gamma).max(LEAST).ln()).collect()
    }

    /// Whether each sample is decided wrongly.
    fn wrong(&self, gamma: f64) -> Vec<bool> {
        let decided = |row| self.decision.decide(self.distances(row), gamma);
        (0..self.y.len()).map(|row| decided(row) != self.y[row]).collect()
    }
}

/// γ under which samples, all of them together, have the highest likelihood, with one more sample that is surely wrong.
///
/// Without that one, samples that are all decided rightly would ask for a γ without end, and the first error afterwards would come
/// as a surprise without end. It is spread over all samples: each is of another class by the share 1/(n + 1), as in Laplace's rule of
/// succession.
pub(crate) fn likeliest_gamma<F: Float>(parts: &[Judged<F>]) -> f64 {
    let Judged { decision, d, .. } = &parts[0];
    let (low, high) = decision.decision.gamma_range(d.view());
    let rows: Vec<(&Judged<F>, usize)> =
        parts.iter().flat_map(|part| (0..part.y.len()).map(move |i| (part, i))).collect();
    let doubt = 1.0 / (rows.len() + 1) as f64;
    let own = |i: usize, gamma: f64| rows[i].0.doubted(rows[i].1, gamma, doubt);
    temperature(rows.len(), own, low, high).min(most_gamma::<F>())
}

/// What models say of samples that they have not seen.
#[derive(Debug, Clone)]
pub(crate) struct HeldOut {
    /// γ under which the samples are the likeliest.
    pub gamma: f64,
    /// Log loss of each sample at this γ, in nats, in the order of the samples.
    pub log_losses: Vec<f64>,
    /// Whether its class was decided wrongly.
    pub wrong: Vec<bool>,
}

/// Judges samples, each by the model that has not seen it; one temperature for all.
pub(crate) fn held_out<F: Float>(fitted: &[(&Model<F>, &Dataset<F>)]) -> HeldOut {
    let decisions: Vec<_> = fitted.iter().map(|(model, _)| model.decider()).collect();
    let parts: Vec<Judged<F>> = (fitted.iter().zip(&decisions))
        .map(|((model, held), decision)| Judged { decision, d: model.distances(held.x.view()), y: &held.y })
        .collect();
    let gamma = likeliest_gamma(&parts);
    HeldOut {
        gamma,
        log_losses: parts.iter().flat_map(|part| part.log_losses(gamma)).collect(),
        wrong: parts.iter().flat_map(|part| part.wrong(gamma)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Two prototypes: w₁ − w₂ = tanh(γ Δ / 2), below ½ for γ < ln 3 / Δ. With Δ = 1 … 10, eight of ten rows have
    /// Δ ≤ 8, so 80 % hold up to γ = ln 3 / 8.
    #[test]
    fn the_start_is_where_the_closed_form_says() {
        let d = Array2::from_shape_fn((10, 2), |(i, j)| 5.0 + j as f64 * (10 - i) as f64);
        // Rows with the smallest Δ hold longest; all but the two largest Δ hold below ln 3 / 8.
        let gamma = gamma_start(d.view(), 0.5, 0.8);
        assert!((gamma * 8.0 / 3f64.ln() - 1.0).abs() < 1e-3, "{gamma}");
        // Scaling distances by 4 (samples by 2) divides γ by 4.
        assert!((gamma_start((&d * 4.0).view(), 0.5, 0.8) * 4.0 / gamma - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_end_is_where_weights_are_hard() {
        // 1 − w₁ = e/(1+e) with e = exp(−γ): below 1e-3 for γ > ln 999.
        let gamma = gamma_end(array![[0.0, 1.0]].view(), 1e-3);
        assert!((gamma / 999f64.ln() - 1.0).abs() < 1e-3, "{gamma}");
    }

    #[test]
    fn equal_distances_end_the_search() {
        let d = Array2::<f32>::ones((5, 3));
        assert!(gamma_start(d.view(), 0.5, 0.8).is_finite() && gamma_end(d.view(), 1e-3).is_finite());
    }

    /// One of four samples lies on the wrong side at distance 0 against 1: the likelihood of q = 1/(1+e^{−γ}) is highest
    /// where q = 3/4, at γ = ln 3.
    #[test]
    fn the_temperature_has_the_highest_likelihood() {
        let own = |i: usize, gamma: f64| {
            let first = 1.0 / (1.0 + (-gamma).exp());
            if i < 3 { first } else { 1.0 - first }
        };
        let gamma = temperature(4, own, 1e-2, 1e2);
        assert!((gamma - 3f64.ln()).abs() < 0.02, "{gamma}");
    }

    /// Distances near the ends of what a number can hold, and prototypes that coincide, do not keep the search going for ever.
    #[test]
    fn searches_end_whatever_the_distances() {
        for d in [[1e170, 2e170], [1e-200, 3e-200], [0.0, 0.0], [5.0, 5.0], [1e300, 1e300]] {
            let d = Array2::from_shape_fn((4, 2), |(_, j)| d[j]);
            for gamma in [gamma_start(d.view(), 0.5, 0.8), gamma_end(d.view(), 1e-3)] {
                assert!(gamma >= 0.0 && !gamma.is_nan(), "{gamma}");
            }
        }
        let gamma = temperature(3, |_, gamma| 1.0 / (1.0 + gamma), 1e-3, f64::INFINITY);
        assert!(gamma.is_finite());
    }
}
