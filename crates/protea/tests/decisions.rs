//! What every kind of decision must do: the list in `model::decide::DECISIONS`, so that a new one is tested before its author writes
//! a test.

use crate::common;

use common::{clouds, narrow, uniform};
use ndarray::Array2;
use protea::coding::Coding;
use protea::model::decide::{
    Affine, ByCode, DECISIONS, Decision, Ensemble, Inverse, Labels, LearnerCode, Members, Nearest, Posterior,
    Rule, Soft, register,
};
use protea::plan::{Op, Plan};
use protea::store::Stored;
use protea::{Dataset, Float, Model, Trainer, Values};

/// Classes of six prototypes; two members or learners have one of each class.
const LABELS: Labels = Labels { of: &[0, 1, 2, 0, 1, 2], classes: 3 };

/// A decision of every kind for these prototypes.
fn decisions<F: Float>() -> Vec<Box<dyn Decision<F>>> {
    let numbers =
        |n: usize, seed: u64| uniform(n, seed).into_iter().map(|v| F::of(1.5 + v)).collect::<Vec<F>>();
    let weights = Array2::from_shape_vec((3, 6), numbers(18, 1)).unwrap();
    let ensemble = |code| Ensemble {
        code,
        learner: vec![0, 0, 0, 1, 1, 1],
        weights: weights.clone(),
        biases: numbers(3, 2),
    };
    let all: Vec<Box<dyn Decision<F>>> = vec![
        Box::new(Soft),
        Box::new(Nearest),
        Box::new(Inverse),
        Box::new(Affine { weights: numbers(3, 3), biases: numbers(3, 4) }),
        Box::new(Members { ends: vec![3, 6], biases: numbers(3, 5) }),
        Box::new(ensemble(LearnerCode::Sparse)),
        Box::new(ByCode(Coding::parse("inn", &Values::new()).unwrap())),
        Box::new(ensemble(LearnerCode::Dense)),
    ];
    let mut tags: Vec<&str> = all.iter().map(|d| d.tag()).collect();
    assert_eq!(tags.pop(), Some("ensemble"));
    assert_eq!(
        tags,
        DECISIONS.iter().map(|k| k.tag).collect::<Vec<_>>(),
        "a decision of every kind is tested here"
    );
    all
}

#[test]
fn every_decision_is_stored_and_read_back_bit_for_bit() {
    fn of<F: Float>() {
        for decision in decisions::<F>() {
            let tag = decision.tag();
            let kind = DECISIONS.iter().find(|k| k.tag == tag).unwrap();
            let again = F::pick(kind)(&decision.store()).unwrap();
            assert!(*again == *decision && again.tag() == tag && decision.store().tag == tag, "{tag}");
            let learned = decision.rule().is_some();
            assert_eq!(F::pick(kind)(&Stored::new(tag)).is_err(), learned, "{tag}");
            assert!(decision.fits(LABELS) && !decision.describe(2.0).is_empty(), "{tag}");
            assert_eq!(decision.adds().is_some(), learned, "{tag}");
            let other = Labels { of: &[0, 1, 2, 0, 1, 3], classes: 4 };
            assert_eq!(decision.fits(other), !learned || tag == "code", "{tag}");
        }
    }
    of::<f32>();
    of::<f64>();
    assert!(register(DECISIONS[0]).unwrap_err().to_string().contains("soft"));
    for name in Posterior::NAMES {
        assert!(DECISIONS.iter().any(|k| k.tag == *name), "{name}");
    }
}

/// Probabilities are the shares of the evidence, and a plan has both.
#[test]
fn plans_have_the_evidence_and_the_class_of_the_decision() {
    for decision in decisions::<f64>() {
        for seed in 0..20 {
            let (tag, gamma) = (decision.tag(), 0.3 + seed as f64 / 7.0);
            let d: Vec<f64> = uniform(6, seed).iter().map(|v| 1.0 + v).collect();
            let (e, q) = (decision.evidence(&d, LABELS, gamma), decision.probabilities(&d, LABELS, gamma));
            assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{tag}");
            for c in 1..3 {
                assert!((e[c] - e[0] - (q[c] / q[0]).ln()).abs() < 1e-9, "{tag}");
            }
            let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
            let (features, classes) = (names(6), names(3));
            let mut plan = Plan { precision: "f64", features, classes, arrays: Vec::new(), ops: Vec::new() };
            let labels = plan.whole("labels", LABELS.of);
            match decision.lower(LABELS, labels, gamma, &mut plan) {
                Err(refused) => assert!(refused.to_string().contains("code"), "{refused}"),
                Ok(factor) => {
                    plan.ops.push(Op::Largest);
                    plan.ops.extend(factor.map(|by| Op::Multiply { by }));
                    let answer = plan.answer(&d);
                    assert_eq!(answer.class, decision.decide(&d, LABELS, gamma), "{tag}");
                    assert!(answer.probabilities.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-12), "{tag}");
                }
            }
        }
    }
}

/// Weights of classes shift the log-odds, or are refused with a sentence.
#[test]
fn class_weights_shift_the_evidence() {
    let (d, gamma) = ([0.4, 0.9, 1.7, 0.6, 0.3, 1.1], 1.3);
    for decision in decisions::<f64>() {
        match decision.with_shifts(&[0.5, 0.0, -0.25]) {
            Err(refused) => assert!(refused.to_string().contains("weights"), "{refused}"),
            Ok(shifted) => {
                let (a, b) = (decision.evidence(&d, LABELS, gamma), shifted.evidence(&d, LABELS, gamma));
                for (c, shift) in [0.5, 0.0, -0.25].into_iter().enumerate() {
                    assert!((b[c] - a[c] - gamma * shift).abs() < 1e-12, "{}", decision.tag());
                }
                assert_eq!(shifted.rule(), Some(Rule::Scores));
            }
        }
    }
}

/// In a model: saved and loaded with it, equal answers; rules that a decision does not have are refused.
#[test]
fn models_take_and_keep_every_decision() {
    fn of<F: Float>(data: &Dataset<F>) {
        let trainer = Trainer::<F>::named("kmeans").unwrap().prototypes(2);
        let model = trainer.fit(data).unwrap();
        // Two learners with prototypes of every class, where prototypes stand in class order.
        assert_eq!(model.prototypes().y, [0, 0, 1, 1, 2, 2]);
        for decision in decisions::<F>() {
            let tag = decision.tag();
            let decision: Box<dyn Decision<F>> = match decision.store().wholes("head.learner") {
                Ok(_) => {
                    let (store, code) = (decision.store(), LearnerCode::Dense);
                    let weights = store.matrix("head.weights").unwrap();
                    let biases = store.vector("head.biases").unwrap();
                    Box::new(Ensemble { code, learner: vec![0, 1, 0, 1, 0, 1], weights, biases })
                }
                Err(_) => decision,
            };
            let model = model.clone().with_decision(decision).unwrap();
            let again = Model::<F>::from_bytes(&model.to_bytes().unwrap(), "memory").unwrap();
            assert!(again.decision() == model.decision() && again.rule() == model.rule(), "{tag}");
            let x = data.x.view();
            assert_eq!(again.predict(x).unwrap(), model.predict(x).unwrap(), "{tag}");
            assert_eq!(again.evidence(x).unwrap(), model.evidence(x).unwrap(), "{tag}");
            assert!(model.probabilities(x).unwrap().iter().all(|q| q.is_finite()), "{tag}");
            assert!(model.bytes() > 0 && model.clone().with_rule(Rule::Nearest(3)).is_ok(), "{tag}");
            assert_eq!(model.clone().with_rule(Rule::Scores).is_ok(), model.rule() == Rule::Scores, "{tag}");
            assert_eq!(model.clone().with_rule(Rule::Code).is_ok(), model.rule() == Rule::Code, "{tag}");
        }
        let few = Affine { weights: vec![F::one(); 2], biases: vec![F::one(); 2] };
        assert!(model.with_decision(Box::new(few)).is_err());
    }
    let data = clouds(20, 4, 3, 5);
    of(&data);
    of(&narrow(&data));
}
