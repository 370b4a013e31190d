//! From labelled samples to first prototypes.
//!
//! Some initialisers give as many prototypes of each class as they are asked for; the selectors `cnn`, `enn` and `drop3`
//! keep as many training samples as they find necessary.

mod boundary;
mod cnn;
mod drop3;
mod enn;
mod kmeans;
mod neighbours;

pub use kmeans::KMeans;
pub(crate) use neighbours::leave_one_out_errors;

use crate::kernel::check_finite;
use crate::settings::{SettingValue, named_enum, number_or_share};
use crate::{Dataset, Error, Float, Result, rng};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::index;

/// Labelled prototypes. While they are trained, they are sorted by class.
#[derive(Debug, Clone, PartialEq)]
pub struct Prototypes<F = f32> {
    /// Prototypes as rows, `m × dim`, row-major.
    pub x: Array2<F>,
    /// Class of each.
    pub y: Vec<usize>,
}

impl<F: Float> Prototypes<F> {
    /// Takes labelled rows in any order and sorts them by class; rows of a class keep their order.
    pub fn new(x: ArrayView2<F>, y: &[usize]) -> Result<Self> {
        if x.is_empty() {
            return Err(Error::Empty { what: "the list of prototypes".into() });
        }
        if x.nrows() != y.len() {
            return Err(Error::shape("labels, one for each prototype", x.nrows(), y.len()));
        }
        check_finite("the prototypes", x)?;
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by_key(|&j| y[j]);
        Ok(Prototypes { x: x.select(Axis(0), &order), y: order.iter().map(|&j| y[j]).collect() })
    }
}

named_enum! {
    /// How first prototypes are found.
    pub enum Init {
        /// k-means inside each class.
        KMeans = "kmeans",
        /// Random samples of each class.
        Sample = "sample",
        /// The mean of each class, once.
        Mean = "mean",
        /// k-means inside each class, closer together at its borders.
        Boundary = "boundary",
        /// The samples that 1-NN cannot do without.
        Cnn = "cnn",
        /// The samples that their neighbours agree with.
        Enn = "enn",
        /// The samples near the borders that their neighbourhood needs.
        Drop3 = "drop3",
    }
}

impl Init {
    /// Whether it decides itself how many prototypes each class gets.
    pub fn selects(self) -> bool {
        matches!(self, Init::Cnn | Init::Enn | Init::Drop3)
    }
}

/// How many prototypes each class gets: `15`, `5%` or `0.05` of its samples, `A=3,B=10,*=5`, or `auto`: as many as do best on
/// held-out samples, at most [`PerClass::MOST`].
#[derive(Debug, Clone, PartialEq)]
pub struct PerClass {
    rest: Option<Count>,
    named: Vec<(String, Count)>,
    chosen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Count {
    Number(usize),
    Share(f64),
}

impl Count {
    fn of(self, samples: usize) -> usize {
        let wanted = match self {
            Count::Number(n) => n,
            Count::Share(s) => ((samples as f64 * s).round() as usize).max(1),
        };
        wanted.min(samples)
    }
}

impl PerClass {
    /// The most prototypes of a class where their number is chosen.
    pub const MOST: usize = 16;

    /// The same number for every class.
    pub fn all(n: usize) -> Self {
        PerClass { rest: Some(Count::Number(n)), named: Vec::new(), chosen: false }
    }

    /// A number that is chosen on held-out samples; until then it counts as the most that it may be.
    pub fn auto() -> Self {
        PerClass { chosen: true, ..PerClass::all(Self::MOST) }
    }

    /// Whether the number is to be chosen.
    pub fn is_auto(&self) -> bool {
        self.chosen
    }

    /// `factor` times as many.
    pub(crate) fn times(&self, factor: f64) -> Self {
        let more = |c: Count| match c {
            Count::Number(n) => Count::Number(((n as f64 * factor + 1e-9) as usize).max(1)),
            Count::Share(s) => Count::Share(s * factor),
        };
        PerClass {
            rest: self.rest.map(more),
            named: self.named.iter().map(|(class, c)| (class.clone(), more(*c))).collect(),
            chosen: false,
        }
    }

    /// Prototypes of each class; a class with fewer samples than asked for gives all of them.
    pub fn counts<F: Float>(&self, data: &Dataset<F>) -> Result<Vec<usize>> {
        if let Some((name, _)) = self.named.iter().find(|(n, _)| !data.classes.contains(n)) {
            let known = data.classes.join(", ");
            return Err(Error::UnknownName { what: "class", name: name.clone(), known });
        }
        let counts = data.class_counts();
        data.classes
            .iter()
            .zip(counts)
            .map(|(class, samples)| {
                let named = self.named.iter().find(|(n, _)| n == class).map(|(_, c)| *c);
                let count = named.or(self.rest).ok_or_else(|| {
                    Error::setting(
                        "per-class",
                        self.show(),
                        format!("a number for class {class:?} too, or *=N"),
                    )
                })?;
                Ok(count.of(samples))
            })
            .collect()
    }
}

impl SettingValue for PerClass {
    fn parse(text: &str) -> Option<Self> {
        let count = |t: &str| {
            let (v, share) = number_or_share(t.trim())?;
            Some(if share { Count::Share(v) } else { Count::Number(v as usize) })
        };
        if text == "auto" {
            return Some(PerClass::auto());
        }
        let mut per_class = PerClass { rest: None, named: Vec::new(), chosen: false };
        for part in text.split(',') {
            match part.rsplit_once('=') {
                Some(("*", n)) => per_class.rest = Some(count(n)?),
                Some((class, n)) => per_class.named.push((class.trim().to_string(), count(n)?)),
                None if per_class.rest.is_none() => per_class.rest = Some(count(part)?),
                None => return None,
            }
        }
        Some(per_class)
    }

    fn show(&self) -> String {
        if self.chosen {
            return "auto".into();
        }
        let count = |c: &Count| match c {
            Count::Number(n) => n.to_string(),
            Count::Share(s) => format!("{}%", s * 100.0),
        };
        let named = self.named.iter().map(|(class, c)| format!("{class}={}", count(c)));
        match &self.rest {
            Some(rest) if self.named.is_empty() => count(rest),
            rest => named.chain(rest.iter().map(|r| format!("*={}", count(r)))).collect::<Vec<_>>().join(","),
        }
    }

    fn types() -> Vec<&'static str> {
        vec!["int", "float", "text"]
    }
}

/// Rows of the samples that a selector keeps, in class order. `cancelled` is asked several times a second; once it says so, the
/// selection is as far as it has come.
pub fn select<F: Float>(
    init: Init,
    data: &Dataset<F>,
    seed: u64,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<usize>> {
    let mut rows = match init {
        Init::Cnn => cnn::cnn(data, seed, cancelled),
        Init::Enn => enn::enn(data, cancelled),
        Init::Drop3 => drop3::drop3(data, cancelled),
        Init::KMeans | Init::Sample | Init::Mean | Init::Boundary => {
            return Err(Error::setting("init", init.show(), "cnn, enn or drop3, which select samples"));
        }
    };
    rows.sort_by_key(|&i| data.y[i]);
    Ok(rows)
}

/// First prototypes for `data`, `per_class` of them, found by `init`, k-means by the best of so many `starts`; selectors do not look
/// at the numbers. A class with fewer distinct samples than asked for has one prototype for each of them.
pub fn initialise<F: Float>(
    init: Init,
    starts: usize,
    data: &Dataset<F>,
    per_class: &PerClass,
    seed: u64,
) -> Result<Prototypes<F>> {
    let counts = per_class.counts(data)?;
    if init.selects() {
        let chosen = data.select(&select(init, data, seed, &|| false)?);
        return Ok(Prototypes { x: chosen.x, y: chosen.y });
    }
    let mut rng = rng(seed, "init");
    let weighted = (init == Init::Boundary).then(|| boundary::weights(data, seed));
    let weight = |i: usize| data.weight(i) * weighted.as_ref().map_or(1.0, |w| w[i]);
    let has_weights = data.weights.is_some() || weighted.is_some();
    let means = KMeans { starts, ..KMeans::default() };
    let mut x = Vec::new();
    let mut y = Vec::new();
    for (class, (rows, k)) in data.class_rows().into_iter().zip(counts).enumerate() {
        let weights: Option<Vec<f64>> = has_weights.then(|| rows.iter().map(|&i| weight(i)).collect());
        let samples = data.x.select(Axis(0), &rows);
        let found = match init {
            Init::KMeans | Init::Boundary => means.fit(samples.view(), weights.as_deref(), k, &mut rng),
            Init::Sample => {
                let mut chosen = index::sample(&mut rng, rows.len(), k).into_vec();
                chosen.sort_unstable();
                let drawn = samples.select(Axis(0), &chosen);
                drawn.select(Axis(0), &kmeans::distinct_rows(drawn.view(), k))
            }
            // Selectors have returned above.
            Init::Mean | Init::Cnn | Init::Enn | Init::Drop3 => {
                means.fit(samples.view(), weights.as_deref(), k.min(1), &mut rng)
            }
        };
        y.extend(std::iter::repeat_n(class, found.nrows()));
        x.extend(found);
    }
    let x = Array2::from_shape_vec((y.len(), data.dim()), x)?;
    Ok(Prototypes { x, y })
}

/// Samples of one feature whose classes are letters, for tests.
#[cfg(test)]
fn on_a_line(x: &[f64], letters: &str) -> Dataset<f64> {
    let y = letters.bytes().map(|b| (b - b'A') as usize).collect();
    let classes = ["A", "B", "C"].map(String::from).to_vec();
    let x = Array2::from_shape_fn((x.len(), 1), |(i, _)| x[i]);
    Dataset::new(x, y, classes).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array1;

    fn data() -> Dataset<f64> {
        let y: Vec<usize> = (0..60).map(|i| usize::from(i >= 40)).collect();
        let x = Array1::range(0.0, 60.0, 1.0).insert_axis(Axis(1));
        Dataset::new(x, y, vec!["A".into(), "B".into()]).unwrap()
    }

    #[test]
    fn counts_by_number_share_and_class() {
        let counts = |t: &str| PerClass::parse(t).unwrap().counts(&data());
        assert_eq!(counts("7").unwrap(), [7, 7]);
        assert_eq!(counts("30").unwrap(), [30, 20]);
        assert_eq!(counts("10%").unwrap(), [4, 2]);
        assert_eq!(counts("0.001").unwrap(), [1, 1]);
        assert_eq!(counts("A=3,B=10%").unwrap(), [3, 2]);
        assert_eq!(counts("B=1,*=5").unwrap(), [5, 1]);
        assert!(counts("A=3").unwrap_err().to_string().contains("class \"B\""));
        assert!(counts("C=3,*=1").unwrap_err().to_string().contains("unknown class \"C\""));
        assert_eq!(counts("auto").unwrap(), [16, 16]);
        for text in ["7", "10%", "A=3,B=10%", "B=1,*=5", "auto"] {
            assert_eq!(PerClass::parse(text).unwrap().show(), text);
        }
        for bad in ["", "0", "A=", "3,4", "A=0"] {
            assert!(PerClass::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn every_initialiser_gives_prototypes_inside_its_class() {
        for init in [Init::KMeans, Init::Sample, Init::Mean, Init::Boundary] {
            let p = initialise(init, 4, &data(), &PerClass::all(4), 1).unwrap();
            assert_eq!(p.y.len(), if init == Init::Mean { 2 } else { 8 });
            for (x, &y) in p.x.column(0).iter().zip(&p.y) {
                assert!(if y == 0 { (0.0..40.0).contains(x) } else { (40.0..60.0).contains(x) });
            }
            assert_eq!(p, initialise(init, 4, &data(), &PerClass::all(4), 1).unwrap());
        }
        let means = initialise(Init::Mean, 4, &data(), &PerClass::all(1), 1).unwrap();
        assert_eq!(means.x.column(0).to_vec(), [19.5, 49.5]);
    }

    /// The first class: later ones see other random numbers.
    #[test]
    fn of_more_starts_the_best_is_never_worse() {
        let data = data();
        let spread = |starts: usize, seed: u64| -> f64 {
            let p = initialise(Init::KMeans, starts, &data, &PerClass::all(7), seed).unwrap();
            let nearest =
                |x: f64| p.x.column(0).iter().map(|c| (x - c).powi(2)).fold(f64::INFINITY, f64::min);
            (0..40).map(|i| nearest(data.x[[i, 0]])).sum()
        };
        let pairs: Vec<(f64, f64)> = (0..10).map(|seed| (spread(1, seed), spread(12, seed))).collect();
        assert!(pairs.iter().all(|(one, twelve)| twelve <= one), "{pairs:?}");
        assert!(pairs.iter().any(|(one, twelve)| twelve < one), "{pairs:?}");
    }

    #[test]
    fn selectors_keep_samples_of_every_class_and_take_no_count() {
        for init in [Init::Cnn, Init::Enn, Init::Drop3] {
            let p = initialise(init, 4, &data(), &PerClass::all(4), 1).unwrap();
            assert_eq!(p, initialise(init, 4, &data(), &PerClass::all(9), 1).unwrap());
            assert!(p.y.is_sorted() && p.y.contains(&0) && p.y.contains(&1));
            assert!(
                p.x.column(0).iter().zip(&p.y).all(|(x, &y)| x.fract() == 0.0 && (*x >= 40.0) == (y == 1))
            );
            // 40 sees 39, 41 and, of the equals 38 and 42, the first: editing drops it.
            assert_eq!(p.y.len() == 59, init == Init::Enn);
        }
    }

    #[test]
    fn given_prototypes_are_sorted_by_class() {
        let p = Prototypes::new(ndarray::array![[1.0], [2.0], [3.0]].view(), &[1, 0, 1]).unwrap();
        assert_eq!((p.x.column(0).to_vec(), p.y), (vec![2.0, 1.0, 3.0], vec![0, 1, 1]));
        assert!(Prototypes::new(ndarray::array![[f64::NAN]].view(), &[0]).is_err());
        assert!(Prototypes::new(ndarray::array![[1.0]].view(), &[]).is_err());
    }
}
