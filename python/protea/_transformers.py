"""Transformers that learn a metric over the training samples."""

from ._abstract import MetricLearner

_HIDDEN = ["metric", "rule", "posterior"]


class LMNN(MetricLearner, method="lmnn", hidden=_HIDDEN):
    """A large-margin metric: the nearest samples of a class are pulled near, others pushed out of a margin."""


class NCA(MetricLearner, method="nca", hidden=_HIDDEN):
    """Neighbourhood components: the metric under which a soft nearest neighbour is most often right."""
