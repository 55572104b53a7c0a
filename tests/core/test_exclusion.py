"""Participants are left out by the declared rules, with evidence; what cannot be told is not assessed."""

from dataclasses import replace

import numpy as np
import pytest

from answers import Rater, a_rater, a_table, some_stimuli
from builders import s3
from limen.core.analysis.trials import NO_TIME, NOT_KNOWN, Participants, TrialTable
from limen.core.criteria import ExclusionKind, ExclusionRule, Scope
from limen.core.exclusion import Judged, judge_participants, main_task


def _judge(*raters: Rater) -> Judged:
    return judge_participants(a_table(raters), s3())


def _rules_hit(judged: Judged) -> list[list[str]]:
    return [[rule.value for rule in exclusion.rules] for exclusion in judged.exclusions]


def test_nobody_is_left_out_without_a_reason() -> None:
    judged = _judge(a_rater(), a_rater(0, 10), a_rater(10, 10))
    assert judged.exclusions == ()
    assert judged.kept.all()
    assert all(rule.assessed and rule.hits == 0 for rule in judged.rules)


def test_one_answer_short_is_incomplete() -> None:
    judged = _judge(a_rater(), a_rater(answered=22))
    (exclusion,) = judged.exclusions
    assert exclusion.participant == "P002"
    assert exclusion.first is ExclusionKind.INCOMPLETE
    assert exclusion.evidence == "answered 22 of 23 trials"


def test_two_failed_checks_exclude_and_one_does_not() -> None:
    judged = _judge(a_rater(fails=1), a_rater(fails=2), a_rater(fails=3))
    assert judged.kept.tolist() == [True, False, False]
    assert judged.exclusions[0].evidence == "failed 2 of 3 attention checks (ATT_GIBBERISH, ATT_IDENTICAL)"
    assert judged.exclusions[1].evidence.startswith("failed 3 of 3")


def test_the_time_must_be_strictly_less() -> None:
    judged = _judge(a_rater(task_ms=299_999), a_rater(task_ms=300_000))
    assert judged.kept.tolist() == [False, True]
    assert judged.exclusions[0].evidence == ("main task in 299,999 ms, less than 300,000 ms (by the server's clock)")


def test_all_responses_identical_looks_at_all_trials() -> None:
    honest = a_rater(0, 0)  # notices nothing in 20 pairs, but answers the checks
    asleep = a_rater(0, 0, fails=2)
    stubborn = a_rater(10, 10, fails=0)
    judged = _judge(honest, asleep, stubborn)
    assert judged.kept.tolist() == [True, False, True]


def test_identical_answers_hit_the_fourth_rule_too() -> None:
    table = a_table([a_rater(0, 0)])
    same = replace(table, off=np.zeros(table.rows, dtype=np.bool_))
    (exclusion,) = judge_participants(same, s3()).exclusions
    assert [rule.value for rule in exclusion.rules] == ["attention", "no_variance"]
    assert exclusion.first is ExclusionKind.ATTENTION
    assert exclusion.evidence.endswith("; answered NORMAL in all 23 trials")


def test_over_the_pairs_the_honest_are_lost() -> None:
    rule = ExclusionRule(rule=ExclusionKind.NO_VARIANCE, over=Scope.PAIRS)
    protocol = replace(s3(), exclusions=(rule,))
    judged = judge_participants(a_table([a_rater(0, 0), a_rater(10, 10), a_rater(1, 0)]), protocol)
    assert [e.evidence for e in judged.exclusions] == [
        "answered NORMAL in all 20 pairs",
        "answered SOMETHINGS_OFF in all 20 pairs",
    ]


def test_every_rule_hit_is_recorded_and_the_first_in_order_counted() -> None:
    judged = _judge(a_rater(fails=2, task_ms=1000), a_rater(answered=3), a_rater())
    assert _rules_hit(judged) == [["attention", "too_fast"], ["incomplete"]]
    assert {rule.rule.value: (rule.hits, rule.first_hits) for rule in judged.rules} == {
        "incomplete": (1, 1),
        "attention": (1, 1),
        "too_fast": (1, 0),
        "no_variance": (0, 0),
    }
    assert judged.kept_without(ExclusionKind.ATTENTION).tolist() == [False, False, True]
    assert judged.kept_without(ExclusionKind.ATTENTION, ExclusionKind.TOO_FAST).tolist() == [True, False, True]


def test_who_did_not_complete_is_not_judged_by_time_or_variance() -> None:
    judged = _judge(a_rater(0, 0, answered=5, task_ms=1000))
    assert _rules_hit(judged) == [["incomplete"]]


def test_whoever_started_and_answered_nothing_is_incomplete() -> None:
    judged = _judge(a_rater(), a_rater(answered=0))
    assert judged.exclusions[0].evidence == "answered 0 of 23 trials"


def _bare(table: TrialTable) -> TrialTable:
    """Take out everything that the instrument's columns alone do not say."""
    return replace(table, participants=Participants.of(table.participants.ids))


def test_a_table_without_checks_leaves_two_rules_unassessed() -> None:
    pairs = tuple(s for s in some_stimuli() if s.is_pair)
    table = replace(_bare(a_table([a_rater(0, 0)] * 2, stimuli=pairs)), response_time_ms=None)
    reports = {rule.rule.value: rule for rule in judge_participants(table, s3()).rules}
    assert [name for name, rule in reports.items() if not rule.assessed] == ["attention", "too_fast", "no_variance"]
    assert "the protocol has 23" in reports["incomplete"].remark
    assert reports["attention"].remark == "the table holds 0 attention checks whose right answer is known, of 3"
    assert judge_participants(table, s3()).kept.all()


def test_two_of_three_checks_are_judged_and_said() -> None:
    stimuli = tuple(s for s in some_stimuli() if s.stimulus_id != "ATT_IDENTICAL")
    table = _bare(a_table([a_rater(fails=2), a_rater()], stimuli=stimuli))
    judged = judge_participants(table, s3())
    attention = next(rule for rule in judged.rules if rule.rule is ExclusionKind.ATTENTION)
    assert attention.assessed
    assert attention.remark == "only 2 of 3 attention checks could be judged"
    assert judged.kept.tolist() == [False, True]


def test_from_a_table_alone_the_time_runs_from_the_first_trial_to_the_last_answer() -> None:
    table = _bare(a_table([a_rater(response_time_ms=30_000)]))
    assert main_task(table).ms.tolist() == [22 * 30_000 + 30_000]


def test_a_missing_timestamp_leaves_the_time_unknown() -> None:
    table = _bare(a_table([a_rater(), a_rater()]))
    assert table.timestamp_us is not None
    stamps = table.timestamp_us.copy()
    stamps[22] = NO_TIME
    holed = replace(table, timestamp_us=stamps)
    assert main_task(holed).ms.tolist() == [NOT_KNOWN, 690_000]
    report = next(r for r in judge_participants(holed, s3()).rules if r.rule is ExclusionKind.TOO_FAST)
    assert report.remark == "not assessed for 1 participant whose time is not known"


def test_in_a_smaller_set_the_plan_says_what_is_complete() -> None:
    stimuli = some_stimuli(pairs=8)
    judged = judge_participants(a_table([a_rater(pairs=8, baseline=1, target=6)], stimuli=stimuli), s3())
    assert judged.exclusions == ()
    assert all(rule.assessed for rule in judged.rules)


@pytest.mark.parametrize("people", [0, 1])
def test_nobody_and_no_rules_are_no_trouble(people: int) -> None:
    protocol = replace(s3(), exclusions=())
    judged = judge_participants(a_table([a_rater(fails=3)] * people), protocol)
    assert judged.kept.sum() == people
