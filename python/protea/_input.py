"""Converts input (arrays, data frames, Arrow tables, sparse matrices) to arrays that the library borrows."""

import numbers
import os

import numpy as np
from scipy import sparse

import protea

from . import _table
from .exceptions import DenseLimitError, SettingError

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, X="no_validation", y="no_validation", **options):
        """The same under its older name."""
        return estimator._validate_data(X, y, **options)


#: Size in bytes of the dense blocks in which a sparse matrix is predicted.
BLOCK_BYTES = 2**26
FLOATS = [np.float64, np.float32]
#: Most threads per core.
THREADS = 4


def plain(X):
    """Convert Arrow tables and record batches to data frames for scikit-learn; leave anything else unchanged."""
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "to_pandas"):
        return X.to_pandas()
    return X


def _labels(y):
    """Convert Arrow and polars columns to arrays; leave anything else unchanged."""
    if type(y).__module__.partition(".")[0] in ("pyarrow", "polars"):
        return np.asarray(y.to_numpy())
    return y


def training(estimator, X, y, reset=True, dtype=FLOATS):
    """Rows and labels of a fit, dense and contiguous."""
    X, y = plain(X), _labels(y)
    if reset:
        vars(estimator).pop("columns_", None)
        if _table.has_text(X):
            estimator.columns_ = _table.learn(X)
    if hasattr(estimator, "columns_"):
        y = _table.labels(X, y)
        return _table.rows(estimator, X, dtype[0] if dtype is FLOATS else dtype, reset), y
    X, y = validate_data(estimator, X, y, reset=reset, dtype=dtype, order="C", accept_sparse="csr")
    return dense(X), y


def rows(estimator, X):
    """Rows to predict: an array of the model's element type, or a sparse CSR matrix."""
    model = estimator.model_
    if (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype == model.dtype
        and X.shape[1] == estimator.n_features_in_
        and X.shape[0] > 0
        and X.flags.c_contiguous
        and not hasattr(estimator, "feature_names_in_")
        and not hasattr(estimator, "columns_")
    ):
        return X  # the library checks for NaN itself
    return checked(estimator, X, np.dtype(model.dtype))


def checked(estimator, X, dtype):
    """Rows of the features that were fitted: an array of this type, or a sparse CSR matrix."""
    if hasattr(estimator, "columns_"):
        return _table.rows(estimator, plain(X), dtype)
    return validate_data(estimator, plain(X), reset=False, dtype=dtype, order="C", accept_sparse="csr")


def in_blocks(X, work):
    """Apply `work` to rows, to sparse ones in dense blocks. Returns an array, or a tuple of arrays."""
    if not sparse.issparse(X):
        return work(X)
    size = max(1, BLOCK_BYTES // max(1, X.shape[1] * X.dtype.itemsize))
    parts = [work(X[i : i + size].toarray()) for i in range(0, X.shape[0], size)]
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(part) for part in zip(*parts))
    return np.concatenate(parts)


def dense(X):
    """Convert a sparse matrix to dense if it is small enough; leave anything else unchanged."""
    if not sparse.issparse(X):
        return X
    size = X.shape[0] * X.shape[1] * X.dtype.itemsize
    if size > protea.MAX_DENSE_BYTES:
        raise DenseLimitError(
            f"a sparse matrix of {X.shape[0]} rows and {X.shape[1]} columns takes {size / 2**30:.1f} GiB as a dense "
            f"one, more than the {protea.MAX_DENSE_BYTES / 2**30:.1f} GiB of protea.MAX_DENSE_BYTES; reduce its columns "
            "first (sklearn.decomposition.TruncatedSVD), or raise the limit"
        )
    return X.toarray()


def threads(n_jobs):
    """Number of threads for `n_jobs`, 0 for all cores; with None, the share of cores that joblib gives its workers.

    More threads than `THREADS` per core are never started: they would not be faster, and the result is the same.
    """
    cores = os.cpu_count() or 1
    most = THREADS * cores
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return min(int(share), most) if share.isdigit() else 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise SettingError(f"n_jobs = {n_jobs!r}, expected None, a number of threads, or -1 for all cores")
    return min(int(n_jobs), most) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
