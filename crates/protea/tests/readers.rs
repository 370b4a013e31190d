//! Readers: what is written is what is read, hostile bytes never panic, bad input gets a sentence.

use flate2::{Compression, write::GzEncoder};
use ndarray::{Array2, array};
use proptest::prelude::*;
use proptest::sample::Index;
use protea::data::{Body, Column, Missing, Schema, SchemaOptions, Table};
use protea::io::{ReadOptions, read, read_bytes, read_table};
use std::io::Write;
use std::path::Path;

const PARQUET: &[u8] = include_bytes!("../data/balance.parquet");

fn table(bytes: impl Into<Vec<u8>>) -> Result<Table<f64>, String> {
    read_bytes("x", bytes.into(), &ReadOptions::default()).map_err(|e| e.to_string())
}

fn error(bytes: impl Into<Vec<u8>>) -> String {
    table(bytes).unwrap_err()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn npy(descr: &str, fortran: bool, x: &Array2<f64>, encode: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
    let (order, (n, d)) = (if fortran { "True" } else { "False" }, x.dim());
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({n}, {d}), }}\n");
    let data: Vec<u8> = match fortran {
        true => x.t().iter().flat_map(|&v| encode(v)).collect(),
        false => x.iter().flat_map(|&v| encode(v)).collect(),
    };
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

fn idx(kind: u8, sizes: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes.iter().flat_map(|&s| (s as u32).to_be_bytes()).collect();
    [&[0, 0, kind, (sizes.len() / 4) as u8][..], &sizes, data].concat()
}

/// A zip archive of stored or deflated members.
fn zip(members: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let packed = if deflate {
            let mut z = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
            z.write_all(bytes).unwrap();
            z.finish().unwrap()
        } else {
            bytes.clone()
        };
        let mut common = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for v in [crc.sum(), packed.len() as u32, bytes.len() as u32] {
            common.extend(v.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        let start = (file.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &start, name.as_bytes()].concat());
        file.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
    }
    let (start, count) = ((file.len() as u32).to_le_bytes(), (members.len() as u16).to_le_bytes());
    file.extend(&directory);
    file.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count].concat());
    file.extend([&(directory.len() as u32).to_le_bytes()[..], &start, &[0, 0]].concat());
    file
}

fn archive(deflate: bool) -> Vec<u8> {
    let (x, y) = (array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], array![[7.0], [8.0], [7.0]]);
    let members = [
        ("y.npy", npy("<i8", false, &y, |v| (v as i64).to_le_bytes().to_vec())),
        ("X.npy", npy("<f8", false, &x, |v| v.to_le_bytes().to_vec())),
    ];
    zip(&members, deflate)
}

/// Valid files of every format.
fn samples() -> [Vec<u8>; 11] {
    let x = array![[1.0, 2.0], [3.0, 4.0]];
    [
        PARQUET.to_vec(),
        idx(0x08, &[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]),
        idx(0x0e, &[1, 1], &1.5f64.to_be_bytes()),
        npy("<f8", true, &x, |v| v.to_le_bytes().to_vec()),
        archive(true),
        archive(false),
        b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@data\n1,'y z'\n{0 2, 1 x}\n"
            .to_vec(),
        b"+1 1:0.5 3:2 # c\n-1 qid:1 2:1\n".to_vec(),
        b"a;b;\"c\nd\"\n1;x;2\n3;\"y\"\"\";?\n".to_vec(),
        b"1 2 a\n3 4 b\n".to_vec(),
        gzip(b"a,b,c\n1,2,x\n3,4,y\n"),
    ]
}

/// Reading and, if that works, learning must return; the result does not matter.
fn survives(bytes: Vec<u8>) {
    if let Ok(table) = table(bytes)
        && let Ok(schema) =
            Schema::learn(&table, &SchemaOptions { missing: Missing::Mean, ..Default::default() })
    {
        let _ = schema.dataset(table);
    }
}

/// One field of a delimited file, quoted if it must be or if `quote` asks for it.
fn field(value: &str, delimiter: char, quote: bool) -> String {
    if quote || value.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_string()
    }
}

fn matrix() -> impl Strategy<Value = Array2<f64>> {
    (1usize..8, 1usize..6).prop_flat_map(|(n, d)| {
        prop::collection::vec(-1e6..1e6f64, n * d)
            .prop_map(move |v| Array2::from_shape_vec((n, d), v).unwrap())
    })
}

fn damage() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 1..4);
    (0usize..11, changes, any::<Option<Index>>()).prop_map(|(which, changes, cut)| {
        let mut bytes = samples()[which].clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn csv_round_trip(
        x in matrix(),
        words in prop::collection::vec("[a-z][a-z,;|\"\n ]{0,6}[a-z]", 8),
        delimiter in prop::sample::select(vec![',', ';', '\t', '|']),
        end in prop::sample::select(vec!["\n", "\r\n", "\n\n", "\r\n\r\n"]),
        quote: bool,
        bom: bool,
        header: bool,
    ) {
        // Words that stand for missing values are not text.
        prop_assume!(words.iter().all(|w| w != "nan" && w != "null"));
        let separator = delimiter.to_string();
        let mut text = if bom { "\u{feff}".to_string() } else { String::new() };
        if header {
            let names: Vec<String> = (0..x.ncols()).map(|j| field(&format!("n{j}"), delimiter, quote)).collect();
            text += &format!("{}{delimiter}word{end}", names.join(&separator));
        }
        for (row, word) in x.rows().into_iter().zip(&words) {
            let cells: Vec<String> = row.iter().map(|v| field(&v.to_string(), delimiter, quote)).collect();
            text += &format!("{}{delimiter}{}{end}", cells.join(&separator), field(word, delimiter, quote));
        }
        let options = ReadOptions { header: Some(header), delimiter: Some(delimiter as u8), ..Default::default() };
        let t = read_bytes::<f64>("x", text.into_bytes(), &options).unwrap();
        prop_assert_eq!(t.named, header);
        let Body::Columns(columns) = &t.body else { panic!("no columns") };
        for (j, column) in columns[..x.ncols()].iter().enumerate() {
            prop_assert_eq!(column, &Column::Number(x.column(j).to_vec()));
        }
        let Column::Text { levels, codes } = &columns[x.ncols()] else { panic!("no text") };
        for (code, word) in codes.iter().zip(&words) {
            prop_assert_eq!(&levels[code.unwrap() as usize], word);
        }
    }

    #[test]
    fn sniffed_csv_round_trip(x in matrix(), delimiter in prop::sample::select(vec![",", ";", "\t", "|", " "])) {
        prop_assume!(x.ncols() > 1);
        let row = |r: ndarray::ArrayView1<f64>| r.iter().map(f64::to_string).collect::<Vec<_>>().join(delimiter);
        let text: String = x.rows().into_iter().map(|r| row(r) + "\n").collect();
        prop_assert_eq!(table(text).unwrap().body, Body::Dense(x));
    }

    #[test]
    fn libsvm_round_trip(mut x in matrix(), zeros in prop::collection::vec(any::<bool>(), 48)) {
        x.iter_mut().zip(&zeros).for_each(|(v, &zero)| *v = if zero { 0.0 } else { *v });
        let d = x.ncols();
        x[[0, d - 1]] = 1.0;
        let mut text = String::new();
        for (i, row) in x.rows().into_iter().enumerate() {
            text += &i.to_string();
            for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                text += &format!(" {}:{v}", j + 1);
            }
            text += "\n";
        }
        let t = table(text).unwrap();
        let labels: Vec<String> = (0..x.nrows()).map(|i| i.to_string()).collect();
        prop_assert_eq!((t.body, t.labels), (Body::Dense(x), Some(labels)));
    }

    #[test]
    fn npy_round_trip(x in matrix(), fortran: bool, zipped: bool) {
        let little = npy("<f8", fortran, &x, |v| v.to_le_bytes().to_vec());
        prop_assert_eq!(table(if zipped { gzip(&little) } else { little }).unwrap().body, Body::Dense(x.clone()));
        let big = npy(">f4", fortran, &x, |v| (v as f32).to_be_bytes().to_vec());
        prop_assert_eq!(table(big).unwrap().body, Body::Dense(x.mapv(|v| v as f32 as f64)));
        let whole = npy("<i4", fortran, &x, |v| (v as i32).to_le_bytes().to_vec());
        prop_assert_eq!(table(whole).unwrap().body, Body::Dense(x.mapv(|v| v as i32 as f64)));
    }

    #[test]
    fn idx_round_trip(x in matrix()) {
        let (n, d) = x.dim();
        let data: Vec<u8> = x.iter().flat_map(|v| v.to_be_bytes()).collect();
        prop_assert_eq!(table(idx(0x0e, &[n, 1, d], &data)).unwrap().body, Body::Dense(x.clone()));
        let data: Vec<u8> = x.iter().flat_map(|v| (*v as i32).to_be_bytes()).collect();
        prop_assert_eq!(table(idx(0x0c, &[n, d], &data)).unwrap().body, Body::Dense(x.mapv(|v| v as i32 as f64)));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        start in 0usize..11,
        text in "\\PC{0,60}",
    ) {
        survives(bytes.clone());
        survives(text.into_bytes());
        let head = &samples()[start];
        survives([&head[..head.len().min(12)], &bytes].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn damaged_files_never_panic(bytes in damage()) {
        survives(bytes);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_by_a_build_without_its_reader() {
    assert_eq!(error(PARQUET), "x: is a Parquet file, but protea was built without its feature `parquet`");
}

#[test]
fn every_truncation_is_survived() {
    for sample in samples() {
        (0..sample.len()).for_each(|end| survives(sample[..end].to_vec()));
    }
}

#[test]
fn archives_hold_samples_and_labels() {
    for deflate in [true, false] {
        let t = table(archive(deflate)).unwrap();
        assert_eq!(t.body, Body::Dense(array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]));
        assert_eq!(t.labels.unwrap(), ["7", "8", "7"]);
    }
    let mut damaged = archive(false);
    let at = damaged.windows(8).position(|w| w == 6f64.to_le_bytes()).unwrap();
    damaged[at] ^= 1;
    assert!(error(damaged).contains("\"X.npy\" of the archive is damaged"));
    let other = zip(&[("weights.npy", Vec::new())], false);
    assert_eq!(error(other), "x: holds no array named X, x, data, features, arr_0; it holds weights.npy");
}

#[test]
fn bad_input_gets_one_sentence() {
    assert_eq!(error(""), "x: is empty");
    assert_eq!(error("\n \n"), "x: holds no rows");
    assert!(error("a,b,c\n").starts_with("x: holds a header but no rows; if that is a row"));
    assert_eq!(
        error("a,b\n1,2\n3,4,5\n"),
        "x: row 3 has 3 fields, but the first row has 2; correct it, or leave out such rows"
    );
    let latin = b"a,b\n1,2\n3,\xe9\n".to_vec();
    assert_eq!(error(latin), "x: row 3 is not UTF-8 text; save the file as UTF-8");
    assert!(error(&gzip(b"a,b\n1,2\n")[..20]).contains("gzip file that ends too early"));
    #[cfg(feature = "parquet")]
    assert!(error(&PARQUET[..PARQUET.len() - 1]).contains("Parquet file that ends too early"));
    assert!(error("1,2\n3,-inf\n").starts_with("x, row 2, column f1: -inf is not a finite number"));
    assert!(error(b"\x7fELF\x02\0\0".to_vec()).starts_with("x: is neither text nor Parquet"));
    let e = read_bytes::<f32>("x", b"a,b\n1,2\n3,1e300\n".to_vec(), &ReadOptions::default()).unwrap_err();
    assert_eq!(e.to_string(), "x, row 3, column b: 1e300 is too large for f32; read it as f64");
    assert!(table("a,b\n1,2\n3,1e300\n").is_ok());
    let e = read_table::<f32>(Path::new("no/such.csv"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.starts_with("no/such.csv: cannot be read: "), "{e}");
}

#[test]
fn bad_tables_get_one_sentence() {
    let learn = |text: &str, label: &str| {
        let table = table(text).unwrap();
        let schema =
            Schema::learn(&table, &SchemaOptions { label: label.parse().unwrap(), ..Default::default() })
                .map_err(|e| e.to_string())?;
        schema.dataset(table).map_err(|e| e.to_string())
    };
    let e = learn("a,b,class\n1,NaN,0\n2,3,1\n", "auto").unwrap_err();
    assert!(e.starts_with("x, row 2, column b: the value is missing"), "{e}");
    let e = learn("a,b,class\n1,2,0\n2,3,\n", "auto").unwrap_err();
    assert_eq!(e, "x, row 3, column class: the label is missing; drop the row");
    let e = learn("a,b,class\n1,2,0\n", "klass").unwrap_err();
    assert_eq!(e, "x: there is no column \"klass\" among a, b, class; did you mean \"class\"?");
    let e = learn("a,b,c\n1,2,0.5\n3,4,1.5\n", "c").unwrap_err();
    assert!(e.starts_with("x, row 2, column c: 0.5 looks like a measurement"), "{e}");
    let many: String = (0..2001).map(|i| format!("{},{i}\n", i % 7)).collect();
    let e = learn(&many, "last").unwrap_err();
    assert!(e.contains("f1 has 2001 different values, which looks like a measurement"), "{e}");
    assert!(learn("1\n2\n", "last").unwrap_err().contains("one column only"));
    assert_eq!(learn("a,b,class\n1,2,0\n", "auto").unwrap().len(), 1);
}

#[test]
fn unseen_categories_and_classes_are_named() {
    let train = table("colour,class\nred,a\nblue,b\nred,b\n").unwrap();
    let schema = Schema::learn(&train, &SchemaOptions::default()).unwrap();
    let e = schema.features(table("colour,class\nred,a\ngreen,b\nred,b\n").unwrap()).unwrap_err().to_string();
    assert_eq!(e, "x, row 3, column colour: \"green\" was not seen in training; known are blue, red");
    let (_, y) = schema.features(table("colour,class\nred,a\nblue,c\nred,c\n").unwrap()).unwrap();
    assert_eq!(y.unwrap(), [Some(0), None, None]);
}

#[test]
fn ten_thousand_columns() {
    let names: Vec<String> = (0..10_000).map(|j| format!("c{j}")).collect();
    let row: Vec<String> = (0..10_000).map(|j| (j % 7).to_string()).collect();
    let text = format!("{},class\n{}\n", names.join(","), vec![row.join(",") + ",x"; 50].join("\n"));
    let t = table(text).unwrap();
    let data = Schema::learn(&t, &SchemaOptions { keep_all: true, ..Default::default() })
        .unwrap()
        .dataset(t)
        .unwrap();
    assert_eq!((data.len(), data.dim(), data.x[[49, 9_999]]), (50, 10_000, (9_999 % 7) as f64));
}

#[test]
fn labels_in_a_file_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.path().join(name), bytes).unwrap();
        dir.path().join(name)
    };
    // Images find the labels beside them, compressed or not.
    let images = write("a-images-idx3-ubyte.gz", &gzip(&idx(8, &[3, 1, 2], &[1, 2, 3, 4, 5, 6])));
    let learn = || read::<f32>(&images, &ReadOptions::default(), &SchemaOptions::default());
    assert!(learn().unwrap_err().to_string().contains("has no labels"));
    write("a-labels-idx1-ubyte", &idx(8, &[3], &[5, 0, 5]));
    let learned = learn().unwrap();
    let (schema, data) = (learned.schema, learned.data);
    assert_eq!((data.y, schema.classes.join(" ")), (vec![1, 0, 1], "0 5".to_string()));
    // Names, where the number of samples tells whether the first is a header.
    for text in ["cat\ndog\ndog\n", "animal\ncat\ndog\ndog\n"] {
        let options = ReadOptions { labels: Some(write("names.txt", text.as_bytes())), ..Default::default() };
        let t = read_table::<f32>(&images, &options).unwrap();
        assert_eq!(t.labels.unwrap(), ["cat", "dog", "dog"]);
    }
    let options = ReadOptions { labels: Some(write("names.txt", b"a\nb\na\nb\nb\n")), ..Default::default() };
    let e = read_table::<f32>(&images, &options).unwrap_err().to_string();
    assert!(e.contains("holds 5 labels, but") && e.ends_with("holds 3 samples"), "{e}");
}
