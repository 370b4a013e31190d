//! Data sets by name: small ones that ship inside the crate, larger ones in a folder.
//!
//! `letter` is a whole set, `letter:train` and `letter:test` are its canonical parts. The whole of a set that comes
//! in parts is the training part followed by the test part; the parts of `usps` differ in nature, so that results
//! on the whole of it say little. Sources and licences of the shipped files are in `data/README.md` of the crate.
//!
//! ```
//! # #[cfg(feature = "datasets")] {
//! use protea::catalog::{load, parse};
//! let (set, part) = parse("letter:test").unwrap();
//! let data = load::<f32>(set.name, part, None)?;
//! assert_eq!((data.len(), data.dim(), data.n_classes()), (4000, 16, 26));
//! # }
//! # Ok::<(), protea::Error>(())
//! ```

use crate::data::{Dataset, SchemaOptions, learn};
use crate::io::{ReadOptions, read_bytes, read_table};
use crate::{Error, Float, Result, rng};
use ndarray::{Axis, concatenate};
use rand::seq::SliceRandom;
use std::path::{Path, PathBuf};

use Files::{Drawn, Parts, Ranges, Whole};

/// A data set that can be asked for by name.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Its files.
    pub files: Files,
    /// Height and width, where samples are images.
    pub image: Option<(usize, usize)>,
    /// Number of samples in all.
    pub rows: usize,
    /// Number of features.
    pub features: usize,
    /// Number of classes.
    pub classes: usize,
    /// Terms of use.
    pub licence: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it is inside the crate.
    pub shipped: bool,
}

/// The files of a set and how they make its parts.
#[derive(Debug)]
pub enum Files {
    /// No parts; the files follow each other.
    Whole(&'static [&'static str]),
    /// One file for each part.
    Parts {
        /// Training part.
        train: &'static str,
        /// Test part.
        test: &'static str,
    },
    /// One file that starts with the training part.
    Ranges {
        /// The file.
        file: &'static str,
        /// Rows of the training part.
        train: usize,
    },
    /// Files that follow each other, of which some rows were drawn once and for all as the test part.
    Drawn {
        /// The files.
        files: &'static [&'static str],
        /// Rows of the test part.
        test: usize,
    },
}

/// Which samples of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// The canonical training part.
    Train,
    /// The canonical test part.
    Test,
}

/// Whether the small sets are inside the crate.
const SHIPS: bool = cfg!(feature = "datasets");

const CC_BY: &str = "CC BY 4.0";

/// A row of the table below.
const fn set(
    name: &'static str,
    title: &'static str,
    files: Files,
    (rows, features, classes): (usize, usize, usize),
    licence: &'static str,
    source: &'static str,
) -> Entry {
    Entry { name, title, files, image: None, rows, features, classes, licence, source, shipped: SHIPS }
}

/// A set of images that does not ship with the crate.
const fn images(set: Entry, height: usize, width: usize) -> Entry {
    Entry { image: Some((height, width)), shipped: false, ..set }
}

/// All sets.
pub static CATALOG: &[Entry] = &[
    set(
        "australian",
        "credit card applications",
        Whole(&["australian.parquet"]),
        (690, 14, 2),
        CC_BY,
        "UCI / Statlog",
    ),
    set(
        "balance",
        "which way a balance scale tips",
        Whole(&["balance.parquet"]),
        (625, 4, 3),
        CC_BY,
        "UCI Balance Scale, R. Siegler and T. Hume, 1994",
    ),
    set(
        "cancer",
        "breast tumours, benign or malignant",
        Whole(&["cancer.parquet"]),
        (683, 9, 2),
        CC_BY,
        "UCI Breast Cancer Wisconsin (Original), W. Wolberg, 1992",
    ),
    set(
        "diabetes",
        "onset of diabetes among Pima women",
        Whole(&["diabetes.parquet"]),
        (768, 8, 2),
        "CC0",
        "NIDDK, V. Sigillito, 1990",
    ),
    set(
        "dna",
        "splice junctions in DNA",
        Ranges { file: "dna.parquet", train: 2000 },
        (3186, 180, 3),
        CC_BY,
        "Statlog, from UCI Molecular Biology (Splice-junction), 1991",
    ),
    set("german", "credit risk", Whole(&["german.parquet"]), (1000, 24, 2), CC_BY, "UCI / Statlog"),
    set(
        "glass",
        "kinds of glass by their chemistry",
        Whole(&["glass.parquet"]),
        (214, 9, 6),
        CC_BY,
        "UCI Glass Identification, B. German, 1987",
    ),
    set("heart", "heart disease", Whole(&["heart.parquet"]), (270, 13, 2), CC_BY, "UCI / Statlog"),
    set(
        "letter",
        "printed capital letters",
        Parts { train: "letter-train.parquet", test: "letter-test.parquet" },
        (20000, 16, 26),
        CC_BY,
        "UCI Letter Recognition, P. Frey and D. Slate, 1991",
    ),
    set(
        "liver",
        "liver disorders by blood tests",
        Whole(&["liver.parquet"]),
        (345, 6, 2),
        CC_BY,
        "UCI Liver Disorders (BUPA), R. Forsyth, 1990",
    ),
    set(
        "satimage",
        "soil and crops in satellite images",
        Ranges { file: "satimage.parquet", train: 4435 },
        (6435, 36, 6),
        CC_BY,
        "UCI / Statlog",
    ),
    set(
        "vehicle",
        "silhouettes of vehicles",
        Whole(&["vehicle.parquet"]),
        (846, 18, 4),
        CC_BY,
        "UCI / Statlog",
    ),
    set(
        "vote",
        "parties by votes in the US House of Representatives, 1984",
        Whole(&["vote.parquet"]),
        (435, 16, 2),
        CC_BY,
        "UCI Congressional Voting Records, J. Schlimmer, 1987",
    ),
    set(
        "wine",
        "growers of wine by its chemistry",
        Whole(&["wine.parquet"]),
        (178, 13, 3),
        CC_BY,
        "UCI Wine, M. Forina et al., 1991",
    ),
    images(
        set(
            "chars74k",
            "characters in photographs, by hand and in print",
            Drawn {
                files: &["chars74k-img.parquet", "chars74k-hnd.parquet", "chars74k-fnt.parquet"],
                test: 7400,
            },
            (74107, 64, 62),
            "none stated",
            "T. de Campos, B. Babu and M. Varma, 2009",
        ),
        8,
        8,
    ),
    images(
        set(
            "gtsrb",
            "German traffic signs",
            Parts { train: "gtsrb-train-images-idx3-ubyte.gz", test: "gtsrb-test-images-idx3-ubyte.gz" },
            (51839, 1024, 43),
            "none stated",
            "German Traffic Sign Recognition Benchmark, J. Stallkamp et al., 2012",
        ),
        32,
        32,
    ),
    images(
        set(
            "mnist",
            "handwritten digits",
            Parts { train: "mnist-train-images-idx3-ubyte.gz", test: "mnist-test-images-idx3-ubyte.gz" },
            (70000, 784, 10),
            "CC BY-SA 3.0",
            "Y. LeCun, C. Cortes and C. Burges, 1998",
        ),
        28,
        28,
    ),
    images(
        set(
            "orl",
            "faces",
            Whole(&["orl-images-idx3-ubyte.gz"]),
            (400, 1024, 40),
            "free with credit",
            "AT&T Laboratories Cambridge, 1994",
        ),
        32,
        32,
    ),
    images(
        set(
            "usps",
            "handwritten digits on envelopes",
            Parts { train: "usps-train.parquet", test: "usps-test.parquet" },
            (9298, 256, 10),
            "none stated; research use",
            "Y. LeCun et al., 1990, as in The Elements of Statistical Learning",
        ),
        16,
        16,
    ),
    images(
        set(
            "yaleb",
            "faces under changing light, Extended Yale B",
            Whole(&["yaleb-images-idx3-ubyte.gz"]),
            (2414, 1024, 38),
            "research use, with credit",
            "A. Georghiades et al., 2001; K. Lee et al., 2005",
        ),
        32,
        32,
    ),
];

#[cfg(feature = "datasets")]
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../data/", $name)))),*]
    };
}

/// The files inside the crate.
#[cfg(not(feature = "datasets"))]
static SHIPPED: &[(&str, &[u8])] = &[];

/// The files inside the crate.
#[cfg(feature = "datasets")]
static SHIPPED: &[(&str, &[u8])] = shipped![
    "australian.parquet",
    "balance.parquet",
    "cancer.parquet",
    "diabetes.parquet",
    "dna.parquet",
    "german.parquet",
    "glass.parquet",
    "heart.parquet",
    "letter-test.parquet",
    "letter-train.parquet",
    "liver.parquet",
    "satimage.parquet",
    "vehicle.parquet",
    "vote.parquet",
    "wine.parquet",
];

/// The set and part that `name`, `name:train` or `name:test` means; `None` if there is no such set or part.
pub fn parse(spec: &str) -> Option<(&'static Entry, Part)> {
    let (name, part) = match spec.split_once(':') {
        None => (spec, Part::All),
        Some((name, "train")) => (name, Part::Train),
        Some((name, "test")) => (name, Part::Test),
        Some(_) => return None,
    };
    CATALOG.iter().find(|s| s.name == name).map(|s| (s, part))
}

fn find(name: &str) -> Result<&'static Entry> {
    CATALOG.iter().find(|s| s.name == name).ok_or_else(|| {
        let known: Vec<&str> = CATALOG.iter().map(|s| s.name).collect();
        Error::UnknownName { what: "data set", name: name.into(), known: known.join(", ") }
    })
}

/// Loads a part of a set; `data_dir` is the folder of the sets that do not ship with the crate.
pub fn load<F: Float>(name: &str, part: Part, data_dir: Option<&Path>) -> Result<Dataset<F>> {
    let set = find(name)?;
    let one = |file: &str| load_file::<F>(set, file, data_dir);
    match (&set.files, part) {
        (Whole(files) | Drawn { files, .. }, Part::All) => {
            join(files.iter().map(|f| one(f)).collect::<Result<_>>()?)
        }
        (Whole(_), _) => Err(Error::unsupported(format!(
            "{name} has no canonical training and test part; load all of it and hold out a part of your own"
        ))),
        (Parts { train, test }, Part::All) => join(vec![one(train)?, one(test)?]),
        (Parts { train, .. }, Part::Train) => one(train),
        (Parts { test, .. }, Part::Test) => one(test),
        (Ranges { file, .. }, Part::All) => one(file),
        (Ranges { file, train }, part) => {
            let data = one(file)?;
            let rows = if part == Part::Train { 0..*train } else { *train..data.len() };
            Ok(data.select(&rows.collect::<Vec<_>>()))
        }
        (Drawn { files, test }, part) => {
            let data = join(files.iter().map(|f| one(f)).collect::<Result<_>>()?)?;
            let (train, test) = drawn(data.len(), *test);
            Ok(data.select(if part == Part::Train { &train } else { &test }))
        }
    }
}

/// Training and test rows of a set that comes without parts, ascending: `test` of `rows` drawn evenly, always the same.
fn drawn(rows: usize, test: usize) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut rng(0, "drawn"));
    let mut train = order.split_off(test.min(rows));
    order.sort_unstable();
    train.sort_unstable();
    (train, order)
}

/// Whether all files of a set are there; where not, what to do.
pub fn available(name: &str, data_dir: Option<&Path>) -> Result<()> {
    let set = find(name)?;
    let files: Vec<&str> = match &set.files {
        Whole(files) | Drawn { files, .. } => files.to_vec(),
        Parts { train, test } => vec![train, test],
        Ranges { file, .. } => vec![file],
    };
    files.into_iter().try_for_each(|file| place(set, file, data_dir).map(drop))
}

/// Where a file of a set is.
enum Place {
    Inside(&'static str, &'static [u8]),
    File(PathBuf),
}

fn place(set: &Entry, file: &str, data_dir: Option<&Path>) -> Result<Place> {
    let shipped = SHIPPED.iter().find(|(name, _)| *name == file);
    let missing = |folder: Option<&Path>| Error::MissingData {
        set: set.name.into(),
        file: file.into(),
        folder: folder.map(Path::to_path_buf),
    };
    match (shipped, data_dir) {
        (Some((name, bytes)), _) => Ok(Place::Inside(name, bytes)),
        (None, Some(dir)) => {
            let plain = file.strip_suffix(".gz").unwrap_or(file);
            let found = [file, plain].iter().map(|f| dir.join(f)).find(|p| p.is_file());
            found.map(Place::File).ok_or_else(|| missing(Some(dir)))
        }
        (None, None) if !SHIPS && set.image.is_none() => Err(Error::unsupported(format!(
            "{} does not ship with protea built without its feature `datasets`; give a folder that holds {file}",
            set.name
        ))),
        (None, None) => Err(missing(None)),
    }
}

fn load_file<F: Float>(set: &Entry, file: &str, data_dir: Option<&Path>) -> Result<Dataset<F>> {
    let table = match place(set, file, data_dir)? {
        Place::Inside(name, bytes) => read_bytes(name, bytes.to_vec(), &ReadOptions::default())?,
        Place::File(path) => read_table(&path, &ReadOptions::default())?,
    };
    Ok(learn(table, &SchemaOptions { keep_all: true, ..Default::default() })?.data)
}

/// Data sets of the same classes, one after the other.
fn join<F: Float>(mut parts: Vec<Dataset<F>>) -> Result<Dataset<F>> {
    if parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    let classes = parts[0].classes.clone();
    if parts.iter().any(|p| p.classes != classes) {
        return Err(Error::different_classes("the first file of the set", "another one"));
    }
    let views: Vec<_> = parts.iter().map(|p| p.x.view()).collect();
    let x = concatenate(Axis(0), &views)?;
    let y = parts.iter().flat_map(|p| p.y.iter().copied()).collect();
    Dataset::new(x, y, classes)?.with_features(parts.remove(0).features)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "datasets")]
    #[test]
    fn shipped_sets_are_what_the_catalogue_says() {
        for set in CATALOG.iter().filter(|s| s.shipped) {
            let d = load::<f32>(set.name, Part::All, None).unwrap();
            assert_eq!(
                (d.len(), d.dim(), d.n_classes()),
                (set.rows, set.features, set.classes),
                "{}",
                set.name
            );
            assert!(d.class_counts().iter().all(|&n| n > 0), "{}", set.name);
        }
    }

    #[cfg(feature = "datasets")]
    #[test]
    fn parts_are_the_canonical_ones() {
        let rows = |name, part| load::<f32>(name, part, None).map(|d| d.len()).map_err(|e| e.to_string());
        assert_eq!((rows("letter", Part::Train), rows("letter", Part::Test)), (Ok(16000), Ok(4000)));
        assert_eq!((rows("satimage", Part::Train), rows("satimage", Part::Test)), (Ok(4435), Ok(2000)));
        assert_eq!((rows("dna", Part::Train), rows("dna", Part::Test)), (Ok(2000), Ok(1186)));
        assert!(
            rows("wine", Part::Train)
                .unwrap_err()
                .starts_with("wine has no canonical training and test part")
        );
        // Published class counts of the test part: ei, ie, n.
        assert_eq!(load::<f32>("dna", Part::Test, None).unwrap().class_counts(), [303, 280, 603]);
        assert_eq!(load::<f32>("letter", Part::Test, None).unwrap().classes[25], "Z");
    }

    #[test]
    fn a_drawn_part_is_always_the_same_and_leaves_the_rest() {
        let (train, test) = drawn(74107, 7400);
        assert_eq!((train.len(), test.len()), (66707, 7400));
        // A change of these rows would change every published figure.
        assert_eq!(test[..3], [2, 3, 12]);
        let mut all = [train, test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..74107));
    }

    #[test]
    fn names_are_parsed() {
        assert_eq!(parse("letter:test").map(|(s, p)| (s.name, p)), Some(("letter", Part::Test)));
        assert_eq!(parse("mnist").map(|(s, p)| (s.name, p)), Some(("mnist", Part::All)));
        assert!(parse("letter:valid").is_none() && parse("letters").is_none());
    }

    #[test]
    fn what_is_not_there_is_said() {
        let e = load::<f32>("mnist", Part::Test, None).unwrap_err().to_string();
        assert!(e.ends_with("holds mnist-test-images-idx3-ubyte.gz"), "{e}");
        let dir = tempfile::tempdir().unwrap();
        let e = load::<f32>("usps", Part::Train, Some(dir.path())).unwrap_err().to_string();
        assert!(e.contains("there is no file usps-train.parquet in the folder"), "{e}");
        assert_eq!(available("usps", Some(dir.path())).unwrap_err().to_string(), e);
        assert_eq!(available("letter", None).is_ok(), cfg!(feature = "datasets"));
        assert!(e.contains("usps does not ship with protea, and"), "{e}");
        assert!(load::<f32>("nothing", Part::All, None).unwrap_err().to_string().contains("letter"));
    }
    #[cfg(not(feature = "datasets"))]
    #[test]
    fn a_build_without_the_sets_says_so() {
        let e = load::<f32>("wine", Part::All, None).unwrap_err().to_string();
        assert!(
            e.starts_with("wine does not ship with protea built without its feature `datasets`; name"),
            "{e}"
        );
        assert!(CATALOG.iter().all(|set| !set.shipped));
    }
}
