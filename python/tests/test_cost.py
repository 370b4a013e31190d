"""What must not be paid: copies of rows, and a slow import."""

import subprocess
import sys

import numpy as np
import pytest
from protea import KMeansClassifier

CODE = """
import numpy as np
from protea import KMeansClassifier
rng = np.random.RandomState(0)
X = rng.rand(4000, 784).astype(np.float32)
clf = KMeansClassifier(n_prototypes_per_class=50).fit(X[:600], np.arange(600) % 10)
clf.predict(X[:300])
def memory(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))
open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
before = memory("VmRSS")
{}
print(memory("VmHWM") - before)
"""


def grown(code):
    """Kilobytes by which the peak of memory grows while `code` runs."""
    done = subprocess.run([sys.executable, "-c", CODE.format(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_prediction_makes_no_copy_of_the_rows():
    rows = 4000 * 784 * 4 / 1024
    assert grown("clf.predict(X)") < 0.25 * rows
    assert grown("clf.predict(X.astype(np.float64))") > rows  # the measure sees a copy


def test_rows_are_borrowed():
    X = np.random.RandomState(0).rand(300, 5)
    X.setflags(write=False)
    clf = KMeansClassifier(n_prototypes_per_class=2).fit(X, np.arange(300) % 2)
    assert clf.predict(X).shape == (300,)


@pytest.mark.parametrize("module", ["sklearn", "scipy", "pandas"])
def test_the_import_leaves_other_packages_alone(module):
    code = f"import sys, protea; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
