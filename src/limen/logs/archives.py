"""Logs in a zip archive: an Inspect `.eval` log, or the archive that an export comes in.

An Inspect log holds `header.json`, one `samples/<id>_epoch_<n>.json` a sample, and summaries beside; while it is being
written, `_journal/start.json` stands for the header (inspect_ai, `log/_recorders/eval.py`, since the documentation
calls the format only "compact, high performance binary"). Its members are packed by deflate or, in newer versions, by
Zstandard, which Python's zipfile cannot unpack before 3.14: pyarrow does. Of any other archive every member that
holds JSON is read.

Newer versions may also write a large sample in pieces, in a folder of its own; such a sample is a problem that is told.

An archive is outside input: what it claims to hold is bounded before anything is unpacked, and no more than it
claims is unpacked.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from limen.errors import LogError
from limen.logs.documents import read_document
from limen.logs.files import LogFile
from limen.logs.format import Record
from limen.logs.records import (
    BadRecord,
    FoundRecord,
    decode,
    decode_line,
    is_lines,
    looks_like_json,
    raw_lines,
)

LARGEST_MEMBER = 256 * 1024 * 1024
"""A sample that is larger unpacked is a problem, not a reason to run out of memory."""

MOST_MEMBERS = 200_000
MOST_TIMES = 250
"""An archive that unpacks to more than so many times its size is refused, if that is more than a gigabyte."""

_ALWAYS_ALLOWED = 1 << 30
_GROUP_BYTES = 1 << 20
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
_SHELL = "/sample.json"
_IN_PIECES = "a sample that Inspect wrote in pieces: convert the log with `inspect log convert --to json`"
_ZSTANDARD = 93
_LOCAL_HEADER = 30
_HEAD = 1 << 16
_DAMAGE = (EOFError, OSError, ValueError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile)
"""What zipfile raises for an archive that is damaged, locked by a password, or packed in a way unknown to it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file that can be read by itself: which members or row groups, and the number of its first row."""

    start: int
    stop: int
    size: int
    first: int = 1
    broken: str = ""


class _Sample(msgspec.Struct):
    """What is read of a sample. Its events, by far the largest part, are not even decoded."""

    id: Any
    epoch: Any
    input: Any
    target: Any
    messages: Any
    output: Any = None
    attachments: Any = None


def member_groups(log: LogFile) -> Iterator[Span]:
    """Give the members that hold records, in groups of about a megabyte. Raises LogError for one that is a bomb."""
    try:
        with zipfile.ZipFile(log.path) as archive:
            _refuse_bomb(log, archive)
            members = _members(archive)
            alone = _header_name(archive) is None
    except _DAMAGE as problem:
        yield Span(0, 0, log.path.stat().st_size, broken=f"the archive is damaged: {problem}")
        return
    start, size = 0, 0
    for number, member in enumerate(members, 1):
        size += member.compress_size
        if alone or size >= _GROUP_BYTES or number == len(members):
            yield Span(start, number, size)
            start, size = number, 0


def read_members(path: str, start: int, stop: int) -> Iterator[FoundRecord | BadRecord]:
    """Give the records of some of the members."""
    with Path(path).open("rb") as raw:
        try:
            archive = zipfile.ZipFile(raw)
            header_name = _header_name(archive)
            header = _header(archive, raw, header_name) if header_name else {}
            members = _members(archive)[start:stop]
        except _DAMAGE as problem:
            yield BadRecord(place="end of file", reason=f"the archive is damaged: {problem}")
            return
        for member in members:
            try:
                if header_name:
                    yield _read_sample(archive, raw, member, header)
                else:
                    yield from _read_member(archive, raw, member)
            except _DAMAGE as problem:
                yield BadRecord(place=member.filename, reason=f"cannot be unpacked: {problem}")


def _refuse_bomb(log: LogFile, archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    packed, unpacked = sum(m.compress_size for m in members), sum(m.file_size for m in members)
    on_disk = log.path.stat().st_size
    if len(members) > MOST_MEMBERS:
        raise LogError(f"{log.name}: {len(members):,} members; at most {MOST_MEMBERS:,} are read: split the archive")
    if packed > on_disk:
        raise LogError(f"{log.name}: members of the archive overlap, which no honest one does; leave it out")
    if unpacked > max(_ALWAYS_ALLOWED, MOST_TIMES * on_disk):
        raise LogError(
            f"{log.name}: {on_disk:,} bytes would unpack to {unpacked:,}; more than {MOST_TIMES} times is refused: "
            "unpack it yourself if you trust it"
        )


def _header_name(archive: zipfile.ZipFile) -> str | None:
    """Tell an Inspect log: the name of its header, None for another archive."""
    names = set(archive.namelist())
    return next((name for name in _HEADERS if name in names), None)


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    inspect = _header_name(archive) is not None
    members = [member for member in archive.infolist() if not member.is_dir()]
    if not inspect:
        return members
    samples = [member for member in members if member.filename.startswith(_SAMPLES)]
    return [member for member in samples if not _is_in_pieces(member) or member.filename.endswith(_SHELL)]


def _is_in_pieces(member: zipfile.ZipInfo) -> bool:
    """Tell a member of a sample that has a folder of its own."""
    return "/" in member.filename.removeprefix(_SAMPLES)


def _header(archive: zipfile.ZipFile, raw: IO[bytes], name: str) -> Record:
    found = decode(_whole(archive, raw, archive.getinfo(name)))
    return found if isinstance(found, dict) else {}


def _read_sample(
    archive: zipfile.ZipFile, raw: IO[bytes], member: zipfile.ZipInfo, header: Record
) -> FoundRecord | BadRecord:
    if _is_in_pieces(member):
        return BadRecord(place=member.filename, reason=_IN_PIECES)
    data = _whole(archive, raw, member)
    try:
        sample = msgspec.json.decode(data, type=_Sample)
        record: Any = {name: getattr(sample, name) for name in sample.__struct_fields__}
    except (msgspec.DecodeError, RecursionError):
        record = decode(data)  # Inspect writes NaN as Python does
    if not isinstance(record, dict):
        return BadRecord(place=member.filename, reason="not a JSON object")
    return FoundRecord(place=member.filename, record=record, header=header)


def _read_member(
    archive: zipfile.ZipFile, raw: IO[bytes], member: zipfile.ZipInfo
) -> Iterator[FoundRecord | BadRecord]:
    with _opened(archive, raw, member) as stream:
        head = stream.read(_HEAD)
    if not looks_like_json(head):
        return
    with _opened(archive, raw, member) as stream:
        if is_lines(head):
            for line in raw_lines(stream):
                yield _placed(decode_line(line) if not isinstance(line, BadRecord) else line, member)
        else:
            for found in read_document(stream, lambda: _opened(archive, raw, member)):
                yield _placed(found, member)


def _placed(found: FoundRecord | BadRecord, member: zipfile.ZipInfo) -> FoundRecord | BadRecord:
    place = f"{member.filename}, {found.place}"
    if isinstance(found, BadRecord):
        return BadRecord(place=place, reason=found.reason)
    return FoundRecord(place=place, record=found.record, header=found.header)


def _whole(archive: zipfile.ZipFile, raw: IO[bytes], member: zipfile.ZipInfo) -> bytes:
    if member.file_size > LARGEST_MEMBER:
        raise ValueError(f"it is larger than {LARGEST_MEMBER // 1024 // 1024} MB")
    with _opened(archive, raw, member) as stream:
        return stream.read(member.file_size)


def _opened(archive: zipfile.ZipFile, raw: IO[bytes], member: zipfile.ZipInfo) -> IO[bytes]:
    """Open a member; no more than its stated size comes out."""
    try:
        return archive.open(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
    return _unpacked_zstandard(raw, member)


def _unpacked_zstandard(raw: IO[bytes], member: zipfile.ZipInfo) -> IO[bytes]:
    try:
        import pyarrow  # noqa: PLC0415 - an extra
    except ImportError as problem:
        raise LogError(
            "a log that is packed by Zstandard needs pyarrow; install it with: pip install 'limen[parquet]'"
        ) from problem
    raw.seek(member.header_offset)
    local = raw.read(_LOCAL_HEADER)
    raw.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), io.SEEK_CUR)
    packed = pyarrow.BufferReader(raw.read(member.compress_size))
    data = pyarrow.CompressedInputStream(packed, "zstd").read(min(member.file_size, LARGEST_MEMBER))
    if zlib.crc32(data) != member.CRC:
        raise ValueError("its checksum is wrong")
    return cast("IO[bytes]", io.BytesIO(data))
