"""Exports of fitted estimators; tests/export compares their answers with those of the model."""

import json

import pytest
from protea import INN, NPC
from protea.exceptions import ModelFileError, SettingError


def test_the_ending_tells_the_format(wine, tmp_path):
    X, y = wine
    clf = NPC(n_prototypes_per_class=1, epochs=2).fit(X, y)
    assert clf.export(tmp_path / "wine.json") == [tmp_path / "wine.json"]
    assert json.loads((tmp_path / "wine.json").read_text())
    assert "wine" in clf.export(str(tmp_path / "wine.h"), quantize="int8")[0].read_text()
    assert clf.export(tmp_path / "wine.onnx")[0].stat().st_size > 500
    module, *types = clf.export(tmp_path / "code.js")
    assert module.exists() and [t.name for t in types] == ["code.d.ts"] and types[0].exists()
    assert (clf.export(tmp_path / "plan.txt", "json")[0]).read_bytes() == clf.export(tmp_path / "plan.json")[0].read_bytes()


def test_mistakes_get_a_sentence(wine, tmp_path):
    X, y = wine
    clf = NPC(n_prototypes_per_class=1, epochs=2).fit(X, y)
    with pytest.raises(SettingError, match=r"the ending of 'wine.txt' tells no format; use .onnx, .h"):
        clf.export(tmp_path / "wine.txt")
    with pytest.raises(ValueError, match="onyx"):
        clf.export(tmp_path / "wine.x", "onyx")
    with pytest.raises(SettingError, match="quantize = int4, expected int8 or int16"):
        clf.export(tmp_path / "wine.h", quantize="int4")
    with pytest.raises(ModelFileError, match="could not be written"):
        clf.export(tmp_path / "no" / "wine.json")
    with pytest.raises(ValueError):
        INN().fit(X, y).export(tmp_path / "inn.onnx")
    assert not list(tmp_path.iterdir())
