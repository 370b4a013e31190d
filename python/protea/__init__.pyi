# Written by stubs.py from the registry of methods; do not edit.
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from . import exceptions as exceptions
from ._explain import Explanation as Explanation
from ._protea import Model as Model

__version__: str
MAX_DENSE_BYTES: int

class _Parameters:
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...

class Auto(_Parameters):
    """Objective, metric and noise chosen on held-out training samples."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        time: float | None = ...,
        size: str | None = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class NPC(_Parameters):
    """Prototypes, and optionally a metric, by gradient descent on a soft 1-nearest-prototype rule that hardens."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        loss: Literal["exp", "hinge", "nll"] = ...,
        delta: float = ...,
        distance: Literal["squared", "plain"] = ...,
        over: Literal["all", "pair"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class DMPL(_Parameters):
    """Large-margin prototypes together with a Mahalanobis metric."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        mu: float = ...,
        kappa: int = ...,
        margin: float | None = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class KNPL(_Parameters):
    """Large-margin prototypes under the Euclidean distance."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        mu: float = ...,
        kappa: int = ...,
        margin: float | None = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LMNP(_Parameters):
    """A large-margin metric for fixed k-means prototypes."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        mu: float = ...,
        kappa: int = ...,
        margin: float | None = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["diagonal", "linear", "local", "local-linear"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class PNN(_Parameters):
    """Parametric nearest neighbours: prototypes learned from mistakes, then a weight and a bias for each class."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        draws: int = ...,
        margin: float | None = ...,
        rounds: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class EPNN(_Parameters):
    """An ensemble of parametric nearest neighbours, combined by a linear SVM."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        learners: int = ...,
        draws: int = ...,
        margin: float | None = ...,
        rounds: int = ...,
        code: Literal["sparse", "dense"] = ...,
        machine: Literal["crammer-singer", "one-vs-rest"] = ...,
        penalty: float | None = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LPD(_Parameters):
    """Prototypes, each with its own diagonal metric, trained on a sigmoid of the distance ratio."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LVQ1(_Parameters):
    """The nearest prototype moves towards samples of its class and away from others."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LVQ21(_Parameters):
    """Moves the two nearest prototypes, one right and one wrong, if the sample falls between them."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        window: float = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LVQ3(_Parameters):
    """LVQ21 that also moves the two nearest prototypes closer if both are right."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        window: float = ...,
        epsilon: float = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class OLVQ1(_Parameters):
    """LVQ1 with an adaptive step size for each prototype."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class DSM(_Parameters):
    """Decision surface mapping: the nearest prototypes of the true and of another class move, on mistakes only."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class GLVQ(_Parameters):
    """Relative distance difference of the nearest prototypes of the true and of another class."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        activation: Literal["sigmoid", "identity", "swish"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class GRLVQ(_Parameters):
    """GLVQ with a learned relevance for each feature."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        activation: Literal["sigmoid", "identity", "swish"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class GMLVQ(_Parameters):
    """GLVQ with a learned matrix, full or of low rank."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        activation: Literal["sigmoid", "identity", "swish"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LGMLVQ(_Parameters):
    """GLVQ with a learned matrix for each class or prototype."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        activation: Literal["sigmoid", "identity", "swish"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        locality: Literal["class", "prototype"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class RSLVQ(_Parameters):
    """Robust soft LVQ: the likelihood ratio of a Gaussian mixture; NPC with the log loss, γ = 1/2σ²."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "diagonal", "linear", "local", "local-linear", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        optimizer: Literal["adam", "sgd", "cg", "lbfgs", "gd", "alternating"] = ...,
        epochs: int | None = ...,
        rate: float = ...,
        noise: float | None = ...,
        gamma: float | None = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class KMeansClassifier(_Parameters):
    """K-means within each class, labelled with the class."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class CentroidClassifier(_Parameters):
    """The mean of each class."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        X_val: Any = ...,
        y_val: ArrayLike | None = ...,
    ) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class SampleClassifier(_Parameters):
    """Random training samples of each class."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | str | Mapping[Any, int | float] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class KNN(_Parameters):
    """K-nearest neighbours over all training samples; the rule K-np sets k."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        n_neighbors: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca", "cdvw"] = ...,
        rank: int | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class INN(_Parameters):
    """Iterative nearest neighbours: a sample as a sum of others found by repeated search; most weight wins."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        lam: float = ...,
        beta: float = ...,
        steps: int | None = ...,
        stop_at: float = ...,
        refine: bool = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class SRC(_Parameters):
    """Sparse coding: an ℓ1-penalised sum of samples; the class whose part leaves the smallest residual wins."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        l1: float = ...,
        gap: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class CRC(_Parameters):
    """Collaborative representation: ridge regression on all samples; the class with the smallest residual wins."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        ridge: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class WCRC(_Parameters):
    """Collaborative representation with sample and feature weights."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        ridge: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class MP(_Parameters):
    """Matching pursuit: adds one sample at a time, the one most correlated with the residual; class by residual."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        atoms: int = ...,
        stop_at: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class OMP(_Parameters):
    """Orthogonal matching pursuit: MP with all weights refitted after each sample; class by residual."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        atoms: int = ...,
        stop_at: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LLE(_Parameters):
    """Locally linear weights on the nearest samples, summing to 1; most weight wins."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        neighbours: int = ...,
        regularisation: float = ...,
        by: Literal[None, "weights", "residual"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def represent(self, X: Any) -> tuple[Any, NDArray[np.float64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LMNN(_Parameters):
    """Nearest neighbours under a large-margin metric (LMNN) learned on all samples; any method can use the metric lmnn."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        targets: int = ...,
        push: float = ...,
        passes: int = ...,
        pass_steps: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        rank: int | None = ...,
        tol: float = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class NCA(_Parameters):
    """Nearest neighbours under neighbourhood components (NCA) learned on all samples; any method can use the metric nca."""
    model_: Model
    classes_: NDArray[Any]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        nca_start: Literal["pca", "identity"] = ...,
        nca_steps: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        rank: int | None = ...,
        tol: float = ...,
        settings: Mapping[str, Any] | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class CNN(_Parameters):
    """Condensed nearest neighbours: the samples that 1-NN needs to classify all training samples."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike) -> tuple[Any, Any]: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...

class ENN(_Parameters):
    """Edited nearest neighbours: the training samples whose 3 nearest neighbours agree with their class."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike) -> tuple[Any, Any]: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...

class DROP3(_Parameters):
    """Edited training samples, minus those without which their neighbourhood is classified equally well."""
    model_: Model
    classes_: NDArray[Any]
    sample_indices_: NDArray[np.int64]
    n_iter_: int
    columns_: list[dict[str, Any]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        random_state: int | np.random.RandomState | None = ...,
        scale: Literal["raw", None, "global", "standard", "minmax", "robust", "auto"] = ...,
        encode: str | None = ...,
        metric: Literal["euclidean", "lmnn", "nca"] = ...,
        rank: int | None = ...,
        holdout: float | None = ...,
        settings: Mapping[str, Any] | None = ...,
        class_weight: Mapping[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def calibrate(self, X: Any, y: ArrayLike) -> Self: ...
    def certify(
        self,
        X: Any,
        norm: Literal["l1", "l2", "linf"] = ...,
        bound: Literal["margin", "half-space", "exact"] = ...,
    ) -> NDArray[np.float64]: ...
    @property
    def components_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def evaluate(self, X: Any, y: ArrayLike) -> dict[str, Any]: ...
    def explain(self, X: Any) -> Explanation: ...
    def export(
        self,
        path: str | PathLike[str],
        format: Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"] | None = ...,
        *,
        quantize: Literal["int8", "int16"] | None = ...,
    ) -> list[Path]: ...
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> Self: ...
    def fit_resample(self, X: Any, y: ArrayLike) -> tuple[Any, Any]: ...
    def kneighbors(self, X: Any, n_neighbors: int = ..., return_distance: bool = ...) -> Any: ...
    @property
    def loss_curve_(self) -> list[float]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototypes_labels_(self) -> NDArray[Any]: ...
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
    def save(self, path: str | PathLike[str]) -> None: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...

class BoundaryDisplay:
    """Regions of the classes in a plane, with samples and prototypes."""
    ax_: Any
    figure_: Any
    def __init__(
        self,
        horizontal: NDArray[np.float64],
        vertical: NDArray[np.float64],
        regions: NDArray[np.int64],
        classes: ArrayLike | None,
        points: list[tuple[NDArray[np.float64], NDArray[np.int64], str]],
        names: tuple[str, str],
    ) -> None: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike | None = ..., *, ax: Any = ...) -> Self: ...
    def plot(self, *, ax: Any = ...) -> Self: ...

class ConfusionDisplay:
    """Confusions by prototype: true classes as rows, the prototypes that decided as columns."""
    ax_: Any
    figure_: Any
    def __init__(
        self,
        counts: NDArray[np.int64],
        classes: ArrayLike | None,
        labels: NDArray[Any],
    ) -> None: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = ...) -> Self: ...
    def plot(self, *, ax: Any = ...) -> Self: ...

class Deskew(_Parameters):
    """Remove the slant of images, and centre them."""
    background_: float
    image_size_: tuple[int, int]
    n_features_in_: int
    def __init__(self, image: tuple[int, int] | None = ..., *, n_jobs: int | None = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...

class HOG(_Parameters):
    """Histograms of oriented gradients: edges by direction, in place of pixels."""
    image_size_: tuple[int, int]
    n_features_in_: int
    def __init__(self, image: tuple[int, int] | None = ..., *, n_jobs: int | None = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike | None = ...) -> Self: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class INNLP(_Parameters):
    """Linear projection that keeps iterative nearest neighbours together."""
    components_: NDArray[Any]
    mean_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        graph: Literal["laplacian", "reconstruction"] = ...,
        supervised: bool = ...,
        n_jobs: int | None = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LDA(_Parameters):
    """Linear discriminants: the directions that separate the classes best, for their spread inside."""
    components_: NDArray[Any]
    mean_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(self, n_components: int | None = ..., *, n_jobs: int | None = ...) -> None: ...
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class LPP(_Parameters):
    """Locality preserving projection: the linear map that keeps the 5 nearest neighbours together."""
    components_: NDArray[Any]
    mean_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        supervised: bool = ...,
        n_jobs: int | None = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...

class PrototypesDisplay:
    """Prototypes of a classifier: as images, or as a table of features."""
    ax_: Any
    figure_: Any
    def __init__(
        self,
        prototypes: NDArray[Any],
        labels: NDArray[Any],
        feature_names: Sequence[str],
        *,
        image: tuple[int, int] | None = ...,
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        image: tuple[int, int] | None = ...,
        ax: Any = ...,
    ) -> Self: ...
    def plot(self, *, ax: Any = ...) -> Self: ...

class ReliabilityDisplay:
    """Reliability of probabilities: how often predictions of a given probability are right."""
    ax_: Any
    figure_: Any
    def __init__(
        self,
        confidence: NDArray[np.float64],
        accuracy: NDArray[np.float64],
        counts: NDArray[np.int64],
        name: str | None,
    ) -> None: ...
    @property
    def calibration_error(self) -> float: ...
    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_bins: int = ...,
        name: str | None = ...,
        ax: Any = ...,
    ) -> Self: ...
    def plot(self, *, ax: Any = ...) -> Self: ...

def load(path: str | PathLike[str], classes: ArrayLike | None = ...) -> Any: ...
