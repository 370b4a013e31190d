"""Estimators from model files."""

import numpy as np

from ._estimators import ESTIMATORS
from ._protea import Model
from ._registry import METHODS, value_from, value_of


def load(path, classes=None):
    """Load a model saved by Python or the command line, as a fitted estimator.

    Settings that are not parameters of the estimator and not at their default are in its `settings`.

    Parameters
    ----------
    path : str or path-like
        A safetensors file.
    classes : array-like, default=None
        Labels in the order of the file, for labels that are neither integers nor text. By default the labels become
        integers if all of them are, else text.

    Returns
    -------
    estimator : object
        A fitted estimator of the class for the model's method.

    See Also
    --------
    NPC.save : Save the model of any estimator.

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
    cls = ESTIMATORS.get(model.method)
    if cls is None:
        raise ValueError(f"{path}: there is no estimator for the method {model.method!r}")
    stored = model.provenance["settings"]
    given = {name: value_from(s, stored[s["name"]]) for name, s in cls._settings.items() if s["name"] in stored}
    shown = {s["name"] for s in cls._settings.values()}
    usual = {s["name"]: s["default"] for s in METHODS[model.method]["settings"]} | cls._preset
    changed = [
        s for s in METHODS[model.method]["settings"]
        if s["name"] not in shown and stored.get(s["name"], usual[s["name"]]) != usual[s["name"]]
    ]  # fmt: skip
    further = {s["python"]: value_of(stored[s["name"]]) for s in changed}
    estimator = cls(**given, settings=further or None)
    estimator.classes_ = _labels(model.classes) if classes is None else np.asarray(classes)
    if len(estimator.classes_) != len(model.classes):
        raise ValueError(f"classes has {len(estimator.classes_)} labels, but {path} has {len(model.classes)}")
    names = model.features
    if any(column["kind"]["type"] != "number" for column in model.columns or ()):
        estimator.columns_ = model.columns
        names = [column["name"] for column in model.columns]
    estimator.n_features_in_ = len(names)
    if names != [f"f{j}" for j in range(len(names))]:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    estimator._keep(model)
    return estimator


def _labels(names):
    """Labels from their names: integers if all of them are."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.asarray(names)
    return np.asarray(numbers) if [str(n) for n in numbers] == list(names) else np.asarray(names)
