//! `predict` in shells: kept columns, formats, open pipes.

mod common;

use common::{Folder, flowers, labels, piped};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Flowers with identifiers, some of them with leading zeros.
fn with_ids(rows: usize) -> String {
    let lines = flowers(rows);
    let id = |(i, line): (usize, &str)| {
        if i == 0 { format!("id,{line}\n") } else { format!("{:03},{line}\n", i - 1) }
    };
    lines.lines().enumerate().map(id).collect()
}

fn fitted() -> Folder {
    let f = Folder::new();
    f.write("flowers.csv", flowers(90)).write("ids.csv", with_ids(90));
    f.ok("fit flowers.csv --label kind -m kmeans --per-class 2 -q -o m");
    f
}

#[test]
fn columns_of_the_input_can_be_kept() {
    let f = fitted();
    let answers = labels(&f.ok("predict m ids.csv"));
    let kept = f.ok("predict m ids.csv --keep id,kind");
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!((lines[0], lines.len()), ("id,kind,label", 91));
    assert_eq!(lines[1], format!("000,\"rose, wild\",\"{}\"", answers[0]));
    assert_eq!(
        f.ok("predict m ids.csv --keep kind --proba").lines().next(),
        Some("kind,label,\"p_rose, wild\",p_tulip,p_violet")
    );
    let all = f.ok("predict m ids.csv --append");
    assert_eq!(all.lines().next(), Some("id,length,colour,width,kind,label"));
    // As in the file, digit by digit.
    let input = with_ids(90);
    assert!(all.lines().zip(input.lines()).all(|(a, b)| a.starts_with(b)));
    // A column that has the name of an answer.
    f.write("label.csv", with_ids(9).replace(",kind", ",label"));
    assert_eq!(f.ok("predict m label.csv --keep label").lines().next(), Some("label,predicted_label"));
    assert!(
        f.refused(1, "predict m ids.csv --keep name")
            .contains("there is no column \"name\" to keep among id, length")
    );
    f.refused(2, "predict m ids.csv --keep id --append");
    let sets = f.ok("fit wine -m centroid -o w -q") + &f.ok("predict w wine --append");
    assert!(sets.contains(",label"), "{sets}");
}

#[test]
fn endings_name_the_format() {
    let f = fitted();
    let array = f.json("predict m ids.csv --keep id,length --proba --explain 2");
    for (name, parse) in [("x.jsonl", 0), ("x.json", 1)] {
        f.ok(&format!("predict m ids.csv --keep id,length --proba --explain 2 -o {name}"));
        let written = fs::read_to_string(f.path(name)).unwrap();
        let values: Value = match parse {
            0 => written.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()).collect(),
            _ => serde_json::from_str(&written).unwrap(),
        };
        assert_eq!(values, array);
    }
    // Identifiers with leading zeros stay text; numbers are numbers.
    assert_eq!((&array[7]["id"], array[7]["length"].is_number()), (&"007".into(), true));
    let first = &array[0];
    assert_eq!(
        (first["nearest"].as_array().unwrap().len(), first["features"].as_array().unwrap().len()),
        (2, 2)
    );

    // A Parquet file holds Parquet, and reads back as the same answers.
    f.ok("predict m ids.csv --keep length --proba --explain 2 -o x.parquet");
    assert!(fs::read(f.path("x.parquet")).unwrap().starts_with(b"PAR1"));
    f.ok("fit x.parquet --label label -m centroid -q -o from-parquet");
    f.write("x.csv", f.ok("predict m ids.csv --keep length --proba --explain 2"));
    f.ok("fit x.csv --label label -m centroid -q -o from-csv");
    let features = |m: &str| f.json(&format!("inspect {m}"))["features"].clone();
    assert_eq!(features("from-parquet"), features("from-csv"));
    assert_eq!(f.json("eval from-csv x.parquet")["wrong"], f.json("eval from-csv x.csv")["wrong"]);
}

#[test]
fn the_features_that_decided_are_named() {
    let f = Folder::new();
    // Only the second feature tells the classes apart.
    let rows: String =
        (0..40).map(|i| format!("{},{},5,{}\n", i % 7, i % 2 * 8 + i % 3, ["a", "b"][i % 2])).collect();
    f.write("x.csv", format!("noise,signal,constant,kind\n{rows}"));
    f.ok("fit x.csv --label kind -m centroid --scale none -q -o m");
    let answers = f.json("predict m x.csv --explain 3");
    for a in answers.as_array().unwrap() {
        assert_eq!(a["features"][0]["feature"], "signal");
        let sum: f64 =
            a["features"].as_array().unwrap().iter().map(|t| t["contribution"].as_f64().unwrap()).sum();
        let distance = |k: usize| a["nearest"][k]["distance"].as_f64().unwrap();
        assert!((sum - (distance(1) - distance(0))).abs() < 1e-3 * (1.0 + sum.abs()), "{a}");
    }
    let text = f.ok("predict m x.csv --explain 1");
    let header = "label,near1_prototype,near1_class,near1_distance,why1_feature,why1_contribution";
    assert_eq!(text.lines().next(), Some(header));
    // Where no single feature decides, prototypes alone are shown, and it is said.
    f.ok("fit x.csv --label kind -m centroid --unit -q -o unit");
    let out = f.run("predict unit x.csv --explain 1");
    assert!(String::from_utf8(out.stderr).unwrap().starts_with("note: after hog or unit length"));
    assert!(!String::from_utf8(out.stdout).unwrap().contains("why1"));
}

/// Answers come while the input is still open.
#[test]
fn rows_are_answered_as_they_arrive() {
    let f = fitted();
    for json in ["", " -o /dev/stdout --proba"] {
        let mut command = f.command(&format!("predict m -{json}"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let text = flowers(30);
        let mut rows = text.lines();
        writeln!(stdin, "{}", rows.next().unwrap()).unwrap();
        let mut answers = Vec::new();
        for (i, row) in rows.enumerate() {
            writeln!(stdin, "{row}").unwrap();
            if i == 0 {
                assert!(lines.next().unwrap().unwrap().starts_with("label"));
            }
            // This waits for ever if rows are held back.
            answers.push(lines.next().unwrap().unwrap());
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        f.write("first.csv", text.clone());
        let proba = if json.is_empty() { "" } else { " --proba" };
        let whole = f.ok(&format!("predict m first.csv{proba}"));
        assert_eq!(answers, whole.lines().skip(1).collect::<Vec<_>>());
    }
}

#[test]
fn parts_of_large_files_are_answered_as_the_whole() {
    let f = fitted();
    // Some megabytes: several parts, with a header, without one, and packed.
    let rows = 120_000;
    let text = flowers(rows);
    f.write("large.csv", &text);
    let whole = labels(&f.ok("predict m flowers.csv"));
    let found = labels(&f.ok("predict m large.csv"));
    assert_eq!(found.len(), rows);
    // Rows repeat after 33.
    assert!(found.iter().enumerate().all(|(i, l)| *l == whole[i % 33]));
    let piped_in = piped(&f, "predict m -", text.as_bytes());
    assert_eq!(labels(&String::from_utf8(piped_in.stdout).unwrap()), found);
    // An error names the line of the file.
    let lines: Vec<&str> = text.lines().collect();
    f.write("broken.csv", lines.join("\n") + "\nwide,red,2,tulip\n");
    let out = f.run("predict m broken.csv -q -o out.csv");
    let error = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(1) && error.contains(&format!("row {}", rows + 2)), "{error}");
    assert!(!f.path("out.csv").exists());
    f.write("short.csv", lines.join("\n") + "\n1,red\n");
    assert!(f.run("predict m short.csv -o out.csv").status.code() == Some(1));
    let error = String::from_utf8(f.run("predict m short.csv -o out.csv").stderr).unwrap();
    assert!(error.contains(&format!("row {} has 2 fields", rows + 2)), "{error}");
}

/// One odd row does not stop a file where blanks are asked for.
#[test]
fn rows_that_cannot_be_answered_are_left_blank() {
    let f = fitted();
    let mut lines: Vec<String> = flowers(9).lines().map(String::from).collect();
    lines[2] = "wide,blue,2.5,violet".into();
    lines[4] = "1,green,2.5,violet".into();
    lines[6] = "1,red".into();
    lines[8] = "1e30,red,2,tulip".into();
    f.write("odd.csv", lines.join("\n") + "\n");
    assert!(f.refused(1, "predict m odd.csv").contains("odd.csv"));
    let out = f.run("predict m odd.csv --on-error blank --proba --keep length");
    let (text, warning) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert_eq!(out.status.code(), Some(0), "{warning}");
    assert!(warning.contains("warning: 4 of 9 rows have no answer; the first: "), "{warning}");
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), 9, "{text}");
    for (i, length) in [(1, "wide"), (3, "1"), (5, "1"), (7, "1e30")] {
        assert_eq!(rows[i], format!("{length},,,,"), "{text}");
    }
    let whole = f.json("predict m odd.csv --on-error blank");
    let plain = labels(&f.ok("predict m flowers.csv"));
    for (i, row) in whole.as_array().unwrap().iter().enumerate() {
        assert_eq!(row["label"].as_str(), (i % 2 == 0).then_some(&*plain[i]), "{i}");
    }
}

/// Means of two classes at 1 and 3: the border is at 2.
#[test]
fn certified_radii_are_in_the_units_of_the_input() {
    let f = Folder::new();
    f.write("t.csv", "v,w,kind\n0,1,a\n2,1.5,a\n2,1,b\n4,1.5,b\n")
        .write("new.csv", "v,w\n0.5,1.25\n3.5,1.25\n");
    f.ok("fit t.csv -m centroid --scale raw -o m");
    let rows = f.json("predict m new.csv --certify l2");
    for row in rows.as_array().unwrap() {
        assert!((row["radius"].as_f64().unwrap() - 1.5).abs() < 1e-5, "{row}");
    }
    f.ok("fit t.csv -m centroid --unit -o u");
    assert!(f.refused(1, "predict u new.csv --certify l2").contains("linear"));
}

/// Rows with identifiers that 32 bits, or 64 bits with a fraction, do not hold.
#[test]
fn kept_values_of_formats_with_types_stay_as_they_are() {
    let f = fitted();
    let ids = ["16777217", "123456789", "20241119", "9007199254740993", "18446744073709551615"];
    let flowers: Vec<String> = flowers(ids.len()).lines().skip(1).map(String::from).collect();
    let lines = ids.iter().zip(&flowers).enumerate().map(|(i, (id, row))| {
        let [length, colour, width] = [0, 1, 2].map(|k| row.split(',').nth(k).unwrap());
        let ok = i % 2 == 0;
        format!(
            "{{\"id\": {id}, \"ok\": {ok}, \"code\": \"7\", \"length\": {length}, \"colour\": \"{colour}\", \"width\": {width}}}\n"
        )
    });
    f.write("x.jsonl", lines.collect::<String>());
    let text = f.ok("predict m x.jsonl --keep id,ok,code");
    let kept: Vec<&str> = text.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(kept, ids);
    assert!(text.lines().nth(1).unwrap().starts_with("16777217,true,7,"), "{text}");
    let array = f.json("predict m x.jsonl --keep id,ok,code");
    assert_eq!(array[3]["id"].as_i64(), Some(9_007_199_254_740_993));
    assert_eq!((&array[1]["ok"], &array[1]["code"]), (&Value::Bool(false), &"7".into()));

    // Through Parquet and back: integers stay integers, truth values truth values.
    let four: String =
        fs::read_to_string(f.path("x.jsonl")).unwrap().lines().take(4).map(|l| format!("{l}\n")).collect();
    f.write("four.jsonl", four);
    f.ok("predict m four.jsonl --append -o x.parquet");
    let array = f.json("predict m x.parquet --keep id,ok,length");
    assert_eq!(array[3]["id"].as_i64(), Some(9_007_199_254_740_993));
    assert_eq!((&array[0]["ok"], &array[0]["id"]), (&Value::Bool(true), &16_777_217.into()));
    assert_eq!(array[2]["length"], f.json("predict m four.jsonl --keep length")[2]["length"]);
    let text = f.ok("predict m x.parquet --keep id,ok");
    assert!(text.contains("\n123456789,false,"), "{text}");

    // The same identifiers in a CSV are whole numbers of a Parquet file.
    f.write(
        "ids.csv",
        text.lines().map(|l| l.split(',').next().unwrap().to_string() + "\n").collect::<String>(),
    );
    let columns = f.json("describe x.parquet --label label");
    let id = &columns["columns"][0];
    assert_eq!(id["name"], "id");
    assert!(!id["becomes"].to_string().contains("constant"), "{id}");
}
