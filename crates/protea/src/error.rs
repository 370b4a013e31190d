//! One error type: every variant says what was wrong, where, and what was expected.

use std::path::Path;

/// What can go wrong in protea, in one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting has a value that cannot be used.
    #[error("{name} = {value}, expected {expected}")]
    Setting {
        /// Name of the setting, as on the command line.
        name: String,
        /// The value given.
        value: String,
        /// What would have been accepted.
        expected: String,
    },
    /// A setting that the method does not have.
    #[error("{method} has no setting {name:?}; it has {known}")]
    UnknownSetting {
        /// The method asked for.
        method: String,
        /// The setting that it lacks.
        name: String,
        /// The settings that it has.
        known: String,
    },
    /// A name that the registry does not list.
    #[error("there is no {what} {name:?}; there are {known}")]
    UnknownName {
        /// What kind of thing was looked for: method, data set, optimizer …
        what: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The samples cannot be learned from or predicted.
    #[error("{0}")]
    Data(String),
    /// A value in a file is wrong.
    #[error("{source_name}, row {row}, column {column}: {problem}")]
    Cell {
        /// The file, as the user named it.
        source_name: String,
        /// The line or row, counted from 1 as a text editor would.
        row: usize,
        /// Name or number of the column.
        column: String,
        /// What is wrong there.
        problem: String,
    },
    /// A file as a whole cannot be used.
    #[error("{source_name}: {problem}")]
    File {
        /// The file, as the user named it.
        source_name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Features of the input do not fit the model.
    #[error("the model expects {expected} features but {source_name} has {found}")]
    Features {
        /// Where the samples come from.
        source_name: String,
        /// What the model was trained on.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A value is so large that its squared distances would overflow.
    #[error(
        "sample {row}: {feature} = {value:e} is too large to compare with the training data; is it a \"no data\" value?"
    )]
    OutOfRange {
        /// Number of the sample, from 1.
        row: usize,
        /// Name of the feature, or what is known of it.
        feature: String,
        /// The value.
        value: f64,
    },
    /// The objective left the finite numbers before a single step was accepted.
    #[error("the objective became {value} at epoch {epoch}; lower the step size or scale the data")]
    Diverged {
        /// Epoch, from 1.
        epoch: usize,
        /// The value it took.
        value: f64,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error about a setting's value.
    pub fn setting(name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Self {
        Error::Setting { name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// An error about a whole file.
    pub fn file(path: impl AsRef<Path>, problem: impl std::fmt::Display) -> Self {
        Error::File { source_name: path.as_ref().display().to_string(), problem: problem.to_string() }
    }

    /// An error about one value of a file.
    pub fn cell(source: &str, row: usize, column: &str, problem: impl Into<String>) -> Self {
        Error::Cell { source_name: source.into(), row, column: column.into(), problem: problem.into() }
    }

    /// An error about the samples.
    pub fn data(problem: impl Into<String>) -> Self {
        Error::Data(problem.into())
    }
}
