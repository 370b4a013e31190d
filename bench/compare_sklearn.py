"""Protea beside scikit-learn's own classifiers, in one run on one machine.

python bench/compare_sklearn.py --data-dir DIR [--only letter,wine] [--write]

Error, bytes of the pickle, seconds of the fit and microseconds per predicted row, on Letter, USPS (from DIR, as described in
docs/data.md) and three small sets (mean over the same five stratified folds). All with their defaults, on standardised
features where the estimator does not scale by itself. --write puts the table into docs/python-comparison.md and the figures
into bench/record/<machine>/python-<date>.json. Also measures what Python adds to the library: the fit of NPC on Letter
against `protea fit`, one predicted row against the kernel, and the time to answer an interrupt.
"""

import argparse
import datetime
import json
import os
import pickle
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import sklearn
from protea import GMLVQ, LMNN, NPC
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "crates" / "protea" / "data"
SETS = ["letter", "usps", "wine", "vehicle", "german"]
METHODS = {
    "NPC": lambda: NPC(),
    "GMLVQ": lambda: GMLVQ(),
    "LMNN + KNN": lambda: make_pipeline(LMNN(), KNeighborsClassifier(3)),
    "KNeighborsClassifier": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "NearestCentroid": lambda: make_pipeline(StandardScaler(), NearestCentroid()),
    "SVC(rbf)": lambda: make_pipeline(StandardScaler(), SVC()),
    "RandomForestClassifier": lambda: RandomForestClassifier(random_state=0, n_jobs=-1),
    "HistGradientBoostingClassifier": lambda: HistGradientBoostingClassifier(random_state=0),
}


def read(path):
    """Rows and labels of a Parquet file."""
    table = pq.read_table(path)
    y = table.column("label").to_numpy()
    X = np.column_stack([table.column(c).to_numpy() for c in table.column_names if c != "label"])
    return X.astype(np.float32), y


def splits(name, folder):
    """Pairs of a training and a test part; None where a file is missing."""
    for place in filter(None, (SHIPPED, folder)):
        if (place / f"{name}-train.parquet").exists():
            return [(read(place / f"{name}-train.parquet"), read(place / f"{name}-test.parquet"))]
        if (place / f"{name}.parquet").exists():
            X, y = read(place / f"{name}.parquet")
            folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
            return [((X[a], y[a]), (X[b], y[b])) for a, b in folds]
    return None


def measure(make, parts):
    """Error in per cent, bytes, seconds of a fit, microseconds per predicted row."""
    figures = []
    for (X, y), (X_test, y_test) in parts:
        clf = make()
        start = time.perf_counter()
        clf.fit(X, y)
        fitted = time.perf_counter() - start
        clf.predict(X_test[:10])
        times = []
        for _ in range(3):
            start = time.perf_counter()
            answers = clf.predict(X_test)
            times.append(time.perf_counter() - start)
        error = 100 * np.mean(answers != y_test)
        figures.append((error, len(pickle.dumps(clf)), fitted, 1e6 * min(times) / len(y_test)))
    return np.mean(figures, axis=0).tolist()


def overhead():
    """What Python adds: rows of (what, value, unit, target)."""
    rows = []
    (X, y), (X_test, _) = splits("letter", None)[0]
    binary = os.environ.get("PROTEA_BIN")
    if binary:
        library, python = [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(3):  # in turns, so that a busy moment does not fall on one alone
                path = Path(folder) / "m"
                done = subprocess.run([binary, "fit", "letter", "-o", path, "--json", "-q"], capture_output=True, text=True)
                library.append(json.loads(done.stdout)["seconds"])
                start = time.perf_counter()
                NPC().fit(X, y)
                python.append(time.perf_counter() - start)
        rows.append(("NPC().fit on Letter over `protea fit`", 100 * (min(python) / min(library) - 1), "%", 5))
        print(f"library {min(library):.2f} s, Python {min(python):.2f} s")
    else:
        print("PROTEA_BIN is not set: the fit is not compared with the command line")
    clf = NPC(epochs=2).fit(X, y)
    row, model = X_test[:1].copy(), clf.model_
    best = lambda f: min(_timed(f, 2000) for _ in range(7))
    rows.append(("predict of one row over the model's own", best(lambda: clf.predict(row)) - best(lambda: model.predict(row)), "µs", 30))
    rows.append(("predict of one row, in all", best(lambda: clf.predict(row)), "µs", None))
    rows.append(("import protea", 1000 * _import_seconds(), "ms", 300))
    rows.append(("answer to an interrupt of LMNN on Letter", _interrupt_seconds(X, y), "s", 1))
    return rows


def _timed(f, n):
    start = time.perf_counter()
    for _ in range(n):
        f()
    return 1e6 * (time.perf_counter() - start) / n


def _import_seconds():
    code = "import time; t = time.perf_counter(); import protea; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def _interrupt_seconds(X, y):
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in the background ignore it
    threading.Timer(2.0, interrupt).start()
    try:
        LMNN(passes=100).fit(X, y)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    raise RuntimeError("the fit ended before the interrupt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("PROTEA_DATA"))
    parser.add_argument("--only", help="data sets, by comma")
    parser.add_argument("--write", action="store_true", help="write the page and the record")
    parser.add_argument("--no-overhead", action="store_true", help="leave out what Python adds")
    args = parser.parse_args()
    folder = Path(args.data_dir) if args.data_dir else None
    table, missing = [], []
    for name in args.only.split(",") if args.only else SETS:
        parts = splits(name, folder)
        if parts is None:
            missing.append(name)
            print(f"{name}: not there; give --data-dir or PROTEA_DATA (docs/data.md)")
            continue
        for method, make in METHODS.items():
            error, size, fitted, predicted = measure(make, parts)
            table.append({"data": name, "method": method, "error": error, "bytes": size, "fit": fitted, "predict": predicted})
            print(f"{name:8} {method:32} {error:6.2f} % {size:12.0f} B {fitted:8.2f} s {predicted:9.2f} µs", flush=True)
    added = [] if args.no_overhead else overhead()
    for what, value, unit, target in added:
        print(f"{what}: {value:.3g} {unit}" + (f" (at most {target})" if target else ""))
    if args.write:
        write(table, added, missing)


def machine():
    """Processor and cores."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def write(table, added, missing):
    """The page of the docs, and the record behind it."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc)
    brand = "amd-epyc" if "EPYC" in machine() else "intel-xeon" if "Xeon" in machine() else platform.machine()
    record = ROOT / "bench" / "record" / f"{brand}-{os.cpu_count()}-cores" / f"python-{now:%Y-%m-%d}.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scikit-learn": sklearn.__version__}
    given = ["DIR" if before == "--data-dir" else word for before, word in zip(sys.argv, sys.argv[1:])]
    command = " ".join(["python bench/compare_sklearn.py", *given])
    body = {"date": f"{now:%Y-%m-%dT%H:%MZ}", "command": command, "commit": commit, "machine": machine(), "versions": versions, "missing": missing}
    rows = [{"what": w, "value": v, "unit": u, "target": t, "at_most": True} for w, v, u, t in added]
    record.write_text(json.dumps({**body, "table": table, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    lines = [
        "# Protea beside scikit-learn",
        "",
        f"Written by `{command}` on {machine()} ({', '.join(f'{k} {v}' for k, v in versions.items())};",
        f"[record](../{record.relative_to(ROOT)})). Defaults everywhere; estimators that do not scale by themselves stand behind a",
        "`StandardScaler`. Bytes are those of the pickle. Letter and USPS have their own test part; the small sets are means over the",
        "same five folds. float32 features.",
    ]
    if missing:
        lines += ["", f"Not there: {', '.join(missing)}."]
    for name in dict.fromkeys(row["data"] for row in table):
        lines += ["", f"## {name}", "", "| method | error % | bytes | fit s | predict µs |", "|---|---|---|---|---|"]
        for row in (r for r in table if r["data"] == name):
            lines.append(f"| {row['method']} | {row['error']:.2f} | {row['bytes']:.0f} | {row['fit']:.2f} | {row['predict']:.2f} |")
    if added:
        lines += ["", "## What Python adds", "", "| what | measured | at most |", "|---|---|---|"]
        lines += [f"| {w} | {v:.3g} {u} | {'' if t is None else f'{t} {u}'} |" for w, v, u, t in added]
    (ROOT / "docs" / "python-comparison.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
