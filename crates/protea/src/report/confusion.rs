//! True classes against answers.

use super::Report;
use super::figures::{Drawing, texts};
use super::svg::{cut, escape, image};
use crate::Float;
use std::fmt::Write;

/// Classes up to which the cells hold their numbers.
const NUMBERED: usize = 30;
/// Characters of a class name that are shown.
const NAME: usize = 16;

/// A square of cells, one row for each class.
pub(super) fn confusion<F: Float>(r: &Report<F>) -> Drawing {
    let (classes, e) = (r.model.classes(), &r.evaluation);
    let k = classes.len();
    let cell = (620.0 / k as f64).clamp(9.0, 46.0);
    let names: Vec<String> = classes.iter().map(|c| cut(c, NAME)).collect();
    let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0) as f64;
    // Names that are wider than a column are rotated.
    let rotated = 8.0 * longest > cell + 4.0;
    let left = (16.0 + 8.0 * longest).max(64.0);
    let top = if rotated { 34.0 + 6.0 * longest } else { 40.0 };
    let mut body = axis_labels(&names, cell, left, top, rotated);
    for ((a, b), &n) in e.confusion.indexed_iter().filter(|(_, n)| **n > 0) {
        let all = e.confusion.row(a).sum() as f64;
        let (x, y) = (left + b as f64 * cell, top + a as f64 * cell);
        // Errors are rare: the root keeps one of a hundred visible.
        let strength = 0.1 + 0.4 * (n as f64 / all).sqrt();
        let kind = if a == b { "right" } else { "wrong" };
        let title = escape(&format!("{} answered as {}: {n}", classes[a], classes[b]));
        let _ = write!(
            body,
            "<rect class=\"{kind}\" fill-opacity=\"{strength:.2}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{cell:.1}\" \
             height=\"{cell:.1}\"><title>{title}</title></rect>"
        );
        if k <= NUMBERED {
            let (x, y) = (x + cell / 2.0, y + cell / 2.0 + 4.0);
            let small = if cell < 34.0 { " small" } else { "" };
            let _ = write!(body, "<text class=\"mid{small}\" x=\"{x:.1}\" y=\"{y:.1}\">{n}</text>");
        }
    }
    let side = k as f64 * cell;
    let frame =
        format!("<rect x=\"{left}\" y=\"{top}\" width=\"{side:.1}\" height=\"{side:.1}\" class=\"grid\"/>");
    let alt = format!(
        "Confusion matrix of {k} classes: {} of {} samples on the diagonal",
        e.samples - e.wrong,
        e.samples
    );
    let rows = r
        .confusions()
        .into_iter()
        .map(|(a, b, n)| vec![classes[a].clone(), classes[b].clone(), n.to_string()]);
    // The last rotated name needs room to the right.
    let right = if rotated { 5.0 * longest } else { 8.0 };
    Drawing {
        svg: image(left + side + right, top + side + 8.0, &alt, &(frame + &body)),
        caption: "Each row is a true class, each column an answer. The diagonal is right; everything else is an error, and \
                  deeper colour means more samples."
            .into(),
        header: texts(&["class", "answered as", "samples"]),
        rows: rows.collect(),
    }
}

fn axis_labels(names: &[String], cell: f64, left: f64, top: f64, rotated: bool) -> String {
    let size = if cell < 14.0 { "small" } else { "" };
    let mut body = String::from("<text x=\"4\" y=\"14\">true class ↓, answer →</text>");
    for (c, name) in names.iter().enumerate() {
        let name = escape(name);
        let (x, y) = (left + (c as f64 + 0.5) * cell, top + (c as f64 + 0.5) * cell + 4.0);
        let _ = write!(body, "<text class=\"end {size}\" x=\"{}\" y=\"{y:.1}\">{name}</text>", left - 6.0);
        let _ = if rotated {
            let (x, y) = (x + 2.0, top - 6.0);
            write!(
                body,
                "<text class=\"{size}\" transform=\"translate({x:.1} {y:.1}) rotate(-50)\">{name}</text>"
            )
        } else {
            write!(body, "<text class=\"mid {size}\" x=\"{x:.1}\" y=\"{}\">{name}</text>", top - 6.0)
        };
    }
    body
}
