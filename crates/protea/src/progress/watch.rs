//! Work on another thread while the calling one asks whether to go on.

use super::{Epoch, Progress};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs `work` on the pool of threads and polls `cancelled` here meanwhile, so that it may belong to this thread alone; the flag
/// given to `work` is raised once `cancelled` says so.
#[cfg(feature = "rayon")]
pub(crate) fn watched<T: Send>(
    cancelled: &dyn Fn() -> bool,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> T {
    let (stop, done) = (AtomicBool::new(cancelled()), AtomicBool::new(false));
    let mut result = None;
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| {
            let _done = RaiseOnDrop(&done);
            result = Some(work(&stop));
        });
        while !done.load(Ordering::Acquire) {
            if cancelled() {
                stop.store(true, Ordering::Relaxed);
            }
            // On a thread of the pool this may be the only one that can do the work.
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::sleep(PAUSE);
            }
        }
    });
    // The scope ends only after the work, and passes on its panic.
    result.expect("the scope has waited for the work")
}

/// Runs `work` on a thread of its own and polls `cancelled` here meanwhile, so that it may belong to this thread alone; the
/// flag given to `work` is raised once `cancelled` says so.
#[cfg(not(feature = "rayon"))]
pub(crate) fn watched<T: Send>(
    cancelled: &dyn Fn() -> bool,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> T {
    let stop = AtomicBool::new(cancelled());
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&stop));
        while !worker.is_finished() {
            if cancelled() {
                stop.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(PAUSE);
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs `work` with a progress that passes epochs on to the given one, which stays on this thread; the flag is raised once that one
/// says so, also in the middle of a step.
pub(crate) fn watched_run<T: Send>(
    progress: &mut dyn Progress,
    work: impl FnOnce(&mut dyn Progress, &AtomicBool) -> T + Send,
) -> T {
    let (told, epochs) = channel();
    let progress = RefCell::new(progress);
    let poll = || {
        let mut progress = progress.borrow_mut();
        epochs.try_iter().for_each(|epoch| progress.epoch(&epoch));
        progress.cancelled()
    };
    let result = watched(&poll, |stop| work(&mut Relay { told, stop }, stop));
    poll();
    result
}

/// Tells epochs to another thread, and hears from it when to stop.
struct Relay<'a> {
    told: Sender<Epoch>,
    stop: &'a AtomicBool,
}

impl Progress for Relay<'_> {
    fn epoch(&mut self, epoch: &Epoch) {
        // The receiver lives as long as the work.
        let _ = self.told.send(*epoch);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Raises a flag however the work ends, a panic included.
#[cfg(feature = "rayon")]
struct RaiseOnDrop<'a>(&'a AtomicBool);

#[cfg(feature = "rayon")]
impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_closure_of_this_thread_ends_the_work() {
        let asked = Cell::new(0);
        let cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        let spin = |stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            7
        };
        assert_eq!(watched(&cancelled, spin), 7);
    }

    /// Counts epochs, and stops the run after some.
    struct Counts(usize);

    impl Progress for Counts {
        fn epoch(&mut self, _: &Epoch) {
            self.0 += 1;
        }

        fn cancelled(&self) -> bool {
            self.0 >= 3
        }
    }

    #[test]
    fn epochs_are_passed_on_and_the_flag_comes_back() {
        let epoch = Epoch { epoch: 1, of: 9, gamma: 1.0, loss: 0.0, train_error: 0.0, valid_error: None };
        let mut counts = Counts(0);
        watched_run(&mut counts, |progress, stop| {
            (0..3).for_each(|_| progress.epoch(&epoch));
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            assert!(progress.cancelled());
            progress.epoch(&epoch);
        });
        assert_eq!(counts.0, 4);
    }

    #[test]
    fn a_pool_of_one_thread_can_call_it_from_inside() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| watched(&|| false, |_| rayon::join(|| 1, || 2))), (1, 2));
    }
}
