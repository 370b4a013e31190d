//! What the tests of the binary share.
#![allow(dead_code, reason = "every test file uses a part of it")]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub const PROTEA: &str = env!("CARGO_BIN_EXE_protea");

/// A folder of its own for each test, where commands run.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(PROTEA);
        command.args(line.split_whitespace()).current_dir(self.0.path()).env_remove("PROTEA_DATA");
        command
    }

    /// A command that hears signals, also where these tests run with some of them ignored, as in the background of a shell.
    pub fn interruptible(&self, line: &str) -> Command {
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM,HUP").arg(PROTEA).args(line.split_whitespace());
        command.current_dir(self.0.path()).env_remove("PROTEA_DATA");
        command
    }

    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Standard output of a command that must succeed.
    pub fn ok(&self, line: &str) -> String {
        let out = self.run(line);
        assert_eq!(out.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{line} --json"))).unwrap()
    }

    /// The one line that a command leaves on standard error when it ends with `code`.
    pub fn refused(&self, code: i32, line: &str) -> String {
        let out = self.run(line);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(code), "{line}: {error}");
        assert!(error.starts_with("error: ") && !error.contains("bug"), "{line}: {error}");
        assert!(out.stdout.is_empty(), "{line}");
        if code == 1 {
            assert_eq!(error.lines().count(), 1, "{line}: {error}");
        }
        error
    }

    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Flowers with a column of text and quoted class names; two are told apart by length, one by colour.
pub fn flowers(rows: usize) -> String {
    let mut text = String::from("length,colour,width,kind\n");
    for i in 0..rows {
        let (length, wobble) = ((i % 3) as f64, (i * 7 % 11) as f64 / 20.0);
        let (colour, kind) = [("red", "\"rose, wild\""), ("blue", "violet"), ("red", "tulip")][i % 3];
        text += &format!("{},{colour},{},{kind}\n", length + wobble, 3.0 - wobble);
    }
    text
}

/// Labels of a CSV of predictions.
pub fn labels(csv_text: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv_text.as_bytes());
    reader.records().map(|r| r.unwrap()[0].to_string()).collect()
}

/// A command with `input` on its standard input.
pub fn piped(f: &Folder, line: &str, input: &[u8]) -> Output {
    let mut command = f.command(line);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
    let out = child.wait_with_output().unwrap();
    // A command that has refused its input does not read it.
    let _ = writer.join().unwrap();
    out
}
