"""Preprocessing for pipelines, where scikit-learn has none of the kind: projections that keep neighbours, and images."""

import numbers

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted

from . import _input, _protea
from .exceptions import DataError, SettingError


class _Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A linear map learned on labelled samples."""

    _graph, _supervised = "laplacian", True

    def fit(self, X, y):
        """Learn the projection.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples. Their order does not matter.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X, y = _input.training(self, X, y)
        check_classification_targets(y)
        classes, index = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise DataError(f"{type(self).__name__} needs two classes or more, but y has one class only, {str(classes[0])!r}")
        rank = self.n_components
        if rank is not None and (not isinstance(rank, numbers.Integral) or rank < 1):
            raise SettingError(f"n_components = {rank!r}, expected None or a whole number ≥ 1")
        self.mean_, self.components_ = _protea.project(
            type(self).__name__.lower(),
            X,
            index.astype(np.int64, copy=False),
            [str(c) for c in classes],
            None if rank is None else int(rank),
            getattr(self, "graph", self._graph),
            bool(getattr(self, "supervised", self._supervised)),
            _input.threads(self.n_jobs),
        )
        return self

    def transform(self, X):
        """Project rows.

        Parameters
        ----------
        X : {array-like, data frame, Arrow table, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        projected : ndarray of shape (n_samples, n_components)
            The rows in the space of the components.
        """
        check_is_fitted(self, "components_")
        X = _input.checked(self, X, self.components_.dtype)
        return _input.in_blocks(X, lambda x: (x - self.mean_) @ self.components_.T)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True, "preserves_dtype": [np.float64, np.float32]}


class INNLP(_Projection):
    """Linear projection that keeps iterative nearest neighbours together.

    Principal components with 98 % of the variance come first. Scale the features before it.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the projection; None is one less than the number of classes.
    graph : {'laplacian', 'reconstruction'}, default='laplacian'
        Whether to keep neighbours together, or samples as sums of their neighbours.
    supervised : bool, default=True
        Whether neighbours are of the same class only.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions of the projection.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the input has them.

    See Also
    --------
    LPP : Locality preserving projection.
    LDA : Linear discriminants.
    INN : The classifier with the same neighbours.

    References
    ----------
    Timofte, Van Gool: Iterative Nearest Neighbors, Pattern Recognition 48, 2015.

    Examples
    --------
    >>> from protea import INNLP
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> make_pipeline(StandardScaler(), INNLP(n_components=2)).fit(X, y).transform(X).shape
    (178, 2)
    """

    def __init__(self, n_components=None, *, graph="laplacian", supervised=True, n_jobs=None):
        self.n_components = n_components
        self.graph = graph
        self.supervised = supervised
        self.n_jobs = n_jobs


class LPP(_Projection):
    """Locality preserving projection: the linear map that keeps the 5 nearest neighbours together.

    Principal components with 98 % of the variance come first. Scale the features before it.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the projection; None is 40, or less if there are fewer components.
    supervised : bool, default=True
        Whether neighbours are of the same class only.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions of the projection.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the input has them.

    See Also
    --------
    INNLP : The same with iterative nearest neighbours.
    LDA : Linear discriminants.

    References
    ----------
    He, Niyogi: Locality Preserving Projections, NIPS 2003.

    Examples
    --------
    >>> from protea import LPP
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> make_pipeline(StandardScaler(), LPP(n_components=2)).fit(X, y).transform(X).shape
    (178, 2)
    """

    def __init__(self, n_components=None, *, supervised=True, n_jobs=None):
        self.n_components = n_components
        self.supervised = supervised
        self.n_jobs = n_jobs


class LDA(_Projection):
    """Linear discriminants: the directions that separate the classes best, for their spread inside.

    As `LinearDiscriminantAnalysis` of scikit-learn, but after principal components with 98 % of the variance and with a small
    ridge, so that it works with more features than samples. Scale the features before it.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the projection, at most one less than the number of classes, which is what None means.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions of the projection.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the input has them.

    See Also
    --------
    INNLP : Projection that keeps iterative nearest neighbours together.
    LPP : Locality preserving projection.

    References
    ----------
    Fisher: The Use of Multiple Measurements in Taxonomic Problems, Annals of Eugenics 7, 1936.

    Examples
    --------
    >>> from protea import LDA
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> make_pipeline(StandardScaler(), LDA()).fit(X, y).transform(X).shape
    (178, 2)
    """

    def __init__(self, n_components=None, *, n_jobs=None):
        self.n_components = n_components
        self.n_jobs = n_jobs


class _Images(TransformerMixin, BaseEstimator):
    """A transformer of images: rows of pixels, or arrays of shape (n_samples, height, width)."""

    def fit(self, X, y=None):
        """Learn the size of the images.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_pixels) or (n_samples, height, width)
            Images.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        pixels, size = self._pixels(X)
        width, height = size or self._size(pixels.shape[1])
        self.image_size_ = (width, height)
        self.n_features_in_ = width * height
        self._learn(pixels)
        return self

    def _pixels(self, X):
        """Rows of pixels, and the size of the images if their shape tells it."""
        X = check_array(_input.plain(X), dtype=_input.FLOATS, order="C", allow_nd=True)
        if X.ndim > 3:
            raise DataError(f"images of shape {X.shape[1:]}, expected one number per pixel: (n_samples, height, width)")
        if X.ndim == 2:
            return X, None
        return X.reshape(len(X), -1), (X.shape[2], X.shape[1])

    def _size(self, n_pixels):
        """Width and height of images that are given as rows of pixels."""
        side = int(round(n_pixels**0.5))
        width, height = (side, side) if self.image is None else self.image
        if width * height != n_pixels:
            given = "image=None, which needs square images," if self.image is None else f"image={self.image!r}"
            raise SettingError(f"{given} does not fit rows of {n_pixels} pixels; give image=(width, height)")
        return width, height

    def _learn(self, pixels):
        pass

    def _checked(self, X):
        """Rows of pixels of the size that was fitted."""
        check_is_fitted(self, "image_size_")
        pixels, size = self._pixels(X)
        if (size or self.image_size_) != self.image_size_ or pixels.shape[1] != self.n_features_in_:
            width, height = self.image_size_
            raise DataError(f"images of {width}x{height} pixels are expected, found an array of shape {np.shape(X)}")
        return pixels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"X_types": ["3darray"], "preserves_dtype": [np.float64, np.float32]}


class HOG(ClassNamePrefixFeaturesOutMixin, _Images):
    """Histograms of oriented gradients: edges by direction, in place of pixels.

    Cells of 4 × 4 pixels, blocks of 2 × 2 cells, 8 directions; images have 8 × 8 pixels or more.

    Parameters
    ----------
    image : tuple of (int, int) or None, default=None
        Width and height, for images that are given as rows of pixels; None recognises square ones.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Attributes
    ----------
    image_size_ : tuple of (int, int)
        Width and height of the images.
    n_features_in_ : int
        Number of pixels.

    See Also
    --------
    Deskew : Remove the slant of images.

    References
    ----------
    Dalal, Triggs: Histograms of Oriented Gradients for Human Detection, CVPR 2005.

    Examples
    --------
    >>> from protea import HOG, NPC
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_digits(return_X_y=True)
    >>> make_pipeline(HOG(), NPC(n_prototypes_per_class=1)).fit(X, y).score(X, y) > 0.8
    True
    """

    def __init__(self, image=None, *, n_jobs=None):
        self.image = image
        self.n_jobs = n_jobs

    def transform(self, X):
        """Compute the histograms.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_pixels) or (n_samples, height, width)
            Images.

        Returns
        -------
        histograms : ndarray of shape (n_samples, n_histogram_bins)
            Histograms of all blocks, each of length 1.
        """
        return _protea.hog(self._checked(X), *self.image_size_, _input.threads(self.n_jobs))

    def _learn(self, pixels):
        self._n_features_out = _protea.hog(pixels[:1], *self.image_size_, 1).shape[1]


class Deskew(_Images):
    """Remove the slant of images, and centre them.

    Each image is sheared until the moments of its pixels say that it is upright.

    Parameters
    ----------
    image : tuple of (int, int) or None, default=None
        Width and height, for images that are given as rows of pixels; None recognises square ones.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Attributes
    ----------
    background_ : float
        Value of empty pixels: the lowest value of the training images.
    image_size_ : tuple of (int, int)
        Width and height of the images.
    n_features_in_ : int
        Number of pixels.

    See Also
    --------
    HOG : Histograms of oriented gradients.

    Examples
    --------
    >>> from protea import Deskew
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> Deskew().fit_transform(X).shape
    (1797, 64)
    """

    def __init__(self, image=None, *, n_jobs=None):
        self.image = image
        self.n_jobs = n_jobs

    def transform(self, X):
        """Straighten images.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_pixels) or (n_samples, height, width)
            Images.

        Returns
        -------
        images : ndarray of shape (n_samples, n_pixels)
            The images as rows of pixels.
        """
        return _protea.deskew(self._checked(X), *self.image_size_, self.background_, _input.threads(self.n_jobs))

    def get_feature_names_out(self, input_features=None):
        """Get the names of the output: a name for each pixel.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the input; None numbers the pixels.

        Returns
        -------
        names : ndarray of str
            Names of the pixels.
        """
        check_is_fitted(self, "image_size_")
        if input_features is not None:
            return np.asarray(input_features, dtype=object)
        return np.asarray([f"pixel{j}" for j in range(self.n_features_in_)], dtype=object)

    def _learn(self, pixels):
        self.background_ = float(pixels.min())
