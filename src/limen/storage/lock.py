"""One server a file: a lock that the operating system lets go when the process ends, however it ends."""

import os
import sys
from pathlib import Path
from types import TracebackType

from limen.errors import StoreError


class ServerLock:
    """Held while a server has the database file open."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.lock")
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except OSError as problem:
            os.close(self._file)
            raise StoreError(
                f"{database}: another server has it open; stop that one first, or use PostgreSQL for several"
            ) from problem

    def __enter__(self) -> "ServerLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
