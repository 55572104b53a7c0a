"""The files that a command names: found in folders and by globs, and told apart by their first bytes."""

import glob
import gzip
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import IO

from limen.errors import LogError
from limen.logs.records import is_lines, looks_like_json

STANDARD_INPUT = "-"
_HEAD = 1 << 20
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PARQUET = b"PAR1"


class Packing(StrEnum):
    """How a file holds its records."""

    LINES = "lines"
    PACKED_LINES = "packed lines"  # gzipped
    DOCUMENT = "document"
    PACKED_DOCUMENT = "packed document"
    ROWS = "rows"  # Parquet
    ARCHIVE = "archive"  # zip


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file to read, and what it is called in messages."""

    name: str
    path: Path
    temporary: bool = False

    def packing(self) -> Packing:
        """Tell how the file holds its records, by its first bytes."""
        try:
            with self.path.open("rb") as stream:
                mark = stream.read(4)
        except OSError as problem:
            raise LogError(
                f"{self.name}: cannot be read ({problem.strerror}); check its rights or leave it out"
            ) from problem
        if mark == _PARQUET:
            return Packing.ROWS
        if mark in _ZIP:
            return Packing.ARCHIVE
        lines = is_lines(_head(self.path))
        if mark.startswith(_GZIP):
            return Packing.PACKED_LINES if lines else Packing.PACKED_DOCUMENT
        return Packing.LINES if lines else Packing.DOCUMENT


def find_files(names: Sequence[str], skipped: list[str]) -> list[LogFile]:
    """Give the files, each once; what lies in a folder and is no log is added to `skipped`."""
    found: list[LogFile] = []
    for name in names:
        if name == STANDARD_INPUT:
            found.append(LogFile("standard input", _spool(sys.stdin.buffer), temporary=True))
            continue
        path = Path(name)
        if path.is_dir():
            found += _in_folder(path, skipped)
        elif path.is_file():
            found.append(LogFile(path.name, path))
        else:
            # a glob may be absolute or go up, which Path.glob does not take
            matches = sorted(Path(match) for match in glob.glob(name, recursive=True))  # noqa: PTH207
            files = [match for match in matches if match.is_file()]
            if not files:
                raise LogError(f"{name}: no such file, folder or match; name a log file, a folder or a glob")
            found += [LogFile(match.name, match) for match in files]
    unique = list({log.path.resolve(): log for log in found}.values())
    names_used = Counter(log.name for log in unique)
    return [replace(log, name=log.path.as_posix()) if names_used[log.name] > 1 else log for log in unique]


def _in_folder(folder: Path, skipped: list[str]) -> list[LogFile]:
    files = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        if _looks_like_a_log(path):
            files.append(LogFile(inside.as_posix(), path))
        else:
            skipped.append(inside.as_posix())
    if not files:
        raise LogError(f"{folder}: no log in this folder; put JSON, JSON Lines, Parquet or .eval files into it")
    return files


def _looks_like_a_log(path: Path) -> bool:
    head = _head(path)
    if head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(path) as archive:
                return any(name.endswith((".json", ".jsonl")) for name in archive.namelist())
        except (OSError, zipfile.BadZipFile):
            return False
    return head.startswith(_PARQUET) or looks_like_json(head)


def _head(path: Path) -> bytes:
    """Give the beginning of a file, unpacked: enough to tell what it is."""
    head = b""
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            while len(head) < _HEAD and (chunk := stream.read1(_HEAD - len(head))):
                head += chunk
    except (OSError, EOFError, zlib.error):
        pass  # it breaks off: what could be unpacked is its head, and reading it tells the rest
    return head


def _spool(stream: IO[bytes]) -> Path:
    with tempfile.NamedTemporaryFile(prefix="limen-", suffix=".log", delete=False) as spooled:
        shutil.copyfileobj(stream, spooled)
    return Path(spooled.name)
