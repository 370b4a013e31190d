"""Pages of models, made by the protea binary that PROTEA_BIN names and opened in a real browser."""

import os
import subprocess
from pathlib import Path

import pytest
from sklearn.datasets import load_digits, make_moons

from browser import Browser, find

PENGUINS = Path(__file__).resolve().parents[2] / "examples" / "penguins.csv"


def pytest_configure():
    if not os.access(os.environ.get("PROTEA_BIN", ""), os.X_OK):
        pytest.exit("PROTEA_BIN must name the protea binary to test", returncode=1)
    if find() is None:
        pytest.exit("there is no browser: install chromium, or name one in PROTEA_BROWSER", returncode=1)


class Pages:
    """A folder with models and their pages."""

    def __init__(self, folder):
        self.folder = folder
        self.binary = Path(os.environ["PROTEA_BIN"]).resolve()

    def protea(self, *args):
        """Standard output of a command that must succeed."""
        command = [str(self.binary), *map(str, args), "--quiet"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
        return done.stdout

    def page(self, name, test, *settings, train=None):
        """The page of a model fitted with these settings."""
        method = [] if "-m" in settings else ["-m", "npc"]
        self.protea("fit", train or test, "-o", f"{name}.model", *method, *settings)
        self.protea("report", f"{name}.model", test, "-o", f"{name}.html", "--train", train or test)
        return self.folder / f"{name}.html"


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    pages = Pages(tmp_path_factory.mktemp("pages"))
    x, y = load_digits(return_X_y=True)
    for name, rows in [("train", slice(0, 1200)), ("test", slice(1200, None))]:
        lines = [",".join([*(f"{v:g}" for v in row), f"digit{label}"]) for row, label in zip(x[rows], y[rows])]
        (pages.folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    pages.digits = pages.page("digits", "test.csv", "--per-class", 4, "--epochs", 10, train="train.csv")
    pages.wine = pages.page("wine", "wine", "--per-class", 3, "--metric", "linear", "--epochs", 10)
    x, y = make_moons(400, noise=0.2, random_state=0)
    lines = [f"{a:.4f},{b:.4f},{'moon' if c else 'sun'}" for (a, b), c in zip(x, y)]
    (pages.folder / "moons.csv").write_text("\n".join(["length,width,kind", *lines]) + "\n")
    pages.moons = pages.page("moons", "moons.csv", "--per-class", 4, "--epochs", 5)
    pages.protea("report", "moons.model", "moons.csv", "-o", "moons.html", "--train", "moons.csv", "--mesh")
    pages.penguins = pages.page("penguins", PENGUINS, "--label", "species", "--per-class", 1, "--epochs", 3)
    pages.protea("compare", "wine", "-m", "kmeans,npc,knn", "--per-class", "1,3", "--folds", 3, "--epochs", 3, "--report", "methods.html")
    pages.methods = pages.folder / "methods.html"
    return pages


@pytest.fixture(scope="session")
def browser():
    browser = Browser(find())
    yield browser
    browser.close()
