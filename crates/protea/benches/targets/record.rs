//! Rows of the table, and the dated record with command, commit and machine.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

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

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().ok();
    out.map_or("unknown".into(), |o| String::from_utf8_lossy(&o.stdout).trim().to_string())
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|(_, m)| m.trim().to_string()));
    format!(
        "{}, {} cores",
        model.unwrap_or("unknown processor".into()),
        std::thread::available_parallelism().map_or(1, usize::from)
    )
}

/// `bench/record/<machine>/<date>.json` of this repository.
pub fn default_path() -> PathBuf {
    let name: Vec<String> = machine()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(String::from)
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/record").join(name.join("-"));
    folder.join(output("date", &["-u", "+%Y-%m-%d"]) + ".json")
}

/// Writes the record as JSON.
pub fn write(path: &Path, command: &str, rows: &[Row]) -> std::io::Result<()> {
    let dirty =
        if output("git", &["status", "--porcelain", "--untracked-files=no"]).is_empty() { "" } else { "+" };
    let record = Record {
        date: output("date", &["-u", "+%Y-%m-%dT%H:%MZ"]),
        command: command.into(),
        commit: output("git", &["rev-parse", "--short=12", "HEAD"]) + dirty,
        machine: machine(),
        threads: rayon::current_num_threads(),
        rows,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, serde_json::to_string_pretty(&record).map_err(std::io::Error::other)? + "\n")
}
