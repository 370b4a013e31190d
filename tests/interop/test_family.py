"""Every metric, head and objective of the family, their minimisers and their limits, against NumPy, SciPy and
scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import expit
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from reference import (
    Dmpl,
    Family,
    Glvq,
    Lpd,
    Rslvq,
    class_deviations,
    class_minima,
    codes,
    first_weights,
    project_psd,
    squared_distances,
    vote,
)

EXACT = ["--precision", "f64"]
TO_THE_END = ["--tol", "1e-14", "--max-iter", "5000"]
METRICS = ["euclidean", "diagonal", "linear", "local", "local-linear"]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Matrices are too small for threads to help."""
    with threadpool_limits(1):
        yield


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
    "members": (["-m", "npc", "--members", "2"], {"head.members", "head.biases"}),
    "members with a matrix of each": (
        ["-m", "gmlvq", "--members", "2"],
        {"local.components", "local.groups", "head.members", "head.biases"},
    ),
    "members with weights of each": (
        ["-m", "grlvq", "--members", "2"],
        {"local.weights", "head.members", "head.biases"},
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


@pytest.mark.parametrize("form", FORMS)
def test_numpy_reads_every_metric_and_head(protea, data_set, form):
    _, _, x, _, _ = halves(protea, data_set, "vehicle")
    options, tensors = FORMS[form]
    short = ["--draws", "3000"] if "nn" in options[1] else ["--epochs", "5"]
    model = protea.fit("train.npz", *EXACT, *options, *short, "--per-class", "4")
    common = {"prototypes", "labels", "importance", "pipeline.0.centre", "pipeline.0.factor"}
    assert set(model.tensors) == common | tensors
    learned = "head.biases" in tensors
    assert model.metadata["rule"] == ("scores" if learned else "1-np")

    d = model.distances(x)
    near = np.argsort(d, axis=1, kind="stable")[:, :5]
    for row, order, distances in zip(protea.json("predict", "fitted.model", "test.npz", "--explain", "5"), near, d):
        assert [n["prototype"] for n in row["nearest"]] == order.tolist()
        assert [n["distance"] for n in row["nearest"]] == pytest.approx(distances[order], rel=1e-9, abs=1e-9)

    expected = model.probabilities(x)
    for rule in [None, "3-np", "4-np", "soft", *(["1-np", "scores"] if learned else [])]:
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
    d = model.distances(x)
    assert (d == np.round(d)).all()
    for k in [1, 2, 3, 4, 5, 6]:
        labels, _ = protea.predict("fitted.model", "train.npz", "--rule", f"{k}-np")
        assert (labels == model.classes[vote(d, model.labels, k)]).all()


# --- Objectives --------------------------------------------------------------------------------------------------

LOSSES = {
    "glvq sigmoid": (Glvq(4.0), ["-m", "glvq", "--gamma", "4"]),
    "glvq identity": (Glvq(4.0, "identity"), ["-m", "glvq", "--activation", "identity", "--gamma", "4"]),
    "glvq swish": (Glvq(1.5, "swish"), ["-m", "glvq", "--activation", "swish", "--gamma", "1.5"]),
    "lpd": (Lpd(5.0), ["-m", "lpd", "--gamma", "5", "--keep", "last"]),
    "rslvq": (Rslvq(0.6), ["-m", "rslvq", "--gamma", "0.6", "--gamma-steps", "1"]),
    "dmpl": (Dmpl(0.3), ["-m", "dmpl", "--gamma", "0.3", "--margin", "1", "--mu", "0.5"]),
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
    y = np.repeat([0, 1], 60)
    centres = np.array([[0, 0, 0, 0], [1.6, 0.8, 0, 0.4]])
    x = rng.normal(size=(120, 4)) * [1, 0.8, 1.3, 0.6] + centres[y]
    return Task(protea, x, y, centres[::-1] * 0.4 + [0.5, 0, 0.3, 0], np.arange(2))


@pytest.fixture
def several(protea):
    """Three classes, two prototypes each. The start is bad, as protea keeps it where descending does not lower the
    training error."""
    rng = np.random.default_rng(9)
    y = np.repeat(np.arange(3), 40)
    centres = np.array([[[0, 0, 0], [2, 2, 0]], [[2, 0, 0], [0, 2, 1]], [[1, 1, 2], [3, 1, 1]]], float)
    x = centres[y, np.arange(120) % 2] + 0.7 * rng.normal(size=(120, 3))
    start = (0.4 * np.roll(centres, 1, axis=0) + 0.6 * centres.mean(axis=(0, 1))).reshape(6, 3)
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


def scipy_minimum(objective, start, most=400):
    options = {"maxiter": most, "maxfun": 2 * most, "ftol": 1e-15, "gtol": 1e-12}
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


RUNS = [*((metric, "lbfgs") for metric in METRICS), ("linear", "cg"), ("local", "cg")]


@pytest.mark.parametrize("metric, optimizer", RUNS)
@pytest.mark.parametrize("name", LOSSES)
def test_minima_are_those_of_scipy(two, name, metric, optimizer):
    loss, options = LOSSES[name]
    model = two.fit(*options, "--metric", metric, "--optimizer", optimizer, *TO_THE_END)
    assert not model.provenance["kept_start"]
    objective, start = two.objective(model, loss, metric), two.first(model, metric)
    value, gradient = objective(theta(model))
    assert losses(model)[-1] == pytest.approx(value, rel=1e-11)
    # Histories of more than a hundred epochs are stored with six digits.
    assert (np.diff(losses(model)) <= 1e-6 * losses(model)[:-1]).all()
    from_here = scipy_minimum(objective, theta(model))
    if name not in SMOOTH:
        # Hinges stop any method that believes in gradients a little above the minimum.
        assert value - from_here < 1e-2 * value
        if optimizer == "lbfgs":
            assert value - scipy_minimum(objective, start) < 5e-3 * value
        return
    assert value - from_here < 1e-7 * value
    if (name, metric) != ("lpd", "local-linear"):
        # There, matrices lose rank and samples come to lie on prototypes, where the unsquared distance has a kink.
        assert np.linalg.norm(gradient) < 1e-5 * np.linalg.norm(objective(start)[1])
    if optimizer == "lbfgs":
        # The same rule from the same start; conjugate gradients may find another minimum.
        assert value - scipy_minimum(objective, start) < 1e-5 * value


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
    assert value - scipy_minimum(objective, theta(model), 200) < 1e-2 * value


# --- Plain and alternating gradient descent ----------------------------------------------------------------------


def lpd_pass(z, y, labels, p, v, beta):
    """One pass of the published loop, sample by sample from the old prototypes and weights: sums for both."""
    by_p, by_v, value = np.zeros_like(p), np.zeros_like(v), 0.0
    for row, c in zip(z, y):
        delta = np.sqrt(((v * (row - p)) ** 2).sum(axis=1))
        i = min(np.flatnonzero(labels == c), key=lambda j: delta[j])
        k = min(np.flatnonzero(labels != c), key=lambda j: delta[j])
        ratio = delta[i] / delta[k]
        s = expit(beta * (ratio - 1))
        value += s
        if delta[i] == 0:
            continue
        slope = beta * s * (1 - s)
        by_p[i] += slope * ratio / delta[i] ** 2 * v[i] ** 2 * (p[i] - row)
        by_p[k] -= slope * ratio / delta[k] ** 2 * v[k] ** 2 * (p[k] - row)
        by_v[i] += slope * ratio / delta[i] ** 2 * v[i] * (p[i] - row) ** 2
        by_v[k] -= slope * ratio / delta[k] ** 2 * v[k] * (p[k] - row) ** 2
    return value / len(z), by_p, by_v


def lpd_loop(z, y, labels, p, v, beta, rate, metric_rate, steps):
    """The published loop: best prototypes and weights by training error (the latest of equals), objectives, errors."""

    def error(p, v):
        d = np.column_stack([((w * (z - row)) ** 2).sum(axis=1) for row, w in zip(p, v)])
        return (labels[d.argmin(axis=1)] != y).mean()

    best, values, errors = (error(p, v), p, v), [], []
    for _ in range(steps):
        value, by_p, by_v = lpd_pass(z, y, labels, p, v, beta)
        p, v = p - rate * by_p, (v - metric_rate * by_v).clip(0)
        values.append(value)
        errors.append(error(p, v))
        if errors[-1] <= best[0]:
            best = errors[-1], p, v
    return best, values, errors


def samples_as_start(protea, data_set, name, per_class):
    """A data set, and some of its samples of each class as prototypes."""
    x, y, _ = data_set(name)
    rows = np.concatenate([np.flatnonzero(y == c)[3 :: 11][:per_class] for c in range(y.max() + 1)])
    return Task(protea, x, y, x[rows], y[rows])


@pytest.mark.parametrize("rate, metric_rate, steps", [(0.01, 0.1, 25), (0.05, 2.0, 10)])
@pytest.mark.parametrize("name", ["heart", "wine", "glass"])
def test_gd_on_lpd_is_the_published_loop(protea, data_set, name, rate, metric_rate, steps):
    task = samples_as_start(protea, data_set, name, 3)
    options = ["-m", "lpd", "--optimizer", "gd", "--rate", rate, "--metric-rate", metric_rate, "--gamma", "8"]
    options += ["--scale", "standard", "--prototypes", "start.npz", "--tol", "0", "--max-iter", steps]
    model = protea.fit("train.npz", *EXACT, *options)
    z, labels = model.preprocess(task.x), task.labels
    unit = np.sqrt(z.var(axis=0).mean())
    assert unit == pytest.approx(1, abs=1e-9)
    p, v = model.preprocess(task.start), first_weights(z, task.y, labels)
    (error, p, v), values, errors = lpd_loop(z, task.y, labels, p, v, 8.0, rate, rate * metric_rate, steps)
    assert np.abs(model.prototypes - p).max() < 1e-9
    assert np.abs(model.wide("local.weights") - v).max() < 1e-9
    assert losses(model) == pytest.approx(values, rel=1e-9)
    assert [report["train_error"] for report in model.provenance["history"]] == pytest.approx(errors, abs=1e-12)
    assert model.provenance["train_error"] == pytest.approx(error, abs=1e-12)


@pytest.fixture
def alike(protea):
    """Two classes of the same shape: plain distances are as good as any, so that local weights start at 1."""

    def task(factor=1.0):
        rng = np.random.default_rng(6)
        y = np.arange(120) % 2
        x = factor * (rng.normal(size=(120, 3)) + np.outer(y, [2.0, 0.5, 0.0]))
        start = factor * np.array([[0.5, 1, 0], [-0.5, -1, 0.3], [1.5, 1, 0], [2.5, -1, 0.5]])
        task = Task(protea, x, y, start, np.array([0, 0, 1, 1]))
        assert (first_weights(x, y, task.labels) == 1).all()
        return task

    return task


def test_gd_does_not_depend_on_the_unit_of_the_features(alike):
    """Ratios have no unit: prototypes scale with the features, weights stay what they are."""
    found = []
    for factor in [1.0, 7.3]:
        options = ["--metric-rate", "0.5", "--rate", "0.01", "--gamma", "8", "--tol", "0", "--max-iter", "10"]
        model = alike(factor).fit("-m", "lpd", "--optimizer", "gd", *options)
        found.append((model.prototypes / factor, model.wide("local.weights")))
    assert np.abs(found[0][1] - 1).max() > 1e-3
    assert np.abs(found[0][1] - found[1][1]).max() < 1e-9
    assert np.abs(found[0][0] - found[1][0]).max() < 1e-9


def alternating(objective, start, rates, steps, project):
    """Gradient steps over prototypes and metric in turn: +1 % after a success, halved and undone after a failure."""
    at, m = start.copy(), objective.x.shape[1] * len(objective.labels)
    value, g = objective(at)
    parts = [slice(0, m), slice(m, None)][: 1 + (len(start) > m)]
    rates = [rate / np.sqrt((g[part] ** 2).mean()) for rate, part in zip(rates, parts)]
    values = []
    for _ in range(steps):
        for n, part in enumerate(parts):
            for _ in range(40):
                trial = at.copy()
                trial[part] -= rates[n] * g[part]
                trial[m:] = project(trial[m:])
                tried, gradient = objective(trial)
                if tried < value:
                    at, value, g = trial, tried, gradient
                    rates[n] *= 1.01
                    break
                rates[n] *= 0.5
        values.append(value)
    return at, values


PROJECTIONS = {
    "euclidean": lambda v: v,
    "local": lambda v: v.clip(0),
    "linear": lambda m: project_psd(m.reshape(int(len(m) ** 0.5), -1)).ravel(),
}


@pytest.mark.parametrize("steps", [1, 20])
@pytest.mark.parametrize("metric", PROJECTIONS)
@pytest.mark.parametrize("rate, metric_rate", [(0.05, 0.1), (0.3, 5.0)])
def test_alternating_steps(several, metric, steps, rate, metric_rate):
    """In units of the deviation of the features; the metric's step, which has no unit, by its own factor."""
    options = ["--optimizer", "alternating", "--rate", rate, "--metric-rate", metric_rate, "--max-iter", steps]
    model = several.fit("-m", "dmpl", "--metric", metric, *options, "--tol", "0", "--mu", "0.6", "--margin", "1")
    assert not model.provenance["kept_start"]
    z, inner = model.preprocess(several.x), "mahalanobis" if metric == "linear" else metric
    start = several.first(model, inner)
    plain = several.objective(model, None, inner).distances(start)
    gamma = 1 / np.where(several.y[:, None] == several.labels, plain, np.inf).min(axis=1).mean()
    assert model.provenance["history"][0]["gamma"] == pytest.approx(gamma, rel=1e-12)
    objective = several.objective(model, Dmpl(gamma, 0.6), inner)
    unit = np.sqrt(z.var(axis=0).mean())
    at, values = alternating(objective, start, [rate * unit, rate * metric_rate], steps, PROJECTIONS[metric])
    assert (np.diff([objective(start)[0], *losses(model)]) <= 0).all()
    assert losses(model) == pytest.approx(values, rel=1e-9)
    assert np.abs(model.prototypes.ravel() - at[:18]).max() < 1e-9
    if metric == "linear":
        # A is free in its rows, AᵀA is not.
        assert np.abs((model.components.T @ model.components).ravel() - at[18:]).max() < 1e-9
    elif metric == "local":
        assert np.abs(model.wide("local.weights").ravel() - at[18:]).max() < 1e-9


def test_alternating_projects_onto_the_cone(protea):
    """A feature of noise alone: large steps over the metric lead out of the cone, and M loses rank."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 50)
    x = rng.normal(size=(100, 3)) * [0.4, 0.4, 3] + np.outer(y, [2, 0, 0])
    task = Task(protea, x, y, np.array([[0, 0, 2.0], [2, 0, -2.0]]), np.arange(2))
    options = ["--optimizer", "alternating", "--metric-rate", "20", "--freeze-prototypes", "--max-iter", "30"]
    model = task.fit("-m", "dmpl", "--gamma", "1", *options, "--tol", "0", "--margin", "1", "--mu", "0.5")
    assert not model.provenance["kept_start"]
    square = model.components.T @ model.components
    values = np.linalg.eigvalsh(square)
    assert values.min() > -1e-12 and values.min() < 1e-9 < values.max()
    assert np.abs(model.prototypes - model.preprocess(task.start)).max() < 1e-12
    value, _ = task.objective(model, Dmpl(1.0), "mahalanobis")(np.concatenate([model.prototypes.ravel(), square.ravel()]))
    assert losses(model)[-1] == pytest.approx(value, rel=1e-9)
    assert (np.diff(losses(model)) <= 0).all()


# --- Limits and relatives ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vehicle", "wine"])
def test_an_ensemble_of_one_is_the_nearest_prototype_rule(protea, data_set, name):
    _, _, x, _, _ = halves(protea, data_set, name)
    options = ["--draws", "5000", "--per-class", "5"]
    one = protea.fit("train.npz", *EXACT, "-m", "epnn", "--learners", "1", *options)
    labels, q = protea.predict("fitted.model", "test.npz")
    assert (labels == one.classes[vote(one.distances(x), one.labels, 1)]).all()
    assert np.abs(q - one.probabilities(x)).max() < 1e-9
    alone = protea.fit("train.npz", *EXACT, "-m", "pnn", *options, name="alone.model")
    assert (alone.prototypes == one.prototypes).all() and (alone.labels == one.labels).all()


@pytest.mark.parametrize("optimizer", ["lbfgs", "alternating"])
def test_without_push_prototypes_are_means_of_their_samples(several, optimizer):
    model = several.fit("-m", "knpl", "--mu", "0", "--optimizer", optimizer, *TO_THE_END)
    assert not model.provenance["kept_start"]
    z, own = model.preprocess(several.x), several.y[:, None] == several.labels
    target = np.where(own, squared_distances(z, model.prototypes), np.inf).argmin(axis=1)
    means = np.array([z[target == j].mean(axis=0) for j in range(6)])
    assert np.abs(model.prototypes - means).max() < 1e-5
    # In units of the first mean distance.
    plain = np.where(own, squared_distances(z, model.preprocess(several.start)), np.inf).min(axis=1).mean()
    now = squared_distances(z, model.prototypes)[np.arange(len(z)), target].mean()
    assert losses(model)[-1] == pytest.approx(now / plain, rel=1e-9)


def test_push_alone_leaves_wide_margins_in_peace(protea):
    """Two clusters far apart, μ = 1: no hinge is active, so nothing moves."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    x = rng.normal(size=(40, 2)) + 100 * y[:, None]
    task = Task(protea, x, y, np.array([[1.0, 0.0], [99.0, 101.0]]), np.arange(2))
    model = task.fit("-m", "dmpl", "--mu", "1", "--optimizer", "lbfgs", "--margin", "1")
    assert (model.prototypes == model.preprocess(task.start)).all() and losses(model).tolist() == [0]


def test_lpd_with_unit_weights_is_glvq_by_the_ratio(alike):
    """With weights of 1 that stay, LPD goes down the gradient of a sigmoid of δ⁼/δ^≠ by prototypes alone."""
    options = ["-m", "lpd", "--gamma", "5", "--optimizer", "gd", "--rate", "0.004", "--tol", "0"]
    task = alike(2.5)
    local = task.fit(*options, "--metric-rate", "0", "--max-iter", "8")
    assert (local.wide("local.weights") == 1).all()
    plain = task.fit(*options, "--metric", "euclidean", "--max-iter", "8")
    assert np.abs(local.prototypes - plain.prototypes).max() < 1e-9
    assert losses(local) == pytest.approx(losses(plain), rel=1e-9)
    one = task.fit(*options, "--metric", "euclidean", "--max-iter", "1", "--keep", "last")
    assert not one.provenance["kept_start"]
    z, p = one.preprocess(task.x), one.preprocess(task.start)
    _, g = Family(z, task.y, task.labels, Lpd(5.0))(p.ravel())
    moved = p.ravel() - 0.004 * z.var(axis=0).mean() * len(z) * g
    assert np.abs(one.prototypes.ravel() - moved).max() < 1e-9


@pytest.mark.parametrize("optimizer", [["adam", "--epochs", "15"], ["gd", "--max-iter", "40"]])
@pytest.mark.parametrize("name", ["heart", "liver"])
def test_lpd_returns_the_iterate_with_the_lowest_training_error(protea, data_set, name, optimizer):
    x, y, _ = data_set(name)
    model = protea.fit(name, *EXACT, "-m", "lpd", "--optimizer", *optimizer)
    errors = [report["train_error"] for report in model.provenance["history"]]
    wrong = (model.predict(x) != model.classes[y]).mean()
    assert model.provenance["train_error"] == pytest.approx(wrong, abs=1e-12)
    start = protea.fit(name, *EXACT, "-m", "lpd", "--optimizer", "gd", "--max-iter", "1", "--rate", "1e-300", name="0")
    assert wrong == pytest.approx(min([*errors, start.provenance["train_error"]]), abs=1e-12)


@pytest.mark.parametrize("name", ["vehicle", "heart", "glass", "wine"])
def test_class_deviations_weight_the_neighbours(protea, data_set, name):
    x, y, xt, _, classes = halves(protea, data_set, name)
    model = protea.fit("train.npz", *EXACT, "-m", "knn", "--metric", "cdvw", "--scale", "standard")
    z, zt = model.preprocess(x), model.preprocess(xt)
    index = {c: i for i, c in enumerate(model.classes)}
    y = np.array([index[classes[c]] for c in y])
    deviations = class_deviations(z, y)
    assert np.allclose(model.wide("local.weights"), 1 / deviations[model.labels], rtol=1e-9)
    p = model.prototypes
    assert (np.bincount(model.labels) == np.bincount(y)).all()
    assert np.allclose(p[np.lexsort([*p.T, model.labels])], z[np.lexsort([*z.T, y])], atol=1e-12)
    d = np.column_stack([(((zt - row) / deviations[c]) ** 2).sum(axis=1) for row, c in zip(p, model.labels)])
    near = np.sort(d, axis=1)
    clear = near[:, 1] - near[:, 0] > 1e-9 * near[:, 1]
    labels, _ = protea.predict("fitted.model", "test.npz")
    assert clear.mean() > 0.6
    assert (labels == model.classes[model.labels[d.argmin(axis=1)]])[clear].all()


@pytest.mark.parametrize("machine", ["crammer-singer", "one-vs-rest"])
@pytest.mark.parametrize("code", ["sparse", "dense"])
@pytest.mark.parametrize("name, penalty", [("vehicle", 1), ("wine", 1), ("glass", 10)])
def test_the_machine_over_the_codes_is_that_of_scikit_learn(protea, data_set, name, penalty, code, machine):
    x, y, classes = data_set(name)
    options = ["--learners", "5", "--draws", "3000", "--per-class", "4", "--code", code, "--machine", machine]
    model = protea.fit(name, *EXACT, "-m", "epnn", *options, "--penalty", penalty)
    assert model.classes.tolist() == classes and model.metadata["code"] == code
    n_classes = len(classes)
    v = codes(model.distances(x), model.labels, model.tensors["head.learner"], n_classes, code)
    assert np.allclose(v.sum(axis=1), 1) and v.shape[1] == 5 * n_classes
    if code == "sparse":
        # Less where a sample lies on a prototype.
        assert ((v > 0).sum(axis=1) <= 5).all()
    own = np.eye(n_classes, dtype=bool)[y]

    def objective(w, b):
        """Half the squared weights and biases plus C times the losses."""
        s = v @ w.T + b
        if machine == "crammer-singer":
            loss = (s + ~own - s[own][:, None]).max(axis=1).sum()
        else:
            loss = (1 - np.where(own, s, -s)).clip(0) ** 2
        return ((w**2).sum() + (b**2).sum()) / 2 + penalty * np.sum(loss)

    kind = {"crammer-singer": "crammer_singer", "one-vs-rest": "ovr"}[machine]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        svc = LinearSVC(C=penalty, multi_class=kind, tol=1e-6, max_iter=100_000, random_state=0).fit(v, y)
    ours = objective(model.wide("head.weights"), model.wide("head.biases"))
    theirs = objective(svc.coef_, svc.intercept_)
    assert abs(ours - theirs) < 0.01 * theirs
    assert ours < objective(np.zeros_like(svc.coef_), np.zeros(n_classes))


@pytest.mark.parametrize("name", ["vehicle", "glass", "heart"])
def test_class_weights_minimise_their_convex_problem(protea, data_set, name):
    """Mean squared hinge of scores w_c d_c + b_c and (λ/2)‖w‖², λ = 0.001, w ≥ 0, in units of the first own distance."""
    task = samples_as_start(protea, data_set, name, 4)
    n_classes, own = task.y.max() + 1, np.eye(task.y.max() + 1, dtype=bool)[task.y]
    options = ["-m", "pnn", "--rounds", "2", "--draws", "3000", "--scale", "standard", "--prototypes", "start.npz"]
    model = protea.fit("train.npz", *EXACT, *options)
    first = squared_distances(model.preprocess(task.x), model.preprocess(task.start))
    unit = class_minima(first, task.labels, n_classes)[own].mean()
    d = class_minima(model.distances(task.x), model.labels, n_classes) / unit

    def objective(at):
        w, b = np.split(at, 2)
        s = w * d + b
        rivals = np.where(own, np.inf, s)
        rival = np.eye(n_classes, dtype=bool)[rivals.argmin(axis=1)]
        hinge = (1 + s[own] - s[rival]).clip(0)[:, None]
        by_s = 2 * hinge * (own.astype(float) - rival) / len(d)
        gradient = np.concatenate([(by_s * d).sum(axis=0) + 1e-3 * w, by_s.sum(axis=0)])
        return (hinge**2).mean() + 5e-4 * w @ w, gradient

    at = np.random.default_rng(0).uniform(0.5, 1.5, 2 * n_classes)
    assert check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], at) < 1e-5
    found = np.concatenate([model.wide("head.weights") * unit, model.wide("head.biases")])
    assert (found[:n_classes] >= 0).all()
    plain = np.repeat([1.0, 0.0], n_classes)
    bounds = [(0, None)] * n_classes + [(None, None)] * n_classes
    best = minimize(objective, plain, jac=True, method="L-BFGS-B", bounds=bounds).fun
    assert objective(found)[0] < 1.01 * best < objective(plain)[0]


PRUNED = ["glvq", "lpd", "knpl", "lgmlvq --locality prototype"]


@pytest.mark.parametrize("method", PRUNED)
@pytest.mark.parametrize("name", ["wine", "glass"])
def test_pruning_leaves_the_number_that_was_asked_for(protea, data_set, name, method):
    x, y, _ = data_set(name)
    common = [*EXACT, "--per-class", "3", "--scale", "standard"]
    model = protea.fit(name, *common, "-m", *method.split(), "--prune", "3", "--epochs", "50")
    assert (np.bincount(model.labels) == 3).all()
    start = protea.fit(name, *common, "-m", "kmeans", name="start.model")
    wrong = lambda model: (model.predict(x) != model.classes[y]).mean()
    # What is left of three times as many is another start than k-means, which is no bound to the last sample.
    assert wrong(model) <= wrong(start) + 0.02
    # Both trainings are told of.
    assert len(losses(model)) == 100
