"""Support vector machines and k-means of scikit-learn, for the rows of other programs.

python peers_sklearn.py rbf|linear|kmeans '{"scale": "standard"}' [PROCESSES] < SPLITS

SPLITS has a line of JSON for each split: {"train": {"x": rows, "y": classes}, "test": {…}}. Prints a list with error, seconds of
the fit and microseconds of a query for each. Penalty (and width of the kernel) are chosen by three folds of at most 3000
training samples, by at most two processes, or fewer where so many are given. k-means finds `per-class` centres of each class, the
best of ten starts, and the nearest one decides. scale is none, global (by the root of the mean variance) or standard.
"""

import json
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

CHOICE = 3000


class Global(StandardScaler):
    """One unit for all features."""

    def fit(self, x):
        super().fit(x)
        self.scale_ = np.sqrt(self.var_.mean())
        return self


def scaler(name):
    if name == "standard":
        return StandardScaler()
    if name == "none":
        return FunctionTransformer()
    if name == "global":
        return Global()
    sys.exit(f"scale = {name}, expected none, global or standard")


class Centres(BaseEstimator):
    """The nearest of the centres that k-means finds in each class."""

    def __init__(self, per_class):
        self.per_class = per_class

    def fit(self, x, y):
        means = KMeans(self.per_class, n_init=10, random_state=0)
        centres = [means.fit(x[y == c]).cluster_centers_ for c in np.unique(y)]
        classes = np.repeat(np.unique(y), self.per_class)
        self.nearest_ = KNeighborsClassifier(1).fit(np.vstack(centres), classes)
        return self

    def predict(self, x):
        return self.nearest_.predict(x)


def learner(kind, per_class, x):
    """The learner and what to choose among; widths are multiples of 1 / (features · variance)."""
    if kind == "linear":
        return LinearSVC(dual="auto", random_state=0), {"C": [0.01, 0.1, 1, 10]}
    if kind == "rbf":
        unit = 1 / (x.shape[1] * x.var())
        return SVC(), {"C": [1, 10, 100], "gamma": [unit / 4, unit, 4 * unit]}
    if kind == "kmeans":
        return Centres(per_class), {}
    sys.exit(f"there is no learner {kind}, only rbf, linear and kmeans")


def measured(kind, settings, processes, train, test):
    x, y = np.array(train["x"], dtype=np.float64), np.array(train["y"])
    queries, truth = np.array(test["x"], dtype=np.float64), np.array(test["y"])
    start = time.perf_counter()
    scaling = scaler(settings.get("scale", "none")).fit(x)
    x, queries = scaling.transform(x), scaling.transform(queries)
    model, grid = learner(kind, int(settings.get("per-class", 1)), x)
    if grid:
        few = np.random.default_rng(0).permutation(len(x))[:CHOICE]
        # Processes cost more than they bring where there is little to do.
        workers = min(2, processes) if x[few].size > 40000 else None
        search = GridSearchCV(model, grid, cv=3, n_jobs=workers, refit=False)
        model.set_params(**search.fit(x[few], y[few]).best_params_)
    model.fit(x, y)
    fitted = time.perf_counter()
    found = model.predict(queries)
    micros = 1e6 * (time.perf_counter() - fitted) / len(queries)
    error = float(np.mean(found != truth))
    return {"error": error, "fit_seconds": fitted - start, "micros_per_query": micros}


def main():
    kind, settings = sys.argv[1], json.loads(sys.argv[2])
    splits = [json.loads(line) for line in sys.stdin]
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    print(json.dumps([measured(kind, settings, processes, s["train"], s["test"]) for s in splits]))


if __name__ == "__main__":
    main()
