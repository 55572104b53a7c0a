"""The real logs, where they lie beside this checkout. They are never copied into the repository."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from builders import metrics, s3
from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.reading import LogFiles
from limen.workflow.preparation import Preparation, PrepareOptions
from limen.workflow.prepare import prepare_pairs

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not beside this checkout")


@cache
def _items() -> tuple[Conversation | LogProblem, ...]:
    return tuple(LogFiles(names=[str(DATA)]).read())


@cache
def _preparation(reuse: bool = False, providers: bool = False) -> Preparation:
    protocol = replace(s3(), selection=replace(s3().selection, reuse_conversations=reuse))
    table = {f"tribunal_v8_{name}": "openai" for name in ("629e1ad7", "6edc0f6e", "149e6473", "83e5530a")}
    options = PrepareOptions(providers=table if providers else {})
    return prepare_pairs(protocol, LogFiles(names=[str(DATA)]), metrics(), options)


def test_every_text_is_read_and_every_record_without_one_is_counted() -> None:
    conversations = [item for item in _items() if isinstance(item, Conversation)]
    assert len(conversations) == 28 + 23 + 3
    reasons = Counter(item.reason.partition(":")[0] for item in _items() if isinstance(item, LogProblem))
    assert reasons == {"no text": 31 + 1, "no drift": 2}


def test_every_drift_sequence_finds_its_replies() -> None:
    conversations = [item for item in _items() if isinstance(item, Conversation) and item.drift]
    references = Counter(c.drift.reference.partition(":")[0] for c in conversations if c.drift)
    assert references == {"replies": 26, "turn": 26}
    longest = next(c for c in conversations if c.id == "020A:tribunal_v8_b247b62e")
    assert len(longest.replies) == 33


def test_the_counts_are_those_that_were_ruled() -> None:
    filled = Counter((s.pair.condition, s.pair.provider) for s in _preparation().stimuli.stimuli)
    assert filled == {
        ("BASELINE", "anthropic"): 1,
        ("BASELINE", "openai"): 2,
        ("BASELINE", "google"): 1,
        ("BASELINE", "xai"): 2,
        ("BASELINE", "other"): 2,
        ("CATASTROPHIC", "anthropic"): 2,
        ("CATASTROPHIC", "openai"): 2,
        ("CATASTROPHIC", "google"): 2,
        ("CATASTROPHIC", "other"): 2,
    }
    assert not _preparation().stimuli.complete
    assert _preparation().stimuli.spares_missing == 0
    conversations = [s.pair.conversation_id for s in _preparation().stimuli.stimuli]
    assert len(set(conversations)) == len(conversations) == 16


def test_with_reuse_the_baseline_is_full() -> None:
    filled = Counter(s.pair.condition for s in _preparation(reuse=True).stimuli.stimuli)
    assert filled == {"BASELINE": 10, "CATASTROPHIC": 8}


def test_the_funnel_says_why_xai_has_no_catastrophic_pair() -> None:
    steps = [f for f in _preparation().stimuli.funnel if (f.condition, f.provider) == ("CATASTROPHIC", "xai")]
    assert {step.reason: step.dropped for step in steps if step.dropped} == {"out_of_band": 201, "too_short": 3}
    assert steps[-1].left == 0


def test_naming_providers_by_id_makes_more_candidates() -> None:
    named = {s.pair.conversation_id for s in _preparation(providers=True).stimuli.stimuli}
    assert len(named) == 16
    candidates = [
        f
        for f in _preparation(providers=True).stimuli.funnel
        if (f.condition, f.provider, f.reason) == ("BASELINE", "openai", "empty")
    ]
    before = [
        f
        for f in _preparation().stimuli.funnel
        if (f.condition, f.provider, f.reason) == ("BASELINE", "openai", "empty")
    ]
    assert candidates[0].left > before[0].left


def test_an_empty_reply_has_no_drift() -> None:
    empty = [
        reply.turn
        for item in _items()
        if isinstance(item, Conversation)
        for reply in item.replies
        if not reply.turn.text.strip()
    ]
    assert len(empty) > 28
    shown = {text for s in _preparation().stimuli.stimuli for text in (s.pair.a.text, s.pair.b.text)}
    assert all(200 <= len(text.split()) <= 300 for text in shown)
