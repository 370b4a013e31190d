//! What is chosen on held-out training samples: open settings, the number of prototypes, temperatures, and, for `auto`, everything.
//!
//! [`Trainer::fit`] lives here, because it chooses before it trains.

mod auto;
mod choose;
mod folds;
mod race;
mod size;
mod space;

use crate::float::both_floats;
use crate::model::{Model, Posterior, weights_for_costs};
use crate::progress::{Progress, Silent};
use crate::settings::SettingValue;
use crate::train::{Trainer, check_classes, check_valid};
use crate::{Dataset, Error, Float, Result};
use std::borrow::Cow;

/// Training for one element type, behind a pointer: crates that call it compile no copy of all methods for themselves.
trait Fit<F: Float> {
    fn fit(
        &self,
        trainer: &Trainer<F>,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>>;
}

/// Training for both element types, as this crate compiles it.
struct CompiledHere;

impl<F: Float> Fit<F> for CompiledHere {
    fn fit(
        &self,
        trainer: &Trainer<F>,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        trainer.choose_and_fit(data, valid, progress)
    }
}

trait AnyFit: Fit<f32> + Fit<f64> {}

impl AnyFit for CompiledHere {}

both_floats!(AnyFit is Fit);

/// Made here, so that its functions are compiled here.
static COMPILED_HERE: &(dyn AnyFit + Sync) = &CompiledHere;

impl<F: Float> Trainer<F> {
    /// Fits without validation samples and in silence.
    pub fn fit(&self, data: &Dataset<F>) -> Result<Model<F>> {
        self.fit_with(data, None, &mut Silent)
    }

    /// Fits; `valid` chooses the best iterate, `progress` watches and may interrupt.
    pub fn fit_with(
        &self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        F::pick(COMPILED_HERE as &dyn AnyFit).fit(self, data, valid, progress)
    }

    fn choose_and_fit(
        &self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        self.check_given()?;
        self.check_patience(valid)?;
        let weights = self.class_weights(data)?;
        let mut trainer = Cow::Borrowed(self);
        // Weights need probabilities by the nearest prototype of each class.
        if weights.is_some() && !self.given.contains_key("posterior") {
            trainer = Cow::Owned(self.clone().set("posterior", &Posterior::Nearest.show())?);
        }
        let model = if self.facts().searches {
            self.check_search(data, valid)?;
            auto::fit(&trainer, data, valid, progress)?
        } else {
            size::fit(&trainer, data, valid, progress)?
        };
        match weights {
            Some(weights) => model.with_class_weights(&weights)?.with_train_error(data),
            None => Ok(model),
        }
    }

    /// Refuses a patience that nothing would try.
    fn check_patience(&self, valid: Option<&Dataset<F>>) -> Result<()> {
        let held = valid.is_some() || self.training.judging.holdout.is_some();
        match self.training.judging.patience.filter(|_| !held) {
            Some(patience) => {
                let expected = "none, without validation samples: give some, or hold out a share of the training samples";
                Err(Error::setting("patience", patience, expected))
            }
            None => Ok(()),
        }
    }

    /// Weights of the classes by the settings and by costs, multiplied.
    fn class_weights(&self, data: &Dataset<F>) -> Result<Option<Vec<f64>>> {
        let given = self.training.deciding.class_weight.as_ref().map(|w| w.of(data)).transpose()?;
        let costs = self.costs.as_ref().map(|c| weights_for_costs(c.view(), data.n_classes())).transpose()?;
        Ok(match (given, costs) {
            (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| a * b).collect()),
            (a, b) => a.or(b),
        })
    }

    /// One training, with open settings chosen on the way and the temperature as training leaves it.
    fn fit_once(
        &self,
        data: &Dataset<F>,
        valid: Option<&Dataset<F>>,
        progress: &mut dyn Progress,
    ) -> Result<Model<F>> {
        let prepared = self.prepare(data, valid, progress)?;
        let settings = choose::open_settings(self, &prepared.train, progress)?;
        self.train(prepared, settings, data, progress)
    }

    /// Refuses what a search over methods cannot use.
    fn check_search(&self, data: &Dataset<F>, valid: Option<&Dataset<F>>) -> Result<()> {
        check_classes(data)?;
        check_valid(data, valid)?;
        self.check_metric()?;
        if let Some(model) = &self.resumed {
            self.check_resumed(model, data)?;
        }
        let given = self.matrix.as_ref().map(|_| "a matrix");
        match given.or(self.represented.as_ref().map(|_| "a representation")) {
            Some(given) => {
                let expected = format!("a method that learns by itself, when {given} is given");
                Err(Error::setting("method", self.method.name, expected))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// Ninety samples of a class and ten of another one, which overlap on a line.
    fn rare() -> Dataset<f64> {
        let y: Vec<usize> = (0..100).map(|i| usize::from(i % 10 == 9)).collect();
        let x = Array2::from_shape_fn((100, 1), |(i, _)| (i * 37 % 100) as f64 / 50.0 + y[i] as f64);
        Dataset::new(x, y, vec!["common".into(), "rare".into()]).unwrap()
    }

    fn quick() -> Trainer<f64> {
        Trainer::named("npc").unwrap().prototypes(1).epochs(10)
    }

    /// A rare class that weighs more is found more often, and the probabilities are those of the weights.
    #[test]
    fn weights_and_costs_find_a_rare_class() {
        let data = rare();
        let found = |trainer: Trainer<f64>| {
            let model = trainer.fit(&data).unwrap();
            let answers = model.predict(data.x.view()).unwrap();
            (answers.iter().filter(|&&c| c == 1).count(), model.probabilities(data.x.view()).unwrap())
        };
        let (plain, p) = found(quick().set("posterior", "nearest").unwrap());
        let (weighted, q) = found(quick().set("class-weight", "rare=20").unwrap());
        let (balanced, _) = found(quick().set("class-weight", "balanced").unwrap());
        let (costly, r) = found(quick().costs(array![[0.0, 1.0], [20.0, 0.0]]));
        assert!(plain < balanced && balanced <= weighted, "{plain} {balanced} {weighted}");
        assert_eq!(costly, weighted);
        for i in 0..data.len() {
            let odds = |p: &Array2<f64>| p[[i, 1]] / p[[i, 0]];
            assert!((odds(&q) / odds(&p) / 20.0 - 1.0).abs() < 1e-6);
            assert!((odds(&r) / odds(&q) - 1.0).abs() < 1e-6);
        }
        let weighted = quick().set("class-weight", "rare=20").unwrap().fit(&data).unwrap();
        assert_eq!(weighted.provenance().train_error, Some(weighted.error(&data).unwrap()));
        let refused = quick().set("class-weight", "scarce=2").unwrap().fit(&data).unwrap_err().to_string();
        assert!(refused.contains("unknown class \"scarce\""), "{refused}");
    }

    /// Two classes whose samples coincide in two places each: what ties decide is not learned, but nothing breaks.
    #[test]
    fn classes_that_coincide_have_the_probabilities_of_their_places() {
        let place = |i: usize| (i % 2) as f64;
        let y: Vec<usize> = (0..400).map(|i| usize::from(i % 20 < if i % 2 == 0 { 4 } else { 15 })).collect();
        let x = Array2::from_shape_fn((400, 2), |(i, j)| if j == 0 { place(i) } else { 1.0 - place(i) });
        let data = Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap();
        let model = Trainer::<f64>::named("npc").unwrap().prototypes(8).epochs(30).fit(&data).unwrap();
        assert!(model.gamma() < 1e6, "{}", model.gamma());
        let p = model.probabilities(data.x.view()).unwrap();
        let share = |at: f64| {
            let rows: Vec<usize> = (0..400).filter(|&i| place(i) == at).collect();
            let share = rows.iter().filter(|&&i| data.y[i] == 1).count() as f64 / rows.len() as f64;
            (share, p[[rows[0], 1]])
        };
        for (truth, told) in [share(0.0), share(1.0)] {
            assert!((truth - told).abs() < 0.2, "{truth} {told}");
        }
        assert!(model.prototypes().y.len() <= 4);
    }
}
