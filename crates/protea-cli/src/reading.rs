//! Arguments that say how files become samples.

use clap::ValueEnum;
use protea::data::{Decimal, LabelSpec, Missing, SchemaOptions, Unknown};
use protea::io::ReadOptions;
use std::path::PathBuf;

/// How to read the input.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Label column: a name, a position from 1, first or last
    ///
    /// By default the column named label, class, target or the like, else the last one.
    #[arg(long, value_name = "COL", allow_negative_numbers = true)]
    pub label: Option<LabelSpec>,
    /// A file with one label for each row of the (first) input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub labels: Option<PathBuf>,
    /// Whether the first row of a CSV names the columns [default: guessed]
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no, hide_short_help = true)]
    pub header: Option<bool>,
    /// Field delimiter of a CSV: a character, tab or space [default: guessed]
    #[arg(long, value_name = "C", value_parser = delimiter, hide_short_help = true)]
    pub delimiter: Option<u8>,
    /// Skip lines of a CSV that start with this character
    #[arg(long, value_name = "C", value_parser = character, hide_short_help = true)]
    pub comment: Option<u8>,
    /// Indices of LIBSVM start at 0 [default: if the file uses 0]
    #[arg(long, hide_short_help = true)]
    pub zero_based: bool,
    /// What to do about a category that was not in the training file [default: as when training]
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    pub unknown: Option<UnknownChoice>,
    /// Decimal separator of columns such as 5,1: , or . [default: guessed, or as in training]
    #[arg(long, value_name = ",|.", value_parser = decimal, hide_short_help = true)]
    pub decimal: Option<Decimal>,
    /// Memory that a file may take, such as 2G [default: 64M and 20 times its size]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub max_memory: Option<u64>,
    /// Whether rows that cannot be read are left out.
    #[arg(skip)]
    pub keep_going: bool,
}

impl Reading {
    /// As the library takes it.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            header: self.header,
            delimiter: self.delimiter,
            labels: self.labels.clone(),
            comment: self.comment,
            zero_based: self.zero_based,
            max_memory: self.max_memory,
            keep_going: self.keep_going,
            ..ReadOptions::default()
        }
    }

    /// The same for a second input, whose labels are its own.
    pub fn for_second_input(&self) -> Reading {
        Reading { labels: None, ..self.clone() }
    }
}

/// What to do about a category that was not in the training file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum UnknownChoice {
    /// Refuse it, with file, row and column
    Error,
    /// Take it for none of the known categories
    Ignore,
}

impl From<UnknownChoice> for Unknown {
    fn from(choice: UnknownChoice) -> Self {
        match choice {
            UnknownChoice::Error => Unknown::Error,
            UnknownChoice::Ignore => Unknown::Ignore,
        }
    }
}

/// What to do about missing values in training.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MissingChoice {
    /// Refuse them, with file, row and column
    Reject,
    /// Leave out rows that lack a value
    Drop,
    /// Fill with the column's mean; text with its most frequent value
    Mean,
    /// Fill with the column's median; text with its most frequent value
    Median,
}

impl From<MissingChoice> for Missing {
    fn from(choice: MissingChoice) -> Self {
        match choice {
            MissingChoice::Reject => Missing::Reject,
            MissingChoice::Drop => Missing::Drop,
            MissingChoice::Mean => Missing::Mean,
            MissingChoice::Median => Missing::Median,
        }
    }
}

/// What to do about a row with a wrong number of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnRaggedRow {
    /// Refuse the file
    Stop,
    /// Leave the row out and say so
    Skip,
}

/// Element types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum Precision {
    /// 32 bits
    F32,
    /// 64 bits
    F64,
}

/// How training files become samples.
#[derive(Debug, clap::Args)]
pub struct TrainingData {
    /// Reading options.
    #[command(flatten)]
    pub reading: Reading,
    /// What to do about missing values
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "median",
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub missing: MissingChoice,
    /// What to do about rows of a CSV with too many or too few fields
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "stop",
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub on_error: OnRaggedRow,
    /// Columns that are not features
    #[arg(
        long,
        value_name = "COL,…",
        value_delimiter = ',',
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub drop: Vec<String>,
    /// The only columns that are features
    #[arg(
        long,
        value_name = "COL,…",
        value_delimiter = ',',
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub only: Vec<String>,
    /// Columns of numbers that name categories
    #[arg(
        long,
        value_name = "COL,…",
        value_delimiter = ',',
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub categorical: Vec<String>,
    /// A column with the weight of each row; it is not a feature
    #[arg(long, value_name = "COL", help_heading = "Reading", hide_short_help = true)]
    pub weight: Option<String>,
    /// Keep constant columns, row numbers and identifiers
    #[arg(long, help_heading = "Reading", hide_short_help = true)]
    pub keep_all: bool,
    /// Element type of samples and models
    #[arg(long, value_enum, value_name = "TYPE", default_value = "f32", hide_short_help = true)]
    pub precision: Precision,
}

impl TrainingData {
    /// How the files of training are read.
    pub fn reading(&self) -> Reading {
        Reading { keep_going: self.on_error == OnRaggedRow::Skip, ..self.reading.clone() }
    }

    /// As the library takes it.
    pub fn schema(&self) -> SchemaOptions {
        SchemaOptions {
            label: self.reading.label.clone().unwrap_or_default(),
            missing: self.missing.into(),
            unknown: self.reading.unknown.map(Into::into).unwrap_or_default(),
            drop: self.drop.clone(),
            only: self.only.clone(),
            categorical: self.categorical.clone(),
            weight: self.weight.clone(),
            decimal: self.reading.decimal,
            keep_all: self.keep_all,
        }
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".into()),
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        ("space", _) => Ok(b' '),
        _ => character(text).map_err(|_| "expected one ASCII character, tab or space".into()),
    }
}

fn character(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        &[c] if c.is_ascii() => Ok(c),
        _ => Err("expected one ASCII character".into()),
    }
}

fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "," | "comma" => Ok(Decimal::Comma),
        "." | "point" => Ok(Decimal::Point),
        _ => Err("expected , or .".into()),
    }
}

/// A number of bytes with a unit: `512M`, `2G`, `2GB`.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let digits = upper.trim_end_matches('B');
    let (digits, shift) = match digits.char_indices().next_back() {
        Some((at, unit @ ('K' | 'M' | 'G' | 'T'))) => {
            (&digits[..at], [10, 20, 30, 40]["KMGT".find(unit).unwrap_or(0)])
        }
        _ => (digits, 0),
    };
    let size = digits.trim().parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    size.filter(|&n| n > 0).ok_or_else(|| "expected a number of bytes, such as 512M or 2G".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["7", "3k", "512M", "2GB", "1T"].map(|s| size(s).unwrap());
        assert_eq!(sizes, [7, 3 << 10, 512 << 20, 2 << 30, 1 << 40]);
        for wrong in ["", "G", "1X", "-1", "0", "99999999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
