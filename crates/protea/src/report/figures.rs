//! Every picture of a report, with the numbers behind it.

use super::map::Map;
use super::svg::{Axis, Chart, escape, image, short};
use super::{Report, curves, prototypes};
use crate::settings::named_enum;
use crate::{Error, Float, Result};
use std::fmt::Write;

/// Features that a bar chart shows.
const BARS: usize = 20;
/// Classes up to which the cells of a confusion matrix hold their numbers.
const NUMBERED: usize = 30;

named_enum! {
    /// A picture of a model.
    pub enum Figure {
        /// The prototypes: images, or rows of numbers.
        Prototypes = "prototypes",
        /// True classes against decided ones.
        Confusion = "confusion",
        /// Confidence against the share of right answers.
        Reliability = "reliability",
        /// Precision against the share of samples that are answered.
        Refusal = "refusal",
        /// Error against the number of prototypes used.
        Anytime = "anytime",
        /// Samples, prototypes and decision regions in two dimensions.
        Map = "map",
        /// What features add to decisions.
        Features = "features",
        /// Loss, errors and γ of the training.
        Training = "training",
    }
}

/// A picture, what it says, and its numbers.
pub(super) struct Drawing {
    pub svg: String,
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Figure {
    /// Every figure.
    pub const ALL: [Figure; 8] = [
        Figure::Prototypes,
        Figure::Confusion,
        Figure::Reliability,
        Figure::Refusal,
        Figure::Anytime,
        Figure::Map,
        Figure::Features,
        Figure::Training,
    ];

    /// Draws it; an error says why a model has no such picture.
    pub(super) fn draw<F: Float>(self, r: &Report<F>) -> Result<Drawing> {
        match self {
            Figure::Prototypes => prototypes::drawing(r),
            Figure::Confusion => Ok(confusion(r)),
            Figure::Reliability => Ok(curves::reliability_diagram(r)),
            Figure::Refusal => Ok(curves::refusal(r)),
            Figure::Anytime => Ok(curves::anytime(r)),
            Figure::Map => map(r),
            Figure::Features => features(r),
            Figure::Training => curves::training(r),
        }
    }
}

/// `3.01 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The names of columns.
pub(super) fn texts(header: &[&str]) -> Vec<String> {
    header.iter().map(|h| h.to_string()).collect()
}

fn confusion<F: Float>(r: &Report<F>) -> Drawing {
    let (classes, e) = (r.model.classes(), &r.evaluation);
    let k = classes.len();
    let cell = (620.0 / k as f64).clamp(9.0, 46.0);
    let (left, top) = (64.0, 40.0);
    let size = if cell < 14.0 { "small" } else { "" };
    let mut body = axis_labels(classes, cell, left, top, size);
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
    Drawing {
        svg: image(left + side + 8.0, top + side + 8.0, &alt, &(frame + &body)),
        caption: "Each row is a true class, each column an answer. The diagonal is right; everything else is an error, and \
                  darker is more often."
            .into(),
        header: texts(&["class", "answered as", "samples"]),
        rows: rows.collect(),
    }
}

fn axis_labels(classes: &[String], cell: f64, left: f64, top: f64, size: &str) -> String {
    let mut body = String::from("<text x=\"4\" y=\"14\">true class ↓, answer →</text>");
    for (c, name) in classes.iter().enumerate() {
        let name = escape(&name.chars().take(8).collect::<String>());
        let (x, y) = (left + (c as f64 + 0.5) * cell, top + (c as f64 + 0.5) * cell + 4.0);
        let _ = write!(
            body,
            "<text class=\"end {size}\" x=\"{}\" y=\"{y:.1}\">{name}</text><text class=\"mid {size}\" x=\"{x:.1}\" y=\"{}\">{name}</text>",
            left - 6.0,
            top - 6.0
        );
    }
    body
}

/// A hue for each class, as far apart as the golden angle keeps them.
fn colour(class: usize) -> String {
    format!("hsl({:.0} 65% 48%)", (class as f64 * 137.508) % 360.0)
}

fn map<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let none = "there is no map of data with a single dimension";
    let m = r.map()?.ok_or_else(|| Error::data(none))?;
    let [low, high] = m.bounds;
    let axis = |f: usize| Axis::holding(&m.axes[f], [low[f], high[f]], false);
    let mut chart = Chart::new(axis(0), axis(1));
    let background = regions(&chart, &m);
    chart.add(&background);
    let mut marks = String::new();
    for &(i, [x, y]) in &m.samples {
        let (px, py) = chart.place(x, y);
        if r.decided[i] == r.test.y[i] {
            let fill = colour(r.test.y[i]);
            let _ = write!(marks, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2\" fill=\"{fill}\"/>");
        } else {
            let _ = write!(
                marks,
                "<path class=\"wrongmark\" d=\"M{:.1} {:.1}l5 5m0-5l-5 5\"/>",
                px - 2.5,
                py - 2.5
            );
        }
    }
    let labels = &r.model.prototypes().y;
    for (j, &[x, y]) in m.prototypes.iter().enumerate() {
        let (px, py) = chart.place(x, y);
        let name = escape(&r.model.classes()[labels[j]].chars().take(10).collect::<String>());
        let fill = colour(labels[j]);
        // Many names would hide each other.
        let text = if m.prototypes.len() <= 60 {
            format!("<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>", px + 6.0, py + 4.0)
        } else {
            String::new()
        };
        let _ = write!(
            marks,
            "<rect class=\"protomark\" x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\" fill=\"{fill}\"><title>prototype {j}, {name}</title></rect>{text}",
            px - 3.5,
            py - 3.5
        );
    }
    chart.add(&marks);
    let what = if m.exact {
        "The background is the model's answer for every point of the plane."
    } else if m.cells.2.is_empty() {
        "Samples and prototypes on the plane of the first two principal components."
    } else {
        "The samples are flattened to the plane of their first two principal components, and the background is the answer on that \
         plane: where classes overlap here, other directions may still tell them apart."
    };
    let rows =
        m.prototypes.iter().enumerate().map(|(j, [x, y])| {
            vec![j.to_string(), r.model.classes()[labels[j]].clone(), short(*x), short(*y)]
        });
    let mut header = texts(&["prototype", "class"]);
    header.extend(m.axes.clone());
    Ok(Drawing {
        svg: chart.finish("Map of samples, prototypes and decision regions"),
        caption: format!(
            "Squares are prototypes, dots are samples in the colour of their class, crosses are errors. {what}"
        ),
        header,
        rows: rows.collect(),
    })
}

/// One path for each class, made of runs of cells.
fn regions(chart: &Chart, m: &Map) -> String {
    let (across, up, cells) = &m.cells;
    if cells.is_empty() {
        return String::new();
    }
    let ((x0, y0), (x1, y1)) =
        (chart.place(m.bounds[0][0], m.bounds[0][1]), chart.place(m.bounds[1][0], m.bounds[1][1]));
    let (w, h) = ((x1 - x0) / *across as f64, (y0 - y1) / *up as f64);
    let classes = cells.iter().max().map_or(0, |c| c + 1);
    let mut paths = vec![String::new(); classes];
    for (row, line) in cells.chunks(*across).enumerate() {
        let mut start = 0;
        while start < line.len() {
            let run = line[start..].iter().take_while(|&&c| c == line[start]).count();
            let (x, y) = (x0 + start as f64 * w, y0 - (row + 1) as f64 * h);
            let _ = write!(
                paths[line[start]],
                "M{x:.1} {y:.1}h{:.1}v{h:.2}h{:.1}z",
                run as f64 * w,
                -(run as f64) * w
            );
            start += run;
        }
    }
    let path =
        |(c, d): (usize, String)| format!("<path d=\"{d}\" fill=\"{}\" fill-opacity=\"0.3\"/>", colour(c));
    let paths = paths.into_iter().enumerate().filter(|(_, d)| !d.is_empty()).map(path);
    format!("<g shape-rendering=\"crispEdges\">{}</g>", paths.collect::<String>())
}

fn features<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let none =
        "single features have no share in decisions after --hog or --unit, nor in a model of one class";
    let lead = r.deciding_features()?.ok_or_else(|| Error::data(none))?;
    let total: f64 = lead.iter().sum();
    let total = if total.abs() > 0.0 { total.abs() } else { 1.0 };
    let metric = r.model.metric().relevance().filter(|w| w.len() == lead.len());
    let mut order: Vec<usize> = (0..lead.len()).collect();
    order.sort_by(|&a, &b| lead[b].abs().total_cmp(&lead[a].abs()).then(a.cmp(&b)));
    let names = r.model.features();
    let alt = "What features add to the lead of the nearest prototype over the nearest of another class";
    let svg = match r.image {
        Some(size) => prototypes::heat_image(size, &lead, alt),
        None => bars(&order, names, &lead, total, alt),
    };
    let mut header = texts(&["feature", "share of the lead"]);
    header.extend(metric.as_ref().map(|_| "weight of the metric".to_string()));
    let rows = order.iter().map(|&f| {
        let mut row = vec![names[f].clone(), percent(lead[f] / total)];
        row.extend(metric.as_ref().map(|w| percent(w[f])));
        row
    });
    Ok(Drawing {
        svg,
        caption: "How much each feature adds, on average, to the lead of the nearest prototype over the nearest one of another \
                  class. Features on the other side of 0 speak for the other class more often than not."
            .into(),
        header,
        rows: rows.take(200).collect(),
    })
}

fn bars(order: &[usize], names: &[String], lead: &[f64], total: f64, alt: &str) -> String {
    let shown = &order[..order.len().min(BARS)];
    let largest = shown.iter().map(|&f| lead[f].abs()).fold(1e-300, f64::max);
    let least = shown.iter().map(|&f| lead[f]).fold(0.0, f64::min);
    let (left, width) = (190.0, 290.0);
    let span = largest - least;
    let zero = left + width * (-least / span);
    let mut body = String::new();
    for (i, &f) in shown.iter().enumerate() {
        let y = 8.0 + 20.0 * i as f64;
        let w = width * lead[f].abs() / span;
        let (x, kind) = if lead[f] < 0.0 { (zero - w, "against") } else { (zero, "bar") };
        let name = escape(&names[f].chars().take(26).collect::<String>());
        let _ = write!(
            body,
            "<text class=\"end\" x=\"{}\" y=\"{}\">{name}</text><rect class=\"{kind}\" x=\"{x:.1}\" y=\"{y}\" width=\"{w:.1}\" \
             height=\"14\"/><text x=\"{:.1}\" y=\"{}\">{}</text>",
            left - 6.0,
            y + 12.0,
            x + w + 5.0,
            y + 12.0,
            percent(lead[f] / total)
        );
    }
    image(560.0, 16.0 + 20.0 * shown.len() as f64, alt, &body)
}
