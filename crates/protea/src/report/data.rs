//! What the model was measured on: how many samples each class has, and the values of each column.

use super::Report;
use super::columns::InputColumn;
use super::figures::percent;
use super::svg::{breakable, escape, share_bar, short};
use crate::Float;
use ndarray::Array2;
use std::fmt::Write;

/// Classes and columns that are listed.
const LISTED: usize = 200;
/// Values of a category that are named.
const LEVELS: usize = 6;

/// Two tables.
pub(super) fn html<F: Float>(r: &Report<F>) -> String {
    format!("<div class=\"two\"><div>{}</div><div>{}</div></div>\n", balance(r), columns(r))
}

/// Samples and prototypes of each class.
fn balance<F: Float>(r: &Report<F>) -> String {
    let e = &r.evaluation;
    let mut counts = vec![0usize; r.model.classes().len()];
    r.model.prototypes().y.iter().for_each(|&c| counts[c] += 1);
    let trained: usize = r.training_counts.iter().flatten().sum();
    let mut text = format!(
        "<h3>Class balance</h3><p>Always answering <b>{}</b>, the most frequent class, would be wrong in {} of the cases.</p>\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"class balance\"><table id=\"balance\"><thead><tr><th scope=\"col\">class</th>\
         <th scope=\"col\">samples</th><th scope=\"col\">share</th>{}<th scope=\"col\">prototypes</th></tr></thead><tbody>",
        escape(&e.majority.class),
        percent(e.majority.error),
        if trained > 0 { "<th scope=\"col\">share in training</th>" } else { "" }
    );
    for (c, class) in e.classes.iter().enumerate().take(LISTED) {
        let share = class.samples as f64 / e.samples as f64;
        let training = r
            .training_counts
            .as_ref()
            .map_or(String::new(), |n| format!("<td>{:.1} %</td>", 100.0 * n[c] as f64 / trained as f64));
        let _ = write!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.1} %{}</td>{training}<td>{}</td></tr>",
            breakable(&class.class),
            class.samples,
            100.0 * share,
            share_bar(share),
            counts[c]
        );
    }
    text + "</tbody></table></div>" + &omitted(e.classes.len(), "classes")
}

/// Range of each column, of the samples and of the prototypes.
fn columns<F: Float>(r: &Report<F>) -> String {
    if r.image.is_some() {
        let (low, high) = r
            .ranges()
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        return format!("<h3>Pixels</h3><p>From {} to {}.</p>", short(low), short(high));
    }
    let (columns, prototypes) = (r.input_columns(), r.shown_prototypes());
    let mut text = String::from(
        "<h3>Columns</h3><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"columns\"><table id=\"columns\"><thead><tr>\
         <th scope=\"col\">column</th><th scope=\"col\">lowest</th><th scope=\"col\">median</th><th scope=\"col\">highest</th>\
         <th scope=\"col\">prototypes</th></tr></thead><tbody>",
    );
    for c in columns.iter().take(LISTED) {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", breakable(&c.name));
        text += &match c.levels {
            Some(_) => format!("<td colspan=\"4\">{}</td>", escape(&levels(c, r))),
            None => range(c.features.start, r, prototypes.as_ref()),
        };
        text += "</tr>";
    }
    text + "</tbody></table></div>" + &omitted(columns.len(), "columns")
}

fn levels<F: Float>(c: &InputColumn, r: &Report<F>) -> String {
    let shares = c.level_shares(r.test.x.view());
    let named = shares.iter().take(LEVELS).map(|(level, share)| format!("{level} {:.0} %", 100.0 * share));
    let mut named: Vec<String> = named.collect();
    if shares.len() > LEVELS {
        named.push(format!("{} others", shares.len() - LEVELS));
    }
    named.join(", ")
}

fn range<F: Float>(f: usize, r: &Report<F>, prototypes: Option<&Array2<F>>) -> String {
    let mut values: Vec<f64> = r.test.x.column(f).iter().map(|v| v.f64()).collect();
    values.sort_by(f64::total_cmp);
    let [low, median, high] =
        [values[0], values[(values.len() - 1) / 2], values[values.len() - 1]].map(short);
    let kept = prototypes.map_or("–".into(), |p| {
        let all = || p.column(f).into_iter().map(|v| v.f64());
        format!(
            "{} to {}",
            short(all().fold(f64::INFINITY, f64::min)),
            short(all().fold(f64::NEG_INFINITY, f64::max))
        )
    });
    format!("<td>{low}</td><td>{median}</td><td>{high}</td><td>{kept}</td>")
}

fn omitted(all: usize, what: &str) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} more {what} are not listed.</p>"),
    }
}
