"""Prototype classifiers, one for each such method of the registry."""

from ._abstract import LearnedClassifier, OnlineClassifier, PrototypeClassifier, WeightedClassifier


class Auto(PrototypeClassifier, method="auto"):
    """Objective, metric and noise chosen on held-out training samples; `image="28x28"` allows image augmentation.

    Parameters that are not at their default are kept; the others are chosen.
    """


class NPC(LearnedClassifier, method="npc"):
    """Prototypes, and optionally a metric, by gradient descent on a soft 1-nearest-prototype rule that hardens.

    A good first choice. `metric="linear"` learns a matrix together with the prototypes.
    """


class DMPL(LearnedClassifier, method="dmpl"):
    """Large-margin prototypes together with a Mahalanobis metric."""


class KNPL(LearnedClassifier, method="knpl"):
    """Large-margin prototypes under the Euclidean distance."""


class LMNP(LearnedClassifier, method="lmnp"):
    """A large-margin metric for fixed k-means prototypes."""


class PNN(WeightedClassifier, method="pnn"):
    """Parametric nearest neighbours: prototypes learned from mistakes, then a weight and a bias for each class."""


class EPNN(WeightedClassifier, method="epnn"):
    """An ensemble of parametric nearest neighbours, combined by a linear SVM."""


class LPD(LearnedClassifier, method="lpd"):
    """Prototypes, each with its own diagonal metric, trained on a sigmoid of the distance ratio."""

    # Its probabilities, from inverse distances, do not support class weights.
    _extras = ("warm_start", "n_jobs", "verbose")


class LVQ1(OnlineClassifier, method="lvq1"):
    """LVQ1: the nearest prototype moves towards samples of its class and away from others."""


class LVQ21(OnlineClassifier, method="lvq2.1"):
    """LVQ2.1: moves the two nearest prototypes, one right and one wrong, if the sample falls between them."""


class LVQ3(OnlineClassifier, method="lvq3"):
    """LVQ2.1 that also moves the two nearest prototypes closer if both are right."""


class OLVQ1(LearnedClassifier, method="olvq1"):
    """LVQ1 with an adaptive step size for each prototype."""


class DSM(OnlineClassifier, method="dsm"):
    """Decision surface mapping: the nearest prototypes of the true and of another class move, on mistakes only."""


class GLVQ(LearnedClassifier, method="glvq"):
    """Generalized LVQ: relative distance difference of the nearest prototypes of the true and of another class."""


class GRLVQ(LearnedClassifier, method="grlvq"):
    """GLVQ with a learned relevance for each feature."""


class GMLVQ(LearnedClassifier, method="gmlvq"):
    """GLVQ with a learned matrix, full or of low `rank`."""


class LGMLVQ(LearnedClassifier, method="lgmlvq"):
    """GLVQ with a learned matrix for each class or prototype (`locality`)."""


class RSLVQ(LearnedClassifier, method="rslvq"):
    """Robust soft LVQ: the likelihood ratio of a Gaussian mixture."""


class KMeansClassifier(WeightedClassifier, method="kmeans", hidden=["init"]):
    """k-means within each class, labelled with the class."""


class CentroidClassifier(WeightedClassifier, method="centroid", hidden=["init", "starts", "per-class"]):
    """The mean of each class."""


class SampleClassifier(PrototypeClassifier, method="sample", hidden=["init", "starts"]):
    """Random training samples of each class."""


class KNN(PrototypeClassifier, method="knn"):
    """Nearest neighbours over all training samples; `rule="3-np"` lets three of them vote."""
