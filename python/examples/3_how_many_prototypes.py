"""How many prototypes? Cross-validation over the number per class."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from protea import NPC
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

X, y = load_digits(return_X_y=True)
counts = [1, 2, 4, 8]
search = GridSearchCV(NPC(epochs=30), {"n_prototypes_per_class": counts}, cv=4).fit(X, y)
errors = 100 * (1 - search.cv_results_["mean_test_score"])
spread = 100 * search.cv_results_["std_test_score"]
for count, error in zip(counts, errors):
    print(f"{count} prototypes per class: {error:.2f} %")

figure, axis = plt.subplots(figsize=(5, 3.4))
axis.errorbar(counts, errors, spread, marker="o", capsize=3)
axis.set(xscale="log", xlabel="prototypes per class", ylabel="error in 4-fold cross-validation, %")
axis.set_xticks(counts, [str(count) for count in counts])
figure.tight_layout()
figure.savefig("how_many_prototypes.png", dpi=120)
