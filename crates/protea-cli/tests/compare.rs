//! `compare`, the measures of `eval`, and `diff`.

mod common;

use common::{Folder, flowers};
use serde_json::{Value, json};

#[test]
fn every_setting_takes_a_list() {
    let f = Folder::new();
    let rows = f.json("compare wine -m npc,kmeans --per-class 1,2 --noise 0,0.3 --epochs 3 --folds 3");
    let names: Vec<String> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|r| format!("{} {}", r["name"].as_str().unwrap(), r["per_class"].as_str().unwrap()))
        .collect();
    let expected =
        ["npc, noise 0 1", "npc, noise 0 2", "npc, noise 0.3 1", "npc, noise 0.3 2", "kmeans 1", "kmeans 2"];
    let sorted = |mut v: Vec<String>| {
        v.sort();
        v
    };
    assert_eq!(sorted(names), sorted(expected.map(String::from).to_vec()));
    // A list by class is one value.
    assert_eq!(f.json("compare wine -m kmeans --per-class 1=2,*=1 --folds 3").as_array().unwrap().len(), 1);
    assert!(f.refused(2, "compare wine -m npc --noise 0,many --folds 3").contains("noise = many, expected"));
    assert!(f.refused(2, "compare wine -m kmeans --noise 0,1 --folds 3").contains("does not use noise"));
}

#[test]
fn the_best_is_trained_on_everything_and_saved() {
    let f = Folder::new();
    f.write("flowers.csv", flowers(90));
    let text = f.ok(
        "compare flowers.csv --label kind -m centroid,kmeans --per-class 1,3 --folds 3 --fit-best -o best",
    );
    assert!(
        text.contains("Best: ") && text.contains("trained on all 90 samples and saved in best"),
        "{text}"
    );
    let rows = f.json(
        "compare flowers.csv --label kind -m centroid,kmeans --per-class 1,3 --folds 3 --fit-best -o best",
    );
    let model = f.json("inspect best");
    let score = |r: &serde_json::Value| ["error", "log_loss"].map(|name| r[name].as_f64().unwrap());
    let better = |a: &&serde_json::Value, b: &&serde_json::Value| score(a).partial_cmp(&score(b)).unwrap();
    let chosen = rows.as_array().unwrap().iter().min_by(better).unwrap();
    assert_eq!((&model["method"], model["provenance"]["samples"].as_u64()), (&chosen["method"], Some(90)));
    // The model reads files like the one that it was trained on.
    assert_eq!(f.json("eval best flowers.csv")["samples"], 90);
    assert!(f.refused(2, "compare wine --folds 3 --fit-best").contains("--output"));
    let error = f.refused(1, "compare wine -m centroid --folds 3 --fit-best -o new --report ./new");
    assert!(error.contains("new: the model and the page cannot both be saved there"), "{error}");
    // Settings that vary are named once.
    let text =
        f.ok("compare wine -m glvq --per-class 1 --noise 0,0.1 --epochs 2 --folds 3 --fit-best -o best2");
    let best = text.lines().find(|l| l.starts_with("Best: glvq --")).unwrap();
    assert_eq!(best.matches("noise").count(), 1, "{best}");
}

#[test]
fn a_class_of_one_sample_stops_nothing() {
    let f = Folder::new();
    f.write("x.csv", flowers(30) + "5,green,1,orchid\n");
    let rows = f.json("compare x.csv --label kind -m centroid,knn --folds 5");
    assert_eq!(rows[0]["errors"].as_array().unwrap().len(), 5);
}

/// Nine of ten rows are of one class: the error looks small, the balanced one does not.
#[test]
fn measures_for_unbalanced_classes() {
    let f = Folder::new();
    let rows: String = (0..100)
        .map(|i| format!("{},{}\n", i * 37 % 100, if i % 10 == 0 { "rare" } else { "common" }))
        .collect();
    f.write("x.csv", format!("size,kind\n{rows}"));
    f.ok("fit x.csv --label kind -m kmeans --per-class common=5,rare=1 -q -o m");
    let e = f.json("eval m x.csv");
    let number = |v: &Value| v.as_f64().unwrap();
    assert_eq!(e["majority"], json!({"class": "common", "error": 1.0 - 0.9}));
    let recalls: Vec<f64> = e["classes"].as_array().unwrap().iter().map(|c| number(&c["recall"])).collect();
    assert!((number(&e["balanced_error"]) - (1.0 - (recalls[0] + recalls[1]) / 2.0)).abs() < 1e-12);
    let f1: Vec<f64> = e["classes"].as_array().unwrap().iter().map(|c| number(&c["f1"])).collect();
    assert!((number(&e["macro_f1"]) - (f1[0] + f1[1]) / 2.0).abs() < 1e-12);
    assert!((0.0..=1.0).contains(&number(&e["auc"])));
    let text = f.ok("eval m x.csv");
    for part in [
        "majority class",
        "10.00 % if every answer is common",
        "balanced error",
        "macro F1",
        "AUC",
        "log loss",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let rows = f.json("compare x.csv --label kind -m kmeans,knn --per-class 2 --folds 4");
    for key in ["balanced_error", "macro_f1", "auc", "log_loss", "majority_error"] {
        assert!(rows[0][key].is_number(), "{key}");
    }
    let text = f.ok("compare x.csv --label kind -m centroid --folds 4");
    assert!(
        text.contains("balanced %") && text.contains("Always the most frequent class: 10.00 % error"),
        "{text}"
    );
}

#[test]
fn a_diff_shows_what_changed() {
    let f = Folder::new();
    f.ok("fit wine -m kmeans --per-class 2 -q -o a");
    f.ok("fit wine -m npc --per-class 3 --epochs 5 --precision f64 -q -o b");
    let same = f.json("diff a a wine");
    assert_eq!((&same["prototypes"]["same"], &same["answers"]["changed"]), (&6.into(), &json!([])));
    assert_eq!(same["answers"]["errors"]["test"]["p"], 1.0);
    let found = f.json("diff a b wine");
    let count = |key: &str| found["prototypes"][key].as_array().unwrap().len();
    assert_eq!((count("moved"), count("gone"), count("come")), (6, 0, 3));
    let [a, b] = ["a", "b"].map(|m| f.json(&format!("eval {m} wine"))["error"].clone());
    assert_eq!((&found["answers"]["errors"]["first"], &found["answers"]["errors"]["second"]), (&a, &b));
    let text = f.ok("diff a b wine");
    for part in ["moved   6", "new     3 (1 of ", "McNemar's test  p = ", "Moved farthest", "other answers"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Without labels, answers alone; without rows, prototypes alone.
    f.write(
        "x.csv",
        f.ok("predict a wine --append")
            .lines()
            .map(|l| l.rsplit_once(',').unwrap().0.to_string() + "\n")
            .collect::<String>(),
    );
    let bare = f.json("diff a b x.csv");
    assert_eq!((&bare["answers"]["rows"], &bare["answers"]["errors"]), (&178.into(), &Value::Null));
    assert_eq!(f.json("diff a b")["answers"], Value::Null);
    f.ok("fit glass -m centroid -q -o c");
    assert!(f.refused(1, "diff a c").contains("the models have 13 and 9 features"));
    assert!(f.refused(2, "diff a b -").contains("both models read it"));
}

/// Errors on a rare class that cost more are made less often.
#[test]
fn costs_and_class_weights_move_the_decision() {
    let f = Folder::new();
    let kind = |i: usize| if i.is_multiple_of(10) { "rare" } else { "common" };
    let rows: String =
        (0..200).map(|i| format!("{},{}\n", i * 37 % 100 + i % 10 / 9 * 30, kind(i))).collect();
    f.write("x.csv", format!("size,kind\n{rows}"));
    f.write("cost.csv", "0,1\n20,0\n").write("wrong.csv", "0,1,2\n1,0,2\n1,1,0\n");
    let recall = |flags: &str| {
        f.ok(&format!("fit x.csv --label kind -m npc --per-class 3 --epochs 20 {flags} -q -o m"));
        f.json("eval m x.csv")["classes"][1]["recall"].as_f64().unwrap()
    };
    let plain = recall("");
    assert!(recall("--cost cost.csv") > plain, "{plain}");
    assert!(recall("--class-weight rare=20,*=1") > plain && recall("--class-weight balanced") >= plain);
    f.write("named.csv", "class,rare,common\nrare,0,20\ncommon,1,0\n").write("x1.csv", "0,x\n1,0\n");
    assert_eq!(recall("--cost named.csv"), recall("--cost cost.csv"));
    f.write("unknown.csv", "common,rear\n0,1\n20,0\n");
    let error = f.refused(1, "fit x.csv --label kind -m npc --cost unknown.csv -q -o n");
    assert!(
        error.contains("unknown.csv: has a column \"rear\", but the classes are common, rare"),
        "{error}"
    );
    let error = f.refused(1, "fit x.csv --label kind -m npc --cost x1.csv -q -o n");
    assert!(error.contains("x1.csv, row 1, column 2: expected a cost, a number, found \"x\""), "{error}");
    let error = f.refused(2, "fit x.csv --label kind -m npc --cost wrong.csv -q -o n");
    assert!(error.contains("costs = "), "{error}");
    assert!(f.refused(1, "fit x.csv --cost cost.csv -o cost.csv").contains("one of the inputs"));
}
