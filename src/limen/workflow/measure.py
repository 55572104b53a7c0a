"""Logs with drift measured, and several metrics on the same logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from limen.core.comparison import Comparison, DriftTable, Judge, compare
from limen.core.conversation import Conversation, without_void_drift
from limen.core.drift import Metric, measure_all
from limen.core.log_problems import Problems
from limen.core.numerals import counted
from limen.core.observed import ObservedDrift
from limen.core.protocol import DriftRange, Protocol
from limen.errors import MetricError
from limen.workflow.ports import Logs
from limen.workflow.readable import Readable

_TURNS_AT_ONCE = 512
"""So many turns are measured together: enough for a backend's batches, and little memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The drift of all replies of some logs by one metric."""

    metric: str
    conversations: int
    observed: ObservedDrift
    by_number: Mapping[int, ObservedDrift]  # of the reply in its conversation, from 1
    problems: Problems


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """Several metrics on the same logs, and the numbers they gave."""

    comparison: Comparison
    table: DriftTable
    conversations: int
    problems: Problems


def measure_logs(logs: Logs, metric: Metric, take: Callable[[Conversation], object]) -> Measurement:
    """Measure every reply against its reference and hand each conversation on. Raises MetricError without any drift."""
    readable = Readable(logs)
    conversations, observed = 0, ObservedDrift()
    by_number: dict[int, ObservedDrift] = {}
    for some in _together(readable):
        for conversation in measure_all(some, metric):
            conversations += 1
            for reply in conversation.replies:
                if reply.turn.drift is not None:
                    observed.add(reply.turn.drift)
                    by_number.setdefault(reply.number, ObservedDrift()).add(reply.turn.drift)
            take(conversation)
    if observed.n == 0:
        raise _nothing_measured(conversations)
    return Measurement(
        metric=metric.name,
        conversations=conversations,
        observed=observed,
        by_number=dict(sorted(by_number.items())),
        problems=readable.problems(),
    )


def compare_metrics(
    logs: Logs, metrics: Sequence[Metric], protocol: Protocol, shares: Mapping[str, DriftRange] | None = None
) -> MetricComparison:
    """Measure the same replies by several metrics and hold them against each other and against recorded drift."""
    readable = Readable(logs)
    conversations, table = 0, DriftTable({Judge(metric=metric.name): [] for metric in metrics})
    for some in _together(readable):
        conversations += len(some)
        measured = [measure_all(some, metric) for metric in metrics]
        for place, conversation in enumerate(some):
            by_turn = _recorded(conversation)
            for metric, found in zip(metrics, measured, strict=True):
                _add(by_turn, found[place], Judge(metric=metric.name))
            for i in sorted(by_turn):
                table.add(by_turn[i])
    if table.rows == 0:
        raise _nothing_measured(conversations)
    return MetricComparison(
        comparison=compare(table, protocol, shares),
        table=table,
        conversations=conversations,
        problems=readable.problems(),
    )


def _together(conversations: Iterable[Conversation]) -> Iterator[list[Conversation]]:
    some: list[Conversation] = []
    turns = 0
    for conversation in conversations:
        some.append(conversation)
        turns += len(conversation.turns)
        if turns >= _TURNS_AT_ONCE:
            yield some
            some, turns = [], 0
    if some:
        yield some


def _recorded(conversation: Conversation) -> dict[int, dict[Judge, float]]:
    by_turn: dict[int, dict[Judge, float]] = {}
    if conversation.drift is not None:
        _add(by_turn, without_void_drift(conversation), Judge(metric=conversation.drift.metric, recorded=True))
    return by_turn


def _add(by_turn: dict[int, dict[Judge, float]], conversation: Conversation, judge: Judge) -> None:
    for reply in conversation.replies:
        if reply.turn.drift is not None:
            by_turn.setdefault(reply.turn.i, {})[judge] = reply.turn.drift


def _nothing_measured(conversations: int) -> MetricError:
    return MetricError(
        f"no reply to measure in {counted(conversations, 'conversation')}: each needs a first reply as reference and "
        "one more; `limen logs show LOG…` tells what is in a log"
    )
