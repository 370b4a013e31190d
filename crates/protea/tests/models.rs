//! What can be made of a model: go on from it, shift it towards classes, tell the samples that it is made of.

use protea::catalog::{self, Part};
use protea::{Dataset, Trainer};

fn wine() -> Dataset<f64> {
    catalog::load("wine", Part::All, None).unwrap()
}

#[test]
fn training_goes_on_from_a_model() {
    let data = wine();
    let trainer = |method: &str| Trainer::<f64>::named(method).unwrap().epochs(2);
    for method in ["npc", "gmlvq", "lgmlvq", "grlvq", "lpd", "lvq1"] {
        let first = trainer(method).fit(&data).unwrap();
        let more = trainer(method).resume(&first).fit(&data).unwrap();
        assert_eq!(first.pipeline(), more.pipeline(), "{method}");
        assert_eq!(first.prototypes().y, more.prototypes().y, "{method}");
        // Samples of one class are enough to go on with.
        let one = data.select(&data.class_rows()[1]);
        assert!(trainer(method).resume(&first).fit(&one).is_ok(), "{method}");
    }
    let first = trainer("npc").fit(&data).unwrap();
    for (method, reason) in
        [("kmeans", "from scratch"), ("epnn", "from scratch"), ("gmlvq", "metric = linear")]
    {
        let refused = Trainer::named(method).unwrap().resume(&first).fit(&data).unwrap_err();
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    let mut other = data.clone();
    other.classes[0] = "unknown".into();
    assert!(trainer("npc").resume(&first).fit(&other).unwrap_err().to_string().contains("different classes"));
}

/// A metric over samples is learned once and lent to others, which come out as if they had learned it themselves.
#[test]
fn a_representation_is_lent() {
    let data = wine();
    let trainer = |method: &str| Trainer::<f64>::named(method).unwrap();
    let neighbours = trainer("lmnn").fit(&data).unwrap();
    let npc = || trainer("npc").set("metric", "lmnn").unwrap().set("epochs", "3").unwrap();
    let (lent, alone) = (npc().represented_as(&neighbours).fit(&data).unwrap(), npc().fit(&data).unwrap());
    assert_eq!(lent.pipeline(), alone.pipeline());
    assert_eq!(lent.prototypes(), alone.prototypes());
    assert_eq!(lent.provenance().settings, alone.provenance().settings);
    let other = catalog::load::<f64>("glass", Part::All, None).unwrap();
    let refused = npc().represented_as(&neighbours).fit(&other).unwrap_err().to_string();
    assert!(refused.contains("13") && refused.contains('9'), "{refused}");
    let refused = trainer("auto").represented_as(&neighbours).fit(&data).unwrap_err().to_string();
    assert!(refused.contains("representation is given"), "{refused}");
}

/// Weights 8 and 1 shift the log-odds by ln 8, in the model and in the file it is saved to.
#[test]
fn class_weights_shift_the_log_odds() {
    let data = wine();
    let trainer = Trainer::<f64>::named("npc").unwrap().set("posterior", "nearest").unwrap();
    let plain = trainer.set("epochs", "3").unwrap().fit(&data).unwrap();
    let heavy = plain.clone().with_class_weights(&[8.0, 1.0, 1.0]).unwrap();
    let heavy = protea::Model::<f64>::from_bytes(&heavy.to_bytes().unwrap(), "test").unwrap();
    let (a, b) = (plain.evidence(data.x.view()).unwrap(), heavy.evidence(data.x.view()).unwrap());
    for (a, b) in a.rows().into_iter().zip(b.rows()) {
        assert!((b[0] - b[1] - (a[0] - a[1]) - 8f64.ln()).abs() < 1e-9);
    }
    let probabilities = heavy.probabilities(data.x.view()).unwrap();
    let decided = heavy.predict(data.x.view()).unwrap();
    for (q, c) in probabilities.rows().into_iter().zip(decided) {
        assert!(q.iter().all(|&v| v <= q[c]));
    }
    assert!(plain.clone().with_class_weights(&[1.0]).is_err());
    let soft = Trainer::<f64>::named("kmeans").unwrap().fit(&data).unwrap();
    assert!(soft.with_class_weights(&[1.0; 3]).unwrap_err().to_string().contains("nearest"));
}

#[test]
fn selected_rows_are_the_prototypes() {
    let data = wine();
    for method in ["cnn", "enn", "drop3"] {
        let model = Trainer::<f64>::named(method).unwrap().set("scale", "none").unwrap().fit(&data).unwrap();
        let rows = model.selected().unwrap();
        let shown = model.prototypes_in_input_units();
        assert_eq!(rows.len(), shown.nrows());
        for (&i, p) in rows.iter().zip(shown.rows()) {
            assert!(data.x.row(i).iter().zip(p).all(|(a, b)| (a - b).abs() < 1e-9), "{method}");
        }
    }
}
