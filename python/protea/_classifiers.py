"""Classifiers, one for each method of the registry that decides by prototypes."""

from ._abstract import LearnedClassifier, OnlineClassifier, PrototypeClassifier, WeightedClassifier


class Auto(PrototypeClassifier, method="auto"):
    """Objective, metric and noise by trials on held-out training samples; `image="28x28"` lets it augment images.

    Parameters that are not at their default are kept; all others it may choose.
    """


class NPC(LearnedClassifier, method="npc"):
    """Prototypes, and if wanted a metric, by descent on a soft 1-nearest-prototype rule that hardens.

    The method to begin with. `metric="linear"` learns a matrix together with the prototypes.
    """


class DMPL(LearnedClassifier, method="dmpl"):
    """Large-margin prototypes together with a Mahalanobis metric."""


class KNPL(LearnedClassifier, method="knpl"):
    """Large-margin prototypes under the Euclidean distance."""


class LMNP(LearnedClassifier, method="lmnp"):
    """A large-margin metric for k-means prototypes that stay where they are."""


class PNN(WeightedClassifier, method="pnn"):
    """Parametric nearest neighbours: prototypes by mistakes, then a weight and a bias of each class."""


class EPNN(WeightedClassifier, method="epnn"):
    """An ensemble of parametric nearest neighbours under a linear support vector machine."""


class LPD(LearnedClassifier, method="lpd"):
    """Prototypes with a diagonal metric of their own, by a sigmoid of the distance ratio."""

    # Its probabilities, by inverse distances, have no place for weights of classes.
    _extras = ("warm_start", "n_jobs", "verbose")


class LVQ1(OnlineClassifier, method="lvq1"):
    """The nearest prototype is drawn to samples of its class and driven off by others."""


class LVQ21(OnlineClassifier, method="lvq2.1"):
    """LVQ2.1: the two nearest prototypes, one right and one wrong, where a sample falls between them."""


class LVQ3(OnlineClassifier, method="lvq3"):
    """LVQ2.1 that also draws both nearest prototypes where both are right."""


class OLVQ1(LearnedClassifier, method="olvq1"):
    """LVQ1 with a step size for each prototype that adapts itself."""


class DSM(OnlineClassifier, method="dsm"):
    """Decision surface mapping: the nearest own and other prototype move on mistakes only."""


class GLVQ(LearnedClassifier, method="glvq"):
    """Generalized LVQ: the nearest own against the nearest other prototype by their relative distance difference."""


class GRLVQ(LearnedClassifier, method="grlvq"):
    """GLVQ with a learned relevance of each feature."""


class GMLVQ(LearnedClassifier, method="gmlvq"):
    """GLVQ with a learned matrix, full or of low `rank`."""


class LGMLVQ(LearnedClassifier, method="lgmlvq"):
    """GLVQ with a learned matrix for each class or prototype (`locality`)."""


class RSLVQ(LearnedClassifier, method="rslvq"):
    """Robust soft LVQ: the likelihood ratio of a Gaussian mixture."""


class KMeansClassifier(WeightedClassifier, method="kmeans", hidden=["init"]):
    """k-means inside each class, labelled with the class."""


class CentroidClassifier(WeightedClassifier, method="centroid", hidden=["init", "starts", "per-class"]):
    """The mean of each class."""


class SampleClassifier(PrototypeClassifier, method="sample", hidden=["init", "starts"]):
    """Random training samples of each class."""


class KNN(PrototypeClassifier, method="knn"):
    """Nearest neighbours over all training samples; `rule="3-np"` asks three of them."""
