//! Records: one line of JSON for each finished job and for each whole run, complete in itself.
//!
//! A line is appended in one write after the job has ended, so that a killed run loses the running job and nothing else; a line
//! that was cut off all the same is skipped and the job run again.

use crate::job::{Definition, Job};
use anyhow::{Context, Result};
use protea::Values;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Share of the machine's time used by others up to which times are worth showing.
pub const QUIET: f64 = 0.1;

/// What a job gave.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    /// When it ended.
    pub date: String,
    /// From which source, with a `+` where it was changed since.
    pub commit: String,
    /// Where.
    pub machine: String,
    /// Threads.
    pub threads: usize,
    /// Jobs of the run beside each other, this one included; lines of one at a time do not say it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub jobs: usize,
    /// Load of the machine over the last minute, at the end.
    pub load: Option<f64>,
    /// Share of the machine's time that others used meanwhile.
    pub others: Option<f64>,
    /// What was run.
    #[serde(flatten)]
    pub definition: Definition,
    /// Under which seed.
    pub seed: u64,
    /// Test errors, one for each fold.
    pub errors: Vec<f64>,
    /// Seconds of the whole job, reading included.
    pub seconds: f64,
    /// Mean seconds of a fit.
    pub fit_seconds: f64,
    /// Mean microseconds of a query; none where another program does not tell.
    pub micros_per_query: Option<f64>,
    /// Mean size of the model.
    pub bytes: Option<f64>,
    /// Mean number of prototypes.
    pub prototypes: Option<f64>,
    /// Errors of the soft rule, in the order of the definition's γ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub soft_errors: Vec<f64>,
    /// Settings that the method chose itself, in the last fold.
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub chosen: Values,
}

impl Line {
    /// Mean error over the folds.
    pub fn error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len() as f64
    }

    /// Whether its times are worth showing: it had the machine to itself. The kernel counts in hundredths of a second, too coarse for short jobs, so that
    /// the load must be explained by this program's threads, too.
    pub fn is_quiet(&self) -> bool {
        let own = self.threads as f64 + 1.0;
        let alone = self.jobs == 1 && self.others.is_some_and(|share| share <= QUIET);
        alone && self.load.is_none_or(|load| load <= own)
    }
}

fn one() -> usize {
    1
}

fn is_one(jobs: &usize) -> bool {
    *jobs == 1
}

/// How long a run took that did all its jobs, whether they had a line or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Whole {
    /// When it ended.
    pub date: String,
    /// From which source.
    pub commit: String,
    /// Where.
    pub machine: String,
    /// What was asked for.
    pub run: String,
    /// Jobs.
    pub done: usize,
    /// Jobs beside each other.
    pub jobs: usize,
    /// Share of the machine's time that others used meanwhile.
    pub others: Option<f64>,
    /// Seconds from the first job's start to the last one's end.
    pub seconds: f64,
}

/// A line as it stands in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Job(Box<Line>),
    Run(Whole),
}

/// All lines, the newest of each job and of each whole run with as many jobs beside each other on the same machine.
#[derive(Debug, Default)]
pub struct Records {
    jobs: BTreeMap<(String, u64), Line>,
    runs: BTreeMap<(String, String, usize), Whole>,
}

impl Records {
    /// Reads files, in the order of time: a later line of a job replaces the earlier one.
    pub fn read(paths: &[PathBuf]) -> Result<Records> {
        let mut records = Records::default();
        for path in paths {
            let text = match std::fs::read_to_string(path) {
                Ok(text) => text,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => return Err(e).with_context(|| format!("{}: cannot be read", path.display())),
            };
            for (k, line) in text.lines().enumerate() {
                match serde_json::from_str(line) {
                    Ok(Entry::Job(line)) => records.add(*line),
                    Ok(Entry::Run(run)) => records.add_run(run),
                    Err(_) => eprintln!("{}, line {}: not a record, left out", path.display(), k + 1),
                }
            }
        }
        Ok(records)
    }

    /// Adds a line. One that says the same again, but no times, leaves those that are known.
    pub fn add(&mut self, line: Line) {
        let job = (line.definition.identity(), line.seed);
        let repeats = |old: &Line| old.is_quiet() && !line.is_quiet() && old.errors == line.errors;
        if !self.jobs.get(&job).is_some_and(repeats) {
            self.jobs.insert(job, line);
        }
    }

    /// Adds a whole run.
    pub fn add_run(&mut self, run: Whole) {
        self.runs.insert((run.run.clone(), run.machine.clone(), run.jobs), run);
    }

    /// What a job gave.
    pub fn of(&self, job: &Job) -> Option<&Line> {
        self.jobs.get(&(job.definition.identity(), job.seed))
    }

    /// What a definition gave, in the order of seeds.
    pub fn all_of(&self, definition: &Definition) -> Vec<&Line> {
        let key = definition.identity();
        self.jobs.range((key.clone(), 0)..=(key, u64::MAX)).map(|(_, line)| line).collect()
    }

    /// Every line.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.jobs.values()
    }

    /// Every whole run.
    pub fn runs(&self) -> impl Iterator<Item = &Whole> {
        self.runs.values()
    }
}

/// Files of records in a folder or of one machine, oldest first.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    // By date, whatever the machine.
    found.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    found
}

/// Appends a line; ends a line that was cut off before.
pub fn append(path: &Path, line: &impl Serialize) -> Result<()> {
    let write = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let mut text = serde_json::to_string(line).map_err(std::io::Error::other)? + "\n";
        if !ends_with_newline(&mut file)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())?;
        file.sync_data()
    };
    write().with_context(|| format!("{}: cannot be written", path.display()))
}

fn ends_with_newline(file: &mut File) -> std::io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn line(definition: &Definition, seed: u64, errors: &[f64]) -> Line {
        Line {
            date: "2026-11-16T00:00Z".into(),
            commit: "0123456789ab".into(),
            machine: "a machine, 2 cores".into(),
            threads: 2,
            jobs: 1,
            load: None,
            others: Some(0.01),
            definition: definition.clone(),
            seed,
            errors: errors.to_vec(),
            seconds: 2.0,
            fit_seconds: 1.0,
            micros_per_query: Some(3.0),
            bytes: Some(1000.0),
            prototypes: Some(6.0),
            soft_errors: Vec::new(),
            chosen: Values::new(),
        }
    }

    pub(crate) fn definition(per_class: &str) -> Definition {
        let settings = [("per-class".to_string(), per_class.to_string())].into();
        Definition { data: "wine".into(), folds: Some(5), method: "npc".into(), settings, soft: Vec::new() }
    }

    #[test]
    fn a_line_beside_others_is_not_quiet_and_one_alone_reads_as_before() {
        let alone = line(&definition("1"), 0, &[0.1]);
        let text = serde_json::to_string(&alone).unwrap();
        assert!(alone.is_quiet() && !text.contains("jobs"), "{text}");
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap().jobs, 1);
        let beside = serde_json::to_string(&Line { jobs: 2, ..alone }).unwrap();
        let beside: Line = serde_json::from_str(&beside).unwrap();
        assert!(beside.jobs == 2 && !beside.is_quiet());
    }

    pub(crate) fn whole(run: &str, seconds: f64) -> Whole {
        let Line { date, commit, machine, jobs, others, .. } = line(&definition("1"), 0, &[0.1]);
        Whole { date, commit, machine, run: run.into(), done: 12, jobs, others, seconds }
    }

    #[test]
    fn times_stay_until_another_result_or_a_quiet_machine_replaces_them() {
        let quiet = line(&definition("1"), 0, &[0.1]);
        let busy = Line { others: Some(0.5), fit_seconds: 9.0, ..quiet.clone() };
        let fit_seconds = |lines: &[&Line]| {
            let mut records = Records::default();
            lines.iter().for_each(|line| records.add((*line).clone()));
            records.all_of(&quiet.definition)[0].fit_seconds
        };
        let (faster, other) =
            (Line { fit_seconds: 0.5, ..quiet.clone() }, Line { errors: vec![0.2], ..busy.clone() });
        assert_eq!(fit_seconds(&[&quiet, &busy]), 1.0);
        assert_eq!(fit_seconds(&[&quiet, &busy, &faster]), 0.5);
        assert_eq!(fit_seconds(&[&quiet, &other]), 9.0);
    }

    #[test]
    fn whole_runs_stand_beside_jobs_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("2026-01-02.jsonl");
        append(&path, &whole("npc", 70.0)).unwrap();
        append(&path, &line(&definition("1"), 0, &[0.5])).unwrap();
        append(&path, &whole("npc", 60.0)).unwrap();
        append(&path, &Whole { jobs: 2, ..whole("npc", 40.0) }).unwrap();
        let records = Records::read(&[path]).unwrap();
        assert_eq!(records.lines().count(), 1);
        assert_eq!(records.runs().map(|r| (r.jobs, r.seconds)).collect::<Vec<_>>(), [(1, 60.0), (2, 40.0)]);
    }

    #[test]
    fn lines_come_back_the_newest_counts_and_a_cut_one_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m/2026-01-02.jsonl");
        let (a, b) = (definition("1"), definition("2"));
        append(&path, &line(&a, 0, &[0.5, 0.1])).unwrap();
        append(&path, &line(&a, 1, &[0.2])).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"date\": \"20").unwrap();
        append(&path, &line(&a, 0, &[0.3])).unwrap();
        assert_eq!(files(folder.path()), std::slice::from_ref(&path));
        let records = Records::read(&[path, folder.path().join("none.jsonl")]).unwrap();
        let errors: Vec<f64> = records.all_of(&a).iter().map(|l| l.error()).collect();
        assert_eq!(errors, [0.3, 0.2]);
        assert!(records.all_of(&b).is_empty() && records.of(&Job { definition: a, seed: 2 }).is_none());
    }
}
