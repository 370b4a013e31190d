//! The papers' tables out of one command: experiments as data, dated records, and the page made from them.
//!
//! ```text
//! cargo run --release -p protea-bench -- run npc/table1 dmpl --data-dir DIR --budget 30m
//! cargo run --release -p protea-bench -- list
//! cargo run --release -p protea-bench -- page
//! ```
//! An experiment is a file `bench/experiments/<paper>/<table>.toml` (see [`experiment`]). A job is one definition (data,
//! method, settings) under one seed; what it gave is one line of `bench/record/<machine>/<date>.jsonl`, and a job with a
//! line is not run again. Exit codes: 0, 1 (failed, with a reason), 2 (usage).

mod args;
mod busy;
mod experiment;
mod grid;
mod interrupt;
mod job;
mod machine;
mod measure;
mod metrics;
mod page;
mod peer;
mod plan;
mod queue;
mod record;
mod run;
mod stats;
mod table;
mod toy;

use args::{Cli, Command};
use clap::Parser;
use std::io::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Run(args) => run::run(args),
        Command::List(args) => run::list(args),
        Command::Page(args) => page::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::from(1)
        }
    }
}
