"""A consistent copy of all answers as one SQLite file, while the server goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from limen.errors import StoreError
from limen.storage.copying import check_copy, clear_away, copy_whole, put, temporary_for
from limen.storage.engines import damaged, make_engines
from limen.storage.schema import metadata
from limen.storage.upgrade import bring_up_to_date, schema_version
from limen.storage.version import HEAD

_CHUNK = 5_000


def back_up(address: str, copy: Path) -> None:
    """Copy a store; the copy is there whole and checked, or not at all. PostgreSQL is copied into SQLite."""
    engines = make_engines(address)
    try:
        if copy.exists():
            raise StoreError(f"{copy}: is there already; choose another name with --out")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if engines.file is None:
            _copy_rows_whole(engines.read, copy)
        else:
            _copy_file(engines.file, copy)
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as problem:
        if type(problem) is sqlite3.DatabaseError:  # anything but the disk or the rights: the answers themselves
            raise damaged(engines.read, problem) from problem
        said = " ".join(str(problem).split())
        raise StoreError(f"{copy}: the copy failed ({said}); check rights and space") from problem
    finally:
        engines.dispose()


def _copy_file(database: Path, copy: Path) -> None:
    if not database.exists():
        raise StoreError(f"{database}: no answers yet; nothing to copy")
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source:
        copy_whole(source, copy)


def _copy_rows_whole(source: sa.Engine, copy: Path) -> None:
    temporary = temporary_for(copy)
    try:
        _copy_rows(source, temporary)
        check_copy(temporary)
        put(temporary, copy)
    finally:
        clear_away(temporary)


def _copy_rows(source: sa.Engine, copy: Path) -> None:
    target = make_engines(f"sqlite:///{copy}")
    try:
        target.make_file()
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
