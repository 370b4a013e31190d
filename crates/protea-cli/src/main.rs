//! The protea command line: parse, dispatch, exit code.
//!
//! Results go to standard output, progress and complaints to standard error. Exit codes: 0, 1 (failed, with a
//! reason), 2 (usage), 130 (interrupted).

mod args;
mod calibrate;
mod compare;
mod costs;
mod demo;
mod describe;
mod diff;
mod eval;
mod export;
mod export_check;
mod fit;
mod hints;
mod input;
mod inspect;
mod kept;
mod measures;
mod methods;
mod open;
mod output;
mod parts;
mod plot;
mod predict;
mod progress;
mod raster;
mod reading;
mod report;
mod represent;
mod rows;
mod settings;
mod signals;
mod transform;
mod update;
mod usage;

use anyhow::Context;
use args::{Cli, Command, Common};
use clap::{CommandFactory, Parser};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;
use std::sync::Mutex;

/// Runs `$body` with the type `$F` that a [`reading::Precision`] names.
macro_rules! with_float {
    ($precision:expr, $F:ident => $body:expr) => {
        match $precision {
            $crate::reading::Precision::F32 => {
                type $F = f32;
                $body
            }
            $crate::reading::Precision::F64 => {
                type $F = f64;
                $body
            }
        }
    };
}
pub(crate) use with_float;

fn main() -> ExitCode {
    if std::env::args_os().len() <= 1 {
        let help = Cli::command().render_help().to_string();
        return exit_code(output::print(&help).map_err(Into::into));
    }
    let cli = Cli::try_parse().unwrap_or_else(|error| usage::refuse(error));
    without_panics(|| exit_code(run(&cli)))
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let common = &cli.common;
    signals::watch()?;
    set_threads(common)?;
    match &cli.command {
        Command::Fit(args) => with_float!(fit::precision(args)?, F => fit::run::<F>(args, common)),
        Command::Predict(args) => predict::run(args, common),
        Command::Eval(args) => eval::run(args, common),
        Command::Calibrate(args) => calibrate::run(args, common),
        Command::Report(args) => report::run(args, common),
        Command::Plot(args) => plot::run(args, common),
        Command::Compare(args) => with_float!(args.data.precision, F => compare::run::<F>(args, common)),
        Command::Export(args) => export::run(args, common),
        Command::Diff(args) => diff::run(args, common),
        Command::Inspect(args) => inspect::run(args, common),
        Command::Represent(args) => represent::run(args, common),
        Command::Transform(args) => transform::run(args, common),
        Command::Describe(args) => with_float!(args.data.precision, F => describe::run::<F>(args, common)),
        Command::Methods(args) => methods::run(args, common),
        Command::Demo(args) => demo::run(args, common),
        Command::Completions { shell } => completions(*shell),
    }
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "protea", &mut script);
    Ok(output::print_bytes(&script)?)
}

/// Threads that may be asked for on any machine; those with more than a quarter of these cores take more.
const MOST_THREADS: usize = 64;

/// Starts the threads, this one among them: work that it hands to others while it sleeps would start late, and training hands
/// out thousands of small pieces.
fn set_threads(common: &Common) -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = MOST_THREADS.max(4 * cores);
    let n = common.threads.unwrap_or(0);
    if n > most {
        complain("warning", &format!("{n} threads are more than {cores} cores can use; {most} were started"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n.min(most)).use_current_thread();
    pool.build_global().context("the threads could not be started")
}

/// Prints the error, if any, in one line; a closed pipe is none.
fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if is_closed_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    if error.is::<signals::Interrupted>() {
        return ExitCode::from(signals::EXIT_CODE);
    }
    complain("error", &hints::sentence(&error));
    use protea::Error::{Setting, UnknownName, UnknownSetting, UnusedSetting};
    match error.downcast_ref() {
        Some(Setting { .. } | UnknownName { .. } | UnknownSetting { .. } | UnusedSetting { .. }) => {
            ExitCode::from(2)
        }
        _ => ExitCode::from(1),
    }
}

/// Whether nobody reads the output any more; writers of CSV and JSON wrap that in errors of their own.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| {
        let plain = e.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        let json = e.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        let csv = match e.downcast_ref::<csv::Error>().map(csv::Error::kind) {
            Some(csv::ErrorKind::Io(e)) => Some(e.kind()),
            _ => None,
        };
        plain.or(json).or(csv) == Some(ErrorKind::BrokenPipe)
    })
}

/// One line on standard error, whatever the message holds.
pub(crate) fn complain(kind: &str, message: &str) {
    use std::io::Write;
    let line = message.replace(['\n', '\r', '\t'], " ");
    let line = output::shown(&line);
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{kind}: {line}");
}

/// Runs `f`; a panic that reaches this point is a bug of protea and is called one. The library catches those of the
/// Parquet reader on damaged files, so the hook itself stays silent.
fn without_panics(f: impl FnOnce() -> ExitCode) -> ExitCode {
    static LAST: Mutex<String> = Mutex::new(String::new());
    set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST.lock() {
            *last = panic.to_string();
        }
    }));
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| {
        let last = LAST.lock().map(|l| l.clone()).unwrap_or_default();
        complain("error", &format!("this is a bug in protea, please report it: {last}"));
        ExitCode::from(1)
    })
}
