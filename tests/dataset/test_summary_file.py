"""summary_stats.csv is tidy, says why a number is missing, and holds what the figures show."""

import csv
import io
from functools import cache

import pytest

from answers import a_rater, a_table, an_analysis
from limen.core.analysis.estimates import Undetermined
from limen.core.debrief import DebriefRecord
from limen.core.findings import Analysis
from limen.dataset.summary_file import COLUMNS, encode_summary


@cache
def _analysis() -> Analysis:
    people = [*(a_rater(2, 8, shift=k) for k in range(5)), a_rater(answered=6), a_rater(1, 9, shift=4)]
    return an_analysis(a_table(people), debrief=(DebriefRecord(participant="P001", strategies=(0,), age=2),))


def _rows(analysis: Analysis) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(encode_summary(analysis).decode())))


def _one(measure: str, scope: str) -> dict[str, str]:
    (row,) = [row for row in _rows(_analysis()) if (row["measure"], row["scope"]) == (measure, scope)]
    return row


def test_every_row_has_the_seven_columns_and_a_value_or_a_reason() -> None:
    for row in _rows(_analysis()):
        assert tuple(row) == COLUMNS
        assert row["value"] or row["method"].startswith("undetermined: "), row
        assert (row["low"] == "") == (row["high"] == "")


@pytest.mark.parametrize(
    ("measure", "scope", "value"),
    [
        ("participants", "started", "7"),
        ("participants", "analyzed", "6"),
        ("excluded_by_rule", "incomplete", "1"),
        ("off", "catastrophic", "49"),
        ("outcome", "all", "A"),
        ("answer_off", "P001/BASE_01", "1"),
        ("answer_off", "P001/BASE_10", "0"),
        ("rater_off_rate", "P001/catastrophic", "0.8"),
        ("left_after", "6 trials", "1"),
        ("attention_failed", "ATT_IDENTICAL", "0"),
        ("debrief_strategy", "The response didn't make sense", "1"),
        ("specification_outcome", "declared", "A"),
    ],
)
def test_a_number_stands_where_it_is_looked_for(measure: str, scope: str, value: str) -> None:
    assert _one(measure, scope)["value"] == value


def test_numbers_are_those_of_the_analysis_unrounded() -> None:
    found = _analysis()
    assert float(_one("chi_square", "all")["value"]) == found.as_specified.chi_square.statistic
    difference = found.companions.crossed_t.difference.difference
    assert not isinstance(difference, Undetermined)
    row = _one("off_rate_difference", "target − baseline")
    assert float(row["value"]) == difference.value
    assert row["low"] == repr(difference.interval.low)  # type: ignore[union-attr]


def test_every_figure_finds_its_data() -> None:
    rows = _rows(_analysis())
    for measure, count in {
        "rater_off_rate": 6 * 2,
        "answer_off": 6 * 20,
        "pair_off_rate": 20,
        "pair_off_rate_shrunken": 20,
        "pair_drift_b": 20,
        "response_time_quantile_ms": 6 * 21,
        "response_time_bin": 6 * 24,
        "specification_difference": 10,
        "provider_off_rate": 10,
    }.items():
        assert sum(row["measure"] == measure for row in rows) == count, measure


def test_no_cell_can_be_run_by_a_spreadsheet() -> None:
    people = [a_rater(2, 8, shift=k) for k in range(2)]
    found = an_analysis(a_table(people, ids=lambda number: f"=P{number}"))
    for row in _rows(found):
        assert not row["scope"].startswith(("=", "+", "@"))
        assert not row["method"].startswith(("=", "+", "@"))
