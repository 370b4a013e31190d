//! A model's plan answers as the model does: every row, for every method, metric, step and decision.

use ndarray::Array2;
use protea::catalog::{self, Part};
use protea::method::METHODS;
use protea::{Dataset, Float, Trainer};

const SHORT: &[(&str, &str)] =
    &[("per-class", "3"), ("epochs", "3"), ("draws", "300"), ("learners", "3"), ("max-iter", "3")];

const METRICS: &[&str] = &["euclidean", "diagonal", "linear", "local", "local-linear", "cdvw", "lmnn", "nca"];

fn narrow(data: &Dataset<f64>) -> Dataset<f32> {
    Dataset::new(data.x.mapv(|v| v as f32), data.y.clone(), data.classes.clone()).unwrap()
}

fn trainer<F: Float>(method: &str, values: &[(&str, &str)]) -> Option<Trainer<F>> {
    let named = Trainer::named(method).unwrap();
    let trainer = values.iter().try_fold(named, |t, (name, value)| t.set(name, value).ok())?;
    let given = |name: &str| values.iter().any(|(n, _)| *n == name) || trainer.method().is_fixed(name);
    let short: Vec<_> = SHORT.iter().filter(|(n, _)| !given(n) && trainer.reads(n)).collect();
    short.into_iter().try_fold(trainer, |t, (name, value)| t.set(name, value).ok())
}

/// Compares plan and model; false where the method cannot have these settings, or decides by codes.
fn agrees<F: Float>(case: &str, trainer: &Trainer<F>, data: &Dataset<F>) -> bool {
    let Ok(model) = trainer.fit(data) else { return false };
    if model.coding().is_some() {
        assert!(model.plan().unwrap_err().to_string().contains("codes"), "{case}");
        return false;
    }
    let plan = model.plan().unwrap();
    let (labels, q) = (model.predict(data.x.view()).unwrap(), model.probabilities(data.x.view()).unwrap());
    let tolerance = if F::NAME == "f64" { 1e-6 } else { 2e-2 };
    for (i, row) in data.x.rows().into_iter().enumerate() {
        let answer = plan.answer(&row.iter().map(|v| v.f64()).collect::<Vec<_>>());
        assert_eq!(answer.class, labels[i], "{case}, row {i}: {:?}", answer.probabilities);
        for (a, b) in answer.probabilities.iter().zip(q.row(i)) {
            assert!(
                (a - b).abs() < tolerance,
                "{case}, row {i}: {:?} against {}",
                answer.probabilities,
                q.row(i)
            );
        }
    }
    true
}

#[test]
fn every_method_under_every_metric() {
    let wide = catalog::load::<f64>("wine", Part::All, None).unwrap();
    let thin = narrow(&wide);
    let mut compared = 0;
    for method in METHODS.iter().filter(|m| m.name != "auto") {
        for metric in METRICS {
            let case = format!("{} {metric}", method.name);
            if let Some(trainer) = trainer(method.name, &[("metric", metric)]) {
                compared += usize::from(agrees(&case, &trainer, &wide));
            }
            if let Some(trainer) = trainer(method.name, &[("metric", metric)]) {
                compared += usize::from(agrees(&format!("{case} f32"), &trainer, &thin));
            }
        }
    }
    assert!(compared > 120, "{compared}");
}

#[test]
fn every_step_and_decision() {
    let data = catalog::load::<f64>("glass", Part::All, None).unwrap();
    for (method, values) in [
        ("npc", &[("scale", "minmax"), ("metric", "diagonal")][..]),
        ("npc", &[("scale", "raw")]),
        ("npc", &[("pca", "4"), ("metric", "linear")]),
        ("npc", &[("scale", "robust")]),
        ("npc", &[("encode", "ple:6"), ("metric", "linear")]),
        ("glvq", &[("encode", "tree:6"), ("scale", "standard")]),
        ("npc", &[("project", "lda"), ("unit", "true")]),
        ("npc", &[("rule", "3-np")]),
        ("npc", &[("rule", "soft")]),
        ("npc", &[("rule", "soft"), ("posterior", "nearest")]),
        ("npc", &[("posterior", "inverse")]),
        ("npc", &[("members", "3"), ("metric", "local-linear")]),
        ("pnn", &[("rounds", "2")]),
        ("epnn", &[("code", "dense")]),
        ("epnn", &[("rule", "1-np")]),
        ("knn", &[("rule", "5-np")]),
    ] {
        assert!(agrees(&format!("{method} {values:?}"), &trainer(method, values).unwrap(), &data));
    }
}

#[test]
fn images() {
    let y: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let pixel = |i: usize, f: usize| {
        let (r, c) = (f / 12, f % 12);
        let at = if y[i] == 0 { r } else { 11 - r };
        (2.0 - (c as f64 - at as f64 - (i % 5) as f64 * 0.4).abs()).max(0.0)
            + ((i * 7 + f * 3) % 11) as f64 * 0.05
    };
    let x = Array2::from_shape_fn((40, 144), |(i, f)| pixel(i, f));
    let data = Dataset::new(x, y.clone(), vec!["a".into(), "b".into()]).unwrap();
    for values in [&[("hog", "true")][..], &[("deskew", "true"), ("pca", "10")]] {
        assert!(agrees(&format!("{values:?}"), &trainer("npc", values).unwrap(), &data));
    }
}

/// Weights of classes change the answer of model and plan alike.
#[test]
fn class_weights() {
    let data = catalog::load::<f64>("glass", Part::All, None).unwrap();
    let model = trainer::<f64>("npc", &[("posterior", "nearest")]).unwrap().fit(&data).unwrap();
    let weighted = model.clone().with_class_weights(&[1.0, 5.0, 1.0, 1.0, 1.0, 0.2]).unwrap();
    let (plan, labels) = (weighted.plan().unwrap(), weighted.predict(data.x.view()).unwrap());
    let answers: Vec<usize> = data.x.rows().into_iter().map(|r| plan.answer(&r.to_vec()).class).collect();
    assert_eq!(answers, labels);
    assert_ne!(labels, model.predict(data.x.view()).unwrap());
}
