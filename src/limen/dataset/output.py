"""Files that are there whole or not at all, also when they are written piece by piece."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from limen.errors import DataError


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write the pieces one after the other into a file beside, and put it in its place when it is complete."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        raise DataError(f"{path}: cannot be written ({problem.strerror}); check rights and space") from problem
    finally:  # also when the pieces themselves break off
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
