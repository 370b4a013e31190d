//! Models of every method and metric stay what they were: their numbers and answers against a record.
//!
//! `golden/models.txt` has a line for each case: its name, a hash of answers, a hash of all numbers that answers depend on, and the
//! training error. Sums of products differ in their last bits between instruction sets, so hashes are compared where the processor
//! has those of the record; elsewhere errors are, to two percent points. `PROTEA_RECORD=1 cargo test --release --test suite golden` writes
//! the record anew, which a change of numbers must say in CHANGELOG.md.

use ndarray::{Array2, ArrayView2};
use protea::catalog::{self, Part};
use protea::method::METHODS;
use protea::{Dataset, Float, Model, Trainer};
use sha2::{Digest, Sha256};
use std::path::Path;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/models.txt");

/// Short trainings: what is compared is the path, not where it leads.
const SHORT: &[(&str, &str)] = &[
    ("per-class", "2"),
    ("epochs", "3"),
    ("draws", "400"),
    ("learners", "3"),
    ("max-iter", "4"),
    ("gamma-steps", "3"),
    ("calibration", "training"),
];

const METRICS: &[&str] = &["euclidean", "diagonal", "linear", "local", "local-linear", "cdvw", "lmnn", "nca"];

/// Settings of `npc` beyond its metric: one case each, so that every step, start, optimizer and decision is in the record.
const MORE: &[&[(&str, &str)]] = &[
    &[("scale", "standard")],
    &[("scale", "minmax"), ("metric", "diagonal")],
    &[("scale", "none")],
    &[("pca", "5")],
    &[("project", "innlp:4")],
    &[("project", "lda")],
    &[("unit", "true"), ("metric", "linear")],
    &[("init", "sample")],
    &[("init", "boundary")],
    &[("init", "mean"), ("per-class", "1")],
    &[("optimizer", "sgd"), ("average", "0.5")],
    &[("optimizer", "cg"), ("metric", "linear")],
    &[("optimizer", "lbfgs")],
    &[("optimizer", "gd"), ("rate", "0.001")],
    &[("optimizer", "alternating"), ("metric", "linear")],
    &[("members", "2"), ("metric", "linear")],
    &[("members", "2"), ("metric", "local")],
    &[("prune", "2"), ("metric", "local-linear")],
    &[("common-epochs", "2"), ("metric", "local-linear"), ("locality", "prototype")],
    &[("rank", "2"), ("metric", "linear")],
    &[("vary", "0.3"), ("noise", "0.4")],
    &[("rule", "3-np")],
    &[("rule", "soft"), ("posterior", "nearest")],
    &[("posterior", "inverse")],
    &[("holdout", "0.2"), ("patience", "1")],
    &[("keep", "best"), ("freeze-prototypes", "true"), ("metric", "linear")],
    &[("loss", "hinge")],
    &[("loss", "nll")],
];

fn settings<F: Float>(method: &str, values: &[(&str, &str)]) -> Option<Trainer<F>> {
    let mut trainer = Trainer::named(method).unwrap();
    for (name, value) in values {
        trainer = trainer.set(name, value).ok()?;
    }
    let is_fixed = |name: &str| protea::method::method(method).unwrap().is_fixed(name);
    for (name, value) in SHORT.iter().filter(|(n, _)| values.iter().all(|(m, _)| m != n) && !is_fixed(n)) {
        if trainer.reads(name) {
            trainer = trainer.set(name, value).unwrap();
        }
    }
    Some(trainer)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

fn answers(labels: &[usize]) -> String {
    let mut hash = Sha256::new();
    labels.iter().for_each(|&c| hash.update((c as u64).to_le_bytes()));
    hex(hash)
}

fn numbers<F: Float>(model: &Model<F>, x: ArrayView2<F>) -> String {
    let mut hash = Sha256::new();
    let mut add = |v: f64| hash.update(v.to_bits().to_le_bytes());
    model.prototypes().x.iter().for_each(|v| add(v.f64()));
    model.prototypes().y.iter().for_each(|&c| add(c as f64));
    model.importance().iter().for_each(|&v| add(v));
    add(model.gamma());
    model.probabilities(x).unwrap().iter().for_each(|&v| add(v));
    model.evidence(x).unwrap().iter().for_each(|&v| add(v));
    model.neighbours(x, 2).unwrap().iter().flatten().for_each(|n| add(n.distance));
    hex(hash)
}

fn line<F: Float>(case: &str, trainer: &Trainer<F>, data: &Dataset<F>) -> String {
    let model = match trainer.fit(data) {
        Ok(model) => model,
        Err(_) => return format!("{case} | refused"),
    };
    let labels = model.predict(data.x.view()).unwrap();
    let wrong = labels.iter().zip(&data.y).filter(|(a, b)| a != b).count();
    let error = 100.0 * wrong as f64 / data.len() as f64;
    format!("{case} | {} | {} | {error:.2}", answers(&labels), numbers(&model, data.x.view()))
}

fn narrow(data: &Dataset<f64>) -> Dataset<f32> {
    Dataset::new(data.x.mapv(|v| v as f32), data.y.clone(), data.classes.clone()).unwrap()
}

/// Small images: a bar that leans one way or the other, with a little structure around it.
fn bars() -> Dataset<f64> {
    let y: Vec<usize> = (0..60).map(|i| i % 2).collect();
    let x = Array2::from_shape_fn((60, 144), |(i, f)| {
        let (r, c) = (f / 12, f % 12);
        let at = if y[i] == 0 { r } else { 11 - r };
        let near = (c as f64 - at as f64 - (i % 5) as f64 * 0.4).abs();
        (2.0 - near).max(0.0) + ((i * 7 + f * 3) % 11) as f64 * 0.05
    });
    Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap()
}

fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for set in ["wine", "glass", "vehicle"] {
        let data = catalog::load::<f64>(set, Part::All, None).unwrap();
        let small = narrow(&data);
        for method in METHODS.iter().filter(|m| m.name != "auto") {
            for metric in METRICS {
                let Some(trainer) = settings(method.name, &[("metric", metric)]) else { continue };
                lines.push(line(&format!("{set} {} {metric} f64", method.name), &trainer, &data));
                if set == "wine" {
                    let trainer = settings(method.name, &[("metric", metric)]).unwrap();
                    lines.push(line(&format!("{set} {} {metric} f32", method.name), &trainer, &small));
                }
            }
            for variant in method.variants {
                let Some(trainer) = settings(method.name, variant) else { continue };
                lines.push(line(&format!("{set} {} {variant:?} f64", method.name), &trainer, &data));
            }
        }
        for more in MORE {
            let trainer = settings("npc", more).unwrap();
            lines.push(line(&format!("{set} npc {more:?} f64"), &trainer, &data));
        }
    }
    let wine = catalog::load::<f64>("wine", Part::All, None).unwrap();
    let auto = settings("auto", &[]).unwrap();
    lines.push(line("wine auto f64", &auto, &wine));
    for more in [
        &[("hog", "true")][..],
        &[("deskew", "true"), ("augment", "1")],
        &[("deskew", "true"), ("unit", "true"), ("metric", "linear")],
    ] {
        let trainer = settings("npc", more).unwrap();
        lines.push(line(&format!("bars npc {more:?} f64"), &trainer, &bars()));
    }
    lines
}

/// Instruction sets that decide the order of sums.
fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    let has = [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let has: [(&str, bool); 0] = [];
    let names: Vec<&str> = has.iter().filter(|h| h.1).map(|h| h.0).collect();
    format!("{} {}", std::env::consts::ARCH, names.join(" "))
}

#[test]
fn models_are_what_they_were() {
    let (found, here) = (lines(), processor());
    if std::env::var_os("PROTEA_RECORD").is_some() {
        std::fs::create_dir_all(Path::new(RECORD).parent().unwrap()).unwrap();
        std::fs::write(RECORD, format!("# {here}\n{}\n", found.join("\n"))).unwrap();
        return;
    }
    let record = std::fs::read_to_string(RECORD).unwrap();
    let mut expected = record.lines();
    let same = expected.next() == Some(&format!("# {here}"));
    let expected: Vec<&str> = expected.collect();
    let names = |lines: &mut dyn Iterator<Item = String>| lines.collect::<Vec<_>>();
    let name = |l: &str| l.split(" | ").next().unwrap_or_default().to_string();
    assert_eq!(
        names(&mut found.iter().map(|l| name(l))),
        names(&mut expected.iter().map(|l| name(l))),
        "the cases themselves"
    );
    let error = |l: &str| l.rsplit(" | ").next().and_then(|e| e.parse::<f64>().ok());
    let differs = |(found, expected): &(&String, &&str)| match (error(found), error(expected)) {
        (Some(a), Some(b)) if !same => (a - b).abs() > 2.0,
        _ => found.as_str() != **expected,
    };
    let changed: Vec<String> = (found.iter().zip(&expected))
        .filter(|pair| differs(pair))
        .map(|(found, expected)| format!("was {expected}\nis  {found}"))
        .collect();
    assert!(
        changed.is_empty(),
        "{} of {} models changed:\n{}",
        changed.len(),
        found.len(),
        changed.join("\n")
    );
}
