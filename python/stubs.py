"""Writes protea/__init__.pyi: the classes with the parameters that the registry gives them.

Run `python stubs.py` after a method or a setting has changed; a test compares.
"""

import inspect
from pathlib import Path

from protea import _abstract
from protea._load import estimators

FILE = Path(__file__).parent / "protea" / "__init__.pyi"
HEAD = '''# Written by stubs.py from the registry of methods; do not edit.
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from . import exceptions as exceptions
from ._explain import Explanation as Explanation
from ._protea import Model as Model

__version__: str
MAX_DENSE_BYTES: int

def load(path: str | PathLike[str], classes: ArrayLike | None = ...) -> Any: ...

class _Estimator(BaseEstimator):
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    @property
    def loss_curve_(self) -> list[float]: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    @property
    def components_(self) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class _Classifier(ClassifierMixin, _Estimator):
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def explain(self, X: Any) -> Explanation: ...
    def calibrate(self, X: Any, y: ArrayLike) -> _Classifier: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def report(
        self,
        X: Any,
        y: ArrayLike,
        path: str | PathLike[str] | None = ...,
        *,
        X_train: Any = ...,
        y_train: ArrayLike | None = ...,
        title: str | None = ...,
    ) -> str: ...

class _Coder(TransformerMixin, _Classifier):
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def transform(self, X: Any) -> Any: ...

class _Transformer(TransformerMixin, _Estimator):
    def transform(self, X: Any) -> Any: ...
'''
KINDS = {
    "n_prototypes_per_class": "int | float | dict[Any, int | float]",
    "random_state": "int | np.random.RandomState | None",
    "class_weight": "dict[Any, float] | str | None",
    "n_jobs": "int | None",
    "verbose": "int | bool",
    "rule": "str",
    "pca": "int | float | str | None",
    "holdout": "float | None",
    "gamma": "float | None",
    "margin": "float | None",
    "penalty": "float | None",
    "image": "str | None",
}


def kind(name, default):
    """The type of a parameter."""
    if name in KINDS:
        return KINDS[name]
    if default is None:
        return "int | None" if name in ("rank", "epochs", "patience") else "str | None"
    if isinstance(default, bool):
        return "bool"
    if isinstance(default, int):
        return "int" if name not in ("anneal", "noise", "kappa", "delta", "mu", "margin") else "float"
    return "float" if isinstance(default, float) else "str | None" if name in ("scale", "decay") else "str"


def stub(cls):
    """One class."""
    base = "_Classifier"
    if issubclass(cls, _abstract.MetricLearner):
        base = "_Transformer"
    elif issubclass(cls, _abstract.CodingClassifier):
        base = "_Coder"
    lines = ["", f"class {cls.__name__}({base}):"]
    if issubclass(cls, _abstract.Selector):
        lines.append("    sample_indices_: NDArray[np.int64]")
    lines += ["    def __init__(", "        self,", "        *,"]
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        lines.append(f"        {name}: {kind(name, parameter.default)} = ...,")
    lines.append("    ) -> None: ...")
    weight = ", sample_weight: ArrayLike | None = ..."
    weighted = "sample_weight" in inspect.signature(cls.fit).parameters
    valid = "" if base == "_Transformer" else ", *, X_val: Any = ..., y_val: ArrayLike | None = ..."
    lines.append(f"    def fit(self, X: Any, y: ArrayLike{weight if weighted else ''}{valid}) -> {cls.__name__}: ...")
    if hasattr(cls, "partial_fit"):
        classes = ", classes: ArrayLike | None = ..."
        lines.append(f"    def partial_fit(self, X: Any, y: ArrayLike{classes}{weight}) -> {cls.__name__}: ...")
    if hasattr(cls, "fit_resample"):
        lines.append("    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]: ...")
    return "\n".join(lines) + "\n"


def text():
    """The whole file."""
    return HEAD + "".join(stub(cls) for cls in estimators().values())


if __name__ == "__main__":
    FILE.write_text(text())
