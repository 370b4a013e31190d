//! The two loops of training: mini-batches under a continuous schedule, and full-batch descents at a ladder of γ.

use super::Training;
use super::problem::TrainingProblem;
use crate::optim::{self, Optimizer};
use crate::progress::{Epoch, Progress, Stopped};
use crate::{Error, Float, Result, rng};
use rand::seq::SliceRandom;

/// What a descent brought.
pub(crate) struct Outcome {
    pub theta: Vec<f64>,
    pub history: Vec<Epoch>,
    pub stopped: Stopped,
}

/// An error as a function of θ.
pub(crate) type ErrorOf<'a> = dyn FnMut(&[f64]) -> f64 + 'a;

/// What judges iterates.
pub(crate) struct Judge<'a> {
    /// Error as a function of θ.
    pub error: Box<ErrorOf<'a>>,
    /// Whether that is the error on the training samples themselves.
    pub on_training: bool,
}

/// Keeps the iterate to return: the one with the lowest error by the judge (the latest of equals), or without a judge the
/// last.
struct Best<'a> {
    judge: Option<Judge<'a>>,
    theta: Vec<f64>,
    error: f64,
    since: usize,
}

impl<'a> Best<'a> {
    fn new(theta: &[f64], mut judge: Option<Judge<'a>>) -> Self {
        let error = judge.as_mut().map_or(f64::INFINITY, |j| (j.error)(theta));
        Best { judge, theta: theta.to_vec(), error, since: 0 }
    }

    fn offer(&mut self, theta: &[f64]) -> Option<f64> {
        let error = self.judge.as_mut().map(|j| (j.error)(theta));
        if error.is_none_or(|e| e <= self.error) {
            self.theta.copy_from_slice(theta);
            self.since = if error.is_some_and(|e| e == self.error) { self.since + 1 } else { 0 };
            self.error = error.unwrap_or(self.error);
        } else {
            self.since += 1;
        }
        error
    }

    /// Takes the iterate into account and gives the errors to report: on training samples, on validation samples.
    fn errors(&mut self, theta: &[f64], in_passing: f64) -> (f64, Option<f64>) {
        let error = self.offer(theta);
        match &self.judge {
            Some(judge) if judge.on_training => (error.unwrap_or(in_passing), None),
            _ => (in_passing, error),
        }
    }
}

/// Mean of the iterates added so far.
#[derive(Default)]
struct Mean {
    theta: Vec<f64>,
    n: f64,
}

impl Mean {
    fn add(&mut self, theta: &[f64]) {
        self.theta.resize(theta.len(), 0.0);
        self.n += 1.0;
        self.theta.iter_mut().zip(theta).for_each(|(mean, t)| *mean += (t - *mean) / self.n);
    }

    /// The mean, or the iterate itself where none was added yet.
    fn or<'a>(&'a self, theta: &'a [f64]) -> &'a [f64] {
        if self.n > 0.0 { &self.theta } else { theta }
    }
}

/// Mini-batches: γ grows geometrically from `gamma` to `anneal · gamma` while the step size decays.
#[allow(clippy::too_many_arguments)]
pub(crate) fn stochastic<F: Float>(
    problem: &mut TrainingProblem<F>,
    optimizer: &mut dyn Optimizer,
    mut theta: Vec<f64>,
    n: usize,
    gamma: f64,
    training: &Training,
    judge: Option<Judge>,
    progress: &mut dyn Progress,
) -> Result<Outcome> {
    let batch = batch_size(training.batch, n);
    let steps = n.div_ceil(batch);
    let epochs = training.epochs.unwrap_or_else(|| default_epochs(steps, n * theta.len()));
    let mut best = Best::new(&theta, judge);
    let mut mean = Mean::default();
    let mut order: Vec<usize> = (0..n).collect();
    let mut rng = rng(training.seed, "batches");
    let mut history = Vec::with_capacity(epochs);
    let all = (epochs * steps) as f64;
    for epoch in 0..epochs {
        order.shuffle(&mut rng);
        let mut loss = 0.0;
        let mut gamma_now = gamma;
        for (s, rows) in order.chunks(batch).enumerate() {
            if progress.cancelled() {
                best.offer(mean.or(&theta));
                return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Interrupted });
            }
            let t = (epoch * steps + s) as f64 / all;
            gamma_now = gamma * training.anneal.powf(t);
            problem.set_gamma(gamma_now);
            optimizer.set_rate(training.decay.at(t));
            problem.set_batch(rows);
            let step = optimizer.step(problem, &mut theta);
            if step.outcome == optim::Outcome::Diverged {
                if history.is_empty() {
                    return Err(Error::Diverged { epoch: epoch + 1, value: step.value });
                }
                return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Diverged });
            }
            loss += step.value * rows.len() as f64;
            if t >= 1.0 - training.average {
                mean.add(&theta);
            }
        }
        let (train_error, valid_error) = best.errors(mean.or(&theta), problem.take_error());
        let loss = loss / n as f64;
        history.push(Epoch {
            epoch: epoch + 1,
            of: epochs,
            gamma: gamma_now,
            loss,
            train_error,
            valid_error,
        });
        progress.epoch(&history[epoch]);
        if valid_error.is_some() && training.patience.is_some_and(|p| best.since >= p) {
            return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Early });
        }
    }
    Ok(Outcome { theta: best.theta, history, stopped: Stopped::Finished })
}

/// Full batch: at each γ of the ladder, steps until the optimizer has converged.
pub(crate) fn full_batch<F: Float>(
    problem: &mut TrainingProblem<F>,
    optimizer: &mut dyn Optimizer,
    mut theta: Vec<f64>,
    gammas: &[f64],
    training: &Training,
    judge: Option<Judge>,
    progress: &mut dyn Progress,
) -> Result<Outcome> {
    let mut best = Best::new(&theta, judge);
    let mut history: Vec<Epoch> = Vec::new();
    let of = gammas.len() * training.max_iter;
    let mut stopped = Stopped::Finished;
    for &gamma in gammas {
        problem.set_gamma(gamma);
        optimizer.reset();
        stopped = Stopped::Unconverged;
        for _ in 0..training.max_iter {
            if progress.cancelled() {
                best.offer(&theta);
                return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Interrupted });
            }
            let step = optimizer.step(problem, &mut theta);
            if step.outcome == optim::Outcome::Diverged {
                if history.is_empty() {
                    return Err(Error::Diverged { epoch: 1, value: step.value });
                }
                return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Diverged });
            }
            let (train_error, valid_error) = best.errors(&theta, problem.take_error());
            let epoch = history.len() + 1;
            history.push(Epoch { epoch, of, gamma, loss: step.value, train_error, valid_error });
            progress.epoch(&history[epoch - 1]);
            if valid_error.is_some() && training.patience.is_some_and(|p| best.since >= p) {
                return Ok(Outcome { theta: best.theta, history, stopped: Stopped::Early });
            }
            if step.outcome != optim::Outcome::Moved {
                stopped = Stopped::Finished;
                break;
            }
        }
    }
    Ok(Outcome { theta: best.theta, history, stopped })
}

/// At least eight mini-batches an epoch, but none below 16 samples.
pub(crate) fn batch_size(wanted: usize, n: usize) -> usize {
    wanted.min((n / 8).max(16)).min(n)
}

/// About 20000 steps, between 20 and 300 epochs, fewer where an epoch has so much work (samples × parameters) that they
/// would take minutes.
pub(crate) fn default_epochs(steps: usize, work: usize) -> usize {
    let affordable = (7e11 / work as f64) as usize;
    20_000usize.div_ceil(steps).min(affordable).clamp(20, 300)
}
