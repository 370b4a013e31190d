//! What every kind of step must do: the list in `represent::STEPS`, so that a new one is tested before its author writes a test.

use ndarray::Array2;
use protea::represent::{
    Deskew, Hog, ImageSize, LinearMap, Nature, Pipeline, STEPS, Scale, Scaling, Step, UnitLength, register,
};
use protea::{Float, store::Stored};

/// Twelve images of 8 × 8 pixels.
fn images<F: Float>() -> Array2<F> {
    Array2::from_shape_fn((12, 64), |(i, f)| F::of(((i * 31 + f * 17) % 23) as f64 + 0.25 * (f % 3) as f64))
}

/// A step of every kind, for the images.
fn steps<F: Float>() -> Vec<Box<dyn Step<F>>> {
    let (x, size) = (images::<F>(), ImageSize { width: 8, height: 8 });
    let matrix = Array2::from_shape_fn((5, 64), |(i, f)| F::of(((i * 7 + f) % 9) as f64 / 9.0 - 0.4));
    vec![
        Box::new(Deskew::learn(size, x.view())),
        Box::new(Hog::new(size).unwrap()),
        Box::new(Scaling::learn(Scale::Standard, x.view())),
        Box::new(LinearMap::new(matrix).unwrap()),
        Box::new(UnitLength),
    ]
}

fn behaves<F: Float>() {
    let x = images::<F>();
    let kinds: Vec<String> = steps::<F>().iter().map(|s| s.store().tag).collect();
    assert_eq!(kinds, STEPS.iter().map(|k| k.tag).collect::<Vec<_>>(), "a step of every kind is tested here");
    for step in steps::<F>() {
        let tag = step.store().tag;
        // Restored, it is the same step.
        let kind = STEPS.iter().find(|k| k.tag == tag).unwrap();
        let again = F::pick(kind)(&step.store()).unwrap();
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
        if tag != "unit" {
            assert_eq!(step.output_dim(x.ncols() + 1), None, "{tag} takes what it was not learned on");
        }
        // A file that lacks something is refused; `unit` has nothing to lack.
        let refused = F::pick(kind)(&Stored::new(&tag)).is_err();
        assert_eq!(refused, tag != "unit", "{tag}");
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

#[test]
fn every_kind_of_step_is_stored_applied_and_followed_back() {
    behaves::<f64>();
    behaves::<f32>();
}

#[test]
fn steps_that_do_not_fit_each_other_are_told() {
    let steps = steps::<f64>();
    let turned = Pipeline { steps: vec![steps[3].clone(), steps[2].clone()] };
    assert_eq!(turned.output_dim(64), None);
    let sound = Pipeline { steps: vec![steps[2].clone(), steps[3].clone(), steps[4].clone()] };
    assert_eq!(sound.output_dim(64), Some(5));
}

#[test]
fn a_tag_is_taken_once() {
    let error = register(STEPS[0]).unwrap_err().to_string();
    assert!(error.contains("deskew"), "{error}");
}
