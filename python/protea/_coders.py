"""Coding classifiers and transformers: rows as weighted sums of training samples."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ._abstract import Classifier


class CodingClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """A classifier that codes rows as weighted sums of training samples, and a transformer that returns the weights."""

    _extras = ("settings", "n_jobs", "verbose")
    _without = ("Decision",)
    _names_samples = True
    #: With more samples than features, weights of any sign fit any row, whatever its class.
    _for_many_features = False
    _example = (
        ">>> coder = {}(scale=\"standard\").fit(X, y)",
        ">>> coder.score(X, y) > 0.9",
        "True",
        ">>> coder.transform(X[:10]).shape",
        "(10, 178)",
    )

    def represent(self, X):
        """Represent each row, after preprocessing, as a weighted sum of the training samples.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        codes : scipy.sparse.csr_array of shape (n_samples, n_prototypes)
            Weights of the samples in `prototypes_`.
        residuals : ndarray of shape (n_samples,)
            Norm of the residual of each row.
        """
        counts, atoms, weights, left = self._rows(X, lambda x: self.model_.represent(x, self._threads()))
        ends = np.concatenate([[0], np.cumsum(counts)])
        shape = (len(counts), len(self.model_.labels))
        codes = sparse.csr_array((weights.astype(self.model_.dtype), atoms, ends), shape=shape)
        codes.sort_indices()
        return codes, left

    def transform(self, X):
        """Compute the code of each row: the weights of the training samples.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        codes : scipy.sparse.csr_array of shape (n_samples, n_prototypes)
            Weights of the samples in `prototypes_`.
        """
        return self.represent(X)[0]

    def predict_log_proba(self, X):
        """Compute the logarithm of the probabilities.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Logarithms in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def explain(self, X):
        """Refuse: `represent` returns the samples behind an answer and their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        """
        raise AttributeError(f"{type(self).__name__} explains its answers by represent(X): samples and their weights")

    @property
    def _n_features_out(self):
        return len(self.model_.labels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.classifier_tags.poor_score = self._for_many_features
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        types = [np.float64, np.float32]
        return {"requires_y": True, "preserves_dtype": types, "poor_score": self._for_many_features}


class INN(CodingClassifier, method="inn"):
    pass


class SRC(CodingClassifier, method="src"):
    _for_many_features = True


class CRC(CodingClassifier, method="crc"):
    _for_many_features = True


class WCRC(CodingClassifier, method="wcrc"):
    _for_many_features = True


class MP(CodingClassifier, method="mp"):
    pass


class OMP(CodingClassifier, method="omp"):
    pass


class LLE(CodingClassifier, method="lle"):
    pass
