//! One training in a process of its own, so that its peak of memory and its threads are its own.

use crate::Options;
use protea::data::catalog::{self, Part};
use protea::data::k_folds;
use protea::{Dataset, Model, Trainer};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Settings beside the defaults of a method.
pub type Settings = [(&'static str, &'static str)];

/// What to train, and what to measure it on.
#[derive(Clone, Copy)]
pub struct Job {
    pub method: &'static str,
    pub data: &'static str,
    pub settings: &'static Settings,
    /// The set's own training and test part, or folds of all of it.
    pub folds: Option<usize>,
    pub seed: u64,
}

/// What came out; means over the folds.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// Test error in percent.
    pub error: f64,
    /// Seconds of one fit.
    pub seconds: f64,
    /// Most memory held until the end of the last fit, data included.
    pub megabytes: f64,
}

impl Job {
    /// Runs it; complains on standard error where it fails.
    pub fn run(&self, options: &Options) -> Option<Outcome> {
        let dir = options.data_dir.as_ref().map_or(String::new(), |d| d.display().to_string());
        let (folds, seed) = (self.folds.unwrap_or(0).to_string(), self.seed.to_string());
        let mut child = Command::new(std::env::current_exe().ok()?);
        child.args(["--one-fit", self.method, self.data, &folds, &seed, &dir]);
        child.args(self.settings.iter().flat_map(|(name, value)| [name, value]));
        let out = child.output().ok()?;
        let text = String::from_utf8_lossy(&out.stdout);
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|v| v.parse().ok()).collect();
        let &[error, seconds, megabytes] = &numbers[..] else {
            let complaint = String::from_utf8_lossy(&out.stderr);
            eprintln!("{} on {}, seed {}: {complaint}", self.method, self.data, self.seed);
            return None;
        };
        Some(Outcome { error, seconds, megabytes })
    }
}

/// Prints `error% seconds megabytes`: the body of the child process.
pub fn body(args: &[String]) {
    let [method, data, folds, seed, dir, settings @ ..] = args else { return };
    let dir = (!dir.is_empty()).then(|| Path::new(dir));
    let load = |part| catalog::load::<f32>(data, part, dir).expect("the set was found before");
    let number = |text: &str| text.parse::<u64>().expect("the parent passes numbers");
    let mut trainer =
        Trainer::<f32>::new(method).and_then(|t| t.set("seed", seed)).expect("methods have a seed");
    for pair in settings.chunks_exact(2) {
        trainer = trainer.set(&pair[0], &pair[1]).expect("settings of the table are sound");
    }
    let outcomes: Vec<[f64; 3]> = if number(folds) == 0 {
        vec![measured(&trainer, &load(Part::Train), || load(Part::Test))]
    } else {
        let data = load(Part::All);
        let folds = k_folds(&data, number(folds) as usize, number(seed)).expect("enough rows for the folds");
        let one = |(train, test): &(Vec<usize>, Vec<usize>)| {
            measured(&trainer, &data.select(train), || data.select(test))
        };
        folds.iter().map(one).collect()
    };
    let mean = |k: usize| outcomes.iter().map(|o| o[k]).sum::<f64>() / outcomes.len() as f64;
    println!("{} {} {}", mean(0), mean(1), outcomes.last().map_or(f64::NAN, |o| o[2]));
}

/// Error in percent, seconds of the fit, and memory before the test samples are read.
fn measured(trainer: &Trainer<f32>, train: &Dataset<f32>, test: impl FnOnce() -> Dataset<f32>) -> [f64; 3] {
    let start = Instant::now();
    let model: Model<f32> = trainer.fit(train).expect("the set can be learned");
    let (seconds, peak) = (start.elapsed().as_secs_f64(), peak_megabytes());
    [100.0 * model.error(&test()).expect("the test part fits"), seconds, peak]
}

/// Most memory that this process has held, from the kernel's own account; NaN where there is none.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<f64>().ok())
        .map_or(f64::NAN, |kb| kb / 1024.0)
}
