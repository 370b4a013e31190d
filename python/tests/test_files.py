"""Models go from Python to the command line and back, bit for bit."""

import json

import numpy as np
import protea
import pytest
from protea import EPNN, GMLVQ, KNN, LGMLVQ, LMNN, LPD, NPC, PNN


def csv(path, X, y=None):
    """Writes rows with all their digits."""
    head = [f"f{j}" for j in range(X.shape[1])] + (["label"] if y is not None else [])
    with open(path, "w") as file:
        print(*head, sep=",", file=file)
        for i, row in enumerate(X):
            print(*[repr(float(v)) for v in row], *([y[i]] if y is not None else []), sep=",", file=file)


QUICK = {"epochs": 3, "draws": 1000, "learners": 2}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cls", [NPC, GMLVQ, LPD, LGMLVQ, PNN, EPNN, KNN], ids=lambda cls: cls.__name__)
def test_the_command_line_reads_what_python_saved(wine, tmp_path, cli, cls, dtype):
    X, y = wine[0].astype(dtype), wine[1]
    clf = cls(**{k: v for k, v in QUICK.items() if k in cls._settings}).fit(X, y)
    path = tmp_path / "model.safetensors"
    clf.save(path)
    csv(tmp_path / "rows.csv", X)
    rows = json.loads(cli("predict", path, tmp_path / "rows.csv", "--proba", "--json"))
    np.testing.assert_array_equal([int(row["label"]) for row in rows], clf.predict(X))
    probabilities = np.array([list(row["probabilities"].values()) for row in rows])
    np.testing.assert_array_equal(probabilities, clf.predict_proba(X))
    back = protea.load(path)
    assert type(back) is cls and back.model_.to_bytes() == clf.model_.to_bytes() == path.read_bytes()
    assert back.get_params()["random_state"] == 0


def test_python_reads_what_the_command_line_saved(wine, tmp_path, cli):
    X, y = wine
    names = np.asarray(["barolo", "grignolino", "barbera"])[y]
    csv(tmp_path / "train.csv", X, names)
    path = tmp_path / "cli.safetensors"
    cli("fit", tmp_path / "train.csv", "-m", "gmlvq", "--epochs", "4", "--seed", "3", "-o", path)
    clf = protea.load(path)
    assert isinstance(clf, GMLVQ) and clf.epochs == 4 and clf.random_state == 3
    assert set(clf.classes_) == {"barolo", "grignolino", "barbera"}
    csv(tmp_path / "rows.csv", X)
    rows = json.loads(cli("predict", path, tmp_path / "rows.csv", "--proba", "--json"))
    X32 = X.astype(clf.model_.dtype)
    np.testing.assert_array_equal([row["label"] for row in rows], clf.predict(X32))
    found = np.array([[row["probabilities"][str(c)] for c in clf.classes_] for row in rows])
    np.testing.assert_array_equal(found, clf.predict_proba(X32))
    assert clf.predict_proba(X32).shape == (178, 3)
    clf.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def test_the_same_fit_as_the_command_line(wine, tmp_path, cli):
    """Rows in the order in which Python sorts them, the same settings: the same prototypes."""
    X, y = wine
    X = X.astype(np.float32)
    order = np.lexsort((*X.T[::-1], y))
    csv(tmp_path / "train.csv", X[order], y[order])
    path = tmp_path / "cli.safetensors"
    cli("fit", tmp_path / "train.csv", "-m", "npc", "--epochs", "5", "-o", path)
    clf = NPC(epochs=5).fit(X, y)
    np.testing.assert_array_equal(protea.load(path).prototypes_, clf.prototypes_)


def test_labels_that_are_given(wine, tmp_path):
    X, y = wine
    clf = NPC(epochs=2).fit(X, np.asarray([2.0, 4.0, 6.0])[y])
    clf.save(tmp_path / "m")
    np.testing.assert_array_equal(protea.load(tmp_path / "m", classes=clf.classes_).predict(X), clf.predict(X))
    with pytest.raises(ValueError, match="2 labels"):
        protea.load(tmp_path / "m", classes=[1, 2])


def test_transformers_are_saved_too(wine, tmp_path):
    X, y = wine
    lmnn = LMNN(rank=2).fit(X, y)
    lmnn.save(tmp_path / "m")
    np.testing.assert_array_equal(protea.load(tmp_path / "m").transform(X), lmnn.transform(X))
