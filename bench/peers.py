"""Times NumPy and scikit-learn on the shapes of protea's own benchmarks; prints one JSON object.

| task | what |
|---|---|
| `predict_numpy` | nearest of 500 prototypes for 10000 × 784 queries: argmin of `|p|² − 2 x pᵀ` |
| `predict_sklearn` | the same by `KNeighborsClassifier(n_neighbors=1, algorithm="brute")` |
| `npc_numpy` | loss and gradient of NPC with the exponential loss, 16000 × 16, 390 prototypes of 26 classes |
| `product_numpy` | `X Pᵀ`, 60000 × 784 by 784 × 500 |

All in float32 with the library's own number of threads. The tasks take turns, so that a busy moment of the machine does
not fall on one of them alone; the best time of each counts. Needs numpy, scikit-learn and threadpoolctl.
"""

import json
import os
import platform
import time

import numpy as np
import sklearn
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_info

ROUNDS = 9


class Npc:
    """Mean loss Σ_c exp(−y_c f_c) − C/e over the samples and its gradient by the prototypes.

    w_j = softmax(−γ d_j), q_c = Σ_{j of c} w_j, f_c = 2 q_c − 1; R = ∂L/∂d; G = 2 (diag(Rᵀ1) P − Rᵀ X). Two matrix
    products and one exponential in place do the work of size n × m; |x|² is left out, as it cancels in the softmax;
    rows come in blocks, of which the fastest size counts.
    """

    def __init__(self, x, y, m, n_classes, gamma, block):
        self.x, self.n_classes, self.gamma, self.block = x, n_classes, np.float32(gamma), block
        self.own = np.eye(n_classes, dtype=bool)[y]
        self.sign = np.where(self.own, np.float32(1), np.float32(-1))
        self.w = np.empty((block, m), dtype=np.float32)
        self.firsts = np.arange(0, m, m // n_classes)  # first prototype of each class

    def __call__(self, p):
        (m, dim), n = p.shape, len(self.x)
        loss, sums, products = 0.0, np.zeros(m, np.float32), np.zeros((m, dim), np.float32)
        scaled = (2 * self.gamma * p).T.copy()
        norms = self.gamma * np.einsum("jf,jf->j", p, p)
        for start in range(0, n, self.block):
            rows = slice(start, min(start + self.block, n))
            x, sign = self.x[rows], self.sign[rows]
            w = self.w[: len(x)]
            np.matmul(x, scaled, out=w)
            w -= norms
            w -= w.max(axis=1, keepdims=True)
            np.exp(w, out=w)
            q = np.add.reduceat(w, self.firsts, axis=1)
            scale = 1 / q.sum(axis=1, keepdims=True)
            q *= scale
            value = np.exp(sign * (1 - 2 * q))  # exp(−y f)
            loss += value.sum(dtype=np.float64)
            a = -2 * sign * value  # ∂L/∂q
            mean = np.einsum("ic,ic->i", a, q)[:, None]
            w.reshape(len(x), self.n_classes, -1)[...] *= (self.gamma * scale * (mean - a))[:, :, None]
            sums += w.sum(axis=0)
            products += w.T @ x
        gradient = (2 / n) * (sums[:, None] * p - products)
        return loss / n - self.n_classes / np.e, gradient


def nearest(x, p, norms):
    d = x @ p.T
    d *= -2
    d += norms
    return d.argmin(axis=1)


def tasks():
    """Name to a function that does the task once."""
    rng = np.random.default_rng(0)
    normal = lambda *shape: rng.standard_normal(shape, dtype=np.float32)

    queries, prototypes = normal(10000, 784), normal(500, 784)
    norms = np.einsum("jf,jf->j", prototypes, prototypes)
    classes = np.arange(500) % 10
    neighbours = KNeighborsClassifier(n_neighbors=1, algorithm="brute").fit(prototypes, classes)
    assert (neighbours.predict(queries) == classes[nearest(queries, prototypes, norms)]).mean() > 0.999

    letters, y = normal(16000, 16), rng.integers(0, 26, 16000)
    first = letters[rng.permutation(16000)[:390]]
    found = {
        "predict_numpy": lambda: nearest(queries, prototypes, norms),
        "predict_sklearn": lambda: neighbours.predict(queries),
    }
    values = []
    for block in [256, 1024, 4096, 16000]:
        npc = Npc(letters, y, 390, 26, 0.3, block)
        values.append(npc(first)[0])
        found[f"npc_numpy, blocks of {block}"] = lambda npc=npc: npc(first)
    assert np.ptp(values) < 1e-4 * abs(values[0])

    images, out = normal(60000, 784), np.empty((60000, 500), dtype=np.float32)
    found["product_numpy"] = lambda: np.matmul(images, prototypes.T, out=out)
    return found


def main():
    found = tasks()
    best = dict.fromkeys(found, float("inf"))
    for _ in range(ROUNDS):
        for name, task in found.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    npc = min((name for name in best if name.startswith("npc")), key=best.get)
    best["npc_numpy"] = best[npc]
    names = ["predict_numpy", "predict_sklearn", "npc_numpy", "product_numpy"]
    keys = ["internal_api", "version", "num_threads", "architecture"]
    report = {
        "seconds": {name: round(best[name], 6) for name in names},
        "npc_rows_of_a_block": int(npc.rsplit(" ", 1)[1]),
        "rounds": ROUNDS,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "blas": [{k: lib[k] for k in keys if k in lib} for lib in threadpool_info() if lib["user_api"] == "blas"],
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
