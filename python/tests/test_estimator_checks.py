"""scikit-learn's own checks over every estimator, with no expected failures."""

import protea
import pytest
from protea import INNLP, LDA, LPP
from protea._estimators import ESTIMATORS
from protea._registry import METHODS
from sklearn.utils.estimator_checks import parametrize_with_checks


def test_every_method_has_an_estimator():
    assert set(ESTIMATORS) == set(METHODS)


@pytest.mark.parametrize("cls", ESTIMATORS.values(), ids=lambda cls: cls.__name__)
def test_every_estimator_is_exported(cls):
    assert getattr(protea, cls.__name__) is cls and cls.__name__ in protea.__all__


#: The checks ask for the contract, not for accuracy; these make them quick, as scikit-learn does with its own.
QUICK = {"noise": 0.15, "n_prototypes_per_class": 4, "epochs": 5, "draws": 3000, "learners": 3, "margin": 1.0}


def quick(cls):
    """An instance that fits small data in little time."""
    return cls(n_jobs=1, **{name: value for name, value in QUICK.items() if name in cls._settings})


PROJECTIONS = [INNLP(n_components=1, n_jobs=1), LPP(n_components=1, n_jobs=1), LDA(n_jobs=1)]


@parametrize_with_checks([*map(quick, ESTIMATORS.values()), *PROJECTIONS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
