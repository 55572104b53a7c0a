"""All trials as columns, in chunks, from the driver's own rows: a million of them in bounded memory."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import sqlalchemy as sa

from limen.core.sessions import Mode
from limen.storage.statements import TRIAL_COLUMNS
from limen.workflow.ports import TrialColumns

_CHUNK = 10_000


def trial_columns(connection: sa.Connection, mode: Mode, stimulus_digest: str) -> Iterator[TrialColumns]:
    """Give the trials of a mode that were made with these stimuli, ordered by participant and trial.

    Errors come out as SQLAlchemy's, although the driver is asked itself.
    """
    compiled = TRIAL_COLUMNS.compile(dialect=connection.dialect)
    given = compiled.construct_params({"mode": mode.value, "digest": stimulus_digest})
    order = getattr(compiled, "positiontup", None)
    parameters = given if order is None else [given[name] for name in order]
    names = tuple(TRIAL_COLUMNS.selected_columns.keys())
    error = connection.dialect.loaded_dbapi.Error
    try:
        with _cursor(connection) as cursor:
            cursor.execute(str(compiled), parameters)
            while chunk := cursor.fetchmany(_CHUNK):
                columns = dict(zip(names, zip(*chunk, strict=True), strict=True))
                columns["queued_offline"] = tuple(map(bool, columns["queued_offline"]))
                yield TrialColumns(**columns)
    except error as problem:
        dialect = connection.dialect
        raise sa.exc.DBAPIError.instance(None, None, problem, error, dialect=dialect) from problem


def _cursor(connection: sa.Connection) -> Any:
    """Give a cursor that does not fetch everything at once: PostgreSQL's must have a name for that."""
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "postgresql":
        return driver.cursor(name="trials")
    return closing(driver.cursor())
