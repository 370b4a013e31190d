"""Calibrated probabilities: temperature scaling on held-out samples, shown as a reliability curve."""

import matplotlib

matplotlib.use("Agg")
from protea import NPC, ReliabilityDisplay
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

X, y = make_classification(6000, 12, n_informative=6, flip_y=0.15, random_state=1)
X, X_rest, y, y_rest = train_test_split(X, y, test_size=0.5, random_state=0)
X_held, X_test, y_held, y_test = train_test_split(X_rest, y_rest, test_size=0.6, random_state=0)
clf = NPC(n_prototypes_per_class=8).fit(X, y)

display = ReliabilityDisplay.from_estimator(clf, X_test, y_test, name="as fitted")
clf.calibrate(X_held, y_held)
display = ReliabilityDisplay.from_estimator(clf, X_test, y_test, name="calibrated on held-out samples", ax=display.ax_)
print(f"expected calibration error {100 * display.calibration_error:.2f} %, log loss {clf.evaluate(X_test, y_test)['log_loss']:.3f}")
display.figure_.savefig("trust_probabilities.png", dpi=120)
