"""The examples in the docstrings of the measures run, and are there."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

from limen.core import analysis, simulation

MODULES = [
    importlib.import_module(f"{analysis.__name__}.{found.name}") for found in pkgutil.iter_modules(analysis.__path__)
]


@pytest.mark.parametrize("module", [*MODULES, simulation], ids=lambda module: str(module.__name__))
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (
            "proportions",
            "exact_binomial wilson_interval clopper_pearson_interval crossed_rate critical_counts",
        ),
        ("tables", "independence fisher_p cochran_q"),
        ("contrasts", "crossed_t_against_chance crossed_t_difference"),
        ("sensitivity", "sensitivity mean_sensitivity pooled_sensitivity iso_sensitivity_curve"),
        ("agreement", "percent_agreement fleiss_kappa gwet_ac1 krippendorff_alpha kappa_label"),
        ("agreement_intervals", "agreement"),
        ("laplace", "laplace"),
        ("mixed_models", "fit_mixed_model"),
        ("hierarchical", "fit_intercept_model fit_slope_model population_sensitivity"),
    ],
)
def test_every_measure_has_an_example(module: str, names: str) -> None:
    found = importlib.import_module(f"{analysis.__name__}.{module}")
    for name in names.split():
        assert ">>>" in getattr(found, name).__doc__, f"{module}.{name} has no example"
