"""Every metric, head and objective of the family, their minimisers and their limits, against NumPy, SciPy and
scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import expit
from sklearn.svm import LinearSVC

from reference import (
    Dmpl,
    Family,
    Glvq,
    Lpd,
    Rslvq,
    class_deviations,
    codes,
    first_weights,
    project_psd,
    squared_distances,
    vote,
)

EXACT = ["--precision", "f64"]
TO_THE_END = ["--tol", "1e-14", "--max-iter", "5000"]
METRICS = ["euclidean", "diagonal", "linear", "local", "local-linear"]


def halves(protea, data_set, name):
    """Every other row to train on, the rest to predict: samples, class indices and names."""
    x, y, classes = data_set(name)
    x = np.round(x, 9)
    for part, rows in [("train", slice(0, None, 2)), ("test", slice(1, None, 2))]:
        np.savez(protea.folder / f"{part}.npz", X=x[rows], y=np.array(classes)[y[rows]])
    return x[::2], y[::2], x[1::2], y[1::2], classes


def losses(model):
    return np.array([report["loss"] for report in model.provenance["history"]])


# --- Model files -------------------------------------------------------------------------------------------------

FORMS = {
    "euclidean": (["-m", "glvq"], set()),
    "diagonal": (["-m", "grlvq"], {"relevances"}),
    "linear": (["-m", "gmlvq"], {"components"}),
    "linear, rank 3": (["-m", "dmpl", "--rank", "3"], {"components"}),
    "local": (["-m", "lpd"], {"local.weights"}),
    "local, soft": (["-m", "glvq", "--metric", "local", "--posterior", "soft"], {"local.weights"}),
    "local linear by class": (["-m", "lgmlvq"], {"local.components", "local.groups"}),
    "local linear by class, rank 2": (
        ["-m", "lgmlvq", "--rank", "2", "--posterior", "inverse"],
        {"local.components", "local.groups"},
    ),
    "local linear by prototype": (
        ["-m", "npc", "--metric", "local-linear", "--locality", "prototype"],
        {"local.components", "local.groups"},
    ),
    "euclidean, inverse": (["-m", "knpl", "--posterior", "inverse"], set()),
    "class weights": (["-m", "pnn", "--rounds", "3"], {"head.weights", "head.biases"}),
    "sparse codes": (
        ["-m", "epnn", "--learners", "4", "--code", "sparse"],
        {"head.weights", "head.biases", "head.learner"},
    ),
    "dense codes": (
        ["-m", "epnn", "--learners", "3", "--code", "dense"],
        {"head.weights", "head.biases", "head.learner"},
    ),
    "one against the rest": (
        ["-m", "epnn", "--learners", "3", "--machine", "one-vs-rest"],
        {"head.weights", "head.biases", "head.learner"},
    ),
}


@pytest.mark.parametrize("name", ["vehicle", "wine"])
@pytest.mark.parametrize("form", FORMS)
def test_numpy_reads_every_metric_and_head(protea, data_set, form, name):
    _, _, x, _, _ = halves(protea, data_set, name)
    options, tensors = FORMS[form]
    short = ["--draws", "3000"] if "nn" in options[1] else ["--epochs", "5"]
    model = protea.fit("train.npz", *EXACT, *options, *short, "--per-class", "4")
    common = {"prototypes", "labels", "importance", "pipeline.0.centre", "pipeline.0.factor"}
    assert set(model.tensors) == common | tensors
    learned = "head.weights" in tensors
    assert model.metadata["rule"] == ("scores" if learned else "1-np")

    d = model.distances(x)
    near = np.argsort(d, axis=1, kind="stable")[:, :5]
    for row, order, distances in zip(protea.json("predict", "fitted.model", "test.npz", "--explain", "5"), near, d):
        assert [n["prototype"] for n in row["nearest"]] == order.tolist()
        assert [n["distance"] for n in row["nearest"]] == pytest.approx(distances[order], rel=1e-9, abs=1e-9)

    expected = model.probabilities(x)
    for rule in [None, "1-np", "2-np", "3-np", "4-np", "soft", *(["scores"] if learned else [])]:
        labels, q = protea.predict("fitted.model", "test.npz", *(["--rule", rule] if rule else []))
        assert np.abs(q - expected).max() < 1e-9
        assert (labels == model.predict(x, rule)).all(), rule
        assert len(set(labels)) > 1
    if learned:
        # The scores say something that the nearest prototype does not.
        assert (model.predict(x, "scores") != model.predict(x, "1-np")).any()


def test_votes_that_tie_go_to_the_nearest(protea):
    """Whole numbers, so that distances tie for everybody: the lower index first, then the class of the nearest."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 4, size=(60, 2)).astype(float), np.arange(60) % 3
    np.savez(protea.folder / "train.npz", X=x, y=y)
    model = protea.fit("train.npz", *EXACT, "-m", "knn", "--scale", "none")
    d = squared_distances(x, x[np.argsort(y, kind="stable")]) if (np.diff(model.labels) >= 0).all() else squared_distances(x, x)
    for k in [1, 2, 3, 4, 5, 6]:
        labels, _ = protea.predict("fitted.model", "train.npz", "--rule", f"{k}-np")
        assert (labels == model.classes[vote(d, model.labels, k)]).all()


# --- Objectives --------------------------------------------------------------------------------------------------

LOSSES = {
    "glvq sigmoid": (Glvq(4.0), ["-m", "glvq", "--gamma", "4"]),
    "glvq identity": (Glvq(4.0, "identity"), ["-m", "glvq", "--activation", "identity", "--gamma", "4"]),
    "glvq swish": (Glvq(4.0, "swish"), ["-m", "glvq", "--activation", "swish", "--gamma", "4"]),
    "lpd": (Lpd(5.0), ["-m", "lpd", "--gamma", "5", "--keep", "last"]),
    "rslvq": (Rslvq(0.6), ["-m", "rslvq", "--gamma", "0.6", "--gamma-steps", "1"]),
    "dmpl": (Dmpl(0.3), ["-m", "dmpl", "--gamma", "0.3"]),
    "dmpl push": (Dmpl(0.3, 0.9, 2, 0.7), "-m dmpl --gamma 0.3 --mu 0.9 --kappa 2 --margin 0.7".split()),
}
SMOOTH = ["glvq sigmoid", "glvq identity", "glvq swish", "lpd", "rslvq"]


def groups_of(metric, labels):
    return labels if metric == "local-linear" else None


def first_params(metric, z, y, labels, rank=None):
    """Where the parameters of a metric start."""
    dim = z.shape[1]
    a = np.eye(dim) if rank is None else np.linalg.eigh(np.cov(z.T))[1][:, ::-1][:, :rank].T
    return {
        "euclidean": np.empty(0),
        "diagonal": np.ones(dim),
        "linear": a,
        "mahalanobis": a.T @ a,
        "local": first_weights(z, y, labels) if metric == "local" else None,
        "local-linear": np.array([a] * (labels.max() + 1)),
    }[metric]


def theta(model):
    """Prototypes and parameters of the metric as they are in the file."""
    names = ["prototypes", "relevances", "components", "local.weights", "local.components"]
    return np.concatenate([model.wide(name).ravel() for name in names if name in model.tensors])


class Task:
    """Training samples and first prototypes, for protea and for NumPy."""

    def __init__(self, protea, x, y, start, labels):
        self.protea, self.x, self.y, self.start, self.labels = protea, x, y, start, labels
        np.savez(protea.folder / "train.npz", X=x, y=y)
        np.savez(protea.folder / "start.npz", X=start, y=labels)

    def fit(self, *args):
        fixed = ["--scale", "none", "--anneal", "1", "--prototypes", "start.npz"]
        return self.protea.fit("train.npz", *EXACT, *fixed, *args)

    def objective(self, model, loss, metric):
        return Family(model.preprocess(self.x), self.y, self.labels, loss, metric, groups_of(metric, self.labels))

    def first(self, model, metric, rank=None):
        params = first_params(metric, model.preprocess(self.x), self.y, self.labels, rank)
        return np.concatenate([model.preprocess(self.start).ravel(), params.ravel()])


@pytest.fixture
def two(protea):
    """Two overlapping classes with a prototype each: nothing changes sides, so objectives without hinges are smooth."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 90)
    centres = np.array([[0, 0, 0, 0], [1.6, 0.8, 0, 0.4]])
    x = rng.normal(size=(180, 4)) * [1, 0.8, 1.3, 0.6] + centres[y]
    return Task(protea, x, y, centres[::-1] * 0.4 + [0.5, 0, 0.3, 0], np.arange(2))


@pytest.fixture
def several(protea):
    """Three classes, two prototypes each, some badly placed."""
    rng = np.random.default_rng(9)
    y = np.repeat(np.arange(3), 60)
    centres = np.array([[[0, 0, 0], [2, 2, 0]], [[2, 0, 0], [0, 2, 1]], [[1, 1, 2], [3, 1, 1]]], float)
    x = centres[y, np.arange(180) % 2] + 0.6 * rng.normal(size=(180, 3))
    start = (0.5 * centres + 0.5 * centres.mean(axis=(0, 1))).reshape(6, 3) + 0.3 * rng.normal(size=(6, 3))
    return Task(protea, x, y, start, np.repeat(np.arange(3), 2))


@pytest.mark.parametrize("metric", [*METRICS, "mahalanobis"])
@pytest.mark.parametrize("name", LOSSES)
def test_the_reference_gradient_is_that_of_its_value(name, metric):
    rng = np.random.default_rng(1)
    x, y, labels = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.array([0, 0, 1, 1, 2, 2])
    objective = Family(x, y, labels, LOSSES[name][0], metric, groups_of(metric, labels))
    params = first_params(metric, x, y, labels).ravel()
    params = params + 0.2 * rng.normal(size=params.shape)
    at = np.concatenate([rng.normal(size=18), params])
    if metric == "mahalanobis":
        at[18:] = (at[18:].reshape(3, 3) @ at[18:].reshape(3, 3).T).ravel()
    error = check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], at)
    assert error < 2e-6 * (1 + np.linalg.norm(objective(at)[1]))


def scipy_minimum(objective, start):
    options = {"maxiter": 5000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-12}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_first_step_follows_the_gradient(several, name, metric):
    """L-BFGS starts straight downhill: θ₁ = θ₀ − t g with one t for prototypes and metric."""
    loss, options = LOSSES[name]
    model = several.fit(*options, "--metric", metric, "--optimizer", "lbfgs", "--max-iter", "1")
    assert not model.provenance["kept_start"]
    objective, start = several.objective(model, loss, metric), several.first(model, metric)
    before, g = objective(start)
    step = start[:18] - model.prototypes.ravel()
    t = step @ g[:18] / (g[:18] @ g[:18])
    assert t > 0 and np.abs(step - t * g[:18]).max() < 1e-9 * np.abs(step).max()
    there = objective.squares(objective.unpack(start - t * g)[1])
    found = objective.squares(objective.unpack(theta(model))[1])
    assert np.abs(np.array(there) - found).max() < 1e-9
    value, _ = objective(theta(model))
    assert losses(model) == pytest.approx([value], rel=1e-11) and value < before


@pytest.mark.parametrize("optimizer", ["lbfgs", "cg"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", LOSSES)
def test_minima_are_those_of_scipy(two, name, metric, optimizer):
    loss, options = LOSSES[name]
    model = two.fit(*options, "--metric", metric, "--optimizer", optimizer, *TO_THE_END)
    assert not model.provenance["kept_start"]
    objective, start = two.objective(model, loss, metric), two.first(model, metric)
    value, gradient = objective(theta(model))
    assert losses(model)[-1] == pytest.approx(value, rel=1e-11)
    assert (np.diff(losses(model)) <= 0).all()
    from_here, from_start = scipy_minimum(objective, theta(model)), scipy_minimum(objective, start)
    if name in SMOOTH:
        assert np.linalg.norm(gradient) < 1e-4 * np.linalg.norm(objective(start)[1])
        assert value - from_here < 1e-6 * value
        assert value - from_start < 1e-4 * value
    else:
        # Hinges stop any method that believes in gradients a little above the minimum.
        assert value - min(from_here, from_start) < 3e-3 * value


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", LOSSES)
def test_minima_with_several_prototypes_of_a_class(several, name, metric):
    """Prototypes change sides: there are kinks and many minima, but no way down from where protea ends."""
    loss, options = LOSSES[name]
    model = several.fit(*options, "--metric", metric, "--optimizer", "lbfgs", *TO_THE_END)
    assert not model.provenance["kept_start"]
    objective, start = several.objective(model, loss, metric), several.first(model, metric)
    value, _ = objective(theta(model))
    assert losses(model)[-1] == pytest.approx(value, rel=1e-11)
    assert value < 0.8 * objective(start)[0]
    assert value - scipy_minimum(objective, theta(model)) < 1e-2 * value
