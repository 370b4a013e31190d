//! What every kind of metric must do: the list in `metric::METRICS` and the metric of `examples/custom_metric.rs`, so that a new
//! one is tested before its author writes a test.

use crate::common;
use crate::custom_metric;

use common::{clouds, narrow, uniform};
use custom_metric::{ROBUST, Robust};
use ndarray::{Array2, Axis};
use protea::metric::{
    Embedding, Euclidean, FittedKind, FittedMetric, Linear, Local, LocalLinear, METRICS, Metric, MetricKind,
    Scratch, register,
};
use protea::plan::{Op, Plan};
use protea::store::Stored;
use protea::{Float, SettingValue, Trainer};

const M: usize = 5;
const DIM: usize = 4;

fn matrix<F: Float>(rows: usize, columns: usize, seed: u64) -> Array2<F> {
    let values = uniform(rows * columns, seed);
    Array2::from_shape_fn((rows, columns), |(i, j)| F::of(values[i * columns + j]))
}

/// Kinds of metrics: all of protea's own, and one of a user.
fn kinds() -> Vec<FittedKind> {
    METRICS.iter().copied().chain([ROBUST]).collect()
}

/// A metric of every kind for `M` prototypes of `DIM` features, with numbers by `seed`.
fn metrics<F: Float>(seed: u64) -> Vec<Box<dyn FittedMetric<F>>> {
    let weights = matrix::<F>(M, DIM, seed).mapv(|v| v + F::of(1.5));
    let row = weights.row(0).to_vec();
    let mut groups = LocalLinear::new(&[0..2, 2..5], &matrix(3, DIM, seed));
    groups.set(&[F::zero(); M * DIM], &matrix::<F>(6, DIM, seed + 1).into_iter().collect::<Vec<_>>());
    let all: Vec<Box<dyn FittedMetric<F>>> = vec![
        Euclidean::new(DIM).fitted(),
        Linear::diagonal(&row).fitted(),
        Linear::new(&matrix(3, DIM, seed)).fitted(),
        Local::new(&weights).fitted(),
        groups.fitted(),
        Box::new(Robust { v: row, p: Vec::new() }),
    ];
    let tags: Vec<&str> = all.iter().map(|m| m.tag()).collect();
    assert_eq!(
        tags,
        kinds().iter().map(|k| k.tag).collect::<Vec<_>>(),
        "a metric of every kind is tested here"
    );
    all
}

/// Distances (`n × m`) of a metric that has been placed.
fn distances<F: Float>(metric: &dyn Metric<F>, x: &Array2<F>, m: usize) -> Vec<f64> {
    let mut d = vec![F::zero(); x.nrows() * m];
    metric.distances(x.as_slice().unwrap(), &mut d, &mut Scratch::default());
    d.iter().map(|v| v.f64()).collect()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

#[test]
fn every_metric_is_stored_and_read_back_bit_for_bit() {
    fn of<F: Float>() {
        for (metric, kind) in metrics::<F>(3).iter().zip(kinds()) {
            let again = F::pick(&kind)(&metric.store()).unwrap();
            assert!(*again == **metric && again.tag() == metric.store().tag, "{}", kind.tag);
            assert!(metric.fits(M, DIM), "{}", kind.tag);
            // What lacks its numbers, or has those of other features, is refused; the Euclidean one has none to lack.
            let plain = kind.tag == "euclidean";
            assert_eq!(F::pick(&kind)(&Stored::new(kind.tag)).is_ok(), plain, "{}", kind.tag);
            assert_eq!(metric.fits(M, DIM + 1), plain, "{}", kind.tag);
        }
    }
    of::<f32>();
    of::<f64>();
}

#[test]
fn every_metric_goes_on_training_from_where_it_is_and_finds_the_nearest() {
    let (x, p) = (matrix::<f64>(7, DIM, 1), matrix::<f64>(M, DIM, 2));
    for metric in metrics(3) {
        let placed = metric.at(p.view());
        let mut trained = metric.trainable(DIM);
        let params = trained.params();
        trained.set(p.as_slice().unwrap(), &params);
        let d = distances(&*placed, &x, M);
        assert!(close(&distances(&*trained, &x, M), &d, 1e-12), "{}", metric.tag());
        assert_eq!((trained.n_params(), trained.dim()), (params.len(), DIM));
        let nearest = placed.nearest(x.as_slice().unwrap(), &mut vec![0.0; 7 * M], &mut Scratch::default());
        let by_loop = d.chunks(M).map(|d| (0..M).min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap());
        assert_eq!(nearest, by_loop.collect::<Vec<_>>(), "{}", metric.tag());
    }
}

/// `L = Σ w d` by prototypes and by parameters, in two blocks.
#[test]
fn gradients_match_central_differences() {
    let (x, p, w) = (matrix::<f64>(6, DIM, 1), matrix::<f64>(M, DIM, 2), uniform(6 * M, 4));
    for metric in metrics::<f64>(3) {
        let mut metric = metric.trainable(DIM);
        let (p, params) = (p.as_slice().unwrap().to_vec(), metric.params());
        metric.set(&p, &params);
        let mut sums = vec![f64::NAN; metric.accumulator_len()];
        let (mut scratch, mut d) = (Scratch::default(), vec![0.0; 3 * M]);
        for (b, rows) in x.as_slice().unwrap().chunks(3 * DIM).enumerate() {
            metric.distances(rows, &mut d, &mut scratch);
            metric.pull_back(rows, &w[b * 3 * M..(b + 1) * 3 * M], &mut sums, b == 0, &mut scratch);
        }
        let (mut gp, mut gm) = (vec![0.0; p.len()], vec![0.0; params.len()]);
        metric.gradient(&sums, &mut gp, &mut gm);
        let tag = metric.fitted().tag();
        let mut loss = |p: &[f64], params: &[f64]| {
            metric.set(p, params);
            distances(&*metric, &x, M).iter().zip(&w).map(|(d, w)| d * w).sum::<f64>()
        };
        let moved = |values: &[f64], at: usize, h: f64| {
            let mut values = values.to_vec();
            values[at] += h;
            values
        };
        for (j, g) in gp.iter().enumerate() {
            let by = (loss(&moved(&p, j, 1e-6), &params) - loss(&moved(&p, j, -1e-6), &params)) / 2e-6;
            assert!((g - by).abs() < 1e-6 * (1.0 + by.abs()), "{tag}, prototypes: {g} against {by}");
        }
        for (j, g) in gm.iter().enumerate() {
            let by = (loss(&p, &moved(&params, j, 1e-6)) - loss(&p, &moved(&params, j, -1e-6))) / 2e-6;
            assert!((g - by).abs() < 1e-6 * (1.0 + by.abs()), "{tag}, parameters: {g} against {by}");
        }
    }
}

#[test]
fn some_prototypes_keep_their_distances_and_joined_ones_too() {
    let (x, p) = (matrix::<f64>(7, DIM, 1), matrix::<f64>(M, DIM, 2));
    let kept = [0, 3, 4];
    for (metric, other) in metrics::<f64>(3).iter().zip(metrics::<f64>(8)) {
        let tag = metric.tag();
        let (d, e) = (distances(&*metric.at(p.view()), &x, M), distances(&*other.at(p.view()), &x, M));
        let some = metric.select(&kept);
        assert!(some.fits(kept.len(), DIM), "{tag}");
        let of_kept = distances(&*some.at(p.select(Axis(0), &kept).view()), &x, kept.len());
        let expected: Vec<f64> = d.chunks(M).flat_map(|row| kept.map(|j| row[j])).collect();
        assert!(close(&of_kept, &expected, 1e-12), "{tag}");
        match metric.join(&[(&**metric, M), (&*other, M)]) {
            Ok(joined) => {
                assert!(joined.fits(2 * M, DIM), "{tag}");
                let both = ndarray::concatenate(Axis(0), &[p.view(), p.view()]).unwrap();
                let expected: Vec<f64> =
                    d.chunks(M).zip(e.chunks(M)).flat_map(|(a, b)| [a, b].concat()).collect();
                assert!(close(&distances(&*joined.at(both.view()), &x, 2 * M), &expected, 1e-12), "{tag}");
            }
            Err(refused) => assert!(refused.to_string().contains(tag), "{refused}"),
        }
        assert!(*metric.join(&[(&**metric, 2), (&**metric, 3)]).unwrap().store().tag != *"", "{tag}");
    }
}

/// What explains a metric agrees with its distances: `δᵀ Λ δ`, the map to where it is Euclidean, and the plan.
#[test]
fn explanations_and_plans_have_the_distances_of_the_metric() {
    let (x, p) = (matrix::<f64>(7, DIM, 1), matrix::<f64>(M, DIM, 2));
    for metric in metrics::<f64>(3) {
        let (tag, d) = (metric.tag(), distances(&*metric.at(p.view()), &x, M));
        let pair = |i: usize, j: usize| -> Vec<f64> { (&x.row(i) - &p.row(j)).to_vec() };
        for (i, j) in [(0, 0), (3, 1), (6, 4)] {
            if let Some(times) = metric.times(&pair(i, j), j) {
                let sum: f64 = times.iter().zip(pair(i, j)).map(|(a, b)| a * b).sum();
                assert!((sum - d[i * M + j]).abs() < 1e-12, "{tag}");
            }
        }
        if metric.embedding() != Embedding::None {
            let (z, q) = (metric.embed(x.clone()), metric.embed(p.clone()));
            let flat: Vec<f64> =
                (0..7 * M).map(|at| (&z.row(at / M) - &q.row(at % M)).iter().map(|v| v * v).sum()).collect();
            assert!(close(&flat, &d, 1e-12), "{tag}");
        }
        if let Some(shares) = metric.relevance() {
            assert!(shares.len() == DIM && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{tag}");
        }
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
        let (features, classes) = (names(DIM), names(M));
        let mut plan = Plan { precision: "f64", features, classes, arrays: Vec::new(), ops: Vec::new() };
        match metric.lower(p.view(), &mut plan) {
            Err(refused) => assert!(refused.to_string().contains(tag), "{refused}"),
            Ok(op) => {
                // The shares of exp(−d), which is how a plan ends.
                plan.ops.extend([op, Op::Multiply { by: -1.0 }]);
                for (x, d) in x.rows().into_iter().zip(d.chunks(M)) {
                    let total: f64 = d.iter().map(|d| (-d).exp()).sum();
                    let expected: Vec<f64> = d.iter().map(|d| (-d).exp() / total).collect();
                    assert!(close(&plan.answer(&x.to_vec()).probabilities, &expected, 1e-12), "{tag}");
                }
            }
        }
    }
}

/// Whatever metric can be chosen, what it trains is of a kind that can be stored.
#[test]
fn every_choice_of_metric_trains_one_of_the_list() {
    let data = narrow(&clouds(20, 4, 3, 5));
    for name in MetricKind::NAMES {
        let method = if *name == MetricKind::Cdvw.show() { "knn" } else { "npc" };
        let trainer = Trainer::<f32>::named(method).unwrap().set("metric", name).unwrap();
        let trainer = if method == "npc" { trainer.epochs(1) } else { trainer };
        let model = trainer.fit(&data).unwrap();
        assert!(METRICS.iter().any(|kind| kind.tag == model.metric().tag()), "{name}");
    }
}

/// A user's own metric: trained, saved, read back where it is known, resumed, and refused where nothing would learn it.
#[test]
fn a_metric_of_ones_own() {
    let data = clouds(20, 4, 3, 5);
    let robust = || Box::new(Robust { v: vec![1.0; 4], p: Vec::new() });
    let trainer = |method: &str| Trainer::<f64>::named(method).unwrap();
    let model = trainer("npc").epochs(5).with_metric(robust()).fit(&data).unwrap();
    let bytes = model.to_bytes().unwrap();
    let unknown = protea::Model::<f64>::from_bytes(&bytes, "file").unwrap_err().to_string();
    assert!(unknown.contains("\"robust\"") && unknown.contains("register"), "{unknown}");
    register(ROBUST).unwrap();
    assert!(register(ROBUST).unwrap_err().to_string().contains("robust"));
    let again = protea::Model::<f64>::from_bytes(&bytes, "file").unwrap();
    assert!(
        again.metric() == model.metric()
            && again.metric().store().vector("robust.weights").unwrap()[0] != 1.0
    );
    assert_eq!(again.provenance().settings["metric"], "robust");
    assert_eq!(again.evidence(data.x.view()).unwrap(), model.evidence(data.x.view()).unwrap());
    let more = trainer("npc").epochs(1).with_metric(robust()).resume(&again).fit(&data).unwrap();
    assert_eq!(more.metric().tag(), "robust");
    assert!(trainer("npc").resume(&again).fit(&data).unwrap_err().to_string().contains("robust"));
    for (refused, reason) in [
        (trainer("kmeans").with_metric(robust()), "objective"),
        (trainer("npc").metric(MetricKind::Linear).with_metric(robust()), "no other metric"),
        (trainer("npc").with_metric(Box::new(Robust { v: vec![1.0; 3], p: Vec::new() })), "metric"),
    ] {
        let refused = refused.fit(&data).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    for (refused, reason) in [
        (model.plan().map(|_| ()), "no operation in a plan"),
        (model.contributions(data.x.view(), &vec![0; data.len()]).map(|_| ()), "no contributions"),
    ] {
        assert!(refused.unwrap_err().to_string().contains(reason));
    }
}
