"""Transactions begun and ended by the driver itself.

SQLAlchemy's own begin and commit cost as much as writing three answers. Its connection is told of the first transaction
only, and takes all that follow for the same one. Errors come out as SQLAlchemy's all the same.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sa

T = TypeVar("T")


class Transactions:
    """The transactions of one connection, one after another."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._driver: Any = connection.connection.driver_connection
        self._begins = connection.dialect.name == "sqlite"  # psycopg begins by itself
        self._dialect = connection.dialect
        self._error = connection.dialect.loaded_dbapi.Error

    def one(self, work: Callable[[], T]) -> T:
        """Do something in a transaction: commit at the end, or roll back what ended in an error."""
        self._begin()
        try:
            result = work()
            self._driver.commit()
        except BaseException as problem:
            self._roll_back(problem)
            if isinstance(problem, self._error):
                raise self._as_sqlalchemys(problem, "COMMIT") from problem
            raise
        return result

    def _roll_back(self, problem: BaseException) -> None:
        """Roll back; raise the database's own error where that fails, since the connection is lost then."""
        try:
            self._driver.rollback()
        except self._error as lost:
            self._connection.invalidate()
            raise self._as_sqlalchemys(lost, "ROLLBACK") from problem

    def _begin(self) -> None:
        if not self._connection.in_transaction():
            self._connection.begin()
        elif self._begins:
            try:
                self._driver.execute("BEGIN IMMEDIATE")
            except self._error as problem:
                raise self._as_sqlalchemys(problem, "BEGIN IMMEDIATE") from problem

    def _as_sqlalchemys(self, problem: Exception, statement: str) -> BaseException:
        return sa.exc.DBAPIError.instance(statement, None, problem, self._error, dialect=self._dialect)
