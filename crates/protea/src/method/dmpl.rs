//! `dmpl`, and its halves.

use super::{SEARCH_SAMPLES, descent, objective};
use crate::metric::MetricKind;
use crate::objective::Dmpl;
use crate::train::{Method, Open, Reads};

/// `dmpl`.
pub(super) const DMPL: Method = Method {
    name: "dmpl",
    summary: "large-margin prototypes together with a Mahalanobis metric",
    reference: "Köstinger, Wohlhart, Roth, Bischof: Joint Learning of Discriminative Prototypes and Large Margin Nearest Neighbor Classifiers, ICCV 2013",
    settings: Dmpl::SETTINGS,
    needs: &[],
    reads: Reads::ALL,
    defaults: &[
        ("metric", "linear"),
        ("per-class", "40"),
        ("anneal", "1"),
        ("epochs", "60"),
        ("rate", "0.1"),
    ],
    variants: &[
        &[("mu", "0")],
        &[("mu", "1"), ("margin", "0.3")],
        &[("mu", "0.9"), ("kappa", "2")],
        &[("kappa", "9")],
    ],
    page: "dmpl",
    open: &[Open {
        name: "margin",
        candidates: &["1", "0.5", "2"],
        samples: SEARCH_SAMPLES,
        purpose: "choice",
        matters: |_| true,
    }],
    metrics: MetricKind::LEARNABLE,
    learner: descent(|values| objective(Dmpl::from_values(DMPL.name, values)?)),
};

/// `knpl`.
pub(super) const KNPL: Method = Method {
    name: "knpl",
    summary: "large-margin prototypes under the Euclidean distance",
    defaults: &[("per-class", "40"), ("anneal", "1"), ("epochs", "60"), ("rate", "0.1")],
    ..DMPL
};

/// `lmnp`.
pub(super) const LMNP: Method = Method {
    name: "lmnp",
    summary: "a large-margin metric for fixed k-means prototypes",
    defaults: &[
        ("metric", "linear"),
        ("per-class", "40"),
        ("anneal", "1"),
        ("epochs", "60"),
        ("rate", "0.1"),
        ("freeze-prototypes", "true"),
    ],
    metrics: MetricKind::LEARNED,
    ..DMPL
};
