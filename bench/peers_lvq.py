"""Fits sklvq's GMLVQ and metric-learn's LMNN on Letter; prints one JSON object.

    python bench/peers_lvq.py gmlvq [--per-class N]
    python bench/peers_lvq.py lmnn [--iterations N] [--samples N]

| task | what |
|---|---|
| `gmlvq` | sklvq's GMLVQ under its solvers with their own defaults, features standardised as in its guide; test error |
| `lmnn` | metric-learn's LMNN with 3 targets, features as they are; test error of 3 nearest neighbours under its metric |

Each run has `seconds` of fitting, `processor_seconds` of all threads (which a busy machine disturbs less), `error` in percent
and what it was asked for. A fit of LMNN may take 1000 iterations of more than a second; `--iterations` ends it earlier,
`--samples` takes the first rows alone. Needs an environment of its own, see requirements-lvq.txt.
"""

import argparse
import json
import os
import platform
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import sklearn
from sklearn.neighbors import NearestNeighbors

DATA = Path(__file__).parents[1] / "crates" / "protea" / "data"

# Steepest descent is sklvq's default, waypoints serve it best; `--solvers` takes others. (L-BFGS was slower than the default for
# a higher error than that of waypoints.)
SOLVERS = ["steepest-gradient-descent", "waypoint-gradient-descent"]

# Fits that take fewer seconds are run three times, and the quickest counts.
SHORT = 5


def letter(part):
    table = pq.read_table(DATA / f"letter-{part}.parquet")
    *features, label = table.column_names
    return np.column_stack([table[name].to_numpy() for name in features]).astype(np.float64), table[label].to_numpy()


def percent_wrong(decided, y):
    return round(100 * float(np.mean(decided != y)), 4)


def timed(fit, **asked):
    """A fitted model and the start of its report."""
    times = []
    while not times or (min(times)[0] < SHORT and len(times) < 3):
        start, used = time.perf_counter(), time.process_time()
        model = fit()
        times.append((time.perf_counter() - start, time.process_time() - used))
    seconds, used = min(times)
    run = dict(asked, seconds=round(seconds, 3), processor_seconds=round(used, 3))
    print(run, file=sys.stderr)
    return model, run


def gmlvq(options):
    from sklvq import GMLVQ

    (x, y), (xt, yt) = letter("train"), letter("test")
    centre, spread = x.mean(axis=0), x.std(axis=0)
    x, xt = (x - centre) / spread, (xt - centre) / spread
    for solver in options.solvers:
        make = lambda: GMLVQ(solver_type=solver, prototype_n_per_class=options.per_class, random_state=0)
        try:
            model, run = timed(lambda: make().fit(x, y), solver=solver, per_class=options.per_class)
        except np.linalg.LinAlgError as e:  # it has left the finite numbers
            yield dict(solver=solver, per_class=options.per_class, error=None, failed=str(e))
        else:
            yield dict(run, error=percent_wrong(model.predict(xt), yt))


def lmnn(options):
    from metric_learn import LMNN

    (x, y), (xt, yt) = letter("train"), letter("test")
    x, y = x[: options.samples], y[: options.samples]
    model = LMNN(n_neighbors=3, max_iter=options.iterations)
    model, run = timed(lambda: model.fit(x, y), samples=len(x))
    error = percent_wrong(vote_of_three(model.transform(x), y, model.transform(xt)), yt)
    plain = percent_wrong(vote_of_three(x, y, xt), yt)
    yield dict(run, iterations=int(model.n_iter_), error=error, error_before=plain)


def vote_of_three(x, y, queries):
    """The class of most of the three nearest; where all differ that of the nearest, as in protea."""
    _, near = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(x).kneighbors(queries)
    first, second, third = y[near].T
    return np.where(second == third, second, first)


def main():
    parser = argparse.ArgumentParser(description="Fits peers on Letter and prints one JSON object.")
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser("gmlvq")
    task.add_argument("--per-class", type=int, default=1)
    task.add_argument("--solvers", type=lambda s: s.split(","), default=SOLVERS)
    task.set_defaults(run=gmlvq)
    task = tasks.add_parser("lmnn")
    task.add_argument("--iterations", type=int, default=1000)
    task.add_argument("--samples", type=int, default=16000)
    task.set_defaults(run=lmnn)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report = {
        "task": options.task,
        "runs": list(options.run(options)),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "sklvq": version("sklvq"),
        "metric-learn": version("metric-learn"),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
