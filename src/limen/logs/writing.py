"""Conversations as a canonical log: JSON Lines, gzipped where the file's name ends in .gz."""

import glob
import gzip
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, cast

import msgspec

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import InputError, LogError
from limen.logs.files import STANDARD_INPUT
from limen.logs.formats.canonical import to_record

STANDARD_OUTPUT = STANDARD_INPUT
_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Written:
    """A part of a canonical log, and the problems that were met on the way."""

    lines: bytes
    problems: tuple[LogProblem, ...]


def as_lines(items: Iterable[Conversation | LogProblem]) -> Written:
    """Give conversations as lines of a canonical log."""
    lines, problems = [], []
    for item in items:
        if isinstance(item, Conversation):
            lines.append(_encoder.encode(to_record(item)))
        else:
            problems.append(item)
    return Written(b"".join(line + b"\n" for line in lines), tuple(problems))


def refuse_own_input(out: str | None, logs: Sequence[str]) -> None:
    """Keep a log from being replaced by what was made of it, or from being read as one the next time."""
    if out is None or out == STANDARD_OUTPUT:
        return
    place = Path(out).resolve()
    for name in logs:
        if _is_among(place, name):
            raise InputError(f"--out {out}: lies among the logs that are read; give a place outside of {name}")


def _is_among(place: Path, name: str) -> bool:
    """Tell whether a file is, or once written would be, among what a name of logs stands for."""
    named = [Path(name), *map(Path, glob.glob(name, recursive=True))]  # noqa: PTH207 - it may be absolute or go up
    if any(path.resolve() in (place, *place.parents) for path in named if path.exists()):
        return True
    folder, pattern = os.path.split(name)
    folders = glob.glob(folder or ".", recursive=True)  # noqa: PTH207
    matches = pattern == "**" or fnmatch(place.name, pattern)
    return matches and any(Path(found).resolve() == place.parent for found in folders)


@contextmanager
def canonical_log(out: str) -> Iterator[IO[bytes]]:
    """Open a log to write. It is there whole or not at all; `-` is standard output."""
    if out == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            file: IO[bytes] = stack.enter_context(temporary.open("wb"))
            stream = file
            if path.suffix == ".gz":
                # no name and no time inside, so that the same conversations give the same bytes
                packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
                stream = cast("IO[bytes]", stack.enter_context(packed))
            yield stream
        temporary.replace(path)
    except OSError as problem:
        raise LogError(f"{path}: cannot be written ({problem.strerror}); check rights and space") from problem
    finally:
        with suppress(OSError):
            temporary.unlink()
