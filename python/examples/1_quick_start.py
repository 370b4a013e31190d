"""Thirty prototypes replace 1347 neighbours: fit, predict, plot the prototypes."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from protea import KNN, NPC
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
npc = NPC(n_prototypes_per_class=3).fit(X, y)
knn = KNN().fit(X, y)
for clf in (npc, knn):
    error = 100 * (1 - clf.score(X_test, y_test))
    print(f"{type(clf).__name__}: error {error:.2f} %, {clf.model_.nbytes} bytes")

figure, axes = plt.subplots(3, 10, figsize=(8, 2.8))
for j, (prototype, label) in enumerate(zip(npc.prototypes_, npc.prototypes_labels_)):
    axis = axes[j % 3, label]
    axis.imshow(prototype.reshape(8, 8), cmap="gray_r")
    axis.axis("off")
figure.suptitle("All that the model knows of digits")
figure.savefig("quick_start.png", dpi=120)
