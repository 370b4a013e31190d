//! Learning by rules that move prototypes for one sample after the other.
//!
//! Prototypes are kept transposed (`dim × m`), so that the distances of a sample to all of them are `dim` passes over
//! contiguous numbers; a move writes one column.

use super::finish::Fitted;
use super::learn::deviation;
use super::problem::Noise;
use super::{Progress, Report, Stopped, Training};
use crate::init::Prototypes;
use crate::metric::{Form, smallest};
use crate::model::Space;
use crate::objective::{ClassLayout, OnlineRule, Sample};
use crate::simd::{self, Kernel};
use crate::{Dataset, Error, Float, Result, rng};
use ndarray::Array2;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Passes over the samples that online rules make unless told otherwise: enough to move every prototype many times, few
/// enough that rules without an objective do not run away.
const EPOCHS: usize = 30;

/// Runs a rule over shuffled samples, epoch by epoch; the start is kept where it has the lower training error.
pub(super) fn learn<F: Float>(
    t: &Training,
    rule: &mut dyn OnlineRule<F>,
    train: &Dataset<F>,
    valid: Option<&Dataset<F>>,
    start: Prototypes<F>,
    progress: &mut dyn Progress,
) -> Result<Fitted<F>> {
    progress.phase("training");
    let error = |p: &Prototypes<F>| {
        let judged = valid.unwrap_or(train);
        Space::new(&Form::Euclidean, p.x.view()).error(judged, &p.y)
    };
    let mut best = (error(&start), start.clone());
    let mut online = Online::new(train, &start, t);
    let epochs = t.epochs.unwrap_or(EPOCHS);
    let mut order: Vec<usize> = (0..train.len()).collect();
    let mut shuffle = rng(t.seed, "batches");
    let mut history = Vec::with_capacity(epochs);
    let mut stopped = Stopped::Finished;
    let mut since = 0;
    'training: for epoch in 0..epochs {
        order.shuffle(&mut shuffle);
        let mut wrong = 0;
        for (s, &i) in order.iter().enumerate() {
            if s % 1024 == 0 && progress.cancelled() {
                stopped = Stopped::Interrupted;
                break 'training;
            }
            let done = (epoch * train.len() + s) as f64 / (epochs * train.len()) as f64;
            online.see(i, rule, t.rate * t.decay.at(done));
            wrong += usize::from(online.was_wrong(i));
        }
        let passing = wrong as f64 / train.len() as f64;
        let Some(now) = online.prototypes() else {
            if history.is_empty() {
                return Err(Error::Diverged { epoch: epoch + 1, value: f64::INFINITY });
            }
            stopped = Stopped::Diverged;
            break;
        };
        let error = error(&now);
        // With validation samples the best iterate, otherwise the last that is not worse than the start.
        let better = if valid.is_some() { error <= best.0 } else { true };
        since = if better { 0 } else { since + 1 };
        if better && valid.is_some() {
            best = (error, now);
        }
        let (train_error, valid_error) = if valid.is_some() { (passing, Some(error)) } else { (error, None) };
        let report =
            Report { epoch: epoch + 1, of: epochs, gamma: 1.0, loss: passing, train_error, valid_error };
        progress.report(&report);
        history.push(report);
        if valid.is_some() && t.patience.is_some_and(|p| since >= p) {
            stopped = Stopped::Early;
            break;
        }
    }
    let kept_start = if valid.is_none() && stopped != Stopped::Diverged {
        match online.prototypes() {
            Some(last) if error(&last) <= best.0 => {
                best.1 = last;
                false
            }
            _ => true,
        }
    } else {
        best.1 == start
    };
    let prototypes = best.1;
    Ok(Fitted { history, stopped, kept_start, ..Fitted::as_is(prototypes, Form::Euclidean) })
}

/// Prototypes that are being moved.
pub(super) struct Online<'a, F: Float> {
    train: &'a Dataset<F>,
    classes: ClassLayout,
    noise: Option<Noise<F>>,
    mean_weight: f64,
    /// `dim × m`
    pt: Vec<F>,
    m: usize,
    d: Vec<F>,
    x: Vec<F>,
}

impl<'a, F: Float> Online<'a, F> {
    pub fn new(train: &'a Dataset<F>, start: &Prototypes<F>, t: &Training) -> Self {
        let (m, dim) = start.x.dim();
        let deviation = if t.noise() > 0.0 { t.noise() * deviation(train.x.view()) } else { 0.0 };
        let weights = train.weights.as_ref().map_or(train.len() as f64, |w| w.iter().sum());
        Online {
            train,
            classes: ClassLayout::new(&start.y, train.n_classes()),
            noise: (deviation > 0.0).then(|| Noise::new(deviation, train.len(), dim, t.seed)),
            mean_weight: weights / train.len() as f64,
            pt: start.x.t().iter().copied().collect(),
            m,
            d: vec![F::zero(); m],
            x: Vec::new(),
        }
    }

    /// Whether the sample that was learned last, the `i`-th, had been nearer to another class.
    fn was_wrong(&self, i: usize) -> bool {
        smallest(&self.d) < smallest(&self.d[self.classes.range(self.train.y[i])])
    }

    /// Learns one sample.
    fn see(&mut self, i: usize, rule: &mut dyn OnlineRule<F>, rate: f64) {
        let weight = self.train.weight(i) / self.mean_weight;
        self.x.clear();
        self.x.extend(self.train.x.row(i));
        if let Some(noise) = &mut self.noise {
            let dim = self.x.len();
            self.x.iter_mut().zip(noise.row(dim)).for_each(|(x, &e)| *x += e);
        }
        let (m, y) = (self.m, self.train.y[i]);
        simd::run(Distances { x: &self.x, pt: &self.pt, d: &mut self.d });
        let sample = Sample { d: &self.d, y, classes: &self.classes, gamma: F::one() };
        for step in rule.moves(&sample, rate).into_iter().flatten() {
            // A heavy sample counts like several light ones, but a step never passes the sample.
            let share = F::of((step.step * weight).clamp(-1.0, 1.0));
            for (&x, p) in self.x.iter().zip(self.pt.chunks_exact_mut(m)) {
                p[step.prototype] += share * (x - p[step.prototype]);
            }
        }
    }

    /// Learns `draws` samples drawn with replacement; ends early where `cancelled`.
    pub fn draw(
        &mut self,
        draws: usize,
        rule: &mut dyn OnlineRule<F>,
        rate: impl Fn(f64) -> f64,
        rng: &mut impl rand::Rng,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) {
        for s in 0..draws {
            if s % 1024 == 0 && cancelled() {
                return;
            }
            let i = rng.random_range(0..self.train.len());
            self.see(i, rule, rate(s as f64 / draws as f64));
        }
    }

    /// The prototypes as they are, unless they have left the numbers that distances can be taken of.
    pub fn prototypes(&self) -> Option<Prototypes<F>> {
        let dim = self.train.dim();
        let x = Array2::from_shape_fn((self.m, dim), |(j, f)| self.pt[f * self.m + j]);
        let sound = x.iter().all(|v| v.f64().is_finite()) && super::prepare::check_range(x.view()).is_ok();
        sound.then(|| Prototypes { x, y: self.classes.of().to_vec() })
    }
}

/// Prototypes whose distances are summed together.
const STRETCH: usize = 32;

/// Squared distances of one sample to prototypes that are stored transposed.
struct Distances<'a, F> {
    x: &'a [F],
    pt: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for Distances<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // Sums of a stretch of prototypes stay in registers while the features go by.
        let m = self.d.len();
        let whole = m / STRETCH * STRETCH;
        for (start, d) in (0..whole).step_by(STRETCH).zip(self.d.chunks_exact_mut(STRETCH)) {
            let mut sums = [F::zero(); STRETCH];
            for (&x, p) in self.x.iter().zip(self.pt.chunks_exact(m)) {
                for (s, &p) in sums.iter_mut().zip(&p[start..start + STRETCH]) {
                    let t = x - p;
                    *s += t * t;
                }
            }
            d.copy_from_slice(&sums);
        }
        for j in whole..m {
            let difference = |(&x, p): (&F, &[F])| (x - p[j]) * (x - p[j]);
            let squares = self.x.iter().zip(self.pt.chunks_exact(m)).map(difference);
            self.d[j] = squares.fold(F::zero(), |a, b| a + b);
        }
    }
}
