import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

from builders import ListedLogs, a_conversation, metrics, s3
from limen.core.conversation import Conversation
from limen.core.protocol import Protocol
from limen.core.randomness import Stream
from limen.workflow.prepare import prepare_pairs

DRIFTS = ((0.1, 0.1, 0.1, 0.2), (0.4, 0.4, 0.4, 1.2))


def _small() -> Protocol:
    """One pair of one provider a condition: its pools are full after a few dozen conversations."""
    conditions = tuple(replace(c, count=1, quota={"openai": 1}) for c in s3().conditions)
    checks = tuple(replace(check, position=k) for k, check in enumerate(s3().attention_checks, 1))
    return replace(s3(), conditions=conditions, attention_checks=checks)


def _conversations(count: int) -> Iterator[Conversation]:
    stream = Stream(1, "memory")
    for n in range(count):
        texts = [f"{' '.join(f'w{stream.below(5000)}' for _ in range(210))}." for _ in range(4)]
        yield a_conversation(DRIFTS[n % 2], id=f"c{n}", texts=texts)


def _peak(count: int) -> int:
    tracemalloc.start()
    preparation = prepare_pairs(_small(), ListedLogs(_conversations(count)), metrics())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert preparation.conversations == count
    assert preparation.stimuli.complete
    return peak


def test_choosing_pairs_takes_no_more_memory_for_more_conversations() -> None:
    _peak(10)  # what is loaded once
    some, many = _peak(40), _peak(160)
    text_of_the_others = 120 * 4 * 210 * 5
    assert many < 1.25 * some
    assert many - some < text_of_the_others / 4
