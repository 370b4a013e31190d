//! Metrics over samples (`lmnn`), each learned once in a run: they do not depend on prototypes, and on a large set they take longer
//! than all that follows.

use crate::job::Job;
use crate::toy;
use protea::{Model, Trainer};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Settings that such a metric, or what comes before it, depends on.
const CONCERN: [&str; 16] = [
    "deskew",
    "graph",
    "hog",
    "image",
    "metric",
    "pass-steps",
    "passes",
    "pca",
    "project",
    "push",
    "rank",
    "scale",
    "supervised",
    "targets",
    "tol",
    "unit",
];

/// What was learned so far, for all who run jobs: a model that has the metric, and the seconds that the metric took.
#[derive(Default)]
pub struct Metrics(Mutex<HashMap<String, (Model<f32>, f64)>>);

impl Metrics {
    /// The trainer of a job with its metric where that is known, and the seconds that it would have taken.
    pub fn lend(&self, job: &Job, trainer: Trainer<f32>) -> (Trainer<f32>, f64) {
        let known = self.lock();
        match name(job).and_then(|name| known.get(&name)) {
            Some((model, seconds)) => (trainer.represented_as(model), *seconds),
            None => (trainer, 0.0),
        }
    }

    /// Whether a metric is known.
    pub fn has(&self, name: &str) -> bool {
        self.lock().contains_key(name)
    }

    /// Keeps the metric of a job's model for others.
    pub fn keep(&self, job: &Job, model: Model<f32>, seconds: f64) {
        if let Some(name) = name(job) {
            self.lock().entry(name).or_insert((model, seconds));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Model<f32>, f64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Data, seed and settings that decide the metric; `None` where the job has none, or samples that change from fold to fold.
pub fn name(job: &Job) -> Option<String> {
    let definition = &job.definition;
    let mut values = definition.trainer(job.seed).ok()?.training.values();
    values.extend(definition.settings.clone());
    let learned = values.get("metric").is_some_and(|metric| metric == "lmnn");
    values.retain(|name, _| CONCERN.contains(&name.as_str()));
    let fixed = definition.folds.is_none() && !toy::is_toy(&definition.data);
    (learned && fixed).then(|| format!("{} {} {values:?}", definition.data, job.seed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Definition;
    use protea::catalog::{self, Part};

    #[test]
    fn jobs_share_a_metric_where_all_that_decides_it_is_the_same() {
        let job = |method: &str, folds: Option<usize>, settings: &[(&str, &str)]| {
            let settings = settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
            let data = "wine".into();
            let definition = Definition { data, folds, method: method.into(), settings, soft: Vec::new() };
            Job { definition, seed: 0 }
        };
        let trainer = |job: &Job| job.definition.trainer(job.seed).unwrap();
        let first = job("lmnn", None, &[]);
        let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
        let model = trainer(&first).fit(&data).unwrap();
        let metrics = Metrics::default();
        metrics.keep(&first, model.clone(), 7.0);
        let seconds = |job: &Job| metrics.lend(job, trainer(job)).1;
        let alike = job("kmeans", None, &[("metric", "lmnn"), ("per-class", "2")]);
        assert_eq!(seconds(&alike), 7.0);
        let lent = metrics.lend(&alike, trainer(&alike)).0.fit(&data).unwrap();
        let alone = trainer(&alike).fit(&data).unwrap();
        assert_eq!((lent.pipeline(), lent.prototypes()), (alone.pipeline(), alone.prototypes()));
        for other in [
            job("kmeans", None, &[("per-class", "2")]),
            job("kmeans", None, &[("metric", "lmnn"), ("pca", "5")]),
            job("lmnn", None, &[("targets", "2")]),
            job("lmnn", Some(5), &[]),
            Job { seed: 1, ..first.clone() },
        ] {
            assert_eq!(seconds(&other), 0.0, "{:?}", other.definition);
        }
    }
}
