//! A temperature from samples that no prototype has seen.
//!
//! Where there is a prototype for every few samples, training samples lie on their prototypes and look certain, noise or not.
//! So the same training is run on two thirds of the samples, three times, and the temperature is the one under which the
//! thirds left out have the highest likelihood. That costs two more trainings, and only where there are few samples.
//! Scores of an ensemble are learned on codes, not on bare distances, and keep the temperature that they have; methods that
//! decide by codes have found theirs on samples left out already.

use crate::model::held_out_gamma;
use crate::progress::{Interruptible, Progress};
use crate::{Dataset, Float, Model, Trainer, data};

/// Parts that are left out in turn.
const FOLDS: usize = 3;
/// Samples for each prototype from which on training samples tell enough.
const ENOUGH: usize = 10;

/// The model with a temperature from held-out samples, or as it is where it needs none or samples are too few.
pub(super) fn cross_fitted<F: Float>(
    model: Model<F>,
    data: &Dataset<F>,
    seed: u64,
    progress: &mut dyn Progress,
    trainer: &Trainer<F>,
) -> Model<F> {
    let settled = model.head().is_some() || model.coding().is_some();
    if model.prototypes().y.len() * ENOUGH <= data.len() || settled || progress.cancelled() {
        return model;
    }
    progress.phase("held-out temperature");
    let Ok(folds) = data::k_folds(data, FOLDS, seed) else { return model };
    let mut fitted = Vec::new();
    for (kept, held) in folds {
        // A class may have all its samples in the part left out.
        let Ok(part) = trainer.fit_once(&data.select(&kept), None, &mut Interruptible(progress)) else {
            return model;
        };
        if progress.cancelled() {
            return model;
        }
        fitted.push((part, data.select(&held)));
    }
    let parts: Vec<_> = fitted.iter().map(|(part, held)| (part, held)).collect();
    model.with_gamma(held_out_gamma(&parts).0).expect("the search is over positive numbers")
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use crate::catalog::{self, Part};
    use crate::eval::evaluate;
    use crate::{Dataset, Trainer, data};

    /// Fifteen prototypes a class on 143 samples of six classes: seen samples look certain, new ones are not.
    #[test]
    fn new_samples_are_less_surprised() {
        let all = catalog::load::<f64>("glass", Part::All, None).unwrap();
        let (kept, held) = data::holdout(&all, 0.33, 1).unwrap();
        let (train, test): (Dataset<f64>, _) = (all.select(&kept), all.select(&held));
        let trainer = || Trainer::named("npc").unwrap().set("epochs", "30").unwrap();
        let plain = trainer().fit(&train).unwrap();
        let crossed = trainer().held_out_temperature().fit(&train).unwrap();
        assert_eq!(plain.prototypes(), crossed.prototypes());
        let (a, b) = (evaluate(&plain, &test).unwrap(), evaluate(&crossed, &test).unwrap());
        assert!(b.log_loss < 0.8 * a.log_loss, "{} {}", a.log_loss, b.log_loss);
    }
}
