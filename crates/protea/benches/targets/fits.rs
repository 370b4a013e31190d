//! Time, memory and test error of whole fits with default settings.

use crate::Options;
use crate::child::{Job, Outcome, Settings};
use crate::record::Row;
use protea::catalog::{self, Part};
use protea::method::METHODS;

/// One line of a table: method, data set, settings beside the defaults, and what to reach.
struct Fit {
    title: &'static str,
    method: &'static str,
    data: &'static str,
    settings: &'static Settings,
    /// Mean test error of the seeds, in percent.
    error: f64,
    /// Seconds of the fit.
    seconds: Option<f64>,
    megabytes: Option<f64>,
}

impl Fit {
    /// A fit of which only the error counts.
    const fn of(
        title: &'static str,
        method: &'static str,
        data: &'static str,
        settings: &'static Settings,
        error: f64,
    ) -> Fit {
        Fit { title, method, data, settings, error, seconds: None, megabytes: None }
    }

    /// The same within a time.
    const fn within(self, seconds: f64) -> Fit {
        Fit { seconds: Some(seconds), ..self }
    }

    /// The same within a memory.
    const fn holding(self, megabytes: f64) -> Fit {
        Fit { megabytes: Some(megabytes), ..self }
    }
}

const FITS: &[Fit] = &[
    Fit::of("Letter, 15 per class, Euclidean", "npc", "letter", &[], 3.7).within(20.0),
    Fit::of("Letter, 15 per class, joint metric", "npc", "letter", &[("metric", "linear")], 2.9),
    Fit::of("USPS, 15 per class", "npc", "usps", &[], 5.5),
    Fit::of("MNIST deskewed, 50 per class", "npc", "mnist", &[("deskew", "true"), ("per-class", "50")], 1.45)
        .within(120.0)
        .holding(1000.0),
];

const SEEDS: [u64; 3] = [0, 1, 2];

/// Measures NPC.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    println!();
    table(FITS, options, rows);
}

/// Whether a method is in the registry; says so where it is not.
pub fn is_there(method: &str, title: &str) -> bool {
    let found = METHODS.iter().any(|m| m.name == method);
    if !found {
        println!("{title}: not there yet: no method {method}");
    }
    found
}

/// Measures all fits whose method and data can be found.
fn table(fits: &[Fit], options: &Options, rows: &mut Vec<Row>) {
    for fit in fits.iter().filter(|fit| is_there(fit.method, fit.title)) {
        if let Err(e) = catalog::load::<f32>(fit.data, Part::Test, options.data_dir.as_deref()) {
            println!("{}: left out: {e}", fit.title);
            continue;
        }
        let results: Vec<Outcome> = SEEDS.iter().filter_map(|&seed| one(fit, seed, options)).collect();
        let Some(first) = results.first() else {
            println!("{}: failed", fit.title);
            continue;
        };
        let errors: Vec<f64> = results.iter().map(|r| r.error).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let shown: Vec<String> = errors.iter().map(|e| format!("{e:.2}")).collect();
        let what = |part: &str| format!("{}, {part}", fit.title);
        let detail = format!("seeds 0–2: {}", shown.join(", "));
        rows.push(Row::at_most(&what("test error"), mean, "%", fit.error, detail));
        if let Some(target) = fit.seconds {
            rows.push(Row::at_most(&what("fit"), first.seconds, "s", target, "seed 0".into()));
        }
        if let Some(target) = fit.megabytes {
            rows.push(Row::at_most(&what("peak"), first.megabytes, "MB", target, "data included".into()));
        }
    }
}

fn one(fit: &Fit, seed: u64, options: &Options) -> Option<Outcome> {
    let outcome = Job { method: fit.method, data: fit.data, settings: fit.settings, seed }.run(options)?;
    eprintln!("  {}, seed {seed}: {:.2} % in {:.1} s", fit.title, outcome.error, outcome.seconds);
    Some(outcome)
}
