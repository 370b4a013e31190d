"""Figures of fitted classifiers, in the style of scikit-learn's displays; matplotlib is imported when one is drawn."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .exceptions import SettingError

#: Colours that colour-blind readers can tell apart (Okabe, Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#666666")
#: Points of the grid of a map, in each direction.
GRID = 200


class _Display:
    """Remembers the axes and the figure of a plot."""

    def _axes(self, ax):
        """The axes to draw on, new ones if none are given."""
        self.ax_ = _pyplot().subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


class PrototypesDisplay(_Display):
    """Prototypes of a classifier: as images, or as a table of features.

    Draw it with `from_estimator`.

    Parameters
    ----------
    prototypes : ndarray of shape (n_prototypes, n_features)
        Prototypes in the units of the input.
    labels : ndarray of shape (n_prototypes,)
        Label of each prototype.
    feature_names : sequence of str
        Names of the features.
    image : tuple of (int, int) or None, default=None
        Width and height if prototypes are images.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the plot.

    See Also
    --------
    BoundaryDisplay : Regions of the classes.
    ConfusionDisplay : Which prototypes decide which samples.
    ReliabilityDisplay : How well probabilities agree with frequencies.

    Examples
    --------
    >>> from protea import NPC, PrototypesDisplay
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = NPC(n_prototypes_per_class=1, epochs=5).fit(X, y)
    >>> display = PrototypesDisplay.from_estimator(clf, image=(8, 8))
    >>> display.labels.shape
    (10,)
    """

    def __init__(self, prototypes, labels, feature_names, *, image=None):
        self.prototypes = prototypes
        self.labels = labels
        self.feature_names = feature_names
        self.image = image

    @classmethod
    def from_estimator(cls, estimator, *, image=None, ax=None):
        """Draw the prototypes of a fitted classifier.

        Parameters
        ----------
        estimator : object
            A fitted classifier of protea.
        image : tuple of (int, int) or None, default=None
            Width and height if the samples are images.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : PrototypesDisplay
            The display, drawn.
        """
        check_is_fitted(estimator, "model_")
        prototypes, labels = estimator.prototypes_, estimator.prototypes_labels_
        if image is not None and image[0] * image[1] != prototypes.shape[1]:
            raise SettingError(f"image = {image!r} does not fit prototypes of {prototypes.shape[1]} features")
        names = tuple(estimator.model_.features)
        return cls(prototypes, labels, names, image=image).plot(ax=ax)

    def plot(self, *, ax=None):
        """Draw the prototypes.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : PrototypesDisplay
            The display.
        """
        ax = self._axes(ax)
        if self.image is not None:
            self._draw_images(ax)
        else:
            self._draw_table(ax)
        return self

    def _draw_images(self, ax):
        """One row of images for each class."""
        width, height = self.image
        classes, counts = np.unique(self.labels, return_counts=True)
        low, high = self.prototypes.min(), self.prototypes.max()
        sheet = np.full((len(classes) * (height + 1), counts.max() * (width + 1)), low)
        for row, label in enumerate(classes):
            for column, prototype in enumerate(self.prototypes[self.labels == label]):
                top, left = row * (height + 1), column * (width + 1)
                sheet[top : top + height, left : left + width] = prototype.reshape(height, width)
        ax.imshow(sheet, cmap="gray_r", vmin=low, vmax=high)
        ax.set(yticks=np.arange(len(classes)) * (height + 1) + height / 2, yticklabels=classes, xticks=[], ylabel="class")

    def _draw_table(self, ax):
        """Prototypes as rows, features as columns, in standard deviations from the mean of all prototypes."""
        order = np.argsort(self.labels, kind="stable")
        values = self.prototypes[order]
        spread = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
        most = np.abs(values).max() or 1
        drawn = ax.imshow(values, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
        ax.set(yticks=range(len(order)), yticklabels=self.labels[order], ylabel="prototype of class")
        ax.set_xticks(range(len(self.feature_names)), self.feature_names, rotation=90)
        self.figure_.colorbar(drawn, ax=ax, label="standard deviations from the mean prototype")


class BoundaryDisplay(_Display):
    """Regions of the classes in a plane, with samples and prototypes.

    For two features the regions are exact. For more, the plane goes through the mean of the samples along their first two principal
    components (of the standardised features); samples and prototypes are projected onto it.

    Parameters
    ----------
    horizontal : ndarray of shape (n_columns,)
        Horizontal positions of the grid.
    vertical : ndarray of shape (n_rows,)
        Vertical positions of the grid.
    regions : ndarray of shape (n_rows, n_columns)
        Index of the class at each point of the grid.
    classes : ndarray of shape (n_classes,)
        Labels of the classes.
    points : list of tuple
        Positions, class indices and kind ("sample" or "prototype") of what is drawn over the regions.
    names : tuple of (str, str)
        Names of the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the plot.

    See Also
    --------
    PrototypesDisplay : The prototypes themselves.
    ConfusionDisplay : Which prototypes decide which samples.

    Examples
    --------
    >>> from protea import NPC, BoundaryDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = NPC(n_prototypes_per_class=1, epochs=5).fit(X, y)
    >>> BoundaryDisplay.from_estimator(clf, X, y).regions.shape
    (200, 200)
    """

    def __init__(self, horizontal, vertical, regions, classes, points, names):
        self.horizontal = horizontal
        self.vertical = vertical
        self.regions = regions
        self.classes = classes
        self.points = points
        self.names = names

    @classmethod
    def from_estimator(cls, estimator, X, y=None, *, ax=None):
        """Draw the regions of a fitted classifier.

        Parameters
        ----------
        estimator : object
            A fitted classifier.
        X : array-like of shape (n_samples, n_features)
            Samples, which span the plane.
        y : array-like of shape (n_samples,) or None, default=None
            Labels of the samples; None draws no samples.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : BoundaryDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        columns = list(getattr(X, "columns", [f"feature {j}" for j in range(np.shape(X)[1])]))
        rows = np.asarray(X, dtype=float)
        flat, lift, names = _plane(rows, columns)
        points = [] if y is None else [(flat(rows), np.searchsorted(estimator.classes_, y), "sample")]
        if hasattr(estimator, "prototypes_"):
            found = np.searchsorted(estimator.classes_, estimator.prototypes_labels_)
            points.append((flat(estimator.prototypes_), found, "prototype"))
        spots = np.concatenate([flat(rows), *(p for p, _, _ in points)])
        low, high = spots.min(axis=0), spots.max(axis=0)
        margin = 0.05 * np.where(high > low, high - low, 1)
        horizontal, vertical = (np.linspace(low[k] - margin[k], high[k] + margin[k], GRID) for k in (0, 1))
        grid = lift(np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2))
        if hasattr(X, "columns"):
            grid = type(X)(grid, columns=columns) if type(X).__module__.startswith("pandas") else grid
        regions = np.searchsorted(estimator.classes_, estimator.predict(grid)).reshape(GRID, GRID)
        return cls(horizontal, vertical, regions, estimator.classes_, points, names).plot(ax=ax)

    def plot(self, *, ax=None):
        """Draw the regions.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : BoundaryDisplay
            The display.
        """
        from matplotlib.colors import ListedColormap

        ax = self._axes(ax)
        colours = [COLOURS[k % len(COLOURS)] for k in range(len(self.classes))]
        scale = {"cmap": ListedColormap(colours), "vmin": 0, "vmax": max(1, len(colours) - 1)}
        ax.pcolormesh(self.horizontal, self.vertical, self.regions, alpha=0.3, shading="auto", **scale)
        for positions, index, kind in self.points:
            look = {"s": 12} if kind == "sample" else {"s": 120, "marker": "*", "edgecolors": "black"}
            ax.scatter(*positions.T, c=[colours[k] for k in index], **look)
        for label, colour in zip(self.classes, colours):
            ax.scatter([], [], color=colour, label=str(label))
        ax.legend(title="class")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        return self


class ConfusionDisplay(_Display):
    """Confusions by prototype: true classes as rows, the prototypes that decided as columns.

    Columns are grouped by the class of the prototype, so that sums over a group are the confusion matrix; what is outside of the
    blocks on the diagonal is wrong, and the column names the prototype to look at.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_prototypes)
        Samples of each class whose nearest prototype is the one of the column.
    classes : ndarray of shape (n_classes,)
        Labels of the classes.
    labels : ndarray of shape (n_prototypes,)
        Label of each prototype.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the plot.

    See Also
    --------
    PrototypesDisplay : The prototypes themselves.
    ReliabilityDisplay : How well probabilities agree with frequencies.

    Examples
    --------
    >>> from protea import NPC, ConfusionDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = NPC(n_prototypes_per_class=2, epochs=5).fit(X, y)
    >>> int(ConfusionDisplay.from_estimator(clf, X, y).counts.sum())
    150
    """

    def __init__(self, counts, classes, labels):
        self.counts = counts
        self.classes = classes
        self.labels = labels

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None):
        """Draw the confusions of a fitted classifier.

        Parameters
        ----------
        estimator : object
            A fitted classifier of protea.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their labels.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : ConfusionDisplay
            The display, drawn.
        """
        check_is_fitted(estimator, "model_")
        nearest = estimator.kneighbors(X, 1, return_distance=False)[:, 0]
        order = np.argsort(estimator.model_.labels, kind="stable")
        column = np.argsort(order)[nearest]
        counts = np.zeros((len(estimator.classes_), len(order)), dtype=int)
        np.add.at(counts, (np.searchsorted(estimator.classes_, y), column), 1)
        return cls(counts, estimator.classes_, estimator.prototypes_labels_[order]).plot(ax=ax)

    def plot(self, *, ax=None):
        """Draw the confusions.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : ConfusionDisplay
            The display.
        """
        ax = self._axes(ax)
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        if self.counts.size <= 400:
            for (row, column), count in np.ndenumerate(self.counts):
                if count:
                    ax.text(column, row, count, ha="center", va="center", color="white" if shares[row, column] > 0.5 else "black")
        ends = np.flatnonzero(self.labels[1:] != self.labels[:-1])
        for end in ends:
            ax.axvline(end + 0.5, color="black", linewidth=0.8)
        starts = np.concatenate([[0], ends + 1])
        middles = (starts + np.concatenate([ends, [len(self.labels) - 1]])) / 2
        ax.set_xticks(middles, self.labels[starts])
        ax.set_yticks(range(len(self.classes)), self.classes)
        ax.set(xlabel="class of the nearest prototype", ylabel="true class")
        return self


class ReliabilityDisplay(_Display):
    """Reliability of probabilities: how often predictions of a given probability are right.

    Points on the diagonal are calibrated; below it, the classifier is too sure.

    Parameters
    ----------
    confidence : ndarray of shape (n_bins,)
        Mean probability of the predicted class in each bin that holds samples.
    accuracy : ndarray of shape (n_bins,)
        Share of right predictions in these bins.
    counts : ndarray of shape (n_bins,)
        Samples in these bins.
    name : str
        Name in the legend.

    Attributes
    ----------
    calibration_error : float
        Expected calibration error: mean difference of confidence and accuracy over the samples.
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure of the plot.

    See Also
    --------
    ConfusionDisplay : Which prototypes decide which samples.
    BoundaryDisplay : Regions of the classes.

    Examples
    --------
    >>> from protea import NPC, ReliabilityDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = NPC(n_prototypes_per_class=2, epochs=5).fit(X[::2], y[::2])
    >>> ReliabilityDisplay.from_estimator(clf, X[1::2], y[1::2]).calibration_error < 0.2
    True
    """

    def __init__(self, confidence, accuracy, counts, name):
        self.confidence = confidence
        self.accuracy = accuracy
        self.counts = counts
        self.name = name

    @property
    def calibration_error(self):
        """Expected calibration error: mean difference of confidence and accuracy over the samples."""
        return float(np.average(np.abs(self.confidence - self.accuracy), weights=self.counts))

    @classmethod
    def from_estimator(cls, estimator, X, y, *, n_bins=10, name=None, ax=None):
        """Draw the reliability of a fitted classifier.

        Parameters
        ----------
        estimator : object
            A fitted classifier with `predict_proba`.
        X : array-like of shape (n_samples, n_features)
            Samples, which training has not seen.
        y : array-like of shape (n_samples,)
            Their labels.
        n_bins : int, default=10
            Number of bins of equal width from 0 to 1.
        name : str or None, default=None
            Name in the legend; None is the name of the class.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : ReliabilityDisplay
            The display, drawn.
        """
        if n_bins < 1:
            raise SettingError(f"n_bins = {n_bins}, expected a number ≥ 1")
        check_is_fitted(estimator)
        probabilities = estimator.predict_proba(X)
        sure = probabilities.max(axis=1)
        right = estimator.classes_[probabilities.argmax(axis=1)] == np.asarray(y)
        bins = np.minimum((sure * n_bins).astype(int), n_bins - 1)
        counts = np.bincount(bins, minlength=n_bins)
        held = counts > 0
        mean = lambda values: np.bincount(bins, weights=values, minlength=n_bins)[held] / counts[held]
        return cls(mean(sure), mean(right), counts[held], name or type(estimator).__name__).plot(ax=ax)

    def plot(self, *, ax=None):
        """Draw the reliability.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : ReliabilityDisplay
            The display.
        """
        ax = self._axes(ax)
        ax.plot([0, 1], [0, 1], color="black", linewidth=0.8)
        ax.plot(self.confidence, self.accuracy, label=f"{self.name}, calibration error {100 * self.calibration_error:.1f} %")
        ax.scatter(self.confidence, self.accuracy, s=10 + 190 * self.counts / self.counts.max())
        ax.set(xlabel="probability of the predicted class", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1.02))
        ax.legend(loc="lower right")
        return self


def _pyplot():
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("figures need matplotlib; install it with pip install matplotlib") from error
    return plt


def _plane(rows, columns):
    """Maps to a plane and back, and names of its axes: the two features, or the first two principal components."""
    if rows.shape[1] == 2:
        return (lambda x: np.asarray(x, dtype=float)), (lambda p: p), tuple(map(str, columns))
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    axes = np.linalg.svd((rows - centre) / spread, full_matrices=False)[2][:2]
    if len(axes) < 2:
        axes = np.vstack([axes, np.zeros_like(axes)])
    flat = lambda x: (np.asarray(x, dtype=float) - centre) / spread @ axes.T
    return flat, (lambda p: p @ axes * spread + centre), ("first principal component", "second principal component")
