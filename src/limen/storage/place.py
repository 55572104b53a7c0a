"""Whether an SQLite file still stands where it was opened, and how it comes back when it does not.

While a server runs, its file can be deleted, moved or replaced by somebody else: a tidy person, a program that syncs
folders, a checkout. The open connection goes on writing to what has no name any more, and with the process all of that
would be gone. So the writer looks before it acknowledges anything, and puts what it holds back in its place.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE

from limen.errors import StoreReplacedError, StoreUnavailableError
from limen.storage.copying import clear_away, fill_copy, put_where_nothing_is, temporary_for

_Files = tuple[object, object]


class Place:
    """The place of an SQLite file and of its write-ahead log, as one connection has them open."""

    def __init__(self, file: Path) -> None:
        self._file = file.absolute()  # whatever becomes of the working directory
        self._opened: _Files | None = None
        self._mode: int | None = None  # who may read and write it

    @property
    def opened(self) -> _Files | None:
        """Which files they were, as it can be given back to `left`."""
        return self._opened

    def left(self, before: _Files | None = None) -> None:
        """Forget which files they were: the connection is closed. Or go back to those of another connection."""
        self._opened = before

    def only_the_log_is_lost(self) -> bool:
        """Tell whether the database itself is where it was."""
        return self._opened is not None and self._opened[0] is not None and self._now()[0] == self._opened[0]

    def kept(self) -> bool:
        """Tell whether both files are the ones that were there at the first look after connecting."""
        found = self._now()
        if self._opened is None:
            self._opened = found
            with suppress(OSError):
                self._mode = S_IMODE(self._file.stat().st_mode)
        return found == self._opened and found[0] is not None

    def take_back(self, connection: sqlite3.Connection) -> str:
        """Put all that the connection has back in its place, synced, and say what was done; then it is to be closed.

        Raises StoreReplacedError where another file has taken the place, after what the connection has was saved
        beside it, and StoreUnavailableError where nothing can be put there just now.
        """
        with _told(self._file):
            if self.only_the_log_is_lost():
                return self._take_back_the_log(connection)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._is_there():
                raise self._replaced(connection)
            temporary = temporary_for(self._file)
            try:
                fill_copy(connection, temporary, self._mode)
                if self._is_there():
                    raise FileExistsError(self._file)
                self._file.unlink(missing_ok=True)  # an empty one
                self._clear_the_log()
                self._set_aside_the_log()
                put_where_nothing_is(temporary, self._file)
            except FileExistsError:
                raise self._replaced(connection) from None
            finally:
                clear_away(temporary)
        return "was deleted or moved while the server had it open; it is there again, with every answer"

    def _is_there(self) -> bool:
        return self._file.exists() and self._file.stat().st_size > 0

    def _replaced(self, connection: sqlite3.Connection) -> StoreReplacedError:
        said = self._save(connection)
        return StoreReplacedError(
            f"{self._file}: was replaced by another file while the server had it open; {said}; "
            f"move the one that is right to {self._file.name}, then start again"
        )

    def _save(self, connection: sqlite3.Connection) -> str:
        """Save what the connection has beside the file that took its place."""
        saved = self._free_name()
        temporary = temporary_for(saved)
        try:
            fill_copy(connection, temporary, self._mode)
            put_where_nothing_is(temporary, saved)
        except sqlite3.DatabaseError as problem:
            if type(problem) is not sqlite3.DatabaseError:  # no room, no right: it is tried again
                raise
            return "what the server had is damaged and was not saved"
        finally:
            clear_away(temporary)
        self._clear_the_log()
        return f"all answers that the server took are in {saved.name} beside it"

    def _take_back_the_log(self, connection: sqlite3.Connection) -> str:
        """Bring what stands in a log that is gone into the file itself."""
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreUnavailableError(f"{self._file}: its -wal file is gone, and others read it just now")
        return "its -wal file was deleted while the server had it open; every answer is in the file itself"

    def _set_aside_the_log(self) -> None:
        """Keep a log that somebody else left where there is no file that it belongs to: it would be taken for ours."""
        for end in ("-wal", "-shm"):
            log = self._file.with_name(f"{self._file.name}{end}")
            if log.exists():
                log.rename(log.with_name(f"{log.name}.aside"))

    def _clear_the_log(self) -> None:
        """Delete the log that belongs to what was saved: it would be taken for the other file's. Nobody else's."""
        if self._opened is not None and self._now()[1] == self._opened[1]:
            for end in ("-wal", "-shm"):
                self._file.with_name(f"{self._file.name}{end}").unlink(missing_ok=True)

    def _now(self) -> _Files:
        return _identity(self._file), _identity(self._file.with_name(f"{self._file.name}-wal"))

    def _free_name(self) -> Path:
        names = (self._file.with_name(f"{self._file.stem}.saved-{n}{self._file.suffix}") for n in range(1, 10_000))
        return next(name for name in names if not name.exists())


def _identity(file: Path) -> object:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as problem:
        said = " ".join(str(problem).split())
        raise StoreUnavailableError(
            f"{file}: was deleted or moved while the server had it open, and cannot be put back ({said}); "
            "the server still holds every answer and tries again: do not end it before there is room and right to write"
        ) from problem
