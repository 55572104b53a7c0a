"""What went wrong: the database, for everyone, or a piece of work by itself."""

import sqlalchemy as sa
from sqlalchemy.exc import (
    DatabaseError,
    DBAPIError,
    InterfaceError,
    InternalError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
)

from limen.errors import StoreUnavailableError
from limen.storage.engines import damaged

_CROSSWISE = ("40001", "40P01", "55P03")  # PostgreSQL: serialization failure, deadlock, lock not available


def is_outage(problem: Exception) -> bool:
    """Tell a database that is gone, full, locked, damaged or read-only from work that went wrong by itself."""
    if isinstance(problem, StoreUnavailableError | PendingRollbackError | ResourceClosedError):
        return True
    if type(problem) is not DatabaseError and not isinstance(
        problem, OperationalError | InterfaceError | InternalError
    ):
        return False
    return getattr(problem.orig, "sqlstate", None) not in _CROSSWISE


def outage_from(problem: Exception, engine: sa.Engine) -> StoreUnavailableError:
    """Give an outage as it is told; of damage, with the way back."""
    if isinstance(problem, StoreUnavailableError):
        return problem
    said = said_plainly(problem)
    return damaged(engine, said) if type(problem) is DatabaseError else StoreUnavailableError(said)


def said_plainly(problem: Exception) -> str:
    """Give what a driver said, in one line and without the statement."""
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    return " ".join(str(cause).split()) or type(cause).__name__
