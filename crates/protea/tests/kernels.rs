//! Fast kernels against naive loops on random shapes.

use ndarray::Array2;
use proptest::prelude::*;
use protea::Float;
use protea::metric::{Euclidean, Linear, Local, LocalLinear, Mahalanobis, Metric, Scratch};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Uniform numbers in [−1, 1).
fn uniform(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect()
}

/// Distances and both gradients of `L = Σ w d` by loops over pairs and features; the metric matrix may be anything.
struct Naive {
    d: Vec<f64>,
    gp: Vec<f64>,
    ga: Vec<f64>,
}

fn naive(x: &[f64], p: &[f64], a: &Array2<f64>, w: &[f64]) -> Naive {
    let (r, dim) = a.dim();
    let (n, m) = (x.len() / dim, p.len() / dim);
    let mut out = Naive { d: vec![0.0; n * m], gp: vec![0.0; m * dim], ga: vec![0.0; r * dim] };
    for i in 0..n {
        for j in 0..m {
            let diff: Vec<f64> = (0..dim).map(|f| x[i * dim + f] - p[j * dim + f]).collect();
            for l in 0..r {
                let z: f64 = (0..dim).map(|f| a[[l, f]] * diff[f]).sum();
                out.d[i * m + j] += z * z;
                for f in 0..dim {
                    out.gp[j * dim + f] -= 2.0 * w[i * m + j] * z * a[[l, f]];
                    out.ga[l * dim + f] += 2.0 * w[i * m + j] * z * diff[f];
                }
            }
        }
    }
    out
}

fn narrow<F: Float>(v: &[f64]) -> Vec<F> {
    v.iter().map(|&v| F::of(v)).collect()
}

/// Runs a metric over blocks of at most three rows and gives distances and gradients.
fn fast<F: Float>(mut metric: impl Metric<F>, x: &[f64], p: &[f64], w: &[f64], dim: usize) -> [Vec<f64>; 3] {
    let (x, p, w) = (narrow::<F>(x), narrow::<F>(p), narrow::<F>(w));
    let m = p.len() / dim;
    metric.set(&p, &metric.params());
    let mut d = vec![F::zero(); w.len()];
    let mut sum = vec![F::zero(); metric.accumulator_len()];
    let mut scratch = Scratch::default();
    for (b, (x, w)) in x.chunks(3 * dim).zip(w.chunks(3 * m)).enumerate() {
        metric.distances(x, &mut d[b * 3 * m..b * 3 * m + w.len()], &mut scratch);
        metric.pull_back(x, w, &mut sum, b == 0, &mut scratch);
    }
    let (mut gp, mut gm) = (vec![F::zero(); p.len()], vec![F::zero(); metric.n_params()]);
    metric.gradient(&sum, &mut gp, &mut gm);
    [d, gp, gm].map(|v| v.iter().map(|v| v.f64()).collect())
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} against {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn euclidean_matches_the_loop(n in 1usize..12, m in 1usize..20, dim in 1usize..30, seed in 0u64..1000) {
        let (x, p, w) = (uniform(n * dim, seed), uniform(m * dim, seed + 1), uniform(n * m, seed + 2));
        let expected = naive(&x, &p, &Array2::eye(dim), &w);
        let [d, gp, _] = fast::<f64>(Euclidean::new(dim), &x, &p, &w, dim);
        assert_close(&d, &expected.d, 1e-12);
        assert_close(&gp, &expected.gp, 1e-12);
        let [d, gp, _] = fast::<f32>(Euclidean::new(dim), &x, &p, &w, dim);
        assert_close(&d, &expected.d, 1e-5);
        assert_close(&gp, &expected.gp, 1e-5);
    }

    #[test]
    fn linear_matches_the_loop(n in 1usize..12, m in 1usize..20, dim in 1usize..12, r in 1usize..12, seed in 0u64..1000) {
        let r = r.min(dim);
        let (x, p, w) = (uniform(n * dim, seed), uniform(m * dim, seed + 1), uniform(n * m, seed + 2));
        let a = Array2::from_shape_vec((r, dim), uniform(r * dim, seed + 3)).unwrap();
        let metric = Linear::new(&a);
        let a = metric.fitted().matrix().unwrap().clone();
        prop_assert!((a.iter().map(|v| v * v).sum::<f64>() - r as f64).abs() < 1e-9);
        let expected = naive(&x, &p, &a, &w);
        let [d, gp, gm] = fast(metric, &x, &p, &w, dim);
        assert_close(&d, &expected.d, 1e-11);
        assert_close(&gp, &expected.gp, 1e-11);
        // The scale of A is no parameter: the gradient has no part along A.
        let along = a.iter().zip(&expected.ga).map(|(a, g)| a * g).sum::<f64>() / r as f64;
        let projected: Vec<f64> = a.iter().zip(&expected.ga).map(|(a, g)| g - a * along).collect();
        assert_close(&gm, &projected, 1e-10);
    }

    /// Every tenth derivative only: the path for objectives that look at few prototypes.
    #[test]
    fn sparse_derivatives_match_the_loop(n in 1usize..12, m in 20usize..40, dim in 1usize..12, seed in 0u64..1000) {
        let (x, p) = (uniform(n * dim, seed), uniform(m * dim, seed + 1));
        let w: Vec<f64> =
            uniform(n * m, seed + 2).iter().enumerate().map(|(i, v)| if i % 20 == 3 { *v } else { 0.0 }).collect();
        let metric = Linear::new(&Array2::from_shape_vec((dim, dim), uniform(dim * dim, seed + 3)).unwrap());
        let a = metric.fitted().matrix().unwrap().clone();
        let expected = naive(&x, &p, &a, &w);
        let along = a.iter().zip(&expected.ga).map(|(a, g)| a * g).sum::<f64>() / dim as f64;
        let projected: Vec<f64> = a.iter().zip(&expected.ga).map(|(a, g)| g - a * along).collect();
        let [_, gp, gm] = fast(metric, &x, &p, &w, dim);
        assert_close(&gp, &expected.gp, 1e-11);
        assert_close(&gm, &projected, 1e-10);
    }

    #[test]
    fn local_weights_match_the_loop(n in 1usize..12, m in 1usize..20, dim in 1usize..20, seed in 0u64..1000) {
        let (x, p, w) = (uniform(n * dim, seed), uniform(m * dim, seed + 1), uniform(n * m, seed + 2));
        let v = Array2::from_shape_vec((m, dim), uniform(m * dim, seed + 3)).unwrap();
        let [d, gp, gm] = fast(Local::new(&v), &x, &p, &w, dim);
        for j in 0..m {
            let a = Array2::from_diag(&v.row(j));
            let column = |all: &[f64]| -> Vec<f64> { all.chunks(m).map(|row| row[j]).collect() };
            let expected = naive(&x, &p[j * dim..(j + 1) * dim], &a, &column(&w));
            assert_close(&column(&d), &expected.d, 1e-12);
            assert_close(&gp[j * dim..(j + 1) * dim], &expected.gp, 1e-12);
            let diagonal: Vec<f64> = (0..dim).map(|f| expected.ga[f * dim + f]).collect();
            assert_close(&gm[j * dim..(j + 1) * dim], &diagonal, 1e-12);
        }
    }

    #[test]
    fn groups_with_matrices_match_the_loop(n in 1usize..8, dim in 1usize..9, r in 1usize..9, seed in 0u64..1000) {
        let (r, m) = (r.min(dim), 5);
        let (x, p, w) = (uniform(n * dim, seed), uniform(m * dim, seed + 1), uniform(n * m, seed + 2));
        let a = Array2::from_shape_vec((r, dim), uniform(r * dim, seed + 3)).unwrap();
        let groups = [0..2, 2..5];
        let metric = LocalLinear::new(&groups, &a);
        let a = Linear::new(&a).fitted().matrix().unwrap().clone();
        let [d, gp, _] = fast(metric, &x, &p, &w, dim);
        let expected = naive(&x, &p, &a, &w);
        assert_close(&d, &expected.d, 1e-11);
        assert_close(&gp, &expected.gp, 1e-11);
    }

    /// With M = AᵀA: the same distances and prototype gradients, and ∂L/∂A = 2 A ∂L/∂M.
    #[test]
    fn the_matrix_itself_matches_its_root(n in 1usize..12, m in 1usize..20, dim in 1usize..9, seed in 0u64..1000) {
        let (x, p, w) = (uniform(n * dim, seed), uniform(m * dim, seed + 1), uniform(n * m, seed + 2));
        let a = Array2::from_shape_vec((dim, dim), uniform(dim * dim, seed + 3)).unwrap();
        let expected = naive(&x, &p, &a, &w);
        let [d, gp, gm] = fast(Mahalanobis::new(&a), &x, &p, &w, dim);
        assert_close(&d, &expected.d, 1e-10);
        assert_close(&gp, &expected.gp, 1e-10);
        let gm = Array2::from_shape_vec((dim, dim), gm).unwrap();
        let ga: Vec<f64> = (2.0 * a.dot(&gm)).into_iter().collect();
        assert_close(&ga, &expected.ga, 1e-10);
    }
}

#[test]
fn a_sample_on_a_prototype_has_distance_zero_or_nearly() {
    let x = [1000.0, -999.5, 1000.25];
    let [d, ..] = fast::<f32>(Euclidean::new(3), &x, &x, &[1.0], 3);
    assert!(d[0] >= 0.0 && d[0] < 1.0);
}
