//! One training in a process of its own, so that its peak of memory and its threads are its own.

use crate::Options;
use protea::catalog::{self, Part};
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
    pub seed: u64,
}

/// What came out.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// Test error in percent.
    pub error: f64,
    /// Seconds of one fit.
    pub seconds: f64,
    /// Most memory held until the end of the fit, data included.
    pub megabytes: f64,
}

impl Job {
    /// Runs it; complains on standard error where it fails.
    pub fn run(&self, options: &Options) -> Option<Outcome> {
        let dir = options.data_dir.as_ref().map_or(String::new(), |d| d.display().to_string());
        let seed = self.seed.to_string();
        let mut child = Command::new(std::env::current_exe().ok()?);
        child.args(["--one-fit", self.method, self.data, &seed, &dir]);
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
    let [method, data, seed, dir, settings @ ..] = args else { return };
    let dir = (!dir.is_empty()).then(|| Path::new(dir));
    let load = |part| catalog::load::<f32>(data, part, dir).expect("the set was found before");
    let mut trainer =
        Trainer::<f32>::named(method).and_then(|t| t.set("seed", seed)).expect("methods have a seed");
    for pair in settings.chunks_exact(2) {
        trainer = trainer.set(&pair[0], &pair[1]).expect("settings of the table are sound");
    }
    let [error, seconds, megabytes] = measured(&trainer, &load(Part::Train), || load(Part::Test));
    println!("{error} {seconds} {megabytes}");
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
