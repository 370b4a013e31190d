//! Rows of other programs: support vector machines and k-means of scikit-learn on the very splits of protea's rows.

use crate::args::bench;
use crate::job::Definition;
use crate::measure::Outcome;
use anyhow::{Context, Result, bail};
use protea::eval::Protocol;
use protea::{Dataset, Error, Values};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const PREFIX: &str = "sklearn:";

#[derive(Deserialize)]
struct Answer {
    error: f64,
    fit_seconds: f64,
    micros_per_query: f64,
}

/// Whether a method is another program's.
pub fn is_peer(method: &str) -> bool {
    method.starts_with(PREFIX)
}

/// Settings by which the libraries under NumPy and scikit-learn are told how many threads to use.
const THREADS: [&str; 3] = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"];

/// Asks `bench/peers_sklearn.py`, one process for all splits, on as many threads as are given, or as it likes.
pub fn run(
    definition: &Definition,
    protocol: &Protocol<f32>,
    seed: u64,
    python: Option<&Path>,
    threads: Option<usize>,
) -> Result<Outcome> {
    let Some(python) = python else { bail!("{} needs --python", definition.method) };
    let learner = definition.method.strip_prefix(PREFIX).unwrap_or_default();
    let mut script = Command::new(python);
    script
        .arg(bench().join("peers_sklearn.py"))
        .arg(learner)
        .arg(serde_json::to_string(&definition.settings)?);
    if let Some(threads) = threads.map(|n| n.to_string()) {
        script.arg(&threads).envs(THREADS.map(|name| (name, threads.as_str())));
    }
    let mut child = script
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} cannot be started", python.display()))?;
    let mut input = child.stdin.take().context("a pipe was asked for")?;
    // The script answers after the last split, so that both sides never wait for each other.
    let sent = protocol.each(seed, |train, test| {
        let split = json!({ "train": samples(train), "test": samples(test) });
        writeln!(input, "{split}").map_err(|e| Error::data(format!("peers_sklearn.py does not listen: {e}")))
    });
    drop(input);
    let out = child.wait_with_output()?;
    if !out.status.success() {
        bail!("peers_sklearn.py failed");
    }
    sent?;
    let answers: Vec<Answer> = serde_json::from_slice(&out.stdout).context("peers_sklearn.py")?;
    let n = answers.len() as f64;
    Ok(Outcome {
        errors: answers.iter().map(|a| a.error).collect(),
        fit_seconds: answers.iter().map(|a| a.fit_seconds).sum::<f64>() / n,
        micros_per_query: Some(answers.iter().map(|a| a.micros_per_query).sum::<f64>() / n),
        bytes: None,
        prototypes: None,
        soft_errors: Vec::new(),
        chosen: Values::new(),
    })
}

fn samples(data: &Dataset<f32>) -> Value {
    let rows: Vec<Vec<f32>> = data.x.rows().into_iter().map(|row| row.to_vec()).collect();
    json!({ "x": rows, "y": data.y })
}
