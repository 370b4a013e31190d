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
}
