//! `run`: what has no record yet, within a budget; `list`: how much has.

use crate::args::{List, Run, bench};
use crate::busy::Busy;
use crate::experiment::{Experiment, check_sets, named, read_all};
use crate::job::{Definition, Job, Known};
use crate::measure::Bench;
use crate::queue::Queue;
use crate::record::{self, Records, Whole};
use crate::{interrupt, machine, peer, plan};
use anyhow::{Result, ensure};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use protea::catalog;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs and records.
pub fn run(args: &Run) -> Result<()> {
    let which = &args.which;
    let experiments = named(read_all(&which.experiments)?, &which.names)?;
    check_sets(&experiments, &which.on)?;
    let (path, records) = open(args.record.as_deref())?;
    // This thread works, too: it need not be woken for every small piece that it hands out.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
    let threads = rayon::current_num_threads();
    let jobs = plan::jobs(&experiments, &which.on, which.seeds, &records, args.again, threads);
    let asked = jobs.len();
    let mut jobs = possible(jobs, args);
    let (total, beside) = (jobs.len(), usize::from(args.jobs).min(jobs.len()).max(1));
    let threads = (threads / beside).max(1);
    if beside > 1 && args.budget.is_none() {
        plan::longest_first(&mut jobs);
    }
    announce(&jobs, &records, beside, threads);
    interrupt::watch()?;
    let bench = Bench::new(args.data_dir.clone(), args.python.clone(), beside);
    let (start, load, bars) = (Instant::now(), Busy::now(), Bars::new(total, beside));
    let queue = Queue::new(jobs, records, path.clone(), args.budget, threads);
    let work = |pool: Option<&ThreadPool>, bar: &ProgressBar| -> Result<()> {
        while let Some(taken) = queue.next(&bench.metrics) {
            bars.total.set_position(taken.before as u64);
            bars.total.set_prefix(queue.left().map_or(String::new(), |l| format!("{} left", minutes(l))));
            let run = || bench.run(&taken.job, bar);
            let result = pool.map_or_else(run, |pool| pool.install(run));
            let what = format!("{}, seed {}", taken.job.definition.title(), taken.job.seed);
            match result {
                Ok(line) => {
                    let gave = format!("{:.2} % in {:.1} s", 100.0 * line.error(), line.seconds);
                    let k = queue.record(line)?;
                    bars.say(&format!("{k}/{total}  {what}: {gave}"));
                }
                Err(_) if interrupt::interrupted() => break,
                Err(e) => {
                    bars.say(&format!("{what}: failed: {e:#}"));
                    queue.fail();
                }
            }
        }
        Ok(())
    };
    if beside == 1 {
        work(None, &bars.total)?;
    } else {
        side_by_side(beside, threads, &bars, work)?;
    }
    bars.clear();
    let (counts, seconds) = (queue.counts(), start.elapsed().as_secs_f64());
    if args.again && counts.done == asked && asked > 0 {
        let (date, commit, machine) = (machine::date(), bench.commit, machine::machine());
        let (run, others) = (which.show(), load.and_then(Busy::others_since));
        let whole = Whole { date, commit, machine, run, done: asked, jobs: beside, others, seconds };
        record::append(&path, &whole)?;
    }
    let mut summary = format!("{} done in {}", counts.done, minutes(Duration::from_secs_f64(seconds)));
    if beside > 1 {
        summary += &format!(", {beside} beside each other");
    }
    if counts.late > 0 {
        summary += &format!(", {} left for a larger budget", counts.late);
    }
    if interrupt::interrupted() {
        summary += ", interrupted: the next run goes on from here";
    }
    println!("{summary}");
    ensure!(counts.failed == 0, "{} of {total} jobs failed", counts.failed);
    Ok(())
}

/// Runs the work once for each bar, each in a pool of its own.
fn side_by_side(
    beside: usize,
    threads: usize,
    bars: &Bars,
    work: impl Fn(Option<&ThreadPool>, &ProgressBar) -> Result<()> + Sync,
) -> Result<()> {
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = (0..beside).map(|_| pool()).collect::<Result<Vec<ThreadPool>, _>>()?;
    std::thread::scope(|scope| {
        let work = &work;
        let start = |(pool, bar)| scope.spawn(move || work(Some(pool), bar));
        let workers: Vec<_> = pools.iter().zip(&bars.each).map(start).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|e| resume_unwind(e)))
    })
}

/// Says how many jobs there are, and how long they should take as far as records tell.
fn announce(jobs: &[Job], records: &Records, beside: usize, threads: usize) {
    let costs: Vec<f64> =
        jobs.iter().filter_map(|j| plan::recorded(&j.definition, records, threads)).collect();
    let (n, known, longest) = (jobs.len(), costs.len(), costs.iter().copied().fold(0.0, f64::max));
    let seconds = longest.max(costs.iter().sum::<f64>() / beside as f64);
    let time = minutes(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let s = if n == 1 { "" } else { "s" };
    match known {
        0 => println!("{n} job{s} to run"),
        _ if known == n => println!("{n} job{s} to run, in about {time}"),
        _ => println!(
            "{n} jobs to run, {known} of them in about {time}, the others have no records to tell by"
        ),
    }
}

/// Lists experiments.
pub fn list(args: &List) -> Result<()> {
    let which = &args.which;
    let experiments = named(read_all(&which.experiments)?, &which.names)?;
    check_sets(&experiments, &which.on)?;
    let (_, records) = open(args.record.as_deref())?;
    let count = |e: &Experiment, records: &Records| {
        plan::jobs(std::slice::from_ref(e), &which.on, which.seeds, records, false, 1).len()
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

/// How far all is, and below it what each of several jobs beside each other does.
struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    each: Vec<ProgressBar>,
}

impl Bars {
    fn new(total: usize, beside: usize) -> Bars {
        let all = MultiProgress::new();
        let add = |bar: ProgressBar, template: &str| {
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            all.add(bar)
        };
        let bar = add(ProgressBar::new(total as u64), "{bar:24} {pos}/{len} {prefix} {elapsed} {wide_msg}");
        let lines = if beside > 1 { beside } else { 0 };
        let each = (0..lines).map(|_| add(ProgressBar::new_spinner(), "  {wide_msg}")).collect();
        Bars { total: bar, each, all }
    }

    /// A line that stays, above the bars.
    fn say(&self, line: &str) {
        self.all.suspend(|| println!("{line}"));
    }

    fn clear(&self) {
        self.each.iter().for_each(ProgressBar::finish_and_clear);
        self.total.finish_and_clear();
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02} min", seconds / 60, seconds % 60)
}
