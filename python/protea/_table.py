"""Data frames with columns of text: each of their values becomes a feature of zeros and ones, as on the command line."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from .exceptions import DataError, UnsupportedError

try:
    from sklearn.utils.validation import _check_feature_names, _check_n_features
except ImportError:  # before scikit-learn 1.6

    def _check_feature_names(estimator, X, *, reset):
        estimator._check_feature_names(X, reset=reset)

    def _check_n_features(estimator, X, *, reset):
        estimator._check_n_features(X, reset=reset)


#: Values of a column that a message lists.
FEW = 5
#: More values than this in a column of text are taken for an identifier.
MOST = 1000


def has_text(X):
    """Whether X is a data frame with a column that is not of numbers."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and any(_is_text(X, name) for name in X.columns)


def learn(X):
    """Kind of each column, as model files keep it: numbers, or a category with its levels."""
    return [{"name": str(name), "kind": _kind(X, name)} for name in X.columns]


def feature_names(columns):
    """Names of the features that columns become."""
    return [
        name
        for column in columns
        for name in [f"{column['name']}={level}" for level in column["kind"].get("levels", ())] or [column["name"]]
    ]


def rows(estimator, X, dtype, reset=False):
    """The features of a data frame, whose columns are those of the training."""
    if not hasattr(X, "columns"):
        raise DataError(
            f"{type(estimator).__name__} was trained on a data frame with columns of text and needs one with the same columns"
        )
    _check_feature_names(estimator, X, reset=reset)
    _check_n_features(estimator, X, reset=reset)
    parts = [_encoded(X, name, column["kind"]) for name, column in zip(X.columns, estimator.columns_)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=dtype)


def labels(X, y):
    """Labels of the rows, one for each."""
    y = column_or_1d(y, warn=True)
    if len(y) != len(X):
        raise DataError(f"X has {len(X)} rows, but y has {len(y)} labels")
    if y.dtype.kind in "fO" and any(_missing(label) for label in y):
        raise DataError("y has a missing label; drop its row")
    return y


def _is_text(X, name):
    """Whether a column is text: categories, or values that are not all numbers."""
    if str(X[name].dtype).lower().startswith(("categor", "enum")):
        return True
    values = _values(X, name)
    if values.dtype.kind in "mM":
        raise DataError(f"column {name!r} has dates; make numbers of them first, such as the year and the month")
    if values.dtype.kind == "O":
        try:
            values.astype(np.float64)
        except (TypeError, ValueError):
            return True
    return values.dtype.kind in "US"


def _kind(X, name):
    if not _is_text(X, name):
        return {"type": "number", "fill": None}
    levels = np.unique([str(v) for v in _present(X, name, None)]).tolist()
    if len(levels) > MOST:
        raise DataError(f"column {name!r} has {len(levels)} different values of text, like an identifier; drop it")
    return {"type": "category", "levels": levels, "fill": None}


def _encoded(X, name, kind):
    """One column as an array of its features."""
    if kind["type"] == "number":
        fill = kind.get("fill")
        try:
            values = _values(X, name).astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"column {name!r} has text, but numbers in training") from None
        values = np.where(np.isnan(values), fill, values) if fill is not None else values
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise DataError(f"row {row + 1}, column {name!r}: {values[row]} is not a finite number; fill or drop it")
        return values[:, None]
    if kind["type"] != "category":
        raise UnsupportedError(f"column {name!r} is a {kind['type']}, which the command line can read and Python cannot")
    levels = np.asarray(kind["levels"])
    values = np.asarray([str(v) for v in _present(X, name, kind.get("fill"))])
    found = np.searchsorted(levels, values).clip(max=len(levels) - 1)
    new = np.flatnonzero(levels[found] != values)
    if len(new):
        known = ", ".join(kind["levels"][:FEW]) + ", …" * (len(levels) > FEW)
        raise DataError(f"row {new[0] + 1}, column {name!r}: the value {str(values[new[0]])!r} was not in training; there are {known}")
    return np.eye(len(levels))[found]


def _present(X, name, fill):
    """Values of a column of text, the missing ones filled or refused."""
    values = _values(X, name)
    for row in (row for row, value in enumerate(values) if _missing(value)):
        if fill is None:
            raise DataError(f"row {row + 1}, column {name!r}: a value is missing; fill it or drop the row")
        values = values.astype(object)
        values[row] = fill
    return values


def _missing(value):
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _values(X, name):
    return np.asarray(X[name].to_numpy())
