//! What a method tells the trainer about itself. The list of all methods is [`crate::method::METHODS`].

use super::Training;
use super::learner::{AnyLearner, Facts};
use crate::Result;
use crate::metric::MetricKind;
use crate::settings::{Group, Setting, Values};

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
    /// Settings of its own that only some values of another one make use of.
    pub needs: &'static [Need],
    /// Shared settings that it reads.
    pub reads: Reads,
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

/// Which of the shared settings a method reads, whatever their values.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// Groups that it reads as a whole.
    pub groups: &'static [Group],
    /// Single settings of other groups.
    pub also: &'static [&'static str],
    /// Why it reads no others, as the end of a sentence.
    pub because: &'static str,
}

impl Reads {
    /// Methods that descend on an objective, and searches among them.
    pub(crate) const ALL: Reads = Reads {
        groups: &[
            Group::Start,
            Group::Representing,
            Group::Metric,
            Group::Descending,
            Group::Judging,
            Group::Deciding,
        ],
        also: &[],
        because: "",
    };
    /// Online rules.
    pub(crate) const ONLINE: Reads = Reads {
        groups: &[Group::Start, Group::Representing, Group::Metric, Group::Deciding],
        also: &["epochs", "rate", "decay", "noise", "tol", "holdout", "patience"],
        because: "it learns by a rule, without an objective",
    };
    /// Parametric nearest neighbours.
    pub(crate) const PARAMETRIC: Reads =
        Reads { also: &["rate", "decay", "noise", "tol", "holdout"], ..Reads::ONLINE };
    /// Methods whose first prototypes are the model.
    pub(crate) const INITIAL: Reads =
        Reads { also: &["tol", "holdout"], because: "it does not train its prototypes", ..Reads::ONLINE };
    /// Methods that keep the training samples.
    pub(crate) const MEMORY: Reads = Reads {
        groups: &[Group::Representing, Group::Metric, Group::Deciding],
        also: &["seed", "tol"],
        because: "it keeps all training samples and trains no prototypes",
    };
    /// Coders over the training samples; those held out calibrate probabilities.
    pub(crate) const CODE: Reads = Reads { also: &["seed", "tol", "holdout"], ..Reads::MEMORY };

    /// Whether the method reads the setting under some values of the others.
    pub fn setting(&self, s: &Setting) -> bool {
        self.groups.contains(&s.group) || self.also.contains(&s.name)
    }
}

/// A setting that is read under some values of another one only.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The setting.
    pub name: &'static str,
    /// The other one.
    pub other: &'static str,
    /// The values of the other one that use it.
    pub values: &'static [&'static str],
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
