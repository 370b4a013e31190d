"""Figures: what they show is what the model says, and they are drawn without an error."""

import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from protea import KNN, NPC, BoundaryDisplay, ConfusionDisplay, PrototypesDisplay, ReliabilityDisplay
from protea.exceptions import SettingError
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

QUICK = {"n_prototypes_per_class": 2, "epochs": 3}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(display, tmp_path):
    """The size of the figure in bytes: something is on it."""
    path = tmp_path / "figure.png"
    display.figure_.savefig(path)
    return path.stat().st_size > 5000


def test_prototypes_as_table_and_as_images(wine_frame, digits, tmp_path):
    X, y = wine_frame
    clf = NPC(**QUICK).fit(X, y)
    display = PrototypesDisplay.from_estimator(clf)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == list(X.columns) and drawn(display, tmp_path)
    images = NPC(**QUICK).fit(digits[0], digits[2])
    axes = plt.subplots()[1]
    display = PrototypesDisplay.from_estimator(images, image=(8, 8), ax=axes)
    assert display.ax_ is axes and axes.images[0].get_array().shape == (90, 18) and drawn(display, tmp_path)
    np.testing.assert_array_equal(axes.images[0].get_array()[:8, :8], images.prototypes_[0].reshape(8, 8))
    with pytest.raises(SettingError, match="does not fit prototypes of 64 features"):
        PrototypesDisplay.from_estimator(images, image=(8, 9))


def test_regions_are_the_predictions(wine, wine_frame, tmp_path):
    X, y = wine
    two = X[:, [0, 6]]
    clf = NPC(**QUICK).fit(two, np.asarray(["a", "b", "c"])[y])
    display = BoundaryDisplay.from_estimator(clf, two, np.asarray(["a", "b", "c"])[y])
    spots = np.stack([display.horizontal[[3, 150]], display.vertical[[40, 90]]], axis=1)
    found = [display.classes[display.regions[40, 3]], display.classes[display.regions[90, 150]]]
    assert found == list(clf.predict(spots)) and drawn(display, tmp_path)
    frame, labels = wine_frame
    pipeline = make_pipeline(StandardScaler(), NPC(**QUICK)).fit(frame, labels)
    plane = BoundaryDisplay.from_estimator(pipeline, frame)
    assert set(np.unique(plane.regions)) == {0, 1, 2} and plane.names[0] == "first principal component"


def test_confusions_by_prototype(wine, tmp_path):
    X, y = wine
    clf = NPC(**QUICK).fit(X[::3], y[::3])
    display = ConfusionDisplay.from_estimator(clf, X, y)
    sums = np.stack([display.counts[:, display.labels == c].sum(1) for c in clf.classes_], axis=1)
    np.testing.assert_array_equal(sums, confusion_matrix(y, clf.predict(X)))
    assert drawn(display, tmp_path)


def test_reliability(digits, tmp_path):
    X, X_test, y, y_test = digits
    clf = NPC(**QUICK).fit(X, y)
    display = ReliabilityDisplay.from_estimator(clf, X_test, y_test, n_bins=15)
    assert display.counts.sum() == len(X_test)
    assert display.calibration_error == pytest.approx(clf.evaluate(X_test, y_test)["calibration_error"], abs=0.01)
    both = ReliabilityDisplay.from_estimator(KNN(n_neighbors=5).fit(X, y), X_test, y_test, ax=display.ax_, name="5-NN")
    assert len(both.ax_.get_legend().get_texts()) == 2 and drawn(both, tmp_path)
    with pytest.raises(SettingError, match="n_bins = 0"):
        ReliabilityDisplay.from_estimator(clf, X_test, y_test, n_bins=0)


def test_without_matplotlib_there_is_a_sentence():
    code = (
        "import sys; sys.modules['matplotlib'] = None\nfrom protea import NPC, PrototypesDisplay\n"
        "clf = NPC(epochs=1, n_prototypes_per_class=1).fit([[0.0], [1.0]], [0, 1])\nPrototypesDisplay.from_estimator(clf)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "figures need matplotlib; install it with pip install matplotlib" in done.stderr
