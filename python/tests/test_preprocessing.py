"""Transformers for pipelines against the same steps inside a model."""

import pickle

import numpy as np
import pytest
from protea import HOG, INNLP, LDA, LPP, NPC, Deskew, KMeansClassifier
from protea.exceptions import DataError, SettingError
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline


@pytest.mark.parametrize(
    "transformer, settings",
    [
        (INNLP(3), {"project": "innlp:3"}),
        (INNLP(3, graph="reconstruction", supervised=False), {"project": "innlp:3", "graph": "reconstruction", "supervised": False}),
        (LPP(2), {"project": "lpp:2"}),
        (LDA(), {"project": "lda"}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, dict) else "",
)
def test_a_projection_is_that_of_the_model(wine, transformer, settings):
    X, y = wine
    X = (X - X.mean(0)) / X.std(0)
    inside = KMeansClassifier(n_prototypes_per_class=1, scale="raw", settings=settings).fit(X, y)
    np.testing.assert_allclose(transformer.fit(X, y).transform(X), inside.model_.transform(X), atol=1e-8)
    np.testing.assert_allclose(transformer.components_, inside.components_, atol=1e-8)
    order = np.random.RandomState(0).permutation(len(y))
    np.testing.assert_array_equal(clone(transformer).fit(X[order], y[order]).components_, transformer.components_)


def test_discriminants_span_the_space_of_scikit_learn(wine):
    X, y = wine
    X = (X - X.mean(0)) / X.std(0)
    ours, theirs = LDA().fit(X, y).transform(X), LinearDiscriminantAnalysis().fit(X, y).transform(X)
    left = theirs - ours @ np.linalg.lstsq(ours, theirs - theirs.mean(0), rcond=None)[0]
    assert left.var() < 0.05 * theirs.var()  # but for the 2 % of the variance that principal components leave out


def test_images_as_rows_and_as_arrays(digits):
    X, X_test, y, y_test = digits
    for transformer, settings in [(HOG(), {"hog": True}), (Deskew(), {"deskew": True})]:
        inside = KMeansClassifier(n_prototypes_per_class=1, scale="raw", settings=settings).fit(X, y)
        out = transformer.fit(X).transform(X_test)
        np.testing.assert_array_equal(out, inside.model_.transform(X_test))
        assert out.dtype == np.float32 and len(transformer.get_feature_names_out()) == out.shape[1]
        np.testing.assert_array_equal(clone(transformer).fit(X.reshape(-1, 8, 8)).transform(X_test.reshape(-1, 8, 8)), out)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(transformer)).transform(X_test), out)
    pipeline = make_pipeline(Deskew(), HOG(), NPC(n_prototypes_per_class=1, epochs=5)).fit(X, y)
    assert pipeline.score(X_test, y_test) > 0.8


def test_mistakes_get_a_sentence(wine, digits):
    X, y = wine
    with pytest.raises(SettingError, match="n_components = 0, expected None or a whole number"):
        INNLP(0).fit(X, y)
    with pytest.raises(SettingError, match="n_components = 5, expected at most 2 components"):
        LDA(5).fit((X - X.mean(0)) / X.std(0), y)
    with pytest.raises(SettingError, match="graph = x, expected laplacian or reconstruction"):
        INNLP(graph="x").fit(X, y)
    with pytest.raises(DataError, match="two classes or more"):
        LPP().fit(X, np.zeros(len(X)))
    with pytest.raises(SettingError, match=r"does not fit rows of 13 pixels; give image=\(width, height\)"):
        HOG().fit(X)
    with pytest.raises(SettingError, match="at least 8x8 pixels"):
        HOG((13, 1)).fit(X)
    pixels = digits[0]
    with pytest.raises(DataError, match="images of 8x8 pixels are expected"):
        Deskew().fit(pixels).transform(pixels[:, :16])
    with pytest.raises(DataError, match="one number per pixel"):
        Deskew().fit(np.zeros((3, 8, 8, 3)))
