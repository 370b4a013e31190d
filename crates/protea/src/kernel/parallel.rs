//! Threads: the part of rayon that the library uses, or, without the feature `rayon`, the same names on one thread.
//!
//! Every loop is written once, for both. Results are the same bits: blocks have fixed sizes, and what they give is joined in order.

#[cfg(feature = "rayon")]
pub(crate) use rayon::{join, prelude::*};

#[cfg(not(feature = "rayon"))]
pub(crate) use one_thread::*;

/// Iterators of the standard library under rayon's names.
#[cfg(not(feature = "rayon"))]
mod one_thread {
    use std::slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, Iter, IterMut};

    pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> IntoParallelIterator for I {}

    /// What rayon's iterators have beyond those of the standard library.
    pub(crate) trait ParallelIterator: Iterator + Sized {
        fn with_min_len(self, _: usize) -> Self {
            self
        }

        fn with_max_len(self, _: usize) -> Self {
            self
        }

        fn map_init<T, R>(
            self,
            init: impl FnOnce() -> T,
            mut f: impl FnMut(&mut T, Self::Item) -> R,
        ) -> impl Iterator<Item = R> {
            let mut state = init();
            self.map(move |item| f(&mut state, item))
        }
    }

    impl<I: Iterator> ParallelIterator for I {}

    pub(crate) trait ParallelSlice<T> {
        fn par_iter(&self) -> Iter<'_, T>;
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks(&self, n: usize) -> Chunks<'_, T>;
        fn par_chunks_mut(&mut self, n: usize) -> ChunksMut<'_, T>;
        fn par_chunks_exact(&self, n: usize) -> ChunksExact<'_, T>;
        fn par_chunks_exact_mut(&mut self, n: usize) -> ChunksExactMut<'_, T>;
    }

    impl<T> ParallelSlice<T> for [T] {
        fn par_iter(&self) -> Iter<'_, T> {
            self.iter()
        }

        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks(&self, n: usize) -> Chunks<'_, T> {
            self.chunks(n)
        }

        fn par_chunks_mut(&mut self, n: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(n)
        }

        fn par_chunks_exact(&self, n: usize) -> ChunksExact<'_, T> {
            self.chunks_exact(n)
        }

        fn par_chunks_exact_mut(&mut self, n: usize) -> ChunksExactMut<'_, T> {
            self.chunks_exact_mut(n)
        }
    }
}
