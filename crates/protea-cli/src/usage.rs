//! What is said when the command line is not understood: one sentence that names what was meant.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::exit;

/// Words that people try, and the verb for each.
const WORDS: &[(&str, &[&str])] = &[
    ("fit", &["train", "learn", "build", "create", "new", "update", "resume"]),
    ("predict", &["classify", "apply", "infer", "inference", "run", "answer", "explain", "label"]),
    ("eval", &["evaluate", "test", "score", "validate", "measure", "check"]),
    ("compare", &["cv", "cross-validate", "crossval", "benchmark", "bench", "search", "tune", "grid"]),
    ("inspect", &["show", "info", "view", "print", "cat", "summary", "prototypes"]),
    ("report", &["html", "page", "dashboard"]),
    ("plot", &["draw", "figure", "chart", "picture"]),
    ("export", &["convert", "write", "save"]),
    ("represent", &["encode", "code"]),
    ("transform", &["project", "scale", "preprocess"]),
    ("methods", &["list", "ls", "algorithms", "models", "settings"]),
];

/// Prints the help, the version or what is wrong, and ends the program.
pub fn refuse(error: clap::Error) -> ! {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let sentence = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand);
            let meant = WORDS.iter().find(|(_, words)| words.contains(&word.to_lowercase().as_str()));
            meant.map(|(verb, _)| {
                format!("there is no command {word:?}; did you mean {verb}? See: protea {verb} --help")
            })
        }
        ErrorKind::MissingRequiredArgument => {
            let usage = error.get(ContextKind::Usage).map_or(String::new(), |u| u.to_string());
            let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
            let usage = usage.trim_start_matches("Usage: ");
            Some(format!("{} is missing; the command is: {usage}", text(ContextKind::InvalidArg)))
        }
        _ => None,
    };
    match sentence {
        Some(sentence) => {
            crate::complain("error", &sentence);
            exit(2)
        }
        None => error.exit(),
    }
}
