//! `lpd`.

use super::{SEARCH_SAMPLES, descent, no_settings, objective};
use crate::metric::MetricKind;
use crate::objective::Lpd;
use crate::train::{Method, Open, OptimizerKind, Reads};

/// `lpd`.
pub(super) const LPD: Method = Method {
    name: "lpd",
    summary: "prototypes, each with its own diagonal metric, trained on a sigmoid of the distance ratio",
    reference: "Paredes, Vidal: Learning prototypes and distances, Pattern Recognition 39, 2006",
    settings: &[],
    needs: &[],
    reads: Reads::ALL,
    defaults: &[
        ("metric", "local"),
        ("per-class", "5%"),
        ("gamma", "10"),
        ("anneal", "1"),
        ("keep", "best"),
        ("posterior", "inverse"),
    ],
    variants: &[],
    page: "lpd",
    open: &[Open {
        name: "noise",
        candidates: &["0.15", "0.4", "0.8"],
        samples: SEARCH_SAMPLES,
        purpose: "choice",
        // Noise is added to mini-batches only.
        matters: |t| matches!(t.descending.optimizer, OptimizerKind::Adam | OptimizerKind::Sgd),
    }],
    metrics: MetricKind::LEARNABLE,
    learner: descent(|values| {
        no_settings(LPD.name, values)?;
        objective(Lpd)
    }),
};
