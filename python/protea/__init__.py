"""Prototype-based classification: learn a few labelled prototypes and, optionally, a metric.

>>> from protea import NPC
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> clf = NPC(n_prototypes_per_class=2).fit(X, y)
>>> clf.prototypes_.shape
(6, 4)

Estimators are imported on first use, which keeps `import protea` fast.
"""

import importlib

from ._protea import Model

#: Maximum size in bytes of a sparse matrix after conversion to dense; a fit that needs more is refused.
MAX_DENSE_BYTES = 2**30


def _public():
    """Everything that is imported on first use, by name."""
    from . import _display, _estimators, _explain, _load, _preprocessing, exceptions

    names = {cls.__name__: cls for cls in _estimators.ESTIMATORS.values()}
    for module in (_preprocessing, _display, _explain, _load):
        own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
        names |= {name: value for name, value in own.items() if not name.startswith("_")}
    return names | {"exceptions": exceptions}


def __getattr__(name):
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("protea")
    if name == "exceptions":
        return importlib.import_module(".exceptions", __name__)
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'protea' has no attribute {name!r}")
    public = _public()
    globals().update(public, __all__=sorted([*public, "Model"]))
    if name not in globals():
        raise AttributeError(f"module 'protea' has no attribute {name!r}")
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})
