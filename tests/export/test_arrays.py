"""JSON and NPZ hold the whole model: forty lines of NumPy that read nothing else answer as protea does."""

import json

import numpy as np
import pytest

from conftest import MODELS

PLAIN = [n for n in MODELS if n not in ("hog", "deskew")]


def answer(ops, arrays, classes, x):
    """Class indices and probabilities of rows, by the operations of a plan."""
    get = lambda op, key: arrays[op[key]]
    v, winner = x.astype(np.float64), None
    for op in ops:
        kind = op["op"]
        if kind == "scale":
            v = (v - get(op, "centre")) * get(op, "factor")
        elif kind == "affine":
            v = (v - get(op, "centre")) @ get(op, "matrix").T
        elif kind == "smooth-clip":
            v = v / np.sqrt(1 + (v / op["limit"]) ** 2)
        elif kind == "piecewise-linear":
            edges = np.split(get(op, "edges"), get(op, "ends")[:-1])
            shares = [np.where(high > low, (v[:, [f]] - low) / np.where(high > low, high - low, 1), 0)
                      for f, (low, high) in enumerate((e[:-1], e[1:]) for e in edges)]
            v = np.clip(np.hstack(shares), 0, 1)
        elif kind == "unit":
            v = v / np.linalg.norm(v, axis=1, keepdims=True)
        elif kind == "distance":
            w = 1 if op["weights"] is None else get(op, "weights")
            v = (((v[:, None, :] - get(op, "prototypes")) * w) ** 2).sum(2)
        elif kind == "matrix-distance":
            group = np.searchsorted(get(op, "ends"), np.arange(len(get(op, "prototypes"))), side="right")
            delta = v[:, None, :] - get(op, "prototypes")
            v = (np.einsum("jrf,njf->njr", get(op, "matrices")[group], delta) ** 2).sum(2)
        elif kind == "round":
            c, f = get(op, "centre").astype(np.float32), get(op, "factor").astype(np.float32)
            v = (v.astype(np.float32) - c) * f
            v = np.clip(np.trunc(v + np.copysign(np.float32(0.5), v)), -op["limit"], op["limit"]).astype(np.int64)
        elif kind == "rounded-affine":
            s = v @ get(op, "matrix").astype(np.int64).T
            s = np.sign(s) * ((abs(s) + (1 << op["shift"]) // 2) >> op["shift"])
            v = np.clip(s, -op["limit"], op["limit"])
        elif kind == "rounded-distance":
            v = ((v[:, None, :] - get(op, "prototypes").astype(np.int64)) ** 2).sum(2)
        elif kind == "vote":
            near = get(op, "labels")[np.argsort(v, axis=1, kind="stable")[:, :op["k"]]]
            votes = (near[:, :, None] == np.arange(classes)).sum(1)
            of_each = np.take_along_axis(votes, near, 1)
            winner = near[np.arange(len(near)), of_each.argmax(1)]
        elif kind == "largest":
            winner = v.argmax(1)
        elif kind == "least":
            starts = np.concatenate([[0], get(op, "ends")[:-1]])
            labels = get(op, "labels")
            v = np.mean([[np.where(labels[s:e] == c, v[:, s:e], np.inf).min(1) for c in range(classes)]
                         for s, e in zip(starts, get(op, "ends"))], axis=0).T
        elif kind == "soft-least":
            masked = [np.where(get(op, "labels") == c, -op["gamma"] * v, -np.inf) for c in range(classes)]
            v = np.array([np.logaddexp.reduce(m, axis=1) for m in masked]).T
        elif kind == "code":
            n = get(op, "learners").max() + 1
            near = np.full((len(v), n, classes), np.inf)
            for j, (l, c) in enumerate(zip(get(op, "learners"), get(op, "labels"))):
                near[:, l, c] = np.minimum(near[:, l, c], v[:, j] + 1e-30)
            if op["sparse"]:
                near = np.where(np.arange(classes) == near.argmin(2)[:, :, None], near, np.inf)
            near = np.where(np.isfinite(near), near, 0).reshape(len(v), -1)
            v = near / near.sum(1, keepdims=True)
        elif kind == "weigh":
            v = -(get(op, "weights") * v + get(op, "biases"))
        elif kind == "product":
            v = v @ get(op, "weights").T + get(op, "biases")
        elif kind == "inverse-log":
            v = -0.5 * np.log(np.maximum(v, 2.3e-308))
        else:
            assert kind == "multiply"
            v = op["by"] * v
    shares = np.exp(v - v.max(1, keepdims=True))
    return winner, shares / shares.sum(1, keepdims=True)


def read_json(path):
    plan = json.loads(path.read_text())
    arrays = {name: np.array(a["values"]).reshape(a["shape"]) for name, a in plan["arrays"].items()}
    return plan, arrays


def read_npz(path):
    file = np.load(path)
    plan = json.loads(str(file["plan"][0]))
    assert list(file["classes"]) == plan["classes"] and list(file["features"]) == plan["features"]
    return plan, {name: file[name] for name in file.files if name not in ("plan", "classes", "features")}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("file, read", [("m.json", read_json), ("m.npz", read_npz)])
def test_answers(models, name, file, read):
    model = models(name)
    plan, arrays = read(model.export(file, "--to", file.split(".")[1]))
    winner, probabilities = answer(plan["ops"], arrays, len(plan["classes"]), model.x)
    model.agrees([plan["classes"][c] for c in winner], probabilities)
