//! Settings that a method leaves open, chosen on a part of the training samples.

use super::learn::Descending;
use super::progress::Interruptible;
use super::{Progress, Training};
use crate::init::initialise;
use crate::model::Space;
use crate::objective::{AnyObjective, Open};
use crate::settings::Values;
use crate::{Dataset, Float, Result, data};
use ndarray::Array2;

/// Samples that the choice looks at, at most.
const SAMPLES: usize = 12_500;
/// Share of them that judges.
const HELD_OUT: f64 = 0.2;
/// Epochs of one trial, at most; enough to tell candidates apart.
const EPOCHS: usize = 40;
/// Steps of one trial for rules that take full batches, at most.
const STEPS: usize = 50;

/// `options` with a value for every open setting that has none: the candidate with the lowest error on held-out samples,
/// the first of equals.
pub(super) fn choose<F: Float>(
    t: &Training,
    open: &[Open],
    options: &Values,
    build: fn(&Values) -> Result<Box<dyn AnyObjective>>,
    train: &Dataset<F>,
    matrix: Option<&Array2<F>>,
    progress: &mut dyn Progress,
) -> Result<Values> {
    let mut options = options.clone();
    let unset = |options: &Values, name: &str| options.get(name).is_none_or(|v| v == "none");
    let open: Vec<&Open> = open.iter().filter(|o| unset(&options, o.name)).collect();
    if open.is_empty() {
        return Ok(options);
    }
    let few = train.sample(SAMPLES, t.seed, "choice");
    let Ok((kept, held)) = data::holdout(&few, HELD_OUT, t.seed) else {
        // Too few samples to judge by.
        open.iter().for_each(|o| drop(options.insert(o.name.into(), o.candidates[0].into())));
        return Ok(options);
    };
    progress.phase("choosing settings");
    let (kept, held) = (few.select(&kept), few.select(&held));
    let trial = Training {
        epochs: Some(t.epochs.unwrap_or(EPOCHS).min(EPOCHS)),
        max_iter: t.max_iter.min(STEPS),
        prune: 1,
        ..t.clone()
    };
    let start = initialise(t.init, &kept, &t.per_class, t.seed)?;
    for o in open {
        let mut best = (f64::INFINITY, o.candidates[0]);
        for &candidate in o.candidates {
            options.insert(o.name.into(), candidate.into());
            if progress.cancelled() {
                break;
            }
            let objective = build(&options)?;
            let objective = F::objective(&*objective);
            let trial =
                Descending { training: &trial, objective, train: &kept, valid: None, matrix, form: None };
            let Ok(fitted) = trial.learn(start.clone(), &mut Interruptible(progress)) else { continue };
            let space = Space::new(&fitted.metric, fitted.prototypes.x.view());
            let error = space.error(&held, &fitted.prototypes.y);
            if error < best.0 {
                best = (error, candidate);
            }
        }
        options.insert(o.name.into(), best.1.into());
    }
    Ok(options)
}
