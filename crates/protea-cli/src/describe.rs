//! `protea describe`: what is in a file and what training would make of it; and the same in a few lines for `fit`.

use crate::args::{Common, Describe};
use crate::hints;
use crate::input::Source;
use crate::output::{self, pairs, percent};
use anyhow::Result;
use protea::catalog;
use protea::data::{Body, ColumnUse, Findings, LabelFrom, Profile, Table, profiles};
use protea::io::read_table;
use protea::{Dataset, Float};
use serde_json::{Map, Value, json};

/// Columns shown one by one, at most.
const SHOWN_COLUMNS: usize = 100;

/// Classes and columns named in one line, at most.
const NAMED: usize = 8;

/// Describes a file or a data set.
pub fn run<F: Float>(args: &Describe, common: &Common) -> Result<()> {
    let mut options = args.data.schema();
    let table = match Source::find(&args.file)? {
        Source::File(path) => read_table::<F>(&path, &args.data.reading().options())?,
        Source::Set(set, part) => {
            options.keep_all = true;
            table_of(catalog::load(set.name, part, common.data_dir.as_deref())?, set.name)
        }
    };
    let (findings, table) = Findings::of_usable(table, &options)?;
    let profiles = profiles(&table);
    if common.json {
        return output::print_json(&json!({
            "source": findings.source, "rows": findings.rows, "label": findings.label, "classes": findings.classes,
            "baseline_error": findings.baseline_error, "warnings": findings.warnings,
            "columns": findings.columns.iter().zip(&profiles).map(|(c, p)| {
                json!({"name": c.name, "becomes": c.becomes, "note": c.note, "values": p})
            }).collect::<Vec<_>>(),
        }));
    }
    let mut text = pairs(&[
        ("file", format!("{}, {} rows, {} columns", findings.source, findings.rows, findings.columns.len())),
        ("label", label(&findings)),
        ("classes", classes(&findings)),
        (
            "baseline",
            format!(
                "{} error when always answering the most frequent class",
                percent(findings.baseline_error)
            ),
        ),
    ]);
    text += "\n";
    text += &columns(&findings, &profiles);
    for warning in &findings.warnings {
        text += &format!("\nwarning: {}", hints::flags(warning.clone()));
    }
    Ok(output::print(&(text.trim_end().to_string() + "\n"))?)
}

/// Says on standard error what was read from a training file.
pub fn say(findings: Option<&Findings>, common: &Common) {
    // Training with one class is about to be refused.
    let Some(findings) = findings.filter(|f| !common.quiet && f.classes.len() > 1) else { return };
    let dropped = match findings.rows_dropped {
        0 => String::new(),
        n => format!(" ({n} with missing values left out)"),
    };
    let error = percent(findings.baseline_error);
    let baseline = format!("{error} error when always answering the most frequent");
    crate::complain("read", &format!("{}, {baseline}", rows_and_label(findings, &dropped)));
    crate::complain("read", &features(findings));
    for warning in &findings.warnings {
        crate::complain("warning", &hints::flags(warning.clone()));
    }
}

/// Says on standard error what was read to go on from a model, whose columns are known.
pub fn say_more_rows(findings: Option<&Findings>, features: usize, common: &Common) {
    let Some(findings) = findings.filter(|_| !common.quiet) else { return };
    crate::complain("read", &rows_and_label(findings, ""));
    crate::complain("read", &format!("columns as in the model, which has {features} features"));
    for warning in &findings.warnings {
        crate::complain("warning", &hints::flags(warning.clone()));
    }
}

fn rows_and_label(findings: &Findings, dropped: &str) -> String {
    let classes = findings.classes.len();
    let classes = format!("{classes} class{}", if classes == 1 { "" } else { "es" });
    let rows = format!("{} row{}", findings.rows, if findings.rows == 1 { "" } else { "s" });
    format!("{rows}{dropped}, label {}, {classes}", label(findings))
}

/// What was found, without the columns that are plain numbers.
pub fn brief(findings: &Findings) -> Value {
    let (mut categories, mut dates) = (Map::new(), Vec::new());
    let mut numbers = 0;
    for column in &findings.columns {
        match &column.becomes {
            ColumnUse::Number { .. } => numbers += 1,
            ColumnUse::Category { levels } => {
                categories.insert(column.name.clone(), json!(levels));
            }
            ColumnUse::Date { .. } => dates.push(&column.name),
            _ => {}
        }
    }
    let dropped: Map<String, Value> =
        findings.dropped().map(|(name, why)| (name.to_string(), json!(why))).collect();
    json!({
        "source": findings.source, "rows": findings.rows, "rows_dropped": findings.rows_dropped, "rows_unusable": findings.rows_unusable,
        "label": findings.label, "classes": findings.classes, "baseline_error": findings.baseline_error,
        "numbers": numbers, "categories": categories, "dates": dates, "dropped": dropped,
        "warnings": findings.warnings,
    })
}

/// The label column and how it was found.
fn label(findings: &Findings) -> String {
    let column = findings.label.column.as_deref().unwrap_or_default();
    match findings.label.from {
        LabelFrom::Given => format!("{column} (as asked)"),
        LabelFrom::Name => format!("{column} (by its name)"),
        LabelFrom::Last => format!("{column} (the last column)"),
        LabelFrom::Apart => "apart from the columns".into(),
    }
}

fn classes(findings: &Findings) -> String {
    let mut classes: Vec<_> = findings.classes.iter().collect();
    classes.sort_by_key(|c| std::cmp::Reverse(c.count));
    let n = findings.rows.max(1) as f64;
    let class = |c: &&protea::data::ClassCount| {
        format!("{} {} ({:.1} %)", c.name, c.count, 100.0 * c.count as f64 / n)
    };
    listed(&classes.iter().map(class).collect::<Vec<_>>())
}

/// A few of many, with their number.
fn listed(items: &[String]) -> String {
    match items.len() {
        n if n > NAMED => format!("{} … ({n} in all)", items[..NAMED].join(", ")),
        _ => items.join(", "),
    }
}

/// The features in one line: `4 numbers, categories in island (3), sex (2); left out: id (row numbers)`.
fn features(findings: &Findings) -> String {
    let select = |f: &dyn Fn(&str, &ColumnUse) -> Option<String>| {
        findings.columns.iter().filter_map(|c| f(&c.name, &c.becomes)).collect::<Vec<_>>()
    };
    let numbers = select(&|name, u| matches!(u, ColumnUse::Number { .. }).then(|| name.into())).len();
    let categories = select(&|name, u| match u {
        ColumnUse::Category { levels } => Some(format!("{name} ({levels})")),
        _ => None,
    });
    let dates = select(&|name, u| matches!(u, ColumnUse::Date { .. }).then(|| name.into()));
    let dropped: Vec<String> = findings.dropped().map(|(name, why)| format!("{name} ({why})")).collect();
    let mut parts = Vec::new();
    if numbers > 0 {
        parts.push(format!("{numbers} column{} of numbers", if numbers == 1 { "" } else { "s" }));
    }
    if !categories.is_empty() {
        parts.push(format!("categories in {}", listed(&categories)));
    }
    if !dates.is_empty() {
        parts.push(format!("dates in {}", listed(&dates)));
    }
    if !dropped.is_empty() {
        parts.push(format!("left out: {}", listed(&dropped)));
    }
    parts.join("; ")
}

/// One line for each column.
fn columns(findings: &Findings, profiles: &[Profile]) -> String {
    let rows = findings.columns.iter().zip(profiles).take(SHOWN_COLUMNS).map(|(c, p)| {
        let becomes = match &c.becomes {
            ColumnUse::Label => "label".into(),
            ColumnUse::Weight => "weight".into(),
            ColumnUse::Number { spelling } => {
                spelling.words().map_or_else(|| "number".into(), |how| format!("number ({how})"))
            }
            ColumnUse::Category { levels } => format!("categories ({levels})"),
            ColumnUse::Date { parts, .. } => {
                format!("date: {}", parts.iter().map(|p| p.name()).collect::<Vec<_>>().join(", "))
            }
            ColumnUse::Dropped { reason } => format!("left out: {reason}"),
            _ => "feature".into(),
        };
        vec![c.name.clone(), becomes, values(p), p.distinct.to_string(), p.missing.to_string()]
    });
    let mut text = output::table(&["column", "becomes", "values", "distinct", "missing"], rows, 3);
    if findings.columns.len() > SHOWN_COLUMNS {
        text += &format!("… and {} more columns\n", findings.columns.len() - SHOWN_COLUMNS);
    }
    text
}

/// Smallest, middle and largest number, or the most frequent texts.
fn values(profile: &Profile) -> String {
    if let Some([min, median, max]) = &profile.range {
        return format!("{min} … {median} … {max}");
    }
    let short = |text: &str| match text.char_indices().nth(24) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    };
    let top: Vec<String> = profile.top.iter().map(|(text, n)| format!("{} {n}", short(text))).collect();
    let more = if profile.distinct > top.len() { ", …" } else { "" };
    top.join(", ") + more
}

/// A data set as a table.
fn table_of<F: Float>(data: Dataset<F>, name: &str) -> Table<F> {
    let labels = data.y.iter().map(|&c| data.classes[c].clone()).collect();
    let table = Table::new(name, Body::Dense(data.x));
    Table { names: data.features, named: true, labels: Some(labels), labels_apart: true, ..table }
}
