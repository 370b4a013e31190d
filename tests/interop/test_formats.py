"""One table in every format, written by other programs: a model gives the same answers on all of them."""

import csv as text
import datetime
import gzip
import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from scipy.io import arff
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file

NAMES = [f"f{j}" for j in range(36)]


@pytest.fixture(scope="module")
def table(data_set):
    """Satimage's test part: whole numbers below 256, classes by name."""
    x, y, classes = data_set("satimage:test")
    return x, np.array(classes)[y]


@pytest.fixture(scope="module")
def trained(shared, data_set, table):
    """A model trained on CSV, and what it says about the test part, taken from the shipped set."""
    x, y, classes = data_set("satimage:train")
    pyarrow.csv.write_csv(arrow(x, np.array(classes)[y]), shared.folder / "train.csv")
    shared.fit("train.csv", "--per-class", "3", "--epochs", "3", name="satimage.model")
    model = str(shared.folder / "satimage.model")
    labels, _ = shared.predict(model, "satimage:test")
    return model, shared.json("eval", model, "satimage:test")["wrong"], labels


def arrow(x, y, types=(pa.float64(),)):
    """Columns of the types in turn, then the label."""
    columns = [pa.array(column).cast(types[j % len(types)]) for j, column in enumerate(x.T)]
    return pa.table([*columns, pa.array(y)], names=[*NAMES, "label"])


def csv(path, x, y, delimiter=","):
    options = pyarrow.csv.WriteOptions(delimiter=delimiter)
    pyarrow.csv.write_csv(arrow(x, y), path, options)


def zipped_csv(path, x, y):
    csv(path.with_suffix(".plain"), x, y)
    with gzip.open(path, "wb") as file:
        file.write(path.with_suffix(".plain").read_bytes())


def bare_csv(path, x, y):
    """Without a header, so matched by position."""
    path.write_text("".join(",".join([*(f"{v:g}" for v in row), label]) + "\n" for row, label in zip(x, y)))


def shuffled_csv(path, x, y):
    """Columns in another order, one more between them: matched by name."""
    both = arrow(x, y)
    both = both.append_column("remark", pa.array(["x"] * len(x))).select(["label", *NAMES[::-1], "remark"])
    pyarrow.csv.write_csv(both, path)


def parquet(codec):
    return lambda path, x, y: pq.write_table(arrow(x, y), path, compression=codec, row_group_size=300)


def parquet_types(path, x, y):
    """Columns of every numeric type in turn, the label from a dictionary."""
    types = [pa.uint8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]
    types += [pa.decimal128(9, 3), pa.decimal256(50, 2)]
    columns = []
    for j, column in enumerate(x.T):
        kind = types[j % len(types)]
        columns.append(pa.array(column.astype(np.float16)) if kind == pa.float16() else pa.array(column).cast(kind))
    label = pa.array(y).dictionary_encode()
    pq.write_table(pa.table([*columns, label], names=[*NAMES, "label"]), path, compression="zstd")


def parquet_pages(path, x, y):
    """Data pages of version 2, delta and byte-stream-split encodings, no dictionaries."""
    both = arrow(x, y, [pa.int32(), pa.float32()])
    encoding = {name: ("DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")[j % 2] for j, name in enumerate(NAMES)}
    encoding["label"] = "DELTA_BYTE_ARRAY"
    options = {"data_page_version": "2.0", "use_dictionary": False, "column_encoding": encoding}
    pq.write_table(both, path, version="2.6", data_page_size=2000, **options)


def large_text(path, x, y):
    both = arrow(x, pa.array(y).cast(pa.large_string()))
    pq.write_table(both, path, compression="snappy")


def npz(save, **types):
    return lambda path, x, y: save(path, X=x.astype(types.get("x", np.float64)), y=y.astype(types.get("y", "U")))


def write_arff(path, x, y):
    classes = ",".join(f"'{c}'" for c in sorted(set(y)))
    lines = ["% written by hand", "@relation satimage", *(f"@attribute {n} numeric" for n in NAMES)]
    lines += [f"@attribute label {{{classes}}}", "@data"]
    lines += [",".join([*(f"{v:g}" for v in row), f"'{label}'"]) for row, label in zip(x, y)]
    path.write_text("\n".join(lines) + "\n")
    # SciPy reads it too, with the same content, so it is valid.
    data, meta = arff.loadarff(path)
    assert meta.names() == [*NAMES, "label"]
    assert (np.column_stack([data[n] for n in NAMES]) == x).all()
    assert [v.decode().strip("'") for v in data["label"]] == y.tolist()


FORMATS = {
    "csv": csv,
    "csv without header": bare_csv,
    "csv, columns shuffled": shuffled_csv,
    "tsv": lambda path, x, y: csv(path, x, y, "\t"),
    "semicolons": lambda path, x, y: csv(path, x, y, ";"),
    "csv.gz": zipped_csv,
    "parquet, none": parquet("none"),
    "parquet, snappy": parquet("snappy"),
    "parquet, gzip": parquet("gzip"),
    "parquet, zstd": parquet("zstd"),
    "parquet, lz4": parquet("lz4"),
    "parquet, types": parquet_types,
    "parquet, pages": parquet_pages,
    "parquet, large text": large_text,
    "npz": npz(np.savez),
    "npz, compressed": npz(np.savez_compressed),
    "npz, big-endian and bytes": npz(np.savez, x=">f4", y="S"),
    "npz, Fortran order": lambda path, x, y: np.savez(path, X=np.asfortranarray(x.astype(np.uint8)), y=y),
    "arff": write_arff,
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(protea, table, trained, name):
    x, y = table
    model, wrong, labels = trained
    path = protea.folder / "table.npz"
    FORMATS[name](path, x, y)
    path = path.rename(protea.folder / "table")  # told apart by content, not by name
    assert protea.json("eval", model, path)["wrong"] == wrong
    assert (protea.predict(model, path)[0] == labels).all()


def test_arrays_with_labels_apart(protea, table, trained):
    x, y = table
    model, wrong, labels = trained
    np.save(protea.folder / "labels.npy", y)
    (protea.folder / "labels.txt").write_text("\n".join(y) + "\n")
    for dtype in ["<f8", "<f4", "<f2", ">i4", "|u1", "<u8"]:
        np.save(protea.folder / "x.npy", x.astype(dtype))
        for file in ["labels.npy", "labels.txt"]:
            assert protea.json("eval", model, "x.npy", "--labels", file)["wrong"] == wrong
        assert (protea.predict(model, "x.npy")[0] == labels).all()


def test_idx_images(protea, table, trained):
    x, y = table
    model, wrong, _ = trained
    images = struct.pack(">HBBIII", 0, 8, 3, len(x), 6, 6) + x.astype(np.uint8).tobytes()
    (protea.folder / "test-images-idx3-ubyte").write_bytes(images)
    (protea.folder / "labels.txt").write_text("\n".join(y) + "\n")
    found = protea.json("eval", model, "test-images-idx3-ubyte", "--labels", "labels.txt")
    assert found["wrong"] == wrong
    for code, dtype in [(0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")]:
        images = struct.pack(">HBBII", 0, code, 2, len(x), 36) + x.astype(dtype).tobytes()
        (protea.folder / "other.gz").write_bytes(gzip.compress(images))
        assert protea.json("eval", model, "other.gz", "--labels", "labels.txt")["wrong"] == wrong


def test_numbers_as_classes(protea, data_set, table):
    """Formats without class names: LIBSVM by scikit-learn (sparse zeros left out), IDX pairs, NPZ."""
    x, y, _ = data_set("satimage:train")
    xt, yt, _ = data_set("satimage:test")
    np.savez(protea.folder / "train.npz", X=x, y=y)
    protea.fit("train.npz", "--per-class", "2", "--epochs", "2", name="m")
    np.savez(protea.folder / "test.npz", X=xt, y=yt)
    wrong = protea.json("eval", "m", "test.npz")["wrong"]
    assert 0 < wrong < 600

    dump_svmlight_file(xt, yt, str(protea.folder / "test.svm"), zero_based=False)
    dump_svmlight_file(csr_matrix(xt), yt, str(protea.folder / "noted.svm"), zero_based=False, comment="two\nlines")
    (protea.folder / "test-images-idx3-ubyte").write_bytes(
        struct.pack(">HBBIII", 0, 8, 3, len(xt), 6, 6) + xt.astype(np.uint8).tobytes()
    )
    (protea.folder / "test-labels-idx1-ubyte").write_bytes(
        struct.pack(">HBBI", 0, 8, 1, len(yt)) + yt.astype(np.uint8).tobytes()
    )
    for file in ["test.svm", "noted.svm", "test-images-idx3-ubyte"]:
        assert protea.json("eval", "m", file)["wrong"] == wrong, file


def test_sparse_zeros(protea, data_set):
    """Most of a sparse file is not written down: trained from it or from a dense one, models agree."""
    x, y, _ = data_set("dna:train")
    xt, yt, _ = data_set("dna:test")
    for name, (a, b) in {"train": (x, y), "test": (xt, yt)}.items():
        dump_svmlight_file(a, b, str(protea.folder / f"{name}.svm"), zero_based=False)
        np.savez(protea.folder / f"{name}.npz", X=a, y=b)
    assert (x == 0).mean() > 0.5
    options = ["--per-class", "2", "--epochs", "2"]
    dense, sparse = protea.fit("train.npz", *options, name="dense"), protea.fit("train.svm", *options, name="sparse")
    assert (dense.prototypes == sparse.prototypes).all()
    errors = {protea.json("eval", m, f"test.{kind}")["wrong"] for m in ["dense", "sparse"] for kind in ["npz", "svm"]}
    assert len(errors) == 1


def test_missing_values_and_text(protea):
    """Nulls and dictionary strings in Parquet, empty fields in CSV: filled with the training file's means."""
    rng = np.random.default_rng(4)
    y = np.arange(200) % 2
    number = rng.normal(size=200) + y
    colour = np.array(["red", "green", "blue"])[(rng.integers(0, 2, 200) + y) % 3]
    gone, unseen = rng.random(200) < 0.2, rng.random(200) < 0.1
    columns = {
        "number": pa.array(number, mask=gone),
        "colour": pa.array(colour, mask=unseen).dictionary_encode(),
        "other": pa.array(rng.normal(size=200)),
        "kind": pa.array(np.array(["no", "yes"])[y]),
    }
    both = pa.table(columns)
    pq.write_table(both, protea.folder / "t.parquet")
    plain = both.set_column(1, "colour", both["colour"].cast(pa.string()))
    pyarrow.csv.write_csv(plain, protea.folder / "t.csv")
    options = ["--label", "kind", "--missing", "mean", "--scale", "none", "--per-class", "2", "--precision", "f64"]
    models = [protea.fit(f"t.{kind}", *options, name=kind) for kind in ["parquet", "csv"]]
    assert (models[0].prototypes == models[1].prototypes).all()
    assert models[0].metadata["features"] == ["number", "colour=blue", "colour=green", "colour=red", "other"]

    # The same table as NumPy fills it.
    frequent = max(["blue", "green", "red"], key=lambda c: (colour[~unseen] == c).sum())
    filled = np.where(gone, number[~gone].mean(), number)
    text = np.where(unseen, frequent, colour)
    levels = [(text == c).astype(float) for c in ["blue", "green", "red"]]
    x = np.column_stack([filled, *levels, both["other"].to_numpy()])
    expected = models[0].predict(x)
    for model in ["parquet", "csv"]:
        for file in ["t.parquet", "t.csv"]:
            labels, q = protea.predict(model, file)
            assert (labels == expected).all()
            assert np.abs(q - models[0].probabilities(x)).max() < 1e-9


def test_one_table_as_people_have_it(protea):
    """The index of pandas, dates and decimal commas: Parquet, JSON lines and CSV give one model."""
    y = np.arange(60) % 2
    value = np.round(np.random.default_rng(5).normal(size=60) + 3 * y, 3)
    days = [datetime.date(2026, i % 12 + 1, 17) for i in range(60)]
    kind = np.array(["no", "yes"])[y]
    columns = {"value": value, "day": days, "__index_level_0__": np.arange(60) * 7, "kind": kind}
    pq.write_table(pa.table(columns), protea.folder / "t.parquet")
    rows = list(zip(value.tolist(), days, kind.tolist()))
    lines = [json.dumps({"value": v, "day": str(d), "kind": k}) for v, d, k in rows]
    (protea.folder / "t.jsonl").write_text("\n".join(lines) + "\n")
    comma = [f"{v:.3f}".replace(".", ",") + f";{d};{k}" for v, d, k in rows]
    comma[0] = f"{value[0]:.4f}".replace(".", ",") + f";{days[0]};{kind[0]}"  # four digits are no thousands
    (protea.folder / "t.csv").write_text("value;day;kind\n" + "\n".join(comma) + "\n")
    options = ["--label", "kind", "--per-class", "1", "--precision", "f64", "-m", "kmeans"]
    models = [protea.fit(f"t.{kind}", *options, name=kind) for kind in ["parquet", "jsonl", "csv"]]
    for model in models:
        assert model.metadata["features"] == ["value", "day.month", "day.weekday"]
        assert (model.prototypes == models[0].prototypes).all()
    for file in ["t.parquet", "t.jsonl", "t.csv"]:
        assert (protea.predict("csv", file)[0] == protea.predict("parquet", "t.parquet")[0]).all()


def test_a_model_reads_back_its_own_answers(protea):
    """Class names with commas, quotes and letters of other alphabets survive CSV both ways."""
    names = np.array(['a "quoted", name', "größer", "名前", "plain"])
    rng = np.random.default_rng(6)
    y = np.arange(80) % 4
    x = rng.normal(size=(80, 2)) + 6 * np.column_stack([y % 2, y // 2])
    with open(protea.folder / "t.csv", "w", newline="", encoding="utf-8") as file:
        writer = text.writer(file)
        writer.writerow(["a", "b", "class"])
        writer.writerows([[repr(float(u)), repr(float(v)), names[c]] for (u, v), c in zip(x, y)])
    protea.fit("t.csv", "--per-class", "1", name="m")
    answers = list(text.DictReader(protea("predict", "m", "t.csv", "--proba").splitlines()))
    assert [row["label"] for row in answers] == names[y].tolist()
    assert set(answers[0]) == {"label", *(f"p_{n}" for n in names)}
