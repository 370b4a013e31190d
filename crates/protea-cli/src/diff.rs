//! `protea diff`: what changed from one model to another.

use crate::args::{Common, Diff};
use crate::input::{ModelFile, Reader, Source, schema_of};
use crate::output::{self, pairs, percent, table};
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::eval::{AnswerChanges, PrototypeChanges, PrototypeSet, answer_changes, prototype_changes};
use protea::{Error, Float, Model};
use serde_json::json;
use std::path::Path;

/// Prototypes and rows that the text shows.
const SHOWN: usize = 10;
/// Differences with a smaller probability of being chance are called significant.
const SIGNIFICANT: f64 = 0.05;

/// One of the models, with its answers.
struct Side {
    prototypes: PrototypeSet,
    method: String,
    /// Names of the answers to the rows, and their classes where they are known.
    answers: Option<(Vec<String>, Option<Vec<String>>)>,
}

/// Compares two models.
pub fn run(args: &Diff, common: &Common) -> Result<()> {
    let first = side(&args.first, args, common)?;
    let second = side(&args.second, args, common)?;
    let prototypes = prototype_changes(&first.prototypes, &second.prototypes)?;
    let answers = match (&first.answers, &second.answers) {
        (Some((a, truth)), Some((b, _))) => Some(answer_changes(a, b, truth.as_deref())),
        _ => None,
    };
    if common.json {
        return output::print_json(&json!({
            "methods": [first.method, second.method], "prototypes": prototypes, "answers": answers,
        }));
    }
    let mut text = prototype_text(&prototypes, &first, &second);
    if let Some(answers) = &answers {
        text += &answer_text(answers);
    }
    Ok(output::print(&text)?)
}

fn side(path: &Path, args: &Diff, common: &Common) -> Result<Side> {
    let file = ModelFile::read(path)?;
    with_float!(file.precision()?, F => {
        let model = file.load::<F>()?;
        let answers = args.test.as_deref().map(|test| answers(&model, test, args, common)).transpose()?;
        let (prototypes, method) = (PrototypeSet::of(&model), model.provenance().method.clone());
        Ok(Side { prototypes, method, answers })
    })
}

/// Answers to labelled rows or, where they have no labels that the model knows, to rows.
fn answers<F: Float>(
    model: &Model<F>,
    test: &Path,
    args: &Diff,
    common: &Common,
) -> Result<(Vec<String>, Option<Vec<String>>)> {
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(test)?.or_part(Part::Test);
    if test == Path::new("-") {
        let expected = "a file or a data set: both models read it";
        return Err(Error::setting("TEST", "-", expected).into());
    }
    let names = |indices: &[usize]| indices.iter().map(|&c| model.classes()[c].clone()).collect::<Vec<_>>();
    let schema = schema_of(model);
    match reader.labelled::<F>(&source, &schema) {
        Ok(data) => Ok((names(&model.predict(data.x.view())?), Some(names(&data.y)))),
        Err(error) => {
            let x = reader.samples::<F>(&source, &schema).map_err(|_| error)?;
            Ok((names(&model.predict(x.view())?), None))
        }
    }
}

fn prototype_text(changes: &PrototypeChanges, first: &Side, second: &Side) -> String {
    let [a, b] = [first, second].map(|s| format!("{} ({} prototypes)", s.method, s.prototypes.classes.len()));
    let mut text = pairs(&[
        ("first", a),
        ("second", b),
        ("same", changes.same.to_string()),
        ("moved", changes.moved.len().to_string()),
        ("gone", counted(&changes.gone, &first.prototypes.classes)),
        ("new", counted(&changes.come, &second.prototypes.classes)),
    ]);
    if !changes.moved.is_empty() {
        let rows = changes.moved.iter().take(SHOWN).map(|m| {
            let change = format!("{} {:+.4}", m.feature, m.change);
            vec![
                m.class.clone(),
                change,
                m.first.to_string(),
                m.second.to_string(),
                format!("{:.4}", m.distance),
            ]
        });
        let header = ["class", "largest change", "first", "second", "distance"];
        text +=
            &format!("\nMoved farthest, in standard deviations of the features\n{}", table(&header, rows, 2));
    }
    text
}

/// `3 (2 of a, 1 of b)`.
fn counted(which: &[usize], classes: &[String]) -> String {
    let mut of: Vec<(&String, usize)> = Vec::new();
    for &j in which {
        match of.iter_mut().find(|(class, _)| *class == &classes[j]) {
            Some((_, n)) => *n += 1,
            None => of.push((&classes[j], 1)),
        }
    }
    let more = if of.len() > SHOWN { ", …" } else { "" };
    let parts: Vec<String> = of.iter().take(SHOWN).map(|(class, n)| format!("{n} of {class}")).collect();
    match which.len() {
        0 => "0".into(),
        n => format!("{n} ({}{more})", parts.join(", ")),
    }
}

fn answer_text(changes: &AnswerChanges) -> String {
    let (n, all) = (changes.changed.len(), changes.rows);
    let mut lines =
        vec![("other answers", format!("{n} of {all} rows ({})", percent(n as f64 / all as f64)))];
    if let Some(e) = &changes.errors {
        let t = &e.test;
        let verdict = match (t.p < SIGNIFICANT, e.second < e.first) {
            (true, true) => "the second is better",
            (true, false) => "the first is better",
            (false, _) => "no more than chance would give",
        };
        lines.push(("error", format!("{} → {}", percent(e.first), percent(e.second))));
        let counts =
            format!("{} rows right in the first alone, {} in the second alone", t.only_first, t.only_second);
        lines.push(("McNemar's test", format!("p = {:.4}: {verdict}; {counts}", t.p)));
    }
    let mut text = format!("\n{}", pairs(&lines));
    if n > 0 {
        let rows = changes.changed.iter().take(SHOWN).map(|c| {
            let class = c.class.clone().unwrap_or("–".into());
            vec![c.first.clone(), c.second.clone(), class, (c.row + 1).to_string()]
        });
        text += &format!(
            "\nFirst rows with another answer\n{}",
            table(&["first", "second", "class", "row"], rows, 3)
        );
    }
    text
}
