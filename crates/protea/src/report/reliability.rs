//! How sure the model says it is, against how often it is right.
//!
//! Half of the answers may be above 99 %, where bars of equal width show nothing. So the ranges of confidence become narrower
//! towards certainty, and each has the same room. The claim of a range is its mean confidence, and what is missing from the
//! claim is filled in.

use super::Report;
use super::figures::{Drawing, percent, texts};
use super::svg::{Axis, Chart};
use crate::Float;
use ndarray::ArrayView2;

/// Ends of the ranges of confidence, above the first.
const ENDS: [f64; 8] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0];
/// Deviations that chance is allowed.
const CHANCE: f64 = 1.96;

/// Answers of about the same confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Range {
    answers: usize,
    /// Mean confidence.
    claim: f64,
    /// Share of right answers.
    right: f64,
}

/// What all answers together say.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Claims {
    answers: usize,
    /// Mean confidence.
    claim: f64,
    /// Errors, if the model was right about its confidence, and their deviation.
    expected: f64,
    deviation: f64,
    /// Errors of the most probable class.
    wrong: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    TooSure,
    TooModest,
    Fair,
}

impl Claims {
    /// Half an error more or less is nothing.
    fn verdict(&self) -> Verdict {
        let (off, chance) = (self.wrong as f64 - self.expected, CHANCE * self.deviation + 0.5);
        match off {
            _ if off > chance => Verdict::TooSure,
            _ if off < -chance => Verdict::TooModest,
            _ => Verdict::Fair,
        }
    }

    fn sentence(&self) -> String {
        let verdict = match self.verdict() {
            Verdict::TooSure => "The model is over-confident",
            Verdict::TooModest => "The model is under-confident",
            Verdict::Fair => "The model is about as sure as it should be",
        };
        let right = 1.0 - self.wrong as f64 / self.answers as f64;
        format!(
            "{verdict}: it claims {} on average and is right in {}, with {} errors where its claims allow for {:.1}.",
            percent(self.claim),
            percent(right),
            self.wrong,
            self.expected
        )
    }
}

/// The most probable class of each row by how probable it was.
fn measure(y: &[usize], q: ArrayView2<f64>) -> ([Range; ENDS.len()], Claims) {
    let mut ranges = [Range::default(); ENDS.len()];
    let mut all = Claims { answers: y.len(), claim: 0.0, expected: 0.0, deviation: 0.0, wrong: 0 };
    for (row, &y) in q.rows().into_iter().zip(y) {
        let best = row.iter().enumerate().fold(0, |b, (c, &v)| if v > row[b] { c } else { b });
        let (sure, right) = (row[best].min(1.0), best == y);
        let at = ENDS.iter().position(|end| sure < *end).unwrap_or(ENDS.len() - 1);
        ranges[at].answers += 1;
        ranges[at].claim += sure;
        ranges[at].right += f64::from(u8::from(right));
        all.claim += sure / all.answers as f64;
        all.expected += 1.0 - sure;
        all.deviation += sure * (1.0 - sure);
        all.wrong += usize::from(!right);
    }
    all.deviation = all.deviation.sqrt();
    for r in ranges.iter_mut().filter(|r| r.answers > 0) {
        (r.claim, r.right) = (r.claim / r.answers as f64, r.right / r.answers as f64);
    }
    (ranges, all)
}

/// `90–95`, in per cent.
fn name(k: usize) -> String {
    let end = |k: usize| format!("{}", (1000.0 * ENDS[k]).round() / 10.0);
    match k {
        0 => format!("< {}", end(0)),
        k if k + 1 == ENDS.len() => format!("> {}", end(k - 1)),
        k => format!("{}–{}", end(k - 1), end(k)),
    }
}

/// Ranges of confidence with what they claim and what is right.
pub(super) fn diagram<F: Float>(r: &Report<F>) -> Drawing {
    let (ranges, all) = measure(&r.test.y, r.answers.probabilities.view());
    let names = (0..ENDS.len()).map(name).collect();
    let mut chart = Chart::new(
        Axis::named("how sure the model says it is, in %", names),
        Axis::share("how often it is right"),
    );
    for (k, b) in ranges.iter().enumerate().filter(|(_, b)| b.answers > 0) {
        let (left, right) = (k as f64 + 0.1, k as f64 + 0.9);
        let title =
            format!("{} answers: claimed {}, right {}", b.answers, percent(b.claim), percent(b.right));
        chart.block("bar", (left, 0.0), (right, b.right), &title);
        if b.claim > b.right {
            chart.block("against", (left, b.right), (right, b.claim), &title);
        }
        chart.line("claim", [(left - 0.06, b.claim), (right + 0.06, b.claim)]);
        let (x, y) = chart.place(k as f64 + 0.5, b.claim.max(b.right));
        chart.add(&format!(
            "<text class=\"mid small\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y - 5.0,
            b.answers
        ));
    }
    let rows = ranges.iter().enumerate().filter(|(_, b)| b.answers > 0).map(|(k, b)| {
        let n = b.answers as f64;
        let errors = [format!("{:.1}", n * (1.0 - b.claim)), format!("{:.0}", n * (1.0 - b.right))];
        let cells = [format!("{} %", name(k)), b.answers.to_string(), percent(b.claim), percent(b.right)];
        cells.into_iter().chain(errors).collect()
    });
    let own = match r.model.provenance().data_hash == r.test.hash() {
        true => " These are samples that it was trained on; on new ones it will be right less often.",
        false => "",
    };
    Drawing {
        svg: chart.finish("Reliability diagram: share of right answers by confidence"),
        caption: format!(
            "{}{own} Each bar is the share of right answers, of as many as the number above it; the line across is what they claim. \
             Where the bar does not reach the line, the missing part is filled in: there the model is too sure.",
            all.sentence()
        ),
        header: texts(&["confidence", "answers", "claimed", "right", "errors claimed", "errors"]),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn ranges_are_counted_as_on_paper() {
        let q = array![[0.96, 0.04], [0.98, 0.02], [0.35, 0.65], [0.5, 0.5]];
        let (ranges, all) = measure(&[0, 1, 1, 0], q.view());
        let counts: Vec<_> = ranges.iter().map(|b| b.answers).collect();
        assert_eq!(counts, [0, 2, 0, 0, 0, 2, 0, 0]);
        assert_eq!((ranges[5].right, ranges[1].right, all.wrong), (0.5, 1.0, 1));
        assert!((ranges[5].claim - 0.97).abs() < 1e-12 && (all.expected - 0.91).abs() < 1e-12);
        let names: Vec<String> = (0..ENDS.len()).map(name).collect();
        assert_eq!(names[..3], ["< 50", "50–70", "70–80"]);
        assert_eq!(names[6..], ["99–99.9", "> 99.9"]);
    }

    /// 100 answers with 99.99 %, of which some are wrong: one in ten thousand would be allowed.
    #[test]
    fn being_too_sure_is_said() {
        let q = Array2::from_shape_fn((100, 2), |(_, c)| if c == 0 { 0.9999 } else { 0.0001 });
        let wrong = |n: usize| (0..100).map(|i| usize::from(i < n)).collect::<Vec<_>>();
        let verdict = |n| measure(&wrong(n), q.view()).1.verdict();
        assert_eq!((verdict(0), verdict(8)), (Verdict::Fair, Verdict::TooSure));
        let says = measure(&wrong(8), q.view()).1.sentence();
        assert!(says.starts_with(
            "The model is over-confident: it claims 99.99 % on average and is right in 92.00 %"
        ));
        let modest = Array2::from_shape_fn((100, 2), |(_, c)| if c == 0 { 0.6 } else { 0.4 });
        assert_eq!(measure(&wrong(2), modest.view()).1.verdict(), Verdict::TooModest);
    }
}
