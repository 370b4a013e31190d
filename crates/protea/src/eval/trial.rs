//! One protocol for every comparison: train under a seed, measure on samples that training has not seen.

use super::evaluate;
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
            Protocol::Folds { data, k } => {
                for (train, test) in k_folds(data, *k, seed)? {
                    let (train, test) = with_every_class(data, train, test);
                    if !test.is_empty() {
                        f(&data.select(&train), &data.select(&test))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Trains and measures, once or once for each fold; the trainer's seed deals the folds, too.
    pub fn run(&self, trainer: &Trainer<F>, progress: &mut dyn Progress) -> Result<Vec<TestRun>> {
        let mut trials = Vec::new();
        self.each(trainer.training.start.seed, |train, test| {
            trials.push(TestRun::of(trainer, train, test, progress)?.0);
            Ok(())
        })?;
        Ok(trials)
    }
}

/// The fold with the only sample of a class among those to train on: nothing can be learned of it otherwise.
fn with_every_class<F: Float>(
    data: &Dataset<F>,
    mut train: Vec<usize>,
    test: Vec<usize>,
) -> (Vec<usize>, Vec<usize>) {
    let counts = data.class_counts();
    let (single, test): (Vec<usize>, Vec<usize>) = test.into_iter().partition(|&i| counts[data.y[i]] == 1);
    train.extend(single);
    train.sort_unstable();
    (train, test)
}

/// Figures of one trained model.
#[derive(Debug, Clone, Copy)]
pub struct TestRun {
    /// Number of prototypes.
    pub prototypes: usize,
    /// Share of test samples that are decided wrongly.
    pub error: f64,
    /// Mean of the errors of the classes.
    pub balanced_error: f64,
    /// Mean F1 score of the classes.
    pub macro_f1: f64,
    /// Mean of `−ln` of the probability given to the true class.
    pub log_loss: f64,
    /// Area under the ROC curve, where it is defined.
    pub auc: Option<f64>,
    /// Share of the test samples that are not of their most frequent class.
    pub majority_error: f64,
    /// Size of the model.
    pub bytes: usize,
    /// Time of training.
    pub fit_seconds: f64,
    /// Time of a query.
    pub micros_per_query: f64,
}

impl TestRun {
    /// Trains a model and measures it.
    pub fn of<F: Float>(
        trainer: &Trainer<F>,
        train: &Dataset<F>,
        test: &Dataset<F>,
        progress: &mut dyn Progress,
    ) -> Result<(TestRun, Model<F>)> {
        let start = Instant::now();
        let model = trainer.fit_with(train, None, progress)?;
        let fit_seconds = start.elapsed().as_secs_f64();
        let e = evaluate(&model, test)?;
        let trial = TestRun {
            fit_seconds,
            prototypes: model.prototypes().y.len(),
            error: e.error,
            balanced_error: e.balanced_error,
            macro_f1: e.macro_f1,
            log_loss: e.log_loss,
            auc: e.auc,
            majority_error: e.majority.error,
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
    fn a_class_of_one_sample_is_always_trained_on() {
        let x = ndarray::Array2::from_shape_fn((9, 1), |(i, _)| i as f64);
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        let data = Dataset::new(x, vec![0, 0, 0, 0, 1, 1, 1, 1, 2], classes).unwrap();
        let protocol = Protocol::Folds { data, k: 4 };
        let mut tested = 0;
        let each = |train: &Dataset<f64>, test: &Dataset<f64>| {
            assert!(train.class_counts().iter().all(|&n| n > 0) && !test.y.contains(&2));
            tested += test.len();
            Ok(())
        };
        protocol.each(0, each).unwrap();
        assert_eq!(tested, 8);
        assert_eq!(protocol.run(&Trainer::named("centroid").unwrap(), &mut Silent).unwrap().len(), 4);
    }

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
