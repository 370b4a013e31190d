"""Selectors of training samples."""

import numpy as np

from ._abstract import Classifier


class Selector(Classifier):
    """A selector of training samples, and the nearest-neighbour classifier over them."""

    _names_samples = True
    _example = (">>> X_kept, y_kept = {}().fit_resample(X, y)", ">>> len(X_kept) < len(X)", "True")

    def fit_resample(self, X, y):
        """Select samples and return them.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        X_resampled : same type as X
            The rows of `sample_indices_`, in order.
        y_resampled : same type as y
            Their labels.
        """
        self.fit(X, y)
        return _taken(X, self.sample_indices_), _taken(y, self.sample_indices_)

    def _keep(self, model):
        super()._keep(model)
        if model.selected is not None:
            self.sample_indices_ = np.sort(model.selected)


def _taken(table, rows):
    """Rows of an array, data frame, Arrow table or sparse matrix."""
    from sklearn.utils import _safe_indexing

    if hasattr(table, "take") and type(table).__module__.partition(".")[0] == "pyarrow":
        return table.take(rows)
    return _safe_indexing(table, rows)


class CNN(Selector, method="cnn"):
    pass


class ENN(Selector, method="enn"):
    pass


class DROP3(Selector, method="drop3"):
    pass
