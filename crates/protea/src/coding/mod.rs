//! A query as a weighted sum of a few atoms of a dictionary, and classes from the weights.
//!
//! A *dictionary* is a set of rows: all training samples, or prototypes that another method learned. A *coder* writes a query
//! as `q ≈ Σ_j w_j x_j`; the coders differ in what they ask of the weights.
//!
//! | coder | weights |
//! |---|---|
//! | [`Inn`] | positive, by repeated nearest-neighbour search |
//! | [`Pursuit`] (`mp`, `omp`) | of any sign, one atom after the other by correlation |
//! | [`Lle`] | of any sign, summing to 1, on the nearest atoms |
//! | [`Src`] | of any sign, few because their absolute sum is penalised |
//! | [`Crc`] (`crc`, `wcrc`) | of any sign, on all atoms, the sum of squares being penalised |
//!
//! ```
//! use ndarray::array;
//! use protea::coding::{Dictionary, Inn, codes};
//! let dictionary = Dictionary::new(array![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]].view())?;
//! let coder = Inn { lambda: 0.5, ..Inn::default() }.over(dictionary)?;
//! let code = &codes(&coder, array![[0.6, 0.4]].view())?[0];
//! assert_eq!(code.atoms, [0, 1]);
//! assert!(code.residual < 0.05 && code.weights[0] > code.weights[1]);
//! # Ok::<(), protea::Error>(())
//! ```
//!
//! [`Coding`] is a coder by name with the rule that turns weights into a class; methods that keep one in their model are
//! registered like all others.

mod bags;
mod classify;
mod crc;
mod dictionary;
mod inn;
mod lasso;
mod lle;
mod mp;
mod omp;
mod pursuit;
mod refine;

pub use bags::{Patches, naive_bayes, pyramid};
pub use classify::CodeRule;
pub(crate) use classify::{decide, evidence, probabilities};
pub use crc::{Crc, Priors};
pub use dictionary::Dictionary;
pub use inn::{Inn, InnCoder};
pub use lasso::Src;
pub use lle::Lle;
pub use pursuit::Pursuit;

use crate::kernel::parallel::*;
use crate::settings::{Setting, Values, joined, settings, unknown};
use crate::{Dataset, Error, Float, Result};
use ndarray::ArrayView2;
use std::fmt::Debug;

/// Products that a block of queries may hold, so that memory is bounded for any dictionary.
const BLOCK_PRODUCTS: usize = 1 << 22;

/// A query as a weighted sum of atoms.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code<F> {
    /// Atoms that have a weight, in the order in which they were taken.
    pub atoms: Vec<usize>,
    /// Weight of each.
    pub weights: Vec<F>,
    /// Length of the difference between the query and the sum.
    pub residual: f64,
}

impl<F: Float> Code<F> {
    /// Adds to the weight of an atom.
    fn add(&mut self, atom: usize, weight: F) {
        match self.atoms.iter().position(|&a| a == atom) {
            Some(at) => self.weights[at] += weight,
            None => {
                self.atoms.push(atom);
                self.weights.push(weight);
            }
        }
    }

    /// The same without weights of zero.
    fn without_zeros(mut self) -> Self {
        let kept = |w: &F| *w != F::zero();
        let mut keep = self.weights.iter().map(kept);
        self.atoms.retain(|_| keep.next().unwrap_or(true));
        self.weights.retain(kept);
        self
    }
}

/// Writes queries as weighted sums of the atoms of its dictionary.
pub trait Coder<F: Float>: Send + Sync + Debug {
    /// The dictionary.
    fn dictionary(&self) -> &Dictionary<F>;

    /// Computes what all blocks share. Callers that code blocks in parallel call it first, outside of the parallel part: an
    /// initialiser that waits for the thread pool must not run where threads of the pool wait for it.
    fn prepare(&self) {}

    /// Codes of a block of queries, `n × dim`, row-major.
    fn code(&self, q: &[F]) -> Vec<Code<F>>;
}

/// Codes of all queries, in parallel blocks; refuses queries of another dimension than the atoms.
pub fn codes<F: Float>(coder: &dyn Coder<F>, q: ArrayView2<F>) -> Result<Vec<Code<F>>> {
    coder.prepare();
    in_blocks(coder.dictionary(), q, |_, block| coder.code(block))
}

/// Maps blocks of queries in parallel, results in order; `f` also gets the first row of its block.
pub(crate) fn in_blocks<F: Float, T: Send>(
    dictionary: &Dictionary<F>,
    q: ArrayView2<F>,
    f: impl Fn(usize, &[F]) -> Vec<T> + Send + Sync,
) -> Result<Vec<T>> {
    let dim = dictionary.dim();
    if q.ncols() != dim {
        return Err(Error::shape("features, as in the dictionary", dim, q.ncols()));
    }
    let rows = dictionary.block_rows();
    let q = q.as_standard_layout();
    let blocks = q.as_slice().expect("standard layout").par_chunks(rows * dim).enumerate();
    let parts: Vec<Vec<T>> = blocks.map(|(b, block)| f(b * rows, block)).collect();
    Ok(parts.into_iter().flatten().collect())
}

settings! {
    /// What all coders have.
    pub struct CodeDeciding {
        /// Class by the largest sum of weights, or by the smallest residual of its atoms.
        ///
        /// none means weights for inn and lle, residual for the other coders.
        by("by"): Option<CodeRule> = None;
    }
}

/// A coder with its settings.
#[derive(Debug, Clone, PartialEq)]
pub enum CoderKind {
    /// Iterative nearest neighbours.
    Inn(Inn),
    /// Matching pursuit.
    Mp(Pursuit),
    /// Orthogonal matching pursuit.
    Omp(Pursuit),
    /// Weights of locally linear embedding.
    Lle(Lle),
    /// Sparse representation by an ℓ1 penalty.
    Src(Src),
    /// Collaborative representation.
    Crc(Crc),
    /// Weighted collaborative representation.
    Wcrc(Crc),
}

/// How a model codes its samples and decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Coding {
    /// The coder.
    pub kind: CoderKind,
    /// How weights become a class.
    pub deciding: CodeDeciding,
    /// What `wcrc` learned about atoms and features.
    pub priors: Option<Priors>,
}

impl Coding {
    /// A coder by the name of its method; refuses unknown settings.
    pub fn parse(name: &str, values: &Values) -> Result<Self> {
        let Some((kind, settings)) = kind(name) else {
            let known: Vec<&str> = CODERS.iter().map(|(name, _)| *name).collect();
            return Err(Error::UnknownName { what: "coder", name: name.into(), known: known.join(", ") });
        };
        let mut coding = Coding { kind, deciding: CodeDeciding::default(), priors: None };
        for (setting, value) in values {
            if !coding.deciding.set(setting, value)? && !coding.kind.set(setting, value)? {
                return Err(unknown(name, setting, settings));
            }
        }
        Ok(coding)
    }

    /// Name of the coder.
    pub fn name(&self) -> &'static str {
        match self.kind {
            CoderKind::Inn(_) => "inn",
            CoderKind::Mp(_) => "mp",
            CoderKind::Omp(_) => "omp",
            CoderKind::Lle(_) => "lle",
            CoderKind::Src(_) => "src",
            CoderKind::Crc(_) => "crc",
            CoderKind::Wcrc(_) => "wcrc",
        }
    }

    /// Every setting with its value.
    pub fn values(&self) -> Values {
        let mut values = match &self.kind {
            CoderKind::Inn(s) => s.values(),
            CoderKind::Mp(s) | CoderKind::Omp(s) => s.values(),
            CoderKind::Lle(s) => s.values(),
            CoderKind::Src(s) => s.values(),
            CoderKind::Crc(s) | CoderKind::Wcrc(s) => s.values(),
        };
        values.extend(self.deciding.values());
        values
    }

    /// How weights become a class.
    pub fn by(&self) -> CodeRule {
        let own = if matches!(self.kind, CoderKind::Inn(_) | CoderKind::Lle(_)) {
            CodeRule::Weights
        } else {
            CodeRule::Residual
        };
        match (&self.kind, self.deciding.by.unwrap_or(own)) {
            // Dense codes leave a little of every class: the papers divide by the length of its weights.
            (CoderKind::Crc(_) | CoderKind::Wcrc(_), CodeRule::Residual) => CodeRule::Ratio,
            (_, by) => by,
        }
    }

    /// Learns what the coder takes from labelled samples before it codes over them.
    pub(crate) fn learn<F: Float>(&mut self, data: &Dataset<F>, cancelled: &dyn Fn() -> bool) {
        if matches!(self.kind, CoderKind::Wcrc(_)) {
            self.priors = Some(Priors::learn(data, cancelled));
        }
    }

    /// The coder over a dictionary.
    pub fn over<F: Float>(&self, dictionary: Dictionary<F>) -> Result<Box<dyn Coder<F>>> {
        Ok(match &self.kind {
            CoderKind::Inn(s) => Box::new(s.over(dictionary)?),
            CoderKind::Mp(s) => Box::new(mp::Mp::over(s, dictionary)?),
            CoderKind::Omp(s) => Box::new(omp::Omp::over(s, dictionary)?),
            CoderKind::Lle(s) => Box::new(s.over(dictionary)?),
            CoderKind::Src(s) => Box::new(s.over(dictionary)?),
            CoderKind::Crc(s) => Box::new(s.over(dictionary, None)?),
            CoderKind::Wcrc(s) => Box::new(s.over(dictionary, self.priors.as_ref())?),
        })
    }
}

impl CoderKind {
    fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        match self {
            CoderKind::Inn(s) => s.set(name, value),
            CoderKind::Mp(s) | CoderKind::Omp(s) => s.set(name, value),
            CoderKind::Lle(s) => s.set(name, value),
            CoderKind::Src(s) => s.set(name, value),
            CoderKind::Crc(s) | CoderKind::Wcrc(s) => s.set(name, value),
        }
    }
}

/// Coders by the name of their method, with their settings.
pub const CODERS: &[(&str, &[Setting])] = &[
    (
        "inn",
        &joined::<{ Inn::SETTINGS.len() + CodeDeciding::SETTINGS.len() }>(&[
            Inn::SETTINGS,
            CodeDeciding::SETTINGS,
        ]),
    ),
    (
        "src",
        &joined::<{ Src::SETTINGS.len() + CodeDeciding::SETTINGS.len() }>(&[
            Src::SETTINGS,
            CodeDeciding::SETTINGS,
        ]),
    ),
    ("crc", CRC),
    ("wcrc", CRC),
    ("mp", PURSUIT),
    ("omp", PURSUIT),
    (
        "lle",
        &joined::<{ Lle::SETTINGS.len() + CodeDeciding::SETTINGS.len() }>(&[
            Lle::SETTINGS,
            CodeDeciding::SETTINGS,
        ]),
    ),
];
const PURSUIT: &[Setting] = &joined::<{ Pursuit::SETTINGS.len() + CodeDeciding::SETTINGS.len() }>(&[
    Pursuit::SETTINGS,
    CodeDeciding::SETTINGS,
]);
const CRC: &[Setting] = &joined::<{ Crc::SETTINGS.len() + CodeDeciding::SETTINGS.len() }>(&[
    Crc::SETTINGS,
    CodeDeciding::SETTINGS,
]);

/// The coder of a name with its defaults, and its settings.
fn kind(name: &str) -> Option<(CoderKind, &'static [Setting])> {
    let (name, settings) = CODERS.iter().find(|(n, _)| *n == name)?;
    let kind = match *name {
        "mp" => CoderKind::Mp(Pursuit::default()),
        "omp" => CoderKind::Omp(Pursuit::default()),
        "lle" => CoderKind::Lle(Lle::default()),
        "src" => CoderKind::Src(Src::default()),
        "crc" => CoderKind::Crc(Crc::default()),
        "wcrc" => CoderKind::Wcrc(Crc::default()),
        _ => CoderKind::Inn(Inn::default()),
    };
    Some((kind, settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coders_are_read_back_from_their_settings() {
        for &(name, settings) in CODERS {
            let coding = Coding::parse(name, &Values::new()).unwrap();
            assert_eq!(coding.name(), name);
            assert_eq!(coding.values().len(), settings.len());
            assert_eq!(Coding::parse(name, &coding.values()).unwrap(), coding);
        }
        let error = Coding::parse("knn", &Values::new()).unwrap_err().to_string();
        assert_eq!(error, "unknown coder \"knn\"; did you mean inn?");
        let wrong = Values::from([("l1".to_string(), "1".to_string())]);
        assert!(Coding::parse("inn", &wrong).unwrap_err().to_string().contains("lambda"));
    }

    #[test]
    fn weights_of_an_atom_add_up() {
        let mut code = Code::<f64>::default();
        [(3, 0.5), (1, 0.25), (3, -0.5)].iter().for_each(|&(atom, w)| code.add(atom, w));
        assert_eq!((&code.atoms[..], &code.weights[..]), (&[3, 1][..], &[0.0, 0.25][..]));
        assert_eq!(code.without_zeros().atoms, [1]);
    }
}
