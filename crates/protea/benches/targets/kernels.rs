//! Distances, loss with gradient, and prediction.

use crate::peers::ask;
use crate::record::Row;
use crate::{Options, peak};
use ndarray::Array2;
use protea::data::ClassLayout;
use protea::metric::{Euclidean, Metric, Scratch};
use protea::objective::Npc;
use protea::optim::Problem;
use protea::train::TrainingProblem;
use protea::{Dataset, Trainer};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::time::Instant;

/// Best of `n` runs, in seconds.
fn best(n: usize, mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..n).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn random(n: usize, dim: usize, seed: u64) -> Array2<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Array2::from_shape_fn((n, dim), |_| rng.random::<f32>() - 0.5)
}

/// Seconds of loss and gradient of NPC over random samples.
fn loss_and_gradient(n: usize, dim: usize, per_class: usize, classes: usize) -> f64 {
    let x = random(n, dim, 1);
    let p = random(per_class * classes, dim, 2);
    let y: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let labels: Vec<usize> = (0..per_class * classes).map(|j| j / per_class).collect();
    let layout = ClassLayout::new(&labels, classes);
    let npc = Npc::default();
    let metric = Box::new(Euclidean::<f32>::new(dim));
    let mut problem = TrainingProblem::new(x.view(), &y, None, &layout, &npc, metric);
    let theta = problem.pack(p.as_slice().unwrap_or_default());
    let mut gradient = vec![0.0; theta.len()];
    problem.evaluate(&theta, &mut gradient);
    best(7, || {
        problem.evaluate(&theta, &mut gradient);
    })
}

/// Seconds of all distances, block by block as training takes them.
fn distances(n: usize, dim: usize, m: usize) -> f64 {
    let (x, p) = (random(n, dim, 1), random(m, dim, 2));
    let mut metric = Euclidean::new(dim);
    metric.set(p.as_slice().unwrap_or_default(), &[]);
    best(5, || {
        let rows = x.as_slice().unwrap_or_default().par_chunks(128 * dim);
        rows.for_each_init(
            || (vec![0.0; 128 * m], Scratch::default()),
            |(d, scratch), x| metric.distances(x, &mut d[..x.len() / dim * m], scratch),
        );
    })
}

/// Seconds to predict 10000 × 784 against 500 prototypes.
fn predict() -> f64 {
    let data = Dataset::new(
        random(500, 784, 3),
        (0..500).map(|i| i / 50).collect(),
        (0..10).map(|c| c.to_string()).collect(),
    );
    let trainer = Trainer::<f32>::named("knn").and_then(|t| t.set("scale", "none"));
    let model = data.and_then(|d| trainer?.fit(&d)).expect("a model of 500 random prototypes");
    let x = random(10_000, 784, 4);
    best(9, || {
        let decided = model.predict(x.view()).expect("as many features as the model");
        assert_eq!(decided.len(), 10_000);
    })
}

/// Measures all kernels.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    let peak = peak::gflops();
    println!("peak of f32 multiply-adds: {peak:.0} GFLOP/s on {} threads\n", rayon::current_num_threads());
    let flops = 2.0 * 60_000.0 * 784.0 * 500.0;
    let share = |what: &str, seconds: f64, flops: f64, target: f64| {
        let speed = flops / seconds / 1e9;
        Row::at_least(what, speed / peak, "of peak", target, format!("{speed:.0} of {peak:.0} GFLOP/s"))
    };
    rows.push(share("distances 60000×784 to 500, f32", distances(60_000, 784, 500), flops, 0.6));
    rows.push(share(
        "NPC loss + gradient, the same",
        loss_and_gradient(60_000, 784, 50, 10),
        2.0 * flops,
        0.5,
    ));
    let (letter, predicted) = (loss_and_gradient(16_000, 16, 15, 26), predict());
    let Some(peers) = ask(options.python.as_ref(), "--python", "peers.py", &[]) else { return };
    let name = |key: &str| peers[key].as_str().unwrap_or("of unknown version").to_string();
    let mut against = |what: &str, ours: f64, key: &str, target: f64| {
        let theirs = peers["seconds"][key].as_f64().unwrap_or(f64::NAN);
        let detail = format!("{:.2} ms against {:.2} ms, NumPy {}", ours * 1e3, theirs * 1e3, name("numpy"));
        rows.push(Row::at_least(what, theirs / ours, "× NumPy", target, detail));
    };
    against("NPC loss + gradient, Letter 16000×16 to 390", letter, "npc_numpy", 5.0);
    against("predict 10000×784 against 500", predicted, "predict_numpy", 1.1);
    let theirs = peers["seconds"]["predict_sklearn"].as_f64().unwrap_or(f64::NAN);
    let (ms, other) = (predicted * 1e3, theirs * 1e3);
    let detail = format!("{ms:.2} ms against {other:.2} ms, scikit-learn {}", name("scikit-learn"));
    rows.push(Row::at_least("the same", theirs / predicted, "× sklearn", 3.0, detail));
}
