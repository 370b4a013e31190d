//! Files as people have them: what is said about them, what is left out, and the flags that help.

mod common;

use common::Folder;
use serde_json::Value;

fn folder(files: &[(&str, String)]) -> Folder {
    let folder = Folder::new();
    files.iter().for_each(|(name, text)| _ = folder.write(name, text));
    folder
}

/// What a command that succeeds leaves on standard error.
fn said(folder: &Folder, line: &str) -> String {
    let out = folder.run(line);
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(0), "{line}: {text}");
    text
}

/// The message of a command that fails.
fn refused(folder: &Folder, line: &str) -> String {
    folder.refused(1, line).trim_end().strip_prefix("error: ").unwrap().to_string()
}

const FIT: &str = "-m kmeans --per-class 1 -o m";

/// A table with a header and so many rows.
fn rows(header: &str, n: usize, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", (0..n).map(|i| row(i) + "\n").collect::<String>())
}

/// Passengers: an identifier, names, a constant, a date, and two columns that could be the label.
fn passengers() -> String {
    rows("PassengerId,name,class,age,ship,boarded,survived", 40, |i| {
        let (class, age, day) = (i % 3 + 1, 20 + i * 7 % 31, i % 28 + 1);
        format!("{},Mr. {i},{class},{age},Titanic,1912-04-{day:02},{}", i + 1, (i / 2) % 2)
    })
}

#[test]
fn fit_says_what_it_read() {
    let f = folder(&[("t.csv", passengers())]);
    let err = said(&f, &format!("fit t.csv {FIT}"));
    let lines: Vec<&str> =
        err.lines().filter(|l| l.starts_with("read: ") || l.starts_with("warning: ")).collect();
    assert_eq!(
        lines,
        [
            "read: 40 rows, label survived (by its name), 2 classes, 50.00 % error when always answering the most frequent",
            "read: 2 columns of numbers; dates in boarded; left out: PassengerId (row numbers), \
             name (texts such as \"Mr. 0\", all of them different), ship (constant, always \"Titanic\")",
            "warning: survived is taken for the label by its name, but class could be meant; name the label column (--label)",
            "warning: column boarded holds dates, read as day, weekday; drop it if they do not matter (--drop)",
        ]
    );
    assert_eq!(said(&f, &format!("fit t.csv {FIT} -q")), "");
    let data = &f.json(&format!("fit t.csv {FIT}"))["data"];
    assert_eq!(data["label"]["column"], "survived");
    assert_eq!(data["dropped"]["PassengerId"], "row numbers");
    assert_eq!((&data["numbers"], &data["dates"][0]), (&2.into(), &"boarded".into()));
    // A model finds its columns by name, whatever else a file has.
    let labels = f.ok("predict m t.csv");
    assert_eq!(labels.lines().count(), 41);
}

#[test]
fn describe_shows_the_same_without_fitting() {
    let f = folder(&[("t.csv", passengers())]);
    let out = f.ok("describe t.csv");
    assert_eq!(said(&f, "describe t.csv"), "");
    for part in [
        "label     survived (by its name)",
        "classes   0 20 (50.0 %), 1 20 (50.0 %)",
        "baseline  50.00 % error",
        "left out: row numbers",
        "date: day, weekday",
        "20 … 34.5 … 50",
        "warning: survived is taken for the label",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    assert!(!out.lines().any(|l| l.ends_with(' ')), "{out}");
    let json = f.json("describe t.csv --label class");
    assert_eq!((&json["label"]["from"], &json["classes"][0]["count"]), (&"given".into(), &14.into()));
    assert_eq!(json["columns"][3]["values"]["range"][0], "20");
    assert!(f.ok("describe wine").contains("wine, 178 rows, 13 columns"));
    assert_eq!(f.json("describe wine")["warnings"], Value::Array(Vec::new()));
    assert!(refused(&f, "describe gone.csv").contains("there is no such file"));
}

#[test]
fn columns_are_chosen_by_name() {
    let f = folder(&[("t.csv", passengers())]);
    let features = |flags: &str| f.json(&format!("fit t.csv {FIT} {flags}"))["features"].clone();
    assert_eq!(features(""), 4);
    assert_eq!(features("--drop boarded,age"), 1);
    assert_eq!(features("--only age"), 1);
    assert_eq!(features("--categorical class"), 6);
    assert_eq!(features("--weight age"), 3);
    // Constants and row numbers are kept, names become categories.
    assert_eq!(features("--keep-all --drop name,boarded"), 4);
    assert!(refused(&f, &format!("fit t.csv {FIT} --drop agee")).ends_with("did you mean \"age\"?"));
    let none = refused(&f, &format!("fit t.csv {FIT} --only ship"));
    assert!(none.contains("no column left to tell the classes by"), "{none}");
    let err = f.refused(2, "fit wine -m kmeans -o m --drop alcohol");
    assert!(err.contains("the columns of the data set wine are known"), "{err}");
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let european =
        rows("len;share;kind", 30, |i| format!("{},{};{}%;{}", i % 2 * 4, i % 10, i % 3, ["a", "b"][i % 2]));
    let thousands =
        rows("price,n,kind", 30, |i| format!("\"{},100\",{},{}", i % 7 + 1, i * 7 % 11, ["a", "b"][i % 2]));
    let f =
        folder(&[("e.csv", european), ("t.csv", thousands), ("new.csv", "len;share\n4,5;3%\n0;7\n".into())]);
    let err = said(&f, &format!("fit e.csv {FIT}"));
    assert!(err.contains("column len: values such as \"0,0\" are read as numbers (decimal comma)"), "{err}");
    assert!(err.contains("column share: values such as \"0%\" are read as numbers (percent)"), "{err}");
    assert_eq!(f.ok("predict m new.csv"), "label\nb\na\n");
    let error = refused(&f, &format!("fit t.csv {FIT}"));
    assert!(
        error.ends_with(
            "the comma may separate decimals or thousands; name the decimal separator (--decimal)"
        ),
        "{error}"
    );
    for decimal in [",", "."] {
        assert_eq!(f.json(&format!("fit t.csv {FIT} --decimal {decimal}"))["features"], 2);
    }
}

#[test]
fn missing_values_unknown_categories_and_odd_rows_have_a_way_on() {
    let holes = rows("v,t,kind", 30, |i| {
        let v = if i == 3 { String::new() } else { (i * 7 % 11).to_string() };
        format!("{v},{},{}", ["x", "y"][i % 2], if i == 5 { "" } else { ["a", "b"][i % 2] })
    });
    let word = rows("v,w,kind", 30, |i| {
        format!("{},{i}.5,{}", if i == 4 { "oops".into() } else { i.to_string() }, i % 2)
    });
    let new = "v,t\n1,x\n2,z\n";
    let f = folder(&[("h.csv", holes), ("w.csv", word), ("new.csv", new.into())]);
    let error = refused(&f, &format!("fit h.csv {FIT} --missing reject --drop v"));
    assert_eq!(
        error,
        "h.csv, row 7, column kind: the label is missing; drop the row (fit with --missing drop)"
    );
    let err = said(&f, &format!("fit h.csv {FIT}"));
    assert!(err.contains("read: 29 rows, label kind"), "{err}");
    assert!(err.contains("warning: 1 row was left out: it has no label (row 7)"), "{err}");
    let warning = "h.csv: 1 row was left out: it has no label (row 7)";
    let out = f.run("eval m h.csv");
    assert!(String::from_utf8_lossy(&out.stderr).contains(warning));
    let err = said(&f, &format!("fit h.csv {FIT} --missing drop"));
    assert!(err.contains("read: 28 rows (1 with missing values left out)"), "{err}");
    let error = refused(&f, "predict m new.csv");
    assert_eq!(error, "new.csv, row 3, column t: \"z\" was not seen in training; known are x, y");
    assert_eq!(f.ok("predict m new.csv --unknown ignore").lines().count(), 3);
    f.ok(&format!("fit h.csv {FIT} --missing drop --unknown ignore"));
    assert_eq!(f.ok("predict m new.csv").lines().count(), 3);
    let error = refused(&f, &format!("fit w.csv {FIT} --missing reject"));
    assert!(
        error.starts_with("w.csv, row 6, column v: expected a number as in the other rows, found \"oops\""),
        "{error}"
    );
    let err = said(&f, &format!("fit w.csv {FIT}"));
    assert!(
        err.contains("column v holds numbers but for 1 of its values, such as \"oops\" in row 6"),
        "{err}"
    );
}

#[test]
fn other_shapes_of_files() {
    let json = (0..30)
        .map(|i| format!("{{\"v\": {}, \"t\": \"{}\", \"kind\": \"{}\"}}\n", i * 7 % 11, i % 3, i % 2));
    let remarks =
        rows("# by hand\nv,w,kind\n# more", 30, |i| format!("{},{},{}", i * 7 % 11, i * 5 % 7, i % 2));
    let zero = (0..30).map(|i| format!("{} 0:{} 2:{}\n", i % 2, i * 7 % 11, i % 2 * 9));
    let text = rows("colour,shape,kind", 30, |i| {
        format!("{},{},{}", ["red", "blue"][i % 2], ["round", "flat", "long"][i % 3], ["a", "b"][i % 2])
    });
    let f = folder(&[
        ("t.jsonl", json.collect()),
        ("c.csv", remarks),
        ("z.svm", zero.collect()),
        ("text.csv", text),
        ("one.csv", "shape,colour\nlong,blue\n".into()),
        ("z-new.svm", "0 2:9\n".into()),
    ]);
    assert_eq!(f.json(&format!("fit t.jsonl {FIT}"))["data"]["categories"]["t"], 3);
    assert_eq!(f.ok("predict m t.jsonl").lines().count(), 31);
    assert_eq!(f.json(&format!("fit c.csv {FIT} --comment #"))["features"], 2);
    // One row of text under names that the model knows.
    f.ok(&format!("fit text.csv {FIT}"));
    assert_eq!(f.ok("predict m one.csv"), "label\nb\n");
    // Indices from 0, also where a later file does not use it.
    f.ok(&format!("fit z.svm {FIT} --keep-all"));
    assert_eq!(f.ok("predict m z-new.svm"), "label\n1\n");
}

#[test]
fn small_files_do_not_take_gigabytes() {
    let f = folder(&[
        ("wide.svm", "1 1355191:1\n-1 1:1\n".into()),
        ("deep.arff", {
            let head: String = (0..20_000).map(|j| format!("@attribute a{j} numeric\n")).collect();
            format!("@relation r\n{head}@attribute y {{n,y}}\n@data\n{}", "{}\n{20000 y}\n".repeat(20_000))
        }),
        ("names.csv", format!("{}a\n{}b\n", "a,".repeat(50_000), "1,".repeat(50_000))),
    ]);
    let error = refused(&f, &format!("fit wide.svm {FIT}"));
    let expected = "which takes 87 MB where 67 MB are allowed; raise the memory limit (--max-memory)";
    assert!(error.ends_with(expected), "{error}");
    let error = refused(&f, &format!("fit deep.arff {FIT}"));
    assert!(error.contains("has sparse rows of 20001 values each"), "{error}");
    let error = refused(&f, "describe wide.svm --max-memory 1M");
    assert!(error.contains("where 1 MB are allowed"), "{error}");
    assert!(f.ok("describe wide.svm --max-memory 1G --json").contains("baseline_error"));
    // Fifty thousand equal names take a moment, not minutes.
    assert!(refused(&f, &format!("fit names.csv {FIT}")).contains("two classes"));
    assert!(f.ok("describe names.csv").contains("more columns"));
}

#[test]
fn rows_with_words_are_dropped_and_numbers_stay_numbers() {
    let rows = rows("v,w,kind", 40, |i| {
        let v = match i {
            4 => "NA?".into(),
            9 => "missing".into(),
            _ => format!("{}.5", i * 3 % 37),
        };
        format!("{v},{},{}", i * 7 % 11, ["a", "b"][i % 2])
    });
    let f = folder(&[("x.csv", rows)]);
    let err = said(&f, &format!("fit x.csv {FIT} --missing drop"));
    assert!(err.contains("read: 38 rows (2 with missing values left out)"), "{err}");
    assert!(err.contains("read: 2 columns of numbers\n"), "{err}");
    assert!(
        err.contains("column v holds numbers but for 2 of its values, such as \"NA?\" in row 6"),
        "{err}"
    );
    assert_eq!(f.json("inspect m")["features"], serde_json::json!(["v", "w"]));
}

#[test]
fn ragged_rows_and_comments_have_a_way_on() {
    let good = rows("v,w,kind", 30, |i| format!("{},{},{}", i * 7 % 11, i * 5 % 7, i % 2));
    let ragged = good.replacen("\n", "\n1,2\n", 1) + "1,2,3,4\n";
    let f = folder(&[("r.csv", ragged), ("c.csv", format!("# by hand\n{good}"))]);
    let error = refused(&f, &format!("fit r.csv {FIT}"));
    assert_eq!(
        error,
        "r.csv: row 2 has 2 fields, but the first row has 3; correct it, or leave out such rows (fit with --on-error skip, \
         predict with --on-error blank)"
    );
    let expected = "warning: 2 rows were left out: they could not be read (the first: r.csv: row 2 has 2 fields, but the first \
                    row has 3)";
    assert!(said(&f, &format!("fit r.csv {FIT} --on-error skip")).contains(expected));
    assert!(f.ok("describe r.csv --on-error skip").contains(expected));
    let compared = said(&f, "compare r.csv -m centroid --folds 3 --on-error skip");
    assert!(compared.contains(expected), "{compared}");
    let error = refused(&f, &format!("fit c.csv {FIT}"));
    assert!(
        error.ends_with("the first row looks like a comment: skip lines that start with # (--comment '#')"),
        "{error}"
    );
}

#[test]
fn columns_that_need_a_word_get_one() {
    let row = |i: usize| {
        let (price, size, code) = (i % 7, i * 3 % 10, i % 25);
        format!(
            "${price}.5,0.{size} cm,c{code},{},{:02}/{:02}/2026,{}",
            i * 7 % 11,
            i % 12 + 1,
            i % 5 + 1,
            i % 2
        )
    };
    let f = folder(&[
        ("x.csv", rows("price,size,code,v,when,kind", 60, row)),
        ("new.csv", "price,size,code,v,when\n$3.5,0.5 cm,c1,3,01/02/2026\n".into()),
        ("mm.csv", "price,size,code,v,when\n$3.5,5 mm,c1,3,01/02/2026\n".into()),
    ]);
    let err = said(&f, &format!("fit x.csv --label kind {FIT}"));
    for part in [
        "column price: values such as \"$0.5\" are read as numbers (in $)",
        "column size: values such as \"0.0 cm\" are read as numbers (in cm)",
        "column code has 25 different texts in 60 rows, such as \"c0\", and becomes 25 features; drop it if it tells nothing \
         (--drop)",
        "with the day before the month, as \"01/01/2026\" could also be the other way round",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert_eq!(f.ok("predict m new.csv").lines().count(), 2);
    assert!(refused(&f, "predict m mm.csv").ends_with("column size: expected a number, found \"5 mm\""));
    let error = refused(&f, &format!("fit x.csv --label kind --drop kind {FIT}"));
    assert!(
        error.ends_with("column kind is the label and cannot be left out; name the label column (--label)"),
        "{error}"
    );
}

#[test]
fn files_that_are_mixed_up_are_named() {
    let f = folder(&[("x.csv", rows("v,w,kind", 30, |i| format!("{},{},{}", i * 7 % 11, i * 5 % 7, i % 2)))]);
    f.ok(&format!("fit x.csv {FIT}"));
    let no_model = "x.csv: is not a model that protea has saved: it looks like text, such as a CSV of rows";
    for line in [
        "inspect x.csv",
        "diff m x.csv",
        "predict x.csv x.csv",
        "fit x.csv --from x.csv -o n",
        "export x.csv --to json",
    ] {
        assert_eq!(refused(&f, line), no_model, "{line}");
    }
    assert!(refused(&f, "calibrate x.csv m -o n").contains("give the model first, then the rows"));
    let model = "m: is a model that protea has saved; give a file of rows";
    for line in ["describe m".into(), format!("fit m {FIT}2"), "compare m --folds 3".into()] {
        assert_eq!(refused(&f, &line), model, "{line}");
    }
}

#[test]
fn later_files_with_decimal_commas_or_without_a_header() {
    let text = |i: usize| format!("{},{},{}", ["red", "blue"][i % 2], ["round", "flat"][i % 3 / 2], i % 2);
    let f = folder(&[
        ("x.csv", rows("v,w,kind", 30, |i| format!("{}.5,{},{}", i % 2 * 9, i * 5 % 7, ["a", "b"][i % 2]))),
        ("comma.csv", "v;w\n9,5;3\n0,5;3\n".into()),
        ("text.csv", rows("colour,shape,kind", 30, text)),
        ("row.csv", "blue,flat\n".into()),
    ]);
    f.ok(&format!("fit x.csv {FIT}"));
    let error = refused(&f, "predict m comma.csv");
    assert_eq!(
        error,
        "comma.csv, row 2, column v: expected a number as in the training file, found \"9,5\"; name the decimal separator \
         (--decimal)"
    );
    assert_eq!(f.ok("predict m comma.csv --decimal ,"), "label\nb\na\n");
    f.ok(&format!("fit text.csv {FIT}"));
    let error = refused(&f, "predict m row.csv");
    assert!(error.ends_with("if that is a row, say that there is no header (--header no)"), "{error}");
    assert_eq!(f.ok("predict m row.csv --header no"), "label\n1\n");
}

#[test]
fn going_on_from_a_model_says_what_it_read_and_keeps_its_preprocessing() {
    let f = folder(&[(
        "x.csv",
        rows("v,w,kind", 30, |i| format!("{}.5,{},{}", i % 2 * 9, i * 5 % 7, ["a", "b"][i % 2])),
    )]);
    f.ok("fit x.csv -m npc --per-class 1 --epochs 3 --label kind -o m");
    f.write("more.csv", "v,w,kind\n1,2,a\n5,6,c\n5,7,c\n2,2,\n");
    let err = said(&f, "fit more.csv --from m -o n --epochs 3 --label kind");
    assert!(err.contains("read: 3 rows, label kind (as asked), 2 classes\n"), "{err}");
    assert!(err.contains("read: columns as in the model, which has 2 features\n"), "{err}");
    assert!(err.contains("1 row was left out: it has no label (row 5)"), "{err}");
    let error = f.refused(2, "fit more.csv --from m -o n --scale minmax --label kind");
    assert!(error.contains("scale") && error.contains("preprocessing"), "{error}");
}

#[test]
fn small_words() {
    let f = folder(&[(
        "x.csv",
        rows("v,w,kind", 30, |i| format!("{},{},{}", ["4.3", "4.4"][i % 2], i * 5 % 7, i / 2 % 2)),
    )]);
    assert!(f.ok("describe x.csv").contains("4.3 … 4.35 … 4.4"));
    f.ok(&format!("fit x.csv {FIT}"));
    assert!(f.refused(2, "predict m x.csv --explain -1").contains("expected a whole number ≥ 1"));
    f.write("far.csv", "v,w\n4.3,1\n1e30,2\n");
    let problem = "is too large to compare with the training data";
    let error = refused(&f, "predict m far.csv");
    assert!(error.starts_with(&format!("far.csv, row 3, column v: 1.000e30 {problem}")), "{error}");
    let err = said(&f, "predict m far.csv --on-error blank");
    assert!(err.contains(&format!("the first: far.csv, row 3, column v: 1.000e30 {problem}")), "{err}");
    let bomb: String = (0..2000).map(|j| format!("@attribute a{j} numeric\n")).collect();
    f.write("b.arff", format!("@relation r\n{bomb}@data\n{}", "{0 1}\n".repeat(40_000)));
    let error = refused(&f, &format!("fit b.arff {FIT}2"));
    assert!(error.contains("which takes more than the ") && error.contains(" that are allowed"), "{error}");
}
