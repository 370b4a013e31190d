"""The gallery runs, and each example ends in a figure."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_five():
    assert len(EXAMPLES) == 5 and all(len(e.read_text().splitlines()) < 60 for e in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.stem)
def test_example(example, tmp_path):
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout and [p.stat().st_size > 5000 for p in tmp_path.glob("*.png")] == [True]
