//! Where and from what a figure was measured: machine, commit, date, and how busy the machine was with other things.

use std::path::PathBuf;
use std::process::Command;

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().ok();
    out.map_or("unknown".into(), |o| String::from_utf8_lossy(&o.stdout).trim().to_string())
}

/// Processor and number of cores.
pub fn machine() -> String {
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

/// The commit, with a `+` where files other than records have changed since.
pub fn commit() -> String {
    let changed = ["status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)bench/record"];
    let dirty = if output("git", &changed).is_empty() { "" } else { "+" };
    output("git", &["rev-parse", "--short=12", "HEAD"]) + dirty
}

/// Now, to the minute.
pub fn date() -> String {
    output("date", &["-u", "+%Y-%m-%dT%H:%MZ"])
}

/// `<records>/<machine>/<today>.<ending>`.
pub fn record_path(records: PathBuf, ending: &str) -> PathBuf {
    let name: Vec<String> = machine()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(String::from)
        .collect();
    records.join(name.join("-")).join(format!("{}.{ending}", output("date", &["-u", "+%Y-%m-%d"])))
}
