//! The program as one runs it: resuming, budget, missing data, hostile files, the page.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const HEAD: &str = "title = 'Small'\npaper = 'A paper'\nplace = 'Table 1'\n";
const ROWS: &str = "folds = 5\nseeds = 2\n\
    [[row]]\nname = 'k-means'\nmethod = 'kmeans'\ndata = ['wine', 'glass']\nset = { per-class = [1, 2] }\n\
    published = [[5, 5], [50, 50]]\n\
    [[row]]\nname = 'NPC'\nmethod = 'npc'\ndata = 'wine'\nset = { per-class = 1, epochs = 5 }\ntarget = 9\n";

struct Folder(TempDir);

impl Folder {
    fn with(table: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path("experiments/a")).unwrap();
        folder.write(table);
        folder
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, table: &str) {
        std::fs::write(self.path("experiments/a/table1.toml"), format!("{HEAD}{table}")).unwrap();
    }

    fn call(&self, verb: &str, more: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_protea-bench"));
        program.env_remove("PROTEA_DATA").env_remove("PROTEA_PYTHON").arg(verb);
        program.arg("--experiments").arg(self.path("experiments"));
        program.arg("--record").arg(self.path("record.jsonl"));
        program.args(more).output().unwrap()
    }

    /// The last line of a run that must succeed.
    fn run(&self, more: &[&str]) -> String {
        let out = self.call("run", more);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout).lines().last().unwrap_or_default().to_string()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap().lines().count()
}

#[test]
fn a_run_goes_on_where_the_last_one_stopped() {
    let folder = Folder::with(ROWS);
    assert!(folder.run(&[]).starts_with("10 done in "));
    assert!(folder.run(&[]).starts_with("0 done in "), "nothing has changed");
    folder.write(&ROWS.replace("epochs = 5", "epochs = 6"));
    assert!(folder.run(&[]).starts_with("2 done in "), "one row has changed, under two seeds");
    assert!(folder.run(&["--seeds", "3", "--on", "glass"]).starts_with("2 done in "), "a third seed");
    assert!(folder.run(&["a/table1", "--on", "glass", "--again"]).starts_with("4 done in "));
    assert_eq!(lines(&folder.path("record.jsonl")), 19);
    let record = std::fs::read_to_string(folder.path("record.jsonl")).unwrap();
    let whole: Value = serde_json::from_str(record.lines().last().unwrap()).unwrap();
    assert_eq!((&whole["run"], &whole["done"]), (&"a/table1 --on glass".into(), &4.into()));
    // As after a kill in the middle of a write.
    let record = record.rsplit_once("{\"date\"").unwrap().0;
    std::fs::write(folder.path("record.jsonl"), &record[..record.len() - 40]).unwrap();
    assert!(folder.run(&[]).starts_with("0 done in "), "the cut line had an older one of the same job");
}

#[test]
fn the_page_shows_what_was_run() {
    let folder = Folder::with(ROWS);
    folder.run(&["--on", "wine"]);
    let page = folder.path("results.md");
    let out = folder.call("page", &["--output", page.to_str().unwrap()]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("| [Small](#small) | 4 | 2 | "), "{page}");
    assert!(page.contains("| wine: NPC | 9 | ") && page.contains("### glass\n\nNot measured yet."), "{page}");
    let out = text(&folder.call("list", &[]).stdout);
    assert!(out.contains("a/table1") && out.contains("6 of   10 jobs recorded"), "{out}");
}

/// Errors of every record, by what was run.
fn errors(path: &Path) -> BTreeMap<String, Value> {
    let record = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = record.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let job = |l: &Value| format!("{} {} {} {}", l["data"], l["method"], l["settings"], l["seed"]);
    let all: BTreeMap<_, _> = lines.iter().map(|l| (job(l), l["errors"].clone())).collect();
    assert_eq!(all.len(), lines.len(), "no job runs twice");
    all
}

#[test]
fn jobs_beside_each_other_give_the_same_errors_and_no_times() {
    let (alone, beside) = (Folder::with(ROWS), Folder::with(ROWS));
    assert!(!alone.run(&[]).contains("beside"));
    let out = beside.call("run", &["--jobs", "2"]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(said.starts_with("10 jobs to run\n") && said.contains("\n10/10  "), "{said}");
    let summary = said.lines().last().unwrap();
    assert!(summary.starts_with("10 done in ") && summary.ends_with(", 2 beside each other"), "{summary}");
    let record = beside.path("record.jsonl");
    assert_eq!(errors(&alone.path("record.jsonl")), errors(&record));
    // As on a machine that does nothing else: only the number of jobs speaks against the times.
    let quiet = |jobs: bool| {
        let lines = std::fs::read_to_string(&record).unwrap();
        let change = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["jobs"], 2);
            (line["others"], line["load"]) = (0.0.into(), Value::Null);
            if !jobs {
                line.as_object_mut().unwrap().remove("jobs");
            }
            format!("{line}\n")
        };
        lines.lines().map(change).collect::<String>()
    };
    let (with, without) = (quiet(true), quiet(false));
    for (lines, shown) in [(with, false), (without, true)] {
        std::fs::write(&record, lines).unwrap();
        let page = beside.path("results.md");
        assert!(beside.call("page", &["--output", page.to_str().unwrap()]).status.success());
        assert_eq!(std::fs::read_to_string(page).unwrap().contains("fit s"), shown);
    }
    // Now records tell how long it should take.
    let out = text(&beside.call("run", &["--jobs", "2", "--again", "--on", "glass", "--seeds", "1"]).stdout);
    assert!(out.starts_with("2 jobs to run, in about 0:0"), "{out}");
    assert_eq!(beside.call("run", &["--jobs", "0"]).status.code(), Some(2));
}

#[test]
fn failures_beside_each_other_are_counted() {
    // There is no such interpreter.
    let rows = "folds = 2\n[[row]]\nname = 'a'\nmethod = 'sklearn:linear'\ndata = ['wine', 'glass']\n\
        [[row]]\nname = 'b'\nmethod = 'kmeans'\ndata = ['wine', 'glass']\n";
    let folder = Folder::with(rows);
    let out = folder.call("run", &["--jobs", "2", "--python", "/no/such/python"]);
    assert!(
        !out.status.success() && text(&out.stderr).contains("2 of 4 jobs failed"),
        "{}",
        text(&out.stderr)
    );
    let said = text(&out.stdout);
    assert!(said.contains("wine sklearn:linear, seed 0: failed: ") && said.contains("2 done in "), "{said}");
    assert_eq!(lines(&folder.path("record.jsonl")), 2);
}

#[test]
fn only_what_fits_the_budget_is_started() {
    let expensive = "[[row]]\nname = 'r'\nmethod = 'npc'\ndata = 'letter'\nset = { per-class = 500 }";
    let summary = Folder::with(expensive).run(&["--budget", "1s"]);
    assert!(summary.starts_with("0 done in ") && summary.contains("1 left for a larger budget"), "{summary}");
}

#[test]
fn missing_data_programs_and_methods_are_said_once_and_left_out() {
    let rows = "[[row]]\nname = 'a'\nmethod = 'kmeans'\ndata = 'usps'\nset = { per-class = [1, 2] }\n\
        [[row]]\nname = 'b'\nmethod = 'sklearn:rbf'\ndata = 'letter'\n\
        [[row]]\nname = 'c'\nmethod = 'no-such'\ndata = 'letter'\n";
    let folder = Folder::with(rows);
    let out = folder.call("run", &[]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(said.matches("usps does not ship with protea").count(), 1, "{said}");
    for expected in ["left out, 2 jobs: usps", "sklearn:rbf needs --python", "no method no-such", "0 done"] {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn bad_files_and_names_give_one_sentence_and_no_record() {
    let folder = Folder::with("row = 3");
    let out = folder.call("run", &[]);
    let complaint = text(&out.stderr);
    assert_eq!((out.status.code(), complaint.lines().count()), (Some(1), 1), "{complaint}");
    assert!(complaint.contains("table1.toml: line 4: invalid type"), "{complaint}");
    folder.write(ROWS);
    let out = folder.call("run", &["npc"]);
    assert!(text(&out.stderr).contains("there is no experiment \"npc\", only a/table1"));
    let out = folder.call("run", &["--on", "wine,glas"]);
    assert!(text(&out.stderr).contains("no experiment here is on \"glas\", only on glass, wine"));
    assert_eq!(folder.call("run", &["--budget", "soon"]).status.code(), Some(2));
    assert!(!folder.path("record.jsonl").exists());
}
