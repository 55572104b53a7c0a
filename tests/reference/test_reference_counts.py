"""Exact binomial, intervals, chi-square, Fisher and TOST against R."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limen.core.analysis.estimates import Interval
from limen.core.analysis.proportions import (
    Equivalence,
    ExactBinomial,
    clopper_pearson_interval,
    equivalence_to_chance,
    exact_binomial,
    wilson_interval,
)
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.tables import ConditionTable, independence

CASES = Path(__file__).parent / "cases"


def rows(name: str) -> list[dict[str, Any]]:
    case = json.loads((CASES / f"{name}.json").read_text())
    assert case["tolerance"] == {"rel": 1e-6}
    return list(case["cases"])


def bounds(interval: object) -> list[float]:
    assert isinstance(interval, Interval)
    return [interval.low, interval.high]


@pytest.mark.parametrize("row", rows("binom_exact"), ids=lambda row: f"{row['k']} of {row['n']}")
def test_exact_binomial_and_intervals_are_those_of_r(row: dict[str, Any]) -> None:
    k, n = row["k"], row["n"]
    found = exact_binomial(k, n, probability=row["p0"], alternative=row["alternative"])
    assert isinstance(found, ExactBinomial)
    assert found.p == pytest.approx(row["p_value"], rel=1e-6)
    assert found.rate == pytest.approx(row["estimate"], rel=1e-6)
    assert bounds(clopper_pearson_interval(k, n)) == pytest.approx(row["clopper_pearson_95_two_sided"], rel=1e-6)
    assert bounds(wilson_interval(k, n)) == pytest.approx(row["wilson_95"], rel=1e-6)


@pytest.mark.parametrize("row", rows("chi2_2x2"), ids=lambda row: str(row["table"]))
def test_chi_square_and_fisher_are_those_of_r(row: dict[str, Any]) -> None:
    found = independence(np.array(row["table"]))
    assert isinstance(found, ConditionTable)
    for chi_square, expected in (
        (found.chi_square, row["yates"]),
        (found.uncorrected, row["uncorrected"]),
    ):
        assert chi_square.statistic == pytest.approx(expected["statistic"], rel=1e-6)
        assert chi_square.p == pytest.approx(expected["p_value"], rel=1e-6)
    assert found.chi_square.dof == row["yates"]["dof"]
    assert found.fisher_p == pytest.approx(row["fisher_exact_p"], rel=1e-6)


@pytest.mark.parametrize("row", rows("tost_binomial"), ids=lambda row: f"{row['k']} of {row['n']}")
def test_equivalence_is_that_of_two_calls_of_r(row: dict[str, Any]) -> None:
    k, n = row["k"], row["n"]
    answers = Ratings.of(np.arange(n).reshape(5, n // 5) < k, ["calm"] * (n // 5))
    found = equivalence_to_chance(answers, low=0.5 - row["margin"], high=0.5 + row["margin"])
    assert isinstance(found, Equivalence)
    assert found.p_lower == pytest.approx(row["p_lower"], rel=1e-6)
    assert found.p_upper == pytest.approx(row["p_upper"], rel=1e-6)
    assert found.p == pytest.approx(row["p_tost"], rel=1e-6)
    assert bounds(clopper_pearson_interval(k, n, level=0.90)) == pytest.approx(row["ci90"], rel=1e-6)
