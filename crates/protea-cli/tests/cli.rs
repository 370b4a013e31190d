//! The binary on real files: round trips, refusals, interrupts.

mod common;

use common::{Folder, PROTEA, flowers, labels};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../protea/data").join(name)
}

#[test]
fn a_csv_with_text_goes_all_the_way() {
    let f = Folder::new();
    f.write("flowers.csv", flowers(90));
    let fit = f.ok("fit flowers.csv -m npc --label kind --per-class 2 -o m --quiet");
    assert!(fit.contains("prototypes      6") && fit.contains("saved in        m"), "{fit}");
    let eval = f.json("eval m flowers.csv");
    let csv_text = f.ok("predict m flowers.csv --proba --explain 2");
    assert!(csv_text.starts_with("label,\"p_rose, wild\",p_tulip,p_violet,near1_prototype,near1_class,"));
    let decided = labels(&csv_text);
    let truth: Vec<&str> = (0..90).map(|i| ["rose, wild", "violet", "tulip"][i % 3]).collect();
    let wrong = decided.iter().zip(&truth).filter(|(a, b)| *a != *b).count();
    assert_eq!(eval["wrong"], wrong);
    assert!(eval["error"].as_f64().unwrap() < 0.1, "{eval}");

    // Columns are found by name in any order, and labels are not needed.
    f.write("bare.csv", "colour,width,length\nblue,2.9,1.1\nred,2.8,2.2\n");
    assert_eq!(labels(&f.ok("predict m bare.csv")), ["violet", "tulip"]);
    let answers = f.json("predict m bare.csv --proba --explain 1");
    assert_eq!(answers[0]["nearest"][0]["class"], "violet");
    f.ok("predict m bare.csv -o out.csv");
    assert_eq!(labels(&fs::read_to_string(f.path("out.csv")).unwrap()), ["violet", "tulip"]);

    let inspect = f.json("inspect m");
    assert_eq!(inspect["features"], serde_json::json!(["length", "colour=blue", "colour=red", "width"]));
    assert_eq!(inspect["changed_settings"], serde_json::json!({"per-class": "2"}));
    assert!(f.ok("inspect m").contains("--per-class 2"));

    // Prototypes that were written can be started from.
    f.write("start.csv", f.ok("inspect m --prototypes"));
    let again = f.json("fit flowers.csv --label kind --prototypes start.csv --epochs 1 -o n");
    assert_eq!(again["prototypes"], 6);
    assert_eq!(f.files(), ["bare.csv", "flowers.csv", "m", "n", "out.csv", "start.csv"]);
}

#[test]
fn compressed_files_standard_input_and_parquet() {
    let f = Folder::new();
    f.write("a.csv", flowers(60)).write("a.csv.gz", gzip(flowers(60).as_bytes()));
    f.ok("fit a.csv -m npc --label kind --per-class 1 -o plain");
    f.ok("fit a.csv.gz -m npc --label 4 --per-class 1 -o packed");
    let stdin = |line: &str, input: &[u8]| {
        let mut child = f
            .command(line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    };
    let piped = stdin("fit - -m npc --label kind --per-class 1 -o piped", flowers(60).as_bytes());
    assert!(piped.status.success());
    let [plain, packed, piped] = ["plain", "packed", "piped"].map(|m| fs::read(f.path(m)).unwrap());
    assert!(plain == packed && plain == piped);
    let out = stdin("predict plain -", flowers(60).as_bytes());
    assert_eq!(String::from_utf8(out.stdout).unwrap(), f.ok("predict packed a.csv.gz"));

    fs::copy(shipped("wine.parquet"), f.path("wine.parquet")).unwrap();
    let fit = f.json("fit wine.parquet -m kmeans --per-class 2 --precision f64 -o w");
    assert_eq!((&fit["prototypes"], &fit["precision"]), (&6.into(), &"f64".into()));
    let by_name = f.json("eval w wine");
    assert_eq!(by_name["wrong"], f.json("eval w wine.parquet")["wrong"]);
    assert_eq!(by_name["samples"], 178);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let f = Folder::new();
    f.ok("fit satimage -m npc --per-class 5 --epochs 3 --metric linear --threads 1 -o one");
    f.ok("fit satimage -m npc --per-class 5 --epochs 3 --metric linear --threads 2 -o two");
    assert_eq!(fs::read(f.path("one")).unwrap(), fs::read(f.path("two")).unwrap());
    assert_eq!(f.ok("predict one satimage --threads 1"), f.ok("predict two satimage --threads 2"));
}

#[test]
fn comparing_gives_one_row_for_each_method_and_size() {
    let f = Folder::new();
    let rows =
        f.json("compare wine -m npc,kmeans,centroid,knn --per-class 1,2 --folds 3 --seeds 0,1 --loss nll");
    let names: Vec<&str> = rows.as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["npc", "npc", "kmeans", "kmeans", "centroid", "knn"]);
    assert_eq!(rows[0]["errors"].as_array().unwrap().len(), 6);
    // The setting of one method is not asked of the others; one that nobody has is refused.
    assert_eq!((&rows[1]["settings"]["loss"], &rows[2]["settings"]["loss"]), (&"nll".into(), &Value::Null));
    assert!(f.refused(2, "compare wine -m kmeans --loss nll --folds 3").contains("has no setting \"loss\""));
    // Shared settings, too, go to the methods that use them; one that none of them uses is refused.
    let rows = f.json("compare wine -m npc,kmeans,knn --epochs 2 --per-class 1 --folds 3");
    assert_eq!((&rows[0]["settings"]["epochs"], &rows[1]["settings"]["epochs"]), (&"2".into(), &Value::Null));
    assert_eq!(rows[2]["settings"], serde_json::json!({}));
    let gamma = f.refused(2, "compare wine -m kmeans,knn --gamma 3 --folds 3");
    assert!(gamma.contains("kmeans does not use gamma; it does not train its prototypes"), "{gamma}");
    assert!(f.refused(2, "compare wine -m kmeans").contains("--folds"));
    let parts = f.json("compare satimage -m kmeans,knn --per-class 2");
    f.ok("fit satimage -m kmeans --per-class 2 -o m");
    assert_eq!(parts[0]["error"], f.json("eval m satimage:test")["error"]);
    assert!(f.ok("compare heart heart -m centroid").contains("centroid"));
}

#[test]
fn selectors_have_no_size_to_compare() {
    let f = Folder::new();
    let rows = f.json("compare satimage -m enn,cnn,drop3,kmeans,knn --per-class 1,2 --seeds 0,1");
    let shown = |key: &str| rows.as_array().unwrap().iter().map(|r| r[key].clone()).collect::<Vec<_>>();
    assert_eq!(shown("name"), ["enn", "cnn", "drop3", "kmeans", "kmeans", "knn"]);
    assert_eq!(rows[0]["per_class"], Value::Null);
    // The order in which cnn visits samples is random; enn and drop3 look at all of them at once.
    let runs: Vec<usize> = shown("errors").iter().map(|e| e.as_array().unwrap().len()).collect();
    assert_eq!(runs, [1, 2, 1, 2, 2, 1]);
    let rows = f.json("compare wine -m npc --init drop3 --epochs 2 --folds 3");
    assert_eq!(rows.as_array().unwrap().len(), 1);
    let size = f.refused(2, "compare wine -m npc --init drop3 --per-class 1,2 --folds 3");
    assert!(size.contains("the initialiser is drop3, which decides their number"), "{size}");
    assert!(
        f.refused(2, "compare wine -m knn --per-class 1 --folds 3").contains("knn does not use per-class")
    );
}

/// Coders go through every verb, and what cannot be coded is said in one line.
#[test]
fn coders_go_all_the_way() {
    let folder = Folder::new();
    for method in ["inn", "src", "crc", "wcrc", "mp", "omp", "lle"] {
        folder.ok(&format!("fit wine -m {method} --scale standard -o m"));
        let shown = folder.json("inspect m");
        assert_eq!((&shown["method"], &shown["rule"]), (&method.into(), &"code".into()));
        let measured = folder.json("eval m wine");
        assert!(measured["error"].as_f64().unwrap() < 0.1, "{method}: {}", measured["error"]);
        let codes = folder.json("represent m wine");
        let code = &codes[0];
        assert_eq!(code["atoms"].as_array().unwrap().len(), code["weights"].as_array().unwrap().len());
        assert!(code["residual"].as_f64().unwrap() >= 0.0);
        let text = folder.ok("predict m wine --proba --rule code");
        assert_eq!(text.lines().count(), 179);
        assert_ne!(folder.ok("predict m wine --rule 1-np"), "");
    }
    let rows = folder.json("compare wine --folds 3 -m inn,crc,knn --lambda 0.5 --ridge 0.1");
    assert_eq!(rows.as_array().unwrap().len(), 3);
    let csv = folder.ok("represent m wine");
    assert_eq!(csv.lines().next(), Some("row,atom,class,weight,residual"));
    // A model without a coder: its nearest prototype with weight 1.
    folder.ok("fit wine -m kmeans --per-class 2 -o k");
    let codes = folder.json("represent k wine");
    assert_eq!((codes[0]["weights"].to_string(), codes.as_array().unwrap().len()), ("[1.0]".into(), 178));
}

#[test]
fn codes_that_cannot_be_made_are_refused() {
    let folder = Folder::new();
    folder.ok("fit wine -m lpd --per-class 2 --epochs 2 -o local");
    folder.ok("fit glass -m kmeans --per-class 1 -o other");
    folder.ok("fit wine -m npc --epochs 2 --per-class 1 -o npc");
    let files = folder.files();
    let refused = |code, line: &str, words: &str| {
        let error = folder.refused(code, line);
        assert!(error.contains(words), "{line}: {error}");
    };
    refused(
        2,
        "fit wine -m inn --dictionary local -o m",
        "dictionary = lpd, expected a model without a metric",
    );
    refused(
        1,
        "fit wine -m inn --dictionary other -o m",
        "the dictionary and the training samples have different classes",
    );
    refused(2, "fit wine -m npc --dictionary npc -o m", "method = npc, expected a method that codes");
    refused(1, "fit wine -m inn --dictionary npc --precision f64 -o m", "of type f32");
    refused(2, "fit wine -m inn --lambda 0 -o m", "lambda = 0, expected a number > 0");
    refused(2, "fit wine -m inn --l1 0.5 -o m", "inn has no setting \"l1\"");
    refused(2, "fit wine -m knn --project lda:9 -o m", "project = lda:9, expected at most 2 components here");
    refused(2, "fit wine -m knn --hog -o m", "image = none, expected WIDTHxHEIGHT with 13 pixels in all");
    refused(2, "predict npc wine --rule code", "the model has no coder");
    refused(1, "represent npc glass", "expects 13 features");
    assert_eq!(folder.files(), files, "nothing half-written is left behind");
}

#[test]
fn a_codebook_goes_out_and_comes_back() {
    let f = Folder::new();
    f.ok("fit vehicle -m kmeans --per-class 3 --scale none --precision f64 -o m");
    f.ok("export m --to lvq-pak -o m.cod");
    let text = fs::read_to_string(f.path("m.cod")).unwrap();
    assert!(text.starts_with("18 lvq\n") && text.lines().count() == 13, "{text}");
    assert_eq!(f.ok("export m --to lvq-pak"), text);
    f.ok("fit vehicle -m kmeans --prototypes m.cod --scale none --precision f64 -o again");
    assert_eq!(f.ok("predict m vehicle"), f.ok("predict again vehicle"));
    // A codebook is a table like any other.
    assert_eq!(f.json("eval m m.cod")["wrong"], 0);
    f.ok("fit m.cod -m knn -o from-codebook");

    // Text columns are numbers there.
    f.write("a.csv", flowers(60).replace("rose, wild", "rose"));
    f.ok("fit a.csv --label kind -m kmeans --per-class 2 --scale global --precision f64 -o n");
    f.ok("export n --to lvq-pak -o n.cod");
    f.ok("fit a.csv --label kind -m kmeans --prototypes n.cod --scale global --precision f64 -o n2");
    assert_eq!(f.ok("predict n a.csv"), f.ok("predict n2 a.csv"));

    f.write("b.csv", flowers(60));
    f.ok("fit b.csv --label kind -m centroid --scale none -o spaces");
    let error = f.refused(1, "export spaces --to lvq-pak");
    assert!(error.contains("class \"rose, wild\" cannot be written"), "{error}");
    f.refused(2, "export m --to nothing");
    assert!(f.refused(1, "export m --to lvq-pak -o no/such/m.cod").contains("no/such/m.cod"));
}

/// Formats of several files write all of them; a check runs the export.
#[test]
fn exports_are_written_and_checked() {
    let f = Folder::new();
    f.ok("fit wine -m kmeans --per-class 2 -o m");
    f.ok("export m --to js -o wine.js");
    assert!(fs::read_to_string(f.path("wine.d.ts")).unwrap().contains("predict(row: Row)"));
    f.ok("export m --to rust -o wine.bytes");
    assert!(fs::read_to_string(f.path("wine.rs")).unwrap().contains("include_bytes!(\"wine.bytes\")"));
    let header = f.ok("export m --to c --name 2-wines");
    assert!(header.contains("int model_2_wines_predict(const float *x);"), "{header}");
    let checked = f.json("export m --to rust --quantize int8 --check wine");
    assert_eq!((checked["check"]["rows"].as_u64(), checked["file"].is_null()), (Some(178), true));
    assert!(checked["check"]["same"].as_u64() >= Some(174), "{checked}");
    let files = f.files();
    assert!(f.refused(1, "export m --to npz --check wine -o m.npz").contains("npz holds numbers only"));
    assert!(f.refused(1, "export m --to onnx --quantize int8 -o m.onnx").contains("no quantised numbers"));
    f.refused(1, "export m --to c --check glass -o m.h");
    f.refused(2, "export m --to c --quantize int3 -o m.h");
    assert_eq!(f.files(), files, "nothing half-written is left behind");
}

/// A codebook holds prototypes under the Euclidean distance; a model that decides otherwise is refused, and nothing is written.
#[test]
fn a_codebook_refuses_what_it_cannot_hold() {
    let f = Folder::new();
    for (settings, what) in [
        ("-m lpd --epochs 2", "a local metric"),
        ("-m grlvq --epochs 2 --scale global", "a diagonal metric"),
        ("-m gmlvq --epochs 2", "a linear metric"),
        ("-m lgmlvq --epochs 2", "a local-linear metric"),
        ("-m npc --epochs 2 --per-class 2 --members 2", "members whose distances are averaged"),
        ("-m pnn --rounds 2 --draws 300 --per-class 2", "scores with a weight and a bias for each class"),
        ("-m epnn --learners 2 --draws 300 --per-class 2", "scores over an ensemble of learners"),
        ("-m kmeans --scale standard", "preprocessing (centred, each feature times a factor of its own)"),
        ("-m kmeans --scale global --pca 3", "preprocessing (linear map 13 → 3)"),
        ("-m kmeans --scale global --unit", "preprocessing (length 1)"),
        ("-m knn --scale global --rule 3-np", "the decision rule 3-np"),
    ] {
        f.ok(&format!("fit wine {settings} -q -o m"));
        let error = f.refused(1, "export m --to lvq-pak -o m.cod");
        let start = format!("error: this model has {what}, which a codebook cannot hold; fit with ");
        assert!(error.starts_with(&start), "{settings}: {error}");
        assert!(!f.path("m.cod").exists(), "{settings}");
    }
    f.ok("fit wine -m inn -q -o m");
    assert!(f.refused(1, "export m --to onnx -o m.onnx").contains("decides by codes over its prototypes"));
}

#[test]
fn given_metrics_and_validation_data_are_used() {
    let f = Folder::new();
    f.write("a.csv", "1 0 0 0\n0 0 0 0.5\n").write("wrong.csv", "1 0\n0 1\n");
    let frozen =
        f.json("fit balance -m npc --metric-matrix a.csv --header no --freeze-metric --per-class 2 -o m");
    assert!(frozen["train_error"].as_f64().unwrap() < 1.0);
    assert!(f.ok("inspect m").contains("linear map 4 → 2"));
    f.ok("fit balance -m npc --metric-matrix a.csv --header no --per-class 2 --valid balance -o n");
    assert_eq!(f.json("inspect n")["metric"]["shape"][0], 2);
    assert!(
        f.refused(2, "fit balance -m npc --metric-matrix wrong.csv -o x").contains("a matrix with 4 columns")
    );
    f.refused(2, "fit balance -m npc --freeze-metric -o x");
    let held = f.json("fit heart -m npc --holdout 0.2 --patience 3 --per-class 2 -o h");
    assert!(held["valid_error"].is_number());
}

#[test]
fn bad_tables_are_refused_in_one_line() {
    let f = Folder::new();
    f.write("good.csv", flowers(30));
    f.write("nan.csv", "a,b,class\n1,2,x\n3,,y\n4,5,x\n");
    f.write("one-class.csv", "a,b,class\n1,2,x\n3,4,x\n").write("one-row.csv", "a,b,class\n1,2,x\n");
    f.write("empty.csv", "")
        .write("header.csv", "a,b,class\n")
        .write("latin1.csv", b"a,b,class\n1,2,\xe9t\xe9\n3,4,x\n");
    f.write("ragged.csv", "a,b,class\n1,2,x\n3,y\n");
    let packed = gzip(flowers(500).as_bytes());
    f.write("cut.csv.gz", &packed[..packed.len() / 2]);
    let parquet = fs::read(shipped("heart.parquet")).unwrap();
    f.write("cut.parquet", &parquet[..parquet.len() / 2]);
    let fit = |file: &str| f.refused(1, &format!("fit {file} -o m"));
    assert!(f.refused(1, "fit good.csv --label knid -o m").contains("did you mean \"kind\"?"));
    assert!(fit("nan.csv --missing reject").contains("nan.csv, row 3, column b"));
    // The library says what to do, the command line with which flag.
    f.write("huge.csv", "a,b,class\n1,1e300,x\n3,4,y\n").write("half.csv", "a,b,class\n1,2,0.5\n3,4,1.5\n");
    f.write("bare.dat", "2\n1.5 2\n3 4\n");
    assert!(fit("nan.csv --missing reject").ends_with("median (fit with --missing drop, mean or median)\n"));
    assert!(fit("huge.csv").ends_with("read it as f64 (fit with --precision f64)\n"));
    assert!(fit("half.csv").ends_with("name the label column (--label)\n"));
    assert!(fit("bare.dat").ends_with("give them in a separate file (--labels)\n"));
    assert!(fit("usps").ends_with("; --data-dir or PROTEA_DATA names the folder\n"));
    assert!(fit("one-class.csv").contains("at least two classes"));
    assert!(fit("one-row.csv").contains("two classes"));
    for name in
        ["empty.csv", "header.csv", "latin1.csv", "ragged.csv", "cut.csv.gz", "cut.parquet", "gone.csv"]
    {
        assert!(fit(name).contains(name), "{}", fit(name));
    }
    // Damage in the middle of a Parquet file: refused or, where it hits values, read; never a panic.
    for offset in (4..parquet.len()).step_by(parquet.len() / 60) {
        let mut bytes = parquet.clone();
        bytes[offset] ^= 0xff;
        f.write("bad.parquet", bytes);
        let out = f.run("fit bad.parquet -m centroid -q -o maybe");
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(
            out.status.success() || (out.status.code() == Some(1) && error.lines().count() == 1),
            "{error}"
        );
        assert!(!error.contains("bug"), "{offset}: {error}");
    }
    let _ = fs::remove_file(f.path("maybe"));
    assert!(f.files().iter().all(|n| n.contains('.') && !n.starts_with('.')), "{:?}", f.files());

    let filled = f.ok("fit nan.csv -m centroid -o m");
    assert!(filled.contains("3 samples"));
    assert!(f.refused(1, "predict m good.csv").contains("good.csv"));
    f.write("three.csv", "1,2,3,4,5\n2,3,4,5,6\n").write("other.csv", "a,b,class\n1,2,z\n");
    assert!(f.refused(1, "predict m three.csv --header no").contains("the model expects 2 features"));
    assert!(f.refused(1, "eval m other.csv").contains("the class \"z\" is not among"));
    assert!(f.refused(1, "eval m wine").contains("is not among"));
}

#[test]
fn many_columns_are_read() {
    let f = Folder::new();
    let mut text = String::new();
    for i in 0..20 {
        (0..10_000).for_each(|j| text += &format!("{},", (i * 31 + j * 17) % 101 + i % 2 * 50));
        text += ["yes\n", "no\n"][i % 2];
    }
    f.write("wide.csv", text);
    assert!(f.ok("fit wide.csv -m npc --per-class 1 --epochs 5 -o m").contains("10000 features"));
    assert_eq!(labels(&f.ok("predict m wide.csv")).len(), 20);
}

#[test]
fn damaged_models_are_refused_or_sound() {
    let f = Folder::new();
    f.write("a.csv", flowers(30));
    for settings in ["-m npc --per-class 1 --epochs 2", "-m inn --scale standard", "-m wcrc --project lpp:2"]
    {
        f.ok(&format!("fit a.csv --label kind {settings} -o m"));
        let model = fs::read(f.path("m")).unwrap();
        for cut in (0..model.len()).step_by(model.len() / 60) {
            f.write("cut", &model[..cut]);
            assert!(f.refused(1, "predict cut a.csv").contains("cut: "));
        }
        for offset in (0..model.len()).step_by(model.len() / 150) {
            let mut bytes = model.clone();
            bytes[offset] ^= 1 << (offset % 8);
            f.write("flipped", bytes);
            let out = f.run("predict flipped a.csv --proba");
            let error = String::from_utf8_lossy(&out.stderr);
            assert!(
                out.status.success() || (out.status.code() == Some(1) && error.lines().count() == 1),
                "{error}"
            );
            assert!(!error.contains("bug"), "{offset}: {error}");
        }
    }
    assert!(f.refused(1, "eval a.csv a.csv").contains("is not a model that protea has saved"));
    assert!(f.refused(1, "inspect gone").contains("gone: cannot be read"));
}

#[test]
fn usage_errors_end_with_two() {
    let f = Folder::new();
    for line in [
        "fit wine",
        "fit wine -m nothing -o m",
        "fit wine --rate -1 -o m",
        "fit wine --per-class 0 -o m",
        "fit wine --colour red -o m",
        "fit wine -m kmeans --loss exp -o m",
        "fit wine -m kmeans --gamma 3 --optimizer cg -o m",
        "fit wine -m npc --rank 3 -o m",
        "fit wine --init sample --starts 3 -o m",
        "fit wine --label 1 -o m",
        "fit nothing -o m",
        "fit wine --threads 0 -o m",
        "compare wine -m kmeans,nothing --folds 3",
        "predict m wine --rule best",
        "methods nothing",
        "dance",
    ] {
        f.refused(2, line);
    }
    assert!(f.files().is_empty());
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_training() {
    let f = Folder::new();
    f.write("file", "");
    let start = Instant::now();
    for place in ["no/such/folder/m", ".", "file/m", "-"] {
        let error = f.refused(1, &format!("fit letter -m npc --epochs 100000 -o {place}"));
        assert!(error.contains("the model cannot be saved there"), "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(f.files(), ["file"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_the_best_model_so_far() {
    let f = Folder::new();
    let mut child = f
        .interruptible("fit letter -m npc --epochs 100000 --per-class 2 -o m")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line of progress says that training is under way.
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    assert!(lines.next().unwrap().unwrap().contains("loss"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let rest: Vec<String> = lines.map(|l| l.unwrap()).collect();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(130));
    assert!(rest.last().unwrap().starts_with("interrupted: the best model so far was saved"), "{rest:?}");
    assert!(String::from_utf8(out.stdout).unwrap().contains("interrupted after"));
    assert_eq!(f.json("inspect m")["provenance"]["stopped"], "interrupted");
    assert!(f.json("eval m letter")["error"].as_f64().unwrap() < 0.4);
    assert_eq!(f.files(), ["m"]);
}

#[test]
fn the_demo_shows_what_it_says() {
    let rows = Folder::new().json("demo -q");
    let number = |i: usize, key: &str| rows[i][key].as_f64().unwrap();
    let [kmeans, npc, linear, nn] = [0, 1, 2, 3].map(|i| number(i, "error"));
    assert!(npc < kmeans / 2.0 && linear < nn, "{rows}");
    assert!(number(1, "bytes") * 30.0 < number(3, "bytes"));
    assert!(number(1, "micros_per_query") < number(3, "micros_per_query"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let f = Folder::new();
    f.ok("fit letter -m centroid -o m");
    for verb in ["predict m letter --proba", "methods", "completions bash", "predict m letter --json"] {
        let script = format!("set -o pipefail; '{PROTEA}' {verb} 2>err | head -1");
        let out = Command::new("bash").args(["-c", &script]).current_dir(f.0.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{verb}");
        assert!(fs::read(f.path("err")).unwrap().is_empty(), "{verb}");
    }
}

#[test]
fn doubtful_rows_are_refused() {
    let f = Folder::new();
    f.ok("fit heart -m npc --per-class 3 --epochs 20 -o heart.model");
    let rows =
        |args: &str| f.json(&format!("predict heart.model heart --proba {args}")).as_array().unwrap().clone();
    let all = rows("");
    for error in [0.0, 0.2, 1.0] {
        let kept = rows(&format!("--reject-at {error}"));
        for (a, b) in all.iter().zip(&kept) {
            let label = a["label"].as_str().unwrap();
            let doubt = 1.0 - a["probabilities"][label].as_f64().unwrap();
            assert_eq!(b["label"].is_null(), doubt > error, "{a}");
        }
    }
    let some = rows("--reject-at 0.2").iter().filter(|r| r["label"].is_null()).count();
    assert!(0 < some && some < all.len(), "{some}");
}

#[test]
fn measures_on_demand_agree_with_the_errors() {
    let f = Folder::new();
    f.ok("fit satimage -m kmeans --per-class 3 -o m");
    let plain = f.json("eval m satimage");
    assert!(["refusal", "verification", "prototypes"].iter().all(|k| plain[k].is_null()));
    let all = f.json("eval m satimage --refusal --verification --prototypes --accept-at 0.5");
    let number = |v: &Value| v.as_f64().unwrap();
    let last = |v: &Value| v.as_array().unwrap().last().unwrap().clone();

    // Nothing refused: the error. The certain part is answered better than the whole.
    let end = last(&all["refusal"]["curve"]);
    assert_eq!((number(&end["recall"]), &end["answered"]), (1.0, &all["samples"]));
    assert!((1.0 - number(&end["precision"]) - number(&all["error"])).abs() < 1e-12);
    assert!(number(&all["refusal"]["area"]) > number(&end["precision"]));
    for certainty in ["relsim", "distance", "margin"] {
        let other = f.json(&format!("eval m satimage --refusal --certainty {certainty}"));
        assert_eq!(last(&other["refusal"]["curve"])["precision"], end["precision"], "{certainty}");
        assert_eq!(other["refusal"]["certainty"], certainty);
    }

    let v = &all["verification"];
    assert_eq!((&v["genuine"], &v["impostors"]), (&2000.into(), &10_000.into()));
    assert!(number(&v["best"]["half_total_error"]) <= number(&v["given"]["half_total_error"]));
    assert!(number(&v["best"]["half_total_error"]) <= number(&v["equal_error"]) + 1e-12);

    let uses = all["prototypes"].as_array().unwrap();
    let sum = |key: &str| uses.iter().map(|u| u[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((uses.len(), sum("answers"), all["wrong"].as_u64()), (18, 2000, Some(sum("wrong"))));

    let text = f.ok("eval m satimage --refusal --certainty margin --verification --prototypes");
    for part in ["Refusal by margin, area 0.", "  50 %", "equal error rate", "FA ", "errors without it"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Errors that are certified grow with the radius, from the error itself.
    let certified = f.json("eval m satimage --certified 0,2,1000 --norm linf");
    let errors: Vec<f64> =
        certified["certified"]["errors"].as_array().unwrap().iter().map(|e| number(&e["error"])).collect();
    assert_eq!((errors[0], errors[2]), (number(&plain["error"]), 1.0));
    assert!(
        errors[0] < errors[1] && errors[1] < 1.0 && number(&certified["certified"]["median_radius"]) > 0.0
    );
    assert!(f.ok("eval m satimage --certified 0.5").contains("up to a radius in l2"));
    for line in
        ["--certainty relsim", "--accept-at 0.5", "--refusal --certainty luck", "--norm l1", "--certified -1"]
    {
        f.refused(2, &format!("eval m satimage {line}"));
    }
}

#[test]
fn a_report_and_its_figures_are_written_whole_or_not_at_all() {
    let f = Folder::new();
    f.write("flowers.csv", flowers(60)).ok("fit flowers.csv -m npc -o m --epochs 3");
    let told = f.json("report m flowers.csv --train flowers.csv -o page.html");
    let page = fs::read_to_string(f.path("page.html")).unwrap();
    assert_eq!(told["wrong"], f.json("eval m flowers.csv")["wrong"]);
    assert_eq!(
        (&told["try_it_refused"], told["file_bytes"].as_u64()),
        (&Value::Null, Some(page.len() as u64))
    );
    assert_eq!(told["baselines"].as_array().unwrap().len(), 2);
    assert!(page.contains("McNemar") && page.contains("npc on flowers.csv") && page.ends_with("</html>\n"));
    for figure in
        ["prototypes", "confusion", "reliability", "refusal", "anytime", "map", "features", "training"]
    {
        f.ok(&format!("plot m flowers.csv {figure} -o {figure}.svg"));
        let svg = fs::read_to_string(f.path(&format!("{figure}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{figure}");
        f.ok(&format!("plot m flowers.csv {figure} -o {figure}.png"));
        let png = fs::read(f.path(&format!("{figure}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5000, "{figure}");
        // Twice as many pixels as the SVG has units.
        let units: u32 =
            svg.split_once("width=\"").and_then(|(_, s)| s.split_once('"')).unwrap().0.parse().unwrap();
        assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 2 * units, "{figure}");
    }
    f.ok("plot m flowers.csv mesh --train flowers.csv -o mesh.svg");
    assert!(fs::read_to_string(f.path("mesh.svg")).unwrap().contains("γ in deciding"));
    f.ok("compare wine -m kmeans,knn --folds 3 --report methods.html");
    assert!(fs::read_to_string(f.path("methods.html")).unwrap().contains("Methods on wine"));
    let before = f.files();
    assert!(f.refused(2, "plot m flowers.csv map -o map.jpg").contains("ends in .svg or .png"));
    assert!(f.refused(2, "plot m flowers.csv mesh").contains("training samples"));
    assert!(f.refused(2, "report m flowers.csv --mesh").contains("--train"));
    assert!(f.refused(2, "plot m flowers.csv nothing").contains("possible values"));
    assert!(
        f.refused(1, "report m flowers.csv -o no/such/page.html").contains("the page cannot be saved there")
    );
    assert!(f.refused(1, "report m wine -o other.html").contains("is not among"));
    assert!(f.refused(2, "report m flowers.csv --image 3x99 -o other.html").contains("pixels in all"));
    f.ok("fit flowers.csv -m kmeans -o k");
    assert!(f.refused(1, "plot k flowers.csv training").contains("no training history"));
    fs::remove_file(f.path("k")).unwrap();
    assert_eq!(f.files(), before);
}

#[test]
fn help_and_completions_exist_for_every_verb() {
    let f = Folder::new();
    let help = f.ok("");
    for verb in [
        "fit",
        "predict",
        "eval",
        "report",
        "plot",
        "compare",
        "diff",
        "inspect",
        "represent",
        "transform",
        "export",
        "methods",
        "demo",
        "completions",
    ] {
        assert!(help.contains(&format!("  {verb} ")), "{verb}");
        assert!(f.ok(&format!("{verb} --help")).contains("Examples:\n  protea "), "{verb}");
    }
    let fit = f.ok("fit --help");
    for heading in ["Start:", "Preprocessing:", "Metric:", "Training:", "Validation:", "Decision:"] {
        let at = fit.lines().position(|l| l == heading);
        assert!(at.is_some(), "{heading}");
    }
    assert!(fit.contains("--deskew") && !fit.contains("--window") && fit.contains("default adam."));
    assert!(fit.contains("Accepts adam, sgd, cg, lbfgs, gd or alternating;"));
    let npc = f.ok("methods npc");
    assert!(
        npc.contains("--loss exp")
            && npc.contains("Training: optimizer, epochs")
            && !npc.contains("kmeans: ")
    );
    assert!(!f.ok("methods kmeans").contains("optimizer"));
    // The short help fits on a screen and says where the rest is.
    for verb in ["fit", "compare"] {
        let short = f.ok(&format!("{verb} -h"));
        assert!(short.lines().count() <= 45, "{verb}: {}", short.lines().count());
        assert!(short.contains("--per-class") && !short.contains("--anneal"), "{short}");
        let words = short.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("protea fit --help") && words.contains("protea methods NAME"), "{short}");
    }
    assert_eq!(
        f.refused(2, "fit wine -m ncp -o m").trim_end(),
        "error: unknown method \"ncp\"; did you mean npc?"
    );
    assert!(f.refused(2, "methods forest").contains("unknown method \"forest\"; there are npc, auto"));
    assert!(f.ok("--version").starts_with("protea 0."));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(f.ok(&format!("completions {shell}")).contains("per-class"), "{shell}");
    }
    assert!(f.ok("methods").contains("npc: "));
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methods.md")).unwrap();
    let same = f.ok("methods --markdown") == page;
    assert!(same, "make docs/methods.md anew: protea methods --markdown > docs/methods.md");
    for method in protea::method::METHODS {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/").to_string() + method.page + ".md";
        let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(text.contains(&format!("`{}`", method.name)) || text.contains(method.name), "{page}");
    }
    assert_eq!(f.json("methods npc")["methods"][0]["settings"][0]["name"], "loss");
}

/// Every example of every help, as it stands there, in a shell.
#[cfg(unix)]
#[test]
fn the_examples_of_the_help_run() {
    let folder = Path::new(PROTEA).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    for verb in [
        "",
        "fit",
        "predict",
        "eval",
        "report",
        "plot",
        "compare",
        "diff",
        "inspect",
        "export",
        "methods",
        "completions",
    ] {
        let f = Folder::new();
        let help = f.ok(&format!("{verb} --help"));
        let (_, examples) = help.rsplit_once("Examples:").unwrap();
        let lines: Vec<&str> = examples.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        assert!((2..=4).contains(&lines.len()), "{verb}");
        for line in lines {
            let mut shell = Command::new("bash");
            let shell = shell.args(["-o", "pipefail", "-c", line]).env("PATH", &path);
            let out = shell.current_dir(f.0.path()).output().unwrap();
            assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        }
    }
}

#[test]
fn probabilities_are_fitted_to_new_rows() {
    let f = Folder::new();
    f.ok("fit glass -m npc --per-class 15 --epochs 30 --calibration training -o m");
    let before = f.json("eval m glass");
    let told = f.json("calibrate m glass -o n");
    let after = f.json("eval n glass");
    assert_eq!(before["wrong"], after["wrong"]);
    assert!(after["log_loss"].as_f64() <= before["log_loss"].as_f64());
    assert_eq!(after["log_loss"], told["log_loss"]);
    assert_ne!(f.json("inspect m")["gamma"], f.json("inspect n")["gamma"]);
    assert!(f.refused(1, "calibrate m wine -o x").contains("features"));
}

#[test]
fn the_choice_of_auto_is_shown() {
    let f = Folder::new();
    f.write("flowers.csv", flowers(60));
    let told = f.ok("fit flowers.csv --label kind --epochs 3 -o m");
    assert!(told.contains("method          auto") && told.contains("chosen on"), "{told}");
    let shown = f.ok("inspect m");
    assert!(shown.contains("Tried on held-out training samples"), "{shown}");
    assert!(f.json("inspect m")["provenance"]["trials"].as_array().unwrap().len() > 5);
}
