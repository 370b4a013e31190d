"""The NPC objective, its gradient, its minimisers and its temperature against NumPy and SciPy."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from reference import Npc, soft_minimum, squared_distances

LOSSES = [("exp", "all"), ("exp", "pair"), ("hinge", "all"), ("hinge", "pair"), ("nll", "all")]
RANKS = [None, 4, 2]


def write(path, x, y):
    names = [f"x{j}" for j in range(x.shape[1])]
    rows = [",".join([*(repr(float(v)) for v in row), f"c{c}"]) for row, c in zip(x, y)]
    path.write_text("\n".join([",".join([*names, "label"]), *rows]) + "\n")


class Problem:
    """Training samples, first prototypes and γ, for protea and for NumPy."""

    def __init__(self, protea, x, y, start, labels, gamma):
        self.protea, self.x, self.y, self.start, self.gamma = protea, x, y, start, gamma
        write(protea.folder / "train.csv", x, y)
        write(protea.folder / "start.csv", start, labels)

    def fit(self, loss, over, rank, *args):
        options = ["--precision", "f64", "--scale", "none", "--gamma-steps", "1", "--gamma", self.gamma]
        options += ["--prototypes", "start.csv", "--loss", loss, "--over", over]
        if rank:
            options += ["--metric", "linear", "--rank", rank]
        model = self.protea.fit("train.csv", *options, *args)
        assert not model.provenance["kept_start"]
        return model

    def objective(self, model, loss, over, rank):
        x = model.preprocess(self.x)
        return Npc(x, self.y, model.labels, self.gamma, loss, over=over, rank=rank)

    def first(self, model, rank):
        """θ where protea starts: A is the identity, or the directions of largest variance."""
        x, p = model.preprocess(self.x), model.preprocess(self.start)
        if rank is None:
            return p.ravel()
        if rank == x.shape[1]:
            a = np.eye(rank)
        else:
            a = np.linalg.eigh(np.cov(x.T))[1][:, ::-1][:, :rank].T
        return np.concatenate([p.ravel(), a.ravel()])


def theta(model):
    parts = [model.prototypes.ravel()]
    return np.concatenate(parts if model.components is None else [*parts, model.components.ravel()])


def scipy_minimum(objective, start):
    options = {"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-12}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).fun


@pytest.fixture
def blobs(protea):
    """Three overlapping classes, one prototype each: the minimum is finite, and there is one."""
    rng = np.random.default_rng(5)
    centres = np.array([[0, 0, 0, 0], [2, 0.5, 0, 0], [0.5, 2, 1, 0]])
    y = np.repeat(np.arange(3), 80)
    x = rng.normal(size=(240, 4)) * [1, 1, 1, 0.6] + centres[y]
    # A bad start: protea keeps the first prototypes where descending does not lower the training error.
    start = centres.mean(axis=0) + 0.3 * (centres.mean(axis=0) - centres)
    return Problem(protea, x, y, start, np.arange(3), 0.7)


@pytest.fixture
def crossed(protea):
    """Two classes on the corners of a square, crosswise, two prototypes each."""
    rng = np.random.default_rng(8)
    corners = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    corner = np.repeat(np.arange(4), 60)
    x = corners[corner] + 0.7 * rng.normal(size=(240, 2))
    start = 0.2 * corners + 0.3 * rng.normal(size=corners.shape)
    return Problem(protea, x, corner // 2, start, np.array([0, 0, 1, 1]), 1.0)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("loss, over", LOSSES)
def test_the_reference_gradient_is_that_of_its_value(loss, over, rank):
    rng = np.random.default_rng(1)
    x, y, labels = rng.normal(size=(50, 4)), rng.integers(0, 3, 50), np.array([0, 0, 1, 2, 2])
    objective = Npc(x, y, labels, 0.6, loss, over=over, rank=rank)
    at = rng.normal(size=(5 + (rank or 0)) * 4)
    error = check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], at)
    assert error < 1e-6 * (1 + np.linalg.norm(objective(at)[1]))


@pytest.mark.parametrize("optimizer", ["lbfgs", "cg"])
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("loss, over", LOSSES)
def test_the_first_step_follows_the_gradient(blobs, loss, over, rank, optimizer):
    """Both rules start straight downhill: θ₁ = θ₀ − t g with one t for prototypes and metric."""
    model = blobs.fit(loss, over, rank, "--optimizer", optimizer, "--max-iter", "1")
    objective, start = blobs.objective(model, loss, over, rank), blobs.first(model, rank)
    before, gradient = objective(start)
    p0, a0 = objective.unpack(start)
    gp, gb = objective.unpack(gradient)
    step = p0 - model.prototypes
    t = (step * gp).sum() / (gp * gp).sum()
    assert t > 0 and np.abs(step - t * gp).max() < 1e-9 * np.abs(step).max()
    if rank:
        # The eigenvectors of the start are free in sign; MᵀM is not.
        b = a0 - t * gb
        a = np.sqrt(rank) * b / np.linalg.norm(b)
        assert np.abs(a.T @ a - model.components.T @ model.components).max() < 1e-9
    [report] = model.provenance["history"]
    value, _ = objective(theta(model))
    assert report["loss"] == pytest.approx(value, rel=1e-12) and value < before


@pytest.mark.parametrize("optimizer", ["lbfgs", "cg"])
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("loss, over", LOSSES)
def test_minima_are_those_of_scipy(blobs, loss, over, rank, optimizer):
    options = ["--optimizer", optimizer, "--tol", "1e-13", "--max-iter", "3000"]
    model = blobs.fit(loss, over, rank, *options)
    objective, start = blobs.objective(model, loss, over, rank), blobs.first(model, rank)
    value, gradient = objective(theta(model))
    losses = [report["loss"] for report in model.provenance["history"]]
    assert losses[-1] == pytest.approx(value, rel=1e-12)
    assert (np.diff(losses) <= 0).all()
    from_here, from_start = scipy_minimum(objective, theta(model)), scipy_minimum(objective, start)
    if loss == "hinge" or over == "pair":
        # Kinks stop any method that believes in gradients a little above the minimum.
        assert value - min(from_here, from_start) < 2e-3 * value
        return
    assert np.linalg.norm(gradient) < 1e-6 * np.linalg.norm(objective(start)[1])
    assert value - from_here < 1e-6 * value
    assert value - from_start < 1e-9 * value


@pytest.mark.parametrize("optimizer", ["lbfgs", "cg"])
@pytest.mark.parametrize("loss", ["exp", "nll"])
def test_minima_with_several_prototypes_of_a_class(crossed, loss, optimizer):
    options = ["--optimizer", optimizer, "--tol", "1e-13", "--max-iter", "3000"]
    model = crossed.fit(loss, "all", None, *options)
    objective = crossed.objective(model, loss, "all", None)
    start = crossed.first(model, None)
    value, gradient = objective(theta(model))
    assert np.linalg.norm(gradient) < 1e-5 * np.linalg.norm(objective(start)[1])
    assert value - scipy_minimum(objective, theta(model)) < 1e-6 * value
    assert value - scipy_minimum(objective, start) < 1e-6 * value


def test_mini_batches_lower_the_objective(blobs):
    """Adam at a fixed γ without noise comes close to the minimum of the full objective."""
    options = ["--anneal", "1", "--noise", "0", "--epochs", "100"]
    model = blobs.fit("nll", "all", None, *options)
    objective = blobs.objective(model, "nll", "all", None)
    start = blobs.first(model, None)
    value, lowest = objective(theta(model))[0], scipy_minimum(objective, start)
    assert lowest - 1e-9 < value < lowest + 0.02 * (objective(start)[0] - lowest)


def test_a_kept_start_keeps_its_metric(protea):
    """Training that is thrown away must not throw away the matrix that it started from."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    x = np.column_stack([2 * y + 0.3 * rng.normal(size=200), 50 * rng.normal(size=200)])
    write(protea.folder / "train.csv", x, y)
    (protea.folder / "matrix.csv").write_text("1,0\n0,0.001\n")
    options = ["--scale", "none", "--per-class", "3", "--metric-matrix", "matrix.csv"]
    spoiled = protea.fit("train.csv", *options, "--rate", "20", "--epochs", "2", "--decay", "none")
    assert spoiled.provenance["kept_start"]
    assert spoiled.provenance["train_error"] == 0


@pytest.mark.parametrize("options", [[], ["--metric", "linear", "--rank", "6"]], ids=["euclidean", "rank 6"])
def test_gamma_starts_where_four_of_five_samples_are_undecided(protea, data_set, options):
    x, _, _ = data_set("satimage:train")
    common = ["--per-class", "4", "--scale", "standard", "--seed", "2"]
    first = protea.fit("satimage:train", "-m", "kmeans", *common)
    fitted = protea.fit("satimage:train", *common, *options, "--epochs", "1", "--anneal", "1")
    gamma = fitted.provenance["history"][0]["gamma"]
    z, p = first.preprocess(x), first.prototypes
    if options:
        a = np.linalg.eigh(np.cov(z.T))[1][:, ::-1][:, :6].T
        z, p = z @ a.T, p @ a.T
    d = squared_distances(z, p)

    def share(gamma):
        w = np.sort(soft_minimum(d, gamma), axis=1)
        return (w[:, -1] - w[:, -2] < 0.5).mean()

    assert share(gamma) == pytest.approx(0.8, abs=0.01)
    assert share(1.1 * gamma) < 0.8 < share(gamma / 1.1)


def test_the_stored_gamma_has_the_highest_likelihood(protea, data_set):
    """With validation samples, γ of the probabilities is the one that fits them best."""
    x, y, classes = data_set("satimage")
    y = np.array(classes)[y]
    np.savez(protea.folder / "train.npz", X=x[::2], y=y[::2])
    np.savez(protea.folder / "valid.npz", X=x[1::2], y=y[1::2])
    options = ["--per-class", "3", "--epochs", "2", "--valid", "valid.npz"]
    model = protea.fit("train.npz", *options)
    d = model.distances(x[1::2])
    own = y[1::2, None] == model.classes[model.labels]

    def log_loss(gamma):
        return -np.log((soft_minimum(d, gamma) * own).sum(axis=1).clip(1e-6)).mean()

    assert log_loss(model.gamma) <= min(log_loss(1.03 * model.gamma), log_loss(model.gamma / 1.03))
