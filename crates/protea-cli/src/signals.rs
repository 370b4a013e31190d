//! Ctrl-C, SIGTERM and SIGHUP: the first ends training with the best model so far; otherwise, and from the second on, the program
//! ends, but never in the middle of [`saving`], and without leaving unfinished files.

use protea::io::remove_unfinished;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that a signal ended.
pub const EXIT_CODE: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether training is under way, which ends by itself when asked to.
static TRAINING: AtomicBool = AtomicBool::new(false);
/// Held while a file is written.
static SAVING: Mutex<()> = Mutex::new(());

/// The work ended early because a signal asked for it; what was to be said has been said.
#[derive(Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// From now on signals end the program as this module says.
#[cfg(unix)]
pub fn watch() -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Those that the parent asked to ignore (nohup, a job in the background of a script) stay ignored.
    let ignored = ignored_signals();
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::spawn(move || signals.forever().for_each(|_| heard_one()));
    Ok(())
}

/// From now on Ctrl-C ends the program as this module says.
#[cfg(not(unix))]
pub fn watch() -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(heard_one)?)
}

/// One bit for each ignored signal; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn heard_one() {
    let first = !INTERRUPTED.swap(true, Ordering::SeqCst);
    if first && TRAINING.load(Ordering::SeqCst) {
        return;
    }
    let _whole = SAVING.lock();
    remove_unfinished();
    std::process::exit(EXIT_CODE.into());
}

/// Runs `f`, a training that asks [`interrupted`] now and then.
pub fn training<T>(f: impl FnOnce() -> T) -> T {
    TRAINING.store(true, Ordering::SeqCst);
    f()
}

/// Whether a signal came.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Runs `f`, which writes a file, to its end.
pub fn saving<T>(f: impl FnOnce() -> T) -> T {
    let _guard = SAVING.lock();
    f()
}
