"""What a fitted classifier can do besides predicting: distances, neighbours, importances, threads, a page in notebooks."""

import os
import subprocess
import sys

import numpy as np
import pytest
from protea import CNN, GMLVQ, INN, KNN, LPD, NPC, KMeansClassifier
from protea.exceptions import SettingError
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

QUICK = {"n_prototypes_per_class": 2, "epochs": 3}


def test_certified_radii_hold(wine):
    X, y = wine
    clf = NPC(**QUICK, scale="standard").fit(X, y)
    answers, random = clf.predict(X), np.random.default_rng(0)
    length = {"l1": lambda d: np.abs(d).sum(1), "l2": lambda d: np.sqrt((d**2).sum(1)), "linf": lambda d: np.abs(d).max(1)}
    for norm in length:
        radii = clf.certify(X, norm=norm)
        assert (radii > 0).all() and np.isfinite(radii).all()
        for _ in range(20):
            step = random.standard_normal(X.shape)
            step *= (0.999 * radii / length[norm](step))[:, None]
            np.testing.assert_array_equal(clf.predict(X + step), answers)
    exact, half_space, margin = (clf.certify(X, bound=bound) for bound in ("exact", "half-space", "margin"))
    assert (margin <= half_space * (1 + 1e-6)).all() and (half_space <= exact * (1 + 1e-6)).all()
    with pytest.raises(SettingError, match="norm = l3"):
        clf.certify(X, norm="l3")


def test_distances_to_prototypes(wine):
    X, y = wine
    clf = NPC(**QUICK, scale="standard").fit(X, y)
    by_hand = np.sqrt((((X[:, None] - clf.prototypes_) / X.std(axis=0)) ** 2).sum(2))
    np.testing.assert_allclose(clf.transform(X), by_hand, rtol=1e-5)
    np.testing.assert_array_equal(clf.transform(X).argmin(1), clf.explain(X).prototypes)
    np.testing.assert_allclose(clf.transform(sparse.csr_array(X)), by_hand, rtol=1e-5)
    assert clf.transform(X.astype(np.float32)).dtype == np.float64
    assert list(clf.get_feature_names_out()) == [f"npc{j}" for j in range(6)]
    pipeline = make_pipeline(StandardScaler(), KMeansClassifier(n_prototypes_per_class=3), KNeighborsClassifier(3))
    assert pipeline.fit(X, y).score(X, y) > 0.9


def test_distances_under_a_metric_of_each_prototype(wine):
    X, y = wine
    clf = LPD(**QUICK).fit(X, y)
    found = clf.explain(X)
    rows = np.arange(len(X))
    np.testing.assert_allclose(clf.transform(X)[rows, found.prototypes] ** 2, found.distances, rtol=1e-6)
    np.testing.assert_allclose(clf.transform(X)[rows, found.rivals] ** 2, found.rival_distances, rtol=1e-6)


def test_selectors_and_coders_have_no_distances(wine):
    X, y = wine
    assert not hasattr(CNN(), "transform")  # a sampler of imbalanced-learn must not transform
    assert sparse.issparse(INN().fit(X, y).transform(X[:3]))


def test_nearest_prototypes(wine):
    X, y = wine
    clf = NPC(**QUICK).fit(X, y)
    distances, indices = clf.kneighbors(X, 4)
    all_of_them = clf.transform(X)
    np.testing.assert_array_equal(indices, np.argsort(all_of_them, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(distances, np.sort(all_of_them, axis=1)[:, :4], rtol=1e-6)
    np.testing.assert_array_equal(clf.kneighbors(X, 4, return_distance=False), indices)
    np.testing.assert_array_equal(clf.kneighbors(sparse.csr_array(X), 4)[1], indices)
    for bad in (0, 7, 1.5):
        with pytest.raises(SettingError, match="expected a whole number from 1 to 6"):
            clf.kneighbors(X, bad)


def test_the_neighbours_of_scikit_learn(wine):
    X, y = wine
    ours, theirs = KNN(n_neighbors=3, scale="raw").fit(X, y), KNeighborsClassifier(3).fit(X, y)
    near, rows = ours.kneighbors(X, 3)
    expected, _ = theirs.kneighbors(X, 3)
    np.testing.assert_allclose(near, expected, atol=1e-4)
    np.testing.assert_allclose(X[ours.sample_indices_[rows[:, 0]]], X)


def test_importance_of_features(wine):
    X, y = wine
    clf = GMLVQ(**QUICK, rank=2, scale="standard").fit(X, y)
    matrix = clf.components_ * X.std(axis=0)
    shares = (matrix**2).sum(0) / (matrix**2).sum()
    np.testing.assert_allclose(clf.feature_importances_, shares, rtol=1e-5)
    assert clf.feature_importances_.sum() == pytest.approx(1)
    for plain in (NPC(**QUICK), GMLVQ(**QUICK, settings={"pca": 3})):
        assert not hasattr(plain.fit(X, y), "feature_importances_")


def test_the_number_of_threads_is_limited():
    code = (
        "import os, numpy as np\nfrom protea import KMeansClassifier\n"
        "X, y = np.random.RandomState(0).rand(300, 5), np.arange(300) % 2\n"
        "KMeansClassifier(n_prototypes_per_class=2, n_jobs=100000).fit(X, y).predict(X)\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("the system does not list threads")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= 4 * (os.cpu_count() or 1) + 70  # and those of OpenBLAS
    for bad in (0, 1.5, "all"):
        with pytest.raises(SettingError, match="n_jobs = .*, expected None"):
            NPC(n_jobs=bad).fit([[0.0], [1.0]], [0, 1])


def test_the_page_in_a_notebook(wine):
    X, y = wine
    names = np.asarray(["<a>", "b & c", "d"])[y]
    clf = NPC(**QUICK)
    assert "protea-prototypes" not in clf._repr_html_()
    page = clf.fit(X, names)._repr_html_()
    assert "6 prototypes of 3 classes" in page and "&lt;a&gt;" in page and "b &amp; c" in page
    assert clf._repr_mimebundle_()["text/html"].count("protea-prototypes") == 1
