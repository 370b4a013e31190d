"""The registry of methods: settings of an estimator, their defaults, and conversion of values for the library."""

from __future__ import annotations

import numbers

from . import _protea

#: Every method by name.
METHODS = {method["name"]: method for method in _protea.methods()}

_IMAGES = ["image", "deskew", "hog"]
_START = ["per-class", "init", "starts"]
_SEEN = ["metric", "rank", "scale", "pca", "project", "graph", "supervised", "unit", *_IMAGES]
_FIRST = [*_START, *_SEEN]
_LAST = ["rule", "posterior", "seed"]

#: Shared settings that each kind of learner uses; "objective" uses all of them.
SHARED = {
    "objective": [s["name"] for s in METHODS["npc"]["shared"]],
    "online": [*_FIRST, "epochs", "rate", "decay", "noise", "tol", "holdout", "patience", *_LAST],
    "parametric": [*_FIRST, "rate", "decay", "noise", "tol", *_LAST],
    "initial": [*_FIRST, "tol", *_LAST],
    "memory": [*_SEEN, "tol", *_LAST],
    "code": [*_SEEN, "tol", *_LAST],
    "search": [s["name"] for s in METHODS["npc"]["shared"]],
}


def settings_of(method, hidden=()):
    """Settings of an estimator, its own first; `hidden` are those that would make it another method."""
    entry = METHODS[method]
    shared = [s for s in entry["shared"] if s["name"] in SHARED[entry["learner"]]]
    shared = [_as_in_python(s) for s in shared]
    own = {s["name"] for s in entry["own"]}
    both = [*entry["own"], *(s for s in shared if s["name"] not in own)]
    # The number of prototypes is what users look for first.
    both.sort(key=lambda s: s["name"] not in ("per-class",))
    return [s for s in both if s["name"] not in hidden]


def _as_in_python(setting):
    """A shared setting with its default in Python.

    One default differs from the registry: scikit-learn expects `predict` to return the most probable class of
    `predict_proba`, so probabilities come from the nearest prototype of each class.
    """
    if (setting["name"], setting["default"]) == ("posterior", "soft"):
        return setting | {"default": "nearest"}
    return setting


def value_of(text):
    """The Python value of a setting that the registry writes as text."""
    if text == "none":
        return None
    if text in ("true", "false"):
        return text == "true"
    if text.endswith("%"):
        return float(text[:-1]) / 100
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def text_of(value):
    """A Python value as text for the registry."""
    if value is None:
        return "none"
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)
