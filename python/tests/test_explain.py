"""Explanations against distances taken by hand."""

import numpy as np
import pytest
from protea import GMLVQ, KNN, LGMLVQ, LPD, NPC


@pytest.mark.parametrize("clf", [NPC(epochs=3), GMLVQ(epochs=3), LPD(epochs=3), LGMLVQ(epochs=3), NPC(epochs=3, settings={"pca": 5}), KNN()])
def test_contributions_add_up_to_the_distances(wine, clf):
    X, y = wine
    found = clf.fit(X, y).explain(X)
    np.testing.assert_allclose(found.contributions.sum(1), found.distances, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.rival_contributions.sum(1), found.rival_distances, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(found.labels, clf.predict(X))
    assert np.all(found.labels != found.rival_labels) and np.all(found.distances <= found.rival_distances)
    np.testing.assert_array_equal(clf.prototypes_labels_[found.prototypes], found.labels)
    np.testing.assert_array_equal(clf.prototypes_labels_[found.rivals], found.rival_labels)


def test_distances_by_hand(wine):
    X, y = wine
    clf = NPC(n_prototypes_per_class=2, epochs=3, scale="standard").fit(X, y)
    scale = X.std(axis=0)
    d = (((X[:, None] - clf.prototypes_[None]) / scale) ** 2).sum(2)
    found = clf.explain(X)
    np.testing.assert_array_equal(found.prototypes, d.argmin(1))
    np.testing.assert_allclose(found.distances, d.min(1), rtol=1e-6)
    terms = ((X - clf.prototypes_[found.prototypes]) / scale) ** 2
    np.testing.assert_allclose(found.contributions, terms, rtol=1e-5, atol=1e-9)


def test_what_people_see(wine_frame):
    X, y = wine_frame
    found = NPC(n_prototypes_per_class=1, epochs=3).fit(X, y).explain(X.iloc[:7])
    assert repr(found).count("\n") == 6 and len(found) == 7
    top = found.top(0, 3)
    assert len(top) == 3 and top[0][0] in X.columns
    assert abs(top[0][1]) >= abs(top[1][1]) >= abs(top[2][1])
    assert np.all((found.margins >= 0) & (found.margins <= 1))
