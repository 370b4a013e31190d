//! Several classifiers on one page: error against size and against time, and the table.
//!
//! A classifier is on the Pareto front of a chart if no other is at least as good in both of its directions and better in one.

use super::figures::percent;
use super::label_layout::Names;
use super::page::{bytes, document, numbers, section};
use super::svg::{Axis, Chart, escape, short};
use std::fmt::Write;

/// Times that differ by less than this factor do not differ.
const TIME_NOISE: f64 = 1.25;

/// One classifier, as measured.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Method and size.
    pub name: String,
    /// Mean error.
    pub error: f64,
    /// Standard deviation of the error over runs.
    pub deviation: Option<f64>,
    /// Mean of the errors of the classes.
    pub balanced_error: f64,
    /// Mean log loss.
    pub log_loss: f64,
    /// Prototypes.
    pub prototypes: usize,
    /// Bytes for prediction.
    pub bytes: f64,
    /// Microseconds a query.
    pub micros: f64,
    /// Seconds of training.
    pub fit_seconds: f64,
}

/// A page about classifiers on the same data.
pub fn comparison(title: &str, all: &[Compared]) -> String {
    let best = all.iter().min_by(|a, b| a.error.total_cmp(&b.error));
    let lead = best.map_or(String::new(), |b| {
        format!(
            "<p class=\"lead\">{} classifiers on the same data. The smallest error is that of {}: {}. The lines join those that no \
             other beats in both directions.</p>",
            all.len(),
            escape(&b.name),
            percent(b.error)
        )
    });
    let charts = format!(
        "<div class=\"two\">{}{}</div>",
        chart(all, "bytes for prediction", |c| c.bytes, 1.0),
        chart(all, "µs a query", |c| c.micros, TIME_NOISE)
    );
    let header = [
        "classifier",
        "error",
        "±",
        "balanced error",
        "log loss",
        "prototypes",
        "bytes",
        "size",
        "µs a query",
        "s of training",
    ];
    let row = |c: &Compared| {
        let spread = c.deviation.map_or("–".into(), percent);
        let size = [c.prototypes.to_string(), format!("{:.0}", c.bytes), bytes(c.bytes as usize)];
        let times = [short(c.micros), short(c.fit_seconds)];
        let errors = [
            c.name.clone(),
            percent(c.error),
            spread,
            percent(c.balanced_error),
            format!("{:.3}", c.log_loss),
        ];
        errors.into_iter().chain(size).chain(times).collect()
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let table = numbers(&header.map(String::from), &rows).replacen("<details>", "<details open>", 1);
    let body = format!(
        "<h1>{}</h1>\n{lead}\n{}{}",
        escape(title),
        section("charts", "Error against size and time", &charts),
        section("table", "All numbers", &table)
    );
    document(title, &body, include_str!("wide.js"))
}

/// Error against a cost; costs within the factor `noise` count as equal.
fn chart(all: &[Compared], label: &str, cost: impl Fn(&Compared) -> f64, noise: f64) -> String {
    let errors = all.iter().map(|c| c.error + c.deviation.unwrap_or(0.0));
    let mut chart = Chart::new(
        Axis::ratios(label, all.iter().map(&cost)),
        Axis::holding("error", errors.clone().chain([1.1 * errors.fold(0.0, f64::max)]), true)
            .with_zero()
            .rounded(),
    );
    let points: Vec<(f64, f64)> = all.iter().map(|c| (cost(c), c.error)).collect();
    let front = pareto(&points, noise);
    chart.line("one", front.iter().map(|&i| points[i]));
    // Names after all marks, so that no mark hides one.
    let (mut marks, mut texts, mut names) = (String::new(), String::new(), Names::default());
    for (i, c) in all.iter().enumerate() {
        let (x, y) = chart.place(points[i].0, points[i].1);
        if let Some(deviation) = c.deviation {
            let [low, high] =
                [c.error - deviation, c.error + deviation].map(|e| chart.place(cost(c), e.max(0.0)).1);
            let _ = write!(marks, "<path class=\"grid\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
        }
        let kind = if front.contains(&i) { "bar" } else { "against" };
        let _ = write!(
            marks,
            "<rect class=\"{kind}\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"><title>{}: {}{}</title></rect>",
            x - 4.5,
            y - 4.5,
            escape(&c.name),
            percent(c.error),
            c.deviation.map_or(String::new(), |d| format!(" ± {}", percent(d)))
        );
        texts += &names.beside((x, y), "name small", &c.name, 6.5);
    }
    chart.add(&(marks + &texts));
    format!("<figure class=\"plate\">{}</figure>", chart.finish(&format!("Error against {label}")))
}

/// Indices of the points that no other beats, by cost; costs within the factor `noise` are no reason to be better or worse.
fn pareto(points: &[(f64, f64)], noise: f64) -> Vec<usize> {
    let beats =
        |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 * noise && a.1 <= b.1 && (a.1 < b.1 || a.0 * noise < b.0);
    let mut front: Vec<usize> =
        (0..points.len()).filter(|&i| !points.iter().any(|&p| beats(p, points[i]))).collect();
    front.sort_by(|&a, &b| points[a].0.total_cmp(&points[b].0));
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_holds_what_nothing_beats() {
        let points = [(10.0, 0.3), (20.0, 0.2), (20.0, 0.25), (40.0, 0.2), (5.0, 0.9), (80.0, 0.1)];
        assert_eq!(pareto(&points, 1.0), [4, 0, 1, 5]);
        assert_eq!(pareto(&[(1.0, 0.5), (1.0, 0.5)], 1.0), [0, 1]);
        // A few per cent of time keep nothing on the front that errs more, and hide nothing that errs alike.
        assert_eq!(pareto(&[(1.0, 0.5), (1.1, 0.2), (1.05, 0.2), (9.0, 0.2)], TIME_NOISE), [2, 1]);
    }

    #[test]
    fn a_page_names_every_classifier() {
        let one = |name: &str, error, bytes| Compared {
            name: name.into(),
            error,
            deviation: Some(0.01),
            balanced_error: error,
            log_loss: 0.1,
            prototypes: 3,
            bytes,
            micros: 0.5,
            fit_seconds: 1.0,
        };
        let page = comparison("Wine", &[one("npc <3>", 0.02, 400.0), one("knn", 0.04, 90_000.0)]);
        assert!(page.contains("npc &lt;3&gt;") && page.contains("knn") && page.matches("<svg").count() == 2);
        assert!(!page.contains("NaN"));
    }
}
