//! Coders under one protocol: error, atoms of a code and time of a query; speed against Python packages; recovered supports.

use crate::Options;
use crate::peers::ask;
use crate::record::Row;
use protea::catalog::{self, Part};
use protea::coding::{Code, Coder, Coding, Dictionary, codes};
use protea::data::holdout;
use protea::{Dataset, Model, Trainer, Values};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::time::Instant;

/// A data set in a representation.
struct Set {
    title: &'static str,
    data: &'static str,
    /// Random halves for training and test, or the canonical parts.
    halves: bool,
    settings: &'static [(&'static str, &'static str)],
    methods: &'static [&'static str],
}

const ALL: &[&str] = &["knn", "inn", "src", "crc", "wcrc", "mp", "omp", "lle"];
/// Without those that would take hours over 39209 samples.
const FEW: &[&str] = &["knn", "inn", "src", "crc"];

const SETS: &[Set] = &[
    Set { title: "USPS, pixels", data: "usps", halves: false, settings: &[], methods: ALL },
    Set { title: "ORL, pixels", data: "orl", halves: true, settings: &[], methods: ALL },
    Set { title: "ORL, innlp", data: "orl", halves: true, settings: &[("project", "innlp")], methods: ALL },
    Set { title: "Yale B, pixels", data: "yaleb", halves: true, settings: &[], methods: ALL },
    Set {
        title: "Yale B, innlp",
        data: "yaleb",
        halves: true,
        settings: &[("project", "innlp")],
        methods: ALL,
    },
    Set { title: "GTSRB, HOG", data: "gtsrb", halves: false, settings: &[("hog", "true")], methods: FEW },
];

/// Mean error in percent, atoms of a code, and microseconds of a query.
struct Measured {
    error: f64,
    atoms: f64,
    micros: f64,
}

/// Measures all parts, or the one that `--only coding:PART` names.
pub fn run(options: &Options, rows: &mut Vec<Row>) {
    let part = options.only.as_deref().and_then(|only| only.strip_prefix("coding:"));
    let wanted = |name: &str| part.is_none_or(|p| p == name);
    if wanted("table") {
        SETS.iter().for_each(|set| table(set, options, rows));
    }
    if wanted("dictionary") {
        dictionary(options, rows);
    }
    if wanted("speed") {
        speed(options, rows);
    }
    if wanted("recovery") {
        recovery(rows);
    }
}

/// A part of a set; says so where it is not there.
fn load(options: &Options, data: &str, part: Part) -> Option<Dataset<f32>> {
    let found = catalog::load(data, part, options.data_dir.as_deref());
    found.map_err(|e| println!("coding, {data}: left out: {e}")).ok()
}

fn trainer(method: &str, settings: &[(&str, &str)]) -> Trainer<f32> {
    // 1-NN sees the samples as the coders do.
    let common = [("scale", "raw"), ("unit", "true")];
    let trainer = Trainer::named(method).expect("the table names methods");
    let set = |t: Trainer<f32>, (n, v): (&str, &str)| t.set(n, v).expect("settings of the table are sound");
    common.iter().chain(settings).fold(trainer, |t, &pair| set(t, pair))
}

fn measure(model: &Model<f32>, test: &Dataset<f32>) -> Measured {
    let timed = || {
        let start = Instant::now();
        (100.0 * model.error(test).expect("the test part fits"), start.elapsed().as_secs_f64())
    };
    let (error, mut seconds) = timed();
    if seconds < 20.0 {
        // Without what is prepared at the first query.
        seconds = timed().1;
    }
    let micros = 1e6 * seconds / test.len() as f64;
    let few: Vec<usize> = (0..test.len()).step_by(1 + test.len() / 500).collect();
    let codes = model.represent(test.select(&few).x.view()).expect("the test part fits");
    let atoms = codes.iter().map(|c| c.atoms.len()).sum::<usize>() as f64 / codes.len() as f64;
    Measured { error, atoms, micros }
}

/// One table over the methods, and what INN must reach in it.
fn table(set: &Set, options: &Options, rows: &mut Vec<Row>) {
    let pairs: Vec<(Dataset<f32>, Dataset<f32>)> = if set.halves {
        let Some(data) = load(options, set.data, Part::All) else { return };
        let half = |seed| holdout(&data, 0.5, seed).expect("enough samples of each class");
        let select = |(train, test): (Vec<usize>, Vec<usize>)| (data.select(&train), data.select(&test));
        (0..3).map(|seed| select(half(seed))).collect()
    } else {
        let Some(train) = load(options, set.data, Part::Train) else { return };
        let Some(test) = load(options, set.data, Part::Test) else { return };
        vec![(train, test)]
    };
    println!("\n{:<16} {:>8} {:>8} {:>10}", set.title, "error %", "atoms", "µs/query");
    let mut errors = Vec::new();
    for &method in set.methods {
        let one = |(train, test): &(Dataset<f32>, Dataset<f32>)| {
            measure(&trainer(method, set.settings).fit(train).expect("the set can be learned"), test)
        };
        let all: Vec<Measured> = pairs.iter().map(one).collect();
        let mean = |f: fn(&Measured) -> f64| all.iter().map(f).sum::<f64>() / all.len() as f64;
        let (error, atoms, micros) = (mean(|m| m.error), mean(|m| m.atoms), mean(|m| m.micros));
        println!("{method:<16} {error:>8.2} {atoms:>8.1} {micros:>10.1}");
        errors.push((method, error, format!("{method} {error:.2} % ({atoms:.1} atoms, {micros:.0} µs)")));
    }
    let of = |name: &str| errors.iter().find(|e| e.0 == name).map_or(f64::NAN, |e| e.1);
    let detail = errors.iter().map(|e| e.2.clone()).collect::<Vec<_>>().join(", ");
    let name = |what: &str| format!("INNC, {}, {what}", set.title);
    if set.data == "usps" {
        rows.push(Row::at_most(&name("error"), of("inn"), "%", 4.4, detail.clone()));
    }
    let (above_nn, above_others) = (of("inn") - of("knn"), of("inn") - of("src").min(of("crc")));
    rows.push(Row::at_most(&name("above 1-NN"), above_nn, "points", 0.0, detail.clone()));
    rows.push(Row::at_most(&name("above SRC and CRC"), above_others, "points", 1.0, detail));
}

/// INN over prototypes of other methods, against the nearest of them.
fn dictionary(options: &Options, rows: &mut Vec<Row>) {
    let (Some(train), Some(test)) = (load(options, "usps", Part::Train), load(options, "usps", Part::Test))
    else {
        return;
    };
    for (method, per_class) in [("npc", "15"), ("npc", "50"), ("kmeans", "50"), ("kmeans", "200")] {
        let learned = Trainer::<f32>::named(method).and_then(|t| t.set("per-class", per_class));
        let learned = learned.and_then(|t| t.fit(&train)).expect("the set can be learned");
        let inn =
            Trainer::named("inn").and_then(|t| t.dictionary(learned.clone())).and_then(|t| t.fit(&train));
        let (nearest, coded) =
            (measure(&learned, &test), measure(&inn.expect("prototypes are atoms"), &test));
        let detail = format!(
            "nearest {:.2} %, {:.1} µs; INN over the prototypes {:.1} µs, {:.1} atoms",
            nearest.error, nearest.micros, coded.micros, coded.atoms
        );
        let title = format!("INNC over {per_class} {method} prototypes per class, USPS");
        let most = (nearest.error * 100.0).round() / 100.0;
        rows.push(Row::at_most(&title, coded.error, "%", most, detail));
    }
}

/// INN on USPS against NumPy and ℓ1 codes of scikit-learn.
fn speed(options: &Options, rows: &mut Vec<Row>) {
    let (Some(train), Some(test)) = (load(options, "usps", Part::Train), load(options, "usps", Part::Test))
    else {
        return;
    };
    let inn = trainer("inn", &[]).fit(&train).expect("the set can be learned");
    let src = trainer("src", &[]).fit(&train).expect("the set can be learned").error(&test);
    let src = 100.0 * src.expect("the test part fits");
    // A new model for each run, so that what is prepared at the first query counts.
    let once = || {
        let model = Model::<f32>::from_bytes(&inn.to_bytes().expect("it can be saved"), "memory");
        let model = model.expect("it was just saved");
        let start = Instant::now();
        model.predict(test.x.view()).expect("the test part fits");
        let first = start.elapsed().as_secs_f64();
        let start = Instant::now();
        model.predict(test.x.view()).expect("the test part fits");
        (1e6 * first / test.len() as f64, 1e6 * start.elapsed().as_secs_f64() / test.len() as f64)
    };
    let runs: Vec<(f64, f64)> = (0..5).map(|_| once()).collect();
    let best = |f: fn(&(f64, f64)) -> f64| runs.iter().map(f).fold(f64::INFINITY, f64::min);
    let (first, later) = (best(|r| r.0), best(|r| r.1));
    let error = 100.0 * inn.error(&test).expect("the test part fits");
    let dir = options.data_dir.as_ref().map_or(String::new(), |d| d.display().to_string());
    let args = ["--data-dir", dir.as_str()];
    let Some(report) = ask(options.python.as_ref(), "--python", "peers_coding.py", &args) else { return };
    let peer = |name: &str| report["micros"][name].as_f64().unwrap_or(f64::NAN);
    let (l1, numpy) = (peer("lasso").min(peer("lars")), peer("inn_numpy"));
    let ours = format!("{first:.0} µs, from the second call on {later:.0} µs");
    let detail = format!("{ours}; Lasso {:.0} µs, LARS {:.0} µs", peer("lasso"), peer("lars"));
    rows.push(Row::at_least("INNC, USPS, speed against ℓ1 codes", l1 / first, "× peer", 20.0, detail));
    let src = (src * 100.0).round() / 100.0;
    rows.push(Row::at_most("INNC, USPS, error against SRC", error, "%", src, "the same ℓ1 minimum".into()));
    let detail = format!("{ours}; NumPy {numpy:.0} µs");
    rows.push(Row::at_least("INNC, USPS, speed against NumPy", numpy / first, "× peer", 2.0, detail));
}

/// Share of the atoms of a noisy positive sum that are among the largest weights of its code.
fn recovery(rows: &mut Vec<Row>) {
    const ATOMS: usize = 400;
    const DIM: usize = 50;
    const SIGNALS: usize = 200;
    println!("\n{SIGNALS} sums of atoms out of {ATOMS} in {DIM} dimensions: share of the support recovered");
    println!("{:<8} {:>6} {:>8} {:>8} {:>8} {:>8}", "atoms", "noise", "inn", "mp", "omp", "ℓ1");
    let mut rng = SmallRng::seed_from_u64(0);
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let mut x = ndarray::Array2::from_shape_fn((ATOMS, DIM), |_| normal());
    protea::represent::to_unit_length(x.view_mut());
    for k in [2, 5, 10] {
        for noise in [0.0, 0.2, 0.5] {
            let (mut q, mut supports) = (ndarray::Array2::<f64>::zeros((SIGNALS, DIM)), Vec::new());
            for mut row in q.rows_mut() {
                let mut support: Vec<usize> = Vec::new();
                while support.len() < k {
                    let j = ((normal() + 6.0) / 12.0 * 1e6) as usize % ATOMS;
                    if !support.contains(&j) {
                        support.push(j);
                        row.scaled_add((0.5 + normal().abs().min(1.0)) / k as f64, &x.row(j));
                    }
                }
                let size = row.dot(&row).sqrt() * noise / (DIM as f64).sqrt();
                row.mapv_inplace(|v| v + size * normal());
                supports.push(support);
            }
            let atoms = k.to_string();
            let shares: Vec<f64> = [
                ("inn", "lambda", "0.05"),
                ("mp", "atoms", &atoms),
                ("omp", "atoms", &atoms),
                ("src", "l1", "0.1"),
            ]
            .iter()
            .map(|(name, setting, value)| {
                let values = Values::from([(setting.to_string(), value.to_string())]);
                let coding = Coding::parse(name, &values).expect("settings of the table are sound");
                let coder = coding.over(Dictionary::new(x.view()).expect("finite atoms"));
                share(&*coder.expect("finite atoms"), &q, &supports)
            })
            .collect();
            let [inn, mp, omp, l1] = shares[..] else { return };
            // As many digits as the table shows.
            let [inn, mp] = [inn, mp].map(|share| (share * 1e3).round() / 1e3);
            println!("{k:<8} {noise:>6} {inn:>8.3} {mp:>8.3} {omp:>8.3} {l1:>8.3}");
            let title = format!("INN, support of {k}, noise {noise}");
            let detail = format!("recovered by mp {mp:.3}, omp {omp:.3}, ℓ1 {l1:.3}; at least as mp");
            rows.push(Row::at_least(&title, inn, "share", mp, detail));
        }
    }
}

/// Mean share of each support among as many largest weights.
fn share(coder: &dyn Coder<f64>, q: &ndarray::Array2<f64>, supports: &[Vec<usize>]) -> f64 {
    let found = |(code, support): (&Code<f64>, &Vec<usize>)| {
        let mut order: Vec<usize> = (0..code.atoms.len()).collect();
        order.sort_by(|&a, &b| code.weights[b].abs().total_cmp(&code.weights[a].abs()));
        let largest = order.iter().take(support.len()).map(|&k| code.atoms[k]);
        largest.filter(|j| support.contains(j)).count() as f64 / support.len() as f64
    };
    let codes = codes(coder, q.view()).expect("signals fit the atoms");
    codes.iter().zip(supports).map(found).sum::<f64>() / supports.len() as f64
}
