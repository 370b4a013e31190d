"""The page about a model, as the command line writes it."""

import re

import numpy as np
import pytest
from protea import INN, NPC
from protea.exceptions import SettingError


def test_a_page_tells_the_error_and_can_be_saved(wine, tmp_path):
    X, y = wine
    clf = NPC(n_prototypes_per_class=2, epochs=3).fit(X[::2], y[::2])
    path = tmp_path / "wine.html"
    page = clf.report(X[1::2], y[1::2], path, X_train=X[::2], y_train=y[::2], title="Wine & more")
    assert path.read_text(encoding="utf-8") == page and page.startswith("<!doctype html>")
    wrong = int((clf.predict(X[1::2]) != y[1::2]).sum())
    assert re.search(rf"wrong, {wrong} in all", page) and "<title>Wine &amp; more</title>" in page
    assert "McNemar" in page and 'id="model"' in page
    assert "McNemar" not in clf.report(X[1::2], y[1::2])


def test_every_kind_of_estimator_has_a_page(wine):
    X, y = wine
    for clf in [INN(), NPC(epochs=2, class_weight="balanced"), NPC(epochs=2, metric="linear")]:
        page = clf.fit(X.astype(np.float32), y).report(X.astype(np.float32), y)
        assert "Where it errs" in page, clf


def test_mistakes_are_told(wine, tmp_path):
    X, y = wine
    clf = NPC(n_prototypes_per_class=1, epochs=2).fit(X, y)
    with pytest.raises(SettingError, match="both or neither"):
        clf.report(X, y, X_train=X)
    with pytest.raises(OSError):
        clf.report(X, y, tmp_path / "no" / "such" / "page.html")
    assert not list(tmp_path.iterdir())
