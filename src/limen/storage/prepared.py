"""The few statements that every answer needs, compiled once and given to the driver itself.

SQLAlchemy would find the compiled text anew for each execution and wrap each row; that costs more than the database's
own work. Errors come out as SQLAlchemy's all the same, so that the writer tells an outage in one way.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import sqlalchemy as sa


class Prepared:
    """A statement that gives at most one row, with its columns by name, or changes something."""

    def __init__(self, statement: Any, dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._sql = str(compiled)
        self._values: Callable[[Mapping[str, Any]], Any] = _in_order(compiled.positiontup, compiled.params)
        columns = statement.selected_columns.keys() if statement.is_select else ()
        self._row: Any = namedtuple("Row", columns)  # type: ignore[misc]
        self._dialect = dialect
        self._error = dialect.loaded_dbapi.Error

    def one_or_none(self, driver: Any, values: Mapping[str, Any]) -> Any:
        """Run it on the driver's connection, in the open transaction, and give its row, or None."""
        cursor = self._run(driver, values)
        try:
            row = cursor.fetchone()
        except self._error as problem:  # damage is often met when the row is read
            raise self._as_sqlalchemys(problem) from problem
        return None if row is None else self._row._make(row)

    def all(self, driver: Any, values: Mapping[str, Any]) -> list[Any]:
        """Run it on the driver's connection, in the open transaction, and give all its rows."""
        cursor = self._run(driver, values)
        try:
            return [self._row._make(row) for row in cursor.fetchall()]
        except self._error as problem:
            raise self._as_sqlalchemys(problem) from problem

    def changes_by_all(self, driver: Any, rows: Sequence[Mapping[str, Any]]) -> int:
        """Run it for many, on the driver's connection, in the open transaction; give how many rows it changed."""
        cursor = driver.cursor()
        try:
            cursor.executemany(self._sql, [self._values(row) for row in rows])
            return int(cursor.rowcount)
        except self._error as problem:
            raise self._as_sqlalchemys(problem) from problem
        finally:
            cursor.close()

    def changes(self, driver: Any, values: Mapping[str, Any]) -> bool:
        """Run it on the driver's connection, in the open transaction, and tell whether it changed anything."""
        return bool(self._run(driver, values).rowcount)

    def _run(self, driver: Any, values: Mapping[str, Any]) -> Any:
        try:
            return driver.execute(self._sql, self._values(values))
        except self._error as problem:
            raise self._as_sqlalchemys(problem) from problem

    def _as_sqlalchemys(self, problem: Exception) -> BaseException:
        return sa.exc.DBAPIError.instance(
            self._sql, None, problem, self._error, hide_parameters=True, dialect=self._dialect
        )


def _in_order(names: Sequence[str] | None, params: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Give what brings values into the form that the driver takes, with the statement's own constants among them."""
    constants = {name: value for name, value in params.items() if value is not None}  # what is to be given is None
    if names is None:
        return lambda values: {**constants, **values}
    if constants:
        return lambda values: [values[name] if name in values else constants[name] for name in names]
    if len(names) == 1:
        (only,) = names
        return lambda values: (values[only],)
    return itemgetter(*names)


@cache
def prepared(statement: sa.Executable, dialect: sa.Dialect) -> Prepared:
    """Give a statement ready for a dialect; made once for each."""
    return Prepared(statement, dialect)
