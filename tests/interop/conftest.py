"""Runs the protea binary that PROTEA_BIN names, and reads the data sets that ship with it."""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from reference import Model

DATA = Path(__file__).parents[2] / "crates" / "protea" / "data"

# Canonical splits that stand in one file: rows of the training part.
TRAINING_ROWS = {"satimage": 4435, "dna": 2000}


def pytest_configure():
    binary = os.environ.get("PROTEA_BIN")
    if not binary:
        pytest.exit("PROTEA_BIN is not set: name the protea binary to test", returncode=1)
    if not os.access(binary, os.X_OK):
        pytest.exit(f"PROTEA_BIN = {binary} is not an executable file", returncode=1)


class Protea:
    """The command line in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.binary = Path(os.environ["PROTEA_BIN"]).resolve()
        self.env = {k: v for k, v in os.environ.items() if k != "PROTEA_DATA"}

    def __call__(self, *args):
        """Standard output of a command that must succeed."""
        return self.succeeded(*self.run(*args))

    def run(self, *args):
        command = [str(self.binary), *map(str, args), "--quiet"]
        return command, subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True)

    @staticmethod
    def succeeded(command, done):
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
        return done.stdout

    def json(self, *args):
        return json.loads(self(*args, "--json"))

    def fit(self, train, *args, name="fitted.model"):
        """Trains, and opens the model by the reader of this folder, not protea's own.

        Tests give one list of settings to many methods; a method refuses those that it does not use, which are left out.
        """
        args = list(args) if "-m" in args or "--prototypes" in args else ["-m", "npc", *args]
        while True:
            command, done = self.run("fit", train, *args, "-o", name)
            unused = re.search(r"does not use ([\w.-]+);", done.stderr)
            if not unused:
                break
            at = args.index(f"--{unused[1]}")
            del args[at:at + 2]
        self.succeeded(command, done)
        return Model(self.folder / name)

    def predict(self, model, *args):
        """Class names and probabilities (n × classes) of all rows."""
        rows = self.json("predict", model, *args, "--proba")
        labels = np.array([row["label"] for row in rows])
        return labels, np.array([list(row["probabilities"].values()) for row in rows])


@pytest.fixture
def protea(tmp_path):
    return Protea(tmp_path)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A folder for models that several tests look at."""
    return Protea(tmp_path_factory.mktemp("shared"))


def read_parquet(path):
    table = pq.read_table(path)
    *features, label = table.column_names
    x = np.column_stack([table[name].to_numpy() for name in features]).astype(np.float64)
    classes = json.loads(table.schema.metadata[b"classes"])
    return x, table[label].to_numpy().astype(np.int64), classes


@pytest.fixture(scope="session")
def data_set():
    """`data_set("letter:test")`: samples, class indices and class names, read by pyarrow."""

    def load(name):
        name, _, part = name.partition(":")
        whole = DATA / f"{name}.parquet"
        if not whole.exists():
            return read_parquet(DATA / f"{name}-{part}.parquet")
        x, y, classes = read_parquet(whole)
        split = TRAINING_ROWS.get(name)
        rows = {"": slice(None), "train": slice(split), "test": slice(split, None)}[part]
        return x[rows], y[rows], classes

    return load
