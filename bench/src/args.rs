//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tables of the papers, out of one command.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run what has no record yet, the cheapest first.
    Run(Run),
    /// List experiments, and how much of each has a record.
    List(List),
    /// Write the page of results from the records.
    Page(Page),
}

/// Which experiments.
#[derive(Debug, Args)]
pub struct Which {
    /// Experiments like npc/table1, or papers like npc; all without.
    pub names: Vec<String>,
    /// Folder of experiments.
    #[arg(long, value_name = "DIR", default_value_os_t = bench().join("experiments"))]
    pub experiments: PathBuf,
    /// Only cells on these data sets.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    pub on: Vec<String>,
    /// Seeds 0, 1, … of every cell; without, as many as the experiment asks for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: Option<u64>,
}

impl Which {
    /// As on the command line.
    pub fn show(&self) -> String {
        let on = (!self.on.is_empty()).then(|| format!("--on {}", self.on.join(",")));
        let seeds = self.seeds.map(|n| format!("--seeds {n}"));
        self.names.iter().cloned().chain(on).chain(seeds).collect::<Vec<_>>().join(" ")
    }
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Which experiments.
    #[command(flatten)]
    pub which: Which,
    /// Folder with the data sets that do not ship with protea.
    #[arg(long, value_name = "DIR", env = "PROTEA_DATA")]
    pub data_dir: Option<PathBuf>,
    /// Start only what should end within this time: 90s, 30m, 3h.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// Run this many jobs beside each other, each on its share of the threads; times of such records are not shown.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Read and append to this file instead of the records of this machine.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Interpreter with scikit-learn, for the rows of other programs.
    #[arg(long, value_name = "PYTHON", env = "PROTEA_PYTHON")]
    pub python: Option<PathBuf>,
    /// Run also what has a record; the newest counts.
    #[arg(long)]
    pub again: bool,
}

/// Options of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// Which experiments.
    #[command(flatten)]
    pub which: Which,
    /// Look into this file instead of the records of this machine.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// Options of `page`.
#[derive(Debug, Args)]
pub struct Page {
    /// Folder of experiments.
    #[arg(long, value_name = "DIR", default_value_os_t = bench().join("experiments"))]
    pub experiments: PathBuf,
    /// Where to write.
    #[arg(short, long, value_name = "FILE", default_value_os_t = bench().join("../docs/results.md"))]
    pub output: PathBuf,
    /// Take this file instead of the records of all machines.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// The folder `bench` of this repository.
pub fn bench() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads `90s`, `30m` or `3h`.
pub fn time(text: &str) -> Result<Duration, String> {
    let unit = |c: char| match c {
        's' => Some(1.0),
        'm' => Some(60.0),
        'h' => Some(3600.0),
        _ => None,
    };
    let seconds = text.chars().last().and_then(unit).and_then(|unit| {
        let number: f64 = text[..text.len() - 1].trim().parse().ok()?;
        (number > 0.0 && number < 1e6).then_some(number * unit)
    });
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected a time like 90s, 30m or 3h".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_times_are_read() {
        Cli::command().debug_assert();
        let line = ["protea-bench", "run", "npc", "--seeds", "1", "--on", "wine,glass"];
        let Command::Run(run) = Cli::parse_from(line).command else { panic!("not run") };
        assert_eq!(run.which.show(), "npc --on wine,glass --seeds 1");
        assert_eq!(time("30m"), Ok(Duration::from_secs(1800)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        for bad in ["", "30", "m", "-1s", "0s", "infh", "3µ"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
