"""LMNN and NCA against their objectives in NumPy, SciPy's minima of them, and scikit-learn's NCA."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from threadpoolctl import threadpool_limits

from reference import Lmnn, Nca

TO_THE_END = ["--precision", "f64", "--tol", "1e-13", "--pass-steps", "2000", "--nca-steps", "2000"]


def learned(model):
    return model.wide(f"pipeline.{len(model.metadata['pipeline']) - 1}.matrix")


def before_metric(model, x):
    """The samples that the metric was learned on."""
    model.metadata["pipeline"], last = model.metadata["pipeline"][:-1], model.metadata["pipeline"]
    z = model.preprocess(x)
    model.metadata["pipeline"] = last
    return z


def losses(model):
    return [report["loss"] for report in model.provenance["history"]]


def scipy_minimum(objective, start):
    options = {"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-12}
    return minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options).fun


@pytest.fixture
def few(protea):
    """A hundred samples of four features in three classes, the last of one sample; no distances are equal."""
    rng = np.random.default_rng(3)
    y = np.array([0, 1] * 50 + [2])
    x = rng.normal(size=(101, 4)) * [1, 1, 1, 3] + np.outer(y, [1.5, 0.5, 0, 0])
    np.savez(protea.folder / "train.npz", X=x, y=y)
    return x, y


@pytest.mark.parametrize("rank", [4, 2])
@pytest.mark.parametrize("build", [Lmnn, Nca])
def test_the_reference_gradient_is_that_of_its_value(build, rank):
    rng = np.random.default_rng(1)
    objective = build(rng.normal(size=(30, 4)), rng.integers(0, 3, 30))
    at = rng.normal(size=rank * 4)
    error = check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], at)
    assert error < 1e-5 * (1 + np.linalg.norm(objective(at)[1]))


@pytest.mark.parametrize("rank", [4, 2])
@pytest.mark.parametrize("method, build", [("lmnn", Lmnn), ("nca", Nca)])
def test_minima_are_those_of_scipy(protea, few, method, build, rank):
    x, y = few
    passes = ["--passes", "1"] if method == "lmnn" else []
    model = protea.fit("train.npz", "-m", method, "--rank", rank, *passes, *TO_THE_END)
    z = before_metric(model, x)
    objective, start = build(z, y), np.linalg.eigh(np.cov(z.T))[1][:, ::-1][:, :rank].T
    value, gradient = objective(learned(model).ravel())
    assert losses(model)[-1] == pytest.approx(value, rel=1e-9)
    assert (np.diff(losses(model)) <= 0).all()
    theirs = scipy_minimum(objective, start)
    if method == "lmnn":
        # Kinks stop any method that believes in gradients a little above the minimum.
        assert abs(value - theirs) < 2e-3 * value
        assert value - scipy_minimum(objective, learned(model)) < 2e-3 * value
    else:
        assert np.linalg.norm(gradient) < 1e-5
        assert value - scipy_minimum(objective, learned(model)) < 1e-8
        assert value < theirs + 1e-6


@pytest.mark.parametrize("name", ["wine", "glass"])
def test_lmnn_targets_are_renewed(protea, data_set, name):
    """The second pass minimises the objective with the targets under the metric of the first."""
    x, y, _ = data_set(name)
    options = ["-m", "lmnn", "--scale", "standard", *TO_THE_END]
    first = protea.fit(name, *options, "--passes", "1")
    second = protea.fit(name, *options, "--passes", "2")
    z = before_metric(second, x)
    # A long history is thinned and rounded: epochs that both models tell of have the same loss.
    told = [{r["epoch"]: r["loss"] for r in m.provenance["history"]} for m in (first, second)]
    common = told[0].keys() & told[1].keys()
    assert len(common) > 5 and all(told[0][e] == pytest.approx(told[1][e], rel=1e-5) for e in common)
    assert losses(first)[-1] == pytest.approx(Lmnn(z, y)(learned(first))[0], rel=1e-9)
    objective = Lmnn(z, y, given=learned(first))
    assert losses(second)[-1] == pytest.approx(objective(learned(second))[0], rel=1e-9)


@pytest.mark.parametrize("rank", [13, 2])
def test_nca_is_that_of_scikit_learn(protea, data_set, rank):
    x, y, _ = data_set("wine")
    model = protea.fit("wine", "-m", "nca", "--scale", "standard", "--rank", rank, *TO_THE_END)
    z = before_metric(model, x)
    objective, own = Nca(z, y), y[:, None] == y
    # The same objective, but for sign and scale, wherever they come by.
    path = []
    estimator = NeighborhoodComponentsAnalysis(rank, init="pca", callback=lambda a, step: path.append(a.copy()))
    estimator.fit(z, y)
    for a in path[:: max(1, len(path) // 3)]:
        theirs, ours = estimator._loss_grad_lbfgs(a, z, own, -1.0), objective(a)
        assert 1 + theirs[0] / len(z) == pytest.approx(ours[0], rel=1e-9, abs=1e-12)
        assert np.allclose(theirs[1].ravel() / len(z), ours[1], rtol=1e-6, atol=1e-12)
    # From the same start to the end, protea's minimum is not above theirs.
    theirs = estimator.set_params(tol=1e-12, max_iter=2000, callback=None).fit(z, y)
    ours, scikit = (objective(a.ravel())[0] for a in (learned(model), theirs.components_))
    assert losses(model)[-1] == pytest.approx(ours, rel=1e-6, abs=1e-12)
    assert ours < scikit + 1e-6


@pytest.mark.parametrize("method", ["lmnn", "nca"])
def test_the_metric_is_applied_to_every_method(protea, data_set, method):
    """Neighbours under the metric are those of scikit-learn in the mapped space; other methods train in that space."""
    x, y, classes = data_set("vehicle")
    np.savez(protea.folder / "train.npz", X=x[::2], y=np.array(classes)[y[::2]])
    np.savez(protea.folder / "test.npz", X=x[1::2], y=np.array(classes)[y[1::2]])
    options = ["--precision", "f64", "--rank", "5"]
    model = protea.fit("train.npz", "-m", method, *options)
    assert model.provenance["settings"]["metric"] == method
    z, zt = model.preprocess(x[::2]), model.preprocess(x[1::2])
    assert np.allclose(z, model.prototypes, atol=1e-9) and z.shape[1] == 5
    with threadpool_limits(1):
        theirs = KNeighborsClassifier(1, algorithm="brute").fit(z, y[::2]).predict(zt)
    labels, _ = protea.predict("fitted.model", "test.npz")
    assert (labels == np.array(classes)[theirs]).mean() > 0.995
    other = protea.fit("train.npz", "-m", "kmeans", "--metric", method, *options, name="other.model")
    assert np.allclose(learned(other), learned(model), atol=1e-12)
