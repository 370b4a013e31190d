//! `protea demo`: prototypes against all samples, on the Letter data that ship inside.

use crate::args::{Common, Demo};
use crate::compare::{Entry, measure, print};
use crate::output::check_output;
use crate::signals::saving;
use anyhow::Result;
use protea::catalog::{Part, load};
use protea::eval::Protocol;
use protea::io::write_atomically;
use protea::method::method;
use protea::report::Report;
use protea::{Dataset, Error, Trainer};
use std::path::Path;

/// What a newcomer is told below the table.
const COMMENT: &str = "
Letter has 16000 images of capital letters to learn from and 4000 others to
measure the error on: 1-NN keeps all 16000, while NPC moves 15 prototypes of
each letter from where k-means put them to where they decide best, and can
learn the metric with them. What remains is a model of a fortieth of the size
that answers many times faster.

Try next, also with a table of your own in place of letter:
  protea fit letter --metric linear -o letter.model
  protea eval letter.model letter:test
  protea predict letter.model letter:test --explain 3 | head -5
  protea report letter.model letter --train letter -o letter.html
  protea methods
";

/// Trains, measures, explains.
pub fn run(args: &Demo, common: &Common) -> Result<()> {
    check_output(args.report.as_deref(), "page", &[])?;
    let train = load::<f32>("letter", Part::Train, None)?;
    let test = load::<f32>("letter", Part::Test, None)?;
    let entries = [
        entry("k-means", "kmeans", &[("per-class", "15")])?,
        entry("NPC", "npc", &[("per-class", "15")])?,
        entry("NPC, metric linear", "npc", &[("per-class", "15"), ("metric", "linear")])?,
        entry("1-NN, all samples", "knn", &[])?,
    ];
    let page = args.report.as_deref().map(|path| (path, train.clone(), test.clone()));
    let rows = measure(&entries, &Protocol::Parts { train, test }, &[0], common.quiet)?;
    print(&rows, common.json, COMMENT)?;
    page.map_or(Ok(()), |(path, train, test)| report(path, &train, &test))
}

/// The page of the second row's model; the table keeps no models, so it is trained once more.
fn report(path: &Path, train: &Dataset, test: &Dataset) -> Result<()> {
    let model = Trainer::named("npc")?.set("per-class", "15")?.fit(train)?;
    let page = Report::new(&model, test)?.titled("Letter, learned prototypes").on("letter:test");
    let page = page.against(train, |_| {})?.html()?;
    Ok(saving(|| write_atomically(path, page.as_bytes()))?)
}

fn entry(name: &str, of: &str, settings: &[(&str, &str)]) -> Result<Entry, Error> {
    let settings = settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    Ok(Entry { name: name.into(), method: method(of)?, settings })
}
