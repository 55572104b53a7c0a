"""A consistent copy of all answers as one SQLite file, while the server goes on."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from limen.errors import StoreError
from limen.storage.engines import damaged, make_engines
from limen.storage.schema import metadata
from limen.storage.upgrade import bring_up_to_date, schema_version
from limen.storage.version import HEAD

_CHUNK = 5_000


def back_up(address: str, copy: Path) -> None:
    """Copy a store; the copy is there whole and checked, or not at all. PostgreSQL is copied into SQLite."""
    engines = make_engines(address)
    temporary = copy.with_name(f".{copy.name}.{os.getpid()}")
    try:
        if copy.exists():
            raise StoreError(f"{copy}: is there already; choose another name with --out")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if engines.file is None:
            _copy_rows(engines.read, temporary)
        else:
            _copy_file(engines.file, temporary)
        found = _damage(temporary)
        if found is not None:
            raise damaged(engines.read, found)
        _sync(temporary)
        temporary.replace(copy)
        _sync(copy.parent)
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as problem:
        if type(problem) is sqlite3.DatabaseError:  # anything but the disk or the rights: the answers themselves
            raise damaged(engines.read, problem) from problem
        said = " ".join(str(problem).split())
        raise StoreError(f"{copy}: the copy failed ({said}); check rights and space") from problem
    finally:
        for leftover in (temporary, *(temporary.with_name(f"{temporary.name}-{end}") for end in ("wal", "shm"))):
            with suppress(OSError):  # what cannot be written cannot be deleted either, and is not what is wrong
                leftover.unlink(missing_ok=True)
        engines.dispose()


def _copy_file(database: Path, copy: Path) -> None:
    if not database.exists():
        raise StoreError(f"{database}: no answers yet; nothing to copy")
    source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    target = sqlite3.connect(copy)
    try:
        source.backup(target)  # in one step: a snapshot, which a writer neither waits for nor disturbs
        target.execute("PRAGMA journal_mode=DELETE").close()
    finally:
        source.close()
        target.close()


def _copy_rows(source: sa.Engine, copy: Path) -> None:
    target = make_engines(f"sqlite:///{copy}")
    try:
        with source.begin() as reading, target.write.begin() as writing:
            if schema_version(reading) != HEAD:
                raise StoreError("the database has no tables of this version of Limen; start `limen serve` once")
            bring_up_to_date(writing)
            for table in metadata.sorted_tables:
                rows = reading.execution_options(yield_per=_CHUNK).execute(sa.select(table))
                for chunk in rows.mappings().partitions():
                    writing.execute(sa.insert(table), [dict(row) for row in chunk])
        with target.write.connect() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE").close()
    finally:
        target.dispose()


def _damage(copy: Path) -> str | None:
    """Give what is wrong with a copy, or None. A copy is made page by page, so the damage is that of the answers."""
    connection = sqlite3.connect(copy)
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    finally:
        connection.close()
    return None if found == "ok" else str(found)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
