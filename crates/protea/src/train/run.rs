//! What a run needs to know of training: its schedules by the settings, and judges over labelled samples.
//!
//! The loop itself is [`Run`]; it is blind to samples.

use super::Training;
use super::problem::TrainingProblem;
use crate::metric::{Metric, Space};
use crate::model::nearest_error;
use crate::optim::{Batches, Judge, Minimizer, Optimizer, Run, RunResult, Schedule};
use crate::progress::Progress;
use crate::settings::{named_enum, settings};
use crate::{Dataset, Float, Result};

named_enum! {
    /// Which iterate is returned where there are no validation samples.
    pub enum Keep {
        /// The last one.
        Last = "last",
        /// The one with the lowest training error, the latest of equals.
        Best = "best",
    }
}

settings! {
    /// Which iterate is kept, and when training stops early.
    pub struct Judging {
        Judging {
            /// Share of training samples held out to select the best iterate.
            holdout("holdout"): Option<f64> = None, |v| v.is_none_or(|h| h > 0.0 && h < 1.0), "none or a share like 0.1";
            /// Early stopping: epochs without a better validation error.
            ///
            /// It needs validation samples, given or held out.
            patience("patience"): Option<usize> = None, |v| *v != Some(0), "none or a number ≥ 1";
            /// Iterate to return without validation samples: the last, or the lowest training error.
            keep("keep"): Keep = Keep::Last;
        }
    }
}

/// Minimises the problem from `theta` on.
pub(crate) fn descend<F: Float>(
    problem: &mut TrainingProblem<F>,
    optimizer: &mut dyn Optimizer,
    theta: Vec<f64>,
    schedule: Schedule,
    judge: Option<Judge>,
    progress: &mut dyn Progress,
) -> Result<RunResult> {
    let mut run = Run::new(Minimizer::new(problem, optimizer), schedule, judge, theta);
    run.go(progress);
    run.finish().with_report()
}

/// Mini-batches over `n` samples: γ grows from `gamma` to `anneal · gamma` while the step size decays.
pub(crate) fn mini_batches(t: &Training, n: usize, parameters: usize, gamma: f64) -> Schedule {
    let size = batch_size(t.descending.batch, n);
    let epochs = t.descending.epochs.unwrap_or_else(|| default_epochs(n.div_ceil(size), n * parameters));
    let decay = t.descending.decay;
    Schedule::Batches(Batches {
        items: n,
        size,
        epochs,
        gamma,
        growth: t.descending.anneal,
        decay: Box::new(move |done| decay.at(done)),
        average: t.descending.average,
        seed: t.start.seed,
    })
}

/// Judges iterates by the error of the nearest prototype on these samples: the lowest is kept.
pub(crate) fn judge<'a, F: Float>(
    data: &'a Dataset<F>,
    labels: &[usize],
    mut metric: Box<dyn Metric<F>>,
    on_training: bool,
    patience: Option<usize>,
) -> Judge<'a> {
    let (labels, m) = (labels.to_vec(), labels.len());
    let error = move |theta: &[f64]| {
        let theta: Vec<F> = theta.iter().map(|&v| F::of(v)).collect();
        let (p, params) = theta.split_at(m * metric.dim());
        metric.set(p, params);
        nearest_error(&Space::of(metric.clone(), m), &labels, data)
    };
    Judge { error: Box::new(error), on_training, keeps_lowest: true, renews_on_ties: false, patience }
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
