"""Numbers are written in one way everywhere."""

import doctest
import importlib

import pytest

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined

NONE = Undetermined(reason="no answers")


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.00099, "p < .001"),
        (0.001, "p = .001"),
        (0.04999, "p = .04999"),
        (0.05, "p = .050"),
        (0.0502, "p = .0502"),
        (1.0, "p > .999"),
        (NONE, "p undetermined (no answers)"),
    ],
)
def test_a_p_never_hides_its_side_of_the_level(p: float | Undetermined, text: str) -> None:
    assert notation.p_value(p) == text


def test_what_is_undetermined_says_so_wherever_it_stands() -> None:
    bare = Estimate(value=0.5, interval=NONE, n=2, method="m")
    assert notation.percent(NONE) == "undetermined (no answers)"
    assert notation.estimate(bare) == "0.50 (interval undetermined (no answers))"
    assert notation.percent_estimate(bare) == "50 % (interval undetermined (no answers))"
    assert notation.percent_interval(NONE) == notation.interval(NONE) == notation.count(NONE)
    assert notation.points(NONE) == notation.duration(NONE) == notation.truth(NONE)
    undefined = Undetermined(reason="undefined (all raters gave one answer; agreement 100 %)")
    assert notation.kappa(undefined) == undefined.reason


def test_signs_and_rounding() -> None:
    assert notation.decimal(-0.004) == "0.00"
    assert notation.points(0.001) == "0 points"
    assert notation.points(-0.2) == "−20 points"
    assert notation.duration(59_960) == "1 min"
    assert (
        notation.percent_estimate(Estimate(value=0.5, interval=Interval(low=0.25, high=0.75), n=4, method="m"))
        == "50 % [25 %, 75 %]"
    )


@pytest.mark.parametrize(
    "module",
    [
        "limen.core.notation",
        "limen.core.numerals",
        "limen.core.outcome",
        "limen.core.timing",
        "limen.dataset.dictionary",
        "limen.dataset.raw_file",
        "limen.dataset.text_columns",
    ],
)
def test_the_examples_in_the_docstrings_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert result.failed == 0
