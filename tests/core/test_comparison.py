from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from builders import s3, with_condition
from limen.core.analysis.estimates import Undetermined
from limen.core.comparison import DriftTable, Judge, compare
from limen.core.protocol import Condition, ConditionRole, DriftRange, ReplyWindow

KEYWORDS = Judge(metric="keyword-rms/limen-1")
RECORDED = Judge(metric="keyword-rms/s7", recorded=True)
COSINE = Judge(metric="cosine/some/model")
OTHER = Judge(metric="lexical-char4")


def _table(columns: Mapping[Judge, list[float | None]]) -> DriftTable:
    table = DriftTable()
    for row in zip(*columns.values(), strict=True):
        table.add({judge: drift for judge, drift in zip(columns, row, strict=True) if drift is not None})
    return table


def test_the_protocols_thresholds_decide_for_the_metrics_they_are_declared_for() -> None:
    drifts: list[float | None] = [0.1, 0.29, 0.30, 0.6, 1.0, 1.01]
    found = compare(_table({KEYWORDS: drifts, RECORDED: drifts}), s3())
    for bounds in found.bounds:
        assert bounds.how == "the study's thresholds"
        assert dict(bounds.counts) == {"BASELINE": 2, "CATASTROPHIC": 1}
        assert [bounds.condition_of(drift or 0) for drift in drifts] == ["BASELINE"] * 2 + [None] * 3 + ["CATASTROPHIC"]
    assert found.agreements[0].differing == 0


@given(
    st.lists(st.tuples(st.floats(0, 2), st.integers(0, 10**6)), min_size=3, max_size=60, unique_by=lambda pair: pair[1])
)
def test_another_metric_puts_as_many_replies_into_each_condition(drifts: list[tuple[float, int]]) -> None:
    table = _table({KEYWORDS: [x for x, _ in drifts], COSINE: [float(y) for _, y in drifts]})
    declared, other = compare(table, s3()).bounds
    assert other.how == "as many replies in each condition as by keyword-rms/limen-1"
    assert other.counts == declared.counts


def test_a_metric_that_sees_the_same_in_other_numbers_agrees_wholly() -> None:
    drifts = [0.0, 0.2, 0.25, 0.5, 1.2, 1.5]
    found = compare(_table({KEYWORDS: [*drifts], COSINE: [d / 10 for d in drifts]}), s3()).agreements[0]
    assert (found.rank_correlation, found.differing, found.opposite, found.n) == (1.0, 0.0, 0.0, 6)


def test_a_metric_that_sees_the_opposite_is_told_so() -> None:
    drifts: list[float | None] = [0.0, 0.2, 0.5, 0.6, 1.2, 1.5]
    found = compare(_table({KEYWORDS: drifts, COSINE: drifts[::-1]}), s3()).agreements[0]
    assert found.rank_correlation == -1.0
    assert found.differing == found.opposite == 4 / 6


def test_without_a_declared_metric_bounds_are_at_quarters() -> None:
    drifts: list[float | None] = [k / 10 for k in range(8)]
    bounds = compare(_table({COSINE: drifts, OTHER: drifts}), s3()).bounds[0]
    assert bounds.how == "at quantiles of its own"
    assert dict(bounds.counts) == {"BASELINE": 2, "CATASTROPHIC": 2}


def test_quantiles_that_are_asked_for_hold_for_every_metric() -> None:
    shares = {"BASELINE": DriftRange(below=0.5), "CATASTROPHIC": DriftRange(above=0.9)}
    drifts: list[float | None] = [k / 10 for k in range(10)]
    for bounds in compare(_table({KEYWORDS: drifts, COSINE: drifts}), s3(), shares).bounds:
        assert bounds.how == "at quantiles of its own"
        assert dict(bounds.counts) == {"BASELINE": 5, "CATASTROPHIC": 1}


def test_a_condition_between_is_matched_too_or_stays_empty() -> None:
    warning = Condition(
        name="WARNING",
        prefix="WARN",
        role=ConditionRole.BETWEEN,
        drift=DriftRange(above=0.5, below=0.8),
        count=10,
        a_replies=ReplyWindow(first=1, last=3),
        b_replies=ReplyWindow(first=4),
    )
    protocol = replace(with_condition(s3(), warning))
    cosine: list[float | None] = [1.0, 2.0, 3.0, 4.0]
    full = compare(_table({KEYWORDS: [0.1, 0.6, 0.7, 1.2], COSINE: cosine}), protocol)
    assert dict(full.bounds[1].counts) == {"BASELINE": 1, "CATASTROPHIC": 1, "WARNING": 2}
    empty = compare(_table({KEYWORDS: [0.1, 0.2, 0.9, 1.2], COSINE: cosine}), protocol)
    assert empty.bounds[1].counts.get("WARNING", 0) == 0


def test_only_replies_that_both_judged_are_held_against_each_other() -> None:
    table = _table({KEYWORDS: [0.1, 0.2, None, 1.2], RECORDED: [None, 0.2, 0.3, 1.2]})
    found = compare(table, s3())
    assert (found.replies, found.agreements[0].n) == (4, 2)
    assert found.agreements[0].rank_correlation == Undetermined(reason="fewer than 3 values")
    assert [bounds.n for bounds in found.bounds] == [3, 3]


def test_two_that_have_no_reply_in_common_are_not_compared() -> None:
    found = compare(_table({KEYWORDS: [0.1, None], RECORDED: [None, 0.2]}), s3()).agreements[0]
    assert found.differing == found.opposite == Undetermined(reason="no reply was judged by both")


def test_a_judge_that_says_nothing_is_left_out() -> None:
    table = DriftTable({COSINE: []})
    table.add({KEYWORDS: 0.1})
    assert [bounds.judge for bounds in compare(table, s3()).bounds] == [KEYWORDS]
    assert compare(DriftTable(), s3()).bounds == ()


def test_a_column_that_comes_late_has_none_before() -> None:
    table = DriftTable()
    table.add({KEYWORDS: 0.1})
    table.add({RECORDED: 0.2})
    assert table.columns == {KEYWORDS: [0.1, None], RECORDED: [None, 0.2]}
