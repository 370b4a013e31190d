"""What protea computes, written once more in NumPy: the model file, its decisions, and the objectives.

Nothing here is fast, and nothing is shared with protea but the description of the file and the formulas.
"""

import json

import numpy as np
from safetensors import safe_open


def squared_distances(x, p):
    """‖x_i − p_j‖² for all pairs, by differences: n × m, without cancellation."""
    d = np.empty((len(x), len(p)))
    for j, row in enumerate(p):
        d[:, j] = ((x - row) ** 2).sum(axis=1)
    return d


def soft_minimum(d, gamma):
    """w_ij = exp(−γ d_ij) / Σ_l exp(−γ d_il)."""
    w = np.exp(-gamma * (d - d.min(axis=1, keepdims=True)))
    return w / w.sum(axis=1, keepdims=True)


def class_shares(w, labels, n_classes):
    """q_ic = Σ_{j of class c} w_ij."""
    return w @ np.eye(n_classes)[labels]


class Model:
    """A model file as any reader of safetensors sees it. Decisions are taken in float64."""

    def __init__(self, path):
        with safe_open(path, framework="np") as file:
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
            self.metadata = json.loads(file.metadata()["protea"])
        self.labels = self.tensors["labels"]
        self.classes = np.array(self.metadata["classes"])
        self.gamma = self.metadata["gamma"]
        self.provenance = self.metadata["provenance"]

    def wide(self, name):
        return self.tensors[name].astype(np.float64)

    @property
    def prototypes(self):
        return self.wide("prototypes")

    @property
    def components(self):
        return self.wide("components") if "components" in self.tensors else None

    def preprocess(self, x):
        x = np.asarray(x, dtype=self.tensors["prototypes"].dtype).astype(np.float64)
        for n, step in enumerate(self.metadata["pipeline"]):
            part = lambda name: self.wide(f"pipeline.{n}.{name}")
            if step["type"] == "deskew":
                x = np.array([deskew(row, step["width"], step["height"], step["background"]) for row in x])
            elif step["type"] == "scale":
                x = (x - part("centre")) * part("factor")
            elif step["type"] == "linear":
                x = (x - part("centre")) @ part("matrix").T
            else:
                raise ValueError(f"unknown step {step}")
        return x

    def distances(self, x):
        x, p = self.preprocess(x), self.prototypes
        if self.components is not None:
            x, p = x @ self.components.T, p @ self.components.T
        return squared_distances(x, p)

    def probabilities(self, x):
        return class_shares(soft_minimum(self.distances(x), self.gamma), self.labels, len(self.classes))

    def predict(self, x, rule=None):
        rule = rule or self.metadata["rule"]
        if rule == "soft":
            return self.classes[self.probabilities(x).argmax(axis=1)]
        return self.classes[vote(self.distances(x), self.labels, int(rule.removesuffix("-np")))]


def vote(d, labels, k):
    """The class with most votes among the k nearest, of tied classes that of the nearest; equal distances go to the
    lowest index."""
    d, rows = d.copy(), np.arange(len(d))
    near = np.empty((len(d), min(k, len(labels))), dtype=labels.dtype)
    for place in range(near.shape[1]):
        nearest = d.argmin(axis=1)
        near[:, place] = labels[nearest]
        d[rows, nearest] = np.inf
    votes = (near[:, :, None] == near[:, None, :]).sum(axis=2)
    first = (votes == votes.max(axis=1, keepdims=True)).argmax(axis=1)
    return near[rows, first]


def deskew(row, width, height, background):
    """Centres an image and undoes its shear, by moments; bilinear, empty outside."""
    image = row.reshape(height, width) - background
    mass = image.sum()
    if mass <= 0:
        return row
    ys, xs = np.mgrid[:height, :width].astype(float)
    mx, my = (image * xs).sum() / mass, (image * ys).sum() / mass
    var_y = (image * (ys - my) ** 2).sum() / mass
    shear = (image * (xs - mx) * (ys - my)).sum() / mass / var_y if var_y > 1e-9 else 0.0
    x = mx + (xs - (width - 1) / 2) + shear * (ys - (height - 1) / 2)
    y = my + (ys - (height - 1) / 2)
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    u, v = x - x0, y - y0

    def at(x, y):
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return np.where(inside, image[y.clip(0, height - 1), x.clip(0, width - 1)], 0.0)

    top = (1 - u) * at(x0, y0) + u * at(x0 + 1, y0)
    bottom = (1 - u) * at(x0, y0 + 1) + u * at(x0 + 1, y0 + 1)
    return ((1 - v) * top + v * bottom).ravel() + background


class Npc:
    """Mean NPC loss of samples and its gradient.

    θ is the prototypes alone, or prototypes and B (r × dim) with the metric ‖A(x − p)‖², A = √r B / ‖B‖.
    """

    def __init__(self, x, y, labels, gamma, loss="exp", delta=0.5, over="all", rank=None):
        self.x, self.y, self.labels, self.gamma = x, y, labels, gamma
        self.loss, self.delta, self.over, self.rank = loss, delta, over, rank
        self.n_classes = int(labels.max()) + 1

    def row_loss(self, d):
        """Loss of each sample and R = ∂(loss)/∂d, n × m."""
        w = soft_minimum(d, self.gamma)
        q = class_shares(w, self.labels, self.n_classes)
        own = np.eye(self.n_classes, dtype=bool)[self.y]
        if self.loss == "nll":
            # −ln q_y; v is the soft minimum over the own class alone.
            v = soft_minimum(np.where(own[:, self.labels], d, np.inf), self.gamma)
            return -np.log(q[own]), self.gamma * (v - w)
        z = np.where(own, 1.0, -1.0) * (2 * q - 1)
        if self.loss == "exp":
            value, slope = np.exp(-z) - np.exp(-1.0), -np.exp(-z)
        else:
            value, slope = np.maximum(0.0, self.delta - z), np.where(z < self.delta, -1.0, 0.0)
        used = np.ones_like(own)
        if self.over == "pair":
            rival = np.where(own, -np.inf, q).argmax(axis=1)
            used = own | np.eye(self.n_classes, dtype=bool)[rival]
        a = np.where(used, 2 * np.where(own, slope, -slope), 0.0)  # ∂L/∂q_c
        r = -self.gamma * w * (a[:, self.labels] - (a * q).sum(axis=1, keepdims=True))
        return np.where(used, value, 0.0).sum(axis=1), r

    def unpack(self, theta):
        m, dim = len(self.labels), self.x.shape[1]
        return theta[: m * dim].reshape(m, dim), theta[m * dim :].reshape(-1, dim)

    def __call__(self, theta):
        """Value and gradient by θ."""
        p, b = self.unpack(theta)
        if self.rank is None:
            a, m_a = None, np.eye(self.x.shape[1])
            d = squared_distances(self.x, p)
        else:
            shrink = np.sqrt(self.rank) / np.linalg.norm(b)
            a = shrink * b
            m_a = a.T @ a
            d = squared_distances(self.x @ a.T, p @ a.T)
        value, r = self.row_loss(d)
        n = len(self.x)
        r = r / n
        by_p = 2 * (r.sum(axis=0)[:, None] * p - r.T @ self.x) @ m_a
        if a is None:
            return value.sum() / n, by_p.ravel()
        # S = Σ_ij R_ij (x_i − p_j)(x_i − p_j)ᵀ
        cross = self.x.T @ r @ p
        s = (self.x.T * r.sum(axis=1)) @ self.x - cross - cross.T + (p.T * r.sum(axis=0)) @ p
        by_a = 2 * a @ s
        by_b = shrink * (by_a - a * (a * by_a).sum() / self.rank)
        return value.sum() / n, np.concatenate([by_p.ravel(), by_b.ravel()])


def outer_sum(w, x):
    """Σ_ij w_ij (x_i − x_j)(x_i − x_j)ᵀ."""
    cross = x.T @ w @ x
    return (x.T * (w.sum(axis=1) + w.sum(axis=0))) @ x - cross - cross.T


class Lmnn:
    """The LMNN objective over samples and its gradient by A (r × dim), for targets that are nearest under `given`."""

    def __init__(self, x, y, n_targets=3, push=0.5, given=None):
        self.x, self.y, self.push = x, y, push
        z = x if given is None else x @ given.T
        d = squared_distances(z, z)
        own = np.where(y[:, None] == y, d, np.inf)
        np.fill_diagonal(own, np.inf)
        order = np.argsort(own, axis=1, kind="stable")[:, :n_targets]
        self.pairs = [(i, j) for i, row in enumerate(order) for j in row if own[i, j] < np.inf]
        self.margin = np.mean([d[i, j] for i, j in self.pairs])

    def __call__(self, theta):
        a = theta.reshape(-1, self.x.shape[1])
        z = self.x @ a.T
        d = squared_distances(z, z)
        value, w = 0.0, np.zeros_like(d)
        for i, j in self.pairs:
            inside = np.where(self.y != self.y[i], np.maximum(0.0, self.margin + d[i, j] - d[i]), 0.0)
            value += (1 - self.push) * d[i, j] + self.push * inside.sum()
            w[i, j] += (1 - self.push) + self.push * (inside > 0).sum()
            w[i] -= self.push * (inside > 0)
        scale = self.margin * len(self.pairs)
        return value / scale, (2 * a @ outer_sum(w / scale, self.x)).ravel()


class Nca:
    """The NCA objective, as expected leave-one-out error, and its gradient by A (r × dim)."""

    def __init__(self, x, y):
        self.x, self.own = x, (y[:, None] == y).astype(float)

    def __call__(self, theta):
        a = theta.reshape(-1, self.x.shape[1])
        z = self.x @ a.T
        d = squared_distances(z, z)
        np.fill_diagonal(d, np.inf)
        p = soft_minimum(d, 1.0)
        right = (p * self.own).sum(axis=1, keepdims=True)
        w = p * (self.own - right) / len(self.x)
        return 1 - right.mean(), (2 * a @ outer_sum(w, self.x)).ravel()
