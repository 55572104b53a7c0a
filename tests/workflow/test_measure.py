from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from builders import ListedLogs, a_conversation, s3
from limen.core.comparison import Judge
from limen.core.conversation import Conversation, DriftSource, Role, Turn
from limen.core.drift import LexicalChar4, measure
from limen.core.log_problems import LogProblem
from limen.errors import MetricError
from limen.metrics.registry import MetricShelf
from limen.workflow.measure import compare_metrics, measure_logs


@dataclass
class Watched:
    """A true metric that notes how it was asked."""

    asked: list[int] = field(default_factory=list)
    name: str = "lexical-char4"
    version: str = "1"
    low: float = 0.0
    high: float | None = 1.0

    def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
        self.asked.append(len(texts))
        return LexicalChar4().distances(texts, references)


def _some(count: int) -> list[Conversation]:
    return [a_conversation(id=f"c{n}", words=20) for n in range(count)]


def test_every_reply_is_measured_as_one_by_one_but_asked_for_together() -> None:
    logs, metric, taken = _some(100), Watched(), list[Conversation]()
    measurement = measure_logs(ListedLogs(logs), metric, taken.append)
    assert taken == [measure(conversation, LexicalChar4()) for conversation in logs]
    assert len(metric.asked) == 3
    assert (measurement.conversations, measurement.observed.n, sum(metric.asked)) == (100, 500, 500)


def test_the_distribution_is_told_by_the_replys_number() -> None:
    short, long = a_conversation((0.1,), id="s", words=20), a_conversation((0.1, 0.2, 0.3), id="l", words=20)
    measurement = measure_logs(ListedLogs([short, long]), LexicalChar4(), lambda _: None)
    assert {number: observed.n for number, observed in measurement.by_number.items()} == {1: 2, 2: 1, 3: 1}


def test_what_was_recorded_is_replaced_and_the_log_says_who_measured() -> None:
    taken: list[Conversation] = []
    measure_logs(ListedLogs([a_conversation()]), LexicalChar4(), taken.append)
    assert taken[0].drift is not None
    assert (taken[0].drift.metric, taken[0].drift.source) == ("lexical-char4", DriftSource.COMPUTED)


def test_error_texts_and_void_references_have_no_drift() -> None:
    broken = a_conversation(reference="[ERROR: timed out]", id="void")
    partly = a_conversation((0.1, 0.2), texts=["", "A reply with some words in it."], id="partly")
    taken: list[Conversation] = []
    measurement = measure_logs(ListedLogs([broken, partly]), LexicalChar4(), taken.append)
    assert measurement.observed.n == 1
    assert [turn.drift for turn in taken[0].turns] == [None] * len(taken[0].turns)


def test_problems_are_counted() -> None:
    problem = LogProblem(file="f", record="line 1", reason="not JSON")
    measurement = measure_logs(ListedLogs([problem, *_some(1), problem]), LexicalChar4(), lambda _: None)
    assert (measurement.problems.total, dict(measurement.problems.by_reason)) == (2, {"not JSON": 2})


@pytest.mark.parametrize("logs", [[], [Conversation(id="c", turns=(Turn(i=0, role=Role.USER, text="Hello?"),))]])
def test_logs_without_anything_to_measure_are_told(logs: list[Conversation]) -> None:
    with pytest.raises(MetricError, match="no reply to measure"):
        measure_logs(ListedLogs(logs), LexicalChar4(), lambda _: None)
    with pytest.raises(MetricError, match="no reply to measure"):
        compare_metrics(ListedLogs(logs), [LexicalChar4()], s3())


def test_metrics_are_held_against_each_other_and_against_what_was_recorded() -> None:
    shelf = MetricShelf()
    metrics = [shelf.find("keyword-rms/limen-1"), shelf.find("lexical-char4")]
    found = compare_metrics(ListedLogs(_some(4)), metrics, s3())
    judges = [Judge(metric="keyword-rms/limen-1"), Judge(metric="lexical-char4")]
    judges.append(Judge(metric="keyword-rms/s7", recorded=True))
    assert [bounds.judge for bounds in found.comparison.bounds] == judges
    assert [(pair.one, pair.other, pair.n) for pair in found.comparison.agreements] == [
        (judges[0], judges[1], 20),
        (judges[0], judges[2], 20),
        (judges[1], judges[2], 20),
    ]
    assert found.table.columns[judges[2]] == [0.1, 0.1, 0.1, 0.2, 0.2] * 4


def test_a_recorded_drift_whose_reference_is_void_is_not_compared() -> None:
    void = replace(a_conversation(reference="", id="void"))
    found = compare_metrics(ListedLogs([void, *_some(1)]), [LexicalChar4()], s3())
    assert found.table.rows == 5
