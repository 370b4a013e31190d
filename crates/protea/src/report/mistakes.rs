//! Misclassified images, most confident first, next to the prototype that was nearest.

use super::Report;
use super::prototypes::{picture, white};
use super::svg::escape;
use crate::Float;
use std::fmt::Write;

/// Samples that are shown.
const SHOWN: usize = 18;

/// The list, where samples are images and some are answered wrongly.
pub(super) fn html<F: Float>(r: &Report<F>) -> String {
    let (Some(size), Some(p)) = (r.image, r.shown_prototypes()) else { return String::new() };
    let mut wrong: Vec<usize> = (0..r.test.len()).filter(|&i| r.answers.decided[i] != r.test.y[i]).collect();
    if wrong.is_empty() {
        return String::new();
    }
    let sure = |i: usize| r.answers.probabilities[[i, r.answers.decided[i]]];
    wrong.sort_by(|&a, &b| sure(b).total_cmp(&sure(a)).then(a.cmp(&b)));
    let top = white(r);
    let mut text = String::from(
        "<h3>Errors that it was surest of</h3>\n<p>Left the sample, right the closest prototype, which misled.</p>\n<ul class=\"cards mistakes\">",
    );
    for &i in wrong.iter().take(SHOWN) {
        let [truth, answer] = [r.test.y[i], r.answers.decided[i]].map(|c| escape(&r.model.classes()[c]));
        let j = r.answers.winners[i].nearest.prototype;
        let (sample, closest) = (picture(size, r.test.x.row(i), top), picture(size, p.row(j), top));
        let row = i + 1;
        let _ = write!(
            text,
            "<li><img src=\"{sample}\" alt=\"test sample {row} of class {truth}\"><img src=\"{closest}\" alt=\"prototype {j} of class {}\">\
             <span>row {row}: <b>{truth}</b> taken for <b>{answer}</b></span></li>",
            escape(&r.uses[j].class)
        );
    }
    text + "</ul>\n"
}
