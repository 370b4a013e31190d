//! Exports decide as the model does: folded and quantised plans, and the bytes that protea-core reads.
#![cfg(feature = "datasets")]

use protea::catalog::{self, Part};
use protea::export::{EXPORTS, ExportOptions, Quantize, export, exported_plan, named};
use protea::plan::{Bits, Op, Plan};
use protea::{Dataset, Float, Model, Trainer};
use protea_core::Model as Compiled;

const SHORT: &[(&str, &str)] =
    &[("per-class", "3"), ("epochs", "3"), ("draws", "300"), ("learners", "3"), ("max-iter", "3")];

/// Every metric, step and decision that lowers to a plan.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("kmeans", &[]),
    ("knn", &[("rule", "5-np")]),
    ("npc", &[("metric", "diagonal"), ("scale", "minmax")]),
    ("npc", &[("metric", "linear"), ("pca", "4")]),
    ("npc", &[("scale", "raw")]),
    ("npc", &[("project", "lda"), ("unit", "true")]),
    ("npc", &[("encode", "ple:4"), ("metric", "linear")]),
    ("npc", &[("scale", "robust")]),
    ("npc", &[("rule", "soft")]),
    ("npc", &[("rule", "soft"), ("posterior", "nearest")]),
    ("npc", &[("posterior", "inverse")]),
    ("npc", &[("members", "3")]),
    ("npc", &[("members", "3"), ("metric", "local-linear")]),
    ("lpd", &[]),
    ("pnn", &[("rounds", "2")]),
    ("epnn", &[]),
    ("knn", &[("metric", "cdvw")]),
];

fn fit<F: Float>(method: &str, values: &[(&str, &str)], data: &Dataset<F>) -> Model<F> {
    let named = Trainer::named(method).unwrap();
    let trainer = values.iter().fold(named, |t, (name, value)| t.set(name, value).unwrap());
    let given = |name: &str| values.iter().any(|(n, _)| *n == name) || trainer.method().is_fixed(name);
    let short: Vec<_> = SHORT.iter().filter(|(n, _)| !given(n) && trainer.reads(n)).collect();
    short.into_iter().fold(trainer, |t, (name, value)| t.set(name, value).unwrap()).fit(data).unwrap()
}

fn glass<F: Float>() -> Dataset<F> {
    catalog::load("glass", Part::All, None).unwrap()
}

fn row<F: Float>(data: &Dataset<F>, i: usize) -> Vec<f64> {
    data.x.row(i).iter().map(|v| v.f64()).collect()
}

/// Whether the two most probable classes are as good as equal.
fn near_tie(probabilities: &[f64]) -> bool {
    let mut sorted = probabilities.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted[0] - sorted[1] < 1e-3
}

/// Steps that linear operations cannot be folded across.
fn nonlinear(plan: &Plan) -> usize {
    let is = |op: &&Op| matches!(op, Op::Unit | Op::PiecewiseLinear { .. } | Op::SmoothClip { .. });
    plan.ops.iter().filter(is).count()
}

#[test]
fn folding_changes_no_answer() {
    let data = glass::<f64>();
    for (method, values) in CASES {
        let case = format!("{method} {values:?}");
        let plan = fit(method, values, &data).plan().unwrap();
        let folded = plan.folded();
        let linear = |op: &&Op| matches!(op, Op::Scale { .. } | Op::Affine { .. });
        assert!(folded.ops.iter().filter(linear).count() <= 1 + nonlinear(&plan), "{case}");
        assert_eq!(folded.folded(), folded, "{case}");
        for i in 0..data.len() {
            let (a, b) = (plan.answer(&row(&data, i)), folded.answer(&row(&data, i)));
            assert!(a.class == b.class || near_tie(&a.probabilities), "{case}, row {i}");
            let far =
                a.probabilities.iter().zip(&b.probabilities).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-6, "{case}, row {i}: {far:e}");
        }
    }
}

/// Share of rows that a plan in whole numbers answers as the model does.
fn same(plan: &Plan, rounded: &Plan, data: &Dataset<f32>) -> f64 {
    let equal = |i: &usize| plan.answer(&row(data, *i)).class == rounded.answer(&row(data, *i)).class;
    (0..data.len()).filter(equal).count() as f64 / data.len() as f64
}

#[test]
fn whole_numbers_answer_alike() {
    let data = glass::<f32>();
    let mut refused = 0;
    for (method, values) in CASES {
        let plan = fit(method, values, &data).plan().unwrap();
        let (Ok(eight), Ok(sixteen)) = (plan.quantized(Bits::Eight), plan.quantized(Bits::Sixteen)) else {
            refused += 1;
            continue;
        };
        let (eight, sixteen) = (same(&plan, &eight, &data), same(&plan, &sixteen, &data));
        assert!(eight > 0.93 && sixteen > 0.98, "{method} {values:?}: {eight} {sixteen}");
    }
    assert_eq!(refused, 3, "metrics that differ between prototypes");
}

/// Answers of the compiled model: the class and the probabilities of a row.
fn ask(model: &Compiled, row: &[f64]) -> (usize, Vec<f64>) {
    let sample: Vec<f32> = row.iter().map(|&v| v as f32).collect();
    let (mut scratch, mut q) = (vec![0.0; model.scratch()], vec![0.0; model.classes()]);
    let class = model.predict(&sample, &mut scratch).unwrap();
    model.probabilities(&sample, &mut scratch, &mut q).unwrap();
    (class, q.into_iter().map(f64::from).collect())
}

#[test]
fn compiled_models_answer_as_their_plans() {
    let data = glass::<f32>();
    let format = named("rust").unwrap();
    let mut compared = 0;
    for (method, values) in CASES {
        let model = fit(method, values, &data);
        for quantize in [None, Some(Quantize::Int8), Some(Quantize::Int16)] {
            let options = ExportOptions { quantize, ..ExportOptions::default() };
            let case = format!("{method} {values:?} {quantize:?}");
            let files = match export(&model, "rust", &options) {
                Ok(files) => files,
                Err(e) => {
                    assert!(e.to_string().contains("cannot"), "{case}: {e}");
                    continue;
                }
            };
            compared += 1;
            let (plan, compiled) =
                (exported_plan(&model, format, &options).unwrap(), Compiled::parse(&files[0].bytes).unwrap());
            assert_eq!(compiled.class_name(1).unwrap(), model.classes()[1]);
            let votes = plan.ops.iter().any(|op| matches!(op, Op::Vote { .. }));
            for i in 0..data.len() {
                let (answer, (class, q)) = (plan.answer(&row(&data, i)), ask(&compiled, &row(&data, i)));
                // Votes over distances in whole numbers are exact.
                let exact = votes && quantize.is_some() && nonlinear(&plan) == 0;
                assert!(
                    class == answer.class || (!exact && near_tie(&answer.probabilities)),
                    "{case}, row {i}"
                );
                let far = q.iter().zip(&answer.probabilities).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                // A step that is not linear may round to the next of 255 numbers in another element type.
                let tolerance =
                    if quantize == Some(Quantize::Int8) && nonlinear(&plan) > 0 { 1e-2 } else { 2e-3 };
                assert!(far < tolerance, "{case}, row {i}: {far:e}");
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// Whatever happens to the bytes, they are refused or answered; nothing panics, nothing overflows.
#[test]
fn damaged_bytes_are_refused_or_answer() {
    let data = glass::<f32>();
    let sample: Vec<f32> = data.x.row(0).to_vec();
    let (mut state, mut refused, mut answered) = (7u64, 0, 0);
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    type Case = (&'static str, &'static [(&'static str, &'static str)], Option<Quantize>);
    let cases: [Case; 4] = [
        ("kmeans", &[], None),
        ("npc", &[("metric", "linear"), ("rule", "3-np")], Some(Quantize::Int8)),
        ("npc", &[("members", "2")], None),
        ("lpd", &[("unit", "true")], None),
    ];
    for (method, values, quantize) in cases {
        let options = ExportOptions { quantize, ..ExportOptions::default() };
        let bytes = export(&fit(method, values, &data), "rust", &options).unwrap().remove(0).bytes;
        for n in 0..bytes.len() {
            assert!(Compiled::parse(&bytes[..n]).is_err(), "cut to {n} bytes");
        }
        for _ in 0..20_000 {
            let mut damaged = bytes.clone();
            for _ in 0..=random(3) {
                // Headers, where most of the danger is, as often as tables.
                let at = if random(2) == 0 { random(120.min(bytes.len())) } else { random(bytes.len()) };
                damaged[at] = [0, 1, 0x7f, 0x80, 0xff, random(256) as u8][random(6)];
            }
            match Compiled::parse(&damaged) {
                Err(_) => refused += 1,
                Ok(model) if model.scratch() < 10_000 && model.features() == sample.len() => {
                    let (mut scratch, mut q) = (vec![0.0; model.scratch()], vec![0.0; model.classes()]);
                    assert!(model.predict(&sample, &mut scratch).unwrap() < model.classes());
                    model.probabilities(&sample, &mut scratch, &mut q).unwrap();
                    answered += 1;
                }
                Ok(_) => (),
            }
        }
    }
    assert!(refused > 1000 && answered > 1000, "{refused} {answered}");
}

#[test]
fn wrong_calls_of_compiled_models_are_refused() {
    let data = glass::<f32>();
    let bytes =
        export(&fit("kmeans", &[], &data), "rust", &ExportOptions::default()).unwrap().remove(0).bytes;
    let model = Compiled::parse(&bytes).unwrap();
    let (sample, mut scratch) = (data.x.row(0).to_vec(), vec![0.0; model.scratch()]);
    let error = |result: Result<usize, protea_core::Error>| result.unwrap_err().to_string();
    assert_eq!(error(model.predict(&sample[1..], &mut scratch)), "the model expects 9 features, found 8");
    let short = error(model.predict(&sample, &mut scratch[1..]));
    assert!(short.contains("needs scratch memory for"), "{short}");
    let newer = [&bytes[..4], &[9, 0], &bytes[6..]].concat();
    assert!(Compiled::parse(&newer).unwrap_err().to_string().contains("update protea-core"));
    assert_eq!(
        Compiled::parse(b"{}").unwrap_err().to_string(),
        "the bytes are not a compiled model of protea"
    );
}

/// Every format writes every plan, or says in a sentence what it cannot hold; a coder has no plan.
#[test]
fn every_format_writes_or_refuses() {
    let data = glass::<f32>();
    let models: Vec<_> = CASES.iter().map(|(method, values)| (method, fit(method, values, &data))).collect();
    for format in EXPORTS {
        let mut written = 0;
        for (method, model) in &models {
            match export(model, format.name(), &ExportOptions::default()) {
                Ok(files) => {
                    written += 1;
                    assert!(files.iter().all(|f| !f.bytes.is_empty()), "{} {method}", format.name());
                }
                Err(e) => {
                    let e = e.to_string();
                    assert!(
                        e.starts_with("this model has ") && e.ends_with("cannot hold"),
                        "{}: {e}",
                        format.name()
                    );
                }
            }
        }
        let most = if format.name() == "lvq-pak" { 1 } else { models.len() - 2 };
        assert!(written >= most, "{}: {written}", format.name());
        let coder = fit("inn", &[], &data);
        let error = export(&coder, format.name(), &ExportOptions::default()).unwrap_err().to_string();
        assert!(error.contains("decides by codes over its prototypes"), "{error}");
    }
    let unknown = named("pmml").err().unwrap().to_string();
    assert!(unknown.starts_with("unknown export format \"pmml\"; there are onnx, c"), "{unknown}");
    let options = ExportOptions { quantize: Some(Quantize::Int8), ..ExportOptions::default() };
    let error = export(&models[0].1, "onnx", &options).unwrap_err().to_string();
    assert!(error.contains("the format onnx holds no quantised numbers; those that do are c"), "{error}");
}
