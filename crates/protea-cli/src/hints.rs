//! What the command line adds to messages of the library, which knows nothing of flags: the flag that does what a message
//! asks for.

use protea::Error;

/// What messages about files ask for, and the flag that does it.
const FLAGS: [(&str, &str); 15] = [
    ("read it as f64", "fit with --precision f64"),
    ("name the label column", "--label"),
    ("give them in a separate file", "--labels"),
    ("replace missing values by the mean or median", "fit with --missing drop, mean or median"),
    ("drop the row", "fit with --missing drop"),
    ("raise the memory limit", "--max-memory"),
    ("name the decimal separator", "--decimal"),
    ("drop it if it is only a row number", "--drop"),
    ("drop it if it is not known beforehand", "--drop"),
    ("drop it if they do not matter", "--drop"),
    ("drop it if it tells nothing", "--drop"),
    ("or name a column of the table", "--label"),
    ("leave out such rows", "fit with --on-error skip, predict with --on-error blank"),
    ("skip lines that start with #", "--comment '#'"),
    ("say that there is no header", "--header no"),
];

/// How the library ends a refusal to write a codebook, and what makes a model that is one.
const CODEBOOK: &str = "which a codebook cannot hold";
const PLAIN: &str =
    "fit with --metric euclidean, --scale global and no other preprocessing, --members 1 and --rule 1-np";

/// An error in one sentence. The message of a library error already has the words of its causes; of other errors, every
/// cause is appended.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let (words, last) = match cause.downcast_ref::<Error>() {
            Some(error) => (with_flags(error), true),
            None => (cause.to_string(), false),
        };
        // Some errors have the words of their cause already.
        if !text.ends_with(&words) {
            text += if text.is_empty() { "" } else { ": " };
            text += &words;
        }
        if last {
            return text;
        }
    }
    text
}

fn with_flags(error: &Error) -> String {
    let text = error.to_string();
    match error {
        Error::MissingData { .. } => format!("{text}; --data-dir or PROTEA_DATA names the folder"),
        Error::File { .. } | Error::Cell { .. } => flags(text),
        Error::Unsupported(why) if why.ends_with(CODEBOOK) => format!("{text}; {PLAIN}"),
        _ => text,
    }
}

/// A sentence about a file with the flag that does what its end asks for.
pub fn flags(text: String) -> String {
    let add = |text: String, (words, flag): &(&str, &str)| match text.strip_suffix(words) {
        Some(before) => format!("{before}{words} ({flag})"),
        None => text,
    };
    FLAGS.iter().fold(text, add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_are_told_once() {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let library = Error::file("x.csv", format!("cannot be read: {denied}")).because(denied);
        assert_eq!(sentence(&library.into()), "x.csv: cannot be read: permission denied");
        let other = Err::<(), _>(std::fmt::Error).context("no threads").unwrap_err();
        assert_eq!(sentence(&other), format!("no threads: {}", std::fmt::Error));
    }

    #[test]
    fn flags_are_added_to_messages_about_files_only() {
        let cell = Error::cell("x.csv", 2, "b", "1e300 is too large for f32; read it as f64");
        let expected =
            "x.csv, row 2, column b: 1e300 is too large for f32; read it as f64 (fit with --precision f64)";
        assert_eq!(sentence(&cell.into()), expected);
        assert_eq!(sentence(&Error::data("read it as f64").into()), "read it as f64");
    }
}
