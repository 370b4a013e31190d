//! The bytes of a compiled model.
//!
//! ```text
//! "PRTA"  version u16  kind u16  features u32  classes u32  scratch u32  length u32     24 bytes, little-endian
//! operations, one after the other: tag u16, count of numbers u16, that many u32, then tables, each padded to 4 bytes
//! ```
//! What the numbers of an operation are, and which tables follow, [`Tag`] says. `length` is that of the whole file. Class names come
//! last: a `Names` operation.

/// The first bytes of a compiled model.
pub const MAGIC: [u8; 4] = *b"PRTA";
/// The version of the layout that this crate reads and writes.
pub const VERSION: u16 = 1;
/// Bytes before the first operation.
pub const HEADER: usize = 24;
/// The most numbers that an operation has.
pub const MOST_NUMBERS: usize = 4;

/// An operation.
///
/// `d` is the length of the row that it finds, `m` the number of prototypes, `C` that of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Tag {
    /// `(v − centre) factor`. Tables: centre `d` f32, factor `d` f32.
    Scale = 1,
    /// `A (v − centre)`. Numbers: rows `r`. Tables: centre `d` f32, matrix `r × d` f32.
    Affine = 2,
    /// Length 1.
    Unit = 3,
    /// `(v − centre) factor` to whole numbers. Numbers: limit. Tables: centre `d` f32, factor `d` f32.
    Round = 4,
    /// `A v / 2^shift` in whole numbers. Numbers: rows `r`, shift, limit, bytes of a number. Tables: matrix `r × d` i8 or i16.
    RoundedAffine = 5,
    /// Squared distances. Numbers: prototypes `m`. Tables: prototypes `m × d` f32.
    Distance = 6,
    /// Squared distances in whole numbers. Numbers: prototypes `m`, bytes of a number. Tables: prototypes `m × d` i8 or i16.
    RoundedDistance = 7,
    /// Weighted squared distances. Numbers: `m`. Tables: prototypes `m × d` f32, squared weights `m × d` f32.
    WeightedDistance = 8,
    /// Class of each prototype. Tables: `m` u16.
    Labels = 9,
    /// The class with most votes among the nearest. Numbers: `k`.
    Vote = 10,
    /// The class with the largest number.
    Largest = 11,
    /// The smallest distance of each class, as a mean over members. Numbers: members. Tables: where each member ends, u32.
    Least = 12,
    /// `ln Σ exp(−γ d)` for each class. Numbers: γ as the bits of an f32.
    SoftLeast = 13,
    /// `−(w v + b)` for each class. Tables: weights `C` f32, biases `C` f32.
    Weigh = 14,
    /// `−½ ln v`.
    InverseLog = 15,
    /// `v` times a factor. Numbers: the factor as the bits of an f32.
    Multiply = 16,
    /// Names of the classes. Numbers: bytes. Tables: for each its length as u16 and its bytes in UTF-8.
    Names = 17,
    /// Shares of the intervals between the edges of each feature, cut to 0 to 1. Numbers: results, edges `e`. Tables: edges `e` f32, where the
    /// edges of each feature end `d` u32.
    PiecewiseLinear = 18,
    /// `v / √(1 + (v / limit)²)`. Numbers: the limit as the bits of an f32.
    SmoothClip = 19,
}

impl Tag {
    /// The operation of a number.
    pub const fn of(number: u16) -> Option<Tag> {
        Some(match number {
            1 => Tag::Scale,
            2 => Tag::Affine,
            3 => Tag::Unit,
            4 => Tag::Round,
            5 => Tag::RoundedAffine,
            6 => Tag::Distance,
            7 => Tag::RoundedDistance,
            8 => Tag::WeightedDistance,
            9 => Tag::Labels,
            10 => Tag::Vote,
            11 => Tag::Largest,
            12 => Tag::Least,
            13 => Tag::SoftLeast,
            14 => Tag::Weigh,
            15 => Tag::InverseLog,
            16 => Tag::Multiply,
            17 => Tag::Names,
            18 => Tag::PiecewiseLinear,
            19 => Tag::SmoothClip,
            _ => return None,
        })
    }
}
