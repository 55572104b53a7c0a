"""What a log format has to offer, and how the known ones are found."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem

Record = Mapping[str, Any]
"""One decoded JSON object of a log: anything may stand in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a record was found, and what its file says about all of its records."""

    file: str
    record: str
    header: Record

    def problem(self, reason: str) -> LogProblem:
        """Give a problem with this record."""
        return LogProblem(file=self.file, record=self.record, reason=reason)

    @property
    def id(self) -> str:
        """An id for a conversation that has none of its own."""
        return f"{self.file}#{self.record}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """A format, told by what is in a record and never by a file's name.

    `fields` are the fields of a record that it looks at. Of a table with columns only those of some format are read,
    so that a format whose records may stand in a table names them all. `decode` is a short cut for a line that is a
    record of this format and nothing unusual: it gives what decoding and reading would, or None to go that long way.
    """

    name: str
    matches: Callable[[Record], bool]
    read: Callable[[Record, Origin], Iterator[Conversation | LogProblem]]
    fields: tuple[str, ...] = ()
    decode: Callable[[bytes], Conversation | None] | None = None


@cache
def known_formats() -> tuple[LogFormat, ...]:
    """Give every format in `limen.logs.formats`, by name."""
    package = importlib.import_module("limen.logs.formats")
    found = []
    for module in pkgutil.iter_modules(package.__path__):
        loaded = importlib.import_module(f"limen.logs.formats.{module.name}")
        found.append(loaded.FORMAT)
    return tuple(sorted(found, key=lambda log_format: log_format.name))


def format_of(record: object) -> LogFormat | None:
    """Tell which format a decoded record has; None when it has none that is known."""
    if not isinstance(record, Mapping):
        return None
    return next((known for known in known_formats() if known.matches(record)), None)


def text_or_none(value: object) -> str | None:
    """Take a record's field as text: None when it is missing, empty or something else."""
    return value if isinstance(value, str) and value.strip() else None
