"""Estimators against the registry: every method, every setting, the same defaults; and stubs against both."""

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import protea
import pytest
from protea import KNN, LGMLVQ, LMNN, NPC
from protea._estimators import ESTIMATORS
from protea._registry import METHODS, default_of, text_of, value_of
from protea.exceptions import SettingError, UnknownSettingError

CLASSES = list(ESTIMATORS.values())
FOLDER = Path(__file__).parents[1]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_setting_is_a_parameter_or_can_be_given(cls):
    parameters = inspect.signature(cls).parameters
    for setting in METHODS[cls._method]["settings"]:
        if setting["python"] in cls._settings:
            assert parameters[setting["python"]].default == default_of(setting), setting["name"]
        else:
            assert setting["group"] != "Own", setting["name"]
            assert "settings" in parameters


def test_a_constructor_is_short_enough_to_be_read():
    assert len(inspect.signature(NPC).parameters) <= 22
    for cls in CLASSES:
        own = [s for s in METHODS[cls._method]["settings"] if s["group"] == "Own"]
        assert len(inspect.signature(cls).parameters) <= 19 + len(own), cls.__name__
        assert not {"pca", "project", "hog", "deskew", "unit", "image"} & set(inspect.signature(cls).parameters)


def test_further_settings(wine):
    X, y = wine
    model = NPC(n_prototypes_per_class=1, epochs=2, settings={"pca": 5, "anneal": 2, "metric_rate": 0.1}, metric="linear").fit(X, y)
    assert model.model_.provenance["settings"]["pca"] == "5"
    assert model.components_.shape == (5, 13)
    mistakes = [
        ({"epochs": 3}, SettingError, "epochs is a parameter of NPC"),
        ({"anneall": 3}, UnknownSettingError, "no setting 'anneall'; did you mean anneal?"),
        ({"per-class": 3}, UnknownSettingError, "no setting 'per-class'"),
        ({"anneal": 0}, SettingError, "anneal = 0, expected a number ≥ 1"),
        ({"max_iter": 5}, SettingError, "npc does not use max_iter; the optimizer adam runs for a number of epochs"),
    ]
    for settings, error, match in mistakes:
        with pytest.raises(error, match=match.replace("?", r"\?")):
            NPC(settings=settings).fit(X, y)


def test_settings_survive_a_file(wine, tmp_path):
    X, y = wine
    clf = NPC(n_prototypes_per_class=2, epochs=2, settings={"pca": 0.9, "members": 2}).fit(X, y)
    clf.save(tmp_path / "m")
    back = protea.load(tmp_path / "m")
    assert back.settings == {"pca": 0.9, "members": 2} and back.epochs == 2
    assert back.fit(X, y).model_.to_bytes() == clf.model_.to_bytes()


def test_neighbours_that_vote(wine, tmp_path):
    X, y = wine
    clf = KNN(n_neighbors=5, scale="standard").fit(X, y)
    assert clf.model_.rule == "5-np"
    distances, rows = clf.kneighbors(X, 5)
    np.testing.assert_allclose(clf.prototypes_, X[clf.sample_indices_])
    votes = [np.bincount(labels, minlength=3).argmax() for labels in y[clf.sample_indices_[rows]]]
    assert np.mean(votes == clf.predict(X)) > 0.98  # ties are broken by distance
    clf.save(tmp_path / "m")
    assert protea.load(tmp_path / "m").n_neighbors == 5
    for bad in (0, 1.5, "3"):
        with pytest.raises(SettingError, match="n_neighbors = .*, expected a whole number ≥ 1"):
            KNN(n_neighbors=bad).fit(X, y)


def test_settings_that_make_a_method_what_it_is():
    assert "locality" in inspect.signature(LGMLVQ).parameters
    assert "metric" not in inspect.signature(LMNN).parameters
    for name in ("kmeans", "centroid", "sample", "cnn"):
        assert "init" not in ESTIMATORS[name]._settings
    assert "n_prototypes_per_class" not in ESTIMATORS["centroid"]._settings


@pytest.mark.parametrize("value", [None, True, False, 3, 0.25, 1e-6, "linear"])
def test_values_are_read_back(value):
    assert value_of(text_of(value)) == value


def test_stubs_are_those_of_the_registry():
    spec = importlib.util.spec_from_file_location("stubs", FOLDER / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    assert stubs.FILE.read_text() == stubs.text(), "run python stubs.py"
