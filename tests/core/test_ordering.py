from collections import Counter
from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from builders import ListedLogs, enough_conversations, metrics, s3
from limen.core.ordering import plan_session
from limen.core.stimuli import StimulusSet
from limen.workflow.prepare import prepare_pairs


@cache
def _stimuli() -> StimulusSet:
    return prepare_pairs(s3(), ListedLogs(enough_conversations()), metrics()).stimuli


@given(st.integers(1, 10_000))
def test_every_plan_shows_every_stimulus_once_with_the_checks_at_their_positions(number: int) -> None:
    plan = plan_session(s3(), _stimuli(), f"order/{number}")
    everything = [s.pair_id for s in _stimuli().stimuli] + [c.check_id for c in _stimuli().checks]
    assert Counter(plan.stimulus_ids) == Counter(everything)
    assert plan.trial_count == 23
    assert [plan.stimulus_ids[place - 1] for place in (7, 14, 20)] == [
        "ATT_IDENTICAL",
        "ATT_GIBBERISH",
        "ATT_INSTRUCTION",
    ]
    assert not plan.moved_checks


def test_a_plan_is_the_same_for_the_same_participant_and_differs_between_participants() -> None:
    plans = [plan_session(s3(), _stimuli(), f"order/{n}").stimulus_ids for n in range(200)]
    assert len(set(plans)) == 200
    assert plan_session(s3(), _stimuli(), "order/17") == plan_session(s3(), _stimuli(), "order/17")


def test_every_pair_is_about_equally_likely_at_every_trial() -> None:
    firsts = Counter(plan_session(s3(), _stimuli(), f"order/{n}").stimulus_ids[0] for n in range(4000))
    # 200 expected each; 5 standard deviations of a binomial(4000, 1/20) are 69
    assert len(firsts) == 20
    assert all(abs(count - 200) < 69 for count in firsts.values())


def test_an_incomplete_set_moves_the_checks_to_the_last_places_and_says_so() -> None:
    few = replace(_stimuli(), stimuli=_stimuli().stimuli[:10])
    plan = plan_session(s3(), few, "order/1")
    assert plan.moved_checks
    assert plan.trial_count == 13
    assert [plan.stimulus_ids.index(name) + 1 for name in ("ATT_IDENTICAL", "ATT_GIBBERISH", "ATT_INSTRUCTION")] == [
        7,
        12,
        13,
    ]
