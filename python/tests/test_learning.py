"""Fits: order, weights, going on, parts, held-out samples, progress, interrupts."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from protea import CNN, DROP3, DSM, ENN, EPNN, GMLVQ, KNN, LMNN, LVQ1, LVQ3, LVQ21, NPC, KMeansClassifier
from protea.exceptions import DataError
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning


def test_the_order_of_rows_does_not_matter(wine):
    X, y = wine
    order = np.random.RandomState(0).permutation(len(y))
    for cls in (NPC, LVQ1, EPNN, LMNN):
        quick = {"epochs": 3} if "epochs" in cls._settings else {}
        quick |= {"draws": 1000, "learners": 2} if cls is EPNN else {}
        a, b = cls(**quick).fit(X, y), cls(**quick).fit(X[order], y[order])
        assert a.model_.to_bytes() == b.model_.to_bytes(), cls.__name__


def test_threads_change_nothing(digits):
    X, _, y, _ = digits
    one, two = (NPC(epochs=3, n_jobs=n).fit(X, y).model_.to_bytes() for n in (1, 2))
    assert one == two


def test_whole_weights_are_repetitions_and_zero_is_absence(wine):
    X, y = wine
    weights = np.random.RandomState(1).randint(0, 4, len(y))
    a = NPC(epochs=3).fit(X, y, sample_weight=weights)
    b = NPC(epochs=3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert a.model_.to_bytes() == b.model_.to_bytes()


def test_weights_that_are_not_whole_pull_prototypes(wine):
    X, y = wine
    heavy = np.where(X[:, 0] > np.median(X[:, 0]), 1.5, 0.25)
    plain = KMeansClassifier(n_prototypes_per_class=1).fit(X, y).prototypes_
    pulled = KMeansClassifier(n_prototypes_per_class=1).fit(X, y, sample_weight=heavy).prototypes_
    mean = [np.average(X[y == c, 0], weights=heavy[y == c]) for c in range(3)]
    np.testing.assert_allclose(pulled[:, 0], mean)
    assert np.all(pulled[:, 0] > plain[:, 0])


def test_class_weights_are_prior_odds():
    X, y = make_classification(600, weights=[0.9], flip_y=0.1, random_state=0)
    plain = NPC(n_prototypes_per_class=2, epochs=5).fit(X, y)
    heavy = NPC(n_prototypes_per_class=2, epochs=5, class_weight={0: 1, 1: 9}).fit(X, y)
    np.testing.assert_allclose(heavy.decision_function(X) - plain.decision_function(X), np.log(9))
    assert heavy.predict(X).sum() > plain.predict(X).sum()
    np.testing.assert_array_equal(heavy.predict(X), heavy.predict_proba(X).argmax(1))
    balanced = NPC(n_prototypes_per_class=2, epochs=5, class_weight="balanced").fit(X, y)
    odds = np.log(np.mean(y == 0) / np.mean(y == 1))
    np.testing.assert_allclose(balanced.decision_function(X) - plain.decision_function(X), odds)


def test_warm_start_goes_on(wine):
    X, y = wine
    clf = GMLVQ(epochs=2, warm_start=True, noise=0, n_prototypes_per_class=1).fit(X, y)
    first, losses = clf.prototypes_, list(clf.loss_curve_)
    clf.fit(X, y)
    assert not np.array_equal(first, clf.prototypes_)
    assert clf.loss_curve_[0] < losses[0]
    with pytest.raises(DataError, match="no known class"):
        clf.fit(X, y + 5)
    # With weights of classes the scores are laid over again, not twice.
    weighted = GMLVQ(epochs=2, warm_start=True, class_weight={0: 2, 1: 1, 2: 1}).fit(X, y).fit(X, y)
    assert weighted.model_.rule == "scores"


@pytest.mark.parametrize("cls", [LVQ1, LVQ21, LVQ3, DSM])
def test_samples_may_come_in_parts(digits, cls):
    X, X_test, y, y_test = digits
    clf = cls(n_prototypes_per_class=3)
    clf.partial_fit(X[:300], y[:300], classes=np.arange(10))
    first = clf.score(X_test, y_test)
    for start in range(300, len(X), 50):
        clf.partial_fit(X[start : start + 50], y[start : start + 50])
    assert clf.score(X_test, y_test) >= first - 0.01
    clf.partial_fit(X[:1], y[:1])  # one sample of one class
    with pytest.raises(ValueError, match="64 features"):
        clf.partial_fit(X[:, :5], y)
    with pytest.raises(DataError, match="no training samples"):
        cls().partial_fit(X[y < 5], y[y < 5], classes=np.arange(10))


def test_held_out_samples_choose_iterate_and_temperature(digits):
    X, X_test, y, y_test = digits
    clf = NPC(n_prototypes_per_class=1, epochs=15, patience=3).fit(X, y, X_val=X_test, y_val=y_test)
    assert len(clf.model_.history["valid_error"]) == clf.n_iter_
    plain = NPC(n_prototypes_per_class=1, epochs=15).fit(X, y)
    before = plain.evaluate(X_test, y_test)
    gamma = plain.model_.gamma
    after = plain.calibrate(X_test, y_test).evaluate(X_test, y_test)
    assert plain.model_.gamma != gamma
    assert after["error"] == before["error"] and after["log_loss"] <= before["log_loss"] + 1e-9
    assert 0 <= after["calibration_error"] < 0.1


def test_selectors_name_their_samples(wine):
    X, y = wine
    for cls in (CNN, ENN, DROP3):
        clf = cls()
        X_kept, y_kept = clf.fit_resample(X, y)
        np.testing.assert_array_equal(X_kept, X[clf.sample_indices_])
        np.testing.assert_array_equal(y_kept, y[clf.sample_indices_])
        assert 3 <= len(X_kept) < len(X) and len(set(clf.sample_indices_)) == len(X_kept)
        # The prototypes are these samples, and decide like a nearest neighbour over them.
        rows = sorted(map(tuple, np.round(clf.prototypes_, 6)))
        assert rows == sorted(map(tuple, np.round(X_kept, 6)))


def test_metric_learners_feed_neighbours(wine):
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    X, y = wine
    lmnn = LMNN().fit(X, y)
    np.testing.assert_allclose(np.diff(lmnn.transform(X), axis=0), np.diff(X, axis=0) @ lmnn.components_.T, atol=1e-8)
    pipeline = make_pipeline(LMNN(rank=3), KNeighborsClassifier(3)).fit(X, y)
    assert pipeline.score(X, y) > 0.95


def test_unfinished_descents_warn(wine):
    X, y = wine
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        NPC(optimizer="cg", settings={"max_iter": 1, "gamma_steps": 2}).fit(X, y)


def test_verbose_shows_progress(wine, capsys):
    X, y = wine
    NPC(epochs=3, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert "NPC training 3/3" in shown.err and shown.out == ""
    NPC(epochs=3).fit(X, y)
    assert capsys.readouterr().err == ""


def test_callbacks_see_every_epoch(wine):
    sklearn_callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")

    class Count:
        def __init__(self, stop_after):
            self.begun, self.ended, self.stop_after, self.closed = 0, 0, stop_after, 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            self.closed += 1

        def on_fit_task_begin(self, estimator, context):
            self.begun += 1

        def on_fit_task_end(self, estimator, context):
            self.ended += 1
            return self.ended >= self.stop_after

    assert isinstance(Count(1), sklearn_callback.FitCallback)
    X, y = wine
    all_of_it = Count(10**9)
    NPC(epochs=4).set_callbacks(all_of_it).fit(X, y)
    assert (all_of_it.begun, all_of_it.ended, all_of_it.closed) == (5, 5, 1)  # four epochs and the fit itself
    short = Count(2)
    clf = NPC(epochs=100_000).set_callbacks(short).fit(X, y)
    assert clf.model_.stopped == "interrupted" and clf.n_iter_ < 100_000


@pytest.mark.parametrize("estimator", [NPC(epochs=100_000), LMNN(passes=1000, pass_steps=1000, tol=0.0)], ids=["NPC", "LMNN"])
def test_an_interrupt_ends_a_fit(estimator):
    X, y = make_classification(8000, 60, n_informative=30, n_classes=10, random_state=0)
    # What a shell starts in the background ignores interrupts, and Python then has no handler of its own.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    # Without an interrupt these take hours.
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert not hasattr(estimator, "model_")


def test_other_threads_run_while_a_fit_does(digits):
    X, _, y, _ = digits
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    NPC(epochs=60).fit(X, y)
    done.set()
    thread.join()
    assert len(ticks) > 5
    assert KNN().fit(X, y).n_iter_ == 1
