//! Methods that learn no prototypes: they keep first prototypes, or all samples.

use crate::metric::MetricKind;
use crate::metric_learning::{Lmnn, Nca};
use crate::train::{Initial, LearnerKind, Memory, Method, Reads};

const INITIAL: LearnerKind = LearnerKind { facts: Initial::FACTS, build: |_| Ok(Box::new(Initial)) };
const MEMORY: LearnerKind = LearnerKind { facts: Memory::FACTS, build: |_| Ok(Box::new(Memory)) };

/// `kmeans`.
pub(super) const KMEANS: Method = Method {
    name: "kmeans",
    summary: "k-means within each class, labelled with the class",
    reference: "Lloyd: Least Squares Quantization in PCM, IEEE Trans. Information Theory, 1982",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "kmeans")],
    variants: &[],
    page: "baselines",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `centroid`.
pub(super) const CENTROID: Method = Method {
    name: "centroid",
    summary: "the mean of each class",
    reference: "baseline",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "mean"), ("per-class", "1")],
    variants: &[],
    page: "baselines",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `sample`.
pub(super) const SAMPLE: Method = Method {
    name: "sample",
    summary: "random training samples of each class",
    reference: "baseline",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "sample")],
    variants: &[],
    page: "baselines",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `cnn`.
pub(super) const CNN: Method = Method {
    name: "cnn",
    summary: "condensed nearest neighbours: the samples that 1-NN needs to classify all training samples",
    reference: "Hart: The Condensed Nearest Neighbor Rule, IEEE Trans. Information Theory, 1968",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "cnn")],
    variants: &[],
    page: "selectors",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `enn`.
pub(super) const ENN: Method = Method {
    name: "enn",
    summary: "edited nearest neighbours: the training samples whose 3 nearest neighbours agree with their class",
    reference: "Wilson: Asymptotic Properties of Nearest Neighbor Rules Using Edited Data, IEEE Trans. Systems, Man, and Cybernetics, 1972",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "enn")],
    variants: &[],
    page: "selectors",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `drop3`.
pub(super) const DROP3: Method = Method {
    name: "drop3",
    summary: "edited training samples, minus those without which their neighbourhood is classified equally well",
    reference: "Wilson, Martinez: Reduction Techniques for Instance-Based Learning Algorithms, Machine Learning 38, 2000",
    settings: &[],
    needs: &[],
    reads: Reads::INITIAL,
    defaults: &[("init", "drop3")],
    variants: &[],
    page: "selectors",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: INITIAL,
};

/// `knn`.
pub(super) const KNN: Method = Method {
    name: "knn",
    summary: "k-nearest neighbours over all training samples; the rule K-np sets k",
    reference: "Cover, Hart: Nearest Neighbor Pattern Classification, IEEE Trans. Information Theory, 1967",
    settings: &[],
    needs: &[],
    reads: Reads::MEMORY,
    defaults: &[],
    variants: &[],
    page: "baselines",
    open: &[],
    metrics: MetricKind::OF_SAMPLES,
    learner: MEMORY,
};

/// `lmnn`: nearest neighbours under its metric.
pub(super) const LMNN: Method = Method {
    name: "lmnn",
    summary: "nearest neighbours under a large-margin metric (LMNN) learned on all samples; any method can use the metric lmnn",
    reference: "Weinberger, Saul: Distance Metric Learning for Large Margin Nearest Neighbor Classification, JMLR 10, 2009",
    settings: Lmnn::SETTINGS,
    needs: &[],
    reads: Reads::MEMORY,
    defaults: &[("metric", "lmnn")],
    variants: &[],
    page: "lmnn",
    open: &[],
    metrics: &[MetricKind::Lmnn],
    learner: MEMORY,
};

/// `nca`: nearest neighbours under its metric.
pub(super) const NCA: Method = Method {
    name: "nca",
    summary: "nearest neighbours under neighbourhood components (NCA) learned on all samples; any method can use the metric nca",
    reference: "Goldberger, Roweis, Hinton, Salakhutdinov: Neighbourhood Components Analysis, NIPS 2004",
    settings: Nca::SETTINGS,
    needs: &[],
    reads: Reads::MEMORY,
    defaults: &[("metric", "nca")],
    variants: &[],
    page: "nca",
    open: &[],
    metrics: &[MetricKind::Nca],
    learner: MEMORY,
};
