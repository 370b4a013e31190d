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

_WHERE = {
    "_classifiers": (
        "Auto NPC DMPL KNPL LMNP PNN EPNN LPD LVQ1 LVQ21 LVQ3 OLVQ1 DSM GLVQ GRLVQ GMLVQ LGMLVQ RSLVQ "
        "KMeansClassifier CentroidClassifier SampleClassifier KNN"
    ),
    "_coders": "INN SRC CRC WCRC MP OMP LLE",
    "_transformers": "LMNN NCA",
    "_selectors": "CNN ENN DROP3",
    "_load": "load",
    "_explain": "Explanation",
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names.split()}

#: Maximum size in bytes of a sparse matrix after conversion to dense; a fit that needs more is refused.
MAX_DENSE_BYTES = 2**30

__all__ = ["Model", "exceptions", *_MODULES]


def __getattr__(name):
    if name in _MODULES:
        value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name == "exceptions":
        return importlib.import_module(".exceptions", __name__)
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("protea")
    raise AttributeError(f"module 'protea' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
