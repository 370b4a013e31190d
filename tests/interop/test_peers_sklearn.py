"""The script by which `protea-bench` asks scikit-learn."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

SCRIPT = Path(__file__).parents[2] / "bench" / "peers_sklearn.py"


def ask(kind, settings, splits):
    lines = "".join(json.dumps(split) + "\n" for split in splits)
    command = [sys.executable, str(SCRIPT), kind, json.dumps(settings)]
    return subprocess.run(command, input=lines, capture_output=True, text=True)


def splits():
    x, y = load_wine(return_X_y=True)
    for fold in range(2):
        test = np.arange(len(x)) % 4 == fold
        part = lambda rows: {"x": x[rows].tolist(), "y": y[rows].tolist()}
        yield {"train": part(~test), "test": part(test)}


@pytest.mark.parametrize("kind", ["rbf", "linear", "kmeans"])
def test_one_answer_for_each_split(kind):
    out = ask(kind, {"scale": "standard", "per-class": "2"}, splits())
    assert out.returncode == 0, out.stderr
    answers = json.loads(out.stdout)
    assert len(answers) == 2
    assert all(a["error"] < 0.1 and a["fit_seconds"] > 0 and a["micros_per_query"] > 0 for a in answers)


def test_unknown_learners_and_scales_are_named():
    for kind, settings, word in (("forest", {}, "forest"), ("rbf", {"scale": "odd"}, "odd")):
        out = ask(kind, settings, splits())
        assert out.returncode != 0 and word in out.stderr
