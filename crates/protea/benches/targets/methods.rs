//! The methods beside NPC: accuracy on public copies of the data, LPD's table, and speed against Python packages.

use crate::Options;
use crate::child::{Job, Outcome};
use crate::fits::{Fit, SEEDS, is_there, table};
use crate::peers::ask;
use crate::record::Row;
use serde_json::Value;

const ACCURACY: &[Fit] = &[
    Fit::of("DMPL, Letter, 40 per class", "dmpl", "letter", &[("per-class", "40")], 3.1),
    Fit::of("DMPL, Letter, 100 per class", "dmpl", "letter", &[("per-class", "100")], 2.6),
    Fit::of("EP-NN, Letter", "epnn", "letter", &[], 3.3).within(30.0),
    Fit::of("LMNN, Letter, 1-NN", "lmnn", "letter", &[("rule", "1-np")], 3.3),
    Fit::of("DMPL, USPS, 100 per class", "dmpl", "usps", &[("per-class", "100")], 5.5),
    Fit::of("EP-NN, USPS", "epnn", "usps", &[], 5.2),
    Fit::of("DMPL, MNIST, 40 per class", "dmpl", "mnist", &[("per-class", "40"), ("pca", "164")], 2.3),
];

/// Data sets of LPD's table and its error there, in percent (five folds, prototypes 5 % of the samples).
const LPD: [(&str, f64); 14] = [
    ("australian", 13.9),
    ("balance", 16.3),
    ("cancer", 3.4),
    ("diabetes", 26.0),
    ("dna", 4.9),
    ("german", 26.0),
    ("glass", 28.0),
    ("heart", 18.6),
    ("letter", 3.5),
    ("liver", 33.3),
    ("satimage", 10.6),
    ("vehicle", 27.4),
    ("vote", 3.7),
    ("wine", 5.0),
];

/// Measures all parts, or the one that `--only methods:PART` names.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    let part = options.only.as_deref().and_then(|only| only.strip_prefix("methods:"));
    let wanted = |name: &str| part.is_none_or(|p| p == name);
    println!();
    if wanted("accuracy") {
        table(ACCURACY, options, rows);
    }
    if wanted("lpd") {
        lpd(options, rows);
    }
    if wanted("speed") {
        gmlvq(options, rows);
        lmnn(options, rows);
    }
}

/// LPD and 1-NN on the same folds of the fourteen sets.
fn lpd(options: &Options, rows: &mut Vec<Row>) {
    if !is_there("lpd", "LPD, fourteen sets") {
        return;
    }
    let run = |method, data, settings| {
        let one = |seed| Job { method, data, settings, folds: Some(5), seed }.run(options).map(|o| o.error);
        let errors: Vec<f64> = SEEDS.iter().map(|&seed| one(seed)).collect::<Option<_>>()?;
        Some(errors.iter().sum::<f64>() / errors.len() as f64)
    };
    println!("{:<12} {:>8} {:>8} {:>8} {:>12}", "five folds", "lpd %", "paper %", "1-NN %", "1-NN scaled %");
    let (mut reached, mut worst, mut sets) = (0.0, f64::NEG_INFINITY, Vec::new());
    for (data, paper) in LPD {
        let ours = run("lpd", data, &[("per-class", "5%")]);
        let plain = run("knn", data, &[("scale", "none"), ("rule", "1-np")]);
        let scaled = run("knn", data, &[("rule", "1-np")]);
        let (Some(ours), Some(plain), Some(scaled)) = (ours, plain, scaled) else { continue };
        println!("{data:<12} {ours:>8.2} {paper:>8.1} {plain:>8.2} {scaled:>12.2}");
        sets.push(format!("{data} {ours:.2} ({paper}; 1-NN {plain:.2}, scaled {scaled:.2})"));
        // The paper prints one decimal.
        reached += f64::from(u8::from((10.0 * ours).round() <= (10.0 * paper).round()));
        worst = f64::max(worst, ours - plain.min(scaled));
    }
    let detail = "five folds, seeds 0–2, prototypes 5 % of the samples".to_string();
    let all = format!("{detail}: {}", sets.join(", "));
    rows.push(Row::at_least("LPD at or below its paper", reached, "of 14", 10.0, all));
    rows.push(Row::at_most("LPD above the better 1-NN, at worst", worst, "points", 2.0, detail));
}

/// GMLVQ against sklvq with its default of one prototype per class, at the solver that serves sklvq best. Features are
/// standardised beforehand for sklvq; ten epochs are enough for protea to be below its error.
fn gmlvq(options: &Options, rows: &mut Vec<Row>) {
    let settings = &[("per-class", "1"), ("scale", "standard"), ("epochs", "10")];
    let job = Job { method: "gmlvq", data: "letter", settings, folds: None, seed: 0 };
    against("GMLVQ, Letter, 1 per class, 10 epochs", "sklvq", &job, &["gmlvq"], 10.0, options, rows);
}

/// LMNN against metric-learn, both with three targets and three votes. metric-learn is stopped long before its end, so that
/// its time is a lower bound and its error an upper one.
fn lmnn(options: &Options, rows: &mut Vec<Row>) {
    let job = Job { method: "lmnn", data: "letter", settings: &[("rule", "3-np")], folds: None, seed: 0 };
    let args = ["lmnn", "--iterations", "150"];
    against("LMNN, Letter, 3-NN", "metric-learn, 150 iterations", &job, &args, 20.0, options, rows);
}

/// Rows of speed and error of a job against the most accurate run of a peer.
fn against(
    title: &str,
    peer: &'static str,
    job: &Job,
    args: &[&str],
    target: f64,
    options: &Options,
    rows: &mut Vec<Row>,
) {
    if !is_there(job.method, title) {
        return;
    }
    let Some(ours) = job.run(options) else { return };
    eprintln!("  {title}: {:.2} % in {:.1} s; now {peer}", ours.error, ours.seconds);
    let Some(report) = ask(options.python_old.as_ref(), "--python-old", "peers_lvq.py", args) else { return };
    let Some((theirs, how)) = best_run(&report) else {
        println!("{title}: left out: no run of {peer} succeeded");
        return;
    };
    let detail = format!("{:.1} s against {:.1} s of {peer}{how}", ours.seconds, theirs.seconds);
    rows.push(Row::at_least(
        &format!("{title}, fit"),
        theirs.seconds / ours.seconds,
        "× peer",
        target,
        detail,
    ));
    let detail = format!("at most that of {peer}");
    rows.push(Row::at_most(&format!("{title}, error"), ours.error, "%", theirs.error, detail));
}

/// The run with the lowest error of those that succeeded, and its solver where it names one.
fn best_run(report: &Value) -> Option<(Outcome, String)> {
    let run = |r: &Value| {
        let outcome =
            Outcome { error: r["error"].as_f64()?, seconds: r["seconds"].as_f64()?, megabytes: f64::NAN };
        Some((outcome, r["solver"].as_str().map_or(String::new(), |s| format!(", {s}"))))
    };
    let runs = report["runs"].as_array()?.iter().filter_map(run);
    runs.min_by(|a, b| a.0.error.total_cmp(&b.0.error))
}
