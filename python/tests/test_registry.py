"""Estimators against the registry: every method, every setting, the same defaults; and stubs and docstrings against both."""

import doctest
import importlib.util
import inspect
from pathlib import Path

import protea
import pytest
from protea._load import estimators
from protea._registry import METHODS, SHARED, text_of, value_of

CLASSES = list(estimators().values())
FOLDER = Path(__file__).parents[1]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_own_setting_is_a_parameter_with_its_default(cls):
    parameters = inspect.signature(cls).parameters
    own = {s["name"] for s in METHODS[cls._method]["own"]}
    for setting in METHODS[cls._method]["own"]:
        assert parameters[setting["python"]].default == value_of(setting["default"]), setting["name"]
    for setting in METHODS[cls._method]["shared"]:
        name, default = setting["python"], value_of(setting["default"])
        if name in parameters and setting["name"] not in own:
            # The one default that differs, see the module of the registry.
            expected = "nearest" if (name, default) == ("posterior", "soft") else default
            assert parameters[name].default == expected, name


def test_no_shared_setting_is_left_out():
    shared = {s["name"] for s in METHODS["npc"]["shared"]}
    assert set(SHARED["objective"]) == shared
    assert set().union(*SHARED.values()) == shared
    assert {m["learner"] for m in METHODS.values()} == set(SHARED)
    assert set(inspect.signature(protea.NPC).parameters) > {"n_prototypes_per_class", "random_state", "max_iter", "tol"}


@pytest.mark.parametrize("value", [None, True, False, 3, 0.25, 1e-6, "linear"])
def test_values_are_read_back(value):
    assert value_of(text_of(value)) == value


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_docstring_examples_run(cls):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    tests = [t for t in finder.find(cls, cls.__name__, globs={}) if t.examples]
    assert tests, "no example"
    for test in tests:
        assert runner.run(test).failed == 0
    documented = inspect.signature(cls).parameters
    assert all(f"\n{name} : " in cls.__doc__ for name in documented)


@pytest.mark.parametrize("thing", [protea, protea.load], ids=["protea", "load"])
def test_other_examples_run(thing):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for test in finder.find(thing, "thing", globs={}):
        assert test.examples and runner.run(test).failed == 0


def test_stubs_are_those_of_the_registry():
    spec = importlib.util.spec_from_file_location("stubs", FOLDER / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    assert stubs.FILE.read_text() == stubs.text(), "run python stubs.py"
