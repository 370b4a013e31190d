"""Thirty prototypes replace 1347 neighbours: fit, predict, plot the prototypes."""

import matplotlib

matplotlib.use("Agg")
from protea import KNN, NPC, PrototypesDisplay
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
npc = NPC(n_prototypes_per_class=3).fit(X, y)
knn = KNN().fit(X, y)
for clf in (npc, knn):
    error = 100 * (1 - clf.score(X_test, y_test))
    print(f"{type(clf).__name__}: error {error:.2f} %, {clf.model_.nbytes} bytes")

display = PrototypesDisplay.from_estimator(npc, image=(8, 8))
display.ax_.set_title("All that the model knows of digits")
display.figure_.savefig("quick_start.png", dpi=120)
