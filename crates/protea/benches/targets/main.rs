//! Speed and accuracy against limits and peers, all measured in one run.
//!
//! ```text
//! cargo bench -p protea -- [--data-dir DIR] [--python PYTHON] [--python-old PYTHON] [--only PART] [--record FILE]
//! ```
//! `--data-dir` (or `PROTEA_DATA`) is the folder with USPS and MNIST; without it their rows are left out and the output says
//! so. `--python` (or `PROTEA_PYTHON`) is an interpreter with NumPy and scikit-learn, `--python-old` (or
//! `PROTEA_PYTHON_OLD`) one with sklvq and metric-learn, for the peers. Parts are `kernels`, `fits`, `methods` and `coding`, the last
//! also in pieces: `coding:table`, `coding:dictionary`, `coding:speed`, `coding:recovery`. Errors beside published figures are
//! `protea-bench`'s. Every run prints a table and writes it with command,
//! commit and machine: to `bench/record/<machine>/<date>.json`, or where `--record` says. A run of a part (`--only`) is
//! recorded only where `--record` says.

mod child;
mod coding;
mod fits;
mod kernels;
#[path = "../../../../bench/src/machine.rs"]
mod machine;
mod methods;
mod peak;
mod peers;
mod record;

use record::Row;
use std::path::PathBuf;

/// What the command line asks for.
pub struct Options {
    data_dir: Option<PathBuf>,
    python: Option<PathBuf>,
    python_old: Option<PathBuf>,
    only: Option<String>,
    record: Option<PathBuf>,
}

impl Options {
    /// The command line with the folders of the machine left out: they say nothing about the result.
    fn command(&self) -> String {
        let given = |flag: &str, path: &Option<PathBuf>| path.as_ref().map(|_| format!(" {flag}"));
        let parts = [
            given("--data-dir DIR", &self.data_dir),
            given("--python PYTHON", &self.python),
            given("--python-old PYTHON", &self.python_old),
            self.only.as_ref().map(|part| format!(" --only {part}")),
        ];
        format!("cargo bench -p protea --{}", parts.into_iter().flatten().collect::<String>())
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, rest @ ..] = &args[..]
        && flag == "--one-fit"
    {
        return child::body(rest);
    }
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1)).cloned();
    let path = |flag: &str, env: &str| value(flag).or_else(|| std::env::var(env).ok()).map(PathBuf::from);
    let options = Options {
        data_dir: path("--data-dir", "PROTEA_DATA"),
        python: path("--python", "PROTEA_PYTHON"),
        python_old: path("--python-old", "PROTEA_PYTHON_OLD"),
        only: value("--only"),
        record: value("--record").map(PathBuf::from),
    };
    let only = options.only.as_deref().map(|o| o.split(':').next().unwrap_or(o));
    let wanted = |part: &str| only.is_none_or(|o| o == part);
    let mut rows: Vec<Row> = Vec::new();
    if wanted("kernels") {
        kernels::run(&options, &mut rows);
    }
    if wanted("fits") {
        fits::run(&options, &mut rows);
    }
    if wanted("methods") {
        methods::run(&options, &mut rows);
    }
    if wanted("coding") {
        coding::run(&options, &mut rows);
    }
    let missed = rows.iter().filter(|r| !r.met()).count();
    println!("\n{} rows, {missed} missed", rows.len());
    let path = options.record.clone().or_else(|| options.only.is_none().then(record::default_path));
    if let Some(path) = path {
        match record::write(&path, &options.command(), &rows) {
            Ok(()) => println!("recorded in {}", path.display()),
            Err(e) => eprintln!("{}: {e}", path.display()),
        }
    }
}
