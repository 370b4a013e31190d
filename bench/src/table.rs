//! Tables of the page: a line for each cell beside its published figure, or a grid where there is none.

use crate::experiment::{By, Experiment, Row, Shows};
use crate::grid::Cell;
use crate::record::{Line, Records};
use crate::stats::{Figure, figure};

/// A cell and the row it belongs to.
pub type Entry<'a> = (&'a Row, &'a Cell);

/// What tells the lines of a table apart: the method in that of a data set, the data set in that of a method.
fn name<'a>(e: &Experiment, (row, cell): &Entry<'a>) -> &'a str {
    if e.by == By::Data { &row.name } else { &cell.data }
}

/// Rows of Markdown; the first column stands left.
pub fn markdown(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|---|{}\n", "--:|".repeat(header.len() - 1));
    line(header) + &rule + &rows.iter().map(|r| line(r)).collect::<String>()
}

/// The table of some cells: a grid when nothing was published and one list of settings is run through, else a line for each.
pub fn of(e: &Experiment, entries: &[Entry], records: &Records) -> String {
    if entries.iter().all(|(_, c)| records.all_of(&c.definition).is_empty()) {
        return "Not measured yet.\n".into();
    }
    let compared = entries.iter().any(|(_, c)| c.published.is_some() || c.target.is_some());
    match entries {
        [(row, first), ..] if !first.definition.soft.is_empty() => soft(row, records),
        [(row, first), ..] if !compared && first.axes.len() == 2 => grid(e, row, records),
        [(_, first), ..] if !compared && entries.iter().all(|(_, c)| is_along(first, c)) => {
            along(e, entries, records)
        }
        _ => lines(e, entries, records),
    }
}

/// Whether both run through one list, the same.
fn is_along(a: &Cell, b: &Cell) -> bool {
    matches!((&a.axes[..], &b.axes[..]), ([(a, _)], [(b, _)]) if a == b)
}

fn lines(e: &Experiment, entries: &[Entry], records: &Records) -> String {
    let quiet = |c: &Cell| -> Vec<Line> {
        records.all_of(&c.definition).into_iter().filter(|l| l.is_quiet()).cloned().collect()
    };
    let published = entries.iter().any(|(_, c)| c.published.is_some());
    let timed = entries.iter().any(|(_, c)| !quiet(c).is_empty());
    let mut header = vec![if e.by == By::Data { "method" } else { "data" }.to_string()];
    header.extend(published.then(|| "published".into()));
    header.push("ours".into());
    header.extend(published.then(|| "difference".into()));
    header.extend(timed.then_some(["fit s", "µs/query"]).into_iter().flatten().map(String::from));
    header.push("bytes".into());
    let row = |entry: &Entry| {
        let (row, cell) = entry;
        let ours = figure(e, row, cell, records);
        let mut line = vec![label(name(e, entry), cell)];
        line.extend(published.then(|| optional(cell.published, |p| number(row, p))));
        line.push(ours.map_or("–".into(), |f| with_spread(row, &f)));
        let difference = ours.zip(cell.published).map(|(f, p)| f.mean - p);
        line.extend(published.then(|| optional(difference, signed)));
        let mean = |f: fn(&Line) -> Option<f64>| {
            Figure::of(&quiet(cell).iter().filter_map(f).collect::<Vec<_>>()).map(|f| f.mean)
        };
        if timed {
            line.push(optional(mean(|l| Some(l.fit_seconds)), short));
            line.push(optional(mean(|l| l.micros_per_query), short));
        }
        let bytes = records.all_of(&cell.definition).iter().filter_map(|l| l.bytes).collect::<Vec<_>>();
        line.push(optional(Figure::of(&bytes).map(|f| f.mean), |b| format!("{b:.0}")));
        line
    };
    markdown(&header, &entries.iter().map(row).collect::<Vec<_>>())
}

/// Rows down, the values of their list across.
fn along(e: &Experiment, entries: &[Entry], records: &Records) -> String {
    let values: Vec<&String> = distinct(entries.iter().map(|(_, c)| &c.axes[0].1));
    let mut header = vec![format!("{} →", entries[0].1.axes[0].0)];
    header.extend(values.iter().map(|v| v.to_string()));
    let names = distinct(entries.iter().map(|entry| name(e, entry)));
    let line = |n: &&str| {
        let at = |v: &&String| {
            let entry = entries.iter().find(|x| name(e, x) == *n && x.1.axes[0].1 == **v);
            entry.map_or("–".into(), |(row, cell)| shown(e, row, cell, records))
        };
        std::iter::once(n.to_string()).chain(values.iter().map(at)).collect()
    };
    markdown(&header, &names.iter().map(line).collect::<Vec<_>>())
}

/// The first list down, the second across.
fn grid(e: &Experiment, row: &Row, records: &Records) -> String {
    let axis = |k: usize| distinct(row.cells.iter().map(move |c| &c.axes[k].1));
    let [(first, _), (second, _)] = &row.cells[0].axes[..] else { return String::new() };
    let mut header = vec![format!("{first} ↓ {second} →")];
    header.extend(axis(1).iter().map(|v| v.to_string()));
    let line = |a: &&String| {
        let cells = row.cells.iter().filter(|c| c.axes[0].1 == **a);
        std::iter::once(a.to_string()).chain(cells.map(|c| shown(e, row, c, records))).collect()
    };
    markdown(&header, &axis(0).iter().map(line).collect::<Vec<_>>())
}

/// The list of settings down, the γ of the soft rule across.
fn soft(row: &Row, records: &Records) -> String {
    let gammas = &row.cells[0].definition.soft;
    let mut header = vec!["γ in training ↓ in the rule →".to_string()];
    header.extend(gammas.iter().map(f64::to_string));
    header.push("1-NP".into());
    let line = |cell: &Cell| {
        let lines = records.all_of(&cell.definition);
        let mean =
            |values: Vec<f64>| optional(Figure::of(&values).map(|f| f.mean), |v| format!("{:.2}", 100.0 * v));
        let at = |k: usize| mean(lines.iter().filter_map(|l| l.soft_errors.get(k).copied()).collect());
        let hard = mean(lines.iter().map(|l| l.error()).collect());
        let name = cell.axes.first().map_or(String::new(), |(_, v)| v.clone());
        std::iter::once(name).chain((0..gammas.len()).map(at)).chain([hard]).collect()
    };
    markdown(&header, &row.cells.iter().map(line).collect::<Vec<_>>())
}

/// A name with the settings that are run through.
pub fn label(name: &str, cell: &Cell) -> String {
    cell.axes.iter().fold(name.to_string(), |label, (setting, value)| match setting.as_str() {
        "per-class" => format!("{label}, {value}"),
        _ => format!("{label}, {setting} {value}"),
    })
}

/// In the order of their first appearance.
pub fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.fold(Vec::new(), |mut seen, item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
        seen
    })
}

fn shown(e: &Experiment, row: &Row, cell: &Cell, records: &Records) -> String {
    figure(e, row, cell, records).map_or("–".into(), |f| with_spread(row, &f))
}

/// `3.01 ± 0.12`.
pub fn with_spread(row: &Row, f: &Figure) -> String {
    let spread = f.deviation.map_or(String::new(), |d| format!(" ± {}", number(row, d)));
    number(row, f.mean) + &spread
}

fn number(row: &Row, value: f64) -> String {
    match (row.shows, &row.against) {
        (Shows::Error, None) => format!("{value:.2}"),
        (Shows::Error, Some(_)) => signed(value),
        (_, Some(_)) => format!("× {}", short(value)),
        (Shows::Micros, None) => short(value),
        (Shows::Bytes | Shows::Prototypes, None) => format!("{value:.0}"),
    }
}

fn optional(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or("–".into(), show)
}

fn signed(value: f64) -> String {
    // No "−0.00".
    let value = if value.abs() < 0.005 { 0.0 } else { value };
    format!("{value:+.2}").replace('-', "−")
}

fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}
