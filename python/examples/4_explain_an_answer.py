"""Why this prediction? The nearest prototype, its rival, and the features that decide between them."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from protea import NPC
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

data = load_breast_cancer(as_frame=True)
labels = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(data.data, labels, random_state=0)
clf = NPC(n_prototypes_per_class=2).fit(X, y)
found = clf.explain(X_test)
row = int(found.margins.argmin())
print(f"closest call: row {row} is {found.labels[row]}, nearly {found.rival_labels[row]}; truly {y_test[row]}")

figure, axis = plt.subplots(figsize=(7, 3.6))
names, evidence = zip(*reversed(found.top(row, 8)))
axis.barh(names, evidence, color=["tab:blue" if e > 0 else "tab:red" for e in evidence])
axis.axvline(0, color="black", linewidth=0.8)
axis.set_title(f"evidence for {found.labels[row]} (right) against {found.rival_labels[row]} (left)")
figure.tight_layout()
figure.savefig("explain_an_answer.png", dpi=120)
