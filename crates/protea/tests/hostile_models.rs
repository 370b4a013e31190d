//! Model files from strangers: refused with a sentence, or answered with numbers; never a panic, NaN, or memory for nothing.

use crate::common;

use common::{clouds, narrow};
use protea::data::Schema;
use protea::eval::evaluate;
use protea::{Dataset, Model, Trainer};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Tensors by name: type, extents, bytes.
type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

fn data() -> Dataset<f32> {
    narrow(&clouds(20, 4, 3, 5))
}

/// A model file of one method.
fn file(method: &str, settings: &[(&str, &str)]) -> Vec<u8> {
    let plain = Trainer::<f32>::named(method).unwrap();
    let trainer = settings.iter().fold(plain, |t, (n, v)| t.set(n, v).unwrap());
    let data = data();
    let model = trainer.fit(&data).unwrap().with_schema(Schema::plain(&data)).unwrap();
    model.to_bytes().unwrap()
}

/// The same file after a change of its tensors and of its metadata.
fn changed(bytes: &[u8], change: impl FnOnce(&mut Tensors, &mut Value)) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
    let mut metadata: Value = serde_json::from_str(&header.metadata().as_ref().unwrap()["protea"]).unwrap();
    let file = SafeTensors::deserialize(bytes).unwrap();
    let tensor = |(name, t): (String, TensorView)| (name, (t.dtype(), t.shape().to_vec(), t.data().to_vec()));
    let mut tensors: Tensors = file.tensors().into_iter().map(tensor).collect();
    change(&mut tensors, &mut metadata);
    let views = tensors.iter().map(|(n, (t, shape, b))| (n, TensorView::new(*t, shape.clone(), b).unwrap()));
    let metadata = HashMap::from([("protea".to_string(), metadata.to_string())]);
    safetensors::serialize(views, Some(metadata)).unwrap()
}

fn load(bytes: &[u8]) -> Result<Model<f32>, String> {
    Model::from_bytes(bytes, "hostile.model").map_err(|e| e.to_string())
}

fn refusal(bytes: &[u8]) -> String {
    match load(bytes) {
        Err(message) => message,
        Ok(_) => panic!("a file that must be refused was read"),
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Answers are numbers, or rows are refused.
fn answers_are_numbers(model: &Model<f32>) {
    let data = data();
    if let Ok(q) = model.probabilities(data.x.view()) {
        assert!(q.iter().all(|q| q.is_finite()));
    }
    let _ = model.predict(data.x.view());
}

#[test]
fn the_unchanged_file_loads() {
    let bytes = file("npc", &[("epochs", "1")]);
    assert_eq!(
        load(&bytes).unwrap().to_bytes().unwrap(),
        load(&changed(&bytes, |_, _| ())).unwrap().to_bytes().unwrap()
    );
}

/// Files of before had neither the tag of the metric nor that of the decision.
#[test]
fn files_without_tags_are_read_as_before() {
    for (method, settings) in [
        ("npc", &[("epochs", "1")][..]),
        ("npc", &[("epochs", "1"), ("metric", "linear"), ("posterior", "nearest")]),
        ("npc", &[("epochs", "1"), ("metric", "diagonal"), ("members", "2"), ("per-class", "2")]),
        ("npc", &[("epochs", "1"), ("metric", "local"), ("posterior", "inverse")]),
        ("npc", &[("epochs", "1"), ("metric", "local-linear")]),
        ("pnn", &[("draws", "100")]),
        ("epnn", &[("draws", "100"), ("learners", "2"), ("code", "dense")]),
        ("wcrc", &[]),
    ] {
        let bytes = file(method, settings);
        let before = changed(&bytes, |_, metadata| {
            let map = metadata.as_object_mut().unwrap();
            assert!(map.remove("metric").is_some() && map.remove("decision").is_some());
        });
        let (now, then) = (load(&bytes).unwrap(), load(&before).unwrap());
        assert!(now.metric() == then.metric() && now.decision() == then.decision(), "{method} {settings:?}");
        assert_eq!(now.to_bytes().unwrap(), then.to_bytes().unwrap(), "{method} {settings:?}");
    }
}

#[test]
fn a_label_beyond_the_columns_is_refused() {
    let bytes = file("npc", &[("epochs", "1")]);
    let at = |at: u64| changed(&bytes, |_, m| m["columns"]["label_at"] = at.into());
    assert!(load(&at(4)).is_ok());
    assert!(refusal(&at(5)).contains("schema") && refusal(&at(u64::MAX)).contains("schema"));
}

/// Every tensor of every kind of model with extents of nothing, of any size: no panic, and no memory for them.
#[test]
fn tensors_without_values_are_refused() {
    for (method, settings) in [
        ("npc", &[("epochs", "1"), ("metric", "local-linear"), ("pca", "3")][..]),
        ("npc", &[("epochs", "1"), ("metric", "local")]),
        ("npc", &[("epochs", "1"), ("metric", "diagonal")]),
        ("epnn", &[("draws", "100"), ("learners", "2")]),
        ("npc", &[("epochs", "1"), ("members", "2"), ("per-class", "2")]),
        ("wcrc", &[]),
    ] {
        let bytes = file(method, settings);
        let names: Vec<String> =
            SafeTensors::deserialize(&bytes).unwrap().names().into_iter().map(String::from).collect();
        for name in names {
            for shape in [vec![0], vec![0, 4], vec![1 << 40, 0], vec![1 << 30, 0, 4], vec![3, 1 << 40, 0]] {
                let empty = changed(&bytes, |tensors, _| {
                    let t = tensors.get_mut(&name).unwrap();
                    (t.1, t.2) = (shape.clone(), Vec::new());
                });
                let refused = refusal(&empty);
                assert!(refused.contains(&name) || refused.contains("empty"), "{method}, {name}: {refused}");
            }
        }
    }
}

#[test]
fn numbers_that_make_answers_of_nothing_are_refused() {
    let bytes = file("npc", &[("epochs", "1"), ("scale", "standard"), ("rule", "soft")]);
    for gamma in [1e308, 4e38, 0.0, -1.0] {
        assert!(refusal(&changed(&bytes, |_, m| m["gamma"] = gamma.into())).contains("gamma"), "{gamma}");
    }
    let large = load(&changed(&bytes, |_, m| m["gamma"] = 3e38.into())).unwrap();
    answers_are_numbers(&large);
    for (name, value) in [("pipeline.0.factor", 3e38), ("pipeline.0.factor", 0.0), ("prototypes", 1e30)] {
        let with = changed(&bytes, |tensors, _| {
            let t = tensors.get_mut(name).unwrap();
            t.2 = floats(&vec![value; t.2.len() / 4]);
        });
        assert!(!refusal(&with).is_empty(), "{name}");
    }
    // A factor that training could have found; rows that it makes too large are refused one by one.
    let steep =
        changed(&bytes, |tensors, _| tensors.get_mut("pipeline.0.factor").unwrap().2 = floats(&[1e37; 4]));
    answers_are_numbers(&load(&steep).unwrap());
    for metric in ["linear", "diagonal", "local", "local-linear"] {
        let bytes = file("npc", &[("epochs", "1"), ("metric", metric), ("scale", "standard")]);
        for size in [1e10, 1e18, 3e38] {
            let stretched = changed(&bytes, |tensors, _| {
                let of_metric = |n: &str| matches!(n, "components" | "relevances") || n.starts_with("local.");
                for (_, t) in tensors.iter_mut().filter(|(n, t)| of_metric(n) && t.0 == Dtype::F32) {
                    t.2 = floats(&vec![size; t.2.len() / 4]);
                }
            });
            match load(&stretched) {
                Ok(model) => answers_are_numbers(&model),
                Err(refused) => assert!(refused.contains("overflow"), "{refused}"),
            }
        }
    }
}

#[test]
fn a_learner_without_prototypes_is_refused() {
    let bytes = file("epnn", &[("draws", "100"), ("learners", "2")]);
    let gap = changed(&bytes, |tensors, _| {
        let t = tensors.get_mut("head.learner").unwrap();
        t.2 =
            t.2.as_chunks::<8>().0.iter().flat_map(|b| (2 * i64::from_le_bytes(*b)).to_le_bytes()).collect();
        let weights = tensors.get_mut("head.weights").unwrap();
        weights.1[1] = 9;
        weights.2 = floats(&[0.5; 27]);
    });
    assert!(refusal(&gap).contains("decision"));
}

#[test]
fn many_classes_are_not_given_a_table_of_all_pairs() {
    let data = data();
    let model = load(&changed(&file("npc", &[("epochs", "1")]), |_, m| {
        let names: Vec<String> = (0..20_000).map(|c| format!("c{c}")).collect();
        m["classes"] = names.into();
        m.as_object_mut().unwrap().remove("columns");
    }));
    let refused = evaluate(&model.unwrap(), &data).unwrap_err().to_string();
    assert!(refused.contains("10000") && refused.contains("20000"), "{refused}");
}
