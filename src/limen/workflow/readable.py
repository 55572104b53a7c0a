"""Logs as conversations, with what could not be read counted on the way."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem, Problems
from limen.workflow.ports import Logs

_EXAMPLES_KEPT = 1000


@dataclass(slots=True)
class Readable:
    """What can be read of some logs, once through."""

    logs: Logs
    _reasons: Counter[str] = field(default_factory=Counter)
    _examples: list[LogProblem] = field(default_factory=list)

    def __iter__(self) -> Iterator[Conversation]:
        for item in self.logs.read():
            if isinstance(item, Conversation):
                yield item
                continue
            self._reasons[item.reason] += 1
            if len(self._examples) < _EXAMPLES_KEPT or self._reasons[item.reason] == 1:
                self._examples.append(item)

    def problems(self) -> Problems:
        """Give what could not be read so far."""
        return Problems(
            total=self._reasons.total(),
            by_reason=dict(sorted(self._reasons.items())),
            examples=tuple(self._examples),
        )
