//! From lines to figures: mean and deviation over seeds, beside what they are compared with.

use crate::experiment::{Experiment, Row, Shows};
use crate::grid::Cell;
use crate::record::{Line, Records};

/// How far above a published figure ours may be and still count as reproduced: points of percent.
pub const NEAR: f64 = 0.4;

/// Mean over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The mean.
    pub mean: f64,
    /// Standard deviation over seeds; none for a single one.
    pub deviation: Option<f64>,
    /// Number of seeds.
    pub seeds: usize,
}

impl Figure {
    /// Of one number for each seed; none of none.
    pub fn of(values: &[f64]) -> Option<Figure> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        (!values.is_empty()).then_some(Figure { mean, deviation, seeds: values.len() })
    }
}

/// What a cell gave, as its row shows it: times only from a quiet machine.
pub fn figure(e: &Experiment, row: &Row, cell: &Cell, records: &Records) -> Option<Figure> {
    let ours = shown(row.shows, &records.all_of(&cell.definition))?;
    let Some(base) = &row.against else { return Some(ours) };
    let base = e.rows.iter().find(|r| r.name == *base)?;
    let at = row.cells.iter().position(|c| c.definition == cell.definition)?;
    let theirs = shown(row.shows, &records.all_of(&base.cells.get(at)?.definition))?.mean;
    let mean = if row.shows == Shows::Error { ours.mean - theirs } else { ours.mean / theirs };
    Some(Figure { mean, deviation: None, ..ours })
}

fn shown(shows: Shows, lines: &[&Line]) -> Option<Figure> {
    let value = |line: &&Line| match shows {
        Shows::Error => Some(100.0 * line.error()),
        Shows::Micros => line.micros_per_query.filter(|_| line.is_quiet()),
        Shows::Bytes => line.bytes,
        Shows::Prototypes => line.prototypes,
    };
    Figure::of(&lines.iter().filter_map(value).collect::<Vec<_>>())
}

/// How a figure stands to a published one or to an aim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// At or below it, to two decimals.
    Reached,
    /// Above it by at most [`NEAR`].
    Close,
    /// Further above.
    Missed,
}

/// The verdict on an error, time or size, of which less is better.
pub fn verdict(ours: f64, figure: f64) -> Verdict {
    match ours - figure {
        d if d < 0.005 => Verdict::Reached,
        d if d < NEAR + 0.005 => Verdict::Close,
        _ => Verdict::Missed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::parse;
    use crate::record::tests::{definition, line};

    #[test]
    fn means_are_over_seeds_and_relative_where_asked() {
        let text = "title = 't'\npaper = 'p'\nplace = 'x'\nfolds = 5\n\
            [[row]]\nname = 'a'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = 1 }\n\
            [[row]]\nname = 'b'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = 2 }\nagainst = 'a'\n\
            [[row]]\nname = 'c'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = 2 }\nshows = 'micros'";
        let e = parse("a/b", text).unwrap();
        let mut records = Records::default();
        let ours = |row: usize, records: &Records| figure(&e, &e.rows[row], &e.rows[row].cells[0], records);
        assert_eq!(ours(0, &records), None);
        records.add(line(&definition("1"), 0, &[0.1, 0.3]));
        records.add(line(&definition("1"), 1, &[0.4]));
        let mean = ours(0, &records).unwrap();
        assert!((mean.mean - 30.0).abs() < 1e-9 && (mean.deviation.unwrap() - 200f64.sqrt()).abs() < 1e-9);
        let mut busy = line(&definition("2"), 0, &[0.35]);
        busy.others = Some(0.5);
        records.add(busy);
        assert!((ours(1, &records).unwrap().mean - 5.0).abs() < 1e-9);
        assert_eq!(ours(2, &records), None, "times of a busy machine are not shown");
        records.add(line(&definition("2"), 0, &[0.35]));
        assert_eq!(ours(2, &records).unwrap().mean, 3.0);
    }

    #[test]
    fn verdicts_go_by_two_decimals() {
        assert_eq!(verdict(2.304, 2.3), Verdict::Reached);
        assert_eq!((verdict(2.31, 2.3), verdict(2.70, 2.3)), (Verdict::Close, Verdict::Close));
        assert_eq!(verdict(2.71, 2.3), Verdict::Missed);
    }
}
