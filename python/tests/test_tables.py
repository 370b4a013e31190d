"""Data frames with columns of text: one feature for each value, as the command line has them."""

import json

import numpy as np
import pandas as pd
import polars as pl
import protea
import pytest
from protea import NPC, CentroidClassifier
from protea.exceptions import DataError


@pytest.fixture(scope="module")
def birds():
    """A table with numbers, text, a category and a flag, and its labels."""
    rng = np.random.RandomState(0)
    y = np.asarray(["adelie", "gentoo"])[np.arange(60) % 2]
    island = np.where(rng.rand(60) < 0.8, np.where(y == "adelie", "Torgersen", "Biscoe"), "Dream")
    frame = pd.DataFrame({
        "bill": np.where(y == "adelie", 38.0, 47.0) + rng.randn(60),
        "island": island,
        "sex": pd.Categorical(np.asarray(["f", "m"])[rng.randint(0, 2, 60)]),
        "ringed": rng.rand(60) < 0.5,
    })  # fmt: skip
    return frame, y


def quick(**settings):
    return NPC(n_prototypes_per_class=1, epochs=3, **settings)


def test_text_becomes_a_feature_for_each_value(birds):
    X, y = birds
    clf = quick().fit(X, y)
    assert clf.model_.features == [
        "bill", "island=Biscoe", "island=Dream", "island=Torgersen", "sex=f", "sex=m", "ringed",
    ]  # fmt: skip
    assert clf.n_features_in_ == 4 and list(clf.feature_names_in_) == list(X.columns)
    dummies = pd.get_dummies(X, columns=["island", "sex"], dtype=float)
    dummies = dummies[["bill", "island_Biscoe", "island_Dream", "island_Torgersen", "sex_f", "sex_m", "ringed"]].astype(float)
    by_hand = quick().fit(dummies.to_numpy(), y)
    np.testing.assert_array_equal(clf.prototypes_, by_hand.prototypes_)
    np.testing.assert_array_equal(clf.predict_proba(X), by_hand.predict_proba(dummies.to_numpy()))
    assert clf.score(X, y) > 0.9 and clf.explain(X).top(0, 1)[0][0] in clf.model_.features
    polars = quick().fit(pl.from_pandas(X), y)
    np.testing.assert_array_equal(polars.prototypes_, clf.prototypes_)
    np.testing.assert_array_equal(polars.predict(pl.from_pandas(X)), clf.predict(X))


def test_the_command_line_reads_the_same_columns(birds, tmp_path, cli):
    X, y = birds
    clf = quick().fit(X, y)
    clf.save(tmp_path / "model")
    X.assign(ringed=X["ringed"].astype(int)).to_csv(tmp_path / "rows.csv", index=False)
    rows = json.loads(cli("predict", tmp_path / "model", tmp_path / "rows.csv", "--json"))
    np.testing.assert_array_equal([row["label"] for row in rows], clf.predict(X))
    back = protea.load(tmp_path / "model")
    np.testing.assert_array_equal(back.predict(X), clf.predict(X))
    assert back.n_features_in_ == 4


def test_python_reads_a_table_of_the_command_line(birds, tmp_path, cli):
    X, y = birds
    table = X.assign(ringed=X["ringed"].astype(int))
    table.assign(species=y).to_csv(tmp_path / "train.csv", index=False)
    cli("fit", tmp_path / "train.csv", "--label", "species", "-m", "npc", "--epochs", "3", "-o", tmp_path / "model")
    clf = protea.load(tmp_path / "model")
    table.to_csv(tmp_path / "rows.csv", index=False)
    rows = json.loads(cli("predict", tmp_path / "model", tmp_path / "rows.csv", "--json"))
    np.testing.assert_array_equal(clf.predict(table), [row["label"] for row in rows])


def test_a_fit_on_numbers_forgets_the_columns(birds):
    X, y = birds
    clf = CentroidClassifier().fit(X, y)
    clf.fit(X[["bill"]].to_numpy(), y)
    assert not hasattr(clf, "columns_") and clf.predict(X[["bill"]].to_numpy()).shape == (60,)


def test_mistakes_get_a_sentence(birds):
    X, y = birds
    clf = CentroidClassifier().fit(X, y)
    with pytest.raises(DataError, match="row 3, column 'island': the value 'Mars' was not in training; there are Biscoe, Dream"):
        clf.predict(X.assign(island=["Dream", "Dream", "Mars"] + ["Dream"] * 57))
    with pytest.raises(DataError, match="row 1, column 'island': a value is missing"):
        CentroidClassifier().fit(X.assign(island=[None] + ["Dream"] * 59), y)
    with pytest.raises(DataError, match="row 2, column 'bill': nan is not a finite number"):
        clf.predict(X.assign(bill=[1.0, np.nan] + [1.0] * 58))
    with pytest.raises(DataError, match="column 'bill' has text, but numbers in training"):
        clf.predict(X.assign(bill="long"))
    with pytest.raises(DataError, match="needs one with the same columns"):
        clf.predict(np.zeros((2, 4)))
    with pytest.raises(DataError, match="column 'island' has dates"):
        CentroidClassifier().fit(X.assign(island=pd.Timestamp("2020-01-01")), y)
    with pytest.raises(DataError, match="like an identifier"):
        many = pd.DataFrame({"id": [f"a{i}" for i in range(1200)]})
        CentroidClassifier().fit(many, np.arange(1200) % 2)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(X.rename(columns={"bill": "beak"}))
    with pytest.raises(DataError, match="y has 3 labels"):
        CentroidClassifier().fit(X, y[:3])
