"""Vectors that were computed before, in one SQLite file: no text stands in it, only hashes."""

import hashlib
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limen.errors import MetricError

_AT_ONCE = 500  # questions in one statement
_TABLE = """
CREATE TABLE IF NOT EXISTS vector (
    backend TEXT NOT NULL,
    text_sha256 BLOB NOT NULL,
    cut INTEGER NOT NULL,
    numbers BLOB NOT NULL,
    PRIMARY KEY (backend, text_sha256)
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A text's vector, and whether the model read only the beginning of the text."""

    vector: NDArray[np.float32]
    cut: bool


@dataclass(slots=True)
class VectorCache:
    """A folder with the vectors of earlier runs. What is put in outlives the process at once, so that a run can go on.

    The log is written ahead (WAL), which makes putting seven times as fast; it wants a disk of this machine.
    """

    folder: Path
    _database: sqlite3.Connection | None = field(default=None, init=False, repr=False)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / "vectors.sqlite"

    def get(self, backend: str, texts: Sequence[str]) -> dict[str, Kept]:
        """Give what is known of these texts."""
        found: dict[str, Kept] = {}
        database = self._open()
        for start in range(0, len(texts), _AT_ONCE):
            asked = {_digest(text): text for text in texts[start : start + _AT_ONCE]}
            marks = ",".join("?" * len(asked))
            query = f"SELECT text_sha256, cut, numbers FROM vector WHERE backend = ? AND text_sha256 IN ({marks})"  # noqa: S608 - marks only
            try:
                for digest, cut, numbers in database.execute(query, (backend, *asked)):
                    found[asked[digest]] = Kept(vector=np.frombuffer(numbers, "<f4"), cut=bool(cut))
            except (sqlite3.DatabaseError, ValueError) as problem:
                raise self._broken(problem) from problem
        return found

    def put(self, backend: str, vectors: Mapping[str, Kept]) -> None:
        """Keep these vectors."""
        rows = [
            (backend, _digest(text), kept.cut, kept.vector.astype("<f4").tobytes()) for text, kept in vectors.items()
        ]
        try:
            with self._open() as database:
                database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", rows)
        except sqlite3.DatabaseError as problem:
            raise self._broken(problem) from problem

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._database is not None:
            return self._database
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            database = sqlite3.connect(self.path, timeout=60)
        except (OSError, sqlite3.Error) as problem:
            raise self._broken(problem) from problem
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_TABLE)
        except sqlite3.DatabaseError as problem:
            database.close()
            raise self._broken(problem) from problem
        self._database = database
        return database

    def _broken(self, problem: Exception) -> MetricError:
        return MetricError(
            f"{self.path}: the cache cannot be used ({problem}); delete the file, or give another folder with --cache"
        )


def default_cache_folder() -> Path:
    """Give the folder where programs of this user keep what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "limen"


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
