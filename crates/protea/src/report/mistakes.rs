//! Misclassified samples, most confident first: images next to the prototype that was nearest, rows with their values.

use super::prototypes::{columns, picture, white};
use super::svg::{breakable, escape};
use super::{Report, embed};
use crate::represent::ImageSize;
use crate::{Float, Result};
use ndarray::Array2;
use std::fmt::Write;

/// Images that are shown.
const IMAGES: usize = 18;
/// Rows that are listed.
const ROWS: usize = 50;

/// The misclassified samples that the page lists, in the order of how sure the model was.
pub(super) fn listed<F: Float>(r: &Report<F>) -> Vec<usize> {
    let mut wrong: Vec<usize> = (0..r.test.len()).filter(|&i| r.answers.decided[i] != r.test.y[i]).collect();
    let sure = |i: usize| r.answers.probabilities[[i, r.answers.decided[i]]];
    wrong.sort_by(|&a, &b| sure(b).total_cmp(&sure(a)).then(a.cmp(&b)));
    wrong.truncate(if r.image.is_some() { IMAGES } else { ROWS });
    wrong
}

/// The list, if some samples are answered wrongly.
pub(super) fn html<F: Float>(r: &Report<F>) -> Result<String> {
    let wrong = listed(r);
    match (r.image, r.shown_prototypes()) {
        _ if wrong.is_empty() => Ok(String::new()),
        (Some(size), Some(p)) => Ok(images(r, &wrong, size, &p)),
        (Some(_), None) => Ok(String::new()),
        (None, _) => rows(r, &wrong),
    }
}

/// The number of a sample: a button that loads it into "Try it", if the page answers.
fn number<F: Float>(r: &Report<F>, i: usize) -> String {
    let n = i + 1;
    match embed::plan(r.model) {
        Ok(_) => {
            format!("<button type=\"button\" data-sample=\"{n}\" title=\"try this sample\">{n}</button>")
        }
        Err(_) => n.to_string(),
    }
}

fn images<F: Float>(r: &Report<F>, wrong: &[usize], size: ImageSize, p: &Array2<F>) -> String {
    let top = white(r);
    let mut text = String::from(
        "<h3>Errors that it was surest of</h3>\n<p>Left the sample, right the closest prototype, which misled.</p>\n<ul class=\"cards mistakes\">",
    );
    for &i in wrong {
        let [truth, answer] = [r.test.y[i], r.answers.decided[i]].map(|c| escape(&r.model.classes()[c]));
        let j = r.answers.winners[i].nearest.prototype;
        let (sample, closest) = (picture(size, r.test.x.row(i), top), picture(size, p.row(j), top));
        let row = i + 1;
        let _ = write!(
            text,
            "<li><img src=\"{sample}\" alt=\"test sample {row} of class {truth}\"><img src=\"{closest}\" alt=\"prototype {j} of class {}\">\
             <span>sample {}: <b>{truth}</b> taken for <b>{answer}</b></span></li>",
            escape(&r.uses[j].class),
            number(r, i)
        );
    }
    text + "</ul>\n"
}

fn rows<F: Float>(r: &Report<F>, wrong: &[usize]) -> Result<String> {
    let (columns, classes) = (columns(r)?, r.model.classes());
    let names = ["sample", "true class", "answer", "sure"].map(String::from);
    let names = names.into_iter().chain(columns.iter().map(|c| breakable(&c.name)));
    let head: String = names.map(|n| format!("<th scope=\"col\">{n}</th>")).collect();
    let mut text = format!(
        "<h3>Samples that it gets wrong</h3>\n<p>{}, those that it was surest of first. The number is the sample's place in {}.</p>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"misclassified samples\"><table id=\"wrong\"><thead><tr>{head}</tr></thead><tbody>",
        match r.evaluation.wrong {
            n if n == wrong.len() => format!("All {n}"),
            n => format!("{} of {n}", wrong.len()),
        },
        breakable(&r.test_name)
    );
    for &i in wrong {
        let answer = r.answers.decided[i];
        let _ = write!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{:.1} %</td>",
            number(r, i),
            escape(&classes[r.test.y[i]]),
            escape(&classes[answer]),
            100.0 * r.answers.probabilities[[i, answer]]
        );
        for c in &columns {
            let _ = write!(text, "<td>{}</td>", escape(&c.show(r.test.x.row(i))));
        }
        text += "</tr>";
    }
    Ok(text + "</tbody></table></div>\n")
}
