# Written by stubs.py from the registry of methods; do not edit.
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

class _Transformer(TransformerMixin, _Estimator):
    def transform(self, X: Any) -> Any: ...

class NPC(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        loss: str = ...,
        delta: float = ...,
        over: str = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> NPC: ...

class DMPL(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        mu: float = ...,
        kappa: float = ...,
        margin: float | None = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> DMPL: ...

class KNPL(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        mu: float = ...,
        kappa: float = ...,
        margin: float | None = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> KNPL: ...

class LMNP(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        mu: float = ...,
        kappa: float = ...,
        margin: float | None = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LMNP: ...

class PNN(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        draws: int = ...,
        margin: float | None = ...,
        rounds: int = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> PNN: ...

class EPNN(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        learners: int = ...,
        draws: int = ...,
        margin: float | None = ...,
        rounds: int = ...,
        code: str = ...,
        machine: str = ...,
        penalty: float | None = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> EPNN: ...

class LPD(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LPD: ...

class LVQ1(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        epochs: int | None = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LVQ1: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = ..., sample_weight: ArrayLike | None = ...) -> LVQ1: ...

class LVQ21(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        window: float = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        epochs: int | None = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LVQ21: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = ..., sample_weight: ArrayLike | None = ...) -> LVQ21: ...

class LVQ3(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        window: float = ...,
        epsilon: float = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        epochs: int | None = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LVQ3: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = ..., sample_weight: ArrayLike | None = ...) -> LVQ3: ...

class OLVQ1(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        epochs: int | None = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> OLVQ1: ...

class DSM(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        init: str = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        epochs: int | None = ...,
        rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> DSM: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = ..., sample_weight: ArrayLike | None = ...) -> DSM: ...

class GLVQ(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        activation: str = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> GLVQ: ...

class GRLVQ(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        activation: str = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> GRLVQ: ...

class GMLVQ(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        activation: str = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> GMLVQ: ...

class LGMLVQ(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        activation: str = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> LGMLVQ: ...

class RSLVQ(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        init: str = ...,
        metric: str = ...,
        locality: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        freeze_prototypes: bool = ...,
        prune: int = ...,
        optimizer: str = ...,
        epochs: int | None = ...,
        batch: int = ...,
        rate: float = ...,
        metric_rate: float = ...,
        decay: str | None = ...,
        noise: float = ...,
        gamma: float | None = ...,
        anneal: float = ...,
        gamma_steps: int = ...,
        max_iter: int = ...,
        tol: float = ...,
        holdout: float | None = ...,
        patience: int | None = ...,
        keep: str = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> RSLVQ: ...

class KMeansClassifier(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> KMeansClassifier: ...

class CentroidClassifier(_Classifier):
    def __init__(
        self,
        *,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ..., *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> CentroidClassifier: ...

class SampleClassifier(_Classifier):
    def __init__(
        self,
        *,
        n_prototypes_per_class: int | float | dict[Any, int | float] = ...,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> SampleClassifier: ...

class KNN(_Classifier):
    def __init__(
        self,
        *,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> KNN: ...

class CNN(_Classifier):
    sample_indices_: NDArray[np.int64]
    def __init__(
        self,
        *,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> CNN: ...
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]: ...

class ENN(_Classifier):
    sample_indices_: NDArray[np.int64]
    def __init__(
        self,
        *,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> ENN: ...
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]: ...

class DROP3(_Classifier):
    sample_indices_: NDArray[np.int64]
    def __init__(
        self,
        *,
        metric: str = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        rule: str = ...,
        posterior: str = ...,
        random_state: int | np.random.RandomState | None = ...,
        class_weight: dict[Any, float] | str | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, *, X_val: Any = ..., y_val: ArrayLike | None = ...) -> DROP3: ...
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]: ...

class LMNN(_Transformer):
    def __init__(
        self,
        *,
        targets: int = ...,
        push: float = ...,
        passes: int = ...,
        pass_steps: int = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> LMNN: ...

class NCA(_Transformer):
    def __init__(
        self,
        *,
        nca_start: str = ...,
        nca_steps: int = ...,
        rank: int | None = ...,
        scale: str | None = ...,
        pca: int | float | str | None = ...,
        image: str | None = ...,
        deskew: bool = ...,
        tol: float = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> NCA: ...
