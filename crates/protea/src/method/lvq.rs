//! The classical rules.

use super::{no_settings, online, rule};
use crate::metric::MetricKind;
use crate::rule::{Lvq1, Lvq2, Lvq3, Olvq1};
use crate::train::{Method, Reads};

/// `lvq1`.
pub(super) const LVQ1: Method = Method {
    name: "lvq1",
    summary: "the nearest prototype moves towards samples of its class and away from others",
    reference: "Kohonen: The Self-Organizing Map, Proc. IEEE 78, 1990",
    settings: &[],
    needs: &[],
    reads: Reads::ONLINE,
    defaults: &[("rate", "0.05"), ("decay", "linear"), ("noise", "0")],
    variants: &[],
    page: "lvq",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: online(|values| {
        no_settings(LVQ1.name, values)?;
        rule(Lvq1)
    }),
};

/// `olvq1`.
pub(super) const OLVQ1: Method = Method {
    name: "olvq1",
    summary: "lvq1 with an adaptive step size for each prototype",
    reference: "Kohonen, Hynninen, Kangas, Laaksonen, Torkkola: LVQ_PAK, 1996",
    defaults: &[("rate", "0.3"), ("decay", "none"), ("noise", "0")],
    learner: online(|values| {
        no_settings(OLVQ1.name, values)?;
        rule(Olvq1::default())
    }),
    ..LVQ1
};

/// `lvq2.1`.
pub(super) const LVQ2: Method = Method {
    name: "lvq2.1",
    summary: "moves the two nearest prototypes, one right and one wrong, if the sample falls between them",
    settings: Lvq2::SETTINGS,
    learner: online(|values| rule(Lvq2::from_values(LVQ2.name, values)?)),
    ..LVQ1
};

/// `lvq3`.
pub(super) const LVQ3: Method = Method {
    name: "lvq3",
    summary: "lvq2.1 that also moves the two nearest prototypes closer if both are right",
    settings: Lvq3::SETTINGS,
    learner: online(|values| rule(Lvq3::from_values(LVQ3.name, values)?)),
    ..LVQ1
};
