"""The one connection that writes: opened when it is needed, kept to its place, closed when it is lost.

Of an SQLite file it is known at every moment by which file the answers are (`limen.storage.place`). A connection that
holds what stands nowhere else is not closed.
"""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from limen.errors import StoreUnavailableError
from limen.storage.desk import SqlDesk
from limen.storage.engines import Engines
from limen.storage.outages import said_plainly
from limen.storage.place import Place
from limen.storage.transactions import Transactions

T = TypeVar("T")

log = logging.getLogger(__name__)


class Line:
    """To a database. Used by one thread."""

    def __init__(self, engines: Engines) -> None:
        self._engine = engines.write
        self._forget_readers = engines.read.dispose
        self._place = None if engines.file is None else Place(engines.file)
        self._connection: sa.Connection | None = None
        self._transactions: Transactions | None = None

    def open(self) -> None:
        """Connect, and see at once by which file the answers are; raise what the driver raises."""
        if self._place is not None:
            self._place.left()
        self._connection = connection = self._engine.connect()
        self._transactions = Transactions(connection)
        if self._place is not None:
            driver: Any = connection.connection.driver_connection
            driver.execute("SELECT 1 FROM sqlite_master").close()
            self._place.kept()

    def write(self, work: Callable[[SqlDesk], T], *, together: bool) -> T:
        """Do work in one transaction; come back when it is synced, and stands where it belongs."""
        if self._connection is None:
            self.open()
        if self._connection is None or self._transactions is None:
            raise RuntimeError("there is no connection")
        desk = SqlDesk(self._connection, together=together)
        result = self._transactions.one(lambda: work(desk))
        self.look()
        return result

    def look(self) -> None:
        """See that what was committed stands where it belongs, and put it back there where it does not.

        Raises StoreUnavailableError where that cannot be done just now, StoreReplacedError where it must not be.
        """
        place = self._place
        if place is None or self._connection is None or place.kept():
            return
        driver: Any = self._connection.connection.driver_connection
        with_file = not place.only_the_log_is_lost()
        log.error("%s %s", self._engine.url.database, place.take_back(driver))
        if with_file:
            self._move_over(place)
        else:
            place.left()
            self.close()
            self._open_again()
        self._forget_readers()

    def close(self) -> None:
        """Close, unless what the connection holds stands nowhere else."""
        if self._connection is None:
            return
        if self._place is not None:
            if not self._place.kept():
                return
            self._place.left()
        _close(self._connection)
        self._connection = self._transactions = None

    def _move_over(self, place: Place) -> None:
        """Go over to the file that was put back; what holds the old one is let go only when the new one is open."""
        before, connection, transactions = place.opened, self._connection, self._transactions
        try:
            self._open_again()
            if not place.kept():
                raise StoreUnavailableError("the file was deleted or moved again")
        except StoreUnavailableError:
            if self._connection is not connection:
                _close(self._connection)
            place.left(before)
            self._connection, self._transactions = connection, transactions
            raise
        _close(connection)

    def _open_again(self) -> None:
        try:
            self.open()
        except (DBAPIError, sqlite3.Error) as problem:
            raise StoreUnavailableError(said_plainly(problem)) from problem


def _close(connection: sa.Connection | None) -> None:
    if connection is None:
        return
    try:
        connection.close()
    except Exception as problem:  # whatever it is, it is the end of this connection
        log.debug("closing a lost connection: %s", problem)
        with suppress(Exception):
            connection.invalidate()
