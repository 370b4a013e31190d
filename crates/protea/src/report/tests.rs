//! Reports of small models: what a page must hold whatever the method, metric and data.

use super::regions::Regions;
use super::*;
use crate::Trainer;
use crate::catalog::{self, Part};
use crate::eval;
use ndarray::{Axis, array};

fn fitted<F: Float>(method: &str, settings: &[(&str, &str)], data: &Dataset<F>) -> Model<F> {
    let trainer = Trainer::named(method).unwrap();
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
        ("pnn", &[("draws", "2000")]),
        ("epnn", &[("draws", "2000")]),
        ("inn", &[]),
        ("knn", &[("unit", "true"), ("rule", "3-np")]),
    ] {
        let model = fitted(method, settings, &data);
        let page = Report::new(&model, &data).unwrap().html().unwrap();
        for id in [
            "try",
            "data",
            "prototypes",
            "errors",
            "certainty",
            "size",
            "map",
            "features",
            "training",
            "made",
        ] {
            assert!(page.contains(&format!("<section id=\"{id}\"")), "{method}: {id}");
        }
        assert!(!page.contains("NaN") || page.find("NaN") > page.find("<script"), "{method}");
        assert_eq!(page.contains("id=\"model\""), method != "inn", "{method}");
    }
}

/// The figures of a report come from one set of answers; asking the model anew gives the same.
#[test]
fn figures_agree_with_a_fresh_computation() {
    let train = catalog::load::<f32>("satimage", Part::Train, None).unwrap();
    let test = catalog::load::<f32>("satimage", Part::Test, None).unwrap();
    for (method, settings) in
        [("npc", &[("epochs", "2"), ("per-class", "2")][..]), ("pnn", &[("draws", "2000")])]
    {
        let model = fitted(method, settings, &train);
        let report = Report::new(&model, &test).unwrap();
        assert_eq!(report.answers.decided, model.predict(test.x.view()).unwrap(), "{method}");
        assert_eq!(report.answers.probabilities, model.probabilities(test.x.view()).unwrap(), "{method}");
        assert_eq!(report.answers.winners, model.winners(test.x.view()).unwrap(), "{method}");
        assert_eq!(report.evaluation, eval::evaluate(&model, &test).unwrap(), "{method}");
        assert_eq!(report.uses, eval::prototype_uses(&model, &test).unwrap(), "{method}");
        let refusal = eval::refusal(&model, &test, Certainty::Probability).unwrap();
        assert_eq!(report.refusal, refusal, "{method}");
    }
}

#[test]
fn the_head_says_what_was_measured_on() {
    let train = catalog::load::<f32>("satimage", Part::Train, None).unwrap();
    let test = catalog::load::<f32>("satimage", Part::Test, None).unwrap();
    let model = fitted("centroid", &[], &train);
    let own = Report::new(&model, &train).unwrap().html().unwrap();
    let new = Report::new(&model, &test).unwrap().html().unwrap();
    assert!(own.contains("<b>trained on</b>") && !new.contains("<b>trained on</b>"));
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
    let Regions::Cells(cells) = &map.regions else { panic!("{:?}", map.regions) };
    let middle = |c: &(usize, Vec<[f64; 2]>)| c.1.iter().filter(|u| (u[0] - 2.0).abs() < 1e-12).count();
    assert!(map.whole && cells.iter().map(middle).eq([2, 2]));
    // A soft rule has no polygons, but the same border.
    let soft = model.with_rule(crate::model::Rule::Soft).unwrap();
    let map = Report::new(&soft, &data).unwrap().map().unwrap().unwrap();
    let Regions::Grid { across, classes } = &map.regions else { panic!("{:?}", map.regions) };
    assert!(classes.iter().enumerate().all(|(i, &c)| c == usize::from(i % across >= across / 2)));
}

/// Cells fill the frame without overlap, and each holds the points that the model answers so.
#[test]
fn cells_are_what_the_model_answers() {
    let wine = catalog::load::<f64>("wine", Part::All, None).unwrap();
    let x = wine.x.select(Axis(1), &[0, 6]);
    let two = Dataset::new(x, wine.y.clone(), wine.classes.clone()).unwrap();
    for (metric, data) in [("linear", &two), ("diagonal", &two), ("euclidean", &two)] {
        let model = fitted("npc", &[("per-class", "4"), ("epochs", "3"), ("metric", metric)], data);
        let report = Report::new(&model, data).unwrap();
        let map = report.map().unwrap().unwrap();
        let Regions::Cells(cells) = &map.regions else { panic!("{metric}") };
        let [low, high] = map.frame;
        let total: f64 = cells.iter().map(|c| regions::area(&c.1)).sum();
        assert!((total / ((high[0] - low[0]) * (high[1] - low[1])) - 1.0).abs() < 1e-9, "{metric}");
        for (j, corners) in cells {
            // Points between a corner and the middle lie inside a convex cell.
            let middle = [0, 1].map(|f| corners.iter().map(|u| u[f]).sum::<f64>() / corners.len() as f64);
            let inside =
                Array2::from_shape_fn((corners.len(), 2), |(i, f)| 0.98 * corners[i][f] + 0.02 * middle[f]);
            let answers = model.neighbours(inside.view(), 1).unwrap();
            assert!(answers.iter().all(|n| n[0].prototype == *j), "{metric} {j}");
        }
    }
}

/// Samples lie off the plane of a map, and yet its background is the answer to them.
#[test]
fn the_background_of_a_map_is_the_answer_to_the_samples_on_it() {
    let wine = catalog::load::<f32>("wine", Part::All, None).unwrap();
    let letter = catalog::load::<f32>("letter", Part::Test, None).unwrap();
    for (method, settings, data) in [
        ("npc", &[("per-class", "3"), ("epochs", "3")][..], &wine),
        ("lgmlvq", &[("epochs", "3")], &wine),
        ("kmeans", &[("per-class", "2"), ("rule", "soft")], &letter),
    ] {
        let model = fitted(method, settings, data);
        let report = Report::new(&model, data).unwrap();
        let map = report.map().unwrap().unwrap();
        let agreement = map.agreement(&report.answers.decided).unwrap();
        assert!(agreement > 0.97, "{method}: {agreement}");
        let share = format!("the answer to {:.0} %", (100.0 * agreement).floor());
        assert!(Figure::Map.draw(&report).unwrap().caption.contains(&share), "{method}");
    }
}

/// A table with a category, of which some rows contradict the others.
fn islands() -> (Model<f32>, Dataset<f32>) {
    let row = |i: usize| {
        let (island, bill, class) =
            [("Dream", 50, "Gentoo"), ("Biscoe", 40, "Adelie"), ("Dream", 39, "Adelie")][i % 3];
        format!("{island},{},{}\n", bill + i % 4, if i == 7 { "Gentoo" } else { class })
    };
    let text = format!("island,bill_mm,species\n{}", (0..60).map(row).collect::<String>());
    let table = crate::io::read_bytes("p.csv", text.into_bytes(), &Default::default()).unwrap();
    let learned = crate::data::learn(table, &Default::default()).unwrap();
    let model = fitted("npc", &[("per-class", "1"), ("epochs", "3")], &learned.data);
    (model.with_schema(learned.schema).unwrap(), learned.data)
}

#[test]
fn a_category_is_one_column_and_errors_are_listed() {
    let (model, data) = islands();
    let report = Report::new(&model, &data).unwrap().against(&data, |_| {}).unwrap();
    let names: Vec<String> = report.input_columns().into_iter().map(|c| c.name).collect();
    assert_eq!((names, data.dim()), (vec!["island".to_string(), "bill_mm".into()], 3));
    let page = report.html().unwrap();
    let shown = &page[..page.find("id=\"model\"").unwrap()];
    assert!(!shown.contains("island=Dream") && shown.contains("<th scope=\"col\">island</th>"));
    assert!(page.contains("\"levels\":[\"Biscoe\",\"Dream\"]"));
    // The row that contradicts the others, with its values.
    let wrong = mistakes::listed(&report);
    assert!(wrong.contains(&7));
    assert!(shown.contains("data-sample=\"8\"") && shown.contains("<td>Biscoe</td><td>43</td>"));
    // Class balance, the majority and ranges.
    for text in
        ["Always answering <b>Adelie</b>", "<td>65.0 %<svg", "Dream 67 %, Biscoe 33 %", "share in training"]
    {
        assert!(shown.contains(text), "{text}");
    }
    assert!(shown.contains("bill_<wbr>mm</th><td>39</td>"), "{shown}");
}

/// Only samples are called samples: prototypes that were learned are points.
#[test]
fn prototypes_are_not_called_samples_unless_they_are() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    let lead = |method: &str, settings: &[(&str, &str)]| {
        let model = fitted(method, settings, &data);
        let page = Report::new(&model, &data).unwrap().html().unwrap();
        assert!(!page.contains("example"), "{method}");
        page
    };
    assert!(
        lead("npc", &[("per-class", "2"), ("epochs", "2")]).contains("It keeps 6 prototypes, points that")
    );
    assert!(lead("knn", &[]).contains("It keeps all 178 training samples"));
    assert!(lead("cnn", &[]).contains("of the training samples, called prototypes"));
}

/// Nothing on a page needs a policy that allows more than its own script and style.
#[test]
fn pages_have_no_inline_styles_or_handlers() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    for metric in ["local", "linear"] {
        let model = fitted("npc", &[("per-class", "2"), ("epochs", "2"), ("metric", metric)], &data);
        let page = Report::new(&model, &data).unwrap().html().unwrap();
        let (head, rest) = page.split_once("</head>").unwrap();
        let body = &rest[..rest.find("<script").unwrap()];
        assert!(!head.contains("unsafe") && head.contains("script-src 'sha256-"), "{metric}");
        assert!(!body.contains(" style=") && !body.contains(" onclick="), "{metric}");
    }
}

/// γ held at the calibrated value trains as `--gamma` does, and the mesh has the errors of those models.
#[test]
fn the_mesh_holds_accuracies_of_trained_models() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    let model = fitted("npc", &[("per-class", "2"), ("epochs", "3")], &data);
    let report = Report::new(&model, &data).unwrap();
    assert!(report.svg(Figure::Mesh).unwrap_err().to_string().contains("needs training samples"));
    let mut told = Vec::new();
    let report = report.meshed(&data, |at, of| told.push((at, of))).unwrap();
    let mesh = report.mesh.as_ref().unwrap();
    assert_eq!((told.len(), mesh.accuracy.dim()), (11, (11, 12)));
    let held = |k: usize| {
        let gamma = mesh.gammas[k].to_string();
        let settings = [("per-class", "2"), ("epochs", "3"), ("anneal", "1"), ("gamma", &gamma)];
        fitted("npc", &settings, &data)
    };
    for k in [0, 10] {
        assert_eq!(mesh.accuracy[[k, 11]], 1.0 - held(k).error(&data).unwrap());
    }
    assert!(report.html().unwrap().contains("figure-mesh") && report.svg(Figure::Mesh).is_ok());
    let plain = fitted("kmeans", &[], &data);
    let why = Report::new(&plain, &data).unwrap().meshed(&data, |_, _| {}).err().unwrap().to_string();
    assert_eq!(why, "kmeans has no γ to draw a mesh of");
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

/// Members are trained one after another, each from its first epoch on; no line leads back there.
#[test]
fn each_member_has_a_line_of_its_own() {
    let data = catalog::load::<f32>("wine", Part::All, None).unwrap();
    let lines = |members: &str| {
        let model = fitted("npc", &[("per-class", "4"), ("epochs", "4"), ("members", members)], &data);
        let svg = Figure::Training.draw(&Report::new(&model, &data).unwrap()).unwrap().svg;
        let line = svg.split("class=\"line one\" d=\"").nth(1).unwrap();
        line[..line.find('"').unwrap()].matches('M').count()
    };
    assert_eq!((lines("1"), lines("2")), (1, 2));
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
    // Prototypes that were given are not those of k-means.
    let given = Trainer::named("npc")
        .and_then(|t| t.set("epochs", "2"))
        .and_then(|t| t.set("scale", "global"))
        .unwrap();
    let first = crate::init::Prototypes::new(model.prototypes_in_input_units().view(), &model.prototypes().y)
        .unwrap();
    let given = given.start_from(first).fit(&train).unwrap();
    let other = Report::new(&given, &test).unwrap().against(&train, |_| {}).unwrap();
    assert!(other.before.is_none() && given.prototypes().y == model.prototypes().y);
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
    for figure in Figure::ALL.into_iter().filter(|f| *f != Figure::Mesh) {
        let svg = report.svg(figure).unwrap();
        assert!(
            svg.starts_with("<svg xmlns=") && svg.contains("<style>") && svg.contains("<title>"),
            "{figure:?}"
        );
    }
    let plain = fitted("kmeans", &[], &data);
    let why = Report::new(&plain, &data).unwrap().svg(Figure::Training).unwrap_err().to_string();
    assert_eq!(why, "kmeans has no training history to draw");
}
