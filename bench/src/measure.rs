//! One job: read the data, train, measure; nothing of it is kept but the line.

use crate::busy::{self, Busy};
use crate::job::{Definition, Job};
use crate::metrics::Metrics;
use crate::record::Line;
use crate::{interrupt, machine, peer, toy};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use protea::catalog::{self, Part};
use protea::eval::{Protocol, TestRun};
use protea::model::Rule;
use protea::progress::{Epoch, Progress};
use protea::{Dataset, Model, Values};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Name of a data set, folds, and the seed of a toy.
type Source = (String, Option<usize>, u64);

/// What jobs need besides their definition, shared by those that run beside each other; the data of the last ones are kept for
/// the next.
pub struct Bench {
    /// Folder of data sets.
    pub data_dir: Option<PathBuf>,
    /// Interpreter for other programs.
    pub python: Option<PathBuf>,
    /// Source that is measured.
    pub commit: String,
    /// Metrics learned so far.
    pub metrics: Metrics,
    /// Jobs beside each other.
    jobs: usize,
    /// As many as jobs, the last one in front.
    loaded: Mutex<Vec<(Source, Arc<Protocol<f32>>)>>,
}

/// Means over the trials of a job.
pub struct Outcome {
    /// Test errors, one for each fold.
    pub errors: Vec<f64>,
    /// Mean seconds of a fit.
    pub fit_seconds: f64,
    /// Mean microseconds of a query.
    pub micros_per_query: Option<f64>,
    /// Mean size of the model.
    pub bytes: Option<f64>,
    /// Mean number of prototypes.
    pub prototypes: Option<f64>,
    /// Mean errors of the soft rule.
    pub soft_errors: Vec<f64>,
    /// Settings that the method chose itself.
    pub chosen: Values,
}

/// Shows the epochs of a training, and ends it on Ctrl-C.
struct Watch<'a> {
    bar: &'a ProgressBar,
    title: String,
    /// Since when a metric over samples is being learned.
    metric_since: Option<Instant>,
    metric_seconds: f64,
}

impl Progress for Watch<'_> {
    fn phase(&mut self, name: &str) {
        self.metric_seconds += self.metric_since.take().map_or(0.0, |since| since.elapsed().as_secs_f64());
        self.metric_since = (name == "metric").then(Instant::now);
        self.bar.set_message(format!("{}  {name}", self.title));
        self.bar.tick();
    }

    fn epoch(&mut self, r: &Epoch) {
        self.bar.set_message(format!("{}  epoch {}/{}", self.title, r.epoch, r.of));
        self.bar.tick();
    }

    fn cancelled(&self) -> bool {
        interrupt::interrupted()
    }
}

impl Bench {
    /// For a folder of data and an interpreter, where there are any, and a number of jobs beside each other.
    pub fn new(data_dir: Option<PathBuf>, python: Option<PathBuf>, jobs: usize) -> Self {
        let (metrics, loaded) = (Metrics::default(), Mutex::default());
        Bench { data_dir, python, commit: machine::commit(), metrics, jobs, loaded }
    }

    /// Runs a job; an interrupted one is an error.
    pub fn run(&self, job: &Job, bar: &ProgressBar) -> Result<Line> {
        let (start, load) = (Instant::now(), Busy::now());
        let (definition, seed) = (&job.definition, job.seed);
        let protocol = self.protocol(definition, seed)?;
        let title = format!("{}, seed {seed}", definition.title());
        let mut watch = Watch { bar, title, metric_since: None, metric_seconds: 0.0 };
        watch.phase("");
        let outcome = match peer::is_peer(&definition.method) {
            true => {
                // Alone, other programs use the machine as they like.
                let threads = (self.jobs > 1).then(rayon::current_num_threads);
                peer::run(definition, &protocol, seed, self.python.as_deref(), threads)?
            }
            false => train(job, &protocol, &self.metrics, &mut watch)?,
        };
        if interrupt::interrupted() {
            bail!("interrupted");
        }
        Ok(Line {
            date: machine::date(),
            commit: self.commit.clone(),
            machine: machine::machine(),
            threads: rayon::current_num_threads(),
            jobs: self.jobs,
            load: busy::load(),
            others: load.and_then(Busy::others_since),
            definition: definition.clone(),
            seed,
            errors: outcome.errors,
            seconds: start.elapsed().as_secs_f64(),
            fit_seconds: outcome.fit_seconds,
            micros_per_query: outcome.micros_per_query,
            bytes: outcome.bytes,
            prototypes: outcome.prototypes,
            soft_errors: outcome.soft_errors,
            chosen: outcome.chosen,
        })
    }

    fn protocol(&self, definition: &Definition, seed: u64) -> Result<Arc<Protocol<f32>>> {
        // Toys are drawn anew for each seed, the others do not depend on it.
        let seed = if toy::is_toy(&definition.data) { seed } else { 0 };
        let key = (definition.data.clone(), definition.folds, seed);
        // Whoever wants the same data waits until they are read.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let protocol = match loaded.iter().position(|(k, _)| *k == key) {
            Some(at) => loaded.remove(at).1,
            None => {
                loaded.truncate(self.jobs - 1);
                Arc::new(read(definition, seed, self.data_dir.as_deref())?)
            }
        };
        loaded.insert(0, (key, protocol.clone()));
        Ok(protocol)
    }
}

fn read(definition: &Definition, seed: u64, data_dir: Option<&Path>) -> Result<Protocol<f32>> {
    let (name, k) = (&definition.data, definition.folds);
    if toy::is_toy(name) {
        let (train, test) = toy::draw(name, seed)?;
        return Ok(match k {
            Some(k) => Protocol::Folds { data: train, k },
            None => Protocol::Parts { train, test },
        });
    }
    let load = |part| catalog::load::<f32>(name, part, data_dir);
    Ok(match k {
        Some(k) => Protocol::Folds { data: load(Part::All)?, k },
        None => Protocol::Parts { train: load(Part::Train)?, test: load(Part::Test)? },
    })
}

fn train(job: &Job, protocol: &Protocol<f32>, metrics: &Metrics, watch: &mut Watch) -> Result<Outcome> {
    let (trainer, metric_seconds) = metrics.lend(job, job.definition.trainer(job.seed)?);
    let soft = &job.definition.soft;
    let (mut trials, mut soft_errors): (Vec<TestRun>, _) = (Vec::new(), vec![0.0; soft.len()]);
    let mut last = None;
    protocol.each(job.seed, |train, test| {
        let (trial, model) = TestRun::of(&trainer, train, test, watch)?;
        trials.push(trial);
        for (sum, &gamma) in soft_errors.iter_mut().zip(soft) {
            *sum += soft_error(&model, gamma, test)?;
        }
        last = Some(model);
        Ok(())
    })?;
    let mut chosen = Values::new();
    if let Some(model) = last {
        chosen = job.definition.chosen(&model);
        metrics.keep(job, model, watch.metric_seconds);
    }
    let n = trials.len() as f64;
    let mean = |f: fn(&TestRun) -> f64| trials.iter().map(f).sum::<f64>() / n;
    Ok(Outcome {
        errors: trials.iter().map(|t| t.error).collect(),
        fit_seconds: mean(|t| t.fit_seconds) + metric_seconds,
        micros_per_query: Some(mean(|t| t.micros_per_query)),
        bytes: Some(mean(|t| t.bytes as f64)),
        prototypes: Some(mean(|t| t.prototypes as f64)),
        soft_errors: soft_errors.iter().map(|sum| sum / n).collect(),
        chosen,
    })
}

/// Error of the soft rule at γ.
fn soft_error(model: &Model<f32>, gamma: f64, test: &Dataset<f32>) -> protea::Result<f64> {
    model.clone().with_rule(Rule::Soft)?.with_gamma(gamma)?.error(test)
}
