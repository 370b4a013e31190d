"""Codes, classes by codes, projections and edges against NumPy, SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.optimize import minimize
from scipy.sparse import coo_matrix
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Lasso, lars_path, orthogonal_mp, ridge_regression
from sklearn.manifold._locally_linear import barycenter_weights

PLAIN = ["--precision", "f64"]


@pytest.fixture
def problem(protea):
    """A dictionary of 120 atoms of length 1 in four classes, and 40 queries."""
    rng = np.random.default_rng(5)
    y = np.arange(120) % 4
    x = rng.normal(size=(120, 15)) + np.eye(4, 15)[y] * 3
    q = rng.normal(size=(40, 15)) + np.eye(4, 15)[np.arange(40) % 4] * 3
    unit = lambda v: v / np.linalg.norm(v, axis=1, keepdims=True)
    x, q = unit(x), unit(q)
    np.savez(protea.folder / "train.npz", X=x, y=y)
    np.savez(protea.folder / "queries.npz", X=q, y=np.arange(40) % 4)
    return x, q, y


def coded(protea, method, *args):
    """Codes as a dense matrix, and residuals, from the archive that `represent` writes."""
    protea("fit", "train.npz", "-m", method, *PLAIN, *args, "-o", "m")
    protea("represent", "m", "queries.npz", "-o", "codes.npz")
    c = np.load(protea.folder / "codes.npz")
    return coo_matrix((c["weight"], (c["row"], c["atom"])), shape=c["shape"]).toarray(), c["residual"]


def inn(q, x, lam, steps):
    """The loop of the paper."""
    w, now = np.zeros((len(q), len(x))), q.copy()
    for t in range(1, steps + 1):
        nearest = ((now[:, None] - x) ** 2).sum(axis=2).argmin(axis=1)
        w[np.arange(len(q)), nearest] += lam / (1 + lam) ** t
        now += lam * (now - x[nearest])
    return w, now


@pytest.mark.parametrize("lam, steps", [(0.05, 62), (0.25, 14), (0.5, 8), (1.0, 5)])
def test_inn_is_the_loop_of_the_paper(protea, problem, lam, steps):
    x, q, y = problem
    w, residual = coded(protea, "inn", "--lambda", lam)
    theirs, last = inn(q, x, lam, steps)
    assert np.allclose(w, theirs, atol=1e-12)
    shrunk = (1 + lam) ** -steps
    assert np.abs(q - w @ x - shrunk * last).max() < 1e-12
    assert np.allclose(w.sum(axis=1), 1 - shrunk, atol=1e-12)
    assert np.allclose(residual, shrunk * np.linalg.norm(last, axis=1), atol=1e-12)
    labels, p = protea.predict("m", "queries.npz")
    scores = w @ np.eye(4)[y]
    assert (labels.astype(int) == scores.argmax(axis=1)).all() and np.allclose(p.sum(axis=1), 1)


def test_a_huge_lambda_is_one_nearest_neighbour(protea, problem):
    x, q, y = problem
    protea("fit", "train.npz", "-m", "inn", "--lambda", "1e9", *PLAIN, "-o", "m")
    nearest = ((q[:, None] - x) ** 2).sum(axis=2).argmin(axis=1)
    assert (protea.predict("m", "queries.npz")[0].astype(int) == y[nearest]).all()


def test_steps_choose_lambda(protea, problem):
    x, q, _ = problem
    w, _ = coded(protea, "inn", "--steps", "9", "--beta", "0.9")
    assert np.allclose(w, inn(q, x, 0.1 ** (-1 / 9) - 1, 9)[0], atol=1e-12)


def test_refined_weights_are_the_constrained_minimum(protea, problem):
    x, q, _ = problem
    w, residual = coded(protea, "inn", "--lambda", "0.1", "--refine")
    first, _ = inn(q, x, 0.1, 32)
    assert (w >= 0).all() and (w.sum(axis=1) <= 1 + 1e-9).all()
    assert (residual <= np.linalg.norm(q - first @ x, axis=1) + 1e-12).all()
    for i in range(0, 40, 8):
        support = np.flatnonzero(first[i])
        atoms, start = x[support], first[i, support]
        value = lambda v: 0.5 * ((q[i] - v @ atoms) ** 2).sum()
        slope = lambda v: -atoms @ (q[i] - v @ atoms)
        bound = {"type": "ineq", "fun": lambda v: 1 - v.sum(), "jac": lambda v: -np.ones(len(v))}
        best = minimize(value, start, jac=slope, bounds=[(0, None)] * len(start), constraints=[bound], tol=1e-14)
        assert 0.5 * residual[i] ** 2 < best.fun + 1e-6


@pytest.mark.parametrize("atoms", [1, 3, 8])
def test_omp_is_that_of_scikit_learn(protea, problem, atoms):
    x, q, _ = problem
    w, residual = coded(protea, "omp", "--atoms", atoms)
    theirs = orthogonal_mp(x.T, q.T, n_nonzero_coefs=atoms).T
    assert np.allclose(w, theirs, atol=1e-9)
    assert np.allclose(residual, np.linalg.norm(q - theirs @ x, axis=1), atol=1e-9)


def test_mp_is_its_loop(protea, problem):
    x, q, _ = problem
    w, _ = coded(protea, "mp", "--atoms", "12")
    theirs, left, rows = np.zeros_like(w), q.copy(), np.arange(len(q))
    for _ in range(12):
        products = left @ x.T
        best = np.abs(products).argmax(axis=1)
        step = products[rows, best]
        theirs[rows, best] += step
        left -= step[:, None] * x[best]
    assert np.allclose(w, theirs, atol=1e-9)


@pytest.mark.parametrize("l1", [0.01, 0.1, 0.5])
def test_src_is_at_the_minimum_of_lasso_and_lars(protea, problem, l1):
    x, q, _ = problem
    w, _ = coded(protea, "src", "--l1", l1, "--gap", "1e-9")
    for row, ours in zip(q, w):
        alpha = l1 * np.abs(x @ row).max()
        value = lambda v: 0.5 * ((row - v @ x) ** 2).sum() + alpha * np.abs(v).sum()
        lasso = Lasso(alpha=alpha / 15, fit_intercept=False, tol=1e-12, max_iter=100000).fit(x.T, row).coef_
        lars = lars_path(x.T, row, alpha_min=alpha / 15, method="lasso")[2][:, -1]
        assert value(ours) <= min(value(lasso), value(lars)) + 1e-7
        assert np.allclose(ours, lars, atol=2e-3)


def test_crc_is_ridge_regression_and_its_ratio_decides(protea, problem):
    x, q, y = problem
    w, residual = coded(protea, "crc", "--ridge", "0.05")
    theirs = ridge_regression(x.T, q.T, alpha=0.05)
    assert np.allclose(w, theirs, atol=1e-9)
    assert np.allclose(residual, np.linalg.norm(q - theirs @ x, axis=1), atol=1e-9)
    own = np.eye(4, dtype=bool)[y].T
    ratios = [np.linalg.norm(q - (w * c) @ x, axis=1) / np.linalg.norm(w * c, axis=1) for c in own]
    assert (protea.predict("m", "queries.npz")[0].astype(int) == np.argmin(ratios, axis=0)).all()


def test_lle_weights_are_those_of_scikit_learn(protea, problem):
    x, q, _ = problem
    w, _ = coded(protea, "lle", "--neighbours", "7")
    order = ((q[:, None] - x) ** 2).sum(axis=2).argsort(axis=1)[:, :7]
    theirs = np.zeros_like(w)
    np.put_along_axis(theirs, order, barycenter_weights(q, x, order, reg=1e-3), axis=1)
    assert np.allclose(w, theirs, atol=1e-9)


@pytest.mark.parametrize("method", ["inn", "src", "omp"])
def test_residuals_decide_where_asked(protea, problem, method):
    x, q, y = problem
    w, _ = coded(protea, method, "--by", "residual")
    own = np.eye(4, dtype=bool)[y].T
    left = [np.linalg.norm(q - (w * c) @ x, axis=1) for c in own]
    assert (protea.predict("m", "queries.npz")[0].astype(int) == np.argmin(left, axis=0)).all()


def test_lda_spans_the_discriminants_of_scikit_learn(protea, data_set):
    x, y, _ = data_set("wine")
    protea("fit", "wine", "-m", "knn", "--scale", "standard", "--pca", "13", "--project", "lda", *PLAIN, "-o", "m")
    protea("transform", "m", "wine", "-o", "z.npy")
    z = np.load(protea.folder / "z.npy")
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit_transform(scaled, y)
    assert z.shape == (178, 2)
    assert subspace_angles(z - z.mean(axis=0), theirs - theirs.mean(axis=0)).max() < 1e-3


def test_innlp_is_its_generalised_problem(protea):
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    x = rng.normal(size=(90, 5)) + np.eye(3, 5)[y] * 2
    np.savez(protea.folder / "train.npz", X=x, y=y)
    flags = ["--scale", "raw", "--pca", "5", "--project", "innlp:2"]
    protea("fit", "train.npz", "-m", "knn", *flags, *PLAIN, "-o", "m")
    protea("transform", "m", "train.npz", "-o", "z.npy")
    z = np.load(protea.folder / "z.npy")
    centred, w = x - x.mean(axis=0), np.zeros((90, 90))
    for i in range(90):
        others = np.flatnonzero((y == y[i]) & (np.arange(90) != i))
        w[i, others] = inn(centred[i : i + 1], centred[others], 0.25, 14)[0]
    s = (w + w.T) / 2
    d = np.diag(s.sum(axis=1))
    from scipy.linalg import eigh

    c, b = centred.T @ (d - s) @ centred, centred.T @ d @ centred
    b += 1e-6 * np.trace(b) / 5 * np.eye(5)
    _, a = eigh(c, b)
    assert subspace_angles(z, centred @ a[:, :2]).max() < 1e-6


def hog(image, side=4, block=2, bins=8):
    """Histograms of edges, from their description."""
    padded = np.pad(image, 1, mode="edge")
    gx, gy = padded[1:-1, 2:] - padded[1:-1, :-2], padded[2:, 1:-1] - padded[:-2, 1:-1]
    strength, turn = np.hypot(gx, gy), np.mod(np.arctan2(gy, gx), np.pi) / np.pi * bins - 0.5
    low = np.floor(turn).astype(int)
    share, rows, columns = turn - low, image.shape[0] // side, image.shape[1] // side
    cells = np.zeros((rows, columns, bins))
    for r in range(rows * side):
        for c in range(columns * side):
            cell = cells[r // side, c // side]
            cell[low[r, c] % bins] += (1 - share[r, c]) * strength[r, c]
            cell[(low[r, c] + 1) % bins] += share[r, c] * strength[r, c]
    blocks = []
    for r in range(rows - block + 1):
        for c in range(columns - block + 1):
            v = cells[r : r + block, c : c + block].ravel()
            v = np.minimum(v / np.sqrt(v @ v + 1e-10), 0.2)
            blocks.append(v / np.sqrt(v @ v + 1e-10))
    return np.concatenate(blocks)


def test_edges_follow_their_description(protea):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 256, size=(6, 14 * 9)).astype(float)
    x[0] = 7
    np.savez(protea.folder / "train.npz", X=x, y=np.arange(6) % 2)
    protea("fit", "train.npz", "-m", "knn", "--hog", "--image", "14x9", "--scale", "raw", *PLAIN, "-o", "m")
    protea("transform", "m", "train.npz", "-o", "z.npy")
    z = np.load(protea.folder / "z.npy")
    assert z.shape == (6, 2 * 1 * 32)
    assert np.allclose(z, [hog(row.reshape(9, 14)) for row in x], atol=1e-9)


def test_prototypes_of_another_model_are_a_dictionary(protea, data_set):
    x, y, classes = data_set("wine")
    model = protea.fit("wine", "-m", "gmlvq", "--per-class", "4", *PLAIN, name="learned")
    protea("fit", "wine", "-m", "inn", "--dictionary", "learned", *PLAIN, "-o", "m")
    a = model.components
    z, p = model.preprocess(x) @ a.T, model.prototypes @ a.T
    w, _ = inn(z, p, 0.25, 14)
    decided = np.array(classes)[(w @ np.eye(3)[model.labels]).argmax(axis=1)]
    assert (protea.predict("m", "wine")[0] == decided).mean() > 0.99
