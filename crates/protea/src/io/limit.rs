//! One limit for all readers: how much memory the values of a file may take.
//!
//! A small file can spell out a huge table: a sparse index of four billion, a run of a million nulls, a gzipped zero. Readers of
//! such formats ask before they make room.

use super::ReadOptions;
use crate::{Error, Result};

/// Bytes that any file may take.
const BASE: u64 = 64 << 20;

/// Bytes that a file may take for each of its own.
const FACTOR: u64 = 20;

/// How many bytes of memory what is read from a file may take.
#[derive(Debug, Clone, Copy)]
pub struct Limit(u64);

impl Limit {
    /// The limit of a file of `size` bytes: 64 MiB and twenty times its size, unless the options say another.
    pub fn new(size: usize, options: &ReadOptions) -> Self {
        Limit(options.max_memory.unwrap_or_else(|| (size as u64).saturating_mul(FACTOR).saturating_add(BASE)))
    }

    /// The bytes.
    pub(super) fn bytes(self) -> u64 {
        self.0
    }

    /// Refuses `count` things of `size` bytes each that exceed the limit; `what` starts the sentence about the file.
    pub(super) fn check(
        self,
        source: &str,
        count: Option<usize>,
        size: usize,
        what: impl Fn() -> String,
    ) -> Result<()> {
        let needed = count.and_then(|n| n.checked_mul(size)).map_or(u64::MAX, |n| n as u64);
        if needed <= self.0 {
            return Ok(());
        }
        let needs = if needed == u64::MAX { "more memory than there is".into() } else { words(needed) };
        let takes = match (needs, words(self.0)) {
            // A reader that counts as it goes stops just above the limit.
            (needs, allowed) if needs == allowed => format!("more than the {allowed} that are allowed"),
            (needs, allowed) => format!("{needs} where {allowed} are allowed"),
        };
        let problem = format!("{}, which takes {takes}", what());
        Err(Error::file(source, format!("{problem}; raise the memory limit")))
    }

    /// The error about content that unpacks to more than the limit.
    pub(super) fn unpacked(self, source: &str) -> Error {
        Error::file(
            source,
            format!("unpacks to more than the {} that are allowed; raise the memory limit", words(self.0)),
        )
    }
}

/// A number of bytes in words.
fn words(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.0} MB", b / 1e6),
        _ => format!("{bytes} bytes"),
    }
}
