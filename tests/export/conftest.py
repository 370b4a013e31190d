"""Models and answers of the protea binary that PROTEA_BIN names, for tests of its exports."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

DATA = Path(__file__).parents[2] / "crates" / "protea" / "data"
# Rows that exports are asked about.
ROWS = 400

SHORT = "--epochs 3 --per-class 3"
# Every metric, step, decision and probability that lowers to a plan: a name, a data set and arguments of fit.
MODELS = {
    "kmeans": "glass -m kmeans --per-class 3",
    "knn": "glass -m knn",
    "5-np": "glass -m knn --rule 5-np",
    "3-np": f"glass -m npc {SHORT} --rule 3-np",
    "soft": f"glass -m npc {SHORT} --rule soft",
    "soft-nearest": f"glass -m npc {SHORT} --rule soft --posterior nearest",
    "inverse": f"glass -m npc {SHORT} --posterior inverse",
    "diagonal": f"glass -m npc {SHORT} --metric diagonal",
    "linear": f"glass -m npc {SHORT} --metric linear",
    "local": f"glass -m lpd {SHORT}",
    "local-linear": f"glass -m lgmlvq {SHORT}",
    "cdvw": "glass -m knn --metric cdvw",
    "lmnn": "wine -m knn --metric lmnn",
    "nca": "wine -m knn --metric nca",
    "gmlvq": f"wine -m gmlvq {SHORT}",
    "members": f"glass -m npc {SHORT} --members 3",
    "pnn": "glass -m pnn --rounds 2 --draws 300 --per-class 3",
    "epnn": "glass -m epnn --learners 3 --draws 300 --per-class 3",
    "epnn-dense": "glass -m epnn --learners 3 --draws 300 --per-class 3 --code dense",
    "minmax": f"glass -m npc {SHORT} --scale minmax",
    "raw": "wine -m centroid --scale raw",
    "pca": f"glass -m npc {SHORT} --pca 4 --metric linear",
    "lda": f"glass -m npc {SHORT} --project lda",
    "ple": f"glass -m npc {SHORT} --encode ple:8 --metric linear",
    "robust": f"glass -m npc {SHORT} --scale robust",
    "unit": f"glass -m npc {SHORT} --unit",
    "f64": f"glass -m npc {SHORT} --precision f64 --metric linear",
    "f64-knn": "glass -m knn --precision f64 --rule 3-np",
    "letter": "letter -m npc --per-class 5 --epochs 10",
    "satimage": "satimage -m npc --per-class 5 --metric linear --epochs 10",
    "hog": "bars.npz -m npc --per-class 2 --epochs 2 --image 12x12 --hog",
    "deskew": "bars.npz -m npc --per-class 2 --epochs 2 --image 12x12 --deskew --pca 10",
}




def pytest_configure():
    if not os.access(os.environ.get("PROTEA_BIN", ""), os.X_OK):
        pytest.exit("PROTEA_BIN must name the protea binary to test", returncode=1)


def program():
    """Its whole path: commands run in folders of their own."""
    return str(Path(os.environ["PROTEA_BIN"]).resolve())


def protea(folder, *arguments):
    """Standard output of a command that must succeed."""
    command = [program(), *map(str, arguments), "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout


def refused(folder, *arguments):
    """The one line that a command fails with."""
    done = subprocess.run([program(), *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def bars():
    """Slanted bars on 12 × 12 pixels, rising or falling, and their classes."""
    i, f = np.mgrid[0:60, 0:144]
    r, c = f // 12, f % 12
    at = np.where(i % 2 == 0, r, 11 - r)
    return np.maximum(2.0 - abs(c - at - (i % 5) * 0.4), 0.0) + (i * 7 + f * 3) % 11 * 0.05, i[:, 0] % 2


def rows(data):
    """Samples of a data set that ships with protea; those of its test part, if it has one."""
    if data == "bars.npz":
        return bars()[0]
    path = DATA / f"{data}-test.parquet"
    table = pq.read_table(path if path.exists() else DATA / f"{data}.parquet")
    x = np.column_stack([table[name].to_numpy() for name in table.column_names[:-1]]).astype(np.float64)
    return x[4435:] if data == "satimage" else x


class Model:
    """A fitted model, rows to ask it about, and what protea answers."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        data, *settings = MODELS[name].split()
        if data == "bars.npz":
            x, y = bars()
            np.savez(folder / data, X=x, y=y)
        protea(folder, "fit", data, *settings, "-o", "model")
        self.plan = json.loads(protea(folder, "export", "model", "--to", "json"))
        self.dtype = np.float64 if self.plan["precision"] == "f64" else np.float32
        self.x = rows(data)[:ROWS].astype(self.dtype)
        np.save(folder / "rows.npy", self.x)
        answers = json.loads(protea(folder, "predict", "model", "rows.npy", "--proba", "--json"))
        self.labels = [a["label"] for a in answers]
        self.probabilities = np.array([list(a["probabilities"].values()) for a in answers])

    def export(self, file, *arguments):
        """Path of an exported file."""
        protea(self.folder, "export", "model", *arguments, "-o", file)
        return self.folder / file

    def near_tie(self, row):
        """Whether the two most probable classes are as good as equal, or the plan's own order depends on rounding."""
        best = np.sort(self.probabilities[row])[-2:]
        return len(best) < 2 or best[1] - best[0] < 1e-3

    def agrees(self, labels, probabilities=None, most=0, tolerance=2e-3):
        """Holds answers to protea's own: the same but for near ties, of which there are few."""
        other = [i for i, label in enumerate(labels) if label != self.labels[i]]
        assert all(self.near_tie(i) for i in other) and len(other) <= most + len(labels) // 200, (self.name, other)
        if probabilities is not None:
            assert np.abs(probabilities - self.probabilities).max() < tolerance, self.name


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Models by name, each fitted once."""
    known = {}

    def get(name):
        if name not in known:
            known[name] = Model(name, tmp_path_factory.mktemp(name))
        return known[name]

    return get
