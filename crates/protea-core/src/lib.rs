//! Runs a classifier that protea exported: `no_std`, no allocation, no dependencies, no `unsafe`.
//!
//! `protea export MODEL --to rust -o model.bin` writes the bytes. They are read where they lie, in flash for instance:
//!
//! ```
//! use protea_core::Model;
//!
//! # let bytes: &[u8] = include_bytes!("../tests/wine.bin");
//! # /*
//! static BYTES: &[u8] = include_bytes!("model.bin");
//! # */
//! let model = Model::parse(bytes)?;
//! let mut scratch = [0.0f32; 64]; // at least model.scratch() numbers
//! let wine = [13.2, 1.78, 2.14, 11.2, 100.0, 2.65, 2.76, 0.26, 1.28, 4.38, 1.05, 3.4, 1050.0];
//! let class = model.predict(&wine, &mut scratch)?;
//! assert_eq!(model.class_name(class), Some("1"));
//! # Ok::<(), protea_core::Error>(())
//! ```
//!
//! [`Model::parse`] checks everything once: a damaged or hostile file is refused, and no method panics on bytes that it accepted.
//! Models with whole numbers (`--quantize`) give the same answers on every target, bit for bit.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod layout;
mod math;
mod run;

use layout::{HEADER, MAGIC, MOST_NUMBERS, Tag, VERSION};

/// Why bytes or a sample are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no compiled model of protea.
    NotAModel,
    /// The bytes have a newer version of the layout than this crate.
    Version(u16),
    /// The bytes end too early, or have more than the model.
    Length,
    /// An operation is unknown, out of order or does not fit the others; at this byte.
    Operation(usize),
    /// A sample has another number of features.
    Features {
        /// What the model expects.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The scratch memory has too few numbers.
    Scratch {
        /// What the model needs.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The slice for probabilities has another length than there are classes.
    Classes {
        /// What the model has.
        expected: usize,
        /// What was given.
        found: usize,
    },
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match self {
            Error::NotAModel => write!(f, "the bytes are not a compiled model of protea"),
            Error::Version(v) => {
                write!(f, "the model has layout {v}, and this crate reads {VERSION}; update protea-core")
            }
            Error::Length => write!(f, "the model is cut off or followed by other bytes; export it again"),
            Error::Operation(at) => write!(f, "the model is damaged at byte {at}; export it again"),
            Error::Features { expected, found } => {
                write!(f, "the model expects {expected} features, found {found}")
            }
            Error::Scratch { expected, found } => {
                write!(f, "the model needs scratch memory for {expected} numbers, found {found}")
            }
            Error::Classes { expected, found } => {
                write!(f, "the model has {expected} classes, and there is room for {found} probabilities")
            }
        }
    }
}

impl core::error::Error for Error {}

/// A compiled model in borrowed bytes.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    bytes: &'a [u8],
    features: usize,
    classes: usize,
    scratch: usize,
    /// Class of each prototype, as u16.
    labels: &'a [u8],
    names: &'a [u8],
}

/// An operation with its numbers and what follows them.
#[derive(Debug, Clone, Copy)]
struct Operation<'a> {
    tag: Tag,
    numbers: [u32; MOST_NUMBERS],
    tables: &'a [u8],
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Operations from a place on, as far as they can be read.
#[derive(Debug, Clone, Copy)]
struct Operations<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Length of the row.
    row: usize,
    classes: usize,
    prototypes: usize,
}

impl<'a> Operations<'a> {
    fn new(bytes: &'a [u8], features: usize, classes: usize) -> Self {
        Operations { bytes, at: HEADER, row: features, classes, prototypes: 0 }
    }

    /// The next operation; `None` if it does not fit.
    fn next(&mut self) -> Option<Operation<'a>> {
        let at = self.at;
        let tag = Tag::of(u16_at(self.bytes, at)?)?;
        let count = usize::from(u16_at(self.bytes, at + 2)?);
        if count > MOST_NUMBERS {
            return None;
        }
        let mut numbers = [0; MOST_NUMBERS];
        for (k, number) in numbers.iter_mut().enumerate().take(count) {
            *number = u32_at(self.bytes, at + 4 + 4 * k)?;
        }
        let start = at + 4 + 4 * count;
        let (size, row) = self.size(tag, &numbers)?;
        let end = start.checked_add(size)?;
        let tables = self.bytes.get(start..end)?;
        self.at = end.checked_next_multiple_of(4)?;
        if matches!(tag, Tag::Distance | Tag::RoundedDistance | Tag::WeightedDistance) {
            self.prototypes = row;
        }
        self.row = row;
        Some(Operation { tag, numbers, tables })
    }

    /// Bytes of an operation's tables and the length of the row that it leaves.
    fn size(&self, tag: Tag, numbers: &[u32; MOST_NUMBERS]) -> Option<(usize, usize)> {
        let d = self.row;
        let n = numbers[0] as usize;
        let times = |a: usize, b: usize| a.checked_mul(b);
        Some(match tag {
            Tag::Scale | Tag::Round => (times(d, 8)?, d),
            Tag::Affine => (times(d, 4)?.checked_add(times(times(n, d)?, 4)?)?, n),
            Tag::RoundedAffine => (times(times(n, d)?, numbers[3] as usize)?, n),
            Tag::Distance => (times(times(n, d)?, 4)?, n),
            Tag::RoundedDistance => (times(times(n, d)?, numbers[1] as usize)?, n),
            Tag::WeightedDistance => (times(times(n, d)?, 8)?, n),
            Tag::Labels => (times(self.prototypes, 2)?, d),
            Tag::Least => (times(n, 4)?, self.classes),
            Tag::SoftLeast => (0, self.classes),
            Tag::Weigh => (times(self.classes, 8)?, d),
            Tag::Names => (n, d),
            Tag::PiecewiseLinear => {
                let edges = numbers[1] as usize;
                (edges.checked_sub(d) == Some(n)).then_some(())?;
                (times(edges, 4)?.checked_add(times(d, 4)?)?, n)
            }
            Tag::Unit | Tag::SmoothClip | Tag::Vote | Tag::Largest | Tag::InverseLog | Tag::Multiply => {
                (0, d)
            }
        })
    }
}

impl<'a> Model<'a> {
    /// Reads and checks a compiled model.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        if bytes.get(..4) != Some(&MAGIC[..]) {
            return Err(Error::NotAModel);
        }
        let version = u16_at(bytes, 4).ok_or(Error::Length)?;
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let word = |at| u32_at(bytes, at).map(|v| v as usize).ok_or(Error::Length);
        let (features, classes, scratch, length) = (word(8)?, word(12)?, word(16)?, word(20)?);
        if length != bytes.len() {
            return Err(Error::Length);
        }
        if features == 0 || classes == 0 || features > 1 << 24 || classes > 1 << 16 {
            return Err(Error::Operation(8));
        }
        let model = Model { bytes, features, classes, scratch, labels: &[], names: &[] };
        model.check()
    }

    /// Walks over all operations: they are in order, their tables are there, labels name classes, and the scratch memory is enough.
    fn check(mut self) -> Result<Self, Error> {
        let mut operations = Operations::new(self.bytes, self.features, self.classes);
        let mut state = Order::default();
        while operations.at < self.bytes.len() {
            let (at, row) = (operations.at, operations.row);
            let damaged = Error::Operation(at);
            let operation = operations.next().ok_or(damaged)?;
            state.accept(&operation, row, &operations, self.classes).ok_or(damaged)?;
            match operation.tag {
                Tag::Labels => self.labels = operation.tables,
                Tag::Names => self.names = operation.tables,
                _ => (),
            }
        }
        let known = state.decided && state.scored && self.names_are_sound();
        if !known || operations.at != self.bytes.len() {
            return Err(Error::Operation(operations.at));
        }
        if state.scratch.checked_add(self.classes) != Some(self.scratch) {
            return Err(Error::Operation(16));
        }
        Ok(self)
    }

    fn names_are_sound(&self) -> bool {
        (0..self.classes).all(|c| self.class_name(c).is_some()) && self.class_name(self.classes).is_none()
    }

    /// How many features a sample has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many numbers of scratch memory a prediction needs.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// The name of a class.
    pub fn class_name(&self, class: usize) -> Option<&'a str> {
        let mut rest = self.names;
        let mut name = None;
        for _ in 0..=class {
            let length = usize::from(u16_at(rest, 0)?);
            name = rest.get(2..2 + length);
            rest = rest.get(2 + length..)?;
        }
        core::str::from_utf8(name?).ok()
    }

    /// Index of the class of a sample.
    pub fn predict(&self, sample: &[f32], scratch: &mut [f32]) -> Result<usize, Error> {
        self.fits(sample, scratch)?;
        Ok(run::Run::new(self, scratch).class(sample))
    }

    /// Probability of each class of a sample.
    pub fn probabilities(&self, sample: &[f32], scratch: &mut [f32], out: &mut [f32]) -> Result<(), Error> {
        self.fits(sample, scratch)?;
        if out.len() != self.classes {
            return Err(Error::Classes { expected: self.classes, found: out.len() });
        }
        run::Run::new(self, scratch).probabilities(sample, out);
        Ok(())
    }

    fn fits(&self, sample: &[f32], scratch: &[f32]) -> Result<(), Error> {
        if sample.len() != self.features {
            return Err(Error::Features { expected: self.features, found: sample.len() });
        }
        if scratch.len() < self.scratch {
            return Err(Error::Scratch { expected: self.scratch, found: scratch.len() });
        }
        Ok(())
    }
}

/// What has been seen of a model so far.
#[derive(Debug, Default)]
struct Order {
    rounded: bool,
    limit: u32,
    distance: bool,
    labelled: bool,
    decided: bool,
    scored: bool,
    named: bool,
    /// Numbers that rows before the distances need.
    scratch: usize,
}

impl Order {
    /// Whether an operation may come next; `row` is the length that it finds.
    fn accept(&mut self, op: &Operation, row: usize, after: &Operations, classes: usize) -> Option<()> {
        let n = op.numbers;
        let small = |size: u32| size == 1 || size == 2;
        let fine = match op.tag {
            Tag::Scale | Tag::Affine | Tag::Unit | Tag::SmoothClip => {
                !self.distance && !self.rounded && after.row > 0
            }
            Tag::PiecewiseLinear => {
                let ends = op.tables.get(4 * n[1] as usize..).unwrap_or_default();
                !self.distance && !self.rounded && after.row > 0 && ends_rise(ends, n[1] as usize)
            }
            Tag::Round => {
                (self.rounded, self.limit) = (true, n[0]);
                !self.distance && n[0] <= 32767
            }
            Tag::RoundedAffine => {
                let sums = self.rounded && sums_fit(op, row, self.limit);
                self.limit = n[2];
                sums && !self.distance && n[1] < 24 && n[2] <= 32767 && small(n[3]) && after.row > 0
            }
            Tag::Distance | Tag::WeightedDistance => self.first_distance() && !self.rounded && n[0] > 0,
            Tag::RoundedDistance => {
                self.first_distance()
                    && self.rounded
                    && n[0] > 0
                    && small(n[1])
                    && squares_fit(op, row, self.limit)
            }
            Tag::Labels => {
                let known = |pair: &[u8]| matches!(pair, [a, b] if usize::from(u16::from_le_bytes([*a, *b])) < classes);
                let first = !core::mem::replace(&mut self.labelled, true);
                first && self.distance && op.tables.chunks(2).all(known)
            }
            Tag::Vote => {
                self.labelled && !self.scored && !core::mem::replace(&mut self.decided, true) && n[0] > 0
            }
            Tag::Largest => self.scored && !core::mem::replace(&mut self.decided, true),
            Tag::Least => self.first_score() && n[0] > 0 && ends_rise(op.tables, after.prototypes),
            Tag::SoftLeast => self.first_score() && f32::from_bits(n[0]) > 0.0,
            Tag::Weigh | Tag::InverseLog => self.scored,
            Tag::Multiply => self.labelled,
            Tag::Names => self.decided && self.scored && !core::mem::replace(&mut self.named, true),
        };
        // A linear map needs the row that it finds and the one that it leaves; all else works in place.
        let rows = match op.tag {
            Tag::Affine | Tag::RoundedAffine | Tag::PiecewiseLinear => row.checked_add(after.row)?,
            Tag::Scale | Tag::Round | Tag::Unit | Tag::SmoothClip => row,
            Tag::Distance | Tag::WeightedDistance | Tag::RoundedDistance => row,
            _ => 0,
        };
        self.scratch = self.scratch.max(rows);
        fine.then_some(())
    }

    fn first_distance(&mut self) -> bool {
        !core::mem::replace(&mut self.distance, true)
    }

    fn first_score(&mut self) -> bool {
        self.labelled && !core::mem::replace(&mut self.scored, true)
    }
}

/// A whole number of one or two bytes.
fn whole(table: &[u8], size: usize, at: usize) -> i32 {
    match size {
        1 => table.get(at).map_or(0, |b| i32::from(*b as i8)),
        _ => u16_at(table, 2 * at).map_or(0, |b| i32::from(b as i16)),
    }
}

/// Whether no sum of a linear map leaves 32 bits: `limit · Σ|a| + 2^shift / 2 < 2³¹` for every row.
fn sums_fit(op: &Operation, columns: usize, limit: u32) -> bool {
    let [rows, shift, _, size] = op.numbers;
    let sum = |r: usize| -> u64 {
        (0..columns).map(|f| u64::from(whole(op.tables, size as usize, r * columns + f).unsigned_abs())).sum()
    };
    let room = |r: usize| sum(r) * u64::from(limit) + (1u64 << (shift & 31)) / 2 <= i32::MAX as u64;
    (0..rows as usize).all(room)
}

/// Whether no distance leaves 32 bits: `d · (limit + |p|)² < 2³¹`, with differences of 16 bits.
fn squares_fit(op: &Operation, columns: usize, limit: u32) -> bool {
    let [rows, size, ..] = op.numbers;
    let most = (0..rows as usize * columns).map(|k| whole(op.tables, size as usize, k).unsigned_abs()).max();
    let difference = u64::from(limit) + u64::from(most.unwrap_or(0));
    columns as u64 * difference * difference <= i32::MAX as u64
}

/// Whether the ends of members rise, to the number of prototypes.
fn ends_rise(table: &[u8], prototypes: usize) -> bool {
    let mut last = 0;
    let rising = table.chunks(4).all(|word| {
        let end = u32_at(word, 0).map_or(0, |v| v as usize);
        let rises = end > last;
        last = end;
        rises
    });
    rising && last == prototypes
}
