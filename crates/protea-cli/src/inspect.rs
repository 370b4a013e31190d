//! `protea inspect`: what a model is made of, and where it comes from.

use crate::args::{Common, Inspect};
use crate::input::{LABEL, ModelFile};
use crate::output::{self, pairs, percent, table};
use crate::with_float;
use anyhow::Result;
use protea::method::METHODS;
use protea::model::Trial;
use protea::train::Training;
use protea::{Float, Model, SettingValue, Values};
use serde_json::{Value, json};
use std::path::Path;

/// Features of a learned metric that are shown.
const RELEVANT: usize = 10;

/// Shows a model of either element type.
pub fn run(args: &Inspect, common: &Common) -> Result<()> {
    let file = ModelFile::read(&args.model)?;
    with_float!(file.precision()?, F => {
        let model = file.load::<F>()?;
        if args.prototypes { prototypes(&model, common) } else { inspect(&model, &args.model, common) }
    })
}

/// Everything about the model as one document; the text is made from it.
fn inspect<F: Float>(model: &Model<F>, file: &Path, common: &Common) -> Result<()> {
    let p = model.provenance();
    let classes = classes(model);
    let relevance = relevance(model);
    let steps: Vec<String> = model.pipeline().steps.iter().map(|s| s.describe()).collect();
    let changed = changed_settings(&p.method, &p.settings);
    let metric = metric(model);
    let epochs = p.history.last().map(|r| r.epoch);
    if common.json {
        let class = |(name, count, share): &(String, usize, f64)| json!({ "class": name, "prototypes": count, "importance": share });
        let feature = |(name, share): &(String, f64)| json!({ "feature": name, "relevance": share });
        return output::print_json(&json!({
            "method": p.method, "settings": p.settings, "changed_settings": changed, "precision": F::NAME,
            "prototypes": model.prototypes().y.len(), "features": model.features(),
            "classes": classes.iter().map(class).collect::<Vec<_>>(),
            "metric": { "kind": model.metric().tag(), "shape": metric.1, "relevance": relevance.iter().map(feature).collect::<Vec<_>>() },
            "preprocessing": steps, "gamma": model.gamma(), "posterior": model.posterior().show(), "rule": model.rule().show(), "bytes": model.bytes(), "file_bytes": output::file_size(file),
            "provenance": { "version": p.version, "seed": p.seed, "samples": p.samples, "data_hash": p.data_hash,
                "train_error": p.train_error, "stopped": p.stopped, "epochs": epochs, "history": p.history,
                "trials": p.trials, "notes": p.notes },
        }));
    }
    let (m, dim) = model.prototypes().x.dim();
    let settings: Vec<String> = changed.iter().map(|(n, v)| format!("--{n} {v}")).collect();
    let listed = |items: &[String], none: &str| match items {
        [] => none.to_string(),
        items => items.join("; "),
    };
    let mut lines = vec![
        ("method", p.method.clone()),
        ("settings", if settings.is_empty() { "defaults".into() } else { settings.join(" ") }),
        ("prototypes", format!("{m} of {dim} features, {}", F::NAME)),
        ("size", output::sizes(model.bytes(), file)),
        ("metric", metric.0),
        ("preprocessing", listed(&steps, "none")),
        ("rule", model.rule().show()),
        ("probabilities", probabilities(model)),
        ("trained on", format!("{} samples, SHA-256 {}", p.samples, p.data_hash)),
        ("seed", p.seed.to_string()),
        ("version", p.version.clone()),
    ];
    lines.extend(p.train_error.map(|e| ("training error", percent(e))));
    let course = epochs.map_or(String::new(), |n| format!(" after {n} epochs or steps"));
    lines.push(("training", format!("{}{course}", p.stopped.show())));
    lines.extend(p.notes.iter().map(|note| ("note", note.clone())));
    let rows = classes.into_iter().map(|(name, count, share)| vec![name, count.to_string(), percent(share)]);
    let mut text = format!("{}\n{}", pairs(&lines), table(&["class", "prototypes", "importance"], rows, 1));
    if !relevance.is_empty() {
        let rows = relevance.into_iter().take(RELEVANT).map(|(name, share)| vec![name, percent(share)]);
        text += &format!("\nMost relevant features\n{}", table(&["feature", "relevance"], rows, 1));
    }
    if !p.trials.is_empty() {
        text += &format!("\nTried on held-out training samples, in this order\n{}", trials(&p.trials));
    }
    Ok(output::print(&text)?)
}

/// What was tried before the model was trained.
fn trials(trials: &[Trial]) -> String {
    let row = |t: &Trial| {
        let figures = [percent(t.error), format!("{:.4}", t.log_loss)];
        let counts = [t.folds.to_string(), t.samples.to_string()];
        std::iter::once(t.settings.clone()).chain(counts).chain(figures).collect()
    };
    table(&["settings", "folds", "samples", "error", "log loss"], trials.iter().map(row), 1)
}

/// Name, prototypes and importance of each class.
fn classes<F: Float>(model: &Model<F>) -> Vec<(String, usize, f64)> {
    let of = &model.prototypes().y;
    let class = |(c, name): (usize, &String)| {
        let own = || of.iter().zip(model.importance()).filter(move |(y, _)| **y == c);
        (name.clone(), own().count(), own().map(|(_, share)| share).sum())
    };
    model.classes().iter().enumerate().map(class).collect()
}

/// How probabilities are made.
fn probabilities<F: Float>(model: &Model<F>) -> String {
    model.decision().describe(model.gamma())
}

/// The metric in words, and the shape of its numbers.
fn metric<F: Float>(model: &Model<F>) -> (String, Vec<usize>) {
    let shape = model.metric().shape();
    let sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    let words = if shape.is_empty() { String::new() } else { format!(", {sizes}") };
    (model.metric().tag().to_string() + &words, shape)
}

/// Share of each feature in the metric, largest first; empty for the Euclidean one.
fn relevance<F: Float>(model: &Model<F>) -> Vec<(String, f64)> {
    let Some(shares) = model.metric().relevance() else { return Vec::new() };
    let of_features = model.pipeline().gather(shares.clone());
    let mixed = of_features.is_none();
    let name = |j: usize| if mixed { format!("component {}", j + 1) } else { model.features()[j].clone() };
    let shares = of_features.unwrap_or(shares);
    let mut shares: Vec<(String, f64)> = shares.into_iter().enumerate().map(|(j, s)| (name(j), s)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

/// Settings whose value is not the method's default.
fn changed_settings(method: &str, settings: &Values) -> Values {
    let of = METHODS.iter().find(|m| m.name == method);
    let mut defaults = Training::default().values();
    if let Some(m) = of {
        defaults.extend(m.settings.iter().map(|s| (s.name.to_string(), (s.default)())));
        defaults.extend(m.defaults.iter().map(|(n, v)| (n.to_string(), v.to_string())));
    }
    let changed = settings.iter().filter(|(n, v)| defaults.get(*n) != Some(v));
    changed.map(|(n, v)| (n.clone(), v.clone())).collect()
}

/// The prototypes in the units of the input: features, label, importance; `fit --prototypes` reads it back.
fn prototypes<F: Float>(model: &Model<F>, common: &Common) -> Result<()> {
    let x = model.prototypes_in_input_units();
    let y = &model.prototypes().y;
    let class = |j: usize| &model.classes()[y[j]];
    if common.json {
        let rows = x.rows().into_iter().enumerate().map(|(j, row)| {
            let values: Vec<f64> = row.iter().map(|v| v.f64()).collect();
            json!({ "class": class(j), "importance": model.importance()[j], "values": values })
        });
        let rows: Vec<Value> = rows.collect();
        return output::print_json(&json!({ "features": model.features(), "prototypes": rows }));
    }
    let label = model.schema().and_then(|s| s.label.clone()).unwrap_or_else(|| LABEL.into());
    let mut header = model.features().to_vec();
    header.extend([label, "importance".into()]);
    let rows = x.rows().into_iter().enumerate().map(|(j, row)| {
        let values = row.iter().map(|v| v.to_string());
        values.chain([class(j).clone(), format!("{:.6}", model.importance()[j])]).collect()
    });
    Ok(output::print_bytes(&output::csv(header, rows)?)?)
}
