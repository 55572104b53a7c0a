"""d′, c, ln β and AUC against R and a published handout."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limen.core.analysis.sensitivity import Sensitivity, sensitivity

CASE: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "sdt_yes_no.json").read_text())
ABSOLUTE = CASE["tolerance"]["abs"]


def label(row: dict[str, Any]) -> str:
    return f"{row['hits']}-{row['false_alarms']}"


@pytest.mark.parametrize("row", CASE["cases"], ids=label)
def test_corrected_values_are_those_of_r(row: dict[str, Any]) -> None:
    found = sensitivity(row["hits"], row["signal_trials"], row["false_alarms"], row["noise_trials"])
    expected = row["loglinear"]
    assert found.hit_rate == pytest.approx(expected["hit_rate"], abs=ABSOLUTE)
    assert found.false_alarm_rate == pytest.approx(expected["fa_rate"], abs=ABSOLUTE)
    assert found.d_prime == pytest.approx(expected["dprime"], abs=ABSOLUTE)
    assert found.criterion == pytest.approx(expected["c"], abs=ABSOLUTE)
    assert found.ln_beta == pytest.approx(expected["ln_beta"], abs=ABSOLUTE)
    assert found.auc == pytest.approx(expected["auc_equal_variance"], abs=ABSOLUTE)


@pytest.mark.parametrize("row", [row for row in CASE["cases"] if row["raw"]["dprime"] is not None], ids=label)
def test_uncorrected_rates_give_the_values_of_r(row: dict[str, Any]) -> None:
    expected = row["raw"]
    found = Sensitivity(hit_rate=np.array(expected["hit_rate"]), false_alarm_rate=np.array(expected["fa_rate"]))
    assert found.d_prime == pytest.approx(expected["dprime"], abs=ABSOLUTE)
    assert found.criterion == pytest.approx(expected["c"], abs=ABSOLUTE)
    assert found.ln_beta == pytest.approx(expected["ln_beta"], abs=ABSOLUTE)


@pytest.mark.parametrize("row", CASE["published_handout"], ids=lambda row: f"{row['H']}-{row['F']}")
def test_printed_rows_come_out(row: dict[str, Any]) -> None:
    found = Sensitivity(hit_rate=np.array(row["H"]), false_alarm_rate=np.array(row["F"]))
    tolerance = CASE["tolerance"]["published_abs"]
    assert found.d_prime == pytest.approx(row["dprime"], abs=tolerance)
    assert np.exp(found.ln_beta) == pytest.approx(row["beta"], abs=tolerance)
