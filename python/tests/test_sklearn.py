"""Protea among the parts of scikit-learn."""

import pickle

import joblib
import numpy as np
import pytest
from protea import GMLVQ, KNN, LMNN, LVQ1, NPC
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

QUICK = {"n_prototypes_per_class": 2, "epochs": 5}


def test_clone_keeps_parameters_and_nothing_else(wine):
    clf = NPC(n_prototypes_per_class={0: 1, "*": 2}, metric="linear", random_state=7).fit(*wine)
    copy = clone(clf)
    assert copy.get_params() == clf.get_params() and not hasattr(copy, "model_")
    assert copy.set_params(rate=0.1).rate == 0.1


def test_search_over_a_pipeline(wine):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), GMLVQ(**QUICK))
    grid = {"gmlvq__rank": [1, 3], "gmlvq__n_prototypes_per_class": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    workers = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], workers.cv_results_["mean_test_score"])


def test_processes_that_fork_do_not_hang(wine):
    X, y = wine
    NPC(**QUICK).fit(X, y)  # the parent has threads now
    with joblib.parallel_backend("multiprocessing", n_jobs=2):
        scores = cross_val_score(NPC(**QUICK), X, y, cv=3, n_jobs=2)
    assert scores.mean() > 0.9


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(wine, method):
    X, y = wine
    assert CalibratedClassifierCV(NPC(**QUICK), method=method, cv=3).fit(X, y).score(X, y) > 0.9


def test_output_of_transformers_can_be_frames(wine_frame):
    X, y = wine_frame
    pandas = LMNN(rank=2).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(pandas.columns) == ["lmnn0", "lmnn1"] and len(pandas) == len(X)
    polars = LMNN(rank=2).set_output(transform="polars").fit(X, y).transform(X)
    np.testing.assert_array_equal(pandas.to_numpy(), polars.to_numpy())


@pytest.mark.parametrize("cls", [NPC, GMLVQ, LVQ1, KNN], ids=lambda cls: cls.__name__)
def test_pickles_and_joblib_keep_every_bit(wine, tmp_path, cls):
    X, y = wine
    clf = cls().fit(X, np.asarray(["x", "y", "z"])[y])
    joblib.dump(clf, tmp_path / "clf")
    for copy in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "clf")):
        assert copy.model_.to_bytes() == clf.model_.to_bytes()
        np.testing.assert_array_equal(copy.predict_proba(X), clf.predict_proba(X))
        np.testing.assert_array_equal(copy.predict(X), clf.predict(X))


def test_seeds(wine):
    X, y = wine
    fit = lambda seed: NPC(**QUICK, random_state=seed).fit(X, y).prototypes_
    np.testing.assert_array_equal(fit(3), fit(3))
    assert not np.array_equal(fit(3), fit(4))
    assert not np.array_equal(fit(None), fit(None))
    np.testing.assert_array_equal(fit(np.random.RandomState(5)), fit(np.random.RandomState(5)))


def test_probabilities_decision_and_answer_agree(digits):
    X, X_test, y, _ = digits
    clf = NPC(**QUICK).fit(X, y)
    q = clf.predict_proba(X_test)
    np.testing.assert_allclose(q.sum(1), 1)
    np.testing.assert_array_equal(q.argmax(1), clf.predict(X_test))
    np.testing.assert_array_equal(clf.decision_function(X_test).argmax(1), clf.predict(X_test))
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X_test)), q, atol=1e-6)
    # The formula of the docs, from what is public.
    z, p = clf.model_.transform(X_test), clf.model_.transform(clf.prototypes_)
    d = ((z[:, None] - p[None]) ** 2).sum(2)
    nearest = np.stack([d[:, clf.prototypes_labels_ == c].min(1) for c in clf.classes_], axis=1)
    by_hand = np.exp(-clf.model_.gamma * (nearest - nearest.min(1, keepdims=True)))
    np.testing.assert_allclose(by_hand / by_hand.sum(1, keepdims=True), q, atol=1e-3)


def test_reprs(wine):
    clf = NPC(n_prototypes_per_class=15, rate=0.1).fit(*wine)
    assert repr(clf) == "NPC(n_prototypes_per_class=15, rate=0.1)"
    assert "NPC" in clf._repr_html_()
    assert repr(clf.model_).startswith("<protea.Model npc: 45 prototypes of 3 classes")
