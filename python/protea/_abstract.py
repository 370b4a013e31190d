"""Base classes of classifiers with prototypes, by what they can do."""

import json
import numbers

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _files, _input
from ._base import Estimator, _indices
from ._explain import Explanation
from .exceptions import SettingError


class Classifier(ClassifierMixin, Estimator):
    """A classifier with labelled prototypes."""

    _extras = ("settings", "class_weight", "n_jobs", "verbose")
    _example = (">>> {}().fit(X, y).score(X, y) > 0.9", "True")

    def fit(self, X, y, *, X_val=None, y_val=None):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        X_val : array-like of shape (n_held_out, n_features), default=None
            Held-out samples for calibration (temperature scaling) and, for methods with epochs, for choosing the best
            iterate.
        y_val : array-like of shape (n_held_out,), default=None
            Labels of the held-out samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, valid=_pair(X_val, y_val))

    def predict(self, X):
        """Predict the label of each row.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Label of each row, by the decision rule of the model.
        """
        index = self._rows(X, lambda x: self.model_.predict(x, self._threads()))
        return self.classes_[index]

    def predict_proba(self, X):
        """Compute the probability of each class, at the calibrated temperature.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`.
        """
        return self._rows(X, lambda x: self.model_.probabilities(x, self._threads()))

    def predict_log_proba(self, X):
        """Compute the logarithm of the probabilities, exact even if a probability rounds to zero.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Logarithms in the order of `classes_`.
        """
        evidence = self._rows(X, lambda x: self.model_.evidence(x, self._threads()))
        evidence -= evidence.max(axis=1, keepdims=True)
        return evidence - np.log(np.exp(evidence).sum(axis=1, keepdims=True))

    def decision_function(self, X):
        """Compute the evidence for each class: its softmax gives the probabilities.

        The class with the largest value is the most probable one and, under the default settings, the prediction.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        evidence : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Evidence for each class; for two classes, the log-odds of the second.
        """
        evidence = self._rows(X, lambda x: self.model_.evidence(x, self._threads()))
        return evidence[:, 1] - evidence[:, 0] if len(self.classes_) == 2 else evidence

    def explain(self, X):
        """Explain predictions by the nearest prototype and the nearest of another class.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        explanation : protea.Explanation
            Both prototypes of each row, and the contribution of each feature to both distances.
        """
        check_is_fitted(self, "model_")

        def explained(x):
            own, own_class, near, rival, rival_class, far = self.model_.winners(x, self._threads())
            terms = self.model_.contributions(x, own)
            return own, own_class, near, rival, rival_class, far, terms, self.model_.contributions(x, rival)

        own, own_class, near, rival, rival_class, far, terms, rival_terms = self._rows(X, explained)
        names = tuple(self.model_.features)
        return Explanation(
            self.classes_[own_class], own, near, terms, self.classes_[rival_class], rival, far, rival_terms, names
        )

    def certify(self, X, norm="l2", bound="half-space"):
        """Certify how far each row may move before the answer can change.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.
        norm : {"l1", "l2", "linf"}, default="l2"
            How a change of a row is measured, in the units of the input.
        bound : {"margin", "half-space", "exact"}, default="half-space"
            How tight the radii are; "exact" needs one metric for all prototypes and the norm "l2".

        Returns
        -------
        radii : ndarray of shape (n_samples,)
            No change of a row below its radius changes the answer.
        """
        check_is_fitted(self, "model_")
        return self._rows(X, lambda x: self.model_.certify(x, norm, bound, self._threads()))

    def calibrate(self, X, y):
        """Calibrate the probabilities on held-out samples by temperature scaling; nothing else changes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples that training has not seen.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self : object
            The calibrated estimator.
        """
        X, index = self._measured(X, y)
        self.model_ = self.model_.calibrated(X, index)
        return self

    def evaluate(self, X, y):
        """Evaluate the model as `protea eval` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        measures : dict
            Error with interval, log loss, expected calibration error and per-class measures.
        """
        return json.loads(self.model_.evaluate(*self._measured(X, y)))

    def report(self, X, y, path=None, *, X_train=None, y_train=None, title=None):
        """Write an HTML report on the model: prototypes, errors, figures, a live demo.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples for the evaluation, which training has not seen.
        y : array-like of shape (n_samples,)
            Their labels.
        path : str or path-like, default=None
            Where to write the page; the file appears whole or not at all.
        X_train : array-like of shape (n_train, n_features), default=None
            Training samples of the model; with them the page compares it with 1-NN and k-means.
        y_train : array-like of shape (n_train,), default=None
            Labels of the training samples.
        title : str, default=None
            Title of the page.

        Returns
        -------
        html : str
            The page, self-contained.
        """
        if (X_train is None) != (y_train is None):
            raise SettingError("X_train and y_train belong together; give both or neither")
        train = None if X_train is None else self._measured(X_train, y_train)
        return self.model_.report(*self._measured(X, y), train, title, path)

    def _keep(self, model):
        super()._keep(model)
        if model.selected is not None:  # model files do not store them
            self.sample_indices_ = model.selected

    def export(self, path, format=None, *, quantize=None):
        """Export the model for other programs and machines: ONNX, C, Rust, JavaScript, JSON, NPZ or LVQ_PAK.

        Parameters
        ----------
        path : str or path-like
            Where to write it; the file appears whole or not at all. Formats of several files write the others beside it.
        format : {'onnx', 'c', 'rust', 'js', 'json', 'npz', 'lvq-pak'} or None, default=None
            The format; None tells it by the ending of the path: .onnx, .h, .bin, .js, .json or .npz.
        quantize : {'int8', 'int16', None}, default=None
            Store numbers in fewer bits, for formats that can.

        Returns
        -------
        paths : list of pathlib.Path
            The files that were written, the most important first.
        """
        check_is_fitted(self, "model_")
        return _files.export(self.model_, path, format, quantize)

    def _measured(self, X, y):
        check_is_fitted(self, "model_")
        X, y = _input.training(self, X, y, reset=False, dtype=np.dtype(self.model_.dtype))
        return X, _indices(y, self.classes_).astype(np.int64, copy=False)

    def _threads(self):
        return _input.threads(self.n_jobs)

    @property
    def prototypes_(self):
        """Prototypes in the units of the input."""
        check_is_fitted(self, "model_")
        return self.model_.prototypes

    @property
    def prototypes_labels_(self):
        """Label of each prototype."""
        check_is_fitted(self, "model_")
        return self.classes_[self.model_.labels]

    @property
    def feature_importances_(self):
        """Share of each feature in the learned metric; the shares sum to 1."""
        check_is_fitted(self, "model_")
        relevance = self.model_.relevance
        if relevance is None or len(relevance) != len(self.model_.features):
            raise AttributeError(
                f"this {type(self).__name__} has no weight for each feature; learn one (metric='diagonal' or 'linear'), or "
                "use sklearn.inspection.permutation_importance"
            )
        return np.asarray(relevance)

    def kneighbors(self, X, n_neighbors=1, return_distance=True):
        """Find the nearest prototypes of each row.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.
        n_neighbors : int, default=1
            Number of prototypes, at most as many as there are.
        return_distance : bool, default=True
            Whether to return the distances.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances in the space of the model, nearest first; only if `return_distance`.
        indices : ndarray of shape (n_samples, n_neighbors)
            Indices in `prototypes_`.
        """
        check_is_fitted(self, "model_")
        m = len(self.model_.labels)
        if not isinstance(n_neighbors, numbers.Integral) or not 1 <= n_neighbors <= m:
            raise SettingError(f"n_neighbors = {n_neighbors!r}, expected a whole number from 1 to {m}, the number of prototypes")
        near, indices = self._rows(X, lambda x: self.model_.neighbours(x, int(n_neighbors), self._threads()))
        return (np.sqrt(near), indices) if return_distance else indices


class PrototypeClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """A classifier with labelled prototypes, and a transformer that returns the distances to them."""

    def transform(self, X):
        """Compute the distance of each row to each prototype.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_prototypes)
            Distances in the space of the model, in the order of `prototypes_`.
        """
        return np.sqrt(self._rows(X, lambda x: self.model_.distances(x, self._threads())))

    @property
    def _n_features_out(self):
        return len(self.model_.labels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True, "preserves_dtype": [np.float64, np.float32]}


class WeightedClassifier(PrototypeClassifier):
    """A classifier that supports sample weights."""

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a weight of two is the same as repeating the sample.
        X_val : array-like of shape (n_held_out, n_features), default=None
            Held-out samples for calibration (temperature scaling) and, for methods with epochs, for choosing the best
            iterate.
        y_val : array-like of shape (n_held_out,), default=None
            Labels of the held-out samples.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, _pair(X_val, y_val), **self._earlier())

    def _earlier(self):
        """Earlier model to continue from, as arguments of `_fit`."""
        return {}


class LearnedClassifier(WeightedClassifier):
    """A classifier that is trained iteratively, so that a fit can continue from the last one."""

    _extras = ("settings", "class_weight", "warm_start", "n_jobs", "verbose")

    def _earlier(self):
        if self.warm_start and hasattr(self, "model_"):
            return {"classes": self.classes_, "resume": self.model_}
        return {}


class OnlineClassifier(LearnedClassifier):
    """A classifier that learns online, one sample at a time, and supports `partial_fit`."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more samples: one pass of the rule at its initial step size.

        The first call initialises prototypes and scaling as `fit` does, so its samples should cover all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like of shape (n_classes,), default=None
            All labels; needed in the first call if `y` does not contain all of them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : object
            The estimator, further trained.
        """
        once = {"epochs": 1, "decay": None}
        if hasattr(self, "model_"):
            return self._fit(X, y, sample_weight, classes=self.classes_, resume=self.model_, **once)
        return self._fit(X, y, sample_weight, classes=None if classes is None else np.unique(classes), **once)


def _pair(X, y):
    if (X is None) != (y is None):
        raise ValueError("X_val and y_val are given together or not at all")
    return None if X is None else (X, y)
