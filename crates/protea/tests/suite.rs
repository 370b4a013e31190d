//! All tests of the library from the outside, in one binary: generic code is compiled once for all of them.

mod common;
#[path = "../examples/custom_metric.rs"]
#[allow(dead_code)]
mod custom_metric;

mod certify;
mod conformance;
mod decisions;
mod exports;
#[cfg(feature = "datasets")]
mod golden;
mod hostile_models;
mod kernels;
mod layers;
#[cfg(feature = "datasets")]
mod metrics;
#[cfg(feature = "datasets")]
mod models;
mod plans;
mod readers;
mod resume;
mod steps;
mod training;

/// A file that is not named above would never run.
#[test]
fn every_file_is_in_the_suite() {
    let suite = include_str!("suite.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = name.strip_suffix(".rs").filter(|n| *n != "suite") {
            assert!(suite.contains(&format!("\nmod {name};")), "tests/suite.rs lacks mod {name}");
        }
    }
}
