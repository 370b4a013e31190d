"""Docstrings of estimators in the format of numpydoc: all that the registry knows, and the text of the class."""

import inspect
import re
import textwrap

from ._registry import METHODS

EXTRAS = {
    "settings": (
        "dict or None",
        "Further settings by name, such as {}. `protea methods {}` on the command line lists them; names have underscores here.",
    ),
    "n_jobs": (
        "int or None",
        "Number of threads; None uses all cores (a joblib worker uses its share), -1 uses all. The result is the same for any "
        "number.",
    ),
    "verbose": ("int or bool", "Show progress on standard error."),
    "class_weight": (
        "dict, 'balanced' or None",
        "Weight of each class, or how many times more frequent it is than in training; adjusts predictions and probabilities "
        "after training.",
    ),
    "warm_start": ("bool", "Whether `fit` continues from the last model, with the same preprocessing."),
}
ATTRIBUTES = [
    ("model_", "protea.Model", "The fitted model: prototypes, metric, preprocessing, provenance."),
    ("classes_", "ndarray of shape (n_classes,)", "Labels of the classes."),
    ("prototypes_", "ndarray of shape (n_prototypes, n_features)", "Prototypes in the units of the input."),
    ("prototypes_labels_", "ndarray of shape (n_prototypes,)", "Label of each prototype."),
    (
        "feature_importances_",
        "ndarray of shape (n_features,)",
        "Share of each feature in the learned metric, if there is one; the shares sum to 1.",
    ),
    ("sample_indices_", "ndarray of shape (n_prototypes,)", "Rows of the training samples that were kept."),
    (
        "components_",
        "ndarray of shape (rank, n_features)",
        "Matrix that maps the input to the space where distances are Euclidean, if all prototypes share one.",
    ),
    ("n_iter_", "int", "Number of epochs or steps."),
    ("loss_curve_", "list of float", "Loss after each epoch or step."),
    ("columns_", "list of dict", "Kind of each column, if the training data was a data frame with columns of text."),
    ("n_features_in_", "int", "Number of features."),
    ("feature_names_in_", "ndarray of shape (n_features,)", "Names of the features, if the input has them."),
]
EXAMPLE = [
    ">>> from sklearn.datasets import load_wine",
    ">>> X, y = load_wine(return_X_y=True)",
]
#: Python's names of the types of settings.
TYPES = {"none": "None", "text": "str"}


def docstring(cls, estimators):
    """The docstring of an estimator; `estimators` are all classes by the name of their method."""
    method = METHODS[cls._method]
    lines = [summary(cls, estimators), ""]
    own = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
    lines += [*own.split("\n"), ""] if own else []
    lines += _wrapped(f"The method `{cls._method}` of the command line, with the same defaults.")
    lines += ["", "Parameters", "----------"]
    for name, parameter in list(inspect.signature(cls).parameters.items()):
        kind, text = _described(cls, name)
        lines += [f"{name} : {kind}, default={parameter.default!r}", *_wrapped(text, "    ")]
    lines += ["", "Attributes", "----------"]
    for name, kind, text in ATTRIBUTES:
        if name.startswith(("prototypes", "feature_imp")) and not hasattr(cls, "prototypes_"):
            continue
        if name == "sample_indices_" and not cls._names_samples:
            continue
        lines += [f"{name} : {kind}", *_wrapped(text, "    ")]
    lines += ["", "See Also", "--------"]
    for other in _related(cls, estimators):
        lines += [f"{other.__name__} : {summary(other, estimators)}"]
    lines += ["", "References", "----------", *_wrapped(sentence(method["reference"]))]
    lines += ["", "Examples", "--------", f">>> from protea import {cls.__name__}", *EXAMPLE]
    lines += [line.format(cls.__name__) for line in cls._example]
    return "\n".join(lines) + "\n"


def summary(cls, estimators):
    """What an estimator is, in a sentence; methods that it mentions have the names of their classes."""
    text = METHODS[cls._method]["summary"]
    for name, other in estimators.items():
        if other.__name__ == name.upper().replace(".", ""):
            text = re.sub(rf"(?<!metric )\b{re.escape(name)}\b", other.__name__, text)
    return sentence(text)


def sentence(text):
    """Text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def kinds(setting):
    """Types of a setting in words of numpydoc."""
    if setting["choices"] and "bool" not in setting["types"]:
        names = ["None" if name == "none" else repr(name) for name in setting["choices"]]
        return "{" + ", ".join(names) + "}"
    kinds = [TYPES.get(kind, kind) for kind in setting["types"]]
    if setting["name"] == "per-class":
        kinds.append("dict")
    if setting["name"] == "seed":
        kinds += ["RandomState", "None"]
    kinds.sort(key="None".__eq__)
    return " or ".join(filter(None, [", ".join(kinds[:-1]), kinds[-1]]))


def _described(cls, name):
    """Type and description of a parameter."""
    if name == "settings":
        kind, text = EXTRAS[name]
        others = [s["python"] for s in METHODS[cls._method]["settings"] if s["python"] not in cls._settings]
        return kind, text.format(", ".join(f"`{other}`" for other in others[:3]), cls._method)
    if name in EXTRAS:
        return EXTRAS[name]
    setting = cls._settings[name]
    text = re.sub(r"\bnone\b", "None", setting["help"])
    if name == "n_prototypes_per_class":
        text = (
            "Prototypes per class: 'auto', a number, a share of its samples, or numbers by label ('*' for the rest). "
            "'auto' takes the number that does best on held-out training samples."
        )
    if name == "random_state":
        text = "Seed of all randomness; None draws a new one."
    return kinds(setting), text


def _related(cls, estimators):
    """Estimators of the same page of the documentation, or, for one that has a page for itself, of the same kind."""
    page, kind = METHODS[cls._method]["page"], cls.__mro__[1]
    others = [other for other in estimators.values() if other is not cls]
    same = [other for other in others if METHODS[other._method]["page"] == page]
    return (same or [other for other in others if other.__mro__[1] is kind] or others)[:6]


def _wrapped(text, indent=""):
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
