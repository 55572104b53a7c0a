"""What `limen status` asks, straight from an SQLite file: loading SQLAlchemy would be most of the command's time.

The same four questions as `SqlReading` answers; a test holds the two against each other. PostgreSQL, and a file of
another version, go the ordinary way.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

from limen.core.sessions import DailyCount, Mode
from limen.storage.rows import from_us, session_from, to_us
from limen.storage.version import HEAD
from limen.workflow.ports import Heard, Milestones, Overseeing

T = TypeVar("T")

_SQLITE = "sqlite:///"

_COUNTS = "SELECT what, sum(n) FROM counts WHERE mode = ? GROUP BY what"
_COMMENTS = "SELECT number, text FROM sessions JOIN comments ON session_id = id WHERE mode = ? ORDER BY number"
_MILESTONES = """
SELECT count(*), coalesce(sum(painted_us IS NOT NULL OR EXISTS (SELECT 1 FROM trials WHERE session_id = id)), 0),
  count(finished_us), count(stopped_us), count(plan_code)
FROM sessions WHERE mode = ?"""
_UNDER_WAY = """
SELECT sessions.*,
  coalesce((SELECT max(number) FROM practice WHERE session_id = sessions.id), 0) AS practiced,
  coalesce((SELECT max(number) FROM trials WHERE session_id = sessions.id), 0) AS answered,
  EXISTS (SELECT 1 FROM debriefs WHERE session_id = sessions.id AND question = 'strategy') AS has_strategy,
  EXISTS (SELECT 1 FROM debriefs WHERE session_id = sessions.id AND question = 'demographics') AS has_demographics,
  coalesce((SELECT max(received_us) FROM trials WHERE session_id = sessions.id), painted_us, created_us) AS heard_us
FROM sessions WHERE mode = ? AND created_us >= ? AND finished_us IS NULL AND stopped_us IS NULL
ORDER BY heard_us DESC, sessions.number LIMIT ?"""


def glance(address: str, ask: Callable[[Overseeing], T]) -> T | None:
    """Look at how a study goes without making or changing anything; None when there is no store yet."""
    file = Path(address.removeprefix(_SQLITE))
    if address.startswith(_SQLITE) and not file.exists():
        return None
    if address.startswith(_SQLITE):
        try:
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                if connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]:
                    connection.execute("BEGIN")
                    return ask(_Glance(connection))
        except sqlite3.Error:
            pass  # whatever is wrong with it, the ordinary way says so
    from limen.storage.store import read_store  # noqa: PLC0415 - what this module is there to avoid

    return read_store(address, ask)


class _Glance(Overseeing):
    """The four questions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def counts(self, mode: Mode) -> dict[DailyCount, int]:
        return {DailyCount(what): n for what, n in self._connection.execute(_COUNTS, (mode.value,))}

    def comments(self, mode: Mode) -> Sequence[tuple[int, str]]:
        return list(self._connection.execute(_COMMENTS, (mode.value,)))

    def milestones(self, mode: Mode) -> Milestones:
        names = ("created", "started", "finished", "stopped", "from_files")
        row = self._connection.execute(_MILESTONES, (mode.value,)).fetchone()
        return Milestones(**dict(zip(names, row, strict=True)))

    def under_way(self, mode: Mode, since: datetime, limit: int) -> tuple[Heard, ...]:
        found = self._connection.execute(_UNDER_WAY, (mode.value, to_us(since), limit))
        names = [column[0] for column in found.description]
        rows = (SimpleNamespace(**dict(zip(names, values, strict=True))) for values in found)
        return tuple(Heard(session=session_from(row), last=from_us(row.heard_us)) for row in rows)
