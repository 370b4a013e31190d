//! Settings compete on held-out samples.
//!
//! ```text
//! for folds of a rung: the first quarter, the first half, then all
//!     train every entrant on the folds that it has not been trained on
//!     score = Σ over held-out samples: 1 for an error + log loss at the entrant's best temperature
//!     keep at most half of the entrants, the first among them, and none that is clearly worse than the best
//! the first wins that is not clearly worse than the lowest score
//! ```
//! Clearly worse: the sum of the differences of scores, sample by sample, is above two of its standard errors. Entrants stand from
//! plain to rich: with few held-out samples, chance would choose the rich over the plain.
//!
//! Work is bounded: entrants are trained in their order until the multiplications that a race may cost are used up. That is a
//! number, not a time, so that results do not depend on the machine.

use super::folds::Fold;
use crate::kernel::parallel::*;
use crate::model::{HeldOut, Model, Trial, held_out};
use crate::progress::Progress;
use crate::train::Trainer;
use crate::{Dataset, Error, Float, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Standard errors by which an entrant must be worse to be dropped, or for a later one to win.
const CLEARLY: f64 = 2.0;
/// Share of the epochs after which entrants are compared first, where there is one fold only.
const FIRST_EPOCHS: f64 = 1.0 / 3.0;

/// Settings that compete.
pub(super) struct Entrant<F: Float> {
    /// How it is shown.
    pub name: String,
    pub trainer: Trainer<F>,
    /// Multiplications that a training takes for each of its samples, about.
    work: f64,
    /// A model of each fold so far.
    models: Vec<Model<F>>,
    verdict: Option<HeldOut>,
    /// Seconds of each training so far.
    seconds: Vec<f64>,
}

impl<F: Float> Entrant<F> {
    pub fn new(name: String, trainer: Trainer<F>) -> Self {
        Entrant { name, trainer, work: 0.0, models: Vec::new(), verdict: None, seconds: Vec::new() }
    }

    /// With the multiplications that a training takes for each of its samples.
    pub fn with_work(self, work: f64) -> Self {
        Entrant { work, ..self }
    }

    /// γ that suits the held-out samples best; `None` where none were judged.
    pub fn gamma(&self) -> Option<f64> {
        self.verdict.as_ref().map(|v| v.gamma)
    }

    /// Trains on all samples. Where training was interrupted before that, a model of a fold is more than what would come of it.
    pub fn last_training(
        mut self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        match self.models.pop().filter(|_| progress.cancelled()) {
            Some(model) => Ok(model.interrupted()),
            None => {
                progress.phase(&self.name);
                self.trainer.fit_once(data, valid, progress)
            }
        }
    }

    /// Seconds of the longest training so far.
    pub fn longest(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// Error and log loss of each of the first `n` held-out samples, added.
    fn losses(&self, n: usize) -> impl Iterator<Item = f64> {
        let verdict = self.verdict.iter();
        verdict
            .flat_map(|v| v.log_losses.iter().zip(&v.wrong))
            .take(n)
            .map(|(l, &w)| l + f64::from(u8::from(w)))
    }

    fn score(&self, n: usize) -> f64 {
        self.losses(n).sum()
    }

    /// Whether it is clearly worse than `best` on the first `n` judgements, of which each sample has so many.
    fn is_worse(&self, best: &Self, n: usize, times: usize) -> bool {
        let worse: Vec<f64> = self.losses(n).zip(best.losses(n)).map(|(a, b)| a - b).collect();
        let (sum, n) = (worse.iter().sum::<f64>(), worse.len() as f64);
        let spread: f64 = worse.iter().map(|d| (d - sum / n).powi(2)).sum();
        // Judgements of one sample agree, so that they count as one.
        sum > CLEARLY * (times as f64 * spread).sqrt()
    }

    fn judged(&self) -> usize {
        self.verdict.as_ref().map_or(0, |v| v.wrong.len())
    }

    /// What came of it, for the record.
    fn trial(&self) -> Option<Trial> {
        let HeldOut { log_losses, wrong, .. } = self.verdict.as_ref()?;
        let n = wrong.len() as f64;
        Some(Trial {
            settings: self.name.clone(),
            folds: self.models.len(),
            samples: wrong.len(),
            error: wrong.iter().filter(|w| **w).count() as f64 / n,
            log_loss: log_losses.iter().sum::<f64>() / n,
            seconds: self.seconds.iter().sum(),
        })
    }
}

/// Watches trials, which run beside each other, and ends them when somebody asks for it or the time is up.
struct Watch<'a> {
    progress: &'a dyn Progress,
    end: Option<Instant>,
    what: String,
    done: AtomicUsize,
    of: usize,
}

impl Watch<'_> {
    fn cancelled(&self) -> bool {
        self.progress.trials(self.done.load(Ordering::Relaxed), self.of, &self.what);
        self.progress.cancelled() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// One of these trials.
struct Watched<'a>(&'a Watch<'a>);

impl Progress for Watched<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Races on the same folds, one after the other.
pub(super) struct Race<F: Float> {
    pub folds: Vec<Fold<F>>,
    /// How many folds hold out each sample.
    times: usize,
    begun: Instant,
    /// Time for search and training together.
    time: Option<Duration>,
    /// Multiplications that may be spent from here on.
    work: f64,
    trials: Vec<Trial>,
}

impl<F: Float> Race<F> {
    /// Without limits.
    pub fn new(folds: Vec<Fold<F>>) -> Self {
        Race { folds, times: 1, begun: Instant::now(), time: None, work: f64::INFINITY, trials: Vec::new() }
    }

    /// On folds that hold out each sample so many times.
    pub fn judging(self, times: usize) -> Self {
        Race { times, ..self }
    }

    /// Within so many seconds, or, where no time is given, so many multiplications.
    pub fn within(self, time: Option<f64>, work: f64) -> Self {
        let work = if time.is_some() { f64::INFINITY } else { work };
        Race { time: time.map(Duration::from_secs_f64), work, ..self }
    }

    /// What was tried so far, in the order of the races.
    pub fn trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Held-out samples of all folds together.
    pub fn samples(&self) -> usize {
        self.folds.iter().map(|f| f.held.len()).sum()
    }

    /// Seconds that are left of the time; `None` without a limit.
    pub fn left(&self) -> Option<f64> {
        self.time.map(|time| (time.as_secs_f64() - self.begun.elapsed().as_secs_f64()).max(0.0))
    }

    /// Whether the work or half of the time is spent: the rest is for the last training.
    pub fn late(&self) -> bool {
        self.work <= 0.0 || self.time.is_some_and(|time| self.begun.elapsed() > time / 2)
    }

    /// Multiplications of an entrant up to a number of folds.
    fn cost(&self, entrant: &Entrant<F>, folds: usize) -> f64 {
        let rows: usize = self.folds[..folds].iter().skip(entrant.models.len()).map(|f| f.train.len()).sum();
        entrant.work * rows as f64
    }

    /// Takes out those that the work does not suffice for, but for the first.
    fn admit(&mut self, entrants: &mut Vec<Entrant<F>>, folds: usize) {
        let mut at = 0;
        entrants.retain(|entrant| {
            let cost = self.cost(entrant, folds);
            let affordable = at == 0 || cost <= self.work;
            if affordable {
                self.work -= cost;
            }
            at += 1;
            affordable
        });
    }

    /// The best of the entrants: the first where nothing could be judged. Fails where all trainings fail.
    pub fn run(&mut self, mut entrants: Vec<Entrant<F>>, progress: &mut dyn Progress) -> Result<Entrant<F>> {
        let all = self.folds.len();
        if all == 0 || self.late() || progress.cancelled() {
            return Ok(entrants.swap_remove(0));
        }
        if all == 1 && entrants.iter().filter(|e| e.models.is_empty()).count() > 2 {
            self.first_epochs(&mut entrants, progress)?;
        }
        let mut rungs = vec![all.div_ceil(4), all.div_ceil(2), all];
        rungs.dedup();
        for (at, &folds) in rungs.iter().enumerate() {
            if entrants.len() <= 2 && at + 1 < rungs.len() {
                continue;
            }
            self.advance(&mut entrants, folds, progress)?;
            let last = at + 1 == rungs.len() || entrants.len() == 1;
            let out = if last { self.keep_winner(&mut entrants) } else { self.keep_best(&mut entrants) };
            self.trials.extend(out.iter().filter_map(Entrant::trial));
            if last || self.late() || progress.cancelled() {
                break;
            }
        }
        let out = self.keep_winner(&mut entrants);
        self.trials.extend(out.iter().filter_map(Entrant::trial));
        Ok(entrants.swap_remove(0))
    }

    /// Ends the races: the winner of them all is the last in the record.
    pub fn record(&mut self, winner: &Entrant<F>) {
        self.trials.extend(winner.trial());
    }

    /// Drops entrants by what a part of the epochs tells on the first fold.
    fn first_epochs(&mut self, entrants: &mut Vec<Entrant<F>>, progress: &mut dyn Progress) -> Result<()> {
        let short = |e: &Entrant<F>| {
            let mut trainer = e.trainer.clone();
            trainer.training.descending.epochs =
                trainer.training.descending.epochs.map(|n| (n as f64 * FIRST_EPOCHS).ceil() as usize);
            Entrant::new(e.name.clone(), trainer).with_work(e.work * FIRST_EPOCHS)
        };
        let mut sifted: Vec<Entrant<F>> = entrants.iter().map(short).collect();
        self.advance(&mut sifted, 1, progress)?;
        let out = self.keep_best(&mut sifted);
        self.trials.extend(out.iter().filter_map(Entrant::trial));
        entrants.retain(|e| sifted.iter().any(|s| s.name == e.name));
        Ok(())
    }

    /// Trains and judges entrants on the first folds; drops those that fail, and fails if all do.
    fn advance(
        &mut self,
        entrants: &mut Vec<Entrant<F>>,
        folds: usize,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        self.admit(entrants, folds);
        let todo: Vec<(usize, usize)> = (entrants.iter().enumerate())
            .flat_map(|(e, entrant)| (entrant.models.len()..folds).map(move |fold| (e, fold)))
            .collect();
        let watch = Watch {
            progress,
            // Trials may take half of the time; the rest is for the last training.
            end: self.time.map(|time| self.begun + time / 2),
            what: format!("trials of {} settings on {folds} held-out parts", entrants.len()),
            done: AtomicUsize::new(0),
            of: todo.len(),
        };
        let train = |&(e, fold): &(usize, usize)| {
            let begun = Instant::now();
            let model = entrants[e].trainer.fit_once(&self.folds[fold].train, None, &mut Watched(&watch));
            watch.done.fetch_add(1, Ordering::Relaxed);
            (model, begun.elapsed().as_secs_f64())
        };
        let found: Vec<(Result<Model<F>>, f64)> = todo.par_iter().map(train).collect();
        let (mut failure, mut failed) = (None, vec![false; entrants.len()]);
        for (&(e, _), (model, seconds)) in todo.iter().zip(found) {
            match model {
                Ok(model) => {
                    entrants[e].models.push(model);
                    entrants[e].seconds.push(seconds);
                }
                Err(error) => {
                    failed[e] = true;
                    failure.get_or_insert(error);
                }
            }
        }
        // What was cut short tells nothing of the settings.
        if watch.cancelled() && entrants.iter().any(|e| e.verdict.is_some()) {
            entrants.retain(|e| e.verdict.is_some());
            return Ok(());
        }
        let mut failed = failed.into_iter();
        entrants.retain(|_| !failed.next().unwrap_or(false));
        if entrants.is_empty() {
            return Err(failure.unwrap_or(Error::Empty { what: "the list of settings to try".into() }));
        }
        entrants.par_iter_mut().for_each(|entrant| {
            let judged: Vec<_> = entrant.models.iter().zip(self.folds.iter().map(|f| &f.held)).collect();
            entrant.verdict = Some(held_out(&judged));
        });
        Ok(())
    }

    /// Takes out those that are clearly worse than the best, and those behind the better half but for the first; the others keep
    /// their order.
    fn keep_best(&self, entrants: &mut Vec<Entrant<F>>) -> Vec<Entrant<F>> {
        let n = common(entrants);
        let mut order: Vec<usize> = (0..entrants.len()).collect();
        order.sort_by(|&a, &b| entrants[a].score(n).total_cmp(&entrants[b].score(n)));
        let best = order[0];
        order.truncate(entrants.len().div_ceil(2));
        if !order.contains(&0) {
            order.push(0);
        }
        order.retain(|&e| e == best || !entrants[e].is_worse(&entrants[best], n, self.times));
        split(entrants, &order)
    }

    /// Takes out all but the winner.
    fn keep_winner(&self, entrants: &mut Vec<Entrant<F>>) -> Vec<Entrant<F>> {
        let n = common(entrants);
        let better = |a: usize, b: usize| if entrants[b].score(n) < entrants[a].score(n) { b } else { a };
        let best = (1..entrants.len()).fold(0, better);
        let close = |&e: &usize| !entrants[e].is_worse(&entrants[best], n, self.times);
        let winner = (0..best).find(close).unwrap_or(best);
        split(entrants, &[winner])
    }
}

/// The samples that all entrants have judged.
fn common<F: Float>(entrants: &[Entrant<F>]) -> usize {
    entrants.iter().map(Entrant::judged).min().unwrap_or(0)
}

/// Leaves the entrants at these places, in their order, and gives the others.
fn split<F: Float>(entrants: &mut Vec<Entrant<F>>, kept: &[usize]) -> Vec<Entrant<F>> {
    let (mut stay, mut out) = (Vec::new(), Vec::new());
    for (at, entrant) in entrants.drain(..).enumerate() {
        if kept.contains(&at) { stay.push(entrant) } else { out.push(entrant) }
    }
    *entrants = stay;
    out
}
