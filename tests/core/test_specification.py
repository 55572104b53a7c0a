"""The specification table has the rows of the rulings, each with its own letter and effect."""

from dataclasses import replace

import pytest

from answers import a_rater, a_table
from builders import s3
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import TrialTable
from limen.core.criteria import ExclusionKind, ExclusionRule, Scope
from limen.core.exclusion import judge_participants
from limen.core.flagging import flag_participants
from limen.core.protocol import Protocol
from limen.core.sample import take_sample
from limen.core.specification import Result, SpecificationRow, tabulate_specifications

PEOPLE = [
    *(a_rater(2, 8, shift=k) for k in range(6)),
    a_rater(0, 0),  # honest, notices nothing
    a_rater(5, 5, fails=2),
    a_rater(5, 5, task_ms=1000),
    a_rater(5, 5, answered=15),
    a_rater(5, 5, answered=0),
    a_rater(2, 9, copies=1),
]


def _rows(table: TrialTable, protocol: Protocol | None = None) -> dict[str, SpecificationRow]:
    protocol = protocol or s3()
    judged = judge_participants(table, protocol)
    sample = take_sample(table, protocol, judged.kept)
    unfitted = Undetermined(reason="not fitted")
    found = tabulate_specifications(sample, protocol, judged, flag_participants(table), unfitted)
    return {row.key: row for row in found}


@pytest.fixture(scope="module")
def rows() -> dict[str, SpecificationRow]:
    return _rows(a_table(PEOPLE))


def _result(row: SpecificationRow) -> Result:
    assert isinstance(row.result, Result)
    return row.result


def test_every_row_of_the_rulings_is_there(rows: dict[str, SpecificationRow]) -> None:
    assert list(rows) == [
        "declared",
        "without_incomplete",
        "without_attention",
        "without_too_fast",
        "without_no_variance",
        "without_exclusions",
        "no_variance_over_pairs",
        "other_agreement_scope",
        "strict_pairs",
        "without_flagged",
    ]


@pytest.mark.parametrize(
    ("key", "raters", "complete"),
    [
        ("declared", 8, 8),
        ("without_incomplete", 9, 8),
        ("without_attention", 9, 9),
        ("without_too_fast", 9, 9),
        ("without_no_variance", 8, 8),
        ("without_exclusions", 11, 10),
        ("no_variance_over_pairs", 7, 7),
        ("other_agreement_scope", 8, 8),
        ("strict_pairs", 8, 8),
        ("without_flagged", 7, 7),
    ],
)
def test_a_row_counts_those_it_says(rows: dict[str, SpecificationRow], key: str, raters: int, complete: int) -> None:
    result = _result(rows[key])
    assert (result.raters, result.complete_raters) == (raters, complete)


def test_with_missing_answers_counts_use_all_and_kappa_the_complete(rows: dict[str, SpecificationRow]) -> None:
    row = rows["without_incomplete"]
    assert row.remark == "κ and the crossed interval rest on 8 raters with all pairs answered"
    declared, more = _result(rows["declared"]), _result(row)
    assert more.fleiss_kappa == declared.fleiss_kappa
    assert more.difference == declared.difference
    assert more.off_rates["baseline"] == pytest.approx((6 * 2 + 0 + 2 + 5) / 90)
    assert more.ac1 != declared.ac1


def test_strict_pairs_leave_out_those_whose_a_drifted(rows: dict[str, SpecificationRow]) -> None:
    assert rows["strict_pairs"].remark == "5 of 20 pairs left out"


def test_what_the_table_does_not_say_is_undetermined() -> None:
    table = a_table(PEOPLE)
    bare = replace(
        table,
        stimuli=tuple(replace(s, drift_a=None, words_a=None) for s in table.stimuli),
        copies=None,
        focus_losses=None,
    )
    rows = _rows(bare)
    assert isinstance(rows["strict_pairs"].result, Undetermined)
    assert isinstance(rows["without_flagged"].result, Undetermined)


def test_flags_that_cannot_be_told_are_named() -> None:
    rows = _rows(replace(a_table(PEOPLE), focus_losses=None))
    assert rows["without_flagged"].remark == "not assessed: lost focus"


def test_a_protocol_that_looks_at_the_pairs_is_shown_over_all_trials() -> None:
    rules = (ExclusionRule(rule=ExclusionKind.NO_VARIANCE, over=Scope.PAIRS),)
    rows = _rows(a_table(PEOPLE[:7]), replace(s3(), exclusions=rules))
    assert _result(rows["declared"]).raters == 6
    assert _result(rows["no_variance_over_all"]).raters == 7
