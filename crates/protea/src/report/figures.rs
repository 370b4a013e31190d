//! Every picture of a report, with the numbers behind it.

use super::columns::InputColumn;
use super::confusion::confusion;
use super::map_figure::map;
use super::svg::{cut, escape, image};
use super::{Report, curves, mesh, prototypes, reliability};
use crate::settings::named_enum;
use crate::{Error, Float, Result};
use std::fmt::Write;

/// Features that a bar chart shows.
const BARS: usize = 20;

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
        /// Accuracy over γ in training and γ in deciding; needs training samples.
        Mesh = "mesh",
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
    pub const ALL: [Figure; 9] = [
        Figure::Prototypes,
        Figure::Confusion,
        Figure::Reliability,
        Figure::Refusal,
        Figure::Anytime,
        Figure::Map,
        Figure::Features,
        Figure::Training,
        Figure::Mesh,
    ];

    /// Draws it; an error says why a model has no such picture.
    pub(super) fn draw<F: Float>(self, r: &Report<F>) -> Result<Drawing> {
        match self {
            Figure::Prototypes => prototypes::drawing(r),
            Figure::Confusion => Ok(confusion(r)),
            Figure::Reliability => Ok(reliability::diagram(r)),
            Figure::Refusal => Ok(curves::refusal(r)),
            Figure::Anytime => Ok(curves::anytime(r)),
            Figure::Map => map(r),
            Figure::Features => features(r),
            Figure::Training => curves::training(r),
            Figure::Mesh => mesh::drawing(r),
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

/// A hue for each class, as far apart as the golden angle keeps them.
pub(super) fn colour(class: usize) -> String {
    format!("hsl({:.0} 65% 48%)", (class as f64 * 137.508) % 360.0)
}

fn features<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let none =
        "single features have no share in decisions after hog or unit length, nor in a model of one class";
    let lead = r.deciding_features()?.ok_or_else(|| Error::unsupported(none))?;
    let total: f64 = lead.iter().sum();
    let total = if total.abs() > 0.0 { total.abs() } else { 1.0 };
    let metric = r.model.metric().relevance().and_then(|w| r.model.pipeline().gather(w));
    let columns = r.input_columns();
    let shares: Vec<f64> = columns.iter().map(|c| c.sum(&lead) / total).collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|&a, &b| shares[b].abs().total_cmp(&shares[a].abs()).then(a.cmp(&b)));
    let alt = "What features add to the lead of the nearest prototype over the nearest of another class";
    let svg = match r.image {
        Some(size) => prototypes::heat_image(size, &lead, alt),
        None => bars(&order, &columns, &shares, alt),
    };
    let mut header = texts(&["feature", "share of the lead"]);
    header.extend(metric.as_ref().map(|_| "weight of the metric".to_string()));
    let rows = order.iter().map(|&k| {
        let mut row = vec![columns[k].name.clone(), percent(shares[k])];
        row.extend(metric.as_ref().map(|w| percent(columns[k].sum(w))));
        row
    });
    Ok(Drawing {
        svg,
        caption: match r.image {
            Some(_) => {
                "How much each pixel adds, on average, to the lead of the nearest prototype over the nearest one of another \
                 class: the lighter, the more it decides; grey ones do not matter; dark ones mislead more often than not."
            }
            None => {
                "How much each feature adds, on average, to the lead of the nearest prototype over the nearest one of another \
                 class. Features on the other side of 0 speak for the other class more often than not."
            }
        }
        .into(),
        header,
        rows: rows.take(200).collect(),
    })
}

fn bars(order: &[usize], columns: &[InputColumn], shares: &[f64], alt: &str) -> String {
    let shown = &order[..order.len().min(BARS)];
    let largest = shown.iter().map(|&k| shares[k]).fold(1e-300, f64::max);
    let least = shown.iter().map(|&k| shares[k]).fold(0.0, f64::min);
    let (left, width) = (190.0, 190.0);
    let span = largest - least;
    let zero = left + width * (-least / span);
    let mut body = String::new();
    for (i, &k) in shown.iter().enumerate() {
        let y = 8.0 + 20.0 * i as f64;
        let w = width * shares[k].abs() / span;
        let (x, kind) = if shares[k] < 0.0 { (zero - w, "against") } else { (zero, "bar") };
        let name = escape(&cut(&columns[k].name, 24));
        let _ = write!(
            body,
            "<text class=\"end\" x=\"{}\" y=\"{}\">{name}</text><rect class=\"{kind}\" x=\"{x:.1}\" y=\"{y}\" width=\"{w:.1}\" \
             height=\"14\"/><text x=\"{:.1}\" y=\"{}\">{}</text>",
            left - 6.0,
            y + 12.0,
            (x + w).max(zero) + 5.0,
            y + 12.0,
            percent(shares[k])
        );
    }
    image(460.0, 16.0 + 20.0 * shown.len() as f64, alt, &body)
}
