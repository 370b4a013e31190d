//! Certified radii: closed forms, order of the bounds, and attacks that must not get through.

use ndarray::{Array2, array};
use protea::catalog::{self, Part};
use protea::certify::{Bound, Certificate, Certifier, Changes, Norm, cards, certified_error, counterfactual};
use protea::{Dataset, Model, Trainer};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn fit(method: &str, values: &[(&str, &str)], data: &Dataset<f64>) -> Model<f64> {
    let mut trainer = Trainer::named(method).unwrap();
    for (name, value) in values {
        trainer = trainer.set(name, value).unwrap();
    }
    trainer.fit(data).unwrap()
}

fn wine() -> Dataset<f64> {
    catalog::load("wine", Part::All, None).unwrap()
}

/// Means of two classes at 0 and 4: the border is at 2, in every norm and by every bound.
#[test]
fn one_feature_has_its_border_half_way() {
    let x = array![[-1.0], [1.0], [3.0], [5.0]];
    let data = Dataset::new(x, vec![0, 0, 1, 1], vec!["a".into(), "b".into()]).unwrap();
    for scale in ["raw", "standard"] {
        let model = fit("centroid", &[("scale", scale)], &data);
        for (norm, bound) in Norm::ALL.iter().flat_map(|&n| Bound::ALL.map(|b| (n, b))) {
            let Ok(certifier) = Certifier::new(&model, norm, bound) else {
                assert!(norm != Norm::L2 && bound == Bound::Exact);
                continue;
            };
            let found = certifier.certify(array![[0.5], [3.5], [2.0]].view()).unwrap();
            for (c, (radius, class)) in found.iter().zip([(1.5, 0), (1.5, 1), (0.0, 0)]) {
                assert!((c.radius - radius).abs() < 1e-9, "{scale} {norm:?} {bound:?}: {c:?}");
                assert_eq!((c.class, c.rival), (class, Some(1 - class)));
            }
        }
    }
}

/// The corner between two prototypes of the other class is nearer than either border alone tells, and the exact radius knows it.
#[test]
fn the_exact_radius_reaches_a_corner() {
    // Own prototypes at (±1, 0), the rival at (0, 3): nearer than both only above a wedge whose tip is on the axis.
    let x = array![[-1.0, 0.0], [1.0, 0.0], [0.0, 3.0]];
    let data = Dataset::new(x, vec![0, 0, 1], vec!["a".into(), "b".into()]).unwrap();
    let model = fit("knn", &[("scale", "raw")], &data);
    let query = array![[0.0, -1.0]];
    let radius =
        |bound| Certifier::new(&model, Norm::L2, bound).unwrap().certify(query.view()).unwrap()[0].radius;
    // On the axis d = 1 + y² against (y − 3)²: level at y = 4/3, so 7/3 away; one border alone is at 14 / (2 √10).
    assert!((radius(Bound::Exact) - 7.0 / 3.0).abs() < 1e-6, "{}", radius(Bound::Exact));
    assert!((radius(Bound::HalfSpace) - 7.0 / 10f64.sqrt()).abs() < 1e-9);
    assert!(radius(Bound::Margin) <= radius(Bound::HalfSpace));
}

/// A random change of length `size` in a norm: dense, along an axis, into a corner, or towards a prototype.
fn change(
    rng: &mut Xoshiro256PlusPlus,
    norm: Norm,
    size: f64,
    x: &[f64],
    prototypes: &Array2<f64>,
) -> Vec<f64> {
    let n = x.len();
    let mut v: Vec<f64> = match rng.random_range(0..4) {
        0 => (0..n).map(|_| rng.random::<f64>() - 0.5).collect(),
        1 => {
            let axis = rng.random_range(0..n);
            (0..n).map(|f| if f == axis { rng.random::<f64>() - 0.5 } else { 0.0 }).collect()
        }
        2 => (0..n).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect(),
        _ => {
            let p = prototypes.row(rng.random_range(0..prototypes.nrows()));
            p.iter().zip(x).map(|(p, x)| if norm == Norm::Linf { (p - x).signum() } else { p - x }).collect()
        }
    };
    let length = norm.of(&v).max(1e-300);
    v.iter_mut().for_each(|v| *v *= size / length);
    v
}

/// No change within the radius changes the answer, for every decision and metric that has certificates.
#[test]
fn attacks_do_not_get_through() {
    let data = wine();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let short = ("epochs", "3");
    let models = [
        fit("npc", &[("per-class", "4"), short], &data),
        fit("npc", &[("per-class", "4"), ("metric", "linear"), ("pca", "6"), short], &data),
        fit("npc", &[("per-class", "3"), ("metric", "diagonal"), short], &data),
        fit("npc", &[("per-class", "3"), ("metric", "local-linear"), short], &data),
        fit("npc", &[("per-class", "3"), ("members", "3"), ("metric", "linear"), short], &data),
        fit("npc", &[("per-class", "3"), ("rule", "soft"), short], &data),
        fit("npc", &[("per-class", "3"), ("rule", "3-np"), short], &data),
        fit("lpd", &[("per-class", "2"), short], &data),
        fit("pnn", &[("per-class", "2"), ("draws", "500"), ("margin", "0.3")], &data),
        fit("npc", &[("per-class", "3"), ("posterior", "nearest"), short], &data)
            .with_class_weights(&[1.0, 3.0, 0.5])
            .unwrap(),
    ];
    let mut attacks = 0;
    for model in &models {
        let name = format!("{} {:?}", model.provenance().method, model.provenance().settings);
        let shown = model.prototypes_in_input_units();
        for (norm, bound) in Norm::ALL.iter().flat_map(|&n| Bound::ALL.map(|b| (n, b))) {
            let Ok(certifier) = Certifier::new(model, norm, bound) else { continue };
            let certificates = certifier.certify(data.x.view()).unwrap();
            assert_eq!(
                model.predict(data.x.view()).unwrap(),
                certificates.iter().map(|c| c.class).collect::<Vec<_>>()
            );
            for i in (0..data.len()).step_by(5) {
                let (x, c) = (data.x.row(i).to_vec(), certificates[i]);
                let mut moved = Array2::zeros((20, x.len()));
                for mut row in moved.rows_mut() {
                    let size = c.radius
                        * (1.0 - 1e-6)
                        * if rng.random::<bool>() { 1.0 } else { rng.random::<f64>() };
                    let v = change(&mut rng, norm, size, &x, &shown);
                    row.iter_mut().zip(x.iter().zip(v)).for_each(|(m, (x, v))| *m = x + v);
                }
                attacks += moved.nrows();
                let answers = model.predict(moved.view()).unwrap();
                assert!(
                    answers.iter().all(|&a| a == c.class),
                    "{name} {norm:?} {bound:?}: {c:?} {answers:?}"
                );
            }
        }
    }
    assert!(attacks > 40_000, "{attacks}");
}

/// Bounds are in order, and just beyond the exact radius lies another answer.
#[test]
fn tighter_bounds_are_larger() {
    let data = wine();
    let model = fit("npc", &[("per-class", "4"), ("metric", "linear"), ("epochs", "3")], &data);
    let of = |bound| Certifier::new(&model, Norm::L2, bound).unwrap().certify(data.x.view()).unwrap();
    let (margin, half, exact) = (of(Bound::Margin), of(Bound::HalfSpace), of(Bound::Exact));
    let mut sums = [0.0; 3];
    for ((a, b), c) in margin.iter().zip(&half).zip(&exact) {
        assert!(
            a.radius <= b.radius * (1.0 + 1e-9) && b.radius <= c.radius * (1.0 + 1e-9),
            "{a:?} {b:?} {c:?}"
        );
        sums.iter_mut().zip([a, b, c]).for_each(|(s, c)| *s += c.radius);
    }
    assert!(sums[1] > 1.2 * sums[0] && sums[1] > 0.9 * sums[2], "{sums:?}");
}

#[test]
fn what_has_no_certificate_is_refused_with_a_reason() {
    let data = wine();
    let refused =
        |model: &Model<f64>, norm, bound| Certifier::new(model, norm, bound).unwrap_err().to_string();
    let unit = fit("npc", &[("unit", "true"), ("per-class", "2"), ("epochs", "1")], &data);
    assert!(refused(&unit, Norm::L2, Bound::HalfSpace).contains("linear"));
    let epnn =
        fit("epnn", &[("learners", "2"), ("draws", "200"), ("per-class", "2"), ("margin", "0.3")], &data);
    assert!(refused(&epnn, Norm::L2, Bound::HalfSpace).contains("codes of its learners"));
    let inn = fit("inn", &[], &data);
    assert!(refused(&inn, Norm::L2, Bound::HalfSpace).contains("codes"));
    let plain = fit("centroid", &[], &data);
    assert!(refused(&plain, Norm::Linf, Bound::Exact).contains("half-space"));
}

/// Changes respect fixed features, limits and categories, and the model itself answers with the wanted class.
#[test]
fn counterfactuals_keep_to_what_may_change() {
    let data = wine();
    for (method, settings) in [
        ("npc", &[("per-class", "3"), ("epochs", "3")][..]),
        ("npc", &[("per-class", "3"), ("metric", "local-linear"), ("epochs", "3")]),
        ("npc", &[("per-class", "2"), ("unit", "true"), ("epochs", "3")]),
    ] {
        let model = fit(method, settings, &data);
        let deviation = |f: usize| data.x.column(f).std(0.0);
        let mut changes = Changes::free(data.dim());
        changes.unit = (0..data.dim()).map(deviation).collect();
        changes.fixed[0] = true;
        changes.low =
            data.x.columns().into_iter().map(|c| c.iter().copied().fold(f64::INFINITY, f64::min)).collect();
        changes.high = data
            .x
            .columns()
            .into_iter()
            .map(|c| c.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            .collect();
        let answers = model.predict(data.x.view()).unwrap();
        let mut found = 0;
        for i in (0..data.len()).step_by(20) {
            let x = data.x.row(i).to_vec();
            for target in (0..3).filter(|&c| c != answers[i]) {
                let Some(other) = counterfactual(&model, &x, Some(target), &changes).unwrap() else {
                    continue;
                };
                found += 1;
                assert_eq!(other.class, target);
                assert_eq!(other.x[0], x[0]);
                let inside =
                    (0..x.len()).all(|f| other.x[f] >= changes.low[f] && other.x[f] <= changes.high[f]);
                assert!(inside, "{other:?}");
            }
        }
        assert!(found >= 10, "{settings:?}: {found}");
    }
}

/// With nothing held fixed, the change is as short as the exact radius says.
#[test]
fn a_free_counterfactual_is_as_near_as_the_border() {
    let data = wine();
    let model =
        fit("npc", &[("per-class", "4"), ("metric", "linear"), ("scale", "raw"), ("epochs", "3")], &data);
    let exact = Certifier::new(&model, Norm::L2, Bound::Exact).unwrap().certify(data.x.view()).unwrap();
    for i in (0..data.len()).step_by(25) {
        let x = data.x.row(i).to_vec();
        let other = counterfactual(&model, &x, None, &Changes::free(x.len())).unwrap().unwrap();
        let way: Vec<f64> = other.x.iter().zip(&x).map(|(a, b)| a - b).collect();
        let (length, radius) = (Norm::L2.of(&way), exact[i].radius);
        assert!(length >= radius * (1.0 - 1e-6) && length <= radius * 1.01 + 1e-9, "{length} {radius}");
    }
}

/// A category changes as a whole.
#[test]
fn a_category_stays_one_category() {
    let x = Array2::from_shape_fn((40, 3), |(i, f)| match f {
        0 => (i % 7) as f64 * 0.1,
        f => f64::from(u8::from(i % 2 == f - 1)),
    });
    let data = Dataset::new(x, (0..40).map(|i| i % 2).collect(), vec!["a".into(), "b".into()]).unwrap();
    let model = fit("npc", &[("per-class", "1"), ("epochs", "5")], &data);
    let changes = Changes { categories: std::iter::once(1..3).collect(), ..Changes::free(3) };
    let other = counterfactual(&model, &data.x.row(0).to_vec(), None, &changes).unwrap().unwrap();
    assert_eq!((other.class, &other.x[1..], &other.changed[..]), (1, &[0.0, 1.0][..], &[1, 2][..]));
}

/// A card names what was answered and why, in the columns of the file.
#[test]
fn a_card_tells_the_whole_case() {
    use protea::data::{Schema, SchemaOptions};
    use protea::io::{ReadOptions, read_bytes};
    let mut text = String::from("length,colour,class\n");
    for i in 0..30 {
        let (base, colour) = if i % 2 == 0 { (1.0, "red") } else { (3.0, "blue") };
        text += &format!("{},{colour},{}\n", base + 0.01 * f64::from(i), if i % 2 == 0 { "a" } else { "b" });
    }
    let table =
        |text: &str| read_bytes::<f64>("x.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let schema = Schema::learn(&table(&text), &SchemaOptions::default()).unwrap();
    let data = schema.dataset(table(&text)).unwrap();
    let model =
        fit("npc", &[("per-class", "1"), ("epochs", "5")], &data).with_schema(schema.clone()).unwrap();
    let changes = Changes::free(data.dim()).with_schema(&schema);
    let card = cards(&model, data.x.slice(ndarray::s![0..1, ..]), &changes).unwrap().remove(0);
    assert_eq!((card.class.as_str(), card.rival.as_ref().unwrap().class.as_str()), ("a", "b"));
    let colour = card.columns.iter().find(|c| c.name == "colour").unwrap();
    assert_eq!((colour.value.as_str(), colour.rival.as_deref()), ("red", Some("blue")));
    // Weights of columns add up to how much nearer the answer is.
    let gap = card.rival.as_ref().unwrap().distance - card.distance;
    let sum: f64 = card.columns.iter().map(|c| c.weight).sum();
    assert!((sum - gap).abs() < 1e-9 && card.columns.iter().all(|c| c.weight > 0.0), "{card:?}");
    assert!(card.radius.unwrap() > 0.0 && card.notes.is_empty(), "{card:?}");
    let change = card.change.unwrap();
    assert_eq!(change.class, "b");
    assert!(!change.columns.is_empty() && change.columns.iter().all(|(_, from, to)| from != to));
}

/// At radius 0 it is the error; it grows with the radius, and counts every sample beyond the largest one.
#[test]
fn the_certified_error_grows_from_the_error_to_one() {
    let c = |class, radius| Certificate { class, radius, rival: None };
    let certificates = [c(0, 1.0), c(1, 0.5), c(1, 0.2), c(0, 2.0)];
    let y = [0, 1, 1, 1];
    let errors = [0.0, 0.2, 0.3, 0.5, 1.0, 1.5].map(|r| certified_error(&certificates, &y, r));
    assert_eq!(errors, [0.25, 0.25, 0.5, 0.5, 0.75, 1.0]);
}
