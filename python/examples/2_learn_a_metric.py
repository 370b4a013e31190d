"""A learned matrix of rank two shows the data as the classifier sees it."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from protea import GMLVQ
from sklearn.datasets import load_wine

data = load_wine()
clf = GMLVQ(n_prototypes_per_class=1, rank=2, scale="standard").fit(data.data, data.target)
samples = data.data @ clf.components_.T
prototypes = clf.prototypes_ @ clf.components_.T
print(f"training error {100 * (1 - clf.score(data.data, data.target)):.2f} %")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
left.scatter(*samples.T, c=data.target, s=12)
left.scatter(*prototypes.T, c=clf.prototypes_labels_, s=140, marker="*", edgecolors="black")
left.set_title("samples and prototypes under the metric")
relevance = clf.feature_importances_
order = relevance.argsort()
right.barh([data.feature_names[f] for f in order], [relevance[f] for f in order])
right.set_title("share of each feature in it")
figure.tight_layout()
figure.savefig("learn_a_metric.png", dpi=120)
