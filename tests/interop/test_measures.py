"""The measures of `eval` on demand: refusal, verification and the use of prototypes, each computed once more."""

import csv
import io

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.metrics import precision_recall_curve, roc_curve

from reference import squared_distances

NAME = "satimage:test"


@pytest.fixture(scope="module")
def satimage(shared, data_set):
    """A model that errs now and then, and the test part with its truth."""
    args = ["--per-class", "4", "--epochs", "5", "--scale", "none", "--precision", "f64"]
    model = shared.fit("satimage:train", *args, name="measured.model")
    x, y, _ = data_set(NAME)
    return model, x, y


@pytest.fixture(scope="module")
def answers(shared, satimage):
    """Decided classes, probabilities and all distances as `predict` gives them, to the last bit; near to NumPy's own."""
    model, x, _ = satimage
    m = len(model.labels)
    rows = shared.json("predict", "measured.model", NAME, "--proba", "--explain", m)
    index = {c: i for i, c in enumerate(model.classes)}
    decided = np.array([index[row["label"]] for row in rows])
    q = np.array([list(row["probabilities"].values()) for row in rows])
    d = np.empty((len(rows), m))
    for i, row in enumerate(rows):
        for near in row["nearest"]:
            d[i, near["prototype"]] = near["distance"]
    assert np.allclose(d, model.distances(x), rtol=1e-9)
    assert np.allclose(q, model.probabilities(x), atol=1e-9)
    return decided, q, d


def evaluate(shared, *args):
    return shared.json("eval", "measured.model", NAME, *args)


def certainties(labels, decided, q, d):
    """Every measure of certainty by its formula."""
    rows = np.arange(len(d))
    near = d.argmin(axis=1)
    plus = d[rows, near]
    minus = np.where(labels[None, :] != labels[near][:, None], d, np.inf).min(axis=1)
    return {
        "probability": q[rows, decided],
        "relsim": (minus - plus) / (minus + plus),
        "distance": -plus,
        "margin": (np.sqrt(minus) - np.sqrt(plus)) / 2,
    }


@pytest.mark.parametrize("certainty", ["probability", "relsim", "distance", "margin"])
def test_refusal(shared, satimage, answers, certainty):
    model, _, y = satimage
    right = answers[0] == y
    score = certainties(model.labels, *answers)[certainty]
    ours = evaluate(shared, "--refusal", "--certainty", certainty)["refusal"]
    assert ours["certainty"] == certainty
    curve = {key: np.array([p[key] for p in ours["curve"]]) for key in ours["curve"][0]}

    # Precision is scikit-learn's; its recall is the share of the right ones, ours the share of all.
    precision, _, thresholds = precision_recall_curve(right, score)
    assert np.array_equal(curve["threshold"], thresholds[::-1])
    assert np.allclose(curve["precision"], precision[:-1][::-1], rtol=0, atol=1e-15)
    answered = (score[None, :] >= curve["threshold"][:, None]).sum(axis=1)
    assert np.array_equal(curve["answered"], answered)
    assert np.allclose(curve["recall"], answered / len(y), rtol=0, atol=1e-15)

    recall, height = np.insert(curve["recall"], 0, 0), np.insert(curve["precision"], 0, curve["precision"][0])
    assert np.isclose(ours["area"], np.trapezoid(height, recall), atol=1e-12)
    assert ours["area"] > right.mean()


def test_verification(shared, satimage, answers):
    _, _, y = satimage
    scores = answers[1]
    genuine = np.eye(scores.shape[1], dtype=bool)[y]
    ours = evaluate(shared, "--verification", "--accept-at", "0.3")["verification"]
    assert (ours["genuine"], ours["impostors"]) == (genuine.sum(), (~genuine).sum())

    fa, found, _ = roc_curve(genuine.ravel(), scores.ravel(), drop_intermediate=False)
    fr = 1 - found
    assert np.isclose(ours["best"]["half_total_error"], ((fa + fr) / 2).min(), rtol=0, atol=1e-12)
    rates = lambda t: ((scores[~genuine] >= t).mean(), (scores[genuine] < t).mean())
    for shown in [ours["best"], ours["given"], *ours["curve"][1::50]]:
        assert np.allclose(rates(shown["threshold"]), (shown["false_acceptance"], shown["false_rejection"]))
    assert ours["given"]["threshold"] == 0.3
    # Where the line through the points of the curve has FA = FR.
    equal = brentq(lambda t: np.interp(t, np.arange(len(fa)), fa - fr), 0, len(fa) - 1, xtol=1e-12)
    assert np.isclose(ours["equal_error"], np.interp(equal, np.arange(len(fa)), fa), rtol=0, atol=1e-9)
    # The curve is that of scikit-learn without the points inside straight stretches.
    a, b = np.array([(r["false_acceptance"], r["false_rejection"]) for r in ours["curve"]]).T
    points = set(zip(fa.round(9), fr.round(9)))
    assert set(zip(a.round(9), b.round(9))) <= points and len(a) < len(fa)
    assert np.isclose(np.trapezoid(1 - b, a), np.trapezoid(found, fa), rtol=0, atol=1e-12)


def test_prototypes(shared, satimage):
    """Removes each prototype in turn and counts the errors of those that are left."""
    _, x, y = satimage
    rows = list(csv.DictReader(io.StringIO(shared("inspect", "measured.model", "--prototypes"))))
    names = list(rows[0])[:-2]
    p = np.array([[float(row[name]) for name in names] for row in rows])
    classes = evaluate(shared)["classes"]
    index = {c["class"]: i for i, c in enumerate(classes)}
    labels = np.array([index[row[list(row)[-2]]] for row in rows])

    d = squared_distances(x, p)
    nearest = d.argmin(axis=1)
    errors = (labels[nearest] != y).sum()
    ours = evaluate(shared, "--prototypes")
    assert ours["wrong"] == errors
    uses = {use["prototype"]: use for use in ours["prototypes"]}
    assert sorted(uses) == list(range(len(p)))
    assert [u["answers"] for u in ours["prototypes"]] == sorted((u["answers"] for u in uses.values()), reverse=True)
    for j, use in uses.items():
        won = nearest == j
        left = np.delete(np.arange(len(p)), j)
        without = (labels[left][d[:, left].argmin(axis=1)] != y).sum()
        assert (use["answers"], use["wrong"]) == (won.sum(), (labels[j] != y[won]).sum())
        assert use["added_errors"] == without - errors, use
        assert rows[j][list(rows[j])[-2]] == use["class"]
