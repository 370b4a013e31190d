"""Transformers that learn a metric over the training samples."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import _input
from ._base import Estimator


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A transformer that learns a metric: Euclidean distances after it are the learned distances."""

    _without = ("Decision",)
    _also = ("tol",)
    _example = (">>> {}(rank=2).fit(X, y).transform(X).shape", "(178, 2)")

    def fit(self, X, y, sample_weight=None):
        """Learn the metric.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a weight of two is the same as repeating the sample.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit(X, y, sample_weight)

    def transform(self, X):
        """Map rows to the space where Euclidean distances are those of the learned metric.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        mapped : ndarray of shape (n_samples, rank)
            The rows in that space.
        """
        return self._rows(X, lambda x: self.model_.transform(x, _input.threads(self.n_jobs)))

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True, "preserves_dtype": [np.float64, np.float32]}


class LMNN(MetricLearner, method="lmnn"):
    """Large-margin metric: near samples of a class are pulled closer, other classes pushed out of a margin."""


class NCA(MetricLearner, method="nca"):
    """Neighbourhood components analysis: the metric with the smallest expected error of a soft nearest neighbour."""
