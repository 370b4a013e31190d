//! `npc`, and the log loss under its older name.

use super::{descent, no_settings, objective};
use crate::metric::MetricKind;
use crate::objective::{Loss, Npc};
use crate::train::{Method, Need, Reads};

/// `npc`.
pub(super) const NPC: Method = Method {
    name: "npc",
    summary: "prototypes, and optionally a metric, by gradient descent on a soft 1-nearest-prototype rule that hardens",
    reference: "Wohlhart, Köstinger, Donoser, Roth, Bischof: Optimizing 1-Nearest Prototype Classifiers, CVPR 2013",
    settings: Npc::SETTINGS,
    needs: &[
        Need { name: "delta", other: "loss", values: &["hinge"] },
        Need { name: "over", other: "loss", values: &["exp", "hinge"] },
    ],
    reads: Reads::ALL,
    defaults: &[],
    variants: &[
        &[("over", "pair")],
        &[("loss", "hinge"), ("delta", "0.3")],
        &[("loss", "hinge"), ("delta", "1"), ("over", "pair")],
        &[("loss", "nll")],
        &[("distance", "plain")],
        &[("loss", "nll"), ("distance", "plain")],
    ],
    page: "npc",
    open: &[],
    metrics: MetricKind::LEARNABLE,
    learner: descent(|values| objective(Npc::from_values(NPC.name, values)?)),
};

/// `rslvq`: the log loss by its older name, with γ = 1/2σ².
pub(super) const RSLVQ: Method = Method {
    name: "rslvq",
    summary: "robust soft LVQ: the likelihood ratio of a Gaussian mixture; npc with the log loss, γ = 1/2σ²",
    reference: "Seo, Obermayer: Soft Learning Vector Quantization, Neural Computation, 2003",
    settings: &[],
    needs: &[],
    reads: Reads::ALL,
    defaults: &[],
    variants: &[],
    page: "glvq",
    open: &[],
    metrics: MetricKind::LEARNABLE,
    learner: descent(|values| {
        no_settings(RSLVQ.name, values)?;
        objective(Npc { loss: Loss::Nll, ..Npc::default() })
    }),
};
