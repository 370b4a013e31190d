//! Every method by name: the command line, the docs and the conformance tests read this list.

use super::{AnyObjective, AnyRule, Pnn, dmpl, glvq, lpd, lvq, npc, pnn};
use crate::coding::{self, Coding};
use crate::metric::MetricKind;
use crate::represent::{lmnn, nca};
use crate::settings::{Setting, Values, unknown};
use crate::train::AUTO;
use crate::{Error, Result};

/// A method as users name it.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Name on the command line, in Python, in model files, and of the source file.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The paper, or where the method comes from.
    pub reference: &'static str,
    /// Settings of its own.
    pub settings: &'static [Setting],
    /// Training settings that differ from the common defaults.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Combinations of its own settings that tests run besides the defaults.
    pub variants: &'static [&'static [(&'static str, &'static str)]],
    /// Its page among the documents, without folder and ending.
    pub page: &'static str,
    /// Settings of its own that are chosen on a part of the training samples where they are not given.
    pub open: &'static [Open],
    /// Metrics it can have.
    pub metrics: &'static [MetricKind],
    /// How it learns.
    pub learner: Learner,
}

/// A setting whose best value depends on the data.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// Its name; its default is `none`.
    pub name: &'static str,
    /// Values to try.
    pub candidates: &'static [&'static str],
}

/// Metrics of methods that descend on an objective: learned together with the prototypes, or fixed.
pub(crate) const LEARNABLE: &[MetricKind] = &[
    MetricKind::Euclidean,
    MetricKind::Diagonal,
    MetricKind::Linear,
    MetricKind::Local,
    MetricKind::LocalLinear,
    MetricKind::Lmnn,
    MetricKind::Nca,
];

/// Metrics of methods that learn a metric alone.
pub(super) const METRIC_ONLY: &[MetricKind] =
    &[MetricKind::Diagonal, MetricKind::Linear, MetricKind::Local, MetricKind::LocalLinear];

/// Metrics of methods that learn prototypes alone, or nothing.
pub(super) const FIXED: &[MetricKind] = &[MetricKind::Euclidean, MetricKind::Lmnn, MetricKind::Nca];

/// Metrics of methods that keep all samples.
pub(crate) const OF_SAMPLES: &[MetricKind] =
    &[MetricKind::Euclidean, MetricKind::Lmnn, MetricKind::Nca, MetricKind::Cdvw];

/// How a method comes to its prototypes.
#[derive(Debug, Clone, Copy)]
pub enum Learner {
    /// By descent on an objective; the function rejects unknown settings.
    Objective(fn(&Values) -> Result<Box<dyn AnyObjective>>),
    /// By moving prototypes for one sample after the other; the function rejects unknown settings.
    Online(fn(&Values) -> Result<Box<dyn AnyRule>>),
    /// As one or several parametric nearest neighbours with these settings.
    Parametric(fn(&Values) -> Result<Pnn>),
    /// It keeps the prototypes that the initialiser found.
    Initialiser,
    /// It keeps every training sample.
    Samples,
    /// It keeps every training sample, or the prototypes of another model, and decides by codes over them.
    Coder(fn(&Values) -> Result<Coding>),
    /// It tries other methods and settings on a part of the training samples.
    Search,
}

/// All methods, in the order in which they are shown.
pub const METHODS: &[Method] = &[
    npc::METHOD,
    AUTO,
    dmpl::DMPL,
    dmpl::KNPL,
    dmpl::LMNP,
    pnn::PNN,
    pnn::EPNN,
    lpd::METHOD,
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
    Method {
        name: "kmeans",
        summary: "k-means inside each class, labelled with the class",
        reference: "Lloyd: Least Squares Quantization in PCM, IEEE Trans. Information Theory, 1982",
        settings: &[],
        defaults: &[("init", "kmeans")],
        variants: &[],
        page: "baselines",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "centroid",
        summary: "the mean of each class",
        reference: "baseline",
        settings: &[],
        defaults: &[("init", "mean"), ("per-class", "1")],
        variants: &[],
        page: "baselines",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "sample",
        summary: "random training samples of each class",
        reference: "baseline",
        settings: &[],
        defaults: &[("init", "sample")],
        variants: &[],
        page: "baselines",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "cnn",
        summary: "condensed nearest neighbours: the training samples that 1-NN cannot do without",
        reference: "Hart: The Condensed Nearest Neighbor Rule, IEEE Trans. Information Theory, 1968",
        settings: &[],
        defaults: &[("init", "cnn")],
        variants: &[],
        page: "selectors",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "enn",
        summary: "edited nearest neighbours: the training samples that their 3 nearest others agree with",
        reference: "Wilson: Asymptotic Properties of Nearest Neighbor Rules Using Edited Data, IEEE Trans. Systems, Man, and Cybernetics, 1972",
        settings: &[],
        defaults: &[("init", "enn")],
        variants: &[],
        page: "selectors",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "drop3",
        summary: "the edited training samples without those that their neighbourhood is decided as well without",
        reference: "Wilson, Martinez: Reduction Techniques for Instance-Based Learning Algorithms, Machine Learning 38, 2000",
        settings: &[],
        defaults: &[("init", "drop3")],
        variants: &[],
        page: "selectors",
        open: &[],
        metrics: FIXED,
        learner: Learner::Initialiser,
    },
    Method {
        name: "knn",
        summary: "k-nearest neighbours over all training samples (k from --rule)",
        reference: "Cover, Hart: Nearest Neighbor Pattern Classification, IEEE Trans. Information Theory, 1967",
        settings: &[],
        defaults: &[],
        variants: &[],
        page: "baselines",
        open: &[],
        metrics: OF_SAMPLES,
        learner: Learner::Samples,
    },
    lmnn::METHOD,
    nca::METHOD,
    coding::INN,
    coding::SRC,
    coding::CRC,
    coding::WCRC,
    coding::MP,
    coding::OMP,
    coding::LLE,
];

/// The method of that name.
pub fn method(name: &str) -> Result<&'static Method> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| Error::UnknownName {
        what: "method",
        name: name.into(),
        known: METHODS.iter().map(|m| m.name).collect::<Vec<_>>().join(", "),
    })
}

/// A settings struct with `values` set, or the message that names what there is.
pub(super) fn parsed<T>(
    method: &str,
    known: &[Setting],
    values: &Values,
    mut settings: T,
    set: impl Fn(&mut T, &str, &str) -> Result<bool>,
) -> Result<T> {
    for (name, value) in values {
        if !set(&mut settings, name, value)? {
            return Err(unknown(method, name, known));
        }
    }
    Ok(settings)
}
