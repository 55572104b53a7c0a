"""What is wrong in a table that was read: named with row and reason, counted, refused or reported by rule."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from limen.core.findings import DataProblem

EXAMPLES = 5

NOT_COUNTED = "the answer is not counted"
TIME_NOT_COUNTED = "the answer counts, its time does not"
COUNT_NOT_COUNTED = "the answer counts, this number does not"


@dataclass(slots=True)
class Problems:
    """Problems found so far, by reason."""

    _found: dict[str, tuple[str, int, list[str]]] = field(default_factory=dict)

    def add(self, reason: str, rule: str, examples: Iterable[str], count: int | None = None) -> None:
        """Count a problem; of each reason the first few examples are kept."""
        given = list(examples)
        _, before, kept = self._found.get(reason, (rule, 0, []))
        total = before + (len(given) if count is None else count)
        if total:
            self._found[reason] = (rule, total, [*kept, *given][:EXAMPLES])

    def all(self) -> tuple[DataProblem, ...]:
        """Give every problem, in the order in which they were first met."""
        return tuple(
            DataProblem(reason=reason, count=count, rule=rule, examples=tuple(examples))
            for reason, (rule, count, examples) in self._found.items()
        )
