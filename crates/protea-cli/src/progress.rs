//! What a person sees while training runs: a bar on a terminal, a line now and then elsewhere, or nothing.

use crate::output::percent;
use crate::signals::interrupted;
use indicatif::{ProgressBar, ProgressStyle};
use ndarray::{ArrayView2, s};
use protea::Error;
use protea::progress::{Epoch, Progress};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two lines.
const PAUSE: Duration = Duration::from_secs(2);
/// What ends earlier is not worth a bar.
const MOMENT: Duration = Duration::from_secs(1);
/// Rows that are answered before the time is looked at.
const FIRST_CHUNK: usize = 256;

/// Hands the rows of `x`, which come after `before` others, to `f` some at a time, in order and at least once; shows how far it is
/// where that takes a while.
pub fn in_chunks<F>(
    x: ArrayView2<F>,
    before: usize,
    quiet: bool,
    mut f: impl FnMut(ArrayView2<F>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (begun, mut display) = (Instant::now(), None::<Display>);
    let (mut at, mut size) = (0, FIRST_CHUNK);
    loop {
        let end = x.nrows().min(at + size);
        let start = Instant::now();
        f(x.slice(s![at..end, ..])).map_err(|e| of_whole(e, before + at))?;
        at = end;
        if at == x.nrows() {
            break;
        }
        if begun.elapsed() >= MOMENT {
            display.get_or_insert_with(|| Display::new(quiet)).step(before + at, before + x.nrows(), "rows");
        }
        if start.elapsed() < MOMENT / 4 {
            size *= 2;
        }
    }
    if let Some(display) = display {
        display.done();
    }
    Ok(())
}

/// An error about a row of a part that begins after `before` rows, as one about the whole.
fn of_whole(error: anyhow::Error, before: usize) -> anyhow::Error {
    match error.downcast() {
        Ok(Error::OutOfRange { row, feature, value }) => {
            Error::OutOfRange { row: before + row, feature, value }.into()
        }
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

/// How progress is shown.
enum Shown {
    Bar(ProgressBar),
    /// With the time of the last line.
    Lines(Mutex<Instant>),
    Nothing,
}

/// Shows progress on standard error.
pub struct Display(Shown);

impl Display {
    /// For this terminal, or none.
    pub fn new(quiet: bool) -> Self {
        Display(if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(0);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            Shown::Bar(bar)
        } else {
            Shown::Lines(Mutex::new(Instant::now()))
        })
    }

    /// Work of `of` steps has come to step `at`.
    pub fn step(&self, at: usize, of: usize, message: &str) {
        match &self.0 {
            Shown::Bar(bar) => {
                bar.set_length(of as u64);
                bar.set_position(at as u64);
                if bar.message() != message {
                    bar.set_message(message.to_string());
                }
            }
            Shown::Lines(last) => line(last, || format!("{at}/{of} {message}")),
            Shown::Nothing => {}
        }
    }

    /// Takes the bar away.
    pub fn done(&self) {
        if let Shown::Bar(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Writes a line if the last one is a while ago.
fn line(last: &Mutex<Instant>, text: impl FnOnce() -> String) {
    // Another thread that holds the lock is writing one.
    if let Ok(mut last) = last.try_lock()
        && last.elapsed() >= PAUSE
    {
        *last = Instant::now();
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", text());
    }
}

/// Shows the course of one training, and ends it on Ctrl-C.
impl Progress for Display {
    fn phase(&mut self, name: &str) {
        match &self.0 {
            Shown::Bar(bar) => {
                bar.set_message(name.to_string());
                bar.tick();
            }
            Shown::Lines(last) => line(last, || name.to_string()),
            Shown::Nothing => {}
        }
    }

    fn trials(&self, done: usize, of: usize, what: &str) {
        self.step(done, of, what);
    }

    fn epoch(&mut self, r: &Epoch) {
        let valid = r.valid_error.map_or(String::new(), |e| format!("  validation {}", percent(e)));
        let error = percent(r.train_error);
        let message = format!("γ {:.4}  loss {:.5}  error {error}{valid}", r.gamma, r.loss);
        self.step(r.epoch, r.of, &message);
    }

    fn cancelled(&self) -> bool {
        interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn every_row_comes_once_and_in_order() {
        for n in [0, 1, FIRST_CHUNK, FIRST_CHUNK + 1, 5000] {
            let x = Array2::from_shape_fn((n, 1), |(i, _)| i);
            let (mut seen, mut calls) = (Vec::new(), 0);
            in_chunks(x.view(), 0, true, |rows| {
                seen.extend(rows.iter().copied());
                calls += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, (0..n).collect::<Vec<_>>());
            assert!(calls >= 1);
        }
    }
}
