//! Prototypes as a person sees them: images, or rows of numbers in the units of the input.
//!
//! In images 0 is grey, positive values are lighter and negative ones darker, as in Figure 4 of the paper on NPC; the largest
//! value of the samples is white.

use super::Report;
use super::columns::InputColumn;
use super::encode::png_address;
use super::figures::{Drawing, percent};
use super::svg::{breakable, cut, escape, image, share_bar};
use crate::represent::ImageSize;
use crate::{Error, Float, Result};
use ndarray::{Array2, ArrayView1};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Prototypes that a page or figure shows, the most important ones.
const SHOWN: usize = 500;
/// Prototypes in the stand-alone figure.
const IN_FIGURE: usize = 100;
/// Columns of the input that a row of a table shows.
pub(super) const COLUMNS: usize = 24;

const NONE: &str = "prototypes cannot be shown in the units of the input after hog or unit length";

/// Grey levels of one row of features, with `top` as white.
fn grey<F: Float>(row: impl IntoIterator<Item = F>, top: f64) -> Vec<u8> {
    row.into_iter().map(|v| (128.0 + 127.0 * v.f64() / top).round().clamp(0.0, 255.0) as u8).collect()
}

/// Largest absolute value of the samples: white.
pub(super) fn white<F: Float>(r: &Report<F>) -> f64 {
    r.test.x.iter().fold(1e-300, |m, v| f64::max(m, v.f64().abs()))
}

/// Grey image of each prototype, before learning, too, where that is known.
pub(super) fn images<F: Float>(r: &Report<F>, size: ImageSize, rows: &Array2<F>) -> Vec<String> {
    let top = white(r);
    rows.rows().into_iter().map(|row| picture(size, row, top)).collect()
}

/// Grey image of one row of features, with `top` as white.
pub(super) fn picture<F: Float>(size: ImageSize, row: ArrayView1<F>, top: f64) -> String {
    png_address(size.width, size.height, &grey(row.iter().copied(), top))
}

/// Columns of the input in the order of their share in decisions where there are more than [`COLUMNS`], at most so many.
pub(super) fn columns<F: Float>(r: &Report<F>) -> Result<Vec<InputColumn>> {
    let mut columns = r.input_columns();
    if columns.len() > COLUMNS {
        if let Some(lead) = r.deciding_features()? {
            columns.sort_by(|a, b| b.sum(&lead).abs().total_cmp(&a.sum(&lead).abs()));
        }
        columns.truncate(COLUMNS);
    }
    Ok(columns)
}

/// The list on the page: one figure or row for each prototype, with what it answers for.
pub(super) fn html<F: Float>(r: &Report<F>) -> Result<String> {
    let order = r.by_importance();
    let hidden = order.len().saturating_sub(SHOWN);
    let order = &order[..order.len().min(SHOWN)];
    let mut out = match (r.image, r.shown_prototypes()) {
        (_, None) => table(r, order, &[], &Array2::zeros((0, 0))),
        (Some(size), Some(p)) => cards(r, order, size, &p),
        (None, Some(p)) => table(r, order, &columns(r)?, &p),
    };
    if hidden > 0 {
        let _ = write!(out, "<p class=\"note\">{hidden} less important prototypes are not shown.</p>");
    }
    Ok(out)
}

fn cards<F: Float>(r: &Report<F>, order: &[usize], size: ImageSize, p: &Array2<F>) -> String {
    let after = images(r, size, p);
    let before = r.before.clone().and_then(|z| r.in_input_units(z)).map(|z| images(r, size, &z));
    let mut out = String::from("<ul class=\"cards\" tabindex=\"0\" aria-label=\"prototypes\">");
    for &j in order {
        let u = &r.uses[j];
        let class = escape(&u.class);
        let old = before.as_ref().map_or(String::new(), |b| {
            format!("<img class=\"before\" src=\"{}\" alt=\"the same before learning\" hidden>", b[j])
        });
        let _ = write!(
            out,
            "<li class=\"proto\" data-class=\"{}\" id=\"p{j}\"><img class=\"after\" src=\"{}\" alt=\"prototype {j} of class {class}\">{old}\
             <b>{class}</b> <span>answers {}, {} wrong</span></li>",
            r.model.prototypes().y[j],
            after[j],
            u.answers,
            u.wrong
        );
    }
    out + "</ul>"
}

fn table<F: Float>(r: &Report<F>, order: &[usize], columns: &[InputColumn], p: &Array2<F>) -> String {
    let ranges = r.ranges();
    let local = r.model.metric().prototype_weights().filter(|w| w.ncols() == r.test.dim());
    let head: String =
        columns.iter().map(|c| format!("<th scope=\"col\">{}</th>", breakable(&c.name))).collect();
    let mut out = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"prototypes\"><table class=\"heat\"><thead><tr>\
         <th scope=\"col\">class</th><th scope=\"col\">importance</th><th scope=\"col\">answers for</th><th scope=\"col\">wrong</th>{head}\
         </tr></thead><tbody>"
    );
    for &j in order {
        let u = &r.uses[j];
        let _ = write!(
            out,
            "<tr class=\"proto\" data-class=\"{}\" id=\"p{j}\"><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
            r.model.prototypes().y[j],
            escape(&u.class),
            percent(u.importance),
            u.answers,
            u.wrong
        );
        for c in columns {
            // The weight that this prototype gives the column, as a bar under the value.
            let weight = local.map_or(String::new(), |w| {
                let squares: Vec<f64> = w.row(j).iter().map(|v| v.f64() * v.f64()).collect();
                let own = c.sum(&squares) / squares.iter().sum::<f64>().max(1e-300);
                format!("<span title=\"weight {}\">{}</span>", percent(own), share_bar(own.sqrt()))
            });
            let level = (10.0 * c.height(p.row(j), &ranges)).round();
            let _ = write!(out, "<td class=\"v{level}\">{}{weight}</td>", escape(&c.show(p.row(j))));
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}

/// The classes that each prototype wrongly answers for, with the numbers of samples, the most frequent first.
fn mistakes<F: Float>(r: &Report<F>) -> Vec<String> {
    let mut counts = vec![BTreeMap::new(); r.uses.len()];
    for (w, &y) in r.answers.winners.iter().zip(&r.test.y).filter(|(w, y)| w.nearest.class != **y) {
        *counts[w.nearest.prototype].entry(y).or_insert(0usize) += 1;
    }
    let show = |counts: BTreeMap<usize, usize>| {
        let mut pairs: Vec<(usize, usize)> = counts.into_iter().collect();
        pairs.sort_by_key(|&(y, n)| (std::cmp::Reverse(n), y));
        pairs.iter().map(|(y, n)| format!("{} ({n})", r.model.classes()[*y])).collect::<Vec<_>>().join(", ")
    };
    counts.into_iter().map(show).collect()
}

/// The most important prototypes as one picture.
pub(super) fn drawing<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let p = r.shown_prototypes().ok_or_else(|| Error::unsupported(NONE))?;
    let order = r.by_importance();
    let order = &order[..order.len().min(IN_FIGURE)];
    let alt = format!("The {} most important prototypes of {}", order.len(), r.uses.len());
    let svg = match r.image {
        Some(size) => image_grid(r, order, size, &p, &alt),
        None => heat_rows(r, order, &columns(r)?, &p, &alt),
    };
    let names =
        ["prototype", "class", "importance", "answers for", "wrong", "wrongly answers", "errors without it"];
    let mistakes = mistakes(r);
    let rows = r.by_importance().into_iter().map(|j| {
        let u = &r.uses[j];
        let numbers =
            [u.answers.to_string(), u.wrong.to_string(), mistakes[j].clone(), u.added_errors.to_string()];
        [j.to_string(), u.class.clone(), percent(u.importance)].into_iter().chain(numbers).collect()
    });
    Ok(Drawing { svg, caption: alt, header: names.map(String::from).to_vec(), rows: rows.collect() })
}

fn image_grid<F: Float>(r: &Report<F>, order: &[usize], size: ImageSize, p: &Array2<F>, alt: &str) -> String {
    let pictures = images(r, size, p);
    let (per_row, cell) = (10, 60.0);
    let mut body = String::new();
    for (i, &j) in order.iter().enumerate() {
        let (x, y) = ((i % per_row) as f64 * cell, (i / per_row) as f64 * (cell + 16.0));
        let _ = write!(
            body,
            "<image href=\"{}\" x=\"{}\" y=\"{}\" width=\"54\" height=\"54\" class=\"pixels\"/>\
             <text class=\"mid small\" x=\"{}\" y=\"{}\">{}</text>",
            pictures[j],
            x + 3.0,
            y + 3.0,
            x + 30.0,
            y + 68.0,
            escape(&r.uses[j].class)
        );
    }
    image(per_row as f64 * cell, order.len().div_ceil(per_row) as f64 * (cell + 16.0) + 4.0, alt, &body)
}

fn heat_rows<F: Float>(
    r: &Report<F>,
    order: &[usize],
    columns: &[InputColumn],
    p: &Array2<F>,
    alt: &str,
) -> String {
    let order = &order[..order.len().min(40)];
    let (left, top) = (90.0, 74.0);
    let cell = (640.0 / columns.len() as f64).clamp(24.0, 60.0);
    let ranges = r.ranges();
    let mut body = String::new();
    for (k, c) in columns.iter().enumerate() {
        let name = escape(&cut(&c.name, 12));
        let (x, y) = (left + (k as f64 + 0.5) * cell, top - 6.0);
        let _ = write!(
            body,
            "<text class=\"small\" transform=\"translate({x:.1} {y}) rotate(-55)\">{name}</text>"
        );
    }
    for (i, &j) in order.iter().enumerate() {
        let y = top + 18.0 * i as f64;
        let name = escape(&cut(&r.uses[j].class, 12));
        let _ = write!(body, "<text class=\"end\" x=\"{}\" y=\"{}\">{name}</text>", left - 6.0, y + 13.0);
        for (k, c) in columns.iter().enumerate() {
            let x = left + k as f64 * cell;
            let _ = write!(
                body,
                "<rect class=\"bar\" fill-opacity=\"{:.2}\" x=\"{x:.1}\" y=\"{y}\" width=\"{cell:.1}\" height=\"18\"/>\
                 <text class=\"mid small\" x=\"{:.1}\" y=\"{}\">{}</text>",
                0.5 * c.height(p.row(j), &ranges),
                x + cell / 2.0,
                y + 13.0,
                escape(&cut(&c.show(p.row(j)), (cell / 5.5) as usize))
            );
        }
    }
    image(left + columns.len() as f64 * cell + 8.0, top + 18.0 * order.len() as f64 + 8.0, alt, &body)
}

/// Values of all pixels as one image: 0 grey, positive lighter, negative darker.
pub(super) fn heat_image(size: ImageSize, values: &[f64], alt: &str) -> String {
    let top = values.iter().fold(1e-300, |m, v| f64::max(m, v.abs()));
    let address = png_address(size.width, size.height, &grey(values.iter().copied(), top));
    let height = 280.0 * size.height as f64 / size.width as f64;
    let body = format!(
        "<image href=\"{address}\" x=\"0\" y=\"0\" width=\"280\" height=\"{height:.0}\" class=\"pixels\"/>"
    );
    image(280.0, height, alt, &body)
}
