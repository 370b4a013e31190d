"""Docstrings in the format of numpydoc, examples that run, and types that a checker accepts."""

import doctest
import inspect
import os
import subprocess
import sys
from pathlib import Path

import protea
import pytest

FOLDER = Path(__file__).parents[1]
PUBLIC = {name: getattr(protea, name) for name in protea.__all__ if name != "exceptions"}

#: As scikit-learn does: style of quotes, and what single methods need not have (examples, see also, more than a sentence).
STYLE = {"GL01", "GL02", "RT02"}
OF_CLASSES = {"EX01", "SA01", "ES01"}


def members(name, thing):
    """Public members that protea defines."""
    if not inspect.isclass(thing):
        return
    for base in thing.__mro__:
        if base.__module__.startswith("protea"):
            for member, value in vars(base).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    yield f"{name}.{member}"


def names():
    for name, thing in PUBLIC.items():
        yield f"protea.{name}"
        yield from sorted(set(members(f"protea.{name}", thing)))
    for name, thing in vars(protea.exceptions).items():
        if inspect.isclass(thing):
            yield f"protea.exceptions.{name}"


def test_every_docstring_is_valid():
    validate = pytest.importorskip("numpydoc.validate").validate
    wrong = []
    for name in names():
        ignored = STYLE | (OF_CLASSES if name.count(".") > 1 else set())
        wrong += [f"{name}: {code} {text}" for code, text in validate(name)["errors"] if code not in ignored]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    tests = [t for t in finder.find(PUBLIC[name], name, globs={}) if t.examples]
    assert tests, "no example"
    assert all(runner.run(test).failed == 0 for test in tests)


def test_the_example_of_the_package_runs():
    assert doctest.testmod(protea).failed == 0


def test_types_of_the_package_and_the_examples(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        "from protea import HOG, KNN, LMNN, NPC, PrototypesDisplay, load\n"
        "clf = NPC(n_prototypes_per_class={'a': 2, '*': 1}, metric='linear', settings={'pca': 5}).fit([[1.0]], ['a'])\n"
        "reveal_type(clf)\nreveal_type(clf.predict_proba([[1.0]]))\nreveal_type(clf.explain([[1.0]]).top(0))\n"
        "KNN(n_neighbors=3).set_params(n_neighbors=2)\nLMNN(rank=2)\nHOG((8, 8)).fit([[1.0]])\n"
        "NPC(metric='euclidian')\nNPC(gama=1)\nKNN(n_neighbors='3')\n"
    )
    run = lambda *what: subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache", *what],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": ""},
    )
    examples = run(*sorted(map(str, (FOLDER / "examples").glob("*.py"))))
    assert examples.returncode == 0, examples.stdout + examples.stderr
    used = run("use.py").stdout
    assert 'Revealed type is "protea.NPC"' in used and "float64" in used and "list[tuple[str, float]]" in used
    for line, code in [(9, "arg-type"), (10, "call-arg"), (11, "arg-type")]:
        assert any(text.startswith(f"use.py:{line}: error") and code in text for text in used.splitlines()), used
    assert used.count("error:") == 3, used
