"""Selectors of training samples."""

from ._abstract import Selector

_HIDDEN = ["init", "starts", "per-class"]


class CNN(Selector, method="cnn", hidden=_HIDDEN):
    """Condensed nearest neighbours: the samples that 1-NN needs to classify all training samples."""


class ENN(Selector, method="enn", hidden=_HIDDEN):
    """Edited nearest neighbours: the training samples whose 3 nearest neighbours agree with their class."""


class DROP3(Selector, method="drop3", hidden=_HIDDEN):
    """DROP3: edited training samples, minus those without which their neighbourhood is classified equally well."""
