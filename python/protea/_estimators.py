"""Every estimator by the name of its method, with its docstring."""

from . import _classifiers, _coders, _docs, _selectors, _transformers

_MODULES = (_classifiers, _coders, _transformers, _selectors)

#: Every estimator class by the name of its method.
ESTIMATORS = {
    cls._method: cls for module in _MODULES for cls in vars(module).values() if hasattr(cls, "_method")
}

for _cls in ESTIMATORS.values():
    _cls.__doc__ = _docs.docstring(_cls, ESTIMATORS)
