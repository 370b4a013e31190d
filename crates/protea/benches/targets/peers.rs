//! Other programs, asked by scripts of `bench/` that print JSON.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a script of `bench/` reports; says so where there is no interpreter (`flag` names one) or the script fails.
pub fn ask(python: Option<&PathBuf>, flag: &str, script: &str, args: &[&str]) -> Option<Value> {
    let Some(python) = python else {
        println!("{script} {}: left out: name a Python by {flag}, see bench/README.md", args.join(" "));
        return None;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench").join(script);
    let out = match Command::new(python).arg(path).args(args).output() {
        Ok(out) => out,
        Err(e) => {
            println!("{script}: left out: {}: {e}", python.display());
            return None;
        }
    };
    let parsed = serde_json::from_slice(&out.stdout).ok();
    if parsed.is_none() {
        println!("{script}: left out: it failed: {}", String::from_utf8_lossy(&out.stderr));
    }
    parsed
}
