//! `run`: what has no record yet, within a budget; `list`: how much has.

use crate::args::{List, Run, bench};
use crate::experiment::{Experiment, named, read_all};
use crate::job::{Definition, Job, Known};
use crate::measure::Bench;
use crate::record::{self, Records};
use crate::{interrupt, machine, peer, plan};
use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use protea::data::catalog;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs and records.
pub fn run(args: &Run) -> Result<()> {
    let which = &args.which;
    let experiments = named(read_all(&which.experiments)?, &which.names)?;
    let (path, mut records) = open(args.record.as_deref())?;
    let jobs = plan::jobs(&experiments, &which.on, which.seeds, &records, args.again);
    let jobs = possible(jobs, args);
    interrupt::watch()?;
    // This thread works, too: it need not be woken for every small piece that it hands out.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
    let (mut bench, start) = (Bench::new(args.data_dir.clone(), args.python.clone()), Instant::now());
    let bar = bar(jobs.len());
    let (mut done, mut failed, mut late) = (0, 0, 0);
    for (k, job) in jobs.iter().enumerate() {
        let left = args.budget.map(|b| b.saturating_sub(start.elapsed()));
        let cost = plan::seconds(&job.definition, &records);
        if left.is_some_and(|left| cost > left.as_secs_f64()) {
            late += 1;
            continue;
        }
        bar.set_position(k as u64);
        bar.set_prefix(left.map_or(String::new(), |l| format!("{} left", minutes(l))));
        match bench.run(job, &bar) {
            Ok(line) => {
                record::append(&path, &line)?;
                let error = 100.0 * line.error();
                let what = format!("{}, seed {}", job.definition.title(), job.seed);
                say(
                    &bar,
                    &format!("{}/{}  {what}: {error:.2} % in {:.1} s", k + 1, jobs.len(), line.seconds),
                );
                records.add(line);
                done += 1;
            }
            Err(_) if interrupt::interrupted() => break,
            Err(e) => {
                say(&bar, &format!("{}, seed {}: failed: {e:#}", job.definition.title(), job.seed));
                failed += 1;
            }
        }
    }
    bar.finish_and_clear();
    let mut summary = format!("{done} done in {}", minutes(start.elapsed()));
    if late > 0 {
        summary += &format!(", {late} left for a larger budget");
    }
    if interrupt::interrupted() {
        summary += ", interrupted: the next run goes on from here";
    }
    println!("{summary}");
    ensure!(failed == 0, "{failed} of {} jobs failed", jobs.len());
    Ok(())
}

/// Lists experiments.
pub fn list(args: &List) -> Result<()> {
    let which = &args.which;
    let experiments = named(read_all(&which.experiments)?, &which.names)?;
    let (_, records) = open(args.record.as_deref())?;
    let count = |e: &Experiment, records: &Records| {
        plan::jobs(std::slice::from_ref(e), &which.on, which.seeds, records, false).len()
    };
    let mut out = std::io::stdout().lock();
    for e in &experiments {
        let all = count(e, &Records::default());
        writeln!(
            out,
            "{:<18} {:>4} of {all:>4} jobs recorded  {}",
            e.name,
            all - count(e, &records),
            e.title
        )?;
    }
    Ok(())
}

/// The file to append to, and what is recorded: in that file where one is named, else on this machine.
fn open(named: Option<&Path>) -> Result<(PathBuf, Records)> {
    if let Some(path) = named {
        return Ok((path.into(), Records::read(&[path.into()])?));
    }
    let path = machine::record_path(bench().join("record"), "jsonl");
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok((path, Records::read(&record::files(&folder))?))
}

/// Jobs whose data, method and program are there; says once what is not, and how many jobs that leaves out.
fn possible(jobs: Vec<Job>, args: &Run) -> Vec<Job> {
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    let possible = jobs.into_iter().filter(|job| {
        let d = &job.definition;
        let data = found.entry(d.data.clone()).or_insert_with(|| data_lack(d, args.data_dir.as_deref()));
        let lack = data.clone().or_else(|| program_lack(d, args.python.is_some()));
        let there = lack.is_none();
        lack.into_iter().for_each(|what| *missing.entry(what).or_default() += 1);
        there
    });
    let possible = possible.collect();
    for (what, n) in missing {
        println!("left out, {n} jobs: {what}");
    }
    possible
}

/// Why the data cannot be read, where they cannot.
fn data_lack(d: &Definition, data_dir: Option<&Path>) -> Option<String> {
    d.set()?;
    catalog::available(&d.data, data_dir).err().map(|e| e.to_string())
}

fn program_lack(d: &Definition, python: bool) -> Option<String> {
    if peer::is_peer(&d.method) && !python {
        return Some(format!("{} needs --python, see bench/README.md", d.method));
    }
    matches!(d.check(), Ok(Known::NoMethod)).then(|| format!("this build has no method {}", d.method))
}

fn bar(jobs: usize) -> ProgressBar {
    let bar = ProgressBar::new(jobs as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {prefix} {elapsed} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// A line that stays, above the bar.
fn say(bar: &ProgressBar, line: &str) {
    bar.suspend(|| println!("{line}"));
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02} min", seconds / 60, seconds % 60)
}
