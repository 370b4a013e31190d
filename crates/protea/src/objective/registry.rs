//! Every method by name: the command line, the docs and the conformance tests read this list.

use super::{AnyObjective, npc};
use crate::settings::{Setting, Values};
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
    /// How it learns.
    pub learner: Learner,
}

/// How a method comes to its prototypes.
#[derive(Debug, Clone, Copy)]
pub enum Learner {
    /// By descent on an objective; the function rejects unknown settings.
    Objective(fn(&Values) -> Result<Box<dyn AnyObjective>>),
    /// It keeps the prototypes that the initialiser found.
    Initialiser,
    /// It keeps every training sample.
    Samples,
}

/// All methods, in the order in which they are shown.
pub const METHODS: &[Method] = &[
    npc::METHOD,
    Method {
        name: "kmeans",
        summary: "k-means inside each class, labelled with the class",
        reference: "Lloyd: Least Squares Quantization in PCM, IEEE Trans. Information Theory, 1982",
        settings: &[],
        defaults: &[("init", "kmeans")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "centroid",
        summary: "the mean of each class",
        reference: "baseline",
        settings: &[],
        defaults: &[("init", "mean"), ("per-class", "1")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "sample",
        summary: "random training samples of each class",
        reference: "baseline",
        settings: &[],
        defaults: &[("init", "sample")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "cnn",
        summary: "condensed nearest neighbours: the training samples that 1-NN cannot do without",
        reference: "Hart: The Condensed Nearest Neighbor Rule, IEEE Trans. Information Theory, 1968",
        settings: &[],
        defaults: &[("init", "cnn")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "enn",
        summary: "edited nearest neighbours: the training samples that their 3 nearest others agree with",
        reference: "Wilson: Asymptotic Properties of Nearest Neighbor Rules Using Edited Data, IEEE Trans. Systems, Man, and Cybernetics, 1972",
        settings: &[],
        defaults: &[("init", "enn")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "drop3",
        summary: "the edited training samples without those that their neighbourhood is decided as well without",
        reference: "Wilson, Martinez: Reduction Techniques for Instance-Based Learning Algorithms, Machine Learning 38, 2000",
        settings: &[],
        defaults: &[("init", "drop3")],
        variants: &[],
        learner: Learner::Initialiser,
    },
    Method {
        name: "knn",
        summary: "k-nearest neighbours over all training samples (k from --rule)",
        reference: "Cover, Hart: Nearest Neighbor Pattern Classification, IEEE Trans. Information Theory, 1967",
        settings: &[],
        defaults: &[],
        variants: &[],
        learner: Learner::Samples,
    },
];

/// The method of that name.
pub fn method(name: &str) -> Result<&'static Method> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| Error::UnknownName {
        what: "method",
        name: name.into(),
        known: METHODS.iter().map(|m| m.name).collect::<Vec<_>>().join(", "),
    })
}
