"""What could not be read of logs, as values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProblem:
    """A record or a line that could not be used, or only in part: counted and shown, never dropped silently."""

    file: str
    record: str  # "line 12", "results[3]"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problems:
    """What could not be read: all counted; the first thousand, and the first of every reason, kept whole."""

    total: int
    by_reason: Mapping[str, int]
    examples: tuple[LogProblem, ...]
