"""Agreement against published values, R irr and irrCAC."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limen.core.analysis.agreement import (
    category_counts,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)

CASES = Path(__file__).parent / "cases"


def a_case(name: str) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
    return case


def columns(name: str) -> list[list[str]]:
    """Read the table below its header and right of its first column."""
    with (CASES / f"{name}.csv").open(newline="") as lines:
        return [row[1:] for row in list(csv.reader(lines))[1:]]


def counts_of_raw(name: str) -> NDArray[np.int64]:
    raw = np.array(columns(name))
    categories = sorted(set(raw[raw != ""].tolist()))
    codes = np.array([[categories.index(cell) if cell else -1 for cell in row] for row in raw])
    return category_counts(codes.T, len(categories))


def test_fleiss_on_wikipedia() -> None:
    case = a_case("fleiss_wikipedia")
    counts = np.array(columns("fleiss_wikipedia"), dtype=int)
    expected, tolerance = case["expected"], case["tolerance"]["abs"]
    assert fleiss_kappa(counts) == pytest.approx(expected["fleiss_kappa_published"], abs=tolerance)
    assert percent_agreement(counts) == pytest.approx(expected["pbar_published"], abs=tolerance)


def test_fleiss_in_his_own_paper() -> None:
    case = a_case("fleiss1971_diagnoses")
    expected, tolerance = case["expected"], case["tolerance"]
    kappa = fleiss_kappa(counts_of_raw("fleiss1971_diagnoses"))
    assert kappa == pytest.approx(expected["fleiss_kappa_published"], abs=tolerance["abs_published"])
    assert kappa == pytest.approx(expected["fleiss_kappa_irr"], abs=tolerance["abs_irr"])


@pytest.mark.parametrize("name", ["gwet_raw_4raters", "gwet_raw_gender"])
def test_coefficients_with_missing_ratings_are_those_of_irrcac(name: str) -> None:
    case = a_case(name)
    expected, tolerance = case["expected"], case["tolerance"]["coefficient_abs"]
    counts = counts_of_raw(name)
    assert gwet_ac1(counts) == pytest.approx(expected["gwet_ac1"]["value"], abs=tolerance)
    assert fleiss_kappa(counts) == pytest.approx(expected["fleiss_kappa"]["value"], abs=tolerance)
    assert percent_agreement(counts) == pytest.approx(expected["fleiss_kappa"]["pa"], abs=tolerance)
    alpha = expected["krippendorff_alpha_nominal"]["value"]
    assert krippendorff_alpha(counts) == pytest.approx(alpha, abs=tolerance)
