//! The methods beside NPC: speed against Python packages.

use crate::Options;
use crate::child::{Job, Outcome};
use crate::fits::is_there;
use crate::peers::ask;
use crate::record::Row;
use serde_json::Value;

/// Seconds below which a fit is measured three times; peers_lvq.py has the same number.
const SHORT: f64 = 5.0;

/// Measures all.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    println!();
    gmlvq(options, rows);
    lmnn(options, rows);
}

/// GMLVQ against sklvq with its default of one prototype per class, under its default solver and under the one that serves it
/// best. Features are standardised beforehand for sklvq; five epochs are enough for protea to be below its error.
fn gmlvq(options: &Options, rows: &mut Vec<Row>) {
    let settings = &[("per-class", "1"), ("scale", "standard"), ("epochs", "5")];
    let job = Job { method: "gmlvq", data: "letter", settings, seed: 0 };
    against("GMLVQ, Letter, 1 per class, 5 epochs", "sklvq", &job, &["gmlvq"], 10.0, options, rows);
}

/// LMNN against metric-learn, both with three targets and three votes. metric-learn is stopped long before its end, so that
/// its time is a lower bound and its error an upper one.
fn lmnn(options: &Options, rows: &mut Vec<Row>) {
    let job = Job { method: "lmnn", data: "letter", settings: &[("rule", "3-np")], seed: 0 };
    let args = ["lmnn", "--iterations", "150"];
    against("LMNN, Letter, 3-NN", "metric-learn, 150 iterations", &job, &args, 20.0, options, rows);
}

/// Rows of speed and error of a job against every run of a peer.
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
    let Some(ours) = quickest(job, options) else { return };
    eprintln!("  {title}: {:.2} % in {:.2} s; now {peer}", ours.error, ours.seconds);
    let Some(report) = ask(options.python_old.as_ref(), "--python-old", "peers_lvq.py", args) else { return };
    let theirs = runs(&report);
    if theirs.is_empty() {
        println!("{title}: left out: no run of {peer} succeeded");
    }
    for (error, seconds, how) in theirs {
        let detail = format!("{:.2} s against {seconds:.2} s of {peer}{how}", ours.seconds);
        let title = format!("{title}, against {peer}{how}");
        rows.push(Row::at_least(&format!("{title}, fit"), seconds / ours.seconds, "× peer", target, detail));
        let detail = "at most that of the peer".into();
        rows.push(Row::at_most(&format!("{title}, error"), ours.error, "%", error, detail));
    }
}

/// The job; short ones three times, of which the quickest counts, as for the peers.
fn quickest(job: &Job, options: &Options) -> Option<Outcome> {
    let first = job.run(options)?;
    let more = if first.seconds < SHORT { 2 } else { 0 };
    let all = std::iter::once(first).chain((0..more).filter_map(|_| job.run(options)));
    all.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

/// Error, seconds and solver, where it names one, of the runs that succeeded.
fn runs(report: &Value) -> Vec<(f64, f64, String)> {
    let run = |r: &Value| {
        let solver = r["solver"].as_str().map_or(String::new(), |s| format!(", {s}"));
        Some((r["error"].as_f64()?, r["seconds"].as_f64()?, solver))
    };
    report["runs"].as_array().map_or(Vec::new(), |runs| runs.iter().filter_map(run).collect())
}
