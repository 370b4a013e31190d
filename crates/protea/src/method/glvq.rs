//! The generalised LVQ family: one objective under several metrics.

use super::{descent, objective};
use crate::metric::MetricKind;
use crate::objective::Glvq;
use crate::train::{Method, Reads};

/// `glvq`.
pub(super) const GLVQ: Method = Method {
    name: "glvq",
    summary: "relative distance difference of the nearest prototypes of the true and of another class",
    reference: "Sato, Yamada: Generalized Learning Vector Quantization, NIPS 1995",
    settings: Glvq::SETTINGS,
    needs: &[],
    reads: Reads::ALL,
    defaults: &[("gamma", "3"), ("anneal", "7")],
    variants: &[&[("activation", "identity")], &[("activation", "swish")]],
    page: "glvq",
    open: &[],
    metrics: MetricKind::LEARNABLE,
    learner: descent(|values| objective(Glvq::from_values(GLVQ.name, values)?)),
};

/// `grlvq`.
pub(super) const GRLVQ: Method = Method {
    name: "grlvq",
    summary: "glvq with a learned relevance for each feature",
    reference: "Hammer, Villmann: Generalized Relevance Learning Vector Quantization, Neural Networks, 2002",
    defaults: &[("metric", "diagonal"), ("gamma", "3"), ("anneal", "7")],
    ..GLVQ
};

/// `gmlvq`.
pub(super) const GMLVQ: Method = Method {
    name: "gmlvq",
    summary: "glvq with a learned matrix, full or of low rank",
    reference: "Schneider, Biehl, Hammer: Adaptive Relevance Matrices in Learning Vector Quantization, Neural Computation, 2009",
    defaults: &[("metric", "linear"), ("gamma", "3"), ("anneal", "7")],
    ..GLVQ
};

/// `lgmlvq`.
pub(super) const LGMLVQ: Method = Method {
    name: "lgmlvq",
    summary: "glvq with a learned matrix for each class or prototype",
    defaults: &[("metric", "local-linear"), ("gamma", "3"), ("anneal", "7")],
    ..GMLVQ
};
