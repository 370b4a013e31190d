//! Time, memory and test error of whole fits with default settings, each in a process of its own.

use crate::Options;
use crate::record::Row;
use protea::Trainer;
use protea::data::catalog::{self, Part};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// One setting of the table: data set, settings beside the defaults, and what to reach.
struct Fit {
    title: &'static str,
    data: &'static str,
    settings: &'static [(&'static str, &'static str)],
    error: f64,
    seconds: Option<f64>,
    megabytes: Option<f64>,
}

const FITS: &[Fit] = &[
    Fit {
        title: "Letter, 15 per class, Euclidean",
        data: "letter",
        settings: &[],
        error: 3.7,
        seconds: Some(20.0),
        megabytes: None,
    },
    Fit {
        title: "Letter, 15 per class, joint metric",
        data: "letter",
        settings: &[("metric", "linear")],
        error: 2.9,
        seconds: None,
        megabytes: None,
    },
    Fit {
        title: "USPS, 15 per class",
        data: "usps",
        settings: &[],
        error: 5.5,
        seconds: None,
        megabytes: None,
    },
    Fit {
        title: "MNIST deskewed, 50 per class",
        data: "mnist",
        settings: &[("deskew", "true"), ("per-class", "50")],
        error: 1.45,
        seconds: Some(120.0),
        megabytes: Some(1000.0),
    },
];

const SEEDS: [u64; 3] = [0, 1, 2];

/// Runs one fit and prints `error% seconds peak-megabytes`: the body of the child process.
pub fn child(args: &[String]) {
    let [data, seed, dir, settings @ ..] = args else { return };
    let dir = (!dir.is_empty()).then(|| Path::new(dir));
    let part = |p| catalog::load::<f32>(data, p, dir).expect("the set was found before");
    let train = part(Part::Train);
    let mut trainer = Trainer::<f32>::new("npc").and_then(|t| t.set("seed", seed)).expect("npc has a seed");
    for pair in settings.chunks_exact(2) {
        trainer = trainer.set(&pair[0], &pair[1]).expect("settings of the table are sound");
    }
    let start = Instant::now();
    let model = trainer.fit(&train).expect("the set can be learned");
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_megabytes();
    let error = 100.0 * model.error(&part(Part::Test)).expect("the test part fits");
    println!("{error} {seconds} {peak}");
}

/// Most memory that this process has held, from the kernel's own account; NaN where there is none.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<f64>().ok())
        .map_or(f64::NAN, |kb| kb / 1024.0)
}

/// Measures all fits whose data can be found.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    println!();
    for fit in FITS {
        if let Err(e) = catalog::load::<f32>(fit.data, Part::Test, options.data_dir.as_deref()) {
            println!("{}: left out: {e}", fit.title);
            continue;
        }
        let results: Vec<[f64; 3]> = SEEDS.iter().filter_map(|&seed| one(fit, seed, options)).collect();
        let Some(first) = results.first() else {
            println!("{}: failed", fit.title);
            continue;
        };
        let errors: Vec<f64> = results.iter().map(|r| r[0]).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let shown: Vec<String> = errors.iter().map(|e| format!("{e:.2}")).collect();
        let what = format!("{}, test error", fit.title);
        rows.push(Row::at_most(&what, mean, "%", fit.error, format!("seeds 0–2: {}", shown.join(", "))));
        if let Some(target) = fit.seconds {
            rows.push(Row::at_most(&format!("{}, fit", fit.title), first[1], "s", target, "seed 0".into()));
        }
        if let Some(target) = fit.megabytes {
            rows.push(Row::at_most(
                &format!("{}, peak", fit.title),
                first[2],
                "MB",
                target,
                "data included".into(),
            ));
        }
    }
}

fn one(fit: &Fit, seed: u64, options: &Options) -> Option<[f64; 3]> {
    let dir = options.data_dir.as_ref().map_or(String::new(), |d| d.display().to_string());
    let settings = fit.settings.iter().flat_map(|(k, v)| [*k, *v]);
    let mut child = Command::new(std::env::current_exe().ok()?);
    child.args(["--one-fit", fit.data, &seed.to_string(), &dir]).args(settings);
    let out = child.output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|v| v.parse().ok()).collect();
    if numbers.len() != 3 {
        eprintln!("{}, seed {seed}: {}", fit.title, String::from_utf8_lossy(&out.stderr));
    }
    numbers.try_into().ok()
}
