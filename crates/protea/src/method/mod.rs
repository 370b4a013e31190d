//! The one list that knows every method: the command line, the docs and the conformance tests read it.

mod auto;
mod baselines;
mod coding;
mod dmpl;
mod glvq;
mod lpd;
mod lvq;
mod npc;
mod pnn;
mod traits;
mod typed;

pub use auto::{Auto, Bytes};

pub use crate::train::{Method, Need, Open, Reads};

use crate::coding::Coding;
use crate::objective::AnyObjective;
use crate::rule::AnyRule;
use crate::settings::{Values, unknown};
use crate::train::{AnyLearner, Code, Descent, LearnerKind, Online, Trainer};
use crate::{Error, Float, Result};

/// All methods, in the order in which they are shown.
pub const METHODS: &[Method] = &[
    npc::NPC,
    auto::AUTO,
    dmpl::DMPL,
    dmpl::KNPL,
    dmpl::LMNP,
    pnn::PNN,
    pnn::EPNN,
    lpd::LPD,
    lvq::LVQ1,
    lvq::LVQ2,
    lvq::LVQ3,
    lvq::OLVQ1,
    pnn::DSM,
    glvq::GLVQ,
    glvq::GRLVQ,
    glvq::GMLVQ,
    glvq::LGMLVQ,
    npc::RSLVQ,
    baselines::KMEANS,
    baselines::CENTROID,
    baselines::SAMPLE,
    baselines::CNN,
    baselines::ENN,
    baselines::DROP3,
    baselines::KNN,
    baselines::LMNN,
    baselines::NCA,
    coding::INN,
    coding::SRC,
    coding::CRC,
    coding::WCRC,
    coding::MP,
    coding::OMP,
    coding::LLE,
];

/// Samples that the choice of an open setting looks at, at most; and those that `auto` does.
pub(crate) const SEARCH_SAMPLES: usize = 12_500;

/// The method of that name.
pub fn method(name: &str) -> Result<&'static Method> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| Error::UnknownName {
        what: "method",
        name: name.into(),
        known: METHODS.iter().map(|m| m.name).collect::<Vec<_>>().join(", "),
    })
}

impl<F: Float> Trainer<F> {
    /// For a method by name, with its defaults.
    pub fn named(name: &str) -> Result<Self> {
        Self::for_method(method(name)?)
    }
}

/// A way to make a learner of settings.
type Build = fn(&Values) -> Result<Box<dyn AnyLearner>>;

/// By descent on an objective.
const fn descent(build: Build) -> LearnerKind {
    LearnerKind { facts: Descent::FACTS, build }
}

fn objective(objective: impl AnyObjective + 'static) -> Result<Box<dyn AnyLearner>> {
    Ok(Box::new(Descent(Box::new(objective))))
}

/// By a rule, one sample after the other.
const fn online(build: Build) -> LearnerKind {
    LearnerKind { facts: Online::FACTS, build }
}

fn rule(rule: impl AnyRule + 'static) -> Result<Box<dyn AnyLearner>> {
    Ok(Box::new(Online(Box::new(rule))))
}

/// By codes over all samples, or over the prototypes of another model.
const fn code(build: Build) -> LearnerKind {
    LearnerKind { facts: Code::FACTS, build }
}

fn coder(name: &str, values: &Values) -> Result<Box<dyn AnyLearner>> {
    Ok(Box::new(Code(Coding::parse(name, values)?)))
}

/// Refuses settings of a method that has none.
fn no_settings(method: &str, values: &Values) -> Result<()> {
    match values.keys().next() {
        Some(name) => Err(unknown(method, name, &[])),
        None => Ok(()),
    }
}
