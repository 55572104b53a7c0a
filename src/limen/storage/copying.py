"""An SQLite database copied whole, while others use it: checked, synced, and there under its name or not at all."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path


def copy_whole(source: sqlite3.Connection, copy: Path) -> None:
    """Copy what a connection sees, as one file; raise sqlite3.DatabaseError when the copy is damaged."""
    temporary = temporary_for(copy)
    try:
        fill_copy(source, temporary)
        put(temporary, copy)
    finally:
        clear_away(temporary)


def fill_copy(source: sqlite3.Connection, temporary: Path, mode: int | None = None) -> None:
    """Copy what a connection sees into a file that has no name yet, check it, and see that it is on disk."""
    if mode is not None:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        temporary.chmod(mode)
    with closing(sqlite3.connect(temporary)) as target:
        source.backup(target)  # in one step: a snapshot, which a writer neither waits for nor disturbs
        target.execute("PRAGMA journal_mode=DELETE").close()
    check_copy(temporary)
    _sync(temporary)


def put_where_nothing_is(temporary: Path, copy: Path) -> None:
    """Give a finished copy its name; raise FileExistsError where somebody else has taken that meanwhile."""
    try:
        os.link(temporary, copy)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if copy.exists():
            raise FileExistsError(copy) from None
        temporary.replace(copy)
    _sync(copy.parent)


def temporary_for(copy: Path) -> Path:
    """Give the name of a copy that is not whole yet."""
    return copy.with_name(f".{copy.name}.{os.getpid()}")


def check_copy(copy: Path) -> None:
    """Raise sqlite3.DatabaseError when a copy is damaged: it was made page by page, so its original is."""
    with closing(sqlite3.connect(copy)) as connection:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(str(found))


def put(temporary: Path, copy: Path) -> None:
    """Give a finished copy its name, and see that both are on disk."""
    _sync(temporary)
    temporary.replace(copy)
    _sync(copy.parent)


def clear_away(temporary: Path) -> None:
    """Leave nothing of a copy that did not get its name."""
    for leftover in (temporary, *(temporary.with_name(f"{temporary.name}-{end}") for end in ("wal", "shm"))):
        with suppress(OSError):  # what cannot be written cannot be deleted either, and is not what is wrong
            leftover.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
