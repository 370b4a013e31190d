from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

def methods() -> list[dict[str, Any]]: ...
def fit(
    method: str,
    x: NDArray[np.floating[Any]],
    y: NDArray[np.int64],
    classes: list[str],
    settings: dict[str, str],
    *,
    features: list[str] | None = ...,
    columns: str | None = ...,
    weights: NDArray[np.float64] | None = ...,
    class_weights: list[float] | None = ...,
    valid: tuple[NDArray[np.floating[Any]], NDArray[np.int64]] | None = ...,
    resume: Model | None = ...,
    threads: int = ...,
    report: Callable[[str, int, int, float, float, float | None], bool | None] | None = ...,
) -> Model: ...

def project(
    map: str,
    x: NDArray[np.floating[Any]],
    y: NDArray[np.int64],
    classes: list[str],
    rank: int | None = ...,
    graph: str = ...,
    supervised: bool = ...,
    threads: int = ...,
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]: ...
def hog(x: NDArray[np.floating[Any]], width: int, height: int, threads: int) -> NDArray[np.floating[Any]]: ...
def deskew(
    x: NDArray[np.floating[Any]], width: int, height: int, background: float, threads: int
) -> NDArray[np.floating[Any]]: ...

class Model:
    method: str
    classes: list[str]
    features: list[str]
    columns: list[dict[str, Any]] | None
    dtype: str
    prototypes: NDArray[np.floating[Any]]
    labels: NDArray[np.int64]
    components: NDArray[np.floating[Any]] | None
    relevance: list[float] | None
    importance: NDArray[np.float64]
    gamma: float
    rule: str
    nbytes: int
    selected: NDArray[np.int64] | None
    provenance: dict[str, Any]
    history: dict[str, list[float]]
    stopped: str
    def predict(self, x: NDArray[np.floating[Any]], threads: int = ...) -> NDArray[np.int64]: ...
    def probabilities(self, x: NDArray[np.floating[Any]], threads: int = ...) -> NDArray[np.float64]: ...
    def evidence(self, x: NDArray[np.floating[Any]], threads: int = ...) -> NDArray[np.float64]: ...
    def distances(self, x: NDArray[np.floating[Any]], threads: int = ...) -> NDArray[np.floating[Any]]: ...
    def neighbours(
        self, x: NDArray[np.floating[Any]], k: int, threads: int = ...
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
    def certify(
        self, x: NDArray[np.floating[Any]], norm: str, bound: str, threads: int = ...
    ) -> NDArray[np.float64]: ...
    def transform(self, x: NDArray[np.floating[Any]], threads: int = ...) -> NDArray[np.floating[Any]]: ...
    def represent(self, x: NDArray[np.floating[Any]], threads: int = ...) -> tuple[NDArray[Any], ...]: ...
    def winners(self, x: NDArray[np.floating[Any]], threads: int = ...) -> tuple[NDArray[Any], ...]: ...
    def contributions(
        self, x: NDArray[np.floating[Any]], prototypes: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...
    def calibrated(self, x: NDArray[np.floating[Any]], y: NDArray[np.int64]) -> Model: ...
    def evaluate(self, x: NDArray[np.floating[Any]], y: NDArray[np.int64]) -> str: ...
    def report(
        self,
        x: NDArray[np.floating[Any]],
        y: NDArray[np.int64],
        train: tuple[NDArray[np.floating[Any]], NDArray[np.int64]] | None = ...,
        title: str | None = ...,
        path: str | PathLike[str] | None = ...,
    ) -> str: ...
    def with_rule(self, rule: str) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def export(self, format: str, name: str = ..., quantize: str | None = ...) -> list[tuple[str, bytes]]: ...
    @staticmethod
    def from_bytes(bytes: bytes, source: str = ...) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
