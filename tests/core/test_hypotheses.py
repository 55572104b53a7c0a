"""Hypotheses are answered clause by clause, and say undetermined where they must."""

import pytest

from answers import a_conclusion, a_rater, a_table, some_stimuli
from limen.core.analysis.estimates import Undetermined
from limen.core.hypotheses import all_of

UNKNOWN = Undetermined(reason="no answers")


@pytest.mark.parametrize(
    ("clauses", "together"),
    [
        ({"a": True, "b": True}, True),
        ({"a": True, "b": False}, False),
        ({"a": UNKNOWN, "b": False}, False),
        ({"a": UNKNOWN, "b": True}, UNKNOWN),
    ],
)
def test_one_clause_that_fails_decides(clauses: dict[str, bool | Undetermined], together: object) -> None:
    assert all_of(clauses) == together


def test_raters_who_notice_meet_h1_and_miss_h2() -> None:
    found = a_conclusion(a_table([a_rater(1, 8, shift=k) for k in range(10)]))[1]
    assert found.h1.met is True
    assert list(found.h1.clauses) == ["a1", "a2", "a3"]
    assert found.h1.words["a1"].found == "80 % (80 of 100)"
    assert found.h2.clauses["accuracy_near_chance"] is False
    assert found.h2.met is False
    assert "cannot test whether baseline drift is detected" in found.h2.remark
    assert found.h3.clauses["kappa_above_threshold"] is False


def test_guessing_meets_h2() -> None:
    found = a_conclusion(a_table([a_rater(5, 5, shift=k) for k in range(10)]))[1]
    assert found.h2.clauses["accuracy_near_chance"] is True
    assert found.h2.clauses["not_different_from_chance"] is True
    assert found.h2.clauses["no_pattern_between_pairs"] is True
    assert found.h1.met is False


def test_agreement_on_the_target_and_less_on_the_baseline_meets_h3() -> None:
    people = [a_rater(3, 6) for _ in range(10)]
    mixed = [
        type(p)(off={"BASELINE": a_rater(3, 6, shift=k).off["BASELINE"], "CATASTROPHIC": p.off["CATASTROPHIC"]})
        for k, p in enumerate(people)
    ]
    assert a_conclusion(a_table(mixed))[1].h3.met is True


def test_what_is_undefined_is_undetermined_not_false() -> None:
    found = a_conclusion(a_table([a_rater(0, 0) for _ in range(6)]))[1]
    assert isinstance(found.h1.clauses["a3"], Undetermined)
    assert isinstance(found.h3.met, Undetermined)
    assert "all raters gave one answer" in found.h3.words["kappa_above_threshold"].found


@pytest.mark.parametrize("raters", [1, 4])
def test_below_the_minimum_of_raters_no_hypothesis_is_met_or_missed(raters: int) -> None:
    found = a_conclusion(a_table([a_rater(1, 9, shift=k) for k in range(raters)]))[1]
    assert found.h1.met == found.h2.met == found.h3.met == Undetermined(reason="fewer than 5 raters")
    assert found.h1.clauses["a1"] is True
    assert found.h2.clauses["accuracy_near_chance"] is False


def test_at_the_minimum_of_raters_the_clauses_decide() -> None:
    found = a_conclusion(a_table([a_rater(1, 9, shift=k) for k in range(5)]))[1]
    assert found.h1.met is True


def test_without_baseline_answers_h2_is_undetermined() -> None:
    stimuli = tuple(s for s in some_stimuli() if s.condition != "BASELINE")
    found = a_conclusion(a_table([a_rater(shift=k) for k in range(6)], stimuli=stimuli))[1]
    assert found.h1.met == found.h2.met == found.h3.met == Undetermined(reason="a condition has no answers")
