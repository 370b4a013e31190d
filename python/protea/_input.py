"""Converts input (arrays, data frames, Arrow tables, sparse matrices) to arrays that the library borrows."""

import os

import numpy as np
from scipy import sparse

import protea

from .exceptions import DenseLimitError

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, X="no_validation", y="no_validation", **options):
        """The same under its older name."""
        return estimator._validate_data(X, y, **options)


#: Size in bytes of the dense blocks in which a sparse matrix is predicted.
BLOCK_BYTES = 2**26
FLOATS = [np.float64, np.float32]


def _plain(X):
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
    X, y = validate_data(
        estimator, _plain(X), _labels(y), reset=reset, dtype=dtype, order="C", accept_sparse="csr"
    )
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
    ):
        return X  # the library checks for NaN itself
    return validate_data(
        estimator, _plain(X), reset=False, dtype=np.dtype(model.dtype), order="C", accept_sparse="csr"
    )


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
    """Number of threads for `n_jobs`, 0 for all cores; with None, the share of cores that joblib gives its workers."""
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return int(share) if share.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs = 0, expected None, a number of threads, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
