//! The methods beside NPC: speed against Python packages.

use crate::Options;
use crate::child::{Job, Outcome};
use crate::fits::is_there;
use crate::peers::ask;
use crate::record::Row;
use serde_json::Value;

/// Measures all.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    println!();
    gmlvq(options, rows);
    lmnn(options, rows);
}

/// GMLVQ against sklvq with its default of one prototype per class, at the solver that serves sklvq best. Features are
/// standardised beforehand for sklvq; ten epochs are enough for protea to be below its error.
fn gmlvq(options: &Options, rows: &mut Vec<Row>) {
    let settings = &[("per-class", "1"), ("scale", "standard"), ("epochs", "10")];
    let job = Job { method: "gmlvq", data: "letter", settings, seed: 0 };
    against("GMLVQ, Letter, 1 per class, 10 epochs", "sklvq", &job, &["gmlvq"], 10.0, options, rows);
}

/// LMNN against metric-learn, both with three targets and three votes. metric-learn is stopped long before its end, so that
/// its time is a lower bound and its error an upper one.
fn lmnn(options: &Options, rows: &mut Vec<Row>) {
    let job = Job { method: "lmnn", data: "letter", settings: &[("rule", "3-np")], seed: 0 };
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
