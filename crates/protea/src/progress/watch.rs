//! Long steps that can be interrupted in their middle, from any thread that works on them.

use super::{Epoch, Progress};
use std::sync::{Mutex, PoisonError};

/// Asks whether to go on; cheap enough for inner loops, on any thread.
#[derive(Clone, Copy)]
pub(crate) struct Stop<'a>(pub &'a (dyn Fn() -> bool + Sync));

impl Stop<'_> {
    /// Whether the work shall end.
    pub fn raised(&self) -> bool {
        (self.0)()
    }
}

/// Runs `work` with a progress that passes everything on to the given one, and with the question whether to stop, which may be asked
/// in the middle of a step, also from other threads.
pub(crate) fn watched_run<T>(
    progress: &mut dyn Progress,
    work: impl FnOnce(&mut dyn Progress, Stop) -> T,
) -> T {
    let shared = Shared(Mutex::new(progress));
    let cancelled = || shared.cancelled();
    work(&mut &shared, Stop(&cancelled))
}

/// A progress that several threads may talk to.
struct Shared<'a>(Mutex<&'a mut dyn Progress>);

impl Shared<'_> {
    fn with<T>(&self, f: impl FnOnce(&mut dyn Progress) -> T) -> T {
        f(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn cancelled(&self) -> bool {
        self.with(|progress| progress.cancelled())
    }
}

impl Progress for &Shared<'_> {
    fn phase(&mut self, name: &str) {
        self.with(|progress| progress.phase(name));
    }

    fn epoch(&mut self, epoch: &Epoch) {
        self.with(|progress| progress.epoch(epoch));
    }

    fn trials(&self, done: usize, of: usize, what: &str) {
        self.with(|progress| progress.trials(done, of, what));
    }

    fn cancelled(&self) -> bool {
        Shared::cancelled(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::parallel::*;

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

    /// Also where a pool has one thread, which is the one that works.
    #[test]
    fn epochs_are_passed_on_and_every_thread_hears_the_end() {
        let epoch = Epoch { epoch: 1, of: 9, gamma: 1.0, loss: 0.0, train_error: 0.0, valid_error: None };
        let run = || {
            let mut counts = Counts(0);
            watched_run(&mut counts, |progress, stop| {
                assert!(!stop.raised());
                (0..3).for_each(|_| progress.epoch(&epoch));
                let heard = (0..4).into_par_iter().filter(|_| stop.raised()).count();
                assert!(heard == 4 && progress.cancelled());
                progress.epoch(&epoch);
            });
            assert_eq!(counts.0, 4);
        };
        run();
        #[cfg(feature = "rayon")]
        rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
    }
}
