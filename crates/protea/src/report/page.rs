//! The page: words, numbers and figures in the order in which a reader asks for them.

use super::figures::{Figure, percent};
use super::policy::policy;
use super::svg::{escape, short};
use super::{Report, data, embed, mistakes, prototypes, summary};
use crate::export::READER;
use crate::settings::SettingValue;
use crate::{Float, Result};

/// The whole page.
pub(super) fn html<F: Float>(r: &Report<F>) -> Result<String> {
    let mut sections = summary::html(r);
    sections += &try_it(r);
    sections += &section("data", "What it was measured on", &data::html(r));
    sections += &prototype_section(r)?;
    let both = |a, b| -> Result<String> {
        Ok(format!("<div class=\"two\">{}{}</div>", figure(r, a)?, figure(r, b)?))
    };
    let errors = format!(
        "<div class=\"two\">{}<div>{}{}</div></div>{}",
        figure(r, Figure::Confusion)?,
        class_table(r),
        measures(r),
        mistakes::html(r)?
    );
    sections += &section("errors", "Where it errs", &errors);
    sections +=
        &section("certainty", "How far it can be trusted", &both(Figure::Reliability, Figure::Refusal)?);
    sections += &section("size", "How many prototypes it needs", &figure(r, Figure::Anytime)?);
    sections += &section("map", "Map of the classes", &figure(r, Figure::Map)?);
    sections += &section("features", "What it looks at", &figure(r, Figure::Features)?);
    let training = match &r.mesh {
        Some(_) => both(Figure::Training, Figure::Mesh)?,
        None => figure(r, Figure::Training)?,
    };
    sections += &section("training", "How it learned", &training);
    sections += &section("made", "How it was made", &made(r));
    let (model, scripts) = match embed::plan(r.model) {
        Ok(plan) => (script_text(&embed::document(r, &plan)), READER),
        Err(_) => (String::new(), ""),
    };
    let data = if model.is_empty() {
        String::new()
    } else {
        format!("<script type=\"application/json\" id=\"model\">{model}</script>\n")
    };
    let script = format!("{scripts}{}{}", include_str!("wide.js"), include_str!("page.js"));
    Ok(document(&r.title, &(sections + &data), &script))
}

/// A page around what it shows; it may load nothing from anywhere and runs no other script.
pub(super) fn document(title: &str, main: &str, script: &str) -> String {
    let (title, style) = (escape(title), concat!("\n", include_str!("page.css"), include_str!("figure.css")));
    let script = format!("\n{script}");
    let policy = policy(style, &script);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<main id=\"main\">\n{main}</main>\n\
         <script type=\"module\">{script}</script>\n</body>\n</html>\n"
    )
}

pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{body}</section>\n"
    )
}

fn try_it<F: Float>(r: &Report<F>) -> String {
    if let Err(why) = embed::plan(r.model) {
        return section("try", "Try it", &format!("<p>{}</p>\n", escape(&why)));
    }
    let input = match r.image {
        Some(s) => format!(
            "<p>Draw with the mouse or a finger. With the keyboard: arrows move, space draws, shift with arrows draws a line, delete clears.</p>\
             <canvas id=\"draw\" tabindex=\"0\" role=\"application\" aria-label=\"drawing of {} by {} pixels\" width=\"{}\" height=\"{}\"></canvas>\
             <p class=\"controls\"><button id=\"clear\" type=\"button\">Clear</button></p>",
            s.width, s.height, s.width, s.height
        ),
        None => "<p>Change the values and see when the answer changes.</p><div id=\"sliders\"></div>".into(),
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
    let body = format!(
        "<p>The most important first: those that answer for most training samples. {}</p>\n\
         <p class=\"controls\"><label>Class <select id=\"filter\"><option value=\"\">all</option>{options}</select></label> {before} \
         <span id=\"count\" role=\"status\" data-all=\"{}\"></span></p>\n{}\n{}",
        how_to_read(r),
        r.uses.len(),
        prototypes::html(r)?,
        Figure::Prototypes.draw(r).map_or(String::new(), |d| numbers(&d.header, &d.rows))
    );
    Ok(section("prototypes", "The prototypes", &body))
}

/// What the pictures or rows of prototypes show.
fn how_to_read<F: Float>(r: &Report<F>) -> String {
    if r.shown_prototypes().is_none() {
        return "Their values are not shown: the preprocessing (hog or unit length) cannot be undone.".into();
    }
    if r.image.is_some() {
        return "Grey is 0, lighter is positive, darker is negative.".into();
    }
    let mut text = String::from(
        "Numbers are in the units of the input; deeper colour means closer to the largest value among the samples.",
    );
    if r.model.metric().prototype_weights().is_some_and(|w| w.ncols() == r.test.dim()) {
        text += " The bar under a number is the weight that this prototype gives to the feature.";
    }
    let columns = r.input_columns();
    if columns.iter().any(|c| c.levels.is_some()) {
        text += " Of a category, the values that the prototype is made of are shown, the largest part first.";
    }
    if columns.len() > prototypes::COLUMNS {
        text += &format!(" The {} columns that decide most are shown.", prototypes::COLUMNS);
    }
    text
}

/// A figure with its caption and numbers, or the reason why it cannot be drawn.
fn figure<F: Float>(r: &Report<F>, figure: Figure) -> Result<String> {
    match figure.draw(r) {
        Ok(d) => {
            let caption = escape(&d.caption);
            let numbers = numbers(&d.header, &d.rows);
            // Broad images are scrolled on small screens.
            let svg = match d.svg.contains("class=\"figure broad\"") {
                true => {
                    format!(
                        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"figure\">{}</div>",
                        d.svg
                    )
                }
                false => d.svg,
            };
            Ok(format!(
                "<figure class=\"plate\" id=\"figure-{}\">{svg}<figcaption>{caption}</figcaption>{numbers}</figure>\n",
                figure.show()
            ))
        }
        Err(crate::Error::Unsupported(why)) => Ok(format!("<p>Not drawn: {}.</p>\n", escape(&why))),
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
        "<h3>Class by class</h3><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"class by class\"><table id=\"classes\"><thead><tr><th scope=\"col\">class</th><th scope=\"col\">samples</th>\
         <th scope=\"col\">found (recall)</th><th scope=\"col\">right when named (precision)</th></tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}

/// Measures of all samples together.
fn measures<F: Float>(r: &Report<F>) -> String {
    let e = &r.evaluation;
    let rows = [
        ("error", percent(e.error)),
        ("error of always answering the most frequent class", percent(e.majority.error)),
        ("balanced error: the mean of the errors of the classes", percent(e.balanced_error)),
        ("F1, the mean of the classes", format!("{:.3}", e.macro_f1)),
        ("AUC", e.auc.map_or("–".into(), |a| format!("{a:.3}"))),
        ("log loss", format!("{:.3}", e.log_loss)),
    ];
    let rows: String =
        rows.iter().map(|(n, v)| format!("<tr><th scope=\"row\">{n}</th><td>{v}</td></tr>")).collect();
    format!("<h3>All classes together</h3><table id=\"measures\"><tbody>{rows}</tbody></table>\n")
}

fn made<F: Float>(r: &Report<F>) -> String {
    let p = r.model.provenance();
    let mut rows: Vec<(String, String)> = vec![
        ("method".into(), p.method.clone()),
        ("measured on".into(), r.test_name.clone()),
        ("training samples".into(), p.samples.to_string()),
        ("hash of the training samples".into(), p.data_hash.clone()),
        ("decides by".into(), r.model.rule().show()),
        ("metric".into(), r.model.metric().tag().into()),
        ("seed".into(), p.seed.to_string()),
        ("version of protea".into(), p.version.clone()),
    ];
    rows.extend(p.settings.iter().map(|(n, v)| (n.clone(), v.clone())));
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

/// A document as text that may stand in a script: nothing ends the script, and nothing is a character that HTML does not allow.
fn script_text(document: &serde_json::Value) -> String {
    let allowed =
        |c: char| c != '<' && !('\u{7f}'..='\u{9f}').contains(&c) && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let escaped = |c: char| if allowed(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    document.to_string().chars().map(escaped).collect()
}
