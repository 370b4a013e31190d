//! The head of a page: what the model does, what it costs and how it compares, before any figure.

use super::figures::percent;
use super::page::bytes;
use super::prototypes::{picture, white};
use super::svg::{breakable, escape, short};
use super::{Baseline, Report};
use crate::Float;
use crate::model::Rule;
use std::fmt::Write;

/// Confusions that the summary names.
const NAMED: usize = 3;
/// Classes that show a prototype.
const SHOWN: usize = 12;
/// Below this p a difference is not taken for chance.
const CHANCE: f64 = 0.05;

pub(super) fn html<F: Float>(r: &Report<F>) -> String {
    let mut text = format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", breakable(&r.title), lead(r));
    text += &strip(r);
    text += &tiles(r);
    let worst = r.confusions();
    if !worst.is_empty() {
        let name = |c: usize| format!("<b>{}</b>", escape(&r.model.classes()[c]));
        let times = |n: usize| if n == 1 { "once".into() } else { format!("{n} times") };
        let list: Vec<String> = (worst.iter().take(NAMED))
            .map(|&(a, b, n)| format!("{} taken for {} ({})", name(a), name(b), times(n)))
            .collect();
        let _ = writeln!(text, "<p>Its most frequent errors: {}.</p>", list.join(", "));
    }
    text += "<nav aria-label=\"sections\"><a href=\"#try\">try it</a><a href=\"#data\">data</a><a href=\"#prototypes\">prototypes</a><a href=\"#errors\">errors</a>\
             <a href=\"#certainty\">trust</a><a href=\"#size\">size</a><a href=\"#map\">map</a><a href=\"#features\">features</a>\
             <a href=\"#training\">training</a><a href=\"#made\">how it was made</a></nav>\n";
    text + &baselines(r)
}

/// What the model does, in three sentences.
fn lead<F: Float>(r: &Report<F>) -> String {
    let (e, model) = (&r.evaluation, r.model);
    let what = match r.image {
        Some(s) => format!("images of {} × {} pixels", s.width, s.height),
        None => format!("rows of {} columns", r.input_columns().len()),
    };
    let classes = model.classes().len();
    let m = r.uses.len();
    // What has not been trained is still what it was.
    let all = m == model.provenance().samples && model.provenance().history.is_empty();
    let kept = match (all, model.selected()) {
        (true, _) => format!("It keeps all {m} training samples, called prototypes,"),
        (false, Some(_)) => format!("It keeps {m} of the training samples, called prototypes,"),
        (false, None) => format!("It keeps {m} prototypes, points that stand for their class,"),
    };
    let rule = match model.rule() {
        Rule::Nearest(1) => "and gives a new sample the class of the one that is most similar to it".into(),
        Rule::Nearest(k) => {
            format!("and gives a new sample the class that most of the {k} most similar ones have")
        }
        Rule::Soft => {
            "and gives a new sample the class whose prototypes together are most similar to it".into()
        }
        Rule::Scores => "and weighs how similar a new sample is to those of each class".into(),
        Rule::Code => {
            "and writes a new sample as a sum of a few of them; the class with the largest part is the answer"
                .into()
        }
    };
    let wrong = format!("<b>{}</b> wrong, {} in all", percent(e.error), e.wrong);
    let measured = match model.provenance().data_hash == r.test.hash() {
        true => format!(
            "Of the {} samples that it was <b>trained on</b> it gets {wrong}; on new samples expect more errors",
            e.samples
        ),
        false => format!("Of {} test samples it gets {wrong}", e.samples),
    };
    format!("This model sorts {what} into {classes} classes. {kept} {rule}. {measured}.")
}

/// The most important prototype of each class, where they are images.
fn strip<F: Float>(r: &Report<F>) -> String {
    let (Some(size), Some(p)) = (r.image, r.shown_prototypes()) else { return String::new() };
    let (order, labels, top) = (r.by_importance(), &r.model.prototypes().y, white(r));
    let first = |c: usize| order.iter().copied().find(|&j| labels[j] == c);
    let mut text =
        String::from("<ul class=\"strip\" aria-label=\"the most important prototype of each class\">");
    for j in (0..r.model.classes().len()).filter_map(first).take(SHOWN) {
        let class = escape(&r.uses[j].class);
        let image = picture(size, p.row(j), top);
        let _ = write!(
            text,
            "<li><img src=\"{image}\" alt=\"prototype {j} of class {class}\"><span>{class}</span></li>"
        );
    }
    text + "</ul>\n"
}

fn tiles<F: Float>(r: &Report<F>) -> String {
    let (e, model) = (&r.evaluation, r.model);
    let tile = |value: &str, name: &str| format!("<li><b>{value}</b><span>{name}</span></li>");
    let interval =
        format!("error; 95 % interval {:.2} to {:.2} %", 100.0 * e.interval.0, 100.0 * e.interval.1);
    let mut text = String::from("<ul class=\"tiles\">");
    text += &tile(&percent(e.error), &interval);
    let majority =
        format!("error of always answering {}, the most frequent class", breakable(&e.majority.class));
    text += &tile(&percent(e.majority.error), &majority);
    text += &tile(&r.uses.len().to_string(), "prototypes");
    text += &tile(&bytes(model.bytes()), &format!("for prediction, {} bytes", model.bytes()));
    if let Some(micros) = r.micros {
        let micros = if micros < 1.0 { format!("{micros:.2}") } else { short(micros) };
        text += &tile(&format!("{micros} µs"), "a query, on the machine that made this page");
    }
    text + "</ul>\n"
}

fn baselines<F: Float>(r: &Report<F>) -> String {
    if r.baselines.is_empty() {
        return String::new();
    }
    let cells = |cells: &[String]| {
        let (first, rest) = (&cells[0], &cells[1..]);
        let rest: String = rest.iter().map(|c| format!("<td>{c}</td>")).collect();
        format!("<tr><th scope=\"row\">{first}</th>{rest}</tr>")
    };
    let own = cells(&[
        "this model".into(),
        percent(r.evaluation.error),
        r.uses.len().to_string(),
        bytes(r.model.bytes()),
        String::new(),
    ]);
    let row = |b: &Baseline| {
        cells(&[escape(&b.name), percent(b.error), b.prototypes.to_string(), bytes(b.bytes), verdict(b)])
    };
    let others: String = r.baselines.iter().map(row).collect();
    format!(
        "<h3>Against simpler classifiers</h3><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"baselines\"><table id=\"baselines\"><thead><tr>\
         <th scope=\"col\">classifier</th><th scope=\"col\">error</th><th scope=\"col\">prototypes</th><th scope=\"col\">size</th>\
         <th scope=\"col\">this model is</th></tr></thead><tbody>{own}{others}</tbody></table></div>\
         <p class=\"note\">On the same samples, in the same representation. McNemar's exact test asks whether the difference could be \
         chance, from the samples that only one of the two gets right (first: only this model).</p>\n"
    )
}

/// The outcome of McNemar's test in words and numbers.
fn verdict(b: &Baseline) -> String {
    let (own, other) = (b.test.only_first, b.test.only_second);
    let which = match own.cmp(&other) {
        _ if b.test.p >= CHANCE => "not clearly better or worse",
        std::cmp::Ordering::Less => "worse",
        _ => "better",
    };
    let p = if b.test.p < 1e-4 { "&lt; 0.0001".into() } else { format!("= {:.4}", b.test.p) };
    format!("<b>{which}</b> (McNemar p {p}; {own} : {other})")
}
