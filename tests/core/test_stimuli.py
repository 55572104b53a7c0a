from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from builders import ListedLogs, enough_conversations, metrics, s3
from limen.core.excerpt import count_words
from limen.core.judgment import Response
from limen.core.stimuli import OPENING_GIBBERISH, StimulusSet, gibberish, minutes_to_read, total_words
from limen.workflow.prepare import prepare_pairs

NATURAL = "A sentence with words of a natural length, some short and others considerably longer."


def _stimuli(spares: int = 2) -> StimulusSet:
    return prepare_pairs(s3(), ListedLogs(enough_conversations(spares=spares)), metrics()).stimuli


def test_pairs_are_numbered_within_their_condition() -> None:
    ids = [stimulus.pair_id for stimulus in _stimuli().stimuli]
    assert ids == [f"BASE_{n:02}" for n in range(1, 11)] + [f"CAT_{n:02}" for n in range(1, 11)]


def test_the_identical_check_shows_one_spare_text_twice() -> None:
    stimuli = _stimuli()
    identical, gibberish_check, instruction = stimuli.checks
    shown = {text for s in stimuli.stimuli for text in (s.pair.a.text, s.pair.b.text)}
    assert identical.response_a == identical.response_b
    assert identical.expected is Response.NORMAL
    assert identical.response_a not in shown
    assert gibberish_check.response_a not in shown | {identical.response_a}
    assert gibberish_check.source != identical.source
    assert instruction.context == "This is an attention check."


def test_without_two_spares_the_set_is_not_complete() -> None:
    stimuli = _stimuli(spares=1)
    assert not stimuli.shortfalls
    assert stimuli.spares_missing == 1
    assert not stimuli.complete
    assert [check.check_id for check in stimuli.checks] == ["ATT_IDENTICAL", "ATT_INSTRUCTION"]
    assert _stimuli().complete


@given(st.integers(0, 10**9))
def test_gibberish_has_the_limits_words_of_natural_length_and_no_vowel(seed: int) -> None:
    protocol = replace(s3(), study=replace(s3().study, seed=seed))
    made = gibberish(protocol, NATURAL)
    words = [word.strip(".").lower() for word in made.split()]
    assert 200 <= count_words(made) <= 300
    assert tuple(words[:5]) == tuple(word.lower() for word in OPENING_GIBBERISH)
    assert not set("".join(words[5:])) & set("aeiou")
    lengths = {max(2, len(word.strip(".,"))) for word in NATURAL.split()}
    assert {len(word) for word in words[5:]} <= lengths
    assert made == gibberish(protocol, NATURAL)


def test_the_duration_is_computed_from_the_words_shown() -> None:
    stimuli = _stimuli()
    # 20 pairs and 2 checks of 2 × 240 words, give or take the nonsense, and the short instruction check
    assert 10_300 < total_words(stimuli) < 10_800
    assert minutes_to_read(stimuli, s3()) == "35–55"
    assert minutes_to_read(replace(stimuli, stimuli=stimuli.stimuli[:1], checks=()), s3()) == "5"  # not 5–5


def test_the_distance_from_a_to_b_is_given_by_both_metrics() -> None:
    assert all(
        set(s.pair.drift_a_to_b) == {"keyword-rms/limen-1", "lexical-char4"}
        and s.pair.drift_a_to_b["lexical-char4"] > 0
        for s in _stimuli().stimuli
    )


def test_the_digest_is_of_what_is_shown() -> None:
    stimuli = _stimuli()
    first = stimuli.stimuli[0]
    other = replace(first, pair=replace(first.pair, context="Another context."))
    assert stimuli.digest() != replace(stimuli, stimuli=(other, *stimuli.stimuli[1:])).digest()
    assert stimuli.digest() == replace(stimuli, strict_count=99).digest()
