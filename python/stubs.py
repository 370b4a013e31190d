"""Writes protea/__init__.pyi: the public classes and functions, estimators with the parameters that the registry gives them.

Run `python stubs.py` after a method or a setting has changed; a test compares.
"""

import inspect
from pathlib import Path

import protea
from protea._estimators import ESTIMATORS

FILE = Path(__file__).parent / "protea" / "__init__.pyi"
HEAD = """# Written by stubs.py from the registry of methods; do not edit.
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
"""
#: Types of parameters, results and attributes by name; those of settings come from the registry.
TYPES = {
    # parameters of estimators
    "settings": "Mapping[str, Any] | None",
    "class_weight": "Mapping[Any, float] | str | None",
    "warm_start": "bool",
    "n_jobs": "int | None",
    "verbose": "int | bool",
    "n_components": "int | None",
    "graph": 'Literal["laplacian", "reconstruction"]',
    "supervised": "bool",
    # parameters of methods
    "X": "Any",
    "y": "ArrayLike",
    "X_val": "Any",
    "y_val": "ArrayLike | None",
    "X_train": "Any",
    "y_train": "ArrayLike | None",
    "sample_weight": "ArrayLike | None",
    "classes": "ArrayLike | None",
    "n_neighbors": "int",
    "return_distance": "bool",
    "path": "str | PathLike[str]",
    "title": "str | None",
    "format": 'Literal["onnx", "c", "rust", "js", "json", "npz", "lvq-pak"]',
    "quantize": 'Literal["int8", "int16"]',
    "norm": 'Literal["l1", "l2", "linf"]',
    "bound": 'Literal["margin", "half-space", "exact"]',
    "image": "tuple[int, int] | None",
    "input_features": "Sequence[str] | None",
    "estimator": "Any",
    "ax": "Any",
    "n_bins": "int",
    "name": "str | None",
    "prototypes": "NDArray[Any]",
    "labels": "NDArray[Any]",
    "feature_names": "Sequence[str]",
    "horizontal": "NDArray[np.float64]",
    "vertical": "NDArray[np.float64]",
    "regions": "NDArray[np.int64]",
    "points": "list[tuple[NDArray[np.float64], NDArray[np.int64], str]]",
    "names": "tuple[str, str]",
    "counts": "NDArray[np.int64]",
    "confidence": "NDArray[np.float64]",
    "accuracy": "NDArray[np.float64]",
}
RESULTS = {
    "fit": "Self",
    "partial_fit": "Self",
    "calibrate": "Self",
    "set_output": "Self",
    "from_estimator": "Self",
    "plot": "Self",
    "save": "None",
    "export": "list[Path]",
    "explain": "Explanation",
    "certify": "NDArray[np.float64]",
    "evaluate": "dict[str, Any]",
    "report": "str",
    "score": "float",
    "predict": "NDArray[Any]",
    "predict_proba": "NDArray[np.float64]",
    "predict_log_proba": "NDArray[np.float64]",
    "decision_function": "NDArray[np.float64]",
    "get_feature_names_out": "NDArray[Any]",
    "represent": "tuple[Any, NDArray[np.float64]]",
    "fit_resample": "tuple[Any, Any]",
    "calibration_error": "float",
    "loss_curve_": "list[float]",
    "feature_importances_": "NDArray[np.float64]",
}
ATTRIBUTES = {
    "model_": "Model",
    "n_iter_": "int",
    "columns_": "list[dict[str, Any]]",
    "n_features_in_": "int",
    "feature_names_in_": "NDArray[Any]",
    "classes_": "NDArray[Any]",
    "sample_indices_": "NDArray[np.int64]",
    "mean_": "NDArray[Any]",
    "components_": "NDArray[Any]",
    "background_": "float",
    "image_size_": "tuple[int, int]",
    "ax_": "Any",
    "figure_": "Any",
}
#: Methods of scikit-learn's mixins that users of estimators call.
INHERITED = {
    "score": "def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float: ...",
    "fit_transform": "def fit_transform(self, X: Any, y: ArrayLike | None = ..., **fit_params: Any) -> Any: ...",
    "set_output": 'def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = ...) -> Self: ...',
    "get_feature_names_out": "def get_feature_names_out(self, input_features: Sequence[str] | None = ...) -> NDArray[Any]: ...",
}


def setting_type(setting):
    """The type of a parameter that is a setting."""
    if setting["choices"] and "bool" not in setting["types"]:
        names = ", ".join("None" if name == "none" else f'"{name}"' for name in setting["choices"])
        return f"Literal[{names}]"
    kinds = [{"text": "str", "none": "None"}.get(kind, kind) for kind in setting["types"]]
    more = {"per-class": ["Mapping[Any, int | float]"], "seed": ["np.random.RandomState", "None"]}
    kinds += more.get(setting["name"], [])
    return " | ".join(sorted(kinds, key="None".__eq__))


def signature(cls, name, function, first="self"):
    """One method of a class."""
    given, keyword_only = [first], False
    settings = getattr(cls, "_settings", {}) if name == "__init__" else {}
    for parameter in list(inspect.signature(function).parameters.values()):
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            given.append("*")
            keyword_only = True
        optional = parameter.default is not parameter.empty
        kind = setting_type(settings[parameter.name]) if parameter.name in settings else TYPES[parameter.name]
        if optional and parameter.default is None and "None" not in kind and kind != "Any":
            kind += " | None"
        given.append(f"{parameter.name}: {kind}" + " = ..." * optional)
    result = "None" if name == "__init__" else RESULTS.get(name, "Any")
    line = f"    def {name}({', '.join(given)}) -> {result}: ..."
    if len(line) <= 110:
        return [line]
    return [f"    def {name}(", *(f"        {one}," for one in given), f"    ) -> {result}: ..."]


def stub(name, cls):
    """One class with all its public members, those of its bases included."""
    lines = ["", f"class {name}(_Parameters):" if hasattr(cls, "get_params") else f"class {name}:"]
    lines.append(f'    """{inspect.getdoc(cls).partition(chr(10))[0]}"""')
    documented = inspect.getdoc(cls).partition("Attributes\n")[2].partition("See Also\n")[0]
    shown = [line.split(" : ")[0] for line in documented.splitlines() if " : " in line and not line.startswith(" ")]
    lines += [f"    {one}: {ATTRIBUTES[one]}" for one in shown if not hasattr(cls, one) and one in ATTRIBUTES]
    lines += signature(cls, "__init__", cls.__init__)
    for member in sorted(vars_of(cls)):
        value = inspect.getattr_static(cls, member)
        if isinstance(value, property):
            lines += ["    @property", f"    def {member}(self) -> {RESULTS.get(member, 'NDArray[Any]')}: ..."]
        elif isinstance(value, classmethod):
            lines += ["    @classmethod", *signature(cls, member, value.__func__, "cls")]
        else:
            lines += signature(cls, member, value)
    own = vars_of(cls)
    lines += [f"    {text}" for name, text in INHERITED.items() if hasattr(cls, name) and name not in own]
    return "\n".join(lines) + "\n"


def vars_of(cls):
    """Public members that protea defines, in the class or its bases."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("protea")]
    return {name for base in bases for name, value in vars(base).items() if not name.startswith("_") and _shown(value)}


def _shown(value):
    return inspect.isfunction(value) or isinstance(value, (property, classmethod))


def text():
    """The whole file."""
    public = {name: getattr(protea, name) for name in protea.__all__}
    parts = [HEAD]
    parts += [stub(cls.__name__, cls) for cls in ESTIMATORS.values()]
    others = {n: v for n, v in public.items() if inspect.isclass(v) and n not in ("Model", "Explanation")}
    parts += [stub(name, cls) for name, cls in others.items() if cls not in ESTIMATORS.values()]
    parts.append("\ndef load(path: str | PathLike[str], classes: ArrayLike | None = ...) -> Any: ...\n")
    return "".join(parts)


if __name__ == "__main__":
    FILE.write_text(text())
