"""Base classes by kind of estimator: classifiers, coding classifiers, metric learners and sample selectors."""

import json

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _input
from ._base import Estimator, _indices
from ._explain import Explanation
from .exceptions import SettingError


class PrototypeClassifier(ClassifierMixin, Estimator):
    """A classifier with labelled prototypes."""

    _extras = ("class_weight", "n_jobs", "verbose")
    _example = (">>> {}().fit(X, y).score(X, y) > 0.9", "True")

    def fit(self, X, y, *, X_val=None, y_val=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like, data frame, Arrow table or sparse matrix of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        X_val, y_val : as X and y, default=None
            Held-out samples for calibration (temperature scaling) and, for methods with epochs, for choosing the best
            iterate.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, valid=_pair(X_val, y_val))

    def predict(self, X):
        """Predict the label of each row with the decision rule of the model (`rule`)."""
        index = self._rows(X, lambda x: self.model_.predict(x, self._threads()))
        return self.classes_[index]

    def predict_proba(self, X):
        """Probability of each class for each row, at the calibrated temperature."""
        return self._rows(X, lambda x: self.model_.probabilities(x, self._threads()))

    def predict_log_proba(self, X):
        """Logarithm of the probabilities, exact even if a probability rounds to zero."""
        evidence = self._rows(X, lambda x: self.model_.evidence(x, self._threads()))
        evidence -= evidence.max(axis=1, keepdims=True)
        return evidence - np.log(np.exp(evidence).sum(axis=1, keepdims=True))

    def decision_function(self, X):
        """Evidence for each class, whose softmax gives the probabilities; the log-odds for two classes.

        The class with the largest value is the most probable one; under the default `rule` and `posterior` it is the
        prediction.
        """
        evidence = self._rows(X, lambda x: self.model_.evidence(x, self._threads()))
        return evidence[:, 1] - evidence[:, 0] if len(self.classes_) == 2 else evidence

    def explain(self, X):
        """Nearest prototype of each row, nearest of another class, and contribution of each feature to both distances.

        Returns
        -------
        explanation : protea.Explanation
        """
        check_is_fitted(self, "model_")

        def explained(x):
            own, own_class, near, rival, rival_class, far = self.model_.winners(x, self._threads())
            terms = self.model_.contributions(x, own)
            return own, own_class, near, rival, rival_class, far, terms, self.model_.contributions(x, rival)

        own, own_class, near, rival, rival_class, far, terms, rival_terms = self._rows(X, explained)
        names = tuple(getattr(self, "feature_names_in_", self.model_.features))
        return Explanation(
            self.classes_[own_class], own, near, terms, self.classes_[rival_class], rival, far, rival_terms, names
        )

    def calibrate(self, X, y):
        """Calibrate the probabilities on held-out samples by temperature scaling; nothing else changes.

        Without held-out samples (this, `X_val` or `holdout`) the temperature comes from the training samples.

        Returns
        -------
        self : object
        """
        X, index = self._measured(X, y)
        self.model_ = self.model_.calibrated(X, index)
        return self

    def evaluate(self, X, y):
        """The measures of `protea eval`: error with interval, log loss, expected calibration error, per-class measures.

        Returns
        -------
        measures : dict
        """
        return json.loads(self.model_.evaluate(*self._measured(X, y)))

    def report(self, X, y, path=None, *, X_train=None, y_train=None, title=None):
        """HTML report on the model, evaluated on unseen samples: prototypes, errors, figures, a live demo.

        Parameters
        ----------
        X, y : array-like
            Labelled samples for the evaluation.
        path : path-like, optional
            Where to write the page; the file appears whole or not at all.
        X_train, y_train : array-like, optional
            Training samples of the model; with them the page compares it with 1-NN and k-means.
        title : str, optional
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


class WeightedClassifier(PrototypeClassifier):
    """A classifier that supports sample weights."""

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like, data frame, Arrow table or sparse matrix of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a weight of two is the same as repeating the sample.
        X_val, y_val : as X and y, default=None
            Held-out samples for calibration (temperature scaling) and, for methods with epochs, for choosing the best
            iterate.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, _pair(X_val, y_val), **self._earlier())

    def _earlier(self):
        """Earlier model to continue from, as arguments of `_fit`."""
        return {}


class LearnedClassifier(WeightedClassifier):
    """A classifier that is trained iteratively, so that a fit can continue from the last one."""

    _extras = ("class_weight", "warm_start", "n_jobs", "verbose")

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
        """
        once = {"epochs": 1, "decay": None}
        if hasattr(self, "model_"):
            return self._fit(X, y, sample_weight, classes=self.classes_, resume=self.model_, **once)
        return self._fit(X, y, sample_weight, classes=None if classes is None else np.unique(classes), **once)


class CodingClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrototypeClassifier):
    """A classifier that codes rows as weighted sums of training samples, and a transformer that returns the weights."""

    _extras = ("n_jobs", "verbose")
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
        """Each row, after preprocessing, as a weighted sum of the training samples.

        Returns
        -------
        codes : scipy.sparse.csr_array of shape (n, n_prototypes)
            Weights of the samples in `prototypes_`.
        residuals : array of shape (n,)
            Norm of the residual of each row.
        """
        counts, atoms, weights, left = self._rows(X, lambda x: self.model_.represent(x, self._threads()))
        ends = np.concatenate([[0], np.cumsum(counts)])
        shape = (len(counts), len(self.model_.labels))
        codes = sparse.csr_array((weights.astype(self.model_.dtype), atoms, ends), shape=shape)
        codes.sort_indices()
        return codes, left

    def transform(self, X):
        """Code of each row: the weights of the training samples, as a sparse matrix."""
        return self.represent(X)[0]

    def predict_log_proba(self, X):
        """Logarithm of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def explain(self, X):
        """Not available for coding methods: `represent` returns the samples behind an answer and their weights."""
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


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A transformer that learns a metric: Euclidean distances after it are the learned distances."""

    _example = (">>> {}(rank=2).fit(X, y).transform(X).shape", "(178, 2)")

    def fit(self, X, y, sample_weight=None):
        """Learn the metric.

        Parameters
        ----------
        X : array-like, data frame, Arrow table or sparse matrix of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a weight of two is the same as repeating the sample.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight)

    def transform(self, X):
        """Map rows to the space where Euclidean distances are those of the learned metric."""
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


class Selector(PrototypeClassifier):
    """A selector of training samples, and the nearest-neighbour classifier over them."""

    _example = (">>> X_kept, y_kept = {}().fit_resample(X, y)", ">>> len(X_kept) < len(X)", "True")

    def fit_resample(self, X, y):
        """Select samples and return them.

        Returns
        -------
        X_resampled, y_resampled
            The rows of `sample_indices_`, in order, of the same types as X and y.
        """
        self.fit(X, y)
        return _taken(X, self.sample_indices_), _taken(y, self.sample_indices_)

    def _keep(self, model):
        super()._keep(model)
        if model.selected is not None:  # model files do not store them
            self.sample_indices_ = np.sort(model.selected)


def _pair(X, y):
    if (X is None) != (y is None):
        raise ValueError("X_val and y_val are given together or not at all")
    return None if X is None else (X, y)


def _taken(table, rows):
    """Rows of an array, data frame, Arrow table or sparse matrix."""
    from sklearn.utils import _safe_indexing

    if hasattr(table, "take") and type(table).__module__.partition(".")[0] == "pyarrow":
        return table.take(rows)
    return _safe_indexing(table, rows)
