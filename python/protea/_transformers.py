"""Transformers that learn a metric over the training samples."""

from ._abstract import MetricLearner

_HIDDEN = ["metric", "rule", "posterior"]


class LMNN(MetricLearner, method="lmnn", hidden=_HIDDEN):
    """Large-margin metric: pulls near samples of the same class closer, pushes other classes out of a margin."""


class NCA(MetricLearner, method="nca", hidden=_HIDDEN):
    """Neighbourhood components analysis: the metric that minimises the expected error of a soft nearest neighbour."""
