//! Speed and accuracy against limits and peers, all measured in one run.
//!
//! ```text
//! cargo bench -p protea -- [--data-dir DIR] [--python PYTHON] [--only kernels|fits] [--record FILE]
//! ```
//! `--data-dir` (or `PROTEA_DATA`) is the folder with USPS and MNIST; without it their rows are left out and the output says
//! so. `--python` (or `PROTEA_PYTHON`) is an interpreter with NumPy and scikit-learn, for the peers. Every run prints a table
//! and writes it with command, commit and machine: to `bench/record/<machine>/<date>.json`, or where `--record` says. A run
//! of a part (`--only`) is recorded only where `--record` says.

mod fits;
mod kernels;
mod peak;
mod record;

use record::Row;
use std::path::PathBuf;

/// What the command line asks for.
pub struct Options {
    data_dir: Option<PathBuf>,
    python: Option<PathBuf>,
    only: Option<String>,
    record: Option<PathBuf>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, rest @ ..] = &args[..]
        && flag == "--one-fit"
    {
        return fits::child(rest);
    }
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1)).cloned();
    let path = |flag: &str, env: &str| value(flag).or_else(|| std::env::var(env).ok()).map(PathBuf::from);
    let options = Options {
        data_dir: path("--data-dir", "PROTEA_DATA"),
        python: path("--python", "PROTEA_PYTHON"),
        only: value("--only"),
        record: value("--record").map(PathBuf::from),
    };
    let wanted = |part: &str| options.only.as_deref().is_none_or(|o| o == part);
    let mut rows: Vec<Row> = Vec::new();
    if wanted("kernels") {
        kernels::run(&options, &mut rows);
    }
    if wanted("fits") {
        fits::run(&options, &mut rows);
    }
    let missed = rows.iter().filter(|r| !r.met()).count();
    println!("\n{} rows, {missed} missed", rows.len());
    let path = options.record.or_else(|| options.only.is_none().then(record::default_path));
    if let Some(path) = path {
        match record::write(&path, &rows) {
            Ok(()) => println!("recorded in {}", path.display()),
            Err(e) => eprintln!("{}: {e}", path.display()),
        }
    }
}
