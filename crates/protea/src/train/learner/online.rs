//! Learning by rules that move prototypes for one sample after the other.
//!
//! Prototypes are kept in panels of [`STRETCH`], each transposed (`dim × STRETCH`), so that the distances of a sample to all of
//! them are one pass over contiguous numbers; a move writes one column of a panel.

use super::super::Training;
use super::super::check::check_range;
use super::super::problem::Noise;
use super::descent::deviation;
use super::{AnyLearner, Facts, Fitted, Learner, Task};
use crate::data::ClassLayout;
use crate::init::Prototypes;
use crate::kernel::{Kernel, simd, smallest};
use crate::metric::{Form, Space};
use crate::model::nearest_error;
use crate::objective::Sample;
use crate::progress::{Epoch, Progress, Stopped};
use crate::rule::{AnyRule, OnlineRule};
use crate::{Dataset, Error, Float, Result, rng};
use ndarray::Array2;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Passes over the samples that online rules make unless told otherwise: enough to move every prototype many times, few
/// enough that rules without an objective do not run away.
const EPOCHS: usize = 30;

/// Moves prototypes by a rule.
pub(crate) struct Online(pub Box<dyn AnyRule>);

impl Online {
    /// What is known of it.
    pub const FACTS: Facts = Facts { name: "online", resumes: true, ..Facts::NONE };
}

impl AnyLearner for Online {}

impl<F: Float> Learner<F> for Online {
    fn learn(&self, task: &Task<F>, start: Prototypes<F>, progress: &mut dyn Progress) -> Result<Fitted<F>> {
        run(task, F::pick_mut(&mut *self.0.copy()), start, progress)
    }
}

/// Runs a rule over shuffled samples, epoch by epoch; the start is kept where it has the lower training error.
fn run<F: Float>(
    task: &Task<F>,
    rule: &mut dyn OnlineRule<F>,
    start: Prototypes<F>,
    progress: &mut dyn Progress,
) -> Result<Fitted<F>> {
    let Task { training: t, train, valid, .. } = *task;
    progress.phase("training");
    let error = |p: &Prototypes<F>| {
        let judged = valid.unwrap_or(train);
        nearest_error(&Space::euclidean(p.x.view()), &p.y, judged)
    };
    let mut best = (error(&start), start.clone());
    let mut online = Moving::new(train, &start, t);
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
            Epoch { epoch: epoch + 1, of: epochs, gamma: 1.0, loss: passing, train_error, valid_error };
        progress.epoch(&report);
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
pub(super) struct Moving<'a, F: Float> {
    train: &'a Dataset<F>,
    classes: ClassLayout,
    noise: Option<Noise<F>>,
    mean_weight: f64,
    /// Panels of `dim × STRETCH`, the last one filled up with zeros.
    panels: Vec<F>,
    m: usize,
    /// Distances of the sample that was seen last, those to the filling included.
    d: Vec<F>,
    x: Vec<F>,
}

impl<'a, F: Float> Moving<'a, F> {
    pub fn new(train: &'a Dataset<F>, start: &Prototypes<F>, t: &Training) -> Self {
        let (m, dim) = start.x.dim();
        let deviation = if t.noise() > 0.0 { t.noise() * deviation(train.x.view()) } else { 0.0 };
        let weights = train.weights.as_ref().map_or(train.len() as f64, |w| w.iter().sum());
        let mut panels = vec![F::zero(); m.next_multiple_of(STRETCH) * dim];
        for (j, row) in start.x.rows().into_iter().enumerate() {
            column(&mut panels, j, dim).zip(row).for_each(|(p, &v)| *p = v);
        }
        Moving {
            train,
            classes: ClassLayout::new(&start.y, train.n_classes()),
            noise: (deviation > 0.0).then(|| Noise::new(deviation, train.len(), dim, t.seed)),
            mean_weight: weights / train.len() as f64,
            panels,
            m,
            d: vec![F::zero(); m.next_multiple_of(STRETCH)],
            x: Vec::new(),
        }
    }

    /// Whether the sample that was learned last, the `i`-th, had been nearer to another class.
    fn was_wrong(&self, i: usize) -> bool {
        let d = &self.d[..self.m];
        smallest(d) < smallest(&d[self.classes.range(self.train.y[i])])
    }

    /// Learns one sample.
    fn see(&mut self, i: usize, rule: &mut dyn OnlineRule<F>, rate: f64) {
        let weight = self.train.weight(i) / self.mean_weight;
        self.x.clear();
        match self.train.x.row(i).as_slice() {
            Some(row) => self.x.extend_from_slice(row),
            None => self.x.extend(self.train.x.row(i)),
        }
        if let Some(noise) = &mut self.noise {
            let dim = self.x.len();
            self.x.iter_mut().zip(noise.row(dim)).for_each(|(x, &e)| *x += e);
        }
        let (dim, y) = (self.x.len(), self.train.y[i]);
        simd::run(Distances { x: &self.x, panels: &self.panels, d: &mut self.d });
        let sample = Sample { d: &self.d[..self.m], y, classes: &self.classes, gamma: F::one() };
        for step in rule.moves(&sample, rate).into_iter().flatten() {
            // A heavy sample counts like several light ones, but a step never passes the sample.
            let share = F::of((step.step * weight).clamp(-1.0, 1.0));
            for (&x, p) in self.x.iter().zip(column(&mut self.panels, step.prototype, dim)) {
                *p += share * (x - *p);
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
        let x = Array2::from_shape_fn((self.m, dim), |(j, f)| self.panels[place(j, dim) + f * STRETCH]);
        let sound = x.iter().all(|v| v.f64().is_finite()) && check_range(x.view()).is_ok();
        sound.then(|| Prototypes { x, y: self.classes.of().to_vec() })
    }
}

/// Prototypes whose distances are summed together: enough sums that they do not wait for each other, few enough that they stay in
/// registers and that little is filled up.
const STRETCH: usize = 32;

/// Where the first feature of a prototype stands in the panels; the others follow at steps of [`STRETCH`].
fn place(prototype: usize, dim: usize) -> usize {
    prototype / STRETCH * STRETCH * dim + prototype % STRETCH
}

/// The features of a prototype.
fn column<F>(panels: &mut [F], prototype: usize, dim: usize) -> impl Iterator<Item = &mut F> {
    panels[place(prototype, dim)..].iter_mut().step_by(STRETCH).take(dim)
}

/// Squared distances of one sample to prototypes that are stored in panels.
struct Distances<'a, F> {
    x: &'a [F],
    panels: &'a [F],
    d: &'a mut [F],
}

impl<F: Float> Kernel for Distances<'_, F> {
    type Output = ();

    /// Squares of differences, not products, which would lose small distances by cancellation. Products are about as fast at 16
    /// features, but took up to a third less at 256.
    #[inline(always)]
    fn run(self) {
        let panels = self.panels.chunks_exact(self.x.len() * STRETCH);
        for (panel, d) in panels.zip(self.d.chunks_exact_mut(STRETCH)) {
            // The sums stay in registers while the features go by.
            let mut sums = [F::zero(); STRETCH];
            for (&x, p) in self.x.iter().zip(panel.chunks_exact(STRETCH)) {
                for (s, &p) in sums.iter_mut().zip(p) {
                    let t = x - p;
                    *s = t.fused(t, *s);
                }
            }
            d.copy_from_slice(&sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array1;

    /// Panels that are full, and one that is not: distances are those of a plain loop, and prototypes come back as they were.
    #[test]
    fn panels_hold_the_prototypes_and_give_their_distances() {
        for m in [1, 31, 32, 33, 70] {
            let x = Array2::from_shape_fn((m, 3), |(j, f)| (j * 7 + f * 5) as f64 % 11.0);
            let start = Prototypes { x, y: vec![0; m] };
            let train = Dataset::new(ndarray::array![[1.0, -2.0, 0.5]], vec![0], vec!["a".into()]).unwrap();
            let t = Training::default();
            let mut online = Moving::new(&train, &start, &t);
            assert_eq!(online.prototypes().unwrap(), start);
            let x: Array1<f64> = ndarray::array![1.0, -2.0, 0.5];
            simd::run(Distances { x: &x.to_vec(), panels: &online.panels, d: &mut online.d });
            let plain = start.x.rows().into_iter().map(|p| (&x - &p).mapv(|v| v * v).sum());
            assert_eq!(online.d[..m], plain.collect::<Vec<_>>());
        }
    }
}
