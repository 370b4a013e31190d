//! The page: words, numbers and figures in the order in which a reader asks for them.

use super::figures::{Figure, percent};
use super::svg::{escape, short};
use super::{Report, embed, prototypes};
use crate::settings::SettingValue;
use crate::{Float, Result};
use std::fmt::Write;

/// Confusions that the summary names.
const NAMED: usize = 3;

/// The whole page.
pub(super) fn html<F: Float>(r: &Report<F>) -> Result<String> {
    let mut sections = head(r);
    sections += &try_it(r);
    sections += &prototype_section(r)?;
    let both = |a, b| -> Result<String> {
        Ok(format!("<div class=\"two\">{}{}</div>", figure(r, a)?, figure(r, b)?))
    };
    let errors = figure(r, Figure::Confusion)? + &class_table(r);
    sections += &section("errors", "Where it errs", &errors);
    sections +=
        &section("certainty", "How far it can be trusted", &both(Figure::Reliability, Figure::Refusal)?);
    sections += &section("size", "How many prototypes it needs", &figure(r, Figure::Anytime)?);
    sections += &section("map", "Map of the classes", &figure(r, Figure::Map)?);
    sections += &section("features", "What it looks at", &figure(r, Figure::Features)?);
    sections += &section("training", "How it learned", &figure(r, Figure::Training)?);
    sections += &section("made", "How it was made", &made(r));
    let (model, scripts) = match embed::refused(r.model) {
        // The only character by which data could end a script.
        None => (embed::document(r).to_string().replace('<', "\\u003c"), include_str!("model.js")),
        Some(_) => (String::new(), ""),
    };
    let data = if model.is_empty() {
        String::new()
    } else {
        format!("<script type=\"application/json\" id=\"model\">{model}</script>\n")
    };
    let script = format!("{data}<script>\n{scripts}{}</script>\n", include_str!("page.js"));
    Ok(document(&r.title, &sections, &script))
}

/// A page around what it shows; it may load nothing from anywhere.
pub(super) fn document(title: &str, main: &str, script: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<main id=\"main\">\n{main}</main>\n{script}\
         </body>\n</html>\n",
        include_str!("page.css"),
        include_str!("figure.css"),
    )
}

pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{body}</section>\n"
    )
}

fn head<F: Float>(r: &Report<F>) -> String {
    let (e, model) = (&r.evaluation, r.model);
    let (m, classes) = (r.uses.len(), model.classes().len());
    let what = match r.image {
        Some(s) => format!("images of {} × {} pixels", s.width, s.height),
        None => format!("rows of {} numbers", model.features().len()),
    };
    let mut text = format!(
        "<h1>{}</h1>\n<p class=\"lead\">This model sorts {what} into {classes} classes. It keeps {m} examples, called prototypes, and \
         gives a new sample the class of those it is most similar to. Of {} samples it had not been trained on it gets <b>{}</b> \
         wrong, {} in all.</p>\n",
        escape(&r.title),
        e.samples,
        percent(e.error),
        e.wrong
    );
    let tile = |value: &str, name: &str| format!("<li><b>{value}</b><span>{name}</span></li>");
    let interval =
        format!("error; 95 % interval {:.2} to {:.2} %", 100.0 * e.interval.0, 100.0 * e.interval.1);
    text += "<ul class=\"tiles\">";
    text += &tile(&percent(e.error), &interval);
    text += &tile(&m.to_string(), "prototypes");
    text += &tile(&bytes(model.bytes()), &format!("for prediction, {} bytes", model.bytes()));
    if let Some(micros) = r.micros {
        text += &tile(&format!("{} µs", short(micros)), "a query, on the machine that made this page");
    }
    text += "</ul>\n";
    let worst = r.confusions();
    if !worst.is_empty() {
        let name = |c: usize| escape(&model.classes()[c]);
        let list: Vec<String> =
            worst.iter().take(NAMED).map(|&(a, b, n)| format!("{} for {} ({n})", name(a), name(b))).collect();
        let _ = writeln!(text, "<p>It most often takes {}.</p>", list.join(", "));
    }
    text += "<nav aria-label=\"sections\"><a href=\"#try\">try it</a><a href=\"#prototypes\">prototypes</a><a href=\"#errors\">errors</a>\
             <a href=\"#certainty\">trust</a><a href=\"#size\">size</a><a href=\"#map\">map</a><a href=\"#features\">features</a>\
             <a href=\"#training\">training</a><a href=\"#made\">how it was made</a></nav>\n";
    text + &baselines(r)
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
        String::new(),
    ]);
    let others: String = (r.baselines.iter())
        .map(|b| {
            let only = format!("{} : {}", b.test.only_first, b.test.only_second);
            let p = if b.test.p < 1e-4 { "&lt; 0.0001".into() } else { format!("{:.4}", b.test.p) };
            cells(&[escape(&b.name), percent(b.error), b.prototypes.to_string(), bytes(b.bytes), only, p])
        })
        .collect();
    format!(
        "<h3>Against simpler classifiers</h3><div class=\"wide\"><table><thead><tr><th scope=\"col\">classifier</th>\
         <th scope=\"col\">error</th><th scope=\"col\">prototypes</th><th scope=\"col\">size</th><th scope=\"col\">only this model right : only the other</th>\
         <th scope=\"col\">McNemar p</th></tr></thead><tbody>{own}{others}</tbody></table></div>\
         <p class=\"note\">On the same samples, in the same representation. A small p says that the difference is not chance.</p>\n"
    )
}

fn try_it<F: Float>(r: &Report<F>) -> String {
    if let Some(why) = embed::refused(r.model) {
        return section("try", "Try it", &format!("<p>{}</p>\n", escape(&why)));
    }
    let input = match r.image {
        Some(s) => format!(
            "<p>Draw with the mouse or a finger. With the keyboard: arrows move, space draws, shift with arrows draws a line, delete clears.</p>\
             <canvas id=\"draw\" tabindex=\"0\" role=\"application\" aria-label=\"drawing of {} by {} pixels\" style=\"--shape:{}/{}\"></canvas>\
             <p class=\"controls\"><button id=\"clear\" type=\"button\">Clear</button></p>",
            s.width, s.height, s.width, s.height
        ),
        None => "<p>Move the sliders and see when the answer changes.</p><div id=\"sliders\"></div>".into(),
    };
    let body = format!(
        "<p class=\"controls\"><label>Test sample <input id=\"row\" type=\"number\" min=\"1\" value=\"1\"></label> \
         <button id=\"next\" type=\"button\">Next</button> <span id=\"truth\"></span></p>\n\
         <div class=\"two\"><div>{input}</div><div id=\"answer\" aria-live=\"polite\"></div></div>\n\
         <p class=\"note\" id=\"check\">The answers of this page are checked against those of the command line …</p>\n\
         <noscript><p>Without scripts the page cannot answer; everything else works.</p></noscript>\n"
    );
    section("try", "Try it", &body)
}

fn prototype_section<F: Float>(r: &Report<F>) -> Result<String> {
    let option = |(c, name): (usize, &String)| format!("<option value=\"{c}\">{}</option>", escape(name));
    let options: String = r.model.classes().iter().enumerate().map(option).collect();
    let before = match (&r.before, r.image) {
        (Some(_), Some(_)) => {
            "<button id=\"before\" type=\"button\" aria-pressed=\"false\">Before learning (k-means)</button>"
        }
        _ => "",
    };
    let how = match r.image {
        Some(_) => "Grey is 0, lighter is positive, darker is negative.",
        None => {
            "Numbers are in the units of the input; the more colour, the nearer to the largest value of the samples."
        }
    };
    let fewer = if r.image.is_none() && r.test.dim() > prototypes::COLUMNS {
        format!(" The {} features that decide most are shown.", prototypes::COLUMNS)
    } else {
        String::new()
    };
    let body = format!(
        "<p>The most important first: those that answer for most training samples. {how}{fewer}</p>\n\
         <p class=\"controls\"><label>Class <select id=\"filter\"><option value=\"\">all</option>{options}</select></label> {before} \
         <span id=\"count\" role=\"status\"></span></p>\n{}\n{}",
        prototypes::html(r)?,
        Figure::Prototypes.draw(r).map_or(String::new(), |d| numbers(&d.header, &d.rows))
    );
    Ok(section("prototypes", "The prototypes", &body))
}

/// A figure with its caption and numbers, or the reason why there is none.
fn figure<F: Float>(r: &Report<F>, figure: Figure) -> Result<String> {
    match figure.draw(r) {
        Ok(d) => {
            let caption = escape(&d.caption);
            let numbers = numbers(&d.header, &d.rows);
            Ok(format!(
                "<figure class=\"plate\" id=\"figure-{}\">{}<figcaption>{caption}</figcaption>{numbers}</figure>\n",
                figure.show(),
                d.svg
            ))
        }
        Err(crate::Error::Data(why)) => Ok(format!("<p>Not drawn: {}.</p>\n", escape(&why))),
        Err(other) => Err(other),
    }
}

pub(super) fn numbers(header: &[String], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
    let row = |row: &Vec<String>| -> String {
        format!("<tr>{}</tr>", row.iter().map(|c| format!("<td>{}</td>", escape(c))).collect::<String>())
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<details><summary>Numbers</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"numbers\"><table><thead><tr>{head}</tr></thead>\
         <tbody>{rows}</tbody></table></div></details>"
    )
}

fn class_table<F: Float>(r: &Report<F>) -> String {
    let share = |v: Option<f64>| v.map_or("–".into(), percent);
    let row = |c: &crate::eval::ClassMeasures| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&c.class),
            c.samples,
            share(c.recall),
            share(c.precision)
        )
    };
    let rows: String = r.evaluation.classes.iter().map(row).collect();
    format!(
        "<h3>Class by class</h3><div class=\"wide\"><table id=\"classes\"><thead><tr><th scope=\"col\">class</th><th scope=\"col\">samples</th>\
         <th scope=\"col\">found (recall)</th><th scope=\"col\">right when named (precision)</th></tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}

fn made<F: Float>(r: &Report<F>) -> String {
    let p = r.model.provenance();
    let mut rows: Vec<(String, String)> = vec![
        ("method".into(), p.method.clone()),
        ("measured on".into(), r.test_name.clone()),
        ("training samples".into(), p.samples.to_string()),
        ("hash of the training samples".into(), p.data_hash.clone()),
        ("decides by".into(), r.model.rule().show()),
        ("metric".into(), r.model.metric().kind().show()),
        ("seed".into(), p.seed.to_string()),
        ("version of protea".into(), p.version.clone()),
    ];
    rows.extend(p.settings.iter().map(|(n, v)| (format!("--{n}"), v.clone())));
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(a, b)| vec![a, b]).collect();
    let table = numbers(&["what".into(), "value".into()], &rows);
    format!(
        "<p>Made by protea {} with the method {}, from {} training samples, measured on {}.</p>{}\n",
        escape(&p.version),
        escape(&p.method),
        p.samples,
        escape(&r.test_name),
        table.replacen("Numbers", "Data and settings", 1)
    )
}

/// `12.3 kB`.
pub(super) fn bytes(n: usize) -> String {
    match n {
        0..1000 => format!("{n} B"),
        1000..1_000_000 => format!("{} kB", short(n as f64 / 1e3)),
        _ => format!("{} MB", short(n as f64 / 1e6)),
    }
}
