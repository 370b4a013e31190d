"""Prototype classifiers, one for each such method of the registry, which says what they are and which parameters they have."""

from ._abstract import LearnedClassifier, OnlineClassifier, PrototypeClassifier, WeightedClassifier


class Auto(PrototypeClassifier, method="auto"):
    """Parameters that are not at their default are kept; the others are chosen.

    `settings={"image": "28x28"}` allows image augmentation.
    """


class NPC(LearnedClassifier, method="npc"):
    """A good first choice. `metric="linear"` learns a matrix together with the prototypes."""


class DMPL(LearnedClassifier, method="dmpl"):
    pass


class KNPL(LearnedClassifier, method="knpl"):
    pass


class LMNP(LearnedClassifier, method="lmnp"):
    pass


class PNN(WeightedClassifier, method="pnn"):
    pass


class EPNN(WeightedClassifier, method="epnn"):
    pass


class LPD(LearnedClassifier, method="lpd"):
    # Its probabilities, from inverse distances, do not support class weights.
    _extras = ("settings", "warm_start", "n_jobs", "verbose")


class LVQ1(OnlineClassifier, method="lvq1"):
    pass


class LVQ21(OnlineClassifier, method="lvq2.1"):
    pass


class LVQ3(OnlineClassifier, method="lvq3"):
    pass


class OLVQ1(LearnedClassifier, method="olvq1"):
    pass


class DSM(OnlineClassifier, method="dsm"):
    pass


class GLVQ(LearnedClassifier, method="glvq"):
    pass


class GRLVQ(LearnedClassifier, method="grlvq"):
    pass


class GMLVQ(LearnedClassifier, method="gmlvq"):
    pass


class LGMLVQ(LearnedClassifier, method="lgmlvq", also=["locality"]):
    pass


class RSLVQ(LearnedClassifier, method="rslvq"):
    pass


class KMeansClassifier(WeightedClassifier, method="kmeans"):
    pass


class CentroidClassifier(WeightedClassifier, method="centroid"):
    pass


class SampleClassifier(PrototypeClassifier, method="sample"):
    pass


class KNN(PrototypeClassifier, method="knn", renamed={"rule": {
    "python": "n_neighbors",
    "text": "{}-np",
    "types": ["int"],
    "help": "Number of nearest training samples that vote.",
}}):  # fmt: skip
    """The prototypes are the training samples, sorted by class; `sample_indices_` are their rows."""

    _names_samples = True
