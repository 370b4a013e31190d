//! Rows of the table, and the dated record with command, commit and machine.

use crate::machine;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// One measured figure beside what it is compared with.
#[derive(Debug, Serialize)]
pub struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    /// The figure it must reach; at most this for times and errors, at least this for ratios.
    target: f64,
    at_most: bool,
    /// Where the figure comes from.
    detail: String,
}

impl Row {
    /// A figure that should be at least `target`; printed at once.
    pub fn at_least(what: &str, value: f64, unit: &'static str, target: f64, detail: String) -> Row {
        Row { what: what.into(), value, unit, target, at_most: false, detail }.print()
    }

    /// A figure that should be at most `target`; printed at once.
    pub fn at_most(what: &str, value: f64, unit: &'static str, target: f64, detail: String) -> Row {
        Row { what: what.into(), value, unit, target, at_most: true, detail }.print()
    }

    /// Whether the target is reached.
    pub fn met(&self) -> bool {
        if self.at_most { self.value <= self.target } else { self.value >= self.target }
    }

    fn print(self) -> Row {
        let Row { what, value, unit, target, detail, .. } = &self;
        let sign = if self.at_most { "≤" } else { "≥" };
        let verdict = if self.met() { "met" } else { "MISSED" };
        println!("{what:<44} {value:>8.2} {unit:<10} {sign} {target:<6} {verdict:<7} {detail}");
        self
    }
}

#[derive(Serialize)]
struct Record<'a> {
    date: String,
    command: String,
    commit: String,
    machine: String,
    threads: usize,
    rows: &'a [Row],
}

/// `bench/record/<machine>/<date>.json` of this repository.
pub fn default_path() -> PathBuf {
    machine::record_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/record"), "json")
}

/// Writes the record as JSON.
pub fn write(path: &Path, command: &str, rows: &[Row]) -> std::io::Result<()> {
    let record = Record {
        date: machine::date(),
        command: command.into(),
        commit: machine::commit(),
        machine: machine::machine(),
        threads: rayon::current_num_threads(),
        rows,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, serde_json::to_string_pretty(&record).map_err(std::io::Error::other)? + "\n")
}
