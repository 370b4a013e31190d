//! The library's modules use each other in one direction: the order that `lib.rs` draws.
//!
//! Every `crate::module` outside of tests is an edge. A module may use those of earlier lines, itself, and modules of its own line
//! that an arrow points from. There are no exceptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The picture of `lib.rs`, line by line; `a -> b` lets `b` use `a` within their line.
fn order() -> Vec<Vec<Vec<String>>> {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let picture = lib.split("```text").nth(1).unwrap().split("```").next().unwrap();
    let lines = picture.lines().map(|l| l.trim_start_matches("//!").trim_end()).filter(|l| !l.is_empty());
    let line = |line: &str| {
        // Two spaces stand between modules, more before the words that explain them.
        let names = line.trim_start().split("    ").next().unwrap_or_default().to_string();
        let groups = names.split("  ").filter(|g| !g.trim().is_empty());
        groups.map(|g| g.split("->").map(|m| m.trim().to_string()).collect()).collect()
    };
    lines.map(line).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut all: Vec<PathBuf> = entries.flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] }).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "rs"));
    all.sort();
    all
}

/// Modules that a source file names after `crate::`, tests and comments apart.
fn used(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let body = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    for line in body.lines().filter(|l| !l.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push(name);
        }
        // `use crate::{data, Error}` names modules in braces.
        if let Some(list) = line.trim().strip_prefix("use crate::{") {
            let names = list.trim_end_matches("};").split(',');
            found.extend(names.map(|n| n.trim().split("::").next().unwrap_or_default().to_string()));
        }
    }
    found
}

/// Types that the crate's root shows under its own name, and the module that they are of.
fn home(name: &str) -> &str {
    match name {
        "Error" | "Result" => "error",
        "Float" => "float",
        "Setting" | "SettingValue" | "Values" => "settings",
        "rng" | "normal_pair" => "random",
        "Dataset" => "data",
        "Model" => "model",
        "Trainer" => "train",
        other => other,
    }
}

#[test]
fn modules_use_earlier_ones_only() {
    let order = order();
    let mut place = BTreeMap::new();
    for (line, groups) in order.iter().enumerate() {
        for (g, group) in groups.iter().enumerate() {
            for (k, module) in group.iter().enumerate() {
                place.insert(module.clone(), (line, g, k));
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for file in files(&src) {
        let relative = file.strip_prefix(&src).unwrap();
        let module = relative.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string();
        if module == "lib" || relative.ends_with("tests.rs") {
            continue;
        }
        let own = *place.get(&module).unwrap_or_else(|| panic!("{module} is not in the picture of lib.rs"));
        seen.insert(module.clone());
        for name in used(&std::fs::read_to_string(&file).unwrap()) {
            let name = home(&name).to_string();
            let Some(&other) = place.get(&name) else { continue };
            let allowed = name == module
                || other.0 < own.0
                || (other.0 == own.0 && other.1 == own.1 && other.2 < own.2);
            if !allowed {
                wrong.push(format!("{} uses {name}", relative.display()));
            }
        }
    }
    assert_eq!(seen.len(), place.len(), "the picture names modules that there are not");
    assert!(wrong.is_empty(), "against the order of lib.rs:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_in_tests_and_comments_is_no_use() {
    let source = "use crate::{data, Error};\n// crate::model\nfn f() { crate::io::read() }\n#[cfg(test)]\nmod tests { use crate::train; }";
    assert_eq!(used(source), ["", "data", "Error", "io"]);
}

/// Two public things never share a name, wherever they live.
#[test]
fn public_types_have_names_of_their_own() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files(&src) {
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next() != Some("pub")
                || !matches!(words.next(), Some("struct" | "enum" | "trait" | "type"))
            {
                continue;
            }
            let name = words.next().unwrap_or("").split(|c: char| !c.is_alphanumeric()).next().unwrap();
            if !name.is_empty() {
                homes
                    .entry(name.into())
                    .or_default()
                    .push(file.strip_prefix(&src).unwrap().display().to_string());
            }
        }
    }
    assert!(homes.len() > 100);
    homes.retain(|_, homes| homes.len() > 1);
    assert!(homes.is_empty(), "names of several types: {homes:?}");
}
