//! What training promises: descent, best iterates, interruption, and the behaviour that the papers pin down.

use crate::common;

use common::{clouds, narrow, uniform};
use ndarray::{Array2, array};
#[cfg(feature = "datasets")]
use protea::catalog::{self, Part};
use protea::init::Prototypes;
use protea::model::gamma_start;
use protea::progress::{Epoch, Progress, Stopped};
use protea::represent::LinearMap;
use protea::{Dataset, Model, Trainer};

fn trainer(settings: &[(&str, &str)]) -> Trainer<f64> {
    // What is chosen and calibrated on held-out samples has tests of its own.
    let quick = [("per-class", "15"), ("calibration", "training")];
    quick.iter().chain(settings).fold(Trainer::named("npc").unwrap(), |t, (k, v)| t.set(k, v).unwrap())
}

#[test]
fn every_full_batch_step_lowers_the_objective() {
    let data = clouds(60, 4, 3, 1);
    for optimizer in ["cg", "lbfgs"] {
        for metric in ["euclidean", "linear"] {
            let settings =
                [("optimizer", optimizer), ("metric", metric), ("per-class", "4"), ("max-iter", "40")];
            let model = trainer(&settings).fit(&data).unwrap();
            let history = &model.provenance().history;
            assert!(history.len() > 12, "{optimizer} {metric}: {} steps", history.len());
            for pair in history.windows(2).filter(|p| p[0].gamma == p[1].gamma) {
                assert!(pair[1].loss <= pair[0].loss, "{optimizer} {metric}: {pair:?}");
            }
            // Twelve values of γ, log-spaced.
            let mut gammas: Vec<f64> = history.iter().map(|r| r.gamma).collect();
            gammas.dedup();
            assert_eq!(gammas.len(), 12);
            let ratios: Vec<f64> = gammas.windows(2).map(|g| g[1] / g[0]).collect();
            assert!(ratios.iter().all(|r| (r / ratios[0] - 1.0).abs() < 1e-9));
        }
    }
}

#[test]
fn learning_beats_its_start_and_never_loses_to_it() {
    let data = clouds(200, 6, 4, 3);
    let start = trainer(&[]).fit(&data).unwrap();
    for optimizer in ["adam", "sgd", "cg", "lbfgs"] {
        let mut learned = trainer(&[("optimizer", optimizer), ("per-class", "3")]);
        if learned.reads("max-iter") {
            learned = learned.set("max-iter", "50").unwrap();
        }
        let learned = learned.fit(&data).unwrap();
        let means =
            Trainer::<f64>::named("kmeans").unwrap().set("per-class", "3").unwrap().fit(&data).unwrap();
        assert!(learned.error(&data).unwrap() < means.error(&data).unwrap(), "{optimizer}");
    }
    // A step size that only does harm: the start is kept, and the model says so.
    let harmful = trainer(&[("rate", "1e6"), ("epochs", "3"), ("decay", "none")]).fit(&data).unwrap();
    assert!(harmful.provenance().kept_start);
    let means = Trainer::<f64>::named("kmeans").unwrap().prototypes(15).fit(&data).unwrap();
    assert_eq!(harmful.prototypes(), means.prototypes());
    assert!(!start.provenance().kept_start);
}

#[test]
fn running_out_of_steps_is_said() {
    let data = clouds(60, 4, 3, 1);
    let model =
        trainer(&[("optimizer", "lbfgs"), ("max-iter", "2"), ("gamma-steps", "1")]).fit(&data).unwrap();
    assert_eq!(model.provenance().stopped, Stopped::Unconverged);
    let error = trainer(&[("rank", "2")]).fit(&data).unwrap_err().to_string();
    assert_eq!(error, "npc does not use rank; the metric euclidean has no matrix");
}

/// A kept start keeps the metric under which it was good.
#[test]
fn a_kept_start_keeps_its_metric() {
    let noise = uniform(200, 4);
    let y: Vec<usize> = (0..100).map(|i| i % 2).collect();
    let x = Array2::from_shape_fn((100, 2), |(i, j)| {
        noise[2 * i + j] * if j == 0 { 0.5 } else { 50.0 } + (2 * y[i] * (1 - j)) as f64
    });
    let data = Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap();
    let settings =
        [("scale", "none"), ("per-class", "3"), ("rate", "1e5"), ("epochs", "2"), ("decay", "none")];
    let model = trainer(&settings).metric_matrix(array![[1.0, 0.0], [0.0, 0.001]], true).fit(&data).unwrap();
    assert!(model.provenance().kept_start && model.components().is_some());
    assert!(model.error(&data).unwrap() < 0.2);
}

#[test]
fn validation_chooses_the_iterate_and_stops_early() {
    let data = clouds(100, 4, 3, 6);
    let settings =
        [("holdout", "0.3"), ("patience", "3"), ("epochs", "200"), ("per-class", "10"), ("noise", "0")];
    let model = trainer(&settings).fit(&data).unwrap();
    let p = model.provenance();
    assert_eq!(p.stopped, Stopped::Early);
    assert!(p.history.len() < 200);
    let (_, held) = protea::data::holdout(&data, 0.3, 0).unwrap();
    let best = p.history.iter().filter_map(|r| r.valid_error).fold(f64::INFINITY, f64::min);
    assert!(model.error(&data.select(&held)).unwrap() <= best);
}

/// Interrupts after some reports.
struct Stop(usize);

impl Progress for Stop {
    fn epoch(&mut self, _: &Epoch) {
        self.0 = self.0.saturating_sub(1);
    }

    fn cancelled(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn an_interrupted_run_gives_the_model_so_far() {
    let data = clouds(50, 3, 2, 2);
    for optimizer in ["adam", "lbfgs"] {
        let model = trainer(&[("optimizer", optimizer)]).fit_with(&data, None, &mut Stop(4)).unwrap();
        assert_eq!(model.provenance().stopped, Stopped::Interrupted);
        assert_eq!(model.provenance().history.len(), 4);
    }
    let at_once = trainer(&[]).fit_with(&data, None, &mut Stop(0)).unwrap();
    assert_eq!(at_once.provenance().stopped, Stopped::Interrupted);
}

/// The 1-NP rule decides for the class of the nearest prototype.
#[test]
fn the_hard_rule_is_the_nearest_prototype() {
    let data = clouds(100, 4, 3, 4);
    let model = Trainer::<f64>::named("kmeans").unwrap().set("per-class", "5").unwrap().fit(&data).unwrap();
    let hard = model.predict(data.x.view()).unwrap();
    let nearest = model.neighbours(data.x.view(), 1).unwrap();
    assert!(hard.iter().zip(&nearest).all(|(c, n)| n[0].class == *c));
}

/// The share at γ_start is 0.8 within 1 %, and scaling the data by s divides it by s².
#[test]
fn calibration_reaches_its_share_and_follows_the_scale() {
    let p = Array2::from_shape_vec((20, 3), uniform(60, 1)).unwrap();
    let x = Array2::from_shape_vec((1000, 3), uniform(3000, 2)).unwrap();
    let distances = |s: f64| {
        Array2::from_shape_fn((1000, 20), |(i, j)| {
            (0..3).map(|f| (s * (x[[i, f]] - p[[j, f]])).powi(2)).sum::<f64>()
        })
    };
    let d = distances(1.0);
    let gamma = gamma_start(d.view(), 0.5, 0.8);
    let small_gap = d.rows().into_iter().filter(|row| {
        let mut w: Vec<f64> = row.iter().map(|d| (-gamma * d).exp()).collect();
        let total: f64 = w.iter().sum();
        w.sort_by(|a, b| b.total_cmp(a));
        (w[0] - w[1]) / total < 0.5
    });
    let share = small_gap.count() as f64 / 1000.0;
    assert!((share - 0.8).abs() < 0.01, "{share}");
    assert!((gamma_start(distances(3.0).view(), 0.5, 0.8) * 9.0 / gamma - 1.0).abs() < 1e-3);
}

/// The whole of training is free of units: scaled data give the same decisions.
#[test]
fn training_has_no_units() {
    let data = narrow(&clouds(100, 4, 3, 4));
    let mut scaled = data.clone();
    scaled.x *= 1024.0;
    let fit = |d: &Dataset<f32>| {
        let model =
            Trainer::<f32>::named("npc").unwrap().set("scale", "none").unwrap().set("epochs", "20").unwrap();
        model.fit(d).unwrap().predict(d.x.view()).unwrap()
    };
    assert_eq!(fit(&data), fit(&scaled));
}

/// A learned metric switches off a feature that only disturbs.
#[test]
fn a_learned_metric_finds_the_feature_that_matters() {
    let noise = uniform(2 * 400, 3);
    let y: Vec<usize> = (0..400).map(|i| usize::from(noise[2 * i] > 0.0)).collect();
    let x = Array2::from_shape_fn((400, 2), |(i, j)| noise[2 * i + j]);
    let data = Dataset::new(x, y, vec!["a".into(), "b".into()]).unwrap();
    let settings = [("metric", "linear"), ("per-class", "2"), ("metric-rate", "1")];
    let model = trainer(&settings).fit(&data).unwrap();
    let a = model.components().unwrap();
    let m = a.t().dot(a);
    assert!(m[[0, 0]] > 5.0 * m[[1, 1]], "{m}");
    assert!(model.error(&data).unwrap() < 0.02);
    let low_rank = trainer(&[("metric", "linear"), ("rank", "1"), ("per-class", "2")]).fit(&data).unwrap();
    assert_eq!(low_rank.components().unwrap().dim(), (1, 2));
    assert!(low_rank.error(&data).unwrap() < 0.1);
}

/// With a fixed matrix the model is that of the projected samples.
#[test]
fn a_fixed_metric_trains_in_the_projected_space() {
    let data = clouds(60, 3, 2, 5);
    let a = array![[1.0, 0.5, 0.0], [0.0, 2.0, -1.0]];
    let fixed =
        trainer(&[("scale", "none"), ("epochs", "10")]).metric_matrix(a.clone(), false).fit(&data).unwrap();
    assert_eq!(fixed.prototypes().x.ncols(), 2);
    assert!(fixed.components().is_none());
    let projected = Dataset::new(data.x.dot(&a.t()), data.y.clone(), data.classes.clone()).unwrap();
    let there = trainer(&[("scale", "none"), ("epochs", "10")]).fit(&projected).unwrap();
    assert_eq!(fixed.predict(data.x.view()).unwrap(), there.predict(projected.x.view()).unwrap());
    assert!(trainer(&[]).metric_matrix(array![[1.0]], true).fit(&data).is_err());
}

/// The same as two trainings by hand, the second on what the matrix of the first makes of the samples.
#[test]
fn a_common_matrix_is_learned_first_and_samples_are_seen_through_it() {
    let data = clouds(200, 5, 3, 8);
    let shared = [("per-class", "2"), ("loss", "nll"), ("noise", "0.1"), ("seed", "3")];
    let with = |more: &[(&str, &str)]| trainer(&[&shared[..], more].concat());
    let first = with(&[("metric", "linear"), ("epochs", "7")]).fit(&data).unwrap();
    let matrix = first.components().expect("a matrix");
    let mut seen = data.clone();
    seen.x = LinearMap::new(matrix.clone()).unwrap().apply(first.pipeline().apply(data.x.clone()).view());
    let second = [("metric", "local-linear"), ("rank", "2"), ("epochs", "5")];
    let by_hand = with(&second).set("scale", "raw").unwrap().fit(&seen).unwrap();
    let at_once = with(&second).set("common-epochs", "7").unwrap().fit(&data).unwrap();
    assert_eq!(at_once.prototypes(), by_hand.prototypes());
    assert_eq!(at_once.metric(), by_hand.metric());
    assert_eq!(at_once.error(&data).unwrap(), by_hand.error(&seen).unwrap());
    // Members share the matrix; going on from a model keeps it.
    let members = with(&second).set("common-epochs", "7").unwrap().set("members", "2").unwrap();
    assert_eq!(members.fit(&data).unwrap().pipeline().steps.len(), at_once.pipeline().steps.len());
    let further = with(&second).set("common-epochs", "7").unwrap().resume(&at_once).fit(&data).unwrap();
    assert_eq!(further.pipeline(), at_once.pipeline());
}

#[test]
fn a_common_matrix_is_refused_where_there_can_be_none() {
    let data = clouds(40, 3, 2, 1);
    let refusal = |t: Trainer<f64>| t.set("common-epochs", "3").unwrap().fit(&data).unwrap_err().to_string();
    let lvq = refusal(Trainer::named("lvq1").unwrap());
    assert_eq!(lvq, "lvq1 does not use common-epochs; it learns by a rule, without an objective");
    assert!(refusal(trainer(&[]).metric_matrix(Array2::eye(3), true)).contains("a matrix is given"));
}

#[test]
fn given_prototypes_are_the_start() {
    let data = clouds(60, 2, 2, 5);
    let given = Prototypes::new(array![[0.8, 0.0], [0.0, 0.8]].view(), &[0, 1]).unwrap();
    let model = Trainer::<f64>::named("kmeans").unwrap().start_from(given.clone()).fit(&data).unwrap();
    assert!((model.prototypes_in_input_units() - given.x).iter().all(|v| v.abs() < 1e-12));
    let npc = || Trainer::<f64>::named("npc").unwrap();
    let half = Prototypes::new(array![[0.0, 0.0]].view(), &[0]).unwrap();
    let error = npc().start_from(half).fit(&data).unwrap_err().to_string();
    assert_eq!(error, "class \"c1\" has no given prototype");
    let narrow = Prototypes::new(array![[0.0], [1.0]].view(), &[0, 1]).unwrap();
    assert!(npc().start_from(narrow).fit(&data).is_err());
}

#[test]
fn the_seed_decides_everything() {
    let data = clouds(50, 3, 3, 7);
    let bytes =
        |seed: &str| trainer(&[("seed", seed), ("epochs", "3")]).fit(&data).unwrap().to_bytes().unwrap();
    assert!(bytes("1") == bytes("1") && bytes("1") != bytes("2"));
}

/// 1-NN errors of the shipped copies, raw features, ties to the lowest index.
#[cfg(feature = "datasets")]
#[test]
fn nearest_neighbour_errors_guard_the_data() {
    for (name, expected) in [("letter", 4.35), ("satimage", 10.55), ("dna", 23.44)] {
        let part = |p| catalog::load::<f32>(name, p, None).unwrap();
        let model = Trainer::<f32>::named("knn")
            .unwrap()
            .set("scale", "none")
            .unwrap()
            .fit(&part(Part::Train))
            .unwrap();
        let error = 100.0 * model.error(&part(Part::Test)).unwrap();
        assert!((error - expected).abs() < 0.006, "{name}: {error}");
    }
}

/// Accuracy that must not be lost: the published NPC-e row with 15 prototypes per class is 3.13 %.
#[cfg(feature = "datasets")]
#[test]
fn letter_is_learned() {
    let part = |p| catalog::load::<f32>("letter", p, None).unwrap();
    let model =
        Trainer::<f32>::named("npc").unwrap().prototypes(15).epochs(20).fit(&part(Part::Train)).unwrap();
    let error = model.error(&part(Part::Test)).unwrap();
    assert!(error < 0.045, "{error}");
    assert_eq!(model.prototypes().y.len(), 390);
}

#[test]
fn pruning_keeps_what_was_asked_for_and_is_for_objectives_only() {
    let data = clouds(60, 4, 3, 1);
    let pruned = |method: &str| {
        let trainer = Trainer::<f64>::named(method).unwrap().prototypes(4).set("prune", "3").unwrap();
        if trainer.reads("epochs") { trainer.epochs(5).fit(&data) } else { trainer.fit(&data) }
    };
    assert_eq!(pruned("npc").unwrap().prototypes().y.len(), 12);
    for method in ["kmeans", "lvq1", "pnn"] {
        let error = pruned(method).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{method} does not use prune; it ")), "{error}");
    }
}

/// A setting that nothing would read is refused with a sentence, and what was read is what the model records.
#[test]
fn settings_that_nothing_reads_are_refused_and_not_recorded() {
    let data = clouds(30, 4, 2, 1);
    let refusal = |method: &str, settings: &[(&str, &str)]| {
        let trainer = Trainer::<f64>::named(method).unwrap();
        let trainer = settings.iter().fold(trainer, |t, (n, v)| t.set(n, v).unwrap());
        trainer.fit(&data).unwrap_err().to_string()
    };
    for (method, settings, sentence) in [
        ("kmeans", &[("gamma", "3")][..], "kmeans does not use gamma; it does not train its prototypes"),
        ("kmeans", &[("optimizer", "cg")], "kmeans does not use optimizer; it does not train its prototypes"),
        ("centroid", &[("per-class", "3")], "centroid does not use per-class; it is always 1"),
        (
            "knn",
            &[("per-class", "3")],
            "knn does not use per-class; it keeps all training samples and trains no prototypes",
        ),
        ("lvq1", &[("batch", "9")], "lvq1 does not use batch; it learns by a rule, without an objective"),
        (
            "npc",
            &[("rank", "3"), ("metric", "local")],
            "npc does not use rank; the metric local has no matrix",
        ),
        (
            "npc",
            &[("starts", "3"), ("init", "sample")],
            "npc does not use starts; the initialiser is sample, which runs no k-means",
        ),
        ("npc", &[("targets", "1")], "npc does not use targets; the metric is euclidean, not lmnn"),
        ("npc", &[("graph", "laplacian")], "npc does not use graph; it belongs to the projection innlp"),
        (
            "npc",
            &[("max-iter", "9")],
            "npc does not use max-iter; the optimizer adam runs for a number of epochs",
        ),
        (
            "npc",
            &[("epochs", "9"), ("optimizer", "cg")],
            "npc does not use epochs; the optimizer cg takes the full batch",
        ),
        ("npc", &[("delta", "0.1")], "npc does not use delta; loss is exp"),
        (
            "auto",
            &[("max-iter", "9")],
            "auto does not use max-iter; the optimizer adam runs for a number of epochs",
        ),
    ] {
        assert_eq!(refusal(method, settings), sentence);
    }
    let recorded = |t: Trainer<f64>| t.fit(&data).unwrap().provenance().settings.clone();
    let npc = recorded(trainer(&[("epochs", "2")]));
    assert!(
        ["rank", "starts", "graph", "max-iter", "delta", "targets"]
            .iter()
            .all(|n| *n == "starts" || !npc.contains_key(*n))
    );
    assert_eq!(
        (npc["epochs"].as_str(), npc["starts"].is_empty(), npc["gamma"].as_str()),
        ("2", false, "none")
    );
    let kmeans = recorded(Trainer::named("kmeans").unwrap());
    assert!(kmeans.contains_key("per-class") && !kmeans.contains_key("gamma"), "{kmeans:?}");
    let lmnn = recorded(trainer(&[("metric", "lmnn"), ("targets", "1"), ("rank", "2"), ("epochs", "1")]));
    assert_eq!((lmnn["targets"].as_str(), lmnn["rank"].as_str()), ("1", "2"));
}

/// Help fits its line, and every name that is listed parses, for the settings of all methods.
#[test]
fn what_is_listed_is_what_parses() {
    use protea::method::METHODS;
    use protea::train::Training;
    let of_method = |m: &'static protea::method::Method| m.settings.iter().map(move |s| (m.name, s));
    let shared = Training::SETTINGS.iter().map(|s| ("npc", s));
    for (method, s) in shared.chain(METHODS.iter().flat_map(of_method)) {
        assert!(s.short.chars().count() <= 100 && s.short.ends_with('.'), "{}: {}", s.name, s.short);
        assert!(!s.help().contains("--"), "{}: a flag of the command line", s.name);
        let set = |value: &str| Trainer::<f64>::named(method).unwrap().set(s.name, value);
        assert!(set(&(s.default)()).is_ok(), "{}", s.name);
        let choices = (s.choices)();
        for choice in &choices {
            assert!(set(choice).is_ok(), "{} {choice}", s.name);
        }
        let Some((last, most)) = choices.split_last() else { continue };
        assert_eq!((s.expected)(), format!("{} or {last}", most.join(", ")), "{}", s.name);
        let error = set("no such value").err().unwrap().to_string();
        assert!(error.ends_with(&(s.expected)()), "{error}");
    }
}

/// Blocks of queries share the products of the atoms; with more threads than blocks at first, threads used to wait for each other.
#[test]
fn coders_do_not_wait_for_each_other() {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let data = clouds(1000, 8, 3, 5);
        for _ in 0..30 {
            let model = pool.install(|| Trainer::<f64>::named("inn").unwrap().fit(&data).unwrap());
            let again = Model::<f64>::from_bytes(&model.to_bytes().unwrap(), "memory").unwrap();
            pool.install(|| again.predict(data.x.view()).unwrap());
        }
        done.send(()).unwrap();
    });
    assert!(finished.recv_timeout(std::time::Duration::from_secs(300)).is_ok(), "a fit or prediction hangs");
}

/// Sentinels such as the largest negative number used to be answered with distance 0 and probability 1.
#[test]
fn values_too_large_to_compare_are_refused_by_every_method() {
    let data = clouds(30, 3, 2, 8);
    let small = narrow(&data);
    let settings =
        [("epochs", "2"), ("draws", "100"), ("per-class", "2"), ("learners", "2"), ("max-iter", "2")];
    for method in protea::method::METHODS {
        if method.name == "auto" {
            continue;
        }
        let known = |(n, _): &&(&str, &str)| {
            Trainer::<f64>::named(method.name).unwrap().reads(n) && !method.is_fixed(n)
        };
        let set: Vec<_> = settings.iter().filter(known).collect();
        let wide =
            set.iter().fold(Trainer::<f64>::named(method.name).unwrap(), |t, (n, v)| t.set(n, v).unwrap());
        let slim =
            set.iter().fold(Trainer::<f32>::named(method.name).unwrap(), |t, (n, v)| t.set(n, v).unwrap());
        let (wide, slim) = (wide.fit(&data).unwrap(), slim.fit(&small).unwrap());
        for huge in [f32::MIN, 9.96921e36, 1e20] {
            let row = array![[0.1f32, huge, 0.2]];
            let refused = slim.predict(row.view()).unwrap_err().to_string();
            assert!(refused.starts_with("sample 1: f1 = "), "{}: {refused}", method.name);
            assert!(slim.probabilities(row.view()).is_err() && slim.neighbours(row.view(), 1).is_err());
        }
        for huge in [f64::MIN, 1e200, f64::NAN] {
            assert!(wide.predict(array![[0.1, huge, 0.2]].view()).is_err(), "{} {huge}", method.name);
        }
        // Large but comparable: an answer, and no NaN.
        let far = wide.probabilities(array![[0.1, 1e6, 0.2]].view()).unwrap();
        assert!(far.iter().all(|q| q.is_finite()), "{}: {far}", method.name);
    }
}
