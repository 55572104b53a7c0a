from dataclasses import replace

import pytest

from builders import a_conversation, metrics, prose, s3, without_quota
from limen.core.conversation import Conversation, without_void_drift
from limen.core.drift import measure
from limen.core.funnel import DropReason, Tally
from limen.core.pair import Pair, cell_of
from limen.core.pairing import find_pairs, resolve_provider, shared_sequences
from limen.core.protocol import Protocol


def _pairs(
    conversation: Conversation, protocol: Protocol | None = None, provider: str = "openai"
) -> tuple[list[Pair], Tally]:
    tally = Tally()
    found = list(find_pairs(without_void_drift(conversation), provider, protocol or s3(), None, tally))
    return found, tally


def _reasons(tally: Tally, condition: str) -> dict[str, int]:
    return {reason.value: n for (name, _, reason), n in tally.dropped.items() if name == condition and n}


def test_baseline_takes_a_from_replies_1_to_3_and_b_from_4_to_6() -> None:
    pairs, _ = _pairs(a_conversation([0.1] * 8))
    numbers = {(pair.a.number, pair.b.number) for pair in pairs}
    assert numbers == {(a, b) for a in (1, 2, 3) for b in (4, 5, 6)}


def test_catastrophic_takes_b_from_reply_4_to_the_end() -> None:
    pairs, _ = _pairs(a_conversation([0.5, 0.5, 1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 1.1]))
    assert {(pair.condition, pair.a.number, pair.b.number) for pair in pairs} == {
        ("CATASTROPHIC", a, b) for a in (1, 2, 3) for b in (4, 9)
    }


def test_baseline_needs_both_drifts_below_the_threshold() -> None:
    pairs, tally = _pairs(a_conversation([0.1, 0.3, 0.31, 0.299, 0.3, 0.1]))
    assert {(pair.a.number, pair.b.number) for pair in pairs} == {(1, 4), (1, 6)}
    assert _reasons(tally, "BASELINE") == {"out_of_band": 7}


def test_a_drift_of_exactly_one_is_not_catastrophic() -> None:
    pairs, _ = _pairs(a_conversation([0.5, 0.5, 0.5, 1.0]))
    assert pairs == []


def test_strict_also_bounds_a_in_the_target_condition() -> None:
    strict = replace(s3(), selection=replace(s3().selection, strict=True))
    pairs, _ = _pairs(a_conversation([0.1, 0.5, 0.2, 1.5]), strict)
    assert {(pair.a.number, pair.b.number) for pair in pairs} == {(1, 4), (3, 4)}


def test_every_reason_is_counted_once_at_the_first_step_it_meets() -> None:
    long, short = prose(240, "x"), prose(100, "y")
    endless = "word " * 400
    texts = ["", "Error: timeout", "[mock] reply", long, long, long]
    _, tally = _pairs(a_conversation([0.1] * 6, texts=texts))
    assert _reasons(tally, "BASELINE") == {"empty": 3, "error_text": 3, "mock_text": 3}
    _, tally = _pairs(a_conversation([0.1] * 6, texts=[long, short, endless, long + " More.", "", short]))
    # reply 1 against itself with one word more is a near-duplicate; 5 is empty; 2 and 6 are short; 3 cannot be cut
    assert _reasons(tally, "BASELINE") == {"empty": 3, "too_short": 4, "no_excerpt": 1, "near_duplicate": 1}
    _, tally = _pairs(a_conversation([0.1] * 4, reference="Error: timeout"))
    assert _reasons(tally, "BASELINE") == {"reference_invalid": 3}
    _, tally = _pairs(a_conversation([None] * 4))
    assert _reasons(tally, "BASELINE") == {"no_drift": 3}


def test_candidates_are_either_dropped_or_left() -> None:
    pairs, tally = _pairs(a_conversation([0.1, 0.4, 0.2, 0.1, 0.9, 0.2, 1.5, 1.2]))
    for condition in ("BASELINE", "CATASTROPHIC"):
        left = sum(pair.condition == condition for pair in pairs)
        assert tally.candidates[condition, "openai"] == sum(_reasons(tally, condition).values()) + left
        steps = list(tally.funnel((condition,)))
        assert steps[-1].left == left
        assert [step.reason for step in steps] == list(DropReason)


def test_drift_is_measured_on_what_is_shown_and_both_numbers_are_kept() -> None:
    metric = metrics().find("keyword-rms/limen-1")
    plain = prose(240, "plain")
    turning = prose(290, "turning") + " " + "Perhaps I feel afraid of myself forever. " * 30
    measured = measure(a_conversation([0.0] * 4, texts=[plain, plain[::-1], plain[::-1], turning]), metric)
    assert measured.replies[3].turn.drift is not None
    assert measured.replies[3].turn.drift > 1.0
    tally = Tally()
    assert list(find_pairs(measured, "openai", s3(), metric, tally)) == []
    assert _reasons(tally, "CATASTROPHIC")["excerpt_left_band"] == 3


def test_a_recorded_metric_keeps_the_full_text_drift_and_says_so() -> None:
    pairs, _ = _pairs(a_conversation([0.1, 0.1, 0.1, 0.2], words=[240, 240, 240, 400]))
    assert pairs
    assert all("drift_of_full_text" in pair.flags and pair.b.drift_score == 0.2 for pair in pairs)
    assert all(pair.b.excerpted and pair.b.words <= 300 for pair in pairs)


@pytest.mark.parametrize(
    ("ending", "flagged"), [("", False), ("  \n", False), (" I am Claude.", True), (" **So.**", True)]
)
def test_a_recorded_drift_is_flagged_where_other_words_are_shown_than_were_logged(ending: str, flagged: bool) -> None:
    texts = [prose(240, f"r{n}") for n in range(3)] + [prose(240, "r3") + ending]
    pairs, _ = _pairs(a_conversation([0.1, 0.1, 0.1, 0.2], texts=texts))
    assert pairs
    assert all(not pair.b.excerpted for pair in pairs)
    assert all(("drift_of_full_text" in pair.flags) == flagged for pair in pairs)


def test_an_unknown_metric_is_flagged() -> None:
    pairs, _ = _pairs(a_conversation(metric="unknown"))
    assert all("metric_unknown" in pair.flags for pair in pairs)


def test_a_missing_topic_is_proposed_from_the_beginning_only_and_marked() -> None:
    with_topic, _ = _pairs(a_conversation(topic="A discussion about bees."))
    assert with_topic[0].context == "A discussion about bees."
    early = "Bees love clover. " + prose(230, "early")
    later = [prose(240, "later1"), prose(240, "later2")]
    one, _ = _pairs(a_conversation([0.1] * 4, topic=None, texts=[early, "", "", later[0]]))
    other, _ = _pairs(a_conversation([0.1] * 4, topic=None, texts=[early, "", "", later[1]]))
    assert one[0].context == other[0].context
    assert "context_proposed" in one[0].flags


def test_self_reference_counts_unless_it_is_not_allowed() -> None:
    conversation = a_conversation([0.1] * 6)
    assert conversation.drift is not None
    within = replace(
        conversation,
        turns=tuple(replace(turn, is_reference=False) for turn in conversation.turns),
        drift=replace(conversation.drift, reference="replies:1-5"),
    )
    pairs, _ = _pairs(within)
    assert pairs
    assert all("self_reference" in pair.flags for pair in pairs)
    forbidden = replace(s3(), selection=replace(s3().selection, allow_self_reference=False))
    assert _pairs(within, forbidden)[0] == []


@pytest.mark.parametrize(
    ("provider", "model", "by_id", "expected"),
    [
        ("anthropic", None, {}, "anthropic"),
        ("Anthropic", None, {}, "anthropic"),
        ("gpt-4o-mini", None, {}, "openai"),
        ("together", "llama3.3-70b", {}, "other"),
        (None, "claude-haiku-3.5", {}, "anthropic"),
        (None, "models/gemini-2.0-flash", {}, "google"),
        (None, "o3-mini", {}, "openai"),
        (None, "chatgpt-4o-latest", {}, "openai"),
        (None, "dolphin-mixtral", {}, "other"),
        (None, "zephyr", {}, "unknown"),
        (None, None, {"tribunal_1": "xai"}, "xai"),
        (None, None, {"020A:tribunal_1": "xai"}, "xai"),
        ("cohere-labs", None, {}, "other"),
        (None, "solo1", {}, "unknown"),
    ],
)
def test_the_provider_comes_from_the_record_then_the_model_then_the_table(
    provider: str | None, model: str | None, by_id: dict[str, str], expected: str
) -> None:
    conversation = a_conversation(id="020A:tribunal_1", provider=provider, model=model)
    assert resolve_provider(conversation, s3(), by_id) == expected


def test_an_unknown_provider_fills_no_cell_unless_there_is_no_quota() -> None:
    baseline = s3().conditions[0]
    assert cell_of("unknown", baseline, s3()) is None
    assert cell_of("cohere", baseline, s3()) == "other"
    assert cell_of("unknown", baseline, without_quota(s3())) == "any"


def test_an_unknown_provider_can_lend_a_baseline_text_but_no_other() -> None:
    pairs, tally = _pairs(a_conversation([0.1, 0.1, 0.1, 0.1, 1.5], provider=None), provider="unknown")
    assert {pair.condition for pair in pairs} == {"BASELINE"}
    assert tally.dropped["CATASTROPHIC", "unknown", DropReason.NO_PROVIDER] == 3
    assert tally.dropped["BASELINE", "unknown", DropReason.NO_PROVIDER] == 3


def test_shared_sequences_is_the_share_of_the_shorter_text() -> None:
    text = prose(100, "s")
    assert shared_sequences(text, text) == 1.0
    assert shared_sequences(text, text + " " + prose(100, "t")) == 1.0
    assert shared_sequences(text, prose(100, "u")) == 0.0
    assert shared_sequences("short text", "short text") == 1.0
