"""Base of all estimators: parameters from the registry, fitting, saving."""

import inspect
import json
import warnings
import zlib

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _html, _input, _protea, _table
from ._progress import CallbackSupportMixin, Watch, with_callbacks
from ._registry import METHODS, default_of, further, parameters_of, text_for, text_of
from .exceptions import DataError, SettingError

#: Parameters that only exist in Python, with their defaults.
EXTRAS = {"settings": None, "class_weight": None, "warm_start": False, "n_jobs": None, "verbose": 0}


class Estimator(CallbackSupportMixin, BaseEstimator):
    """Base of all estimators; a subclass names its method and gets its parameters from the registry.

    `class GLVQ(LearnedClassifier, method="glvq")` is a complete estimator. `also` names settings that are parameters besides
    the usual ones; `renamed` gives settings another name and meaning in Python.
    """

    _extras = ("settings", "n_jobs", "verbose")
    #: Groups of settings that this kind of estimator has no use for.
    _without = ()
    _also = ()
    #: Whether `sample_indices_` tells which training samples the prototypes are.
    _names_samples = False

    def __init_subclass__(cls, method=None, also=(), renamed=None, **options):
        super().__init_subclass__(**options)
        if method is None:
            return
        cls._method = method
        renamed = renamed or {}
        parameters = parameters_of(method, cls._without, (*cls._also, *also, *renamed))
        parameters = [s | renamed.get(s["name"], {}) for s in parameters.values()]
        cls._settings = {s["python"]: s for s in parameters}
        cls._preset = {} if "Decision" in cls._without else _most_probable(METHODS[method]["settings"])
        defaults = {name: default_of(s) for name, s in cls._settings.items()}
        defaults |= {name: EXTRAS[name] for name in cls._extras}
        cls.__init__ = _constructor(cls, defaults)

    @with_callbacks
    def _fit(self, X, y, sample_weight=None, valid=None, classes=None, resume=None, **replaced):
        """Check, train, keep the model; `classes` are those of an earlier call, `replaced` overrides settings."""
        X, y = _input.training(self, X, y, reset=resume is None, dtype=_types(resume))
        check_classification_targets(y)
        if classes is None:
            classes, index = np.unique(y, return_inverse=True)
        else:
            index = _indices(y, classes)
        if len(classes) < 2:
            raise DataError(f"{type(self).__name__} needs two classes or more, but y has one class only, {str(classes[0])!r}")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        class_weight = None
        if getattr(self, "class_weight", None) is not None:
            class_weight = compute_class_weight(self.class_weight, classes=classes, y=y).tolist()
        if valid is not None:
            valid = _validation(self, *valid, classes, X.dtype)
        names = [str(c) for c in classes]
        watch = Watch(self, X, y)
        try:
            model = _protea.fit(
                self._method,
                X,
                index.astype(np.int64, copy=False),
                names,
                self._given(names) | {name: text_of(value) for name, value in replaced.items()},
                features=_feature_names(self),
                columns=json.dumps(self.columns_) if hasattr(self, "columns_") else None,
                weights=None if sample_weight is None else np.ascontiguousarray(sample_weight),
                class_weights=class_weight,
                valid=valid,
                resume=resume,
                threads=_input.threads(self.n_jobs),
                report=watch.report,
            )
        finally:
            watch.close()
        self.classes_ = classes
        self._keep(model)
        if model.stopped in ("not converged", "diverged"):
            what = "the steps ran out before it converged; raise max_iter or tol"
            if model.stopped == "diverged":
                what = "it diverged and the last sound iterate was kept; lower rate or use another scale"
            warnings.warn(f"{type(self).__name__}: {what}", ConvergenceWarning, stacklevel=3)
        watch.done()
        return self

    def _keep(self, model):
        """Set the attributes of a fitted estimator."""
        self.model_ = model
        self.n_iter_ = max(1, len(model.history["loss"]))

    def _given(self, class_names):
        """Settings that differ from their defaults, as text for the library."""
        texts = self._preset | further(type(self).__name__, self.settings, self.get_params(deep=False))
        for name, setting in self._settings.items():
            value = getattr(self, name)
            if name == "random_state" and not isinstance(value, (int, np.integer)):
                value = check_random_state(value).randint(2**31 - 1)
            if name == "n_prototypes_per_class" and isinstance(value, dict):
                value = _counts(value, class_names)
            if value is not default_of(setting) and value != default_of(setting):
                texts[setting["name"]] = text_for(setting, value)
        return texts

    def _rows(self, X, work):
        """Apply a method of the model to rows of any input type."""
        check_is_fitted(self, "model_")
        return _input.in_blocks(_input.rows(self, X), work)

    def save(self, path):
        """Save the model as a safetensors file, which the command line can read.

        Parameters
        ----------
        path : str or path-like
            Path of the file, which appears whole or not at all.
        """
        check_is_fitted(self, "model_")
        self.model_.save(path)

    @property
    def loss_curve_(self):
        """Loss after each epoch or step."""
        check_is_fitted(self, "model_")
        return self.model_.history["loss"]

    def __getstate__(self):
        # The training history is text, and takes most of the space of a small model.
        state = super().__getstate__()
        if "model_" in state:
            state = state | {"model_": zlib.compress(state["model_"].to_bytes(), 1)}
        return state

    def __setstate__(self, state):
        if "model_" in state:
            state = state | {"model_": _protea.Model.from_bytes(zlib.decompress(state["model_"]))}
        super().__setstate__(state)

    @property
    def components_(self):
        """Matrix that maps the input to the space where distances are Euclidean, if all prototypes share one."""
        check_is_fitted(self, "model_")
        components = self.model_.components
        if components is None:
            raise AttributeError(f"this {type(self).__name__} has no matrix for all prototypes")
        return components

    def _repr_html_inner(self):
        return super()._repr_html_inner() + _html.summary(self)

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True}


def _constructor(cls, defaults):
    """An `__init__` with these keyword-only parameters, which it stores unchanged."""

    def __init__(self, **given):
        unknown = set(given) - set(defaults)
        if unknown:
            known = ", ".join(defaults)
            raise TypeError(f"{cls.__name__} has no parameter {min(unknown)!r}; it has {known}")
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    parameter = inspect.Parameter
    parameters = [parameter("self", parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [parameter(name, parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    __init__.__signature__ = inspect.Signature(parameters)
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _most_probable(settings):
    """Setting under which the prediction is the most probable class, as scikit-learn expects.

    Probabilities then come from the nearest prototype of each class.
    """
    soft = any(s["name"] == "posterior" and s["default"] == "soft" for s in settings)
    return {"posterior": "nearest"} if soft else {}


def _types(model):
    """Allowed element types of rows: that of the model to continue from, or any."""
    return _input.FLOATS if model is None else np.dtype(model.dtype)


def _feature_names(estimator):
    if hasattr(estimator, "columns_"):
        return _table.feature_names(estimator.columns_)
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _indices(y, classes):
    """Indices of labels in the known classes."""
    index = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    new = classes[index] != y
    if np.any(new):
        raise DataError(f"label {str(np.asarray(y)[new][0])!r} is of no known class; there are {', '.join(map(str, classes))}")
    return index


def _validation(estimator, X, y, classes, dtype):
    """Validation rows and their class indices."""
    X, y = _input.training(estimator, X, y, reset=False, dtype=dtype)
    return X, _indices(y, classes).astype(np.int64, copy=False)


def _counts(counts, class_names):
    """Numbers of prototypes by class, as text for the library."""
    named = {str(label): count for label, count in counts.items()}
    unknown = [name for name in named if name not in class_names and name != "*"]
    if unknown:
        raise SettingError(f"n_prototypes_per_class names the class {unknown[0]!r}; there are {', '.join(class_names)}")
    split = [name for name in named if "," in name]
    if split:
        raise SettingError(f"n_prototypes_per_class cannot name the class {split[0]!r}, which has a comma")
    return ",".join(f"{name}={text_of(count)}" for name, count in named.items())
