"""Selectors of training samples."""

from ._abstract import Selector

_HIDDEN = ["init", "starts", "per-class"]


class CNN(Selector, method="cnn", hidden=_HIDDEN):
    """Condensed nearest neighbours: the training samples that 1-NN cannot do without."""


class ENN(Selector, method="enn", hidden=_HIDDEN):
    """Edited nearest neighbours: the training samples that their 3 nearest others agree with."""


class DROP3(Selector, method="drop3", hidden=_HIDDEN):
    """The edited training samples without those that their neighbourhood is decided as well without."""
