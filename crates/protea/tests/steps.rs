//! What every kind of step must do: the list in `represent::STEPS` and the step of `examples/custom_step.rs`, so that a new one is
//! tested before its author writes a test.

#[path = "../examples/custom_step.rs"]
#[allow(dead_code)]
mod custom_step;

use custom_step::{LOGARITHM, Logarithm};
use ndarray::Array2;
use protea::represent::{
    Bins, Deskew, Encoding, Hog, ImageSize, LinearMap, Nature, PiecewiseLinear, Pipeline, STEPS, Scale,
    Scaling, SmoothClip, Step, StepKind, UnitLength, register,
};
use protea::{Dataset, Float, Trainer, plan::Plan, store::Stored};
#[cfg(feature = "datasets")]
use protea::{
    Model,
    catalog::{self, Part},
};

/// Twelve images of 8 × 8 pixels.
fn images<F: Float>() -> Array2<F> {
    Array2::from_shape_fn((12, 64), |(i, f)| F::of(((i * 31 + f * 17) % 23) as f64 + 0.25 * (f % 3) as f64))
}

/// A step of every kind, for the images.
fn steps<F: Float>() -> Vec<Box<dyn Step<F>>> {
    let (x, size) = (images::<F>(), ImageSize { width: 8, height: 8 });
    let matrix = Array2::from_shape_fn((5, 64), |(i, f)| F::of(((i * 7 + f) % 9) as f64 / 9.0 - 0.4));
    let encoding = Encoding { bins: Bins::Quantile, most: Some(5) };
    let names = vec!["a".to_string(), "b".to_string()];
    let samples = Dataset::new(x.clone(), (0..12).map(|i| i % 2).collect(), names).unwrap();
    vec![
        Box::new(Deskew::learn(size, x.view())),
        Box::new(Hog::new(size).unwrap()),
        Box::new(PiecewiseLinear::learn(encoding, &samples)),
        Box::new(Scaling::learn(Scale::Standard, x.view())),
        Box::new(SmoothClip),
        Box::new(LinearMap::new(matrix).unwrap()),
        Box::new(UnitLength),
        Box::new(Logarithm),
    ]
}

/// Kinds of steps: all of protea's own, and one of a user.
fn every_kind() -> Vec<StepKind> {
    STEPS.iter().copied().chain([LOGARITHM]).collect()
}

fn behaves<F: Float>() {
    let x = images::<F>();
    let kinds: Vec<String> = steps::<F>().iter().map(|s| s.store().tag).collect();
    assert_eq!(
        kinds,
        every_kind().iter().map(|k| k.tag).collect::<Vec<_>>(),
        "a step of every kind is tested here"
    );
    for step in steps::<F>() {
        let tag = step.store().tag;
        // Restored, it is the same step.
        let kind = every_kind().into_iter().find(|k| k.tag == tag).unwrap();
        let again = F::pick(&kind)(&step.store()).unwrap();
        assert!(again.store() == step.store(), "{tag}");
        // A few rows in a buffer become what all of them become together.
        let (z, mut rows) = (step.apply(x.clone()), x.iter().copied().collect::<Vec<F>>());
        let dim = step.apply_rows(&mut rows, x.ncols());
        assert_eq!((Some(dim), dim), (step.output_dim(x.ncols()), z.ncols()), "{tag}");
        assert_eq!(rows, z.iter().copied().collect::<Vec<F>>(), "{tag}");
        assert!(!step.describe().is_empty());
        if step.nature() == Nature::Linear {
            linear(&*step, &x, &z);
        }
        if step.nature() == Nature::PerFeature {
            per_feature(&*step, &x, &z);
        }
        lowered(&*step, &x, &z);
        // Steps that learn nothing take any number of features, and have nothing that a file could lack.
        let learned = step.store() != Stored::new(&tag);
        if learned {
            assert_eq!(step.output_dim(x.ncols() + 1), None, "{tag} takes what it was not learned on");
        }
        let refused = F::pick(&kind)(&Stored::new(&tag)).is_err();
        assert_eq!(refused, learned, "{tag}");
    }
}

/// `M` as `after` and `pull_back` have it, against differences of samples.
fn linear<F: Float>(step: &dyn Step<F>, x: &Array2<F>, z: &Array2<F>) {
    let m = step.after(Array2::eye(x.ncols()));
    let (dx, dz) = (&x.row(0) - &x.row(7), &z.row(0) - &z.row(7));
    let close = |a: f64, b: f64| (a - b).abs() < 1e-3 * (1.0 + a.abs());
    assert!(m.dot(&dx).iter().zip(&dz).all(|(a, b)| close(a.f64(), b.f64())));
    let v: Vec<f64> = (0..z.ncols()).map(|i| (i as f64 * 0.7).sin()).collect();
    let by_loop = |f: usize| m.column(f).iter().zip(&v).map(|(m, v)| m.f64() * v).sum::<f64>();
    assert!(step.pull_back(v.clone()).iter().enumerate().all(|(f, &p)| close(by_loop(f), p)));
    if z.ncols() == x.ncols() {
        let back = step.invert(z.clone());
        assert!(back.iter().zip(x).all(|(a, b)| close(a.f64(), b.f64())));
    }
}

/// A feature changes nothing but what belongs to it, and what it was comes back.
fn per_feature<F: Float>(step: &dyn Step<F>, x: &Array2<F>, z: &Array2<F>) {
    for (a, b) in step.invert(z.clone()).iter().zip(x) {
        assert!((a.f64() - b.f64()).abs() < 1e-4 * (1.0 + b.f64().abs()), "{a:?} {b:?}");
    }
    let mut changed = x.clone();
    changed.column_mut(5).assign(&x.column(6));
    let moved = step.apply(changed);
    let mut sums = vec![0.0; x.ncols()];
    for row in (&moved - z).rows() {
        let changes = row.iter().map(|v| v.f64().abs()).collect();
        sums.iter_mut().zip(step.gather(changes)).for_each(|(s, v)| *s += v);
    }
    assert!(sums.iter().enumerate().all(|(f, s)| (*s > 0.0) == (f == 5)), "{sums:?}");
}

/// The operation of a plan, interpreted, makes the same of each row; a step of a user may have none, and says so.
fn lowered<F: Float>(step: &dyn Step<F>, x: &Array2<F>, z: &Array2<F>) {
    let mut plan =
        Plan { precision: F::NAME, features: vec![], classes: vec![], arrays: vec![], ops: vec![] };
    let op = match step.lower(&mut plan) {
        Err(refused) if step.store().tag == LOGARITHM.tag => {
            return assert!(refused.to_string().contains("plan"), "{refused}");
        }
        op => op.unwrap(),
    };
    for (row, expected) in x.rows().into_iter().zip(z.rows()) {
        let found = plan.apply(&op, row.iter().map(|v| v.f64()).collect());
        assert_eq!(found.len(), expected.len());
        let close = |(a, b): (&f64, &F)| (a - b.f64()).abs() < 1e-3 * (1.0 + a.abs());
        assert!(found.iter().zip(expected).all(close), "{found:?} against {expected}");
    }
}

#[test]
fn every_kind_of_step_is_stored_applied_and_followed_back() {
    behaves::<f64>();
    behaves::<f32>();
}

#[test]
fn steps_that_do_not_fit_each_other_are_told() {
    let steps = steps::<f64>();
    let turned = Pipeline { steps: vec![steps[5].clone(), steps[3].clone()] };
    assert_eq!(turned.output_dim(64), None);
    let sound = Pipeline { steps: vec![steps[3].clone(), steps[5].clone(), steps[6].clone()] };
    assert_eq!(sound.output_dim(64), Some(5));
}

#[test]
fn a_tag_is_taken_once() {
    let error = register(STEPS[0]).unwrap_err().to_string();
    assert!(error.contains("deskew"), "{error}");
}

/// Prototypes of an encoded model are values of the features, and the model survives its file.
#[cfg(feature = "datasets")]
#[test]
fn an_encoded_model_speaks_of_features() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    for encode in ["ple:6", "tree"] {
        let trainer = Trainer::named("npc").unwrap().set("encode", encode).unwrap();
        let trainer = trainer.set("epochs", "5").unwrap().set("metric", "linear").unwrap();
        let model = trainer.fit(&data).unwrap();
        assert!(model.prototypes().x.ncols() > data.dim(), "{encode}");
        let shown = model.prototypes_in_input_units();
        for (p, x) in shown.columns().into_iter().zip(data.x.columns()) {
            let bounds = x.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            assert!(p.iter().all(|&v| bounds.0 <= v && v <= bounds.1), "{encode}: {p} outside of {bounds:?}");
        }
        let again = Model::<f32>::from_bytes(&model.to_bytes().unwrap(), "memory").unwrap();
        assert_eq!(model.pipeline(), again.pipeline());
        assert_eq!(model.probabilities(data.x.view()).unwrap(), again.probabilities(data.x.view()).unwrap());
    }
}

#[test]
fn encodings_are_refused_where_they_make_no_sense() {
    let names = vec!["a".to_string(), "b".to_string()];
    let data = Dataset::new(images::<f64>(), (0..12).map(|i| i % 2).collect(), names).unwrap();
    for (name, value, expected) in [
        ("hog", "true", "for images"),
        ("deskew", "true", "for images"),
        ("image", "8x8", "for images"),
        ("scale", "robust", "no outliers"),
    ] {
        let trainer = Trainer::named("kmeans").unwrap().set("encode", "ple").unwrap();
        let error = trainer.set(name, value).unwrap().fit(&data).unwrap_err().to_string();
        assert!(error.starts_with("encode") && error.contains(expected), "{error}");
    }
    let error =
        Trainer::<f64>::named("npc").unwrap().set("encode", "ple:0").map(drop).unwrap_err().to_string();
    assert!(error.contains("ple:16"), "{error}");
}
