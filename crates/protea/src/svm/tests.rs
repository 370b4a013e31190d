//! Optimality by the gap to the dual, and agreement with another program.

use super::*;
use crate::rng;
use ndarray::array;
use rand::RngExt;
use std::sync::atomic::{AtomicUsize, Ordering};

const LOSSES: [SvmLoss; 3] = [SvmLoss::CrammerSinger, SvmLoss::Hinge, SvmLoss::SquaredHinge];

/// Overlapping classes: each sample has a few entries around a pattern of its class.
fn random(n: usize, dim: u32, classes: usize, seed: u64) -> (Rows, Vec<usize>) {
    let mut rng = rng(seed, "test");
    let mut rows = Rows::new(dim as usize);
    let y: Vec<usize> = (0..n).map(|_| rng.random_range(0..classes)).collect();
    for &y in &y {
        let listed: Vec<u32> = (0..dim).filter(|_| rng.random::<f64>() < 0.3).collect();
        let value = |j: u32| f64::from((j as usize % classes == y) as u8);
        rows.push(listed.into_iter().map(|j| (j, value(j) + rng.random::<f64>() - 0.5))).unwrap();
    }
    (rows, y)
}

fn tight(loss: SvmLoss, c: f64) -> Svm {
    Svm { loss, c, tolerance: 1e-6, max_passes: 20_000, ..Svm::default() }
}

#[test]
fn the_gap_to_the_dual_closes() {
    for (n, dim, classes) in [(120, 6, 3), (60, 40, 5), (200, 12, 2), (90, 9, 17)] {
        let (rows, y) = random(n, dim, classes, n as u64);
        let weights: Vec<f64> = (0..n).map(|i| [0.0, 0.5, 1.0, 2.0][i % 4]).collect();
        for loss in LOSSES {
            for (c, weights) in [(0.01, None), (1.0, Some(&weights[..])), (30.0, None)] {
                for bias in [false, true] {
                    let samples = Labelled { rows: &rows, y: &y, classes, weights };
                    let svm = Svm { bias, ..tight(loss, c) }.fit(&samples, &|| false).unwrap();
                    let what = format!("{loss:?} n {n} c {c} bias {bias} passes {}", svm.passes);
                    assert!((-1e-9..1e-4).contains(&svm.gap()), "{what}: {}", svm.gap());
                    assert!(bias || svm.bias.iter().all(|&b| b == 0.0));
                }
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_the_sample_twice_and_of_zero_not_at_all() {
    let (rows, y) = random(60, 8, 3, 5);
    let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
    let twice: Vec<usize> = (0..60).flat_map(|i| vec![i; i % 3]).collect();
    let (more, more_y): (Rows, Vec<usize>) = (rows.select(&twice), twice.iter().map(|&i| y[i]).collect());
    for loss in LOSSES {
        let a = Labelled { rows: &rows, y: &y, classes: 3, weights: Some(&weights) };
        let b = Labelled { rows: &more, y: &more_y, classes: 3, weights: None };
        let [a, b] = [a, b].map(|s| tight(loss, 1.0).fit(&s, &|| false).unwrap());
        assert!((a.objective - b.objective).abs() < 1e-5 * a.objective);
        assert!((&a.weights - &b.weights).iter().all(|d| d.abs() < 1e-3), "{loss:?}");
    }
}

#[test]
fn nothing_depends_on_threads_and_everything_on_the_seed() {
    let (rows, y) = random(300, 30, 6, 1);
    let samples = Labelled { rows: &rows, y: &y, classes: 6, weights: None };
    let fit = |threads: usize, svm: Svm| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| choose_c(&svm, &COSTS, 0.2, &samples, &|| false).unwrap())
    };
    for loss in LOSSES {
        let svm = Svm { loss, ..Svm::default() };
        let one = fit(1, svm.clone());
        assert_eq!(one, fit(2, svm.clone()));
        assert_eq!(one, fit(7, svm.clone()));
        assert_ne!(one.weights, fit(2, Svm { seed: 1, ..svm }).weights);
    }
}

#[test]
fn the_price_is_the_smallest_of_those_with_the_lowest_error() {
    // One feature that separates the classes at any price: all errors are equal.
    let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| if i % 2 == 0 { -9.0 } else { 9.0 });
    let rows = Rows::from_dense(x.view()).unwrap();
    let y: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let samples = Labelled { rows: &rows, y: &y, classes: 2, weights: None };
    let chosen = choose_c(&Svm::default(), &[10.0, 0.1, 1.0], 0.2, &samples, &|| false).unwrap();
    assert_eq!(chosen.c, 0.1);
    assert_eq!(chosen, Svm { c: 0.1, ..Svm::default() }.fit(&samples, &|| false).unwrap());
    assert!(choose_c(&Svm::default(), &[], 0.2, &samples, &|| false).is_err());
    let few = Rows::from_dense(array![[0.0], [1.0], [5.0]].view()).unwrap();
    let few = Labelled { rows: &few, y: &[0, 0, 1], classes: 2, weights: None };
    assert_eq!(choose_c(&Svm::default(), &COSTS, 0.2, &few, &|| false).unwrap().c, Svm::default().c);
}

#[test]
fn an_interrupt_gives_the_weights_of_that_moment() {
    let (rows, y) = random(500, 40, 4, 2);
    let samples = Labelled { rows: &rows, y: &y, classes: 4, weights: None };
    for loss in LOSSES {
        let endless = Svm { loss, tolerance: 1e-300, max_passes: usize::MAX, ..Svm::default() };
        let asked = AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Ordering::Relaxed) > 5;
        let svm = endless.fit(&samples, &cancelled).unwrap();
        // How far it came is a matter of time; without the interrupt it would not come back.
        assert!(svm.weights.iter().all(|w| w.is_finite()) && svm.gap() > -1e-9);
        let none = endless.fit(&samples, &|| true).unwrap();
        assert!(none.passes == 0 && none.weights.iter().all(|&w| w == 0.0));
    }
}

#[test]
fn ties_go_to_the_lowest_class_and_empty_rows_to_the_bias() {
    let svm = LinearSvm {
        weights: array![[1.0], [1.0], [0.0]],
        bias: vec![0.0, 0.0, 0.5],
        c: 1.0,
        passes: 0,
        converged: true,
        objective: 1.0,
        bound: 1.0,
    };
    let rows = Rows::from_dense(array![[1.0], [0.0]].view()).unwrap();
    assert_eq!(svm.predict_all(&rows), [0, 2]);
    assert_eq!(svm.scores(rows.row(1)), [0.0, 0.0, 0.5]);
}

#[test]
fn unusable_input_is_refused() {
    let rows = Rows::from_dense(array![[1.0], [2.0]].view()).unwrap();
    let samples = Labelled { rows: &rows, y: &[0, 1], classes: 2, weights: None };
    let fit = |svm: Svm, samples: Labelled| svm.fit(&samples, &|| false).map(drop).map_err(|e| e.to_string());
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(fit(Svm { c, ..Svm::default() }, samples), Err(format!("c = {c}, expected a number > 0")));
    }
    for y in [&[0, 2][..], &[0]] {
        assert!(fit(Svm::default(), Labelled { y, ..samples }).is_err());
    }
    for weights in [&[1.0][..], &[1.0, -1.0], &[f64::NAN, 1.0]] {
        assert!(fit(Svm::default(), Labelled { weights: Some(weights), ..samples }).is_err());
    }
}

/// Objectives and decisions of scikit-learn 1.9.1 (LIBLINEAR) on the samples below, by
/// `LinearSVC(C=c, tol=1e-10, max_iter=10_000_000, random_state=0, …)` with `multi_class="crammer_singer"`,
/// `loss="hinge"` and `loss="squared_hinge"` (`dual=True`); objectives computed with NumPy from `coef_` and
/// `intercept_`, biases included in the squares. One row (`=`) is a tie at the optimum of the Crammer–Singer
/// machine for `c ≥ 1` (scores equal to 1e-10).
#[test]
fn objectives_and_decisions_are_those_of_another_program() {
    let class = |i: usize| i % 3;
    let x = ndarray::Array2::from_shape_fn((24, 3), |(i, j)| {
        let base = [i * 7 % 11, i * 5 % 13, i * 3 % 7][j] as f64 - [5.0, 6.0, 3.0][j];
        base + if class(i) == j { [2.0, 3.0, 2.0][j] } else { 0.0 }
    });
    let (rows, y) = (Rows::from_dense(x.view()).unwrap(), (0..24).map(class).collect::<Vec<_>>());
    let samples = Labelled { rows: &rows, y: &y, classes: 3, weights: None };
    for (loss, c, objective, decisions) in [
        (SvmLoss::CrammerSinger, 0.1, 1.703260356607089, "002021012212020020212012"),
        (SvmLoss::Hinge, 0.1, 4.077751206559115, "002021012012020020212012"),
        (SvmLoss::SquaredHinge, 0.1, 4.469220311691961, "002021012012020020212012"),
        (SvmLoss::CrammerSinger, 1.0, 16.339270232436345, "002021012212020020=12012"),
        (SvmLoss::Hinge, 1.0, 35.18104112639341, "002021012012020020212012"),
        (SvmLoss::SquaredHinge, 1.0, 42.77948607700493, "002021012012020020212012"),
        (SvmLoss::CrammerSinger, 10.0, 162.62906550042268, "002021012212020020=12012"),
        (SvmLoss::Hinge, 10.0, 340.47679857699484, "002021012012020020212012"),
        (SvmLoss::SquaredHinge, 10.0, 425.43446315536835, "002021012012020020212012"),
    ] {
        let svm = tight(loss, c).fit(&samples, &|| false).unwrap();
        assert!((svm.objective - objective).abs() < 1e-6 * objective, "{loss:?} {c}: {}", svm.objective);
        for ((i, d), row) in svm.predict_all(&rows).into_iter().enumerate().zip(decisions.chars()) {
            assert!(row == '=' || row.to_digit(10) == Some(d as u32), "{loss:?} {c}: row {i}");
        }
    }
}
