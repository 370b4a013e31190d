"""Estimators from model files."""

import numpy as np

from . import _classifiers, _coders, _selectors, _transformers
from ._protea import Model
from ._registry import value_of


def estimators():
    """Every estimator class by the name of its method."""
    modules = (_classifiers, _coders, _selectors, _transformers)
    found = [value for module in modules for value in vars(module).values() if hasattr(value, "_method")]
    return {cls._method: cls for cls in found}


def load(path, classes=None):
    """Load a model saved by Python or the command line, as a fitted estimator.

    Parameters
    ----------
    path : str or path
        A safetensors file.
    classes : array-like, default=None
        Labels in the order of the file, for labels that are neither integers nor text. By default the labels become
        integers if all of them are, else text.

    Returns
    -------
    estimator : estimator of the class for the model's method

    Examples
    --------
    >>> import os, tempfile
    >>> from protea import NPC, load
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.safetensors")
    >>> clf = NPC(n_prototypes_per_class=2).fit(X, y)
    >>> clf.save(path)
    >>> bool((load(path).predict(X) == clf.predict(X)).all())
    True
    """
    with open(path, "rb") as file:
        model = Model.from_bytes(file.read(), str(path))
    cls = estimators().get(model.method)
    if cls is None:
        raise ValueError(f"{path}: there is no estimator for the method {model.method!r}")
    stored = model.provenance["settings"]
    given = {name: value_of(stored[s["name"]]) for name, s in cls._settings.items() if s["name"] in stored}
    estimator = cls(**given)
    estimator.classes_ = _labels(model.classes) if classes is None else np.asarray(classes)
    if len(estimator.classes_) != len(model.classes):
        raise ValueError(f"classes has {len(estimator.classes_)} labels, but {path} has {len(model.classes)}")
    estimator.n_features_in_ = len(model.features)
    if model.features != [f"f{j}" for j in range(len(model.features))]:
        estimator.feature_names_in_ = np.asarray(model.features, dtype=object)
    estimator._keep(model)
    return estimator


def _labels(names):
    """Labels from their names: integers if all of them are."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.asarray(names)
    return np.asarray(numbers) if [str(n) for n in numbers] == list(names) else np.asarray(names)
