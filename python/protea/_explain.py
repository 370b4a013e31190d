"""Explanations of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Explanation:
    """The prototypes behind the predictions of some rows.

    `explain` of a fitted classifier makes it.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Label of the nearest prototype of each row.
    prototypes : ndarray of shape (n,)
        Index of that prototype in `prototypes_`.
    distances : ndarray of shape (n,)
        Its squared distance in the space of the model.
    contributions : ndarray of shape (n, n_features)
        Contribution of each feature to that distance; the sum of a row is the distance.
    rival_labels : ndarray of shape (n,)
        Label of the nearest prototype of any other class.
    rivals : ndarray of shape (n,)
        Index of that prototype.
    rival_distances : ndarray of shape (n,)
        Its squared distance.
    rival_contributions : ndarray of shape (n, n_features)
        Contribution of each feature to the distance of the rival.
    feature_names : tuple of str
        Names of the features.

    See Also
    --------
    NPC.explain : Explain predictions of a classifier.

    Examples
    --------
    >>> from protea import NPC
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True)
    >>> clf = NPC(n_prototypes_per_class=1, epochs=5).fit(wine.data, wine.target)
    >>> explanation = clf.explain(wine.data)
    >>> explanation.labels.shape, len(explanation.top(0, 3))
    ((178,), 3)
    """

    labels: NDArray[Any]
    prototypes: NDArray[Any]
    distances: NDArray[Any]
    contributions: NDArray[Any]
    rival_labels: NDArray[Any]
    rivals: NDArray[Any]
    rival_distances: NDArray[Any]
    rival_contributions: NDArray[Any]
    feature_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def margins(self) -> NDArray[Any]:
        """How much farther the rival is, relative to the sum of both distances: 0 on the border, 1 on a prototype."""
        total = self.distances + self.rival_distances
        return np.divide(self.rival_distances - self.distances, total, out=np.zeros_like(total), where=total > 0)

    @property
    def evidence(self) -> NDArray[Any]:
        """Evidence of each feature for the label and against the rival: the difference of the contributions."""
        return self.rival_contributions - self.contributions

    def top(self, row: int, k: int = 5) -> list[tuple[str, float]]:
        """Get the features with the strongest evidence on the label of a row.

        Parameters
        ----------
        row : int
            Index of the row.
        k : int, default=5
            Number of features.

        Returns
        -------
        features : list of tuple
            Pairs of name and evidence; positive evidence is for the label, negative for the rival.
        """
        evidence = self.evidence[row]
        order = np.argsort(-np.abs(evidence), kind="stable")[:k]
        return [(self.feature_names[f], float(evidence[f])) for f in order]

    def __repr__(self) -> str:
        lines = [f"Explanation of {len(self)} rows"]
        for i in range(min(len(self), 5)):
            lines.append(
                f"  {i}: {self.labels[i]} (prototype {self.prototypes[i]} at {self.distances[i]:.4g}), not "
                f"{self.rival_labels[i]} (prototype {self.rivals[i]} at {self.rival_distances[i]:.4g})"
            )
        return "\n".join(lines + ["  …"] * (len(self) > 5))
