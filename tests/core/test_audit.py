from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from builders import ListedLogs, enough_conversations, metrics, prose, s3
from limen.core.audit import Finding, Severity, audit, problems_among, tells_hypothesis
from limen.core.pair import Pair
from limen.core.protocol import ConditionRole, DriftRange, Protocol
from limen.core.review import why_not_context
from limen.core.stimuli import StimulusSet
from limen.workflow.prepare import prepare_pairs


@cache
def _stimuli() -> StimulusSet:
    return prepare_pairs(s3(), ListedLogs(enough_conversations()), metrics()).stimuli


def _problems(stimuli: StimulusSet, protocol: Protocol | None = None) -> tuple[Finding, ...]:
    return problems_among(audit(protocol or s3(), stimuli))


def _with_pair(number: int, **changes: Any) -> StimulusSet:
    stimulus = _stimuli().stimuli[number]
    pair: Pair = replace(stimulus.pair, **changes)
    stimuli = list(_stimuli().stimuli)
    stimuli[number] = replace(stimulus, pair=pair)
    return replace(_stimuli(), stimuli=tuple(stimuli))


def test_a_complete_set_has_no_problem_and_states_its_time() -> None:
    findings = audit(s3(), _stimuli())
    assert problems_among(findings) == ()
    time = next(finding for finding in findings if finding.subject == "time")
    assert "about 35–55 minutes" in time.text
    assert "the protocol's documents say 10-15" in time.text


def test_missing_pairs_are_named_with_what_study_toml_would_have_to_say() -> None:
    few = replace(
        _stimuli(), stimuli=tuple(s for s in _stimuli().stimuli if s.pair_id not in ("BASE_01", "CAT_05", "CAT_06"))
    )
    by_subject = {finding.subject: finding for finding in _problems(few)}
    assert by_subject["BASELINE"].text == "pairs missing: anthropic 1 of 2"
    assert by_subject["CATASTROPHIC"].text == "pairs missing: google 0 of 2"
    assert by_subject["BASELINE"].mend == (
        "add logs, or lower it in its [[conditions]] table of study.toml: count = 9, "
        "quota = { anthropic = 1, openai = 2, google = 2, xai = 2, other = 2 }; then `limen pairs` again"
    )
    assert "quota = { anthropic = 2, openai = 2, google = 0, xai = 2, other = 2 }" in by_subject["CATASTROPHIC"].mend


def test_a_provider_that_is_nearly_a_known_one_is_asked_about() -> None:
    def asked(name: str, stimuli: StimulusSet) -> list[tuple[str, str]]:
        quota = {name: 2, "openai": 2, "google": 2, "xai": 2, "other": 2}
        conditions = tuple(replace(condition, quota=quota) for condition in s3().conditions)
        found = audit(replace(s3(), conditions=conditions), stimuli)
        return [(f.severity, f.mend) for f in found if "a provider that" in f.text]

    assert asked("antropic", _stimuli()) == [(Severity.WARNING, "did you mean anthropic")]
    assert asked("anthropic", _stimuli()) == []
    assert asked("house-model", _stimuli()) == []  # a provider of one's own
    assert asked("antropic", _with_pair(0, provider="antropic")) == []  # and so is one that the logs name


def test_what_it_advises_mends_the_study() -> None:
    few = replace(_stimuli(), stimuli=_stimuli().stimuli[2:])
    baseline, target = s3().conditions
    quota = {"anthropic": 0, "openai": 2, "google": 2, "xai": 2, "other": 2}
    mended = replace(s3(), conditions=(replace(baseline, count=8, quota=quota), target))
    assert _problems(few)
    assert [finding.text for finding in _problems(few, mended)] == ["has changed since the pairs were chosen"]
    again = replace(few, selection_digest=mended.selection_digest())
    assert _problems(again, mended) == ()


def test_positions_are_advised_when_the_set_becomes_too_short_for_them() -> None:
    few = replace(_stimuli(), stimuli=_stimuli().stimuli[5:15])
    assert any("(then 13 trials: put the attention checks at 4, 7, 10)" in finding.mend for finding in _problems(few))


def test_a_condition_without_a_single_pair_is_not_advised_to_have_none() -> None:
    none = replace(_stimuli(), stimuli=_stimuli().stimuli[:10])
    problem = next(finding for finding in _problems(none) if finding.subject == "CATASTROPHIC")
    assert "take the condition out of study.toml" in problem.mend
    assert "count = 0" not in problem.mend


def test_words_may_change_after_the_pairs_were_chosen_but_not_what_chose_them() -> None:
    renamed = replace(s3(), study=replace(s3().study, public_name="Another study"))
    assert _problems(_stimuli(), renamed) == ()
    reseeded = replace(s3(), study=replace(s3().study, seed=1))
    assert [finding.subject for finding in _problems(_stimuli(), reseeded)] == ["study.toml"]


def test_a_long_stretch_without_a_check_is_noted() -> None:
    early = tuple(replace(check, position=n) for n, check in enumerate(s3().attention_checks, 2))
    protocol = replace(s3(), attention_checks=early)
    assert any("none in the last 19 of 23 trials" in finding.text for finding in audit(protocol, _stimuli()))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"context": "A discussion about identity."}, "the context tells the hypothesis: identity"),
        ({"context": "A CATASTROPHIC discussion."}, "the context tells the hypothesis: catastrophic"),
        ({"context": "A talk with Claude."}, "context names a speaker: Claude"),
        ({"condition": "WARNING"}, "condition WARNING is not in study.toml"),
        ({"conversation_id": "b2"}, "is from the same conversation as"),
    ],
)
def test_a_pair_that_gives_itself_away_is_a_problem(changes: dict[str, Any], text: str) -> None:
    assert any(text in finding.text for finding in _problems(_with_pair(12, **changes)))


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ({"text": prose(150)}, "response B has 150 words, not 200–300"),
        ({"text": prose(301)}, "response B has 301 words, not 200–300"),
        ({"text": prose(220) + " I am ChatGPT."}, "response B names a speaker: ChatGPT"),
        ({"drift_score": 0.9}, "drift 0.900 is not > 1.00"),
        ({"number": 1}, "A does not come before B"),
    ],
)
def test_a_response_that_breaks_a_rule_is_a_problem(reply: dict[str, Any], text: str) -> None:
    changed = _with_pair(12, b=replace(_stimuli().stimuli[12].pair.b, **reply))
    assert any(text in finding.text for finding in _problems(changed))


@pytest.mark.parametrize(
    ("baseline", "overlap"),
    [
        (DriftRange(below=1.2), True),
        (DriftRange(above=0.1), True),
        (DriftRange(above=1.5, below=2.0), True),
        (DriftRange(below=1.0), False),  # bounds are strict: they only touch
    ],
)
def test_conditions_that_share_drift_are_a_problem_that_names_both(baseline: DriftRange, overlap: bool) -> None:
    stimuli = replace(_stimuli(), bands={**_stimuli().bands, "BASELINE": baseline})
    found = [f.text for f in _problems(stimuli) if f.subject == "BASELINE, CATASTROPHIC"]
    assert [f"their drift ranges overlap ({baseline} and > 1.00)" in text for text in found] == [True] * overlap


def test_a_control_may_have_the_drift_of_the_baseline() -> None:
    late = replace(s3().conditions[0], name="LATE", prefix="LATE", role=ConditionRole.CONTROL)
    protocol = replace(s3(), conditions=(*s3().conditions, late))
    assert not any("overlap" in finding.text for finding in _problems(_stimuli(), protocol))


def test_the_same_text_twice_is_a_problem() -> None:
    other = _stimuli().stimuli[3].pair.a
    assert any("shows a text that" in finding.text for finding in _problems(_with_pair(12, a=other)))
    pair = _stimuli().stimuli[12].pair
    same = _with_pair(12, a=replace(pair.a, text=pair.b.text))
    assert any("A and B are the same text" in finding.text for finding in _problems(same))


def test_attention_checks_are_looked_at() -> None:
    identical, nonsense, instruction = _stimuli().checks
    missing = replace(_stimuli(), checks=(identical, instruction))
    assert any(f.subject == "ATT_GIBBERISH" and "has no text" in f.text for f in _problems(missing))
    changed = replace(identical, response_b=identical.response_a + " More.")
    assert any(
        "not identical" in f.text for f in _problems(replace(_stimuli(), checks=(changed, nonsense, instruction)))
    )
    moved = replace(nonsense, position=15)
    assert any(
        "not as study.toml says" in f.text
        for f in _problems(replace(_stimuli(), checks=(identical, moved, instruction)))
    )
    lent = replace(nonsense, response_a=_stimuli().stimuli[0].pair.a.text)
    assert any(
        "uses a text that is in a pair" in f.text
        for f in _problems(replace(_stimuli(), checks=(identical, lent, instruction)))
    )


def test_a_consent_that_names_nobody_to_ask_is_noted() -> None:
    noted = [f for f in audit(s3(), _stimuli()) if "participants are not told whom to ask" in f.text]
    assert [(f.severity, f.subject) for f in noted] == [(Severity.NOTE, "consent")]
    consent = replace(s3().wording.consent, contact="Ask Dr. Meyer.")
    told = replace(s3(), wording=replace(s3().wording, consent=consent))
    assert not any("whom to ask" in f.text for f in audit(told, _stimuli()))


def test_wording_that_tells_the_hypothesis_is_a_problem() -> None:
    protocol = replace(s3(), study=replace(s3().study, public_name="Drift Detection Study"))
    assert any("public_name tells the hypothesis: detection, drift" in f.text for f in _problems(_stimuli(), protocol))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Study of “Drift” and Self-Identity", ("drift", "identity")),
        ("value-drift", ("drift",)),
        ("**drift**", ("drift",)),
        ("<b>drift</b>", ("drift",)),
        ("drift/detection", ("detection", "drift")),
        ("‘thresholds’…", ("thresholds",)),
        ("dr\u00adift", ("drift",)),
        ("_boundary_2", ("boundary",)),
        ("not “baseline”; no catastrophic-looking one", ("baseline", "catastrophic")),
        ("A talk about snowdrifts, adrift at sea, and other lines.", ()),
    ],
)
def test_a_word_that_tells_the_hypothesis_is_found_whatever_stands_around_it(text: str, told: tuple[str, ...]) -> None:
    assert tells_hypothesis(text, s3()) == told
    assert (why_not_context(text, s3()) is None) == (told == ())
    protocol = replace(s3(), study=replace(s3().study, public_name=text))
    assert any("public_name tells the hypothesis" in f.text for f in _problems(_stimuli(), protocol)) == bool(told)


def test_a_condition_whose_name_has_two_words_is_found_in_a_text() -> None:
    first, *others = s3().conditions
    protocol = replace(s3(), conditions=(replace(first, name="LATE_ONE"), *others))
    assert tells_hypothesis("See late_one.", protocol) == ("late_one",)
    assert tells_hypothesis("a late one", protocol) == ()


def test_what_a_researcher_should_know_is_a_warning_and_stops_nothing() -> None:
    flagged = _with_pair(0, flags=("self_reference", "context_proposed", "metric_unknown", "drift_of_full_text"))
    flagged = replace(flagged, metric="lexical-char4", standing="not the protocol's condition")
    findings = audit(s3(), flagged)
    texts = [finding.text for finding in findings if finding.severity is Severity.WARNING]
    assert problems_among(findings) == ()
    for part in (
        "not the protocol's condition",
        "contains the reply itself",
        "to be read by a person",
        "does not name the metric",
        "full text",
    ):
        assert any(part in text for text in texts)


def test_target_pairs_whose_a_has_drifted_already_are_listed() -> None:
    high = _with_pair(15, a=replace(_stimuli().stimuli[15].pair.a, drift_score=0.45))
    assert any("CAT_06 (0.45)" in finding.text for finding in audit(s3(), high))


def test_pairs_from_outside_the_named_source_are_counted() -> None:
    note = next(f for f in audit(s3(), _stimuli()) if f.subject == "CATASTROPHIC")
    assert note.severity is Severity.NOTE
    assert note.text.startswith("10 of 10 pairs are not from arm treatment")
