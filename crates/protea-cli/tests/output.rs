//! Where results are written: nothing is destroyed, signals save, messages say what would help.

mod common;

use common::{Folder, PROTEA, flowers, labels, piped};
use std::fs;
use std::process::{Command, Stdio};

/// Fits a small model `m` on `flowers.csv`.
fn fitted() -> Folder {
    let f = Folder::new();
    f.write("flowers.csv", flowers(60));
    f.ok("fit flowers.csv --label kind -m centroid -o m -q");
    f
}

#[test]
fn an_input_is_never_written_over() {
    let f = fitted();
    let (csv, model) = (fs::read(f.path("flowers.csv")).unwrap(), fs::read(f.path("m")).unwrap());
    fs::hard_link(f.path("flowers.csv"), f.path("hard.csv")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("flowers.csv", f.path("soft.csv")).unwrap();
    f.write("labels.csv", "a\nb\n");
    for line in [
        "fit flowers.csv -o flowers.csv",
        "fit flowers.csv -o ./flowers.csv",
        "fit flowers.csv -o hard.csv",
        "fit flowers.csv -o soft.csv",
        "fit hard.csv --valid flowers.csv -o flowers.csv",
        "fit wine --labels labels.csv -o labels.csv",
        "fit flowers.csv --prototypes labels.csv -o labels.csv",
        "predict m flowers.csv -o flowers.csv",
        "predict m flowers.csv -o m",
        "represent m flowers.csv -o flowers.csv",
        "transform m flowers.csv -o m",
        "report m flowers.csv -o m",
        "report m flowers.csv --train hard.csv -o hard.csv",
        "export m --to lvq-pak -o m",
        "compare flowers.csv --folds 2 --report flowers.csv",
        "compare flowers.csv --folds 2 --fit-best -o flowers.csv",
    ] {
        let error = f.refused(1, line);
        assert!(error.contains("one of the inputs; name another file"), "{line}: {error}");
    }
    let out = Command::new("sh")
        .args(["-c", &format!("'{PROTEA}' predict m - -o flowers.csv < flowers.csv")])
        .current_dir(f.0.path())
        .output()
        .unwrap();
    let error = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(1) && error.contains("it is standard input"), "{error}");
    assert_eq!((fs::read(f.path("flowers.csv")).unwrap(), fs::read(f.path("m")).unwrap()), (csv, model));
}

#[cfg(unix)]
#[test]
fn links_devices_pipes_and_modes_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let f = fitted();
    f.write("target.csv", "old");
    fs::set_permissions(f.path("target.csv"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("target.csv", f.path("link.csv")).unwrap();
    f.ok("predict m flowers.csv -o link.csv");
    assert!(fs::symlink_metadata(f.path("link.csv")).unwrap().is_symlink());
    assert_eq!(labels(&fs::read_to_string(f.path("target.csv")).unwrap()).len(), 60);
    assert_eq!(fs::metadata(f.path("target.csv")).unwrap().permissions().mode() & 0o777, 0o600);

    f.ok("predict m flowers.csv -o /dev/null");
    f.ok("fit flowers.csv --label kind -m centroid -q -o /dev/null");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let plain = f.ok("predict m flowers.csv");
    assert_eq!(f.ok("predict m flowers.csv -o /dev/stdout"), plain);

    // A model on standard output has it for itself.
    let out = f.run("fit flowers.csv --label kind -m centroid -q -o /dev/stdout");
    assert!(out.status.success() && out.stdout == fs::read(f.path("m")).unwrap());
    assert!(String::from_utf8(out.stderr).unwrap().contains("prototypes"));

    assert!(Command::new("mkfifo").arg(f.path("pipe")).status().unwrap().success());
    let reader = Command::new("cat").arg(f.path("pipe")).stdout(Stdio::piped()).spawn().unwrap();
    f.ok("predict m flowers.csv -o pipe");
    assert_eq!(String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap(), plain);
    assert!(fs::metadata(f.path("pipe")).unwrap().file_type().is_fifo());

    let script = format!("umask 027; '{PROTEA}' predict m flowers.csv -o new.csv");
    assert!(Command::new("sh").args(["-c", &script]).current_dir(f.0.path()).status().unwrap().success());
    assert_eq!(fs::metadata(f.path("new.csv")).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(f.files().iter().all(|name| !name.starts_with(".protea-")));
}

/// Waits for the first line on standard error, sends a signal, and gives the exit code.
#[cfg(unix)]
fn interrupted(f: &Folder, line: &str, signal: &str) -> Option<i32> {
    use std::io::{BufRead, BufReader};
    let mut command = f.interruptible(line);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().is_some(), "{line}");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let rest: Vec<String> = lines.map(|l| l.unwrap()).collect();
    assert!(rest.iter().any(|l| l.starts_with("interrupted: ")), "{line}: {rest:?}");
    child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn termination_saves_as_an_interrupt_does() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let f = Folder::new();
        let code = interrupted(&f, "fit letter --epochs 100000 --per-class 2 -o m", signal);
        assert_eq!((code, f.files()), (Some(130), vec!["m".to_string()]), "{signal}");
        assert_eq!(f.json("inspect m")["provenance"]["stopped"], "interrupted");
    }
}

#[cfg(unix)]
#[test]
fn signals_that_were_ignored_stay_ignored() {
    let f = fitted();
    let script = format!(
        "trap '' HUP; '{PROTEA}' fit letter -m kmeans --per-class 1 -o k & sleep 0.05; kill -HUP $!; wait $!"
    );
    let status =
        Command::new("bash").args(["-c", &script]).current_dir(f.0.path()).stdout(Stdio::null()).status();
    assert_eq!((status.unwrap().code(), f.path("k").exists()), (Some(0), true));
}

/// A signal while rows are being written leaves neither the file nor a part of it.
#[cfg(unix)]
#[test]
fn an_interrupted_table_leaves_nothing() {
    let f = fitted();
    let before = f.files();
    let mut child = f
        .command("predict m - -o out.csv")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, flowers(30).as_bytes()).unwrap();
    let unfinished = || f.files().iter().any(|name| name.starts_with(".protea-"));
    for _ in 0..500 {
        if unfinished() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(unfinished(), "the table is on its way");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(f.files(), before);
}

#[test]
fn messages_say_what_to_do() {
    let f = fitted();
    f.write("data.csv", flowers(9));
    let says = |code: i32, line: &str, words: &str| {
        let error = f.refused(code, line);
        assert!(error.contains(words), "{line}: {error}");
        assert_eq!(error.lines().filter(|l| l.starts_with("error")).count(), 1);
    };
    says(2, "predict m flowers.csv --explain 0", "expected a whole number ≥ 1");
    says(2, "train flowers.csv", "there is no command \"train\"; did you mean fit?");
    says(2, "evaluate m flowers.csv", "did you mean eval?");
    says(2, "fit flowers.csv", "--output <MODEL> is missing");
    says(1, "predict data.csv m", "m: is a model, and data.csv is not; give the model first");
    says(1, "eval wine m", "m: is a model, and wine is not; give the model first");
    says(1, "eval m m", "m: is a model, too; the second argument is a file of rows");
    says(
        2,
        "fit flowers.csv --epochs 18446744073709551615 -o x",
        "epochs = 18446744073709551615, expected none or a number",
    );
    says(2, "predict m flowers.csv -o x.txt", "ends in .csv, .json, .jsonl or .parquet");
    says(2, "predict m flowers.csv --json -o x.csv", "ends in .json or .jsonl, with --json");
    let out = f.run("fit flowers.csv -m centroid --threads 100000 -q -o n");
    let warning = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success() && warning.contains("100000 threads are more than"), "{warning}");
    // What prediction needs, and what the file has beyond it, which does not grow with the epochs.
    f.ok("fit flowers.csv --per-class 1 --epochs 2000 -q -o long");
    let shown = f.json("inspect long");
    let (needed, file) = (shown["bytes"].as_u64().unwrap(), shown["file_bytes"].as_u64().unwrap());
    assert_eq!(file, fs::metadata(f.path("long")).unwrap().len());
    assert!(needed < 200 && file < 12_000, "{needed} {file}");
    assert_eq!(shown["provenance"]["epochs"], 2000);
    let text = f.ok("inspect long");
    assert!(text.contains("bytes to predict with") && text.contains("kB in the file"), "{text}");
}

/// Names from files of others do not steer the terminal, and make no invalid pictures.
#[test]
fn names_are_shown_without_control_characters() {
    let f = Folder::new();
    let rows: String = (0..40)
        .map(|i| format!("{},{}\n", i % 2 * 9 + i % 5, ["a\u{1b}[31m\u{7}", "b\u{ffff}\u{202e}"][i % 2]))
        .collect();
    f.write("x.csv", format!("size\u{1b}]0;title\u{7},kind\n{rows}"));
    let out = f.run("fit x.csv --label kind -m kmeans --per-class 1 -o m");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let raw = |text: &[u8]| text.iter().any(|&b| b == 0x1b || b == 7);
    for line in [
        "inspect m",
        "eval m x.csv",
        "eval m x.csv --confusion --prototypes",
        "compare x.csv -m centroid --folds 2",
    ] {
        let out = f.run(line);
        assert!(out.status.success() && !raw(&out.stdout) && !raw(&out.stderr), "{line}");
    }
    assert!(f.ok("inspect m").contains("a\\u{1b}[31m\\u{7}"));
    assert!(!raw(&f.run("predict m gone\u{1b}.csv").stderr));
    // Data stay what they are for programs.
    assert!(f.ok("predict m x.csv").contains("a\u{1b}[31m\u{7}"));
    for figure in ["confusion", "prototypes"] {
        f.ok(&format!("plot m x.csv {figure} -o x.svg"));
        let svg = fs::read_to_string(f.path("x.svg")).unwrap();
        assert!(!svg.contains(['\u{1b}', '\u{7}', '\u{ffff}', '\u{202e}']), "{figure}");
    }
    f.ok("report m x.csv -o x.html");
    assert!(!fs::read_to_string(f.path("x.html")).unwrap().contains(['\u{1b}', '\u{7}', '\u{ffff}']));
    assert!(piped(&f, "predict m -", b"").stdout.is_empty());
}

/// What cannot be written is named as the user named it.
#[cfg(unix)]
#[test]
fn a_place_that_fails_is_named() {
    let f = Folder::new();
    f.ok("fit wine -m centroid -q -o m");
    std::os::unix::fs::symlink("loop", f.path("loop")).unwrap();
    for line in ["predict m wine -o loop", "fit wine -m centroid -q -o loop"] {
        let error = f.refused(1, line);
        assert!(error.contains("loop: ") && error.contains("too many symbolic links"), "{error}");
    }
    if std::path::Path::new("/dev/full").exists() {
        let error = f.refused(1, "predict m wine -o /dev/full");
        assert_eq!(error, "error: /dev/full: could not be written: no storage space\n");
    }
}
