//! What else the training samples are good for: all of them as prototypes, and k-means of each class.
//!
//! Both see the samples as the model's preprocessing leaves them, under the Euclidean distance, so that the difference is what
//! the method has learned.

use super::Report;
use crate::eval::{McNemar, mcnemar};
use crate::init::{Init, KMeans, PerClass, initialise};
use crate::metric::Space;
use crate::settings::SettingValue;
use crate::{Dataset, Error, Float, Result};
use ndarray::ArrayView2;
use serde::Serialize;

/// Another classifier on the same samples.
#[derive(Debug, Clone, Serialize)]
pub struct Baseline {
    /// What it is.
    pub name: String,
    /// Prototypes that it keeps.
    pub prototypes: usize,
    /// Bytes of them.
    pub bytes: usize,
    /// Share of samples decided wrongly.
    pub error: f64,
    /// The model (first) against it (second).
    pub test: McNemar,
}

impl<F: Float> Report<'_, F> {
    /// Compares with 1-NN and k-means on the samples that the model was trained on; `step` is told what comes next.
    pub fn against(mut self, train: &Dataset<F>, mut step: impl FnMut(&str)) -> Result<Self> {
        if train.classes != self.model.classes() {
            return Err(Error::different_classes("the training samples", "the model"));
        }
        step("preparing the training samples");
        let seen = Dataset { x: self.model.transform(train.x.view())?, ..train.clone_labels() };
        let test = self.model.transform(self.test.x.view())?;
        step("1-NN over all training samples");
        let nearest = self.baseline("1-NN, all training samples", seen.x.view(), &seen.y, test.view());
        step("k-means of each class");
        let p = self.model.provenance();
        let per_class = p.settings.get("per-class").and_then(|s| PerClass::parse(s));
        let per_class =
            per_class.unwrap_or_else(|| PerClass::all(self.uses.len().div_ceil(train.n_classes())));
        let starts = p.settings.get("starts").and_then(|s| s.parse().ok());
        let starts = starts.unwrap_or(KMeans::default().starts);
        let means = initialise(Init::KMeans, starts, &seen, &per_class, p.seed)?;
        let k_means = self.baseline("k-means of each class", means.x.view(), &means.y, test.view());
        self.baselines = vec![nearest, k_means];
        let mut counts = vec![0; train.n_classes()];
        train.y.iter().for_each(|&c| counts[c] += 1);
        self.training_counts = Some(counts);
        let says =
            |name: &str, values: &[&str]| p.settings.get(name).is_none_or(|v| values.contains(&v.as_str()));
        let same_start = p.data_hash == train.hash()
            && !p.given_start
            && says("init", &["kmeans"])
            && says("prune", &["1"])
            && says("holdout", &["none"]);
        if same_start && !p.history.is_empty() && means.y == self.model.prototypes().y {
            self.before = Some(means.x);
        }
        Ok(self)
    }

    fn baseline(&self, name: &str, p: ArrayView2<F>, labels: &[usize], test: ArrayView2<F>) -> Baseline {
        let nearest = Space::euclidean(p).nearest_of_all(test);
        let right: Vec<bool> = nearest.iter().zip(&self.test.y).map(|(&j, &y)| labels[j] == y).collect();
        let model = self.answers.right(&self.test.y);
        let wrong = right.iter().filter(|r| !**r).count();
        Baseline {
            name: name.into(),
            prototypes: p.nrows(),
            bytes: p.len() * size_of::<F>() + p.nrows() * if self.test.n_classes() <= 256 { 1 } else { 4 },
            error: wrong as f64 / self.test.len() as f64,
            test: mcnemar(&model, &right),
        }
    }
}
