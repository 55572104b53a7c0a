import itertools
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import pytest

from builders import metrics, s3, with_condition
from limen.core.audit import audit, problems_among
from limen.core.conversation import Conversation
from limen.core.drift import KeywordRms, measure
from limen.core.log_problems import LogProblem
from limen.core.protocol import Condition, ConditionRole, DriftRange, ReplyWindow
from limen.demo.example import example_log
from limen.logs.formats.canonical import to_record
from limen.logs.reading import LogFiles
from limen.workflow.preparation import Preparation
from limen.workflow.prepare import prepare_pairs

WARNING = Condition(
    name="WARNING",
    prefix="WARN",
    role=ConditionRole.BETWEEN,
    drift=DriftRange(above=0.5, below=0.8),
    count=10,
    a_replies=ReplyWindow(first=1, last=3),
    b_replies=ReplyWindow(first=4),
)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("example") / "example.jsonl"
    path.write_bytes(example_log())
    return path


@cache
def _items(log: Path) -> tuple[Conversation | LogProblem, ...]:
    return tuple(LogFiles(names=[str(log)]).read())


def _conversations(log: Path) -> list[Conversation]:
    return [item for item in _items(log) if isinstance(item, Conversation)]


def _with_drift(log: Path) -> list[Conversation]:
    return [conversation for conversation in _conversations(log) if conversation.drift]


@cache
def _preparation(log: Path, warning: bool = False) -> Preparation:
    protocol = with_condition(s3(), WARNING) if warning else s3()
    return prepare_pairs(protocol, LogFiles(names=[str(log)]), metrics())


def test_it_fills_all_slots_with_two_pairs_a_provider_and_condition(log: Path) -> None:
    stimuli = _preparation(log).stimuli
    assert stimuli.complete
    cells = [(s.pair.condition, s.pair.provider) for s in stimuli.stimuli]
    assert len(cells) == 20
    assert all(cells.count(cell) == 2 for cell in set(cells))
    assert all(200 <= side.words <= 300 for s in stimuli.stimuli for side in (s.pair.a, s.pair.b))
    assert problems_among(audit(s3(), stimuli)) == ()


def test_it_fills_a_warning_condition_too(log: Path) -> None:
    stimuli = _preparation(log, warning=True).stimuli
    assert stimuli.complete
    assert len(stimuli.stimuli) == 30
    assert all(0.5 < s.pair.b.drift_score < 0.8 for s in stimuli.stimuli if s.pair.condition == "WARNING")


def test_it_has_at_least_thirty_conversations_on_different_subjects_and_a_few_bad_records(log: Path) -> None:
    topics = [conversation.topic for conversation in _with_drift(log)]
    assert len(topics) >= 30
    assert len(set(topics)) == len(topics)
    assert 2 <= sum(isinstance(item, LogProblem) for item in _items(log)) <= 6
    assert len(_conversations(log)) - len(topics) == 2  # read, but without a drift: a failed reference, silent replies


def test_no_two_texts_share_more_than_a_tenth_of_their_six_word_sequences(log: Path) -> None:
    sequences: dict[tuple[str, int], set[tuple[str, ...]]] = {}
    holders: dict[tuple[str, ...], set[tuple[str, int]]] = defaultdict(set)
    for conversation in _conversations(log):
        for turn in conversation.turns:
            words = re.findall(r"\w+", turn.text.lower())
            key = (conversation.id, turn.i)
            sequences[key] = {tuple(words[k : k + 6]) for k in range(len(words) - 5)}
            for sequence in sequences[key]:
                holders[sequence].add(key)
    shared: dict[tuple[tuple[str, int], tuple[str, int]], int] = defaultdict(int)
    for keys in holders.values():
        for both in itertools.combinations(sorted(keys), 2):
            shared[both] += 1
    too_alike = [
        (one, other, count)
        for (one, other), count in shared.items()
        if count > 0.1 * min(len(sequences[one]), len(sequences[other]))
    ]
    assert too_alike == []


def test_its_drift_is_what_the_metric_says_of_its_text(log: Path) -> None:
    metric = metrics().find("keyword-rms/limen-1")
    for conversation in _with_drift(log):
        assert conversation.drift is not None
        assert conversation.drift.metric == metric.name
        bare = replace(
            conversation,
            drift=None,
            turns=tuple(replace(t, drift=None, is_reference=False) for t in conversation.turns),
        )
        measured = measure(bare, metric)
        assert [turn.drift for turn in measured.turns] == pytest.approx(
            [turn.drift for turn in conversation.turns], abs=1e-12
        )


def test_a_catastrophic_reply_does_not_merely_repeat_words_of_the_lexicon(log: Path) -> None:
    metric = metrics().find("keyword-rms/limen-1")
    assert isinstance(metric, KeywordRms)
    for s in _preparation(log).stimuli.stimuli:
        if s.pair.condition == "CATASTROPHIC":
            text = s.pair.b.text
            density = sum(metric.densities(text))
            assert density < 10, f"{s.pair_id}: {density:.1f} keywords in 100 words"
            words = text.lower().split()
            assert len(set(words)) > 0.45 * len(words), f"{s.pair_id} repeats itself"


def test_it_says_that_it_was_written_for_demonstration(log: Path) -> None:
    notes = {conversation.tags.get("note") for conversation in _conversations(log)}
    assert notes == {"written for demonstration; provider and model are placeholders"}
    assert all(conversation.model and conversation.model.startswith("example-") for conversation in _conversations(log))


def test_it_is_written_as_limen_writes_logs(log: Path) -> None:
    written = {msgspec.json.encode(to_record(conversation)) for conversation in _with_drift(log)}
    assert written <= set(example_log().splitlines())
