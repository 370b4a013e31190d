//! The map as a drawing.

use super::Report;
use super::figures::{Drawing, colour, texts};
use super::label_layout::Names;
use super::map::Map;
use super::regions::Regions;
use super::svg::{Axis, Chart, cut, escape, short};
use crate::{Error, Float, Result};
use std::fmt::Write;

/// Prototypes up to which marks are large.
const LARGE: usize = 300;
/// Classes up to which the map names them.
const NAMED: usize = 40;

/// Regions, samples, prototypes, names.
pub(super) fn map<F: Float>(r: &Report<F>) -> Result<Drawing> {
    let none = "there is no map of data with a single dimension";
    let m = r.map()?.ok_or_else(|| Error::unsupported(none))?;
    let [low, high] = m.frame;
    let axis = |f: usize| Axis::holding(&m.axes[f], [low[f], high[f]], false);
    let mut chart = Chart::new(axis(0), axis(1));
    let labels = &r.model.prototypes().y;
    let background = regions(&chart, &m, labels);
    chart.add(&background);
    let mut marks = samples(r, &chart, &m);
    let size = if m.prototypes.len() <= LARGE { 7.0 } else { 3.0 };
    let kind = if m.prototypes.len() <= LARGE { "protomark" } else { "protodot" };
    for (j, &[x, y]) in m.prototypes.iter().enumerate() {
        let (px, py) = chart.place(x, y);
        let name = escape(&r.model.classes()[labels[j]]);
        let _ = write!(
            marks,
            "<rect class=\"{kind}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{size}\" height=\"{size}\" fill=\"{}\"><title>prototype {j}, {name}</title></rect>",
            px - size / 2.0,
            py - size / 2.0,
            colour(labels[j])
        );
    }
    chart.add(&marks);
    let names = names(r, &chart, &m);
    chart.add(&names);
    let rows =
        m.prototypes.iter().enumerate().map(|(j, [x, y])| {
            vec![j.to_string(), r.model.classes()[labels[j]].clone(), short(*x), short(*y)]
        });
    let mut header = texts(&["prototype", "class"]);
    header.extend(m.axes.clone());
    Ok(Drawing {
        svg: chart.finish("Map of samples, prototypes and decision regions"),
        caption: format!(
            "Squares are prototypes, dots are samples in the colour of their class, crosses are errors in the colour of their true \
             class. {}",
            caption(&m, &r.answers.decided)
        ),
        header,
        rows: rows.collect(),
    })
}

fn caption(m: &Map, decided: &[usize]) -> String {
    let agreement = m.agreement(decided).map_or(String::new(), percent_whole);
    match (&m.regions, m.whole) {
        (Regions::None, _) => "Samples and prototypes on the plane of the first two principal components.".into(),
        (Regions::Cells(_), true) => {
            "The background is the model's answer for every point of the plane, with exact borders.".into()
        }
        (_, true) => {
            "The background is the model's answer; it was asked on a fine grid, because borders are not straight here."
                .into()
        }
        (_, false) => format!(
            "The plane is that of the first two principal components. The background is the model's answer at points that have this \
             place on the plane and, in all other directions, what the samples around them have. It is the answer to {agreement} of \
             the samples drawn here."
        ),
    }
}

/// `98 %`, rounded down, so that only all are 100 %.
fn percent_whole(share: f64) -> String {
    format!("{:.0} %", (100.0 * share).floor())
}

fn samples<F: Float>(r: &Report<F>, chart: &Chart, m: &Map) -> String {
    let mut marks = String::new();
    for &(i, [x, y]) in &m.samples {
        let (px, py) = chart.place(x, y);
        let _ = if r.answers.decided[i] == r.test.y[i] {
            write!(marks, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2\" fill=\"{}\"/>", colour(r.test.y[i]))
        } else {
            write!(
                marks,
                "<path class=\"wrongmark\" stroke=\"{}\" d=\"M{:.1} {:.1}l6 6m0-6l-6 6\"/>",
                colour(r.test.y[i]),
                px - 3.0,
                py - 3.0
            )
        };
    }
    marks
}

/// The name of each class next to its most central prototype.
fn names<F: Float>(r: &Report<F>, chart: &Chart, m: &Map) -> String {
    let (labels, classes) = (&r.model.prototypes().y, r.model.classes());
    if classes.len() > NAMED {
        return String::new();
    }
    let (mut text, mut places) = (String::new(), Names::default());
    for (c, name) in classes.iter().enumerate() {
        let own: Vec<[f64; 2]> =
            m.prototypes.iter().zip(labels).filter(|(_, l)| **l == c).map(|(p, _)| *p).collect();
        let mean = [0, 1].map(|f| own.iter().map(|p| p[f]).sum::<f64>() / own.len() as f64);
        let off = |p: &[f64; 2]| {
            (0..2).map(|f| ((p[f] - mean[f]) / (m.frame[1][f] - m.frame[0][f])).powi(2)).sum::<f64>()
        };
        let Some(p) = own.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
        text += &places.beside(chart.place(p[0], p[1]), "name", &cut(name, 16), 8.0);
    }
    text
}

/// The background: one group for each class, with one opacity for all of it, so that no seams show.
fn regions(chart: &Chart, m: &Map, labels: &[usize]) -> String {
    let mut paths = vec![String::new(); labels.iter().max().map_or(0, |c| c + 1)];
    match &m.regions {
        Regions::None => {}
        Regions::Cells(cells) => {
            for (j, corners) in cells {
                for (i, &[x, y]) in corners.iter().enumerate() {
                    let (x, y) = chart.place(x, y);
                    let _ = write!(paths[labels[*j]], "{}{x:.2} {y:.2}", if i == 0 { "M" } else { "L" });
                }
                paths[labels[*j]].push('z');
            }
        }
        Regions::Grid { across, classes } => grid(chart, m, *across, classes, &mut paths),
    }
    let path = |(c, d): (usize, &String)| {
        format!("<path class=\"region\" d=\"{d}\" fill=\"{0}\" stroke=\"{0}\"/>", colour(c))
    };
    paths.iter().enumerate().filter(|(_, d)| !d.is_empty()).map(path).collect()
}

/// Runs of cells of one class as rectangles.
fn grid(chart: &Chart, m: &Map, across: usize, classes: &[usize], paths: &mut [String]) {
    let up = classes.len() / across;
    let ((x0, y0), (x1, y1)) =
        (chart.place(m.frame[0][0], m.frame[0][1]), chart.place(m.frame[1][0], m.frame[1][1]));
    let (w, h) = ((x1 - x0) / across as f64, (y0 - y1) / up as f64);
    for (row, line) in classes.chunks(across).enumerate() {
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
}
