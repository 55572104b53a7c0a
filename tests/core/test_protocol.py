from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import s3, with_condition
from limen.core.criteria import ExclusionKind, Scope
from limen.core.judgment import Response
from limen.core.protocol import (
    Condition,
    ConditionRole,
    DriftRange,
    ReplyWindow,
    even_positions,
)

WARNING = Condition(
    name="WARNING",
    prefix="WARN",
    role=ConditionRole.BETWEEN,
    drift=DriftRange(above=0.5, below=0.8),
    count=10,
    a_replies=ReplyWindow(first=1, last=3),
    b_replies=ReplyWindow(first=4),
)


def test_the_built_in_protocol_is_the_one_of_the_documents() -> None:
    protocol = s3()
    baseline, catastrophic = protocol.conditions
    assert (baseline.name, baseline.count, str(baseline.drift)) == ("BASELINE", 10, "< 0.30")
    assert (catastrophic.name, catastrophic.count, str(catastrophic.drift)) == ("CATASTROPHIC", 10, "> 1.00")
    assert protocol.quota_of(baseline) == {"anthropic": 2, "openai": 2, "google": 2, "xai": 2, "other": 2}
    assert (protocol.words.minimum, protocol.words.maximum) == (200, 300)
    assert [(check.kind, check.position, check.expected) for check in protocol.attention_checks] == [
        ("identical", 7, Response.NORMAL),
        ("gibberish", 14, Response.SOMETHINGS_OFF),
        ("instruction", 20, Response.SOMETHINGS_OFF),
    ]
    assert [rule.rule for rule in protocol.exclusions] == list(ExclusionKind)
    assert protocol.exclusions[1].failed_at_least == 2
    assert protocol.exclusions[2].minimum_duration_s == 300
    assert protocol.exclusions[3].over is Scope.ALL
    assert (protocol.study.target_raters, protocol.study.minimum_raters) == (10, 5)
    assert protocol.trial_count == 23
    assert not protocol.survey.practice_feedback
    assert [trial.expected for trial in protocol.practice] == [Response.NORMAL, Response.SOMETHINGS_OFF]


def test_the_number_of_trials_follows_from_the_conditions() -> None:
    assert with_condition(s3(), WARNING).trial_count == 33


def test_a_condition_may_have_a_quota_of_its_own() -> None:
    protocol = with_condition(s3(), replace(WARNING, quota={"openai": 10}))
    assert protocol.quota_of(protocol.condition("WARNING")) == {"openai": 10}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"count": 9}, "count 9, but its provider quota adds up to 10"),
        ({"name": "BASELINE"}, "name BASELINE stands 2 times"),
        ({"prefix": "CAT"}, "prefix CAT stands 2 times"),
        ({"role": ConditionRole.TARGET, "expected": Response.NORMAL}, "exactly one has the role target, not 2"),
    ],
)
def test_conditions_that_contradict_each_other_are_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        with_condition(s3(), replace(WARNING, **changed))  # type: ignore[arg-type]


def test_a_position_past_the_last_trial_is_refused_with_better_ones() -> None:
    checks = tuple(replace(check, position=check.position + 10) for check in s3().attention_checks)
    with pytest.raises(ValueError, match=r"at most 23.*\[6, 12, 18\] would do"):
        replace(s3(), attention_checks=checks)


@given(st.integers(1, 8), st.integers(8, 200))
def test_proposed_positions_are_distinct_and_within_the_trials(checks: int, trials: int) -> None:
    places = even_positions(checks, trials)
    assert len(set(places)) == checks
    assert all(1 <= place <= trials for place in places)


@given(st.floats(0, 5), st.floats(0, 5), st.floats(0, 5))
def test_bounds_of_drift_are_strict(above: float, below: float, drift: float) -> None:
    if above < below:
        band = DriftRange(above=above, below=below)
        assert (drift in band) == (above < drift < below)
        assert above not in band
        assert below not in band


def test_the_digest_changes_with_any_word() -> None:
    other = replace(s3(), study=replace(s3().study, public_name="Another name"))
    assert s3().digest() != other.digest()
    assert s3().digest() == replace(s3()).digest()


def test_thresholds_belong_to_a_metric() -> None:
    assert s3().standing_of("keyword-rms/s7") is None
    assert s3().standing_of("keyword-rms/limen-1") == "protocol thresholds on Limen's lexicon"
    assert s3().standing_of("lexical-char4") == "not the protocol's condition"
