"""Coding classifiers and transformers: rows as weighted sums of training samples."""

from ._abstract import CodingClassifier

_HIDDEN = ["rule", "posterior"]


class INN(CodingClassifier, method="inn", hidden=_HIDDEN):
    """Iterative nearest neighbours: a row as a sum of samples found by repeated search; most weight wins."""


class SRC(CodingClassifier, method="src", hidden=_HIDDEN):
    """Sparse coding: an l1-penalised sum of samples; the class whose part leaves the smallest residual wins."""

    _for_many_features = True


class CRC(CodingClassifier, method="crc", hidden=_HIDDEN):
    """Collaborative representation: ridge regression on all samples; the class with the smallest residual wins."""

    _for_many_features = True


class WCRC(CodingClassifier, method="wcrc", hidden=_HIDDEN):
    """Collaborative representation with sample and feature weights."""

    _for_many_features = True


class MP(CodingClassifier, method="mp", hidden=_HIDDEN):
    """Matching pursuit: adds one sample at a time, the one most correlated with the residual."""


class OMP(CodingClassifier, method="omp", hidden=_HIDDEN):
    """Orthogonal matching pursuit: as `MP`, with all weights refitted after each sample."""


class LLE(CodingClassifier, method="lle", hidden=_HIDDEN):
    """Locally linear weights on the nearest samples, summing to 1."""
