"""Docstrings of estimators: the text of the class, and the parameters from the registry."""

import inspect
import textwrap

from ._registry import METHODS, value_of

EXTRAS = {
    "n_jobs": ("int or None", "Number of threads; None uses all cores (a joblib worker uses its share), −1 uses all. The result is the same for any number."),
    "verbose": ("int or bool", "Show progress on standard error."),
    "class_weight": ("dict, 'balanced' or None", "Weight of each class, or how many times more frequent it is than in training; adjusts predictions and probabilities after training."),
    "warm_start": ("bool", "Whether `fit` continues from the last model, with the same preprocessing."),
}


def docstring(cls):
    """The docstring of an estimator: first paragraph of the class, parameters, reference, rest of the class."""
    method = METHODS[cls._method]
    own = inspect.cleandoc(cls.__dict__.get("__doc__") or method["summary"])
    first, _, rest = own.partition("\n\n")
    signature = inspect.signature(cls.__init__)
    lines = [first, "", "Parameters", "----------"]
    for name, parameter in list(signature.parameters.items())[1:]:
        kind, text = EXTRAS[name] if name in EXTRAS else _described(name, cls._settings[name])
        lines.append(f"{name} : {kind}, default={parameter.default!r}")
        lines += textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="    ")
    lines += ["", *ATTRIBUTES, "", "References", "----------"]
    lines += textwrap.wrap(method["reference"] + ".", 100)
    if rest:
        lines += ["", rest]
    lines += ["", "Examples", "--------", f">>> from protea import {cls.__name__}", *EXAMPLE]
    lines += [line.format(cls.__name__) for line in cls._example]
    return "\n".join(lines) + "\n"


EXAMPLE = [
    ">>> from sklearn.datasets import load_wine",
    ">>> X, y = load_wine(return_X_y=True)",
]
ATTRIBUTES = [
    "Attributes",
    "----------",
    "model_ : protea.Model",
    "    The fitted model: prototypes, metric, preprocessing, provenance.",
    "classes_ : array of shape (n_classes,)",
    "    Labels of the classes.",
    "prototypes_ : array of shape (n_prototypes, n_features)",
    "    Prototypes in the units of the input; `prototypes_labels_` are their labels.",
    "components_ : array of shape (rank, n_features)",
    "    Matrix that maps the input to the space where distances are Euclidean, if all prototypes share a metric.",
    "n_iter_ : int",
    "    Number of epochs or steps; `loss_curve_` has the loss after each.",
    "n_features_in_, feature_names_in_",
    "    Number of features, and their names if the input has them.",
]


def _described(name, setting):
    """Type and description of a setting."""
    if name == "n_prototypes_per_class":
        return "int, float or dict", "Prototypes per class: a number, a share of its samples, or numbers by label ('*' for the rest)."
    if name == "random_state":
        return "int, RandomState or None", "Seed of all randomness; None draws a new one."
    default = value_of(setting["default"])
    kind = {bool: "bool", int: "int", float: "float"}.get(type(default))
    if kind is None:
        kind = setting["expected"].replace("none", "None")
    return kind, setting["help"].replace("--", "")
