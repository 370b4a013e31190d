//! Arguments that say how files become samples.

use clap::ValueEnum;
use protea::data::{LabelSpec, Missing};
use protea::io::ReadOptions;
use std::path::PathBuf;

/// How to read the input.
#[derive(Debug, clap::Args)]
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
}

impl Reading {
    /// As the library takes it.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { header: self.header, delimiter: self.delimiter, labels: self.labels.clone() }
    }

    /// The same for a second input, whose labels are its own.
    pub fn for_second_input(&self) -> Reading {
        Reading { label: self.label.clone(), labels: None, header: self.header, delimiter: self.delimiter }
    }
}

/// What to do about missing values in training.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MissingChoice {
    /// Refuse them, with file, row and column
    Reject,
    /// Fill with the column's mean; text with its most frequent value
    Mean,
    /// Fill with the column's median; text with its most frequent value
    Median,
}

impl From<MissingChoice> for Missing {
    fn from(choice: MissingChoice) -> Self {
        match choice {
            MissingChoice::Reject => Missing::Reject,
            MissingChoice::Mean => Missing::Mean,
            MissingChoice::Median => Missing::Median,
        }
    }
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
        default_value = "reject",
        help_heading = "Reading",
        hide_short_help = true
    )]
    pub missing: MissingChoice,
    /// Element type of samples and models
    #[arg(long, value_enum, value_name = "TYPE", default_value = "f32", hide_short_help = true)]
    pub precision: Precision,
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
        (_, &[c]) if c.is_ascii() => Ok(c),
        _ => Err("expected one ASCII character, tab or space".into()),
    }
}
