//! The settings that a method leaves open, chosen on held-out samples.

use super::folds::{Cut, Fold};
use crate::kernel::parallel::*;
use crate::metric::Space;
use crate::model::{Labels, nearest_error};
use crate::progress::{Interruptible, Progress};
use crate::settings::Values;
use crate::train::{AnyLearner, Fitted, Open, Task, Trainer, Training};
use crate::{Dataset, Float, Result};

/// Parts that the samples are cut into, each held out in turn.
const FOLDS: usize = 5;
/// Parts are held out until so many samples have judged.
const JUDGES: usize = 2_500;
/// Epochs of one trial, at most; enough to tell candidates apart.
const EPOCHS: usize = 40;
/// Steps of one trial for rules that take full batches, at most.
const STEPS: usize = 50;

/// Common settings and those of the method.
type Settings = (Training, Values);

/// The settings with a value for every open one that has none: the one that its learner picks by the errors on held-out samples.
pub(super) fn open_settings<F: Float>(
    trainer: &Trainer<F>,
    train: &Dataset<F>,
    progress: &mut dyn Progress,
) -> Result<Settings> {
    let mut chosen = (trainer.training.clone(), trainer.options.clone());
    let given =
        |name: &str| trainer.options.get(name).cloned().or_else(|| trainer.training.values().remove(name));
    let unset = |o: &&Open| (o.matters)(&trainer.training) && given(o.name).is_none_or(|v| v == "none");
    for open in trainer.method.open.iter().filter(unset) {
        let parts = folds(train, open, trainer.training.start.seed);
        if !parts.is_empty() {
            progress.phase(&format!("choosing {}", open.name));
        }
        let mut errors = Vec::new();
        for candidate in open.candidates {
            if progress.cancelled() || parts.is_empty() {
                break;
            }
            set(&mut chosen, open.name, candidate)?;
            errors.push(errors_of(trainer, &chosen, &parts, progress)?);
        }
        let learner = trial(trainer, &chosen.1, train.len())?;
        set(&mut chosen, open.name, open.candidates[F::pick(&*learner).pick(&errors)])?;
    }
    Ok(chosen)
}

/// The learner of short trainings on so many samples.
fn trial<F: Float>(trainer: &Trainer<F>, options: &Values, samples: usize) -> Result<Box<dyn AnyLearner>> {
    let learner = (trainer.method.learner.build)(options)?;
    Ok(F::pick(&*learner).trial(samples).unwrap_or(learner))
}

/// Errors of short trainings on the held-out samples, infinite where training fails.
fn errors_of<F: Float>(
    trainer: &Trainer<F>,
    (training, options): &Settings,
    parts: &[Fold<F>],
    progress: &dyn Progress,
) -> Result<f64> {
    let mut training = training.clone();
    let short = &mut training.descending;
    short.epochs = Some(short.epochs.unwrap_or(EPOCHS).min(EPOCHS));
    short.max_iter = short.max_iter.min(STEPS);
    (short.prune, short.members) = (1, 1);
    let errors = |Fold { train, held }: &Fold<F>| -> Result<f64> {
        let learner = trial(trainer, options, train.len())?;
        let task = Task {
            training: &training,
            train,
            valid: None,
            matrix: trainer.first_matrix(),
            metric: trainer.own_metric.as_deref(),
            images: None,
        };
        let start = training.start.prototypes(1, train)?;
        let fitted = F::pick(&*learner).learn(&task, start, &mut Interruptible(progress));
        Ok(fitted.map_or(f64::INFINITY, |fitted| held_out_errors(&fitted, held)))
    };
    // Collected first: sums must not depend on which part ends before which.
    let errors: Result<Vec<f64>> = parts.par_iter().map(errors).collect();
    Ok(errors?.iter().sum())
}

/// Samples on which prototypes, with what stands behind them, err.
fn held_out_errors<F: Float>(fitted: &Fitted<F>, held: &Dataset<F>) -> f64 {
    let p = &fitted.prototypes;
    let space = Space::new(&*fitted.metric, p.x.view());
    let Some(decision) = fitted.decision.as_ref().filter(|d| d.coding().is_none()) else {
        return nearest_error(&space, &p.y, held) * held.len() as f64;
    };
    // Scores decide alike at any temperature.
    let labels = Labels { of: &p.y, classes: held.n_classes() };
    let answers = space.map(held.x.view(), |_, d| decision.decide(d, labels, 1.0));
    answers.iter().zip(&held.y).filter(|(a, y)| a != y).count() as f64
}

fn folds<F: Float>(train: &Dataset<F>, open: &Open, seed: u64) -> Vec<Fold<F>> {
    let samples = open.samples.min(train.len());
    Cut { samples, parts: FOLDS, judged: JUDGES, seed, purpose: open.purpose }.folds(train)
}

/// Sets a value of the method or of those that all methods share.
fn set((training, options): &mut Settings, name: &str, value: &str) -> Result<()> {
    if !training.set(name, value)? {
        options.insert(name.into(), value.into());
    }
    Ok(())
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{self, Part};
    use crate::progress::Silent;

    /// Each margin of `pnn` by hand: the one that was chosen has the fewest errors.
    #[test]
    fn the_value_with_the_fewest_errors_is_chosen() {
        let data: Dataset<f64> = catalog::load("glass", Part::All, None).unwrap();
        let trainer =
            Trainer::named("pnn").unwrap().set("draws", "500").unwrap().set("per-class", "3").unwrap();
        let open = &trainer.method.open[0];
        let parts = folds(&data, open, trainer.training.start.seed);
        let errors = |margin: &&str| {
            let mut settings = (trainer.training.clone(), trainer.options.clone());
            set(&mut settings, open.name, margin).unwrap();
            errors_of(&trainer, &settings, &parts, &Silent).unwrap()
        };
        let all: Vec<f64> = open.candidates.iter().map(errors).collect();
        let chosen = open_settings(&trainer, &data, &mut Silent).unwrap().1["margin"].clone();
        let fewest = all.iter().copied().fold(f64::INFINITY, f64::min);
        let first = all.iter().position(|&e| e == fewest).unwrap();
        assert_eq!(chosen, open.candidates[first], "{all:?}");
        let given = trainer.set("margin", "0.7").unwrap();
        assert_eq!(open_settings(&given, &data, &mut Silent).unwrap().1["margin"], "0.7");
    }

    /// An ensemble errs where the model made of it does.
    #[test]
    fn held_out_errors_are_those_of_the_model() {
        let data: Dataset<f64> = catalog::load("glass", Part::All, None).unwrap();
        let mut trainer = Trainer::named("epnn").unwrap();
        for (name, value) in [("learners", "3"), ("draws", "500"), ("margin", "1"), ("scale", "raw")] {
            trainer = trainer.set(name, value).unwrap();
        }
        let (training, options) = (&trainer.training, &trainer.options);
        let task = Task { training, train: &data, valid: None, matrix: None, metric: None, images: None };
        let start = training.start.prototypes(1, &data).unwrap();
        let learner = trainer.learner(options).unwrap();
        let fitted = f64::pick(&*learner).learn(&task, start, &mut Silent).unwrap();
        let model = trainer.fit(&data).unwrap();
        let wrong = (model.error(&data).unwrap() * data.len() as f64).round();
        assert_eq!(held_out_errors(&fitted, &data), wrong);
    }
}
