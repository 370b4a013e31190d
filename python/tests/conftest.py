"""Data for the tests, and the protea binary that PROTEA_BIN names."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import train_test_split


@pytest.fixture(scope="session")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="session")
def wine_frame():
    data = load_wine(as_frame=True)
    return data.data, data.target


@pytest.fixture(scope="session")
def digits():
    """Training and test part in float32."""
    X, y = load_digits(return_X_y=True)
    return train_test_split(X.astype(np.float32), y, random_state=0)


@pytest.fixture(scope="session")
def cli():
    """Runs a command of the binary that must succeed and gives its output."""
    binary = os.environ.get("PROTEA_BIN")
    assert binary, "PROTEA_BIN is not set: name the protea binary to compare with"
    binary = Path(binary).resolve()

    def run(*args):
        done = subprocess.run([binary, *map(str, args), "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
