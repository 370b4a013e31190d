"""Calibrated probabilities: temperature scaling on held-out samples, shown as a reliability curve."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from protea import NPC
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

X, y = make_classification(6000, 12, n_informative=6, flip_y=0.15, random_state=1)
X, X_rest, y, y_rest = train_test_split(X, y, test_size=0.5, random_state=0)
X_held, X_test, y_held, y_test = train_test_split(X_rest, y_rest, test_size=0.6, random_state=0)
clf = NPC(n_prototypes_per_class=8).fit(X, y)

figure, axis = plt.subplots(figsize=(4.6, 4.2))
axis.plot([0, 1], [0, 1], color="black", linewidth=0.8)
for name in ("as fitted", "calibrated on held-out samples"):
    if name != "as fitted":
        clf.calibrate(X_held, y_held)
    error = clf.evaluate(X_test, y_test)["calibration_error"]
    print(f"{name}: expected calibration error {100 * error:.2f} %")
    share, confidence = calibration_curve(y_test, clf.predict_proba(X_test)[:, 1], n_bins=10)
    axis.plot(confidence, share, marker="o", label=f"{name}, {100 * error:.1f} %")
axis.set(xlabel="probability of class 1", ylabel="share that is of class 1")
axis.legend()
figure.tight_layout()
figure.savefig("trust_probabilities.png", dpi=120)
