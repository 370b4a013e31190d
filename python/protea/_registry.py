"""The registry of methods: parameters of an estimator, their defaults, and conversion of values for the library."""

from __future__ import annotations

import difflib
import numbers

from . import _protea
from .exceptions import SettingError, UnknownSettingError

#: Every method by name.
METHODS = {method["name"]: method for method in _protea.methods()}

#: Shared settings that are parameters of every method that has them; the others are given by `settings`.
COMMON = (
    "per-class", "seed", "scale", "encode", "metric", "rank", "optimizer", "epochs", "rate", "noise", "gamma", "holdout",
    "patience",
)  # fmt: skip

#: Every setting of every method, by its name in Python.
_NAMES = {s["python"]: s["name"] for method in METHODS.values() for s in method["settings"]}


def parameters_of(method, without=(), also=()):
    """Settings of a method that are parameters of its estimator, by their names in Python.

    These are the method's own, those of `COMMON` and those that `also` names, except for groups in `without`.
    """
    settings = [s for s in METHODS[method]["settings"] if s["group"] not in without]
    shown = [s for s in settings if s["group"] == "Own" or s["name"] in COMMON or s["name"] in also]
    # The number of prototypes is what users look for first.
    shown.sort(key=lambda s: s["name"] not in ("per-class", "rule"))
    return {s["python"]: s for s in shown}


def default_of(setting):
    """Default of a parameter."""
    return value_from(setting, setting["default"])


def text_for(setting, value):
    """The value of a parameter as text for the library."""
    if "text" not in setting:
        return text_of(value)
    if not isinstance(value, numbers.Integral) or value < 1:
        raise SettingError(f"{setting['python']} = {value!r}, expected a whole number ≥ 1")
    return setting["text"].format(value)


def value_from(setting, text):
    """The value of a parameter from the text of the library."""
    if "text" in setting:
        before, after = setting["text"].split("{}")
        text = text.removeprefix(before).removesuffix(after)
    return value_of(text)


def further(estimator, settings, parameters):
    """Text of each of the `settings` that are not parameters, by its name in the library."""
    texts = {}
    for name, value in (settings or {}).items():
        if name in parameters:
            raise SettingError(f"{name} is a parameter of {estimator}; give it as such, not in settings")
        if name not in _NAMES:
            close = difflib.get_close_matches(str(name), _NAMES, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(sorted(set(_NAMES) - set(parameters)))}"
            raise UnknownSettingError(f"{estimator} has no setting {name!r}{hint}")
        texts[_NAMES[name]] = text_of(value)
    return texts


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
