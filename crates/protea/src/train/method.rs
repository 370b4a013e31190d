//! What a method tells the trainer about itself. The list of all methods is [`crate::method::METHODS`].

use super::Training;
use super::learner::{AnyLearner, Facts};
use crate::Result;
use crate::metric::MetricKind;
use crate::settings::{Setting, Values};

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
    /// Settings that are chosen on a part of the training samples unless they are given.
    pub open: &'static [Open],
    /// Metrics it can have.
    pub metrics: &'static [MetricKind],
    /// How it learns.
    pub(crate) learner: LearnerKind,
}

/// A setting whose best value depends on the data.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// Its name; its default is `none`.
    pub name: &'static str,
    /// Values to try.
    pub candidates: &'static [&'static str],
    /// Samples that the choice looks at, at most.
    pub samples: usize,
    /// The stream of random numbers that deals them.
    pub(crate) purpose: &'static str,
    /// Whether the setting matters under these others.
    pub(crate) matters: fn(&Training) -> bool,
}

/// How a method learns: what is known beforehand, and how settings make a learner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LearnerKind {
    pub facts: Facts,
    /// Refuses settings that the method does not have.
    pub build: fn(&Values) -> Result<Box<dyn AnyLearner>>,
}
