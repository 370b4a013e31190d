//! One error type: every variant says what was wrong, where, and what was expected.
//!
//! A message is one complete sentence. Where another error is the cause (of the operating system, of Parquet, CSV,
//! safetensors or JSON), the message already quotes it, and [`source`](std::error::Error::source) gives it as a value.
//!
//! ```
//! use protea::{Error, io};
//! use std::error::Error as _;
//!
//! let error = io::read_table::<f32>("no-such-file.csv".as_ref(), &Default::default()).unwrap_err();
//! let cause = error.source().and_then(|e| e.downcast_ref::<std::io::Error>());
//! assert_eq!(cause.map(|e| e.kind()), Some(std::io::ErrorKind::NotFound));
//! assert!(matches!(error, Error::File { .. }));
//! ```

use std::path::Path;

/// The error that caused another one.
pub type Cause = Box<dyn std::error::Error + Send + Sync + 'static>;

/// What can go wrong in protea, in one sentence each.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    #[error("{method} has no setting {name:?}; {}", suggested(.name, .known, "it has"))]
    UnknownSetting {
        /// The method asked for.
        method: String,
        /// The setting that it lacks.
        name: String,
        /// The settings that it has.
        known: String,
    },
    /// A setting that nothing would read.
    #[error("{method} does not use {name}; {reason}")]
    UnusedSetting {
        /// The method asked for.
        method: String,
        /// The setting that was given.
        name: String,
        /// Why nothing reads it, as the end of a sentence.
        reason: String,
    },
    /// A name that the registry does not list.
    #[error("unknown {what} {name:?}; {}", suggested(.name, .known, "there are"))]
    UnknownName {
        /// What kind of thing was looked for: method, data set, optimizer …
        what: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The samples cannot be learned from or predicted, for a reason that no other variant covers.
    #[error("{0}")]
    Data(String),
    /// Two sizes that must agree do not.
    #[error("expected {expected} {what}, found {found}")]
    Shape {
        /// What was counted: labels, feature names …
        what: String,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Arrays that must have the same shape do not.
    #[error("the shapes of arrays do not fit together: {source}")]
    Array {
        /// What the array library says.
        #[from]
        source: ndarray::ShapeError,
    },
    /// There is nothing to work on.
    #[error("{what} is empty")]
    Empty {
        /// What is empty: a data set, a dictionary …
        what: String,
    },
    /// NaN or an infinity where a number is needed.
    #[error("{what}, row {row}, column {column}: {value} is not a finite number")]
    NotFinite {
        /// What holds the value: the samples, the prototypes …
        what: &'static str,
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A label is not the index of a class.
    #[error("row {row} has class index {index}, but there are {classes} classes")]
    ClassIndex {
        /// Row, from 1.
        row: usize,
        /// The index.
        index: i64,
        /// Number of classes.
        classes: usize,
    },
    /// A sample has a weight that is no weight.
    #[error("sample {row} has weight {weight}, expected a finite number ≥ 0")]
    SampleWeight {
        /// Number of the sample, from 1.
        row: usize,
        /// Its weight.
        weight: f64,
    },
    /// The size of the values leaves no digits for distances.
    #[error("{problem}; use scale global or standard")]
    Unscaled {
        /// What is too large or too close together.
        problem: String,
    },
    /// A class cannot be learned, predicted or written.
    #[error("class {class:?} {problem}")]
    Class {
        /// Name of the class.
        class: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two things that go together have different classes.
    #[error("{first} and {second} have different classes")]
    DifferentClasses {
        /// What has one list of classes.
        first: String,
        /// What has the other.
        second: String,
    },
    /// Too few samples or classes for what is asked.
    #[error("{what} needs at least {needed}, found {found}")]
    TooFew {
        /// What needs them.
        what: String,
        /// How many of what are needed.
        needed: String,
        /// What there is.
        found: String,
    },
    /// Parts of a model do not fit each other.
    #[error("the model's {part} does not fit its {to}")]
    ModelParts {
        /// The part that does not fit.
        part: &'static str,
        /// What it should fit.
        to: &'static str,
    },
    /// The model or method cannot do what is asked, whatever the samples.
    #[error("{0}")]
    Unsupported(String),
    /// A data set of the catalogue that is neither shipped nor in the folder given.
    #[error("{set} does not ship with protea, and {}", missing(file, folder.as_deref()))]
    MissingData {
        /// Name of the data set.
        set: String,
        /// The file that is missing.
        file: String,
        /// The folder that was searched, if one was given.
        folder: Option<std::path::PathBuf>,
    },
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
        /// What is wrong with it, with the words of the cause.
        problem: String,
        /// The cause, if it is another error.
        #[source]
        source: Option<Cause>,
    },
    /// A model cannot be turned into the bytes of a file.
    #[error("the model cannot be written: {source}")]
    Encode {
        /// What the format's library says.
        #[source]
        source: Cause,
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
        "sample {row}: {feature} = {value:.3e} is too large to compare with the training data; is it a \"no data\" value?"
    )]
    OutOfRange {
        /// Number of the sample, from 1.
        row: usize,
        /// Name of the feature, or what is known of it.
        feature: String,
        /// The value.
        value: f64,
    },
    /// A matrix has no inverse, no eigenvalues or no Cholesky factor in floating point.
    #[error("a {rows} × {columns} matrix {problem}")]
    Matrix {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// What failed.
        problem: String,
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

/// Where a file of a data set was not found.
fn missing(file: &str, folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => format!("there is no file {file} in the folder {}", folder.display()),
        None => format!("no folder was given that holds {file}"),
    }
}

impl Error {
    /// An error about a setting's value.
    pub fn setting(name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Self {
        Error::Setting { name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// An error about a whole file.
    pub fn file(path: impl AsRef<Path>, problem: impl std::fmt::Display) -> Self {
        let source_name = path.as_ref().display().to_string();
        Error::File { source_name, problem: problem.to_string(), source: None }
    }

    /// The same error about a file, with its cause, whose words the message should already have.
    pub fn because(self, cause: impl Into<Cause>) -> Self {
        match self {
            Error::File { source_name, problem, .. } => {
                Error::File { source_name, problem, source: Some(cause.into()) }
            }
            other => other,
        }
    }

    /// An error about one value of a file.
    pub fn cell(source: &str, row: usize, column: &str, problem: impl Into<String>) -> Self {
        Error::Cell { source_name: source.into(), row, column: column.into(), problem: problem.into() }
    }

    /// An error about the samples that no other variant covers.
    pub fn data(problem: impl Into<String>) -> Self {
        Error::Data(problem.into())
    }

    /// An error about two sizes that must agree.
    pub fn shape(what: impl Into<String>, expected: usize, found: usize) -> Self {
        Error::Shape { what: what.into(), expected, found }
    }

    /// An error about a class.
    pub fn class(class: &str, problem: impl Into<String>) -> Self {
        Error::Class { class: class.into(), problem: problem.into() }
    }

    /// An error about two lists of classes that must agree.
    pub fn different_classes(first: impl Into<String>, second: impl Into<String>) -> Self {
        Error::DifferentClasses { first: first.into(), second: second.into() }
    }

    /// An error about parts of a model that do not fit each other.
    pub fn parts(part: &'static str, to: &'static str) -> Self {
        Error::ModelParts { part, to }
    }

    /// An error about something that a model or method cannot do.
    pub fn unsupported(problem: impl Into<String>) -> Self {
        Error::Unsupported(problem.into())
    }

    /// Refuses weights that are not one for each of `n` samples, or that are negative or not finite.
    pub(crate) fn check_weights(n: usize, weights: &[f64]) -> Result<()> {
        if weights.len() != n {
            return Err(Error::shape("sample weights, one for each row", n, weights.len()));
        }
        match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            Some(i) => Err(Error::SampleWeight { row: i + 1, weight: weights[i] }),
            None => Ok(()),
        }
    }
}

/// `did you mean b?` where one of the known names, separated by commas, is close; otherwise all of them.
fn suggested(name: &str, known: &str, all: &str) -> String {
    match closest(name, known.split(", ")) {
        Some(close) => format!("did you mean {close}?"),
        None => format!("{all} {known}"),
    }
}

/// The known name that differs by the fewest typing errors, where these are few for its length.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = name.to_lowercase();
    let close =
        known.map(|k| (typing_errors(&typed, &k.to_lowercase()), k)).min_by_key(|(errors, _)| *errors);
    close.filter(|(errors, _)| *errors <= name.chars().count().div_ceil(3)).map(|(_, k)| k)
}

/// Letters to insert, delete, replace or swap with the next one to get from `a` to `b`.
pub(crate) fn typing_errors(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut fewest = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            row.push(fewest);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn names_are_suggested_where_they_are_close_and_listed_where_none_is() {
        let unknown = |name: &str| {
            let known = "npc, auto, kmeans, nca".into();
            Error::UnknownName { what: "method", name: name.into(), known }.to_string()
        };
        assert_eq!(unknown("ncp"), "unknown method \"ncp\"; did you mean npc?");
        assert_eq!(unknown("K-Means"), "unknown method \"K-Means\"; did you mean kmeans?");
        assert_eq!(unknown("forest"), "unknown method \"forest\"; there are npc, auto, kmeans, nca");
        assert_eq!(unknown(""), "unknown method \"\"; there are npc, auto, kmeans, nca");
    }

    #[test]
    fn typing_errors_count_swaps_once() {
        for (a, b, errors) in
            [("npc", "npc", 0), ("ncp", "npc", 1), ("", "ab", 2), ("gama", "gamma", 1), ("abc", "bca", 2)]
        {
            assert_eq!((typing_errors(a, b), typing_errors(b, a)), (errors, errors), "{a} {b}");
        }
    }

    #[test]
    fn a_cause_is_quoted_in_the_message_and_kept_as_a_value() {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let error = Error::file("x.csv", format!("cannot be read: {denied}")).because(denied);
        assert_eq!(error.to_string(), "x.csv: cannot be read: permission denied");
        let cause = error.source().and_then(|e| e.downcast_ref::<std::io::Error>());
        assert_eq!(cause.map(|e| e.kind()), Some(std::io::ErrorKind::PermissionDenied));
        assert!(Error::file("x.csv", "is empty").source().is_none());
    }

    #[test]
    fn missing_data_say_where_they_were_looked_for() {
        let error = |folder: Option<&str>| {
            let folder = folder.map(Into::into);
            Error::MissingData { set: "usps".into(), file: "usps.parquet".into(), folder }.to_string()
        };
        assert_eq!(
            error(Some("data")),
            "usps does not ship with protea, and there is no file usps.parquet in the folder data"
        );
        assert_eq!(
            error(None),
            "usps does not ship with protea, and no folder was given that holds usps.parquet"
        );
    }
}
