//! Parametric nearest neighbours, their ensemble, and decision surface mapping.

use super::{no_settings, online, rule};
use crate::metric::MetricKind;
use crate::rule::MarginRule;
use crate::settings::{Setting, parsed};
use crate::train::{LearnerKind, MARGINS, Method, Open, Parametric, Pnn, Reads};

/// Settings of a single P-NN: those of the ensemble without what joins it.
const ALONE: &[Setting] = &[Pnn::SETTINGS[1], Pnn::SETTINGS[2], Pnn::SETTINGS[3]];

/// The margin, chosen on all samples: fewer ask for a wider one.
const MARGIN: &[Open] = &[Open {
    name: "margin",
    candidates: MARGINS,
    samples: usize::MAX,
    purpose: "margin",
    matters: |_| true,
}];

/// `pnn`.
pub(super) const PNN: Method = Method {
    name: "pnn",
    summary: "parametric nearest neighbours: prototypes learned from mistakes, then a weight and a bias for each class",
    reference: "Zhang, Sturgess, Sengupta, Crook, Torr: Efficient Discriminative Learning of Parametric Nearest Neighbor Classifiers, CVPR 2012",
    settings: ALONE,
    needs: &[],
    reads: Reads::PARAMETRIC,
    defaults: &[
        ("per-class", "40"),
        ("init", "sample"),
        ("rate", "0.2"),
        ("decay", "linear"),
        ("noise", "0.1"),
    ],
    variants: &[],
    page: "pnn",
    open: MARGIN,
    metrics: MetricKind::FIXED,
    learner: LearnerKind {
        facts: Parametric::FACTS,
        build: |values| {
            let alone = Pnn { learners: 1, ..Pnn::default() };
            Ok(Box::new(Parametric::new(parsed(PNN.name, ALONE, values, alone, Pnn::set)?)))
        },
    },
};

/// `epnn`.
pub(super) const EPNN: Method = Method {
    name: "epnn",
    summary: "an ensemble of parametric nearest neighbours, combined by a linear SVM",
    settings: Pnn::SETTINGS,
    learner: LearnerKind {
        facts: Parametric::FACTS,
        build: |values| Ok(Box::new(Parametric::new(Pnn::from_values(EPNN.name, values)?))),
    },
    ..PNN
};

/// `dsm`.
pub(super) const DSM: Method = Method {
    name: "dsm",
    summary: "decision surface mapping: the nearest prototypes of the true and of another class move, on mistakes only",
    reference: "Geva, Sitte: Adaptive nearest neighbor pattern classification, IEEE Trans. Neural Networks, 1991",
    settings: &[],
    reads: Reads::ONLINE,
    defaults: &[("rate", "0.1"), ("decay", "linear"), ("noise", "0")],
    open: &[],
    learner: online(|values| {
        no_settings(DSM.name, values)?;
        rule(MarginRule::mistakes())
    }),
    ..PNN
};
