//! Settings that a method leaves open, chosen on a part of the training samples.

use super::OptimizerKind::{Adam, Sgd};
use super::learn::Descending;
use super::progress::Interruptible;
use super::{Progress, Training};
use crate::init::Prototypes;
use crate::model::Space;
use crate::objective::{AnyObjective, Open};
use crate::settings::Values;
use crate::{Dataset, Float, Result, data};
use ndarray::Array2;
use rayon::prelude::*;

/// Samples that the choice looks at, at most.
pub(super) const SAMPLES: usize = 12_500;
/// Parts that they are cut into, each held out in turn.
const FOLDS: usize = 5;
/// Parts are held out until so many samples have judged.
const JUDGES: usize = 2_500;
/// Epochs of one trial, at most; enough to tell candidates apart.
const EPOCHS: usize = 40;
/// Steps of one trial for rules that take full batches, at most.
const STEPS: usize = 50;

/// What is tried: common settings, those of the method, and how its objective is built.
pub(super) struct Choice<'a, F> {
    pub training: &'a Training,
    pub options: &'a Values,
    pub build: fn(&Values) -> Result<Box<dyn AnyObjective>>,
    pub train: &'a Dataset<F>,
    pub matrix: Option<&'a Array2<F>>,
}

/// Samples to train on, samples to judge by, and where training starts.
struct Part<F> {
    train: Dataset<F>,
    held: Dataset<F>,
    start: Prototypes<F>,
}

impl<F: Float> Choice<'_, F> {
    /// The settings with a value for every open one that has none: the candidate with the fewest errors on held-out samples,
    /// the first of equals.
    pub fn choose(&self, open: &[Open], progress: &mut dyn Progress) -> Result<(Training, Values)> {
        let mut chosen = (self.training.clone(), self.options.clone());
        let given =
            |name: &str| self.options.get(name).cloned().or_else(|| self.training.values().remove(name));
        // Noise is added to mini-batches only.
        let idle = |name: &str| name == "noise" && !matches!(self.training.optimizer, Adam | Sgd);
        let unset = |o: &&Open| !idle(o.name) && given(o.name).is_none_or(|v| v == "none");
        let open: Vec<&Open> = open.iter().filter(unset).collect();
        if open.is_empty() {
            return Ok(chosen);
        }
        let parts = self.parts()?;
        if !parts.is_empty() {
            progress.phase("choosing settings");
        }
        for o in open {
            let mut best = (f64::INFINITY, o.candidates[0]);
            for &candidate in o.candidates {
                if progress.cancelled() || parts.is_empty() {
                    break;
                }
                set(&mut chosen, o.name, candidate)?;
                let errors = self.errors(&chosen, &parts, progress)?;
                if errors < best.0 {
                    best = (errors, candidate);
                }
            }
            set(&mut chosen, o.name, best.1)?;
        }
        Ok(chosen)
    }

    /// Splits of the samples, each with first prototypes; none where there are too few to judge by.
    fn parts(&self) -> Result<Vec<Part<F>>> {
        let t = self.training;
        let mut parts = Vec::new();
        for (train, held) in splits(self.train, SAMPLES, t.seed, "choice") {
            let start = t.start(&train)?;
            parts.push(Part { train, held, start });
        }
        Ok(parts)
    }

    /// Errors of short trainings on the held-out samples, infinite where training fails.
    fn errors(
        &self,
        (training, options): &(Training, Values),
        parts: &[Part<F>],
        progress: &dyn Progress,
    ) -> Result<f64> {
        let training = Training {
            epochs: Some(training.epochs.unwrap_or(EPOCHS).min(EPOCHS)),
            max_iter: training.max_iter.min(STEPS),
            prune: 1,
            members: 1,
            ..training.clone()
        };
        let objective = (self.build)(options)?;
        let objective = F::objective(&*objective);
        let errors = |Part { train, held, start }: &Part<F>| {
            let trial = Descending {
                training: &training,
                objective,
                train,
                valid: None,
                matrix: self.matrix,
                form: None,
                images: None,
            };
            let Ok(fitted) = trial.learn(start.clone(), &mut Interruptible(progress)) else {
                return f64::INFINITY;
            };
            let space = Space::new(&fitted.metric, fitted.prototypes.x.view());
            space.error(held, &fitted.prototypes.y) * held.len() as f64
        };
        // Collected first: sums must not depend on which part ends before which.
        let errors: Vec<f64> = parts.par_iter().map(errors).collect();
        Ok(errors.iter().sum())
    }
}

/// Sets a value of the method or of those that all methods share.
fn set((training, options): &mut (Training, Values), name: &str, value: &str) -> Result<()> {
    if !training.set(name, value)? {
        options.insert(name.into(), value.into());
    }
    Ok(())
}

/// Pairs of samples to train on and to judge by, from at most `most`: as many of five folds as are needed to have enough judges,
/// drawn under the name of what asks; none where there are too few samples.
pub(super) fn splits<F: Float>(
    data: &Dataset<F>,
    most: usize,
    seed: u64,
    name: &str,
) -> Vec<(Dataset<F>, Dataset<F>)> {
    let few = data.sample(most, seed, name);
    let wanted = (JUDGES * FOLDS).div_ceil(few.len().max(1)).min(FOLDS);
    let rows = data::k_folds(&few, FOLDS, seed).unwrap_or_default();
    let split = |(kept, held): (Vec<usize>, Vec<usize>)| (few.select(&kept), few.select(&held));
    // Every class must be there to train on.
    let n_classes = |data: &Dataset<F>| data.class_rows().iter().filter(|rows| !rows.is_empty()).count();
    let sound =
        |(train, held): &(Dataset<F>, Dataset<F>)| !held.is_empty() && n_classes(train) == n_classes(data);
    rows.into_iter().take(wanted).map(split).filter(sound).collect()
}
