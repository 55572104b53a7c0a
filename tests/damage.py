"""Damage done to a database file."""

import sqlite3
from contextlib import closing
from pathlib import Path


def damage(file: Path, table: str) -> None:
    """Overwrite the page on which a table begins."""
    with closing(sqlite3.connect(file)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    with file.open("r+b") as content:
        content.seek((root - 1) * size)
        content.write(b"\xa5" * size)
