//! `protea eval`: what a model is worth on labelled rows.

use crate::args::{Common, Eval};
use crate::input::{Reader, Source, schema_of};
use crate::measures::More;
use crate::open::open;
use crate::output::{self, pairs, percent, short, table};
use crate::with_float;
use anyhow::Result;
use protea::catalog::Part;
use protea::eval::{Evaluation, evaluate, micros_per_query};
use protea::{Float, Model, SettingValue};
use serde_json::{Value, json};

/// Confusions that are shown without `--confusion`.
const LARGEST: usize = 10;

/// Evaluates a model of either element type.
pub fn run(args: &Eval, common: &Common) -> Result<()> {
    let file = open(&args.model, &args.test)?;
    with_float!(file.precision()?, F => eval::<F>(file.load()?, args, common))
}

fn eval<F: Float>(mut model: Model<F>, args: &Eval, common: &Common) -> Result<()> {
    if let Some(rule) = args.rule {
        model = model.with_rule(rule)?;
    }
    let reader = Reader { reading: &args.reading, data_dir: common.data_dir.as_deref() };
    let source = Source::find(&args.test)?.or_part(Part::Test);
    let test = reader.labelled::<F>(&source, &schema_of(&model))?;
    let evaluation = evaluate(&model, &test)?;
    let micros = micros_per_query(&model, test.x.view())?;
    let more = More::measure(&model, &test, &args.measures)?;
    if common.json {
        let mut document = serde_json::to_value(&evaluation)?;
        if let Value::Object(map) = &mut document {
            map.insert("rule".into(), json!(model.rule().show()));
            map.insert("bytes".into(), json!(model.bytes()));
            map.insert("micros_per_query".into(), json!(micros));
            map.insert("threads".into(), json!(rayon::current_num_threads()));
            map.extend(more.json());
        }
        return output::print_json(&document);
    }
    let e = &evaluation;
    let mut text = pairs(&[
        (
            "error",
            format!(
                "{} ({} of {} samples; 95 % interval {:.2} to {:.2} %)",
                percent(e.error),
                e.wrong,
                e.samples,
                100.0 * e.interval.0,
                100.0 * e.interval.1
            ),
        ),
        ("majority class", format!("{} if every answer is {}", percent(e.majority.error), e.majority.class)),
        ("balanced error", format!("{} (mean over classes)", percent(e.balanced_error))),
        ("macro F1", format!("{:.4}", e.macro_f1)),
        ("AUC", e.auc.map_or("–".into(), |a| format!("{a:.4}"))),
        ("rule", model.rule().show()),
        ("log loss", format!("{:.4}", e.log_loss + 0.0)),
        ("calibration error", percent(e.calibration_error)),
        ("size", output::sizes(model.bytes(), &args.model)),
        ("speed", format!("{} µs per query ({} threads)", short(micros), rayon::current_num_threads())),
    ]);
    text += &format!("\n{}", class_table(e));
    text += &if args.confusion { confusion_matrix(e) } else { largest_confusions(e) };
    text += &more.text(e);
    Ok(output::print(&text)?)
}

fn class_table(e: &Evaluation) -> String {
    let share = |v: Option<f64>| v.map_or("–".into(), percent);
    let rows = e.classes.iter().map(|c| {
        vec![c.class.clone(), c.samples.to_string(), share(c.recall), share(c.precision), share(c.f1)]
    });
    table(&["class", "samples", "recall", "precision", "F1"], rows, 1)
}

fn largest_confusions(e: &Evaluation) -> String {
    let mut cells: Vec<((usize, usize), usize)> =
        e.confusion.indexed_iter().filter(|((a, b), n)| a != b && **n > 0).map(|(at, n)| (at, *n)).collect();
    if cells.is_empty() {
        return String::new();
    }
    cells.sort_by_key(|&(at, n)| (std::cmp::Reverse(n), at));
    let rows = cells
        .iter()
        .take(LARGEST)
        .map(|&((a, b), n)| vec![e.classes[a].class.clone(), e.classes[b].class.clone(), n.to_string()]);
    format!("\nLargest confusions\n{}", table(&["class", "taken for", "samples"], rows, 2))
}

fn confusion_matrix(e: &Evaluation) -> String {
    let header: Vec<&str> =
        std::iter::once("class \\ taken for").chain(e.classes.iter().map(|c| &*c.class)).collect();
    let rows =
        e.classes.iter().zip(e.confusion.rows()).map(|(c, row)| {
            std::iter::once(c.class.clone()).chain(row.iter().map(usize::to_string)).collect()
        });
    format!("\n{}", table(&header, rows, 1))
}
