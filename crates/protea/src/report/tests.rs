//! Reports of small models: what a page must hold whatever the method, metric and data.

use super::*;
use crate::Trainer;
use crate::data::catalog::{self, Part};
use ndarray::array;

fn fitted<F: Float>(method: &str, settings: &[(&str, &str)], data: &Dataset<F>) -> Model<F> {
    let trainer = Trainer::new(method).unwrap();
    settings.iter().fold(trainer, |t, (n, v)| t.set(n, v).unwrap()).fit(data).unwrap()
}

#[test]
fn every_kind_of_model_has_a_page_with_every_section() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    for (method, settings) in [
        ("npc", &[("epochs", "3"), ("metric", "linear"), ("pca", "6")][..]),
        ("kmeans", &[("per-class", "2")]),
        ("lpd", &[("epochs", "3")]),
        ("lgmlvq", &[("epochs", "3")]),
        ("pnn", &[("epochs", "2")]),
        ("epnn", &[("epochs", "2")]),
        ("inn", &[]),
        ("knn", &[("unit", "true"), ("rule", "3-np")]),
    ] {
        let model = fitted(method, settings, &data);
        let page = Report::new(&model, &data).unwrap().html().unwrap();
        for id in ["try", "prototypes", "errors", "certainty", "size", "map", "features", "training", "made"]
        {
            assert!(page.contains(&format!("<section id=\"{id}\"")), "{method}: {id}");
        }
        assert!(!page.contains("NaN") || page.find("NaN") > page.find("<script"), "{method}");
        assert_eq!(page.contains("id=\"model\""), !matches!(method, "epnn" | "inn"), "{method}");
    }
}

#[test]
fn names_from_files_cannot_break_the_page() {
    let x = array![[0.0f64, 1.0], [1.0, 0.0], [0.1, 0.9], [0.9, 0.2]];
    let classes = vec!["</script><b>".to_string(), "\"&".to_string()];
    let data = Dataset::new(x, vec![0, 1, 0, 1], classes).unwrap();
    let data = data.with_features(vec!["<img src=x>".into(), "b".into()]).unwrap();
    let model = fitted("kmeans", &[("per-class", "1")], &data);
    let page = Report::new(&model, &data).unwrap().titled("<title>").html().unwrap();
    assert!(
        !page.contains("</script><b>") && !page.contains("<img src=x>") && page.contains("&lt;title&gt;")
    );
    assert_eq!(page.matches("</script>").count(), 2);
}

/// Two prototypes on a line: the border between the regions is half way.
#[test]
fn regions_of_two_features_are_the_models_own() {
    let x = array![[0.0f64, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0]];
    let data = Dataset::new(x, vec![0, 1, 0, 1], vec!["a".into(), "b".into()]).unwrap();
    let model = fitted("centroid", &[("scale", "none")], &data);
    let map = Report::new(&model, &data).unwrap().map().unwrap().unwrap();
    let (across, up, cells) = &map.cells;
    assert!(map.exact && cells.len() == across * up);
    assert!(cells.iter().enumerate().all(|(i, &c)| c == usize::from(i % across >= across / 2)));
}

#[test]
fn the_anytime_curve_ends_in_the_models_error() {
    let data = catalog::load::<f32>("satimage", Part::Test, None).unwrap();
    let model = fitted("kmeans", &[("per-class", "4")], &data);
    let report = Report::new(&model, &data).unwrap();
    let errors = report.anytime();
    assert_eq!((errors.len(), errors[errors.len() - 1]), (24, report.evaluation.error));
    // One prototype answers for its own class alone.
    assert!(errors[0] > 0.5 && errors[5] < errors[0]);
}

#[test]
fn baselines_are_those_of_the_methods_and_the_start_is_known() {
    let train = catalog::load::<f32>("satimage", Part::Train, None).unwrap();
    let test = catalog::load::<f32>("satimage", Part::Test, None).unwrap();
    let settings = [("per-class", "3"), ("scale", "global")];
    let model = fitted("npc", &[settings[0], settings[1], ("epochs", "2")], &train);
    let report = Report::new(&model, &test).unwrap().against(&train, |_| {}).unwrap();
    let start = fitted("kmeans", &settings, &train);
    assert_eq!(report.baselines[1].error, start.error(&test).unwrap());
    assert_eq!(report.before.as_ref(), Some(&start.prototypes().x));
    let nearest = fitted("knn", &settings[1..], &train);
    assert_eq!(report.baselines[0].error, nearest.error(&test).unwrap());
    let b = &report.baselines[0].test;
    let wrong = nearest.error(&test).unwrap() * test.len() as f64;
    assert_eq!(
        b.only_first as i64 - b.only_second as i64,
        wrong.round() as i64 - report.evaluation.wrong as i64
    );
}

#[test]
fn images_are_told_from_tables() {
    let image = |dim: usize, named: bool| {
        let x = ndarray::Array2::from_shape_fn((4, dim), |(i, j)| ((i * 7 + j * 3) % 5) as f32);
        let mut data = Dataset::new(x, vec![0, 1, 0, 1], vec!["a".into(), "b".into()]).unwrap();
        if named {
            data = data.with_features((0..dim).map(|j| format!("col{j}")).collect()).unwrap();
        }
        let model = fitted("centroid", &[], &data);
        let report = Report::new(&model, &data).unwrap();
        assert_eq!(report.image.is_some(), report.html().unwrap().contains("<canvas"));
        report.image.map(|s| s.width)
    };
    assert_eq!(
        (image(64, false), image(16, false), image(64, true), image(65, false)),
        (Some(8), None, None, None)
    );
}

#[test]
fn figures_stand_alone() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    let model = fitted("npc", &[("epochs", "3")], &data);
    let report = Report::new(&model, &data).unwrap();
    for figure in Figure::ALL {
        let svg = report.svg(figure).unwrap();
        assert!(
            svg.starts_with("<svg xmlns=") && svg.contains("<style>") && svg.contains("<title>"),
            "{figure:?}"
        );
    }
    let plain = fitted("kmeans", &[], &data);
    let why = Report::new(&plain, &data).unwrap().svg(Figure::Training).unwrap_err().to_string();
    assert_eq!(why, "kmeans has no course of training to draw");
}
