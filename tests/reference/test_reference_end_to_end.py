"""The study cases go through raw_responses.csv, as a researcher would hand them in."""

import csv
import json
from pathlib import Path

import pytest

from answers import NOW, making
from builders import s3
from limen.core.findings import Analysis
from limen.dataset.responses import Reading, read_responses
from limen.workflow.analyze import analyze

CASES = Path(__file__).parent / "cases"
CONDITIONS = {"0": "BASELINE", "1": "CATASTROPHIC"}
HEADER = ["participant_id", "trial_number", "pair_id", "condition", "response", "response_time_ms", "timestamp"]


def _as_responses(source: Path, path: Path) -> Path:
    """Write a case as the instrument's seven columns; its raters have no times."""
    with source.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for row in rows:
            answer = "SOMETHINGS_OFF" if row["y"] == "1" else "NORMAL"
            number = int(row["item"].lstrip("I")) + 1
            writer.writerow([row["rater"], number, row["item"], CONDITIONS[row["cond"]], answer, "", ""])
    return path


@pytest.mark.parametrize("name", ["study10x20_01", "study10x20_02", "study10x20_03"])
def test_a_study_case_comes_out_as_the_named_functions_give_it(name: str, tmp_path: Path) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    path = _as_responses(CASES / case["input"], tmp_path / "raw_responses.csv")
    collected = read_responses(path, Reading(protocol=s3(), now=NOW))
    found: Analysis = analyze(collected, s3(), making())
    wanted, rel = case["expected"], case["tolerance"]["rel"]
    specified = found.as_specified
    assert collected.problems == ()
    assert (found.n.started, found.n.excluded, found.n.analyzed) == (10, 0, 10)
    assert specified.conditions["catastrophic"].off == wanted["k_catastrophic_off"]
    assert specified.conditions["baseline"].off == wanted["k_baseline_off"]
    assert specified.conditions["catastrophic"].accuracy == pytest.approx(wanted["catastrophic_accuracy"], rel=rel)
    assert specified.conditions["baseline"].accuracy == pytest.approx(wanted["baseline_accuracy"], rel=rel)
    assert specified.binomial.p == pytest.approx(wanted["binom_p_greater"], rel=rel)
    assert specified.chi_square.statistic == pytest.approx(wanted["chi2"]["statistic"], rel=rel)
    assert specified.chi_square.p == pytest.approx(wanted["chi2"]["p"], rel=rel)
    assert specified.chi_square.dof == wanted["chi2"]["dof"]
    for scope, expected in wanted["agreement"].items():
        key = scope.removesuffix("_pairs")
        beside = found.companions.agreement[key]
        assert specified.fleiss_kappa[key] == pytest.approx(expected["fleiss_kappa"], rel=rel)
        assert beside.alpha.value == pytest.approx(expected["krippendorff_alpha"], rel=rel)  # type: ignore[union-attr]
        assert beside.ac1.value == pytest.approx(expected["gwet_ac1"], abs=case["tolerance"]["ac1_abs"])  # type: ignore[union-attr]
