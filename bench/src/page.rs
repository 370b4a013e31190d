//! `page`: `docs/results.md` from the newest record of every job.

use crate::args::{Page, bench};
use crate::experiment::{By, Experiment, Row, read_all};
use crate::grid::Cell;
use crate::record::{self, Line, QUIET, Records, Whole};
use crate::stats::{NEAR, Verdict, figure, verdict};
use crate::table::{self, Entry, distinct, label, markdown, with_spread};
use anyhow::Result;
use std::collections::BTreeSet;

/// Writes the page.
pub fn run(args: &Page) -> Result<()> {
    let experiments = read_all(&args.experiments)?;
    let files = match &args.record {
        Some(path) => vec![path.clone()],
        None => record::files(&bench().join("record")),
    };
    let text = page(&experiments, &Records::read(&files)?);
    protea::io::write_atomically(&args.output, text.as_bytes())?;
    println!("written to {}", args.output.display());
    Ok(())
}

/// The whole page.
fn page(experiments: &[Experiment], records: &Records) -> String {
    let sections: String = experiments.iter().map(|e| section(e, records)).collect();
    top(experiments, records)
        + &overview(experiments, records)
        + &aims(experiments, records)
        + &runs(records)
        + &sections
}

fn top(experiments: &[Experiment], records: &Records) -> String {
    let used: Vec<&Line> = entries(experiments).flat_map(|(_, _, c)| records.all_of(&c.definition)).collect();
    let set = |f: fn(&Line) -> String| used.iter().map(|l| f(l)).collect::<BTreeSet<String>>();
    let list = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
    let dates = set(|l| l.date.split('T').next().unwrap_or_default().into());
    format!(
        "# Results\n\n\
         <!-- Written by `cargo run --release -p protea-bench -- page`; do not edit. -->\n\n\
         What the papers print beside what protea gives, out of one command:\n\n\
         ```sh\n\
         cargo run --release -p protea-bench -- run --data-dir DIR --python PYTHON   # what has no record yet\n\
         cargo run --release -p protea-bench -- page                                 # this page\n\
         ```\n\n\
         Errors are percent of the test samples, means over seeds with their standard deviation (no ± : one seed); settings are the\n\
         defaults of the method but for those that the experiment names, and none was chosen by these errors; where a\n\
         method was changed after some had been seen, the experiment says so. A difference is ours less the published figure, so that below zero is better. Times are shown only where other processes used at most {:.0} % of\n\
         the machine meanwhile; – is for what has not been measured. Experiments, settings and published figures are in\n\
         [bench/experiments](../bench/experiments), every run with its commit in [bench/record](../bench/record).\n\n\
         Measured on {} ({}), commits {}.\n\n",
        100.0 * QUIET,
        list(dates),
        list(set(|l| l.machine.clone())),
        list(set(|l| l.commit.clone())),
    )
}

fn entries(experiments: &[Experiment]) -> impl Iterator<Item = (&Experiment, &Row, &Cell)> {
    experiments.iter().flat_map(|e| e.rows.iter().flat_map(move |r| r.cells.iter().map(move |c| (e, r, c))))
}

/// How many figures of each experiment are reached.
fn overview(experiments: &[Experiment], records: &Records) -> String {
    let header = ["experiment", "published figures", "measured", "at or below", "within 0.4", "above"];
    let row = |e: &Experiment| {
        let verdicts: Vec<Verdict> = entries(std::slice::from_ref(e))
            .filter_map(|(_, r, c)| Some(verdict(figure(e, r, c, records)?.mean, c.published?)))
            .collect();
        let published = entries(std::slice::from_ref(e)).filter(|(_, _, c)| c.published.is_some()).count();
        let count = |v: Verdict| verdicts.iter().filter(|&&x| x == v).count().to_string();
        let title = format!("[{}](#{})", e.title, anchor(&e.title));
        let (below, near, above) = (count(Verdict::Reached), count(Verdict::Close), count(Verdict::Missed));
        vec![title, published.to_string(), verdicts.len().to_string(), below, near, above]
    };
    let rows: Vec<Vec<String>> = experiments.iter().map(row).collect();
    format!("## Overview\n\n{}\n", markdown(&header.map(String::from), &rows))
}

/// Every figure, and every number of figures, that we want to reach.
fn aims(experiments: &[Experiment], records: &Records) -> String {
    let verdict_of = |met| if met { "met" } else { "missed" };
    let cells = entries(experiments).filter_map(|(e, row, cell)| {
        let target = cell.target?;
        let ours = figure(e, row, cell, records);
        let name = format!("{}: {}", cell.data, label(&row.name, cell));
        let shown = ours.map_or("–".into(), |f| with_spread(row, &f));
        let verdict = ours.map(|f| verdict_of(verdict(f.mean, target) == Verdict::Reached));
        Some(vec![name, target.to_string(), shown, verdict.unwrap_or("not measured").into()])
    });
    let counts =
        experiments.iter().flat_map(|e| e.rows.iter().map(move |r| (e, r))).filter_map(|(e, row)| {
            let (reach, n) = (row.reach?, row.cells.iter().filter(|c| c.published.is_some()).count());
            let compared = |c: &Cell| Some(verdict(figure(e, row, c, records)?.mean, c.published?));
            let verdicts: Vec<Verdict> = row.cells.iter().filter_map(compared).collect();
            let reached = verdicts.iter().filter(|v| **v == Verdict::Reached).count();
            let name = format!("{}: {}, figures at or below", e.title, row.name);
            let open = n - verdicts.len();
            let met = match reached {
                r if r >= reach => "met",
                r if r + open < reach => "missed",
                _ => "not measured",
            };
            let shown = format!("{reached} of {}", verdicts.len());
            Some(vec![name, format!("{reach} of {n}"), shown, met.into()])
        });
    let rows: Vec<Vec<String>> = cells.chain(counts).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("## Aims\n\n{}\n", markdown(&["", "aim", "ours", ""].map(String::from), &rows))
}

/// How long whole runs took.
fn runs(records: &Records) -> String {
    let header = ["run", "jobs", "beside each other", "others used", "minutes", "machine", "date", "commit"];
    let row = |whole: &Whole| {
        let others = whole.others.map_or("–".into(), |share| format!("{:.0} %", 100.0 * share));
        let (run, minutes) = (format!("`run {}`", whole.run), format!("{:.1}", whole.seconds / 60.0));
        let (done, jobs) = (whole.done.to_string(), whole.jobs.to_string());
        let (machine, date, commit) = (whole.machine.clone(), whole.date.clone(), whole.commit.clone());
        vec![run, done, jobs, others, minutes, machine, date, commit]
    };
    let rows: Vec<Vec<String>> = records.runs().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let about =
        "Every job of a command, done anew (`--again`); others are processes that are not of the run.";
    format!("## Whole runs\n\n{about}\n\n{}\n", markdown(&header.map(String::from), &rows))
}

/// As the headings of Markdown are linked to.
fn anchor(title: &str) -> String {
    let kept =
        title.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

fn section(e: &Experiment, records: &Records) -> String {
    let mut text = format!("## {}\n\n{}; published: {}.", e.title, e.paper, e.place);
    text += &e.about.as_ref().map_or(String::new(), |about| format!(" {about}"));
    text += &format!(" `run {}`\n\n", e.name);
    let all: Vec<Entry> = e.rows.iter().flat_map(|r| r.cells.iter().map(move |c| (r, c))).collect();
    match e.by {
        By::Data => {
            for data in distinct(all.iter().map(|(_, c)| &c.data)) {
                let of: Vec<Entry> = all.iter().filter(|(_, c)| c.data == *data).copied().collect();
                let copy = e.copies.get(data).map_or(String::new(), |copy| format!("{copy}\n\n"));
                text += &format!("### {data}\n\n{copy}{}\n", table::of(e, &of, records));
            }
        }
        By::Row => {
            let copies = e.copies.iter().map(|(data, copy)| format!("- {data}: {copy}\n"));
            let copies: String = copies.collect();
            text += &if copies.is_empty() { copies } else { copies + "\n" };
            for row in &e.rows {
                let of: Vec<Entry> = row.cells.iter().map(|c| (row, c)).collect();
                text += &format!("### {}\n\n{}\n", row.name, table::of(e, &of, records));
            }
        }
    }
    text + &misses(e, records)
}

/// A line for each row and data set on which we miss, with the reason.
fn misses(e: &Experiment, records: &Records) -> String {
    let mut text = String::new();
    for row in &e.rows {
        for data in distinct(row.cells.iter().map(|c| &c.data)) {
            let missed: Vec<String> = (row.cells.iter().filter(|c| c.data == *data))
                .filter_map(|c| {
                    let ours = figure(e, row, c, records)?.mean;
                    let far = c.published.filter(|&p| verdict(ours, p) == Verdict::Missed);
                    let short = c.target.filter(|&aim| verdict(ours, aim) != Verdict::Reached);
                    let by = far.map(|p| format!("{:+.2}", ours - p));
                    let by = by.or(short.map(|aim| format!("{:+.2} to the aim", ours - aim)))?;
                    let what = label("", c).trim_start_matches(", ").to_string();
                    Some(if what.is_empty() { by } else { format!("{what}: {by}") })
                })
                .collect();
            if missed.is_empty() {
                continue;
            }
            let copy = e.copies.get(data).map(|_| "Another copy of the data.");
            let why = e.reasons.get(data).map(String::as_str);
            let reasons: Vec<&str> = row.about.as_deref().into_iter().chain(why).chain(copy).collect();
            let about = if reasons.is_empty() { "Not explained yet.".into() } else { reasons.join(" ") };
            text += &format!("- {}, {data} ({}): {about}\n", row.name, missed.join(", "));
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("Above the published figure by more than {NEAR} points, or above our aim:\n\n{text}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::parse;
    use crate::record::tests::{definition, line, whole};

    #[test]
    fn a_page_holds_figures_differences_aims_and_misses() {
        let text = "title = 'A, Table 1'\npaper = 'Some paper'\nplace = 'Table 1'\nfolds = 5\n\
            [data.wine]\ncopy = 'Ours is older.'\nwhy = 'It is small.'\n\
            [[row]]\nname = 'NPC'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = [1, 2, 3] }\n\
            published = [20, 9.5, 5]\ntarget = [18.5, 12, nan]\nreach = 1\n";
        let e = [parse("a/table1", text).unwrap()];
        let mut records = Records::default();
        records.add(line(&definition("1"), 0, &[0.18]));
        records.add(line(&definition("1"), 1, &[0.20]));
        records.add(line(&definition("2"), 0, &[0.125]));
        assert_eq!(runs(&records), "");
        records.add_run(whole("a --seeds 1", 90.0));
        let page = page(&e, &records);
        for expected in [
            "| [A, Table 1](#a-table-1) | 3 | 2 | 1 | 0 | 1 |",
            "| wine: NPC, 2 | 12 | 12.50 | missed |",
            "### wine\n\nOurs is older.\n\n",
            "| A, Table 1: NPC, figures at or below | 1 of 3 | 1 of 2 | met |",
            "| method | published | ours | difference | fit s | µs/query | bytes |",
            "| NPC, 1 | 20.00 | 19.00 ± 1.41 | −1.00 | 1.00 | 3.00 | 1000 |",
            "| NPC, 3 | 5.00 | – | – | – | – | – |",
            "- NPC, wine (1: +0.50 to the aim, 2: +3.00): It is small. Another copy of the data.",
            "commits 0123456789ab",
            "| `run a --seeds 1` | 12 | 1 | 1 % | 1.5 | a machine, 2 cores | 2026-11-16T00:00Z | 0123456789ab |",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
    }

    #[test]
    fn figures_without_numbers_become_grids() {
        let text = "title = 'F'\npaper = 'p'\nplace = 'x'\nby = 'row'\nfolds = 5\n\
            [[row]]\nname = 'two'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = [1, 2], rate = [0.1, 0.2] }\n\
            [[row]]\nname = 'one'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = [1, 2] }\n\
            [[row]]\nname = 'soft'\nmethod = 'npc'\ndata = 'wine'\nset = { gamma = [1, 2] }\nsoft = [1, 10]\n";
        let e = [parse("a/f", text).unwrap()];
        let mut records = Records::default();
        records.add(line(&definition("2"), 0, &[0.5]));
        let mut mesh = line(&e[0].rows[2].cells[1].definition, 0, &[0.25]);
        mesh.soft_errors = vec![0.75, 0.5];
        records.add(mesh);
        let page = page(&e, &records);
        for expected in [
            "### two\n\nNot measured yet.\n",
            "| per-class → | 1 | 2 |\n|---|--:|--:|\n| wine | – | 50.00 |",
            "| 2 | 75.00 | 50.00 | 25.00 |",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
    }
}
