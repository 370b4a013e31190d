//! What is chosen on held-out training samples: open settings, temperatures, and, for `auto`, everything.
//!
//! [`Trainer::fit`] lives here, because it chooses before it trains.

mod auto;
mod choose;
mod cross_fit;

use crate::model::Model;
use crate::progress::{Progress, Silent};
use crate::train::{Trainer, check_classes, check_valid};
use crate::{Dataset, Error, Float, Result};

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
        self.check_given()?;
        if self.facts().searches {
            self.check_search(data, valid)?;
            return auto::fit(self, data, valid, progress);
        }
        let model = self.fit_once(data, valid, progress)?;
        let held = valid.is_some() || self.training.holdout.is_some();
        let memorised = self.facts().keeps_samples && !self.facts().codes;
        if !self.cross_fitted || held || memorised || self.resumed.is_some() {
            return Ok(model);
        }
        Ok(cross_fit::cross_fitted(model, data, self.training.seed, progress, self))
    }

    /// One training, with open settings chosen on the way.
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
