//! What every method of the registry must do, under every metric; a new method is tested before its author writes a test.

#[path = "../examples/custom_objective.rs"]
#[allow(dead_code)]
mod custom_objective;

use crate::common;
use crate::custom_metric;

use common::{clouds, narrow, uniform};
use ndarray::Array2;
use protea::data::ClassLayout;
use protea::method::{METHODS, Method};
use protea::metric::{Euclidean, Linear, Local, LocalLinear, Mahalanobis, Metric};
use protea::objective::{AnyObjective, Objective, Sample};
use protea::optim::Problem;
use protea::train::TrainingProblem;
use protea::{Dataset, Float, Model, SettingValue, Trainer, Values};

/// Three classes with 2, 1 and 3 prototypes.
fn layout() -> ClassLayout {
    ClassLayout::new(&[0, 0, 1, 2, 2, 2], 3)
}

/// Every objective of the registry, with its defaults and its variants.
fn objectives() -> Vec<(String, Box<dyn AnyObjective>)> {
    let mut all: Vec<(String, Box<dyn AnyObjective>)> = Vec::new();
    for method in METHODS {
        for settings in std::iter::once(&[][..]).chain(method.variants.iter().copied()) {
            let values: Values = settings.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            let Some(objective) = method.objective(&values).unwrap() else { continue };
            all.push((format!("{} {settings:?}", method.name), objective));
        }
    }
    assert!(!all.is_empty());
    all.push(("examples/custom_objective".into(), Box::new(custom_objective::NearestHinge)));
    all
}

/// A metric of each kind for the prototypes of [`layout`] with `dim` features.
fn metrics<F: Float>(dim: usize) -> Vec<(&'static str, Box<dyn Metric<F>>)> {
    let a = uniform(dim * dim, 11);
    let matrix = |r: usize| {
        Array2::from_shape_fn((r, dim), |(i, j)| F::of(a[i * dim + j] + f64::from(u8::from(i == j))))
    };
    let weights = uniform(6 * dim, 12);
    let weights = Array2::from_shape_fn((6, dim), |(j, f)| F::of(1.2 + weights[j * dim + f]));
    let row: Vec<F> = weights.row(0).to_vec();
    let classes = layout();
    let single: Vec<_> = (0..6).map(|j| j..j + 1).collect();
    vec![
        ("euclidean", Box::new(Euclidean::new(dim))),
        ("linear", Box::new(Linear::new(&matrix(dim)))),
        ("linear, low rank", Box::new(Linear::new(&matrix(2)))),
        ("diagonal", Box::new(Linear::diagonal(&row))),
        ("local", Box::new(Local::new(&weights))),
        ("local-linear of classes", Box::new(LocalLinear::new(classes.ranges(), &matrix(dim)))),
        ("local-linear of prototypes, low rank", Box::new(LocalLinear::new(&single, &matrix(2)))),
        ("mahalanobis", Box::new(Mahalanobis::new(&matrix(dim)))),
        (
            "examples/custom_metric",
            Box::new(custom_metric::Robust { v: weights.row(1).to_vec(), p: Vec::new() }),
        ),
    ]
}

fn loss(o: &dyn Objective<f64>, d: &[f64], y: usize, gamma: f64) -> (f64, Vec<f64>) {
    let classes = layout();
    let (mut g, mut per_class) = (vec![f64::NAN; d.len()], vec![0.0; 6]);
    let l = o.loss(&Sample { d, y, classes: &classes, gamma }, &mut g, &mut per_class);
    (l, g)
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn derivatives_by_distances_match_central_differences() {
    for (name, objective) in objectives() {
        let o = f64::pick(&*objective);
        for seed in 0..20 {
            let d: Vec<f64> = uniform(6, seed).iter().map(|v| 1.0 + v).collect();
            for (y, gamma) in [(0, 0.7), (1, 2.0), (2, 5.0)] {
                let (_, g) = loss(o, &d, y, gamma);
                for j in 0..6 {
                    let at = |h: f64| {
                        let mut d = d.clone();
                        d[j] += h;
                        loss(o, &d, y, gamma).0
                    };
                    let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
                    assert!(close(g[j], numeric, 1e-6), "{name}: {} against {numeric}", g[j]);
                }
            }
        }
    }
}

#[test]
fn gradients_by_prototypes_and_metric_match_central_differences() {
    let data = clouds(30, 4, 3, 5);
    let weights: Vec<f64> = uniform(data.len(), 6).iter().map(|v| 1.5 + v).collect();
    let classes = layout();
    for (name, objective) in objectives() {
        for (kind, metric) in metrics::<f64>(4) {
            let o = f64::pick(&*objective);
            let mut problem =
                TrainingProblem::new(data.x.view(), &data.y, Some(&weights), &classes, o, metric);
            problem.set_gamma(1.3);
            let theta = problem.pack(&uniform(24, 7));
            let mut g = vec![0.0; theta.len()];
            problem.evaluate(&theta, &mut g);
            let mut ignored = vec![0.0; theta.len()];
            for j in 0..theta.len() {
                let mut at = |h: f64| {
                    let mut theta = theta.clone();
                    theta[j] += h;
                    problem.evaluate(&theta, &mut ignored)
                };
                let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!(
                    close(g[j], numeric, 1e-6),
                    "{name}, {kind}, parameter {j}: {} against {numeric}",
                    g[j]
                );
            }
        }
    }
}

#[test]
fn both_element_types_agree() {
    let wide = clouds(300, 4, 3, 5);
    let thin = narrow(&wide);
    let classes = layout();
    for (name, objective) in objectives() {
        let start = uniform(24, 7);
        for ((kind, a), (_, b)) in metrics::<f64>(4).into_iter().zip(metrics::<f32>(4)) {
            let mut wide =
                TrainingProblem::new(wide.x.view(), &wide.y, None, &classes, f64::pick(&*objective), a);
            let mut thin =
                TrainingProblem::new(thin.x.view(), &thin.y, None, &classes, f32::pick(&*objective), b);
            let theta = wide.pack(&start);
            let (mut g, mut h) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
            let (l, k) = (wide.evaluate(&theta, &mut g), thin.evaluate(&theta, &mut h));
            assert!(close(l, k, 1e-5), "{name}, {kind}: {l} against {k}");
            assert!(g.iter().zip(&h).all(|(a, b)| (a - b).abs() < 2e-5), "{name}, {kind}");
        }
    }
}

#[test]
fn extreme_distances_stay_finite() {
    let rows: [[f64; 6]; 6] = [
        [0.0; 6],
        [0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
        [1e12; 6],
        [1e-12; 6],
        [1e-12, 1e12, 1e12, 1e-12, 1e12, 1e12],
        [1e12, 1e12, 1e-12, 1e12, 0.0, 1e12],
    ];
    for (name, objective) in objectives() {
        for d in &rows {
            for gamma in [1e-12, 1.0, 1e12] {
                for y in 0..3 {
                    let (l, g) = loss(f64::pick(&*objective), d, y, gamma);
                    assert!(
                        l.is_finite() && g.iter().all(|v| v.is_finite()),
                        "{name}: {d:?} γ {gamma} gives {l}, {g:?}"
                    );
                    assert!(l >= -1e-9, "{name}: a loss below its floor, {l}");
                }
            }
        }
    }
}

#[test]
fn permuting_prototypes_of_a_class_permutes_the_derivative() {
    for (name, objective) in objectives() {
        let d: Vec<f64> = uniform(6, 3).iter().map(|v| 1.0 + v).collect();
        let order = [1, 0, 2, 5, 3, 4];
        let shuffled: Vec<f64> = order.iter().map(|&j| d[j]).collect();
        for y in 0..3 {
            let (l, g) = loss(f64::pick(&*objective), &d, y, 2.0);
            let (k, h) = loss(f64::pick(&*objective), &shuffled, y, 2.0);
            assert!(close(l, k, 1e-12), "{name}");
            assert!(order.iter().zip(&h).all(|(&j, h)| close(g[j], *h, 1e-12)), "{name}");
        }
    }
}

/// A trainer for a quick run of every method, with a metric it can have.
fn quick(method: &Method, metric: &str) -> Trainer<f32> {
    let mut trainer = Trainer::named(method.name).unwrap();
    // Choosing settings is many trainings, and has tests of its own.
    for open in method.open {
        trainer = trainer.set(open.name, open.candidates[0]).unwrap();
    }
    trainer = trainer.set("metric", metric).unwrap();
    let short = [
        ("epochs", "5"),
        ("draws", "500"),
        ("learners", "3"),
        ("per-class", "3"),
        ("calibration", "training"),
    ];
    for (name, value) in short {
        if trainer.reads(name) && !method.is_fixed(name) {
            trainer = trainer.set(name, value).unwrap();
        }
    }
    trainer
}

fn methods_and_metrics() -> impl Iterator<Item = (&'static Method, String)> {
    // What searches among the others is many trainings, under every metric the same way.
    let most = |m: &Method| if m.learns_by() == "search" { 1 } else { m.metrics.len() };
    METHODS.iter().flat_map(move |m| m.metrics.iter().take(most(m)).map(move |k| (m, k.show())))
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let data = narrow(&clouds(400, 5, 3, 2));
    for (method, metric) in methods_and_metrics() {
        let files: Vec<Vec<u8>> = [1, 2, 7]
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let trainer = quick(method, &metric).set("calibration", "held-out").unwrap();
                pool.install(|| trainer.fit(&data).unwrap().to_bytes().unwrap())
            })
            .into();
        assert!(files[0] == files[1] && files[0] == files[2], "{} {metric}", method.name);
    }
}

#[test]
fn saving_and_loading_changes_no_bit() {
    let data = narrow(&clouds(100, 6, 3, 4));
    for (method, metric) in methods_and_metrics() {
        let trainer = quick(method, &metric).set("pca", "4").unwrap();
        let model = trainer.fit(&data).unwrap();
        let bytes = model.to_bytes().unwrap();
        let back = Model::<f32>::from_bytes(&bytes, "memory").unwrap();
        assert!(bytes == back.to_bytes().unwrap(), "{} {metric}", method.name);
        assert_eq!(model.predict(data.x.view()).unwrap(), back.predict(data.x.view()).unwrap());
        assert_eq!(model.probabilities(data.x.view()).unwrap(), back.probabilities(data.x.view()).unwrap());
        let error = Model::<f64>::from_bytes(&bytes, "memory").unwrap_err().to_string();
        assert!(error.contains("f32"), "{error}");
    }
}

/// Inputs that are legal but unkind: every method gives a sound model or one sentence.
#[test]
fn unkind_data_gives_a_model_or_a_sentence() {
    let names = |n: usize| (0..n).map(|c| c.to_string()).collect::<Vec<_>>();
    let twins = Array2::from_shape_fn((20, 3), |(i, j)| (i % 2 * (j + 1)) as f32);
    let constant = Array2::from_elem((20, 3), 4.0f32);
    let huge = Array2::from_shape_fn((20, 2), |(i, j)| (i as f32 - 9.0) * if j == 0 { 1e30 } else { 1e-30 });
    let two: Vec<usize> = (0..20).map(|i| i % 2).collect();
    let cases = [
        ("duplicated rows", Dataset::new(twins, two.clone(), names(2))),
        ("constant features", Dataset::new(constant, two.clone(), names(2))),
        ("huge values", Dataset::new(huge, two, names(2))),
        ("one sample of each class", Dataset::new(Array2::eye(3), vec![0, 1, 2], names(3))),
        (
            "one feature",
            Dataset::new(
                Array2::from_shape_fn((9, 1), |(i, _)| i as f32),
                vec![0, 0, 0, 1, 1, 1, 2, 2, 2],
                names(3),
            ),
        ),
    ];
    for (what, data) in cases {
        let data = data.unwrap();
        for (method, metric) in methods_and_metrics() {
            for scale in ["none", "global", "standard", "minmax", "auto"] {
                match quick(method, &metric).set("scale", scale).unwrap().fit(&data) {
                    Ok(model) => {
                        let p = model.probabilities(data.x.view()).unwrap();
                        assert!(p.iter().all(|v| v.is_finite()), "{what}: {} {metric} {scale}", method.name);
                        assert!(model.prototypes_in_input_units().iter().all(|v| v.is_finite()), "{what}");
                    }
                    Err(e) => {
                        assert!(!e.to_string().is_empty() && !e.to_string().contains('\n'), "{what}: {e}")
                    }
                }
            }
        }
    }
    let one_class = Dataset::new(Array2::<f32>::eye(3), vec![0; 3], names(1)).unwrap();
    let empty_class = Dataset::new(Array2::<f32>::eye(3), vec![0, 2, 2], names(3)).unwrap();
    for method in METHODS {
        let first = method.metrics[0].show();
        let error = quick(method, &first).fit(&one_class).unwrap_err().to_string();
        assert_eq!(error, "training needs at least two classes, found \"0\" only");
        let error = quick(method, &first).fit(&empty_class).unwrap_err().to_string();
        assert_eq!(error, "class \"1\" has no training samples");
    }
}

#[test]
fn a_metric_that_a_method_cannot_have_is_refused() {
    let data = narrow(&clouds(20, 3, 2, 8));
    let error = Trainer::named("kmeans").unwrap().set("metric", "linear").unwrap().fit(&data).unwrap_err();
    assert_eq!(error.to_string(), "metric = linear, expected euclidean, lmnn, nca for kmeans");
}

#[test]
fn sample_weights_count_like_repeated_samples() {
    let data = clouds(40, 3, 2, 8);
    let twice: Vec<usize> = (0..data.len()).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let repeated = data.select(&twice);
    let weights: Vec<f64> = (0..data.len()).map(|i| (1 + i % 2) as f64).collect();
    let classes = ClassLayout::new(&[0, 1], 2);
    for (name, objective) in objectives() {
        let evaluate = |data: &Dataset<f64>, weights: Option<&[f64]>| {
            let metric = Box::new(Euclidean::new(3));
            let o = f64::pick(&*objective);
            let mut problem = TrainingProblem::new(data.x.view(), &data.y, weights, &classes, o, metric);
            let mut g = vec![0.0; 6];
            let l = problem.evaluate(&uniform(6, 9), &mut g);
            (l, g)
        };
        let (a, g) = evaluate(&repeated, None);
        let (b, h) = evaluate(&data, Some(&weights));
        assert!(close(a, b, 1e-12) && g.iter().zip(&h).all(|(g, h)| close(*g, *h, 1e-12)), "{name}");
    }
}
