//! Jobs that wait, and those who run them one at a time each: what to start next, what is recorded, and how far all is.

use crate::job::Job;
use crate::metrics::{self, Metrics};
use crate::record::{self, Line, Records};
use crate::{interrupt, plan};
use anyhow::Result;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Jobs in the order in which they are started.
pub struct Queue {
    state: Mutex<State>,
    /// Told when a job has ended.
    ended: Condvar,
    /// Where lines go.
    path: PathBuf,
    /// When to be ready.
    end: Option<Instant>,
    /// Threads of a job.
    threads: usize,
}

struct State {
    waiting: VecDeque<Job>,
    /// The metric over samples of each running job, where it has one.
    running: Vec<Option<String>>,
    records: Records,
    counts: Counts,
}

/// What became of the jobs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Recorded.
    pub done: usize,
    /// Ended by an error.
    pub failed: usize,
    /// Not started, since they would not have ended in time.
    pub late: usize,
}

/// A job that runs until this is dropped, however it ends.
pub struct Taken<'a> {
    /// The job.
    pub job: Job,
    /// How many were through before.
    pub before: usize,
    metric: Option<String>,
    queue: &'a Queue,
}

impl Queue {
    /// Jobs to be started in this order, each on some threads, within a time where there is one.
    pub fn new(
        jobs: Vec<Job>,
        records: Records,
        path: PathBuf,
        budget: Option<Duration>,
        threads: usize,
    ) -> Self {
        let (running, counts) = (Vec::new(), Counts::default());
        let state = State { waiting: jobs.into(), running, records, counts };
        let end = budget.map(|b| Instant::now() + b);
        Queue { state: Mutex::new(state), ended: Condvar::new(), path, end, threads }
    }

    /// The next job that should end in time; none when there is none or Ctrl-C was pressed. A job whose metric is being learned by
    /// another goes behind those that need not wait for it.
    pub fn next(&self, known: &Metrics) -> Option<Taken<'_>> {
        let mut state = self.lock();
        loop {
            if interrupt::interrupted() {
                return None;
            }
            let mut k = 0;
            while let Some(job) = state.waiting.get(k) {
                let cost = || plan::seconds(&job.definition, &state.records, self.threads);
                if self.left().is_some_and(|left| cost() > left.as_secs_f64()) {
                    state.waiting.remove(k);
                    state.counts.late += 1;
                    continue;
                }
                let metric = metrics::name(job);
                if metric.as_ref().is_some_and(|m| state.running.contains(&metric) && !known.has(m)) {
                    k += 1;
                    continue;
                }
                let before = state.counts.through();
                let job = state.waiting.remove(k)?;
                state.running.push(metric.clone());
                return Some(Taken { job, before, metric, queue: self });
            }
            if state.waiting.is_empty() {
                return None;
            }
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Appends what a job gave to the file, and tells how many are through with it. Where that fails no more jobs are started.
    pub fn record(&self, line: Line) -> Result<usize> {
        let mut state = self.lock();
        if let Err(e) = record::append(&self.path, &line) {
            state.waiting.clear();
            return Err(e);
        }
        state.records.add(line);
        state.counts.done += 1;
        Ok(state.counts.through())
    }

    /// Counts a failure.
    pub fn fail(&self) {
        self.lock().counts.failed += 1;
    }

    /// What became of the jobs so far.
    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    /// Time that is left, where it has an end.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// A panic elsewhere leaves nothing half done in here.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Jobs that neither wait nor run.
    fn through(self) -> usize {
        self.done + self.failed + self.late
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if let Some(k) = state.running.iter().position(|m| *m == self.metric) {
            state.running.remove(k);
        }
        self.queue.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Definition;

    fn job(method: &str, seed: u64) -> Job {
        let data = "letter".into();
        let definition =
            Definition { data, folds: None, method: method.into(), settings: [].into(), soft: Vec::new() };
        Job { definition, seed }
    }

    #[test]
    fn a_job_whose_metric_is_being_learned_lets_others_pass() {
        let jobs = vec![job("lmnn", 0), job("lmnn", 0), job("knn", 0), job("lmnn", 1)];
        let queue = Queue::new(jobs, Records::default(), PathBuf::new(), None, 1);
        let known = Metrics::default();
        let next = || queue.next(&known).unwrap();
        let first = next();
        let others = [next(), next()];
        let of = |taken: &Taken| (taken.job.definition.method.clone(), taken.job.seed);
        assert_eq!(others.each_ref().map(of), [("knn".to_string(), 0), ("lmnn".to_string(), 1)]);
        // The last one waits for the first, not for the others.
        let last = std::thread::scope(|scope| {
            let last = scope.spawn(next);
            drop(first);
            last.join().unwrap()
        });
        assert_eq!(of(&last), ("lmnn".to_string(), 0));
        drop((others, last));
        assert!(queue.next(&known).is_none());
    }

    #[test]
    fn what_would_not_end_in_time_is_counted_and_not_started() {
        let jobs = vec![job("knn", 0), job("npc", 0)];
        let queue = Queue::new(jobs, Records::default(), PathBuf::new(), Some(Duration::ZERO), 1);
        assert!(queue.next(&Metrics::default()).is_none());
        assert_eq!(queue.counts().late, 2);
    }
}
