"""Sample selectors against imbalanced-learn and plain NumPy."""

import csv
import io

import numpy as np
import pytest
from imblearn.under_sampling import EditedNearestNeighbours

from reference import squared_distances

# Without scaling, whole numbers stay whole and distances are exact.
AS_IT_IS = ["--scale", "none", "--precision", "f64"]


def selected(protea, name, method, *args):
    """The samples that a selector keeps, in the units of the input, as `inspect --prototypes` shows them."""
    protea("fit", name, "-m", method, *AS_IT_IS, *args, "-o", "m")
    rows = list(csv.reader(io.StringIO(protea("inspect", "m", "--prototypes"))))[1:]
    return np.array([row[:-2] for row in rows], dtype=float), np.array([row[-2] for row in rows])


def as_rows(x, y):
    """Labelled rows that can be counted; what survives the way through text is rounded alike."""
    return sorted((str(c), *np.round(row, 6)) for row, c in zip(x, y))


def clear_votes(x, y, k):
    """Whether the k nearest others of each row are the same however ties are broken, and one class has most votes."""
    clear = np.empty(len(x), dtype=bool)
    for i, row in enumerate(x):
        d = ((x - row) ** 2).sum(axis=1)
        d[i] = np.inf
        reach = np.partition(d, k - 1)[k - 1]
        inside, border = y[d < reach], y[d == reach]
        settled = len(inside) + len(border) == k or len(set(border)) == 1
        votes = np.bincount(np.concatenate([inside, border])[:k])
        clear[i] = settled and (votes == votes.max()).sum() == 1
    return clear


@pytest.mark.parametrize("name", ["vehicle", "satimage:train", "balance", "glass"])
def test_editing(protea, data_set, name):
    """Where votes are clear, imbalanced-learn keeps the same samples."""
    x, y, classes = data_set(name)
    ours = as_rows(*selected(protea, name, "enn"))
    editor = EditedNearestNeighbours(sampling_strategy="all", n_neighbors=3, kind_sel="mode")
    editor.fit_resample(x, y)
    theirs = np.zeros(len(x), dtype=bool)
    theirs[editor.sample_indices_] = True
    clear = clear_votes(x, y, 3)
    assert clear.mean() > 0.4
    names = np.array(classes)[y]
    ours = set(ours)
    kept = np.array([as_rows([row], [c])[0] in ours for row, c in zip(x, names)])
    # A row that occurs more than once with its label is kept or dropped by its own neighbours, so it may be both.
    once = np.array([as_rows([row], [c])[0] for row, c in zip(x, names)], dtype=object)
    _, inverse, counts = np.unique([str(r) for r in once], return_inverse=True, return_counts=True)
    judged = clear & (counts[inverse] == 1)
    assert (kept == theirs)[judged].all()


@pytest.mark.parametrize("name", ["vehicle", "wine", "satimage:train"])
@pytest.mark.parametrize("seed", ["0", "1"])
def test_condensing_keeps_every_decision(protea, data_set, name, seed):
    x, y, classes = data_set(name)
    p, labels = selected(protea, name, "cnn", "--seed", seed)
    assert len(p) < 0.6 * len(x)
    assert set(as_rows(p, labels)) <= set(as_rows(x, np.array(classes)[y]))
    decided = labels[squared_distances(x, p).argmin(axis=1)]
    assert (decided == np.array(classes)[y]).all()


def test_dropping_keeps_fewer_than_editing(protea, data_set):
    x, y, classes = data_set("satimage:train")
    p, labels = selected(protea, "satimage:train", "drop3")
    edited = as_rows(*selected(protea, "satimage:train", "enn"))
    assert set(as_rows(p, labels)) <= set(edited)
    assert len(p) < 0.25 * len(edited)
    assert set(labels) == set(classes)
