"""The model file read by the safetensors package, and its decisions taken by NumPy."""

import numpy as np
import pytest

from reference import soft_minimum

# Two thousand rows of Letter, hardly trained: quick, with 26 classes and plenty of errors to agree on.
QUICK = ["--per-class", "3", "--epochs", "2"]


@pytest.fixture(scope="module")
def letter(shared, data_set):
    """Training file, test file and test samples."""
    x, y, classes = data_set("letter:train")
    np.savez(shared.folder / "train.npz", X=x[:2000], y=np.array(classes)[y[:2000]])
    x, y, classes = data_set("letter:test")
    np.savez(shared.folder / "test.npz", X=x[:1000], y=np.array(classes)[y[:1000]])
    return "train.npz", "test.npz", x[:1000], np.array(classes)[y[:1000]]


def clear(d, k, precision):
    """Rows whose k nearest prototypes, and their order, rounding in the element type cannot change."""
    if precision == "f64":
        return np.ones(len(d), dtype=bool)
    nearest = np.sort(d, axis=1)[:, : k + 1]
    return np.diff(nearest, axis=1).min(axis=1) > 1e-5 * nearest[:, -1]


def agree(protea, model, input_file, x, rule="1-np"):
    """protea and NumPy decide alike and give the same probabilities."""
    labels, q = protea.predict("fitted.model", input_file)
    precision = model.metadata["precision"]
    expected = model.probabilities(x)
    assert np.abs(q - expected).max() < (1e-9 if precision == "f64" else 2e-4)
    assert np.abs(q.sum(axis=1) - 1).max() < 1e-12
    if rule == "soft":
        best = np.sort(expected, axis=1)
        sure = best[:, -1] - best[:, -2] > 1e-4
    else:
        sure = clear(model.distances(x), int(rule[0]), precision)
    assert model.metadata["rule"] == rule
    assert sure.mean() > 0.98
    assert (labels == model.predict(x))[sure].all()
    # Prototypes of more than one class answer: a constant would not pass.
    assert len(set(labels)) > 1


CASES = {
    "euclidean": [],
    "linear": ["--metric", "linear"],
    "linear, rank 5": ["--metric", "linear", "--rank", "5"],
    "pca": ["--pca", "5"],
    "pca by share, then linear": ["--pca", "90%", "--metric", "linear"],
    "scale none": ["--scale", "none"],
    "scale global": ["--scale", "global"],
    "scale standard": ["--scale", "standard"],
    "scale minmax": ["--scale", "minmax"],
    "f64": ["--precision", "f64"],
    "f64 linear": ["--precision", "f64", "--metric", "linear", "--pca", "10"],
    "3-np": ["--rule", "3-np"],
    "4-np, with tied votes": ["--rule", "4-np", "--precision", "f64"],
    "soft": ["--rule", "soft"],
}


@pytest.mark.parametrize("case", CASES)
def test_numpy_decides_as_protea_does(shared, letter, case):
    train, test, x, y = letter
    options = CASES[case]
    model = shared.fit(train, *QUICK, *options)
    rule = options[options.index("--rule") + 1] if "--rule" in options else "1-np"
    agree(shared, model, test, x, rule)
    # `eval` counts what `predict` says.
    labels, _ = shared.predict("fitted.model", test)
    assert shared.json("eval", "fitted.model", test)["wrong"] == (labels != y).sum()


def test_a_rule_given_later_replaces_the_stored_one(shared, letter):
    train, test, x, _ = letter
    model = shared.fit(train, *QUICK, "--precision", "f64")
    for rule in ["1-np", "2-np", "3-np", "5-np", "100-np", "soft"]:
        labels, _ = shared.predict("fitted.model", test, "--rule", rule)
        assert (labels == model.predict(x, rule)).all(), rule


def test_deskewed_images(protea):
    rng = np.random.default_rng(3)
    x, y = slanted_bars(rng, 240)
    np.savez(protea.folder / "images.npz", X=x, y=y)
    options = ["--deskew", "--image", "9x7", "--per-class", "2", "--epochs", "3", "--scale", "none"]
    model = protea.fit("images.npz", *options)
    assert model.metadata["pipeline"][0] == {"type": "deskew", "width": 9, "height": 7, "background": 10.0}
    agree(protea, model, "images.npz", x)
    # Without straightening the same prototypes would decide otherwise.
    d = model.distances(x)
    model.metadata["pipeline"][0] = {"type": "scale"}
    model.tensors |= {"pipeline.0.centre": np.zeros(63), "pipeline.0.factor": np.ones(63)}
    assert np.abs(model.distances(x) - d).max() > 1.0


def slanted_bars(rng, n):
    """Images of 9 × 7 pixels over a background of 10: a bar of random slant, broken or whole."""
    y = np.arange(n) % 2
    images = np.full((n, 7, 9), 10.0)
    for image, broken in zip(images, y):
        slant, offset = rng.uniform(-0.8, 0.8), rng.uniform(-1, 1)
        for row in range(7):
            if broken and row == 3:
                continue
            at = 4 + offset + slant * (row - 3)
            left = int(np.floor(at))
            image[row, np.clip([left, left + 1], 0, 8)] += rng.uniform(80, 100) * np.array([1 - at + left, at - left])
    return images.reshape(n, 63), np.array(["whole", "broken"])[y]


@pytest.mark.parametrize("precision, dtype", [("f32", np.float32), ("f64", np.float64)])
def test_tensors_and_metadata(shared, letter, precision, dtype):
    train, _, _, _ = letter
    options = ["--precision", precision, "--metric", "linear", "--rank", "4", "--pca", "6", "--seed", "11"]
    model = shared.fit(train, *QUICK, *options)
    m, classes = 26 * 3, [chr(c) for c in range(ord("A"), ord("Z") + 1)]
    shapes = {name: (t.dtype, t.shape) for name, t in model.tensors.items()}
    assert shapes == {
        "prototypes": (dtype, (m, 6)),
        "labels": (np.int64, (m,)),
        "importance": (np.float64, (m,)),
        "components": (dtype, (4, 6)),
        "pipeline.0.centre": (dtype, (16,)),
        "pipeline.0.factor": (dtype, (16,)),
        "pipeline.1.centre": (dtype, (16,)),
        "pipeline.1.matrix": (dtype, (6, 16)),
        "pipeline.1.inverse": (dtype, (16, 6)),
    }
    meta = model.metadata
    assert (meta["schema"], meta["precision"], meta["rule"]) == (2, precision, "1-np")
    assert meta["classes"] == classes and len(meta["features"]) == 16
    assert [step["type"] for step in meta["pipeline"]] == ["scale", "linear"]
    assert (model.labels == np.repeat(np.arange(26), 3)).all()
    provenance = meta["provenance"]
    assert (provenance["method"], provenance["seed"], provenance["samples"]) == ("npc", 11, 2000)
    assert len(provenance["history"]) == 2 and provenance["settings"]["rank"] == "4"
    # ‖A‖ = √r, and the columns of the inverse are those of the matrix.
    assert np.linalg.norm(model.components) == pytest.approx(2.0, rel=1e-6)
    assert (model.tensors["pipeline.1.inverse"] == model.tensors["pipeline.1.matrix"].T).all()


def test_importance_and_training_error(shared, letter, data_set):
    train, _, _, _ = letter
    x, y, _ = data_set("letter:train")
    x, y = x[:2000], y[:2000]
    # Importance is measured at the temperature that training ends with.
    settings = [*QUICK, "--precision", "f64", "--metric", "linear", "--calibration", "training"]
    model = shared.fit(train, *settings)
    d = model.distances(x)
    shares = soft_minimum(d, model.gamma).mean(axis=0)
    assert np.abs(model.tensors["importance"] - shares).max() < 1e-9
    wrong = model.labels[d.argmin(axis=1)] != y
    assert model.provenance["train_error"] == pytest.approx(wrong.mean(), abs=1e-12)


def test_explanations_are_the_nearest_prototypes(shared, letter):
    train, test, x, _ = letter
    model = shared.fit(train, *QUICK, "--precision", "f64", "--metric", "linear", "--rank", "3")
    d = model.distances(x)
    for i, row in enumerate(shared.json("predict", "fitted.model", test, "--explain", "4")):
        order = np.argsort(d[i], kind="stable")[:4]
        assert [n["prototype"] for n in row["nearest"]] == order.tolist()
        assert [n["distance"] for n in row["nearest"]] == pytest.approx(d[i][order], rel=1e-9, abs=1e-9)
        assert [n["class"] for n in row["nearest"]] == model.classes[model.labels[order]].tolist()


def test_prototypes_in_the_units_of_the_input(shared, letter):
    train, _, _, _ = letter
    model = shared.fit(train, *QUICK, "--precision", "f64", "--scale", "standard")
    text = shared("inspect", "fitted.model", "--prototypes").splitlines()
    header, rows = text[0].split(","), [line.split(",") for line in text[1:]]
    at = [header.index(name) for name in model.metadata["features"]]
    shown = np.array([[float(row[j]) for j in at] for row in rows])
    centre, factor = model.wide("pipeline.0.centre"), model.wide("pipeline.0.factor")
    assert np.abs(shown - (model.prototypes / factor + centre)).max() < 1e-9


@pytest.mark.parametrize("rule", ["1-np", "soft"])
def test_measures_of_eval(shared, letter, rule):
    """Log loss and calibration error (15 bins of equal width) from the probabilities that `predict` gives."""
    train, test, _, y = letter
    model = shared.fit(train, *QUICK)
    labels, q = shared.predict("fitted.model", test, "--rule", rule)
    measured = shared.json("eval", "fitted.model", test, "--rule", rule)
    index = {name: c for c, name in enumerate(model.classes)}
    true = np.array([index[name] for name in y])
    assert measured["error"] == pytest.approx((labels != y).mean(), abs=1e-12)
    own = q[np.arange(len(q)), true]
    assert measured["log_loss"] == pytest.approx(-np.log(own.clip(1e-12)).mean(), rel=1e-9)

    confidence, right = q.max(axis=1), q.argmax(axis=1) == true
    bins = np.minimum((confidence * 15).astype(int), 14)
    gaps = [abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(15)]
    assert measured["calibration_error"] == pytest.approx(sum(gaps) / len(q), rel=1e-9)

    confusion = np.zeros((26, 26), dtype=int)
    np.add.at(confusion, (true, [index[name] for name in labels]), 1)
    assert measured["confusion"] == confusion.tolist()


def test_probabilities_in_csv_sum_to_one(shared, letter):
    train, test, _, _ = letter
    model = shared.fit(train, *QUICK)
    header, *rows = shared("predict", "fitted.model", test, "--proba").splitlines()
    assert header.split(",") == ["label", *(f"p_{c}" for c in model.classes)]
    shown = np.array([[float(v) for v in row.split(",")[1:]] for row in rows])
    assert np.abs(shown.sum(axis=1) - 1).max() < 26 * 0.5e-6
    _, q = shared.predict("fitted.model", test)
    assert np.abs(shown - q).max() <= 0.5e-6 + 1e-12
