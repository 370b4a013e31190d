//! One protocol for every comparison: train under a seed, measure on samples that training has not seen.

use crate::data::k_folds;
use crate::progress::Progress;
use crate::{Dataset, Float, Model, Result, Trainer};
use ndarray::ArrayView2;
use std::time::{Duration, Instant};

/// What methods are trained and measured on.
pub enum Protocol<F> {
    /// Fixed parts.
    Parts {
        /// Samples to learn from.
        train: Dataset<F>,
        /// Samples to measure on.
        test: Dataset<F>,
    },
    /// Each of `k` stratified folds in turn.
    Folds {
        /// All samples.
        data: Dataset<F>,
        /// Number of folds.
        k: usize,
    },
}

impl<F: Float> Protocol<F> {
    /// Calls `f` with training and test samples: once, or once for each fold that the seed deals.
    pub fn each(&self, seed: u64, mut f: impl FnMut(&Dataset<F>, &Dataset<F>) -> Result<()>) -> Result<()> {
        match self {
            Protocol::Parts { train, test } => f(train, test),
            Protocol::Folds { data, k } => k_folds(data, *k, seed)?
                .iter()
                .try_for_each(|(train, test)| f(&data.select(train), &data.select(test))),
        }
    }

    /// Trains and measures, once or once for each fold; the trainer's seed deals the folds, too.
    pub fn run(&self, trainer: &Trainer<F>, progress: &mut dyn Progress) -> Result<Vec<Trial>> {
        let mut trials = Vec::new();
        self.each(trainer.training.seed, |train, test| {
            trials.push(Trial::of(trainer, train, test, progress)?.0);
            Ok(())
        })?;
        Ok(trials)
    }
}

/// Figures of one trained model.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// Number of prototypes.
    pub prototypes: usize,
    /// Share of test samples that are decided wrongly.
    pub error: f64,
    /// Size of the model.
    pub bytes: usize,
    /// Time of training.
    pub fit_seconds: f64,
    /// Time of a query.
    pub micros_per_query: f64,
}

impl Trial {
    /// Trains a model and measures it.
    pub fn of<F: Float>(
        trainer: &Trainer<F>,
        train: &Dataset<F>,
        test: &Dataset<F>,
        progress: &mut dyn Progress,
    ) -> Result<(Trial, Model<F>)> {
        let start = Instant::now();
        let model = trainer.fit_with(train, None, progress)?;
        let trial = Trial {
            fit_seconds: start.elapsed().as_secs_f64(),
            prototypes: model.prototypes().y.len(),
            error: model.error(test)?,
            bytes: model.bytes(),
            micros_per_query: micros_per_query(&model, test.x.view())?,
        };
        Ok((trial, model))
    }
}

/// Median time of a query: the samples are predicted until 0.3 s have passed, at most three times.
pub fn micros_per_query<F: Float>(model: &Model<F>, x: ArrayView2<F>) -> Result<f64> {
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || (times.len() < 3 && start.elapsed() < Duration::from_millis(300)) {
        let run = Instant::now();
        model.predict(x)?;
        times.push(run.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(1e6 * times[times.len() / 2] / x.nrows() as f64)
}

#[cfg(feature = "datasets")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Part, load};
    use crate::progress::Silent;

    #[test]
    fn folds_are_those_of_the_seed_and_parts_are_taken_as_given() {
        let data = load::<f32>("wine", Part::All, None).unwrap();
        let trainer =
            Trainer::named("kmeans").unwrap().set("per-class", "2").unwrap().set("seed", "3").unwrap();
        let folds = k_folds(&data, 5, 3).unwrap();
        let by_hand: Vec<f64> = folds
            .iter()
            .map(|(a, b)| trainer.fit(&data.select(a)).unwrap().error(&data.select(b)).unwrap())
            .collect();
        let protocol = Protocol::Folds { data: data.clone(), k: 5 };
        let trials = protocol.run(&trainer, &mut Silent).unwrap();
        assert_eq!(trials.iter().map(|t| t.error).collect::<Vec<_>>(), by_hand);
        assert!(trials.iter().all(|t| t.prototypes == 6 && t.bytes > 0));
        let parts = Protocol::Parts { train: data.select(&folds[0].0), test: data.select(&folds[0].1) };
        assert_eq!(parts.run(&trainer, &mut Silent).unwrap()[0].error, by_hand[0]);
    }
}
