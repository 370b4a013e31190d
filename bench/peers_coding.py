"""Times codes of USPS by NumPy and scikit-learn; prints one JSON object.

| task | what |
|---|---|
| `inn_numpy` | iterative nearest neighbours of all queries over all samples, λ = 0.25, K = 14: one product and one argmin for each step, and the class with the largest weight |
| `lasso` | the ℓ1-penalised code of one query after the other by `Lasso`, at the penalty of protea's `src` |
| `lars` | the same by `lars_path`, down to that penalty |

Samples and queries have length 1 and are float32 (NumPy) or float64 (scikit-learn). The best of three runs counts for NumPy; the
mean over the first queries for scikit-learn. Needs numpy, pyarrow and scikit-learn; `--data-dir` holds USPS.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.linear_model import Lasso, lars_path

LAMBDA, STEPS, PENALTY = 0.25, 14, 0.1


def read(path):
    table = pq.read_table(path)
    *features, label = table.column_names
    x = np.column_stack([table[name].to_numpy() for name in features]).astype(np.float64)
    return x / np.linalg.norm(x, axis=1, keepdims=True), table[label].to_numpy()


def inn(q, x, y, n_classes):
    """Class by the largest sum of weights; rows of x have length 1, so the nearest has the largest product."""
    scores = np.zeros((len(q), n_classes), dtype=q.dtype)
    rows, weight = np.arange(len(q)), LAMBDA / (1 + LAMBDA)
    for _ in range(STEPS):
        nearest = (q @ x.T).argmax(axis=1)
        scores[rows, y[nearest]] += weight
        q = (1 + LAMBDA) * q - LAMBDA * x[nearest]
        weight /= 1 + LAMBDA
    return scores.argmax(axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=50)
    args = parser.parse_args()
    x, y = read(args.data_dir / "usps-train.parquet")
    q, labels = read(args.data_dir / "usps-test.parquet")

    x32, q32 = x.astype(np.float32), q.astype(np.float32)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        decided = inn(q32, x32, y, 10)
        seconds.append(time.perf_counter() - start)

    design = np.asfortranarray(x.T)
    few = q[: args.queries]
    alphas = [PENALTY * np.abs(x @ row).max() / len(row) for row in few]
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    for row, alpha in zip(few, alphas):
        Lasso(alpha=alpha, fit_intercept=False).fit(design, row)
    lasso = (time.perf_counter() - start) / len(few)
    start = time.perf_counter()
    for row, alpha in zip(few, alphas):
        lars_path(design, row, alpha_min=alpha, method="lasso")
    lars = (time.perf_counter() - start) / len(few)
    micros = {"inn_numpy": min(seconds) / len(q), "lasso": lasso, "lars": lars}
    report = {"micros": {name: 1e6 * s for name, s in micros.items()}}
    report["inn_numpy_error"] = 100 * float((decided != labels).mean())
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
