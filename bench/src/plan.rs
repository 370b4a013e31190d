//! Which jobs are left, in which order, and what they will cost.

use crate::experiment::Experiment;
use crate::job::{Definition, Job};
use crate::record::{Line, Records};
use protea::method::method;
use std::collections::HashSet;

/// Jobs without a record (all of them when `again`), each once, the cheapest first.
pub fn jobs(
    experiments: &[Experiment],
    on: &[String],
    seeds: Option<u64>,
    records: &Records,
    again: bool,
    threads: usize,
) -> Vec<Job> {
    let (mut jobs, mut known) = (Vec::new(), HashSet::new());
    for e in experiments {
        let cells = e.rows.iter().flat_map(|row| &row.cells);
        for cell in cells.filter(|c| on.is_empty() || on.contains(&c.data)) {
            for job in Job::of(&cell.definition, seeds.unwrap_or(e.seeds)) {
                let new = known.insert((job.definition.identity(), job.seed));
                if new && (again || records.of(&job).is_none()) {
                    jobs.push(job);
                }
            }
        }
    }
    // Seeds one after the other, so that every cell has a figure early.
    let mut costs: Vec<(u64, f64, Job)> =
        jobs.into_iter().map(|job| (job.seed, seconds(&job.definition, records, threads), job)).collect();
    costs.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    costs.into_iter().map(|(_, _, job)| job).collect()
}

/// Turns the jobs of each seed round: beside each other, the longest should not begin when all others have ended.
pub fn longest_first(jobs: &mut [Job]) {
    jobs.chunk_by_mut(|a, b| a.seed == b.seed).for_each(|of_seed| of_seed.reverse());
}

/// Seconds that a job should take: as records tell, or by the number of samples and features.
pub fn seconds(definition: &Definition, records: &Records, threads: usize) -> f64 {
    recorded(definition, records, threads).unwrap_or_else(|| guess(definition))
}

/// Seconds that a job should take as records tell: as under another seed, or as the method took on the set in another size.
pub fn recorded(definition: &Definition, records: &Records, threads: usize) -> Option<f64> {
    let mean =
        |seconds: Vec<f64>| (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64);
    // Twice the threads make most trainings about 1.4 times as fast.
    let taken = |l: &Line| l.seconds * (l.threads as f64 / threads as f64).sqrt();
    let same = mean(records.all_of(definition).into_iter().map(taken).collect());
    let alike = || {
        let of = |line: &&Line| {
            let d = &line.definition;
            (&d.data, &d.method, d.folds) == (&definition.data, &definition.method, definition.folds)
        };
        let scaled = |l: &Line| taken(l) * size(definition) / size(&l.definition);
        mean(records.lines().filter(of).map(scaled).collect())
    };
    same.or_else(alike)
}

/// Prototypes per class, as far as the settings name a number; a share counts like 15.
fn size(definition: &Definition) -> f64 {
    definition.settings.get("per-class").and_then(|k| k.parse().ok()).unwrap_or(15.0)
}

/// For two cores: a fit reads every feature of every sample against every prototype some dozen times.
fn guess(definition: &Definition) -> f64 {
    let values = definition.set().map_or(1e3, |s| (s.rows * s.features) as f64);
    let classes = definition.set().map_or(3.0, |s| s.classes as f64);
    let learns = method(&definition.method).is_ok_and(|m| !matches!(m.learns_by(), "initial" | "memory"));
    let metric = if definition.settings.contains_key("metric") { 3.0 } else { 1.0 };
    let folds = definition.folds.unwrap_or(1) as f64;
    0.1 + values * classes * size(definition) * if learns { 6e-8 } else { 3e-9 } * metric * folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::parse;
    use crate::record::tests::{definition, line};

    #[test]
    fn what_has_a_record_is_left_out_and_the_cheapest_goes_first() {
        let text = "title = 't'\npaper = 'p'\nplace = 'x'\nfolds = 5\nseeds = 2\n\
            [[row]]\nname = 'r'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = [2, 1] }\n\
            [[row]]\nname = 'again'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = 2 }";
        let all = [parse("a/b", text).unwrap()];
        let mut records = Records::default();
        let show = |jobs: Vec<Job>| -> Vec<(String, u64)> {
            jobs.iter().map(|j| (j.definition.settings["per-class"].clone(), j.seed)).collect()
        };
        let pair = |k: &str, s| (k.to_string(), s);
        let plan = |records: &Records, again| show(jobs(&all, &[], None, records, again, 2));
        assert_eq!(plan(&records, false), [pair("1", 0), pair("2", 0), pair("1", 1), pair("2", 1)]);
        records.add(line(&definition("1"), 0, &[0.1]));
        assert_eq!(plan(&records, false), [pair("2", 0), pair("1", 1), pair("2", 1)]);
        assert_eq!(plan(&records, true).len(), 4);
        assert_eq!(jobs(&all, &["letter".into()], None, &records, false, 2).len(), 0);
        assert_eq!(jobs(&all, &[], Some(1), &records, false, 2).len(), 1);
        // Two seconds with one prototype: the same for another seed, twice that for two.
        let cost = |per_class: &str, threads| seconds(&definition(per_class), &records, threads);
        assert_eq!((cost("1", 2), cost("2", 2)), (2.0, 4.0));
        assert!(cost("1", 1) > 2.0, "fewer threads take longer");
        let mut turned = jobs(&all, &[], None, &records, true, 2);
        longest_first(&mut turned);
        assert_eq!(show(turned), [pair("2", 0), pair("1", 0), pair("2", 1), pair("1", 1)]);
    }
}
