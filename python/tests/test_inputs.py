"""What people hold goes in: frames, tables, sparse matrices, odd shapes, and labels of any kind; bad input gets a sentence."""

import numpy as np
import pandas as pd
import polars as pl
import protea
import pyarrow as pa
import pytest
from protea import KNN, NPC, CentroidClassifier
from protea.exceptions import DataError, DenseLimitError, ModelFileError, SettingError
from scipy import sparse


def quick(**settings):
    return NPC(n_prototypes_per_class=2, epochs=5, **settings)


def test_frames_and_tables_give_the_same_model_and_names(wine_frame):
    X, y = wine_frame
    plain = quick().fit(X.to_numpy(), y.to_numpy())
    tables = {
        "pandas": (X, y),
        "polars": (pl.from_pandas(X), pl.Series(y.to_numpy())),
        "arrow": (pa.Table.from_pandas(X, preserve_index=False), pa.array(y.to_numpy())),
    }
    for name, (table, labels) in tables.items():
        clf = quick().fit(table, labels)
        assert list(clf.feature_names_in_) == list(X.columns), name
        np.testing.assert_array_equal(clf.prototypes_, plain.prototypes_, err_msg=name)
        np.testing.assert_array_equal(clf.predict(table), plain.predict(X.to_numpy()), err_msg=name)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_are_like_dense_ones(wine, kind):
    X, y = wine
    X = np.where(X > np.median(X, axis=0), X, 0)
    dense, clf = quick().fit(X, y), quick().fit(kind(X), y)
    np.testing.assert_array_equal(dense.prototypes_, clf.prototypes_)
    np.testing.assert_allclose(dense.predict_proba(X), clf.predict_proba(kind(X)))
    np.testing.assert_array_equal(dense.explain(X).prototypes, clf.explain(kind(X)).prototypes)


def test_sparse_rows_are_never_blown_up_in_silence(wine, monkeypatch):
    X, y = wine
    monkeypatch.setattr(protea, "MAX_DENSE_BYTES", 1000)
    with pytest.raises(DenseLimitError, match="178 rows and 13 columns.*TruncatedSVD"):
        quick().fit(sparse.csr_array(X), y)
    # Rows to predict are made dense a block at a time, whatever the limit.
    monkeypatch.setattr("protea._input.BLOCK_BYTES", 13 * 8 * 10)
    clf = quick().fit(X, y)
    np.testing.assert_array_equal(clf.predict(sparse.csr_array(X)), clf.predict(X))


@pytest.mark.parametrize("labels", [["a", "b", "c, d"], [10, -3, 7], [True, False], [0.0, 1.0, 2.0]])
def test_labels_of_any_kind_come_back(wine, labels):
    X, y = wine
    X, y = X[y < len(labels)], y[y < len(labels)]
    y = np.asarray(labels)[y]
    clf = quick().fit(X, y)
    assert set(clf.classes_) == set(labels) and clf.predict(X).dtype == y.dtype
    assert set(clf.prototypes_labels_) == set(labels)
    assert clf.score(X, y) > 0.9


def test_one_feature_and_one_sample(wine):
    X, y = wine
    clf = quick().fit(X[:, [6]], y)
    assert clf.predict(X[:1, [6]]).shape == (1,)
    two = CentroidClassifier().fit(X[[0, 100]], y[[0, 100]])
    np.testing.assert_array_equal(two.predict(X[[0, 100]]), y[[0, 100]])


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int64"])
def test_element_types(digits, dtype):
    X, X_test, y, y_test = digits
    clf = KNN().fit(X.astype(dtype), y)
    assert clf.model_.dtype == (dtype if dtype.startswith("float") else "float64")
    assert clf.score(X_test.astype(dtype), y_test) > 0.95
    # Rows of another type are converted.
    np.testing.assert_array_equal(clf.predict(X_test.astype("float64")), clf.predict(X_test.astype("float32")))


def test_views_that_are_not_contiguous(wine):
    X, y = wine
    clf = quick().fit(np.asfortranarray(X), y)
    np.testing.assert_array_equal(clf.predict(np.asfortranarray(X)), clf.predict(X))
    np.testing.assert_array_equal(clf.predict(X[::2]), clf.predict(X)[::2])


def test_numbers_of_prototypes(wine):
    X, y = wine
    count = lambda n: np.bincount(NPC(n_prototypes_per_class=n, epochs=1).fit(X, y).prototypes_labels_).tolist()
    assert count(4) == [4, 4, 4]
    assert count(0.1) == [6, 7, 5]
    assert count({0: 1, 2: 0.1, "*": 3}) == [1, 3, 5]
    with pytest.raises(SettingError, match="names the class '9'"):
        count({9: 1, "*": 1})
    with pytest.raises(SettingError, match="n_prototypes_per_class = 0, expected auto, 15, 5%"):
        count(0)


def test_mistakes_get_a_sentence(wine, tmp_path):
    X, y = wine
    with pytest.raises(SettingError, match="rate = -1, expected a number > 0"):
        NPC(rate=-1.0).fit(X, y)
    with pytest.raises(SettingError, match="metric = cdvw, expected euclidean"):
        NPC(metric="cdvw").fit(X, y)
    with pytest.raises(TypeError, match="NPC has no parameter 'gama'"):
        NPC(gama=1)
    clf = quick().fit(X, y)
    bad = X.copy()
    bad[3, 4] = np.nan
    with pytest.raises(DataError, match="row 4, column 5: NaN is not a finite number"):
        clf.predict(bad)
    with pytest.raises(ValueError, match="13 features"):
        clf.predict(X[:, :5])
    with pytest.raises(DataError, match="label '7' is of no known class"):
        clf.evaluate(X, np.full(len(X), 7))
    with pytest.raises(ValueError, match="X_val and y_val"):
        quick().fit(X, y, X_val=X)
    with pytest.raises(ModelFileError, match="could not be written"):
        clf.save(tmp_path / "nowhere" / "model.safetensors")
    (tmp_path / "broken").write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match="not a sound protea model"):
        protea.load(tmp_path / "broken")
    with pytest.raises(OSError):
        protea.load(tmp_path / "missing")


def test_frames_of_other_names_are_refused(wine_frame):
    X, y = wine_frame
    clf = quick().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(X.rename(columns={X.columns[0]: "other"}))
    assert isinstance(clf.predict(X), np.ndarray) and isinstance(X, pd.DataFrame)
