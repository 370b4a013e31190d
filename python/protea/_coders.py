"""Classifiers, and transformers, by sums of training samples."""

from ._abstract import CodingClassifier

_HIDDEN = ["rule", "posterior"]


class INN(CodingClassifier, method="inn", hidden=_HIDDEN):
    """Iterative nearest neighbours: a row is a sum of samples found by repeated search, and the class of most weight wins."""


class SRC(CodingClassifier, method="src", hidden=_HIDDEN):
    """Sparse representation: an l1-penalised sum of samples, and the class whose part leaves least wins."""

    _for_many_features = True


class CRC(CodingClassifier, method="crc", hidden=_HIDDEN):
    """Collaborative representation: a ridge regression on all samples, and the class whose part leaves least wins."""

    _for_many_features = True


class WCRC(CodingClassifier, method="wcrc", hidden=_HIDDEN):
    """Collaborative representation with weights of samples and features."""

    _for_many_features = True


class MP(CodingClassifier, method="mp", hidden=_HIDDEN):
    """Matching pursuit: one sample after the other, the one most correlated with what is left."""


class OMP(CodingClassifier, method="omp", hidden=_HIDDEN):
    """Orthogonal matching pursuit: as `MP`, with all weights fitted again after each sample."""


class LLE(CodingClassifier, method="lle", hidden=_HIDDEN):
    """Locally linear weights on the nearest samples, summing to 1."""
