"""Explanations of predictions."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Explanation:
    """The prototypes behind the predictions of some rows.

    Attributes
    ----------
    labels : array of shape (n,)
        Label of the nearest prototype of each row.
    prototypes, distances : arrays of shape (n,)
        Index of that prototype in `prototypes_`, and its squared distance in the space of the model.
    contributions : array of shape (n, n_features)
        Contribution of each feature to that distance; the sum of a row is the distance.
    rival_labels, rivals, rival_distances, rival_contributions
        The same for the nearest prototype of any other class.
    feature_names : tuple of str
        Names of the features.
    """

    labels: np.ndarray
    prototypes: np.ndarray
    distances: np.ndarray
    contributions: np.ndarray
    rival_labels: np.ndarray
    rivals: np.ndarray
    rival_distances: np.ndarray
    rival_contributions: np.ndarray
    feature_names: tuple

    def __len__(self):
        return len(self.labels)

    @property
    def margins(self):
        """How much farther the rival is, relative to the sum of both distances: 0 on the border, 1 on a prototype."""
        total = self.distances + self.rival_distances
        return np.divide(self.rival_distances - self.distances, total, out=np.zeros_like(total), where=total > 0)

    @property
    def evidence(self):
        """Evidence of each feature for the label and against the rival: the difference of the contributions."""
        return self.rival_contributions - self.contributions

    def top(self, row, k=5):
        """The `k` features with the strongest evidence on the label of a row, as pairs of name and evidence."""
        evidence = self.evidence[row]
        order = np.argsort(-np.abs(evidence), kind="stable")[:k]
        return [(self.feature_names[f], float(evidence[f])) for f in order]

    def __repr__(self):
        lines = [f"Explanation of {len(self)} rows"]
        for i in range(min(len(self), 5)):
            lines.append(
                f"  {i}: {self.labels[i]} (prototype {self.prototypes[i]} at {self.distances[i]:.4g}), not "
                f"{self.rival_labels[i]} (prototype {self.rivals[i]} at {self.rival_distances[i]:.4g})"
            )
        return "\n".join(lines + ["  …"] * (len(self) > 5))
