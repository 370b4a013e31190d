//! Methods that write a sample as a sum of others.

use super::{code, coder};
use crate::coding::CODERS;
use crate::metric::MetricKind;
use crate::train::{Method, Reads};

/// Samples as directions: not centred, because coders other than `inn` see where zero is, and of length 1.
const DEFAULTS: &[(&str, &str)] = &[("scale", "raw"), ("unit", "true")];

/// `inn`.
pub(super) const INN: Method = Method {
    name: "inn",
    summary: "iterative nearest neighbours: a sample as a sum of others found by repeated search; most weight wins",
    reference: "Timofte, Van Gool: Iterative Nearest Neighbors, Pattern Recognition 48, 2015",
    settings: CODERS[0].1,
    needs: &[],
    reads: Reads::CODE,
    defaults: DEFAULTS,
    variants: &[&[("steps", "5"), ("refine", "true")], &[("stop-at", "0.3"), ("by", "residual")]],
    page: "inn",
    open: &[],
    metrics: MetricKind::FIXED,
    learner: code(|values| coder(INN.name, values)),
};

/// `src`.
pub(super) const SRC: Method = Method {
    name: "src",
    summary: "sparse coding: an ℓ1-penalised sum of samples; the class whose part leaves the smallest residual wins",
    reference: "Wright, Yang, Ganesh, Sastry, Ma: Robust Face Recognition via Sparse Representation, IEEE Trans. Pattern Analysis and Machine Intelligence 31, 2009",
    settings: CODERS[1].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(SRC.name, values)),
    ..INN
};

/// `crc`.
pub(super) const CRC: Method = Method {
    name: "crc",
    summary: "collaborative representation: ridge regression on all samples; the class with the smallest residual wins",
    reference: "Zhang, Yang, Feng: Sparse Representation or Collaborative Representation, ICCV 2011",
    settings: CODERS[2].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(CRC.name, values)),
    ..INN
};

/// `wcrc`.
pub(super) const WCRC: Method = Method {
    name: "wcrc",
    summary: "collaborative representation with sample and feature weights",
    reference: "Timofte, Van Gool: Weighted Collaborative Representation and Classification of Images, ICPR 2012",
    settings: CODERS[3].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(WCRC.name, values)),
    ..INN
};

/// `mp`.
pub(super) const MP: Method = Method {
    name: "mp",
    summary: "matching pursuit: adds one sample at a time, the one most correlated with the residual; class by residual",
    reference: "Mallat, Zhang: Matching Pursuits with Time-Frequency Dictionaries, IEEE Trans. Signal Processing 41, 1993",
    settings: CODERS[4].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(MP.name, values)),
    ..INN
};

/// `omp`.
pub(super) const OMP: Method = Method {
    name: "omp",
    summary: "orthogonal matching pursuit: mp with all weights refitted after each sample; class by residual",
    reference: "Pati, Rezaiifar, Krishnaprasad: Orthogonal Matching Pursuit, Asilomar Conference 1993",
    settings: CODERS[5].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(OMP.name, values)),
    ..INN
};

/// `lle`.
pub(super) const LLE: Method = Method {
    name: "lle",
    summary: "locally linear weights on the nearest samples, summing to 1; most weight wins",
    reference: "Roweis, Saul: Nonlinear Dimensionality Reduction by Locally Linear Embedding, Science 290, 2000",
    settings: CODERS[6].1,
    page: "coding",
    variants: &[],
    learner: code(|values| coder(LLE.name, values)),
    ..INN
};
