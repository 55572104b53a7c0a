import json
from dataclasses import asdict, fields, replace
from functools import cache

from builders import ListedLogs, enough_conversations, metrics, s3
from limen.core.blinding import BlindedSession, BlindedTrial, blind_session, blind_study
from limen.core.ordering import plan_session
from limen.core.stimuli import StimulusSet
from limen.workflow.prepare import prepare_pairs

FORBIDDEN_FIELDS = {
    "condition",
    "drift",
    "drift_score",
    "provider",
    "model",
    "turn",
    "pair_id",
    "stimulus_id",
    "expected",
    "kind",
    "check_id",
    "conversation_id",
    "flags",
    "qualifying",
    "tags",
}


@cache
def _stimuli() -> StimulusSet:
    return prepare_pairs(s3(), ListedLogs(enough_conversations()), metrics()).stimuli


def _session(number: int = 1) -> BlindedSession:
    plan = plan_session(s3(), _stimuli(), f"order/{number}")
    return blind_session(blind_study(s3(), _stimuli()), plan, _stimuli(), lambda n: f"opaque-{n}")


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in _keys(inner)}
    if isinstance(value, list | tuple):
        return {key for inner in value for key in _keys(inner)}
    return set()


def test_a_blinded_trial_has_these_fields_and_no_other() -> None:
    assert [field.name for field in fields(BlindedTrial)] == ["token", "context", "response_a", "response_b"]


def test_nothing_in_a_session_tells_a_condition() -> None:
    session = asdict(_session())
    assert not _keys(session) & FORBIDDEN_FIELDS
    encoded = json.dumps(session)
    hidden = {s.pair_id for s in _stimuli().stimuli} | {c.check_id for c in _stimuli().checks}
    hidden |= {f'"{s.pair.conversation_id}"' for s in _stimuli().stimuli}
    hidden |= {"BASELINE", "CATASTROPHIC", "keyword-rms", "SOMETHINGS_OFF", "Expected answer"}
    assert [value for value in hidden if value in encoded] == []


def test_trials_are_in_the_order_of_the_plan() -> None:
    plan = plan_session(s3(), _stimuli(), "order/3")
    texts = {s.pair_id: s.pair.a.text for s in _stimuli().stimuli} | {
        c.check_id: c.response_a for c in _stimuli().checks
    }
    assert [trial.response_a for trial in _session(3).trials] == [texts[name] for name in plan.stimulus_ids]


def test_feedback_is_sent_only_when_the_protocol_turns_it_on() -> None:
    study = blind_study(s3(), _stimuli())
    assert [practice.feedback for practice in study.practice] == [None, None]
    on = replace(s3(), survey=replace(s3().survey, practice_feedback=True))
    assert [practice.feedback for practice in blind_study(on, _stimuli()).practice] == [
        "Expected answer: NORMAL (coherent continuation, same helpful tone)",
        "Expected answer: SOMETHING'S OFF (obvious incoherence)",
    ]


def test_whom_to_ask_is_the_last_paragraph_of_the_consent_and_part_of_its_version() -> None:
    without = blind_study(s3(), _stimuli())
    consent = replace(s3().wording.consent, contact="Ask Dr. Meyer about the {public_name}.")
    study = blind_study(replace(s3(), wording=replace(s3().wording, consent=consent)), _stimuli())
    assert study.wording.consent.paragraphs == (
        *without.wording.consent.paragraphs,
        f"Ask Dr. Meyer about the {s3().study.public_name}.",
    )
    assert study.consent_version != without.consent_version


def test_the_consent_states_the_computed_duration_and_its_version_follows_the_text() -> None:
    study = blind_study(s3(), _stimuli())
    assert "about 35–55 minutes, less if you go with your first impression" in study.wording.consent.paragraphs[1]
    assert "{" not in "".join(study.wording.consent.paragraphs)
    slower = replace(s3(), survey=replace(s3().survey, reading_speed_wpm=120))
    assert blind_study(slower, _stimuli()).consent_version != study.consent_version
