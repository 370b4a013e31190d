//! Experiments as data: one file for each table or figure of a paper.
//!
//! ```toml
//! title = "NPC, Table 1"
//! paper = "Wohlhart et al., CVPR 2013"
//! place = "Table 1"            # where the published figures stand
//! about = "What is compared."  # optional
//! folds = 5                    # optional: cross-validation in place of the set's own parts
//! seeds = 3                    # optional: seeds 0, 1, 2
//! by = "data"                  # tables of the page: one for each data set, or for each row ("row")
//!
//! [data.usps]                  # optional: what holds for all rows on a set
//! of = "usps"                  # its name in the catalogue, where that differs
//! copy = "…"                   # how our copy differs from the paper's; without, it is the same
//! why = "…"                    # why rows miss on it, where they do
//! set = { pca = 164 }          # settings, named and valued as on the command line
//!
//! [[row]]
//! name = "NPC-e"
//! method = "npc"
//! data = ["usps", "letter"]    # one or several sets
//! set = { per-class = [15, 30] }   # lists are run through, the last one fastest, data sets slowest
//! published = [[5.38, 4.98], [3.13, 3.43]]   # percent; nesting is for the eye; nan where there is none
//! target = [[5.5, nan], [3.2, nan]]          # what we want to reach
//! shows = "error"              # or "micros", "bytes", "prototypes"
//! against = "DMPL, 100"        # optional: figures relative to a row with as many cells
//! reach = 10                   # optional: an aim, to be at or below this many of the published figures
//! soft = [0.1, 1, 10]          # optional: also the error of the soft rule at these γ
//! about = "…"                  # why we miss, where we do
//! ```

use crate::grid::{self, Cell};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A table or figure.
#[derive(Debug)]
pub struct Experiment {
    /// `<paper>/<table>`.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// The paper.
    pub paper: String,
    /// Where the published figures stand.
    pub place: String,
    /// What is compared.
    pub about: Option<String>,
    /// How the page cuts it into tables.
    pub by: By,
    /// Seeds of a cell.
    pub seeds: u64,
    /// How our copy of a data set differs.
    pub copies: BTreeMap<String, String>,
    /// Why rows miss on a data set.
    pub reasons: BTreeMap<String, String>,
    /// Lines.
    pub rows: Vec<Row>,
}

/// A method on one or several data sets in one or several sizes.
#[derive(Debug)]
pub struct Row {
    /// What the page calls it.
    pub name: String,
    /// What is shown.
    pub shows: Shows,
    /// The row that figures are relative to.
    pub against: Option<String>,
    /// How many of the published figures we want to be at or below.
    pub reach: Option<usize>,
    /// Why we miss, where we do.
    pub about: Option<String>,
    /// What is run.
    pub cells: Vec<Cell>,
}

/// How the page cuts an experiment into tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// One for each data set.
    #[default]
    Data,
    /// One for each row.
    Row,
}

/// What of a job is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Test error in percent.
    #[default]
    Error,
    /// Microseconds of a query.
    Micros,
    /// Bytes of the model.
    Bytes,
    /// Number of prototypes.
    Prototypes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSpec {
    title: String,
    paper: String,
    place: String,
    about: Option<String>,
    folds: Option<usize>,
    seeds: Option<u64>,
    #[serde(default)]
    by: By,
    #[serde(default)]
    data: BTreeMap<String, DataSpec>,
    row: Vec<RowSpec>,
}

/// What holds for all rows on a data set.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSpec {
    /// Its name in the catalogue.
    pub of: Option<String>,
    /// How our copy differs from the paper's.
    copy: Option<String>,
    /// Why rows miss on it.
    why: Option<String>,
    /// Settings.
    #[serde(default)]
    pub set: toml::Table,
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowSpec {
    name: String,
    /// The method.
    pub method: String,
    /// One or several data sets.
    pub data: toml::Value,
    /// Settings.
    #[serde(default)]
    pub set: toml::Table,
    /// Figures of the paper.
    pub published: Option<toml::Value>,
    /// Figures to reach.
    pub target: Option<toml::Value>,
    /// γ of soft rules.
    #[serde(default)]
    pub soft: Vec<f64>,
    #[serde(default)]
    shows: Shows,
    against: Option<String>,
    reach: Option<usize>,
    about: Option<String>,
}

/// Reads every file of the folder, ordered by name.
pub fn read_all(folder: &Path) -> Result<Vec<Experiment>> {
    let entries = |path: &Path| -> Result<Vec<std::path::PathBuf>> {
        let listed =
            std::fs::read_dir(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let mut paths: Vec<_> = listed.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
        paths.sort();
        Ok(paths)
    };
    let mut experiments = Vec::new();
    for paper in entries(folder)?.iter().filter(|p| p.is_dir()) {
        for file in entries(paper)?.iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            experiments.push(read(file)?);
        }
    }
    ensure!(!experiments.is_empty(), "{}: holds no experiments", folder.display());
    Ok(experiments)
}

/// Those that a list of names asks for; all when it is empty.
pub fn named(all: Vec<Experiment>, names: &[String]) -> Result<Vec<Experiment>> {
    let is = |e: &Experiment, name: &str| {
        e.name == name || e.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
    };
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|e| is(e, name))) {
        let known: Vec<&str> = all.iter().map(|e| e.name.as_str()).collect();
        bail!("there is no experiment {unknown:?}, only {}", known.join(", "));
    }
    Ok(all.into_iter().filter(|e| names.is_empty() || names.iter().any(|n| is(e, n))).collect())
}

/// Refuses data sets that none of the experiments has.
pub fn check_sets(experiments: &[Experiment], sets: &[String]) -> Result<()> {
    let cells = experiments.iter().flat_map(|e| &e.rows).flat_map(|row| &row.cells);
    let known: BTreeSet<&str> = cells.map(|cell| cell.data.as_str()).collect();
    if let Some(unknown) = sets.iter().find(|set| !known.contains(set.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        bail!("no experiment here is on {unknown:?}, only on {}", known.join(", "));
    }
    Ok(())
}

/// Reads one file.
fn read(path: &Path) -> Result<Experiment> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let stem =
        |p: Option<&Path>| p.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned();
    parse(&format!("{}/{}", stem(path.parent()), stem(Some(path))), &text)
        .with_context(|| path.display().to_string())
}

/// Reads the text of a file.
pub fn parse(name: &str, text: &str) -> Result<Experiment> {
    // The parser's own message draws the line over several lines.
    let spec: FileSpec = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(0, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        anyhow::anyhow!("line {line}: {}", e.message().replace('\n', ", "))
    })?;
    let rows: Vec<Row> = spec
        .row
        .into_iter()
        .map(|row| {
            let cells =
                grid::cells(&row, &spec.data, spec.folds).with_context(|| format!("row {:?}", row.name))?;
            let RowSpec { name, shows, against, reach, about, .. } = row;
            Ok(Row { name, shows, against, reach, about, cells })
        })
        .collect::<Result<_>>()?;
    for row in &rows {
        let Some(base) = &row.against else { continue };
        let Some(base) = rows.iter().find(|r| r.name == *base) else {
            bail!("row {:?}: there is no row {base:?} to set it against", row.name);
        };
        ensure!(
            base.cells.len() == row.cells.len(),
            "row {:?}: it has {} cells, the row it is set against {}",
            row.name,
            row.cells.len(),
            base.cells.len()
        );
    }
    let seeds = spec.seeds.unwrap_or(1);
    ensure!((1..=1000).contains(&seeds), "seeds = {seeds}, expected 1 to 1000");
    let said = |what: fn(&DataSpec) -> &Option<String>| -> BTreeMap<String, String> {
        spec.data.iter().filter_map(|(name, d)| Some((name.clone(), what(d).clone()?))).collect()
    };
    let (copies, reasons) = (said(|d| &d.copy), said(|d| &d.why));
    Ok(Experiment {
        name: name.into(),
        title: spec.title,
        paper: spec.paper,
        place: spec.place,
        about: spec.about,
        by: spec.by,
        seeds,
        copies,
        reasons,
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::bench;
    use crate::job::Known;

    const HEAD: &str = "title = 't'\npaper = 'p'\nplace = 'Table 1'\n";

    fn refusal(body: &str) -> String {
        format!("{:#}", parse("a/b", &format!("{HEAD}{body}")).unwrap_err())
    }

    #[test]
    fn every_shipped_file_is_sound() {
        let all = read_all(&bench().join("experiments")).unwrap();
        let mut published = 0;
        for (e, row) in all.iter().flat_map(|e| e.rows.iter().map(move |r| (e, r))) {
            for cell in &row.cells {
                let known =
                    cell.definition.check().unwrap_or_else(|x| panic!("{}: {}: {x}", e.name, row.name));
                assert!(
                    known == Known::Yes,
                    "{}: {}: no method {}",
                    e.name,
                    row.name,
                    cell.definition.method
                );
                published += usize::from(cell.published.is_some());
            }
        }
        assert!(all.len() >= 10 && published > 200, "{} experiments, {published} figures", all.len());
    }

    #[test]
    fn hostile_files_are_refused_in_a_sentence() {
        let row = "[[row]]\nname = 'r'\nmethod = 'npc'\ndata = 'letter'\n";
        for (body, expected) in [
            ("row = 3", "line 4: invalid type: integer `3`, expected a sequence"),
            ("[[row]]\nname = 'r'\nmethod = 'npc'", "line 4: missing field `data`"),
            (&format!("{row}colour = 'red'"), "line 8: unknown field `colour`"),
            (&format!("{row}published = [1, 2]"), "published has 2 figures for 1 cell"),
            (&format!("{row}published = ['x']"), "published holds \"x\", expected numbers"),
            (&format!("{row}set = {{ per-class = [] }}"), "per-class is an empty list"),
            (
                &format!("{row}set = {{ per-class = {{ a = 1 }} }}"),
                "expected a number, a text, true or false",
            ),
            (&format!("{row}against = 'q'"), "there is no row \"q\""),
            (&format!("seeds = 0\n{row}"), "seeds = 0, expected 1 to 1000"),
            (&row.replace("'letter'", "'letters'"), "no data set letters"),
            (&row.replace("'letter'", "3"), "data = 3, expected names of data sets"),
            (&format!("{row}set = {{ per-class = 0 }}"), "per-class = 0, expected"),
            (&format!("{row}set = {{ colour = 1 }}"), "colour"),
            ("]", "line 4:"),
        ] {
            let found = refusal(body);
            assert!(found.contains(expected) && !found.contains('\n'), "{body}: {found}");
        }
    }

    #[test]
    fn names_choose_papers_and_tables() {
        let text = format!("{HEAD}[[row]]\nname = 'r'\nmethod = 'knn'\ndata = 'letter'\n");
        let all = || ["npc/table1", "npc/toy", "lpd/table1"].map(|n| parse(n, &text).unwrap()).into();
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
            named(all(), &names).map(|c| c.iter().map(|e| e.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(chosen(&["npc"]).unwrap(), ["npc/table1", "npc/toy"]);
        assert_eq!(chosen(&["lpd", "npc/toy"]).unwrap(), ["npc/toy", "lpd/table1"]);
        assert_eq!(chosen(&[]).unwrap().len(), 3);
        assert!(chosen(&["np"]).unwrap_err().to_string().contains("no experiment \"np\", only npc/table1"));
    }
}
