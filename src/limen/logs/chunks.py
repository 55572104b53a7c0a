"""A log in pieces that can be read apart from each other, here or elsewhere, and give the same together."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import LogError
from limen.logs import archives, tables
from limen.logs.documents import WHOLE_BYTES, read_document
from limen.logs.files import LogFile, Packing
from limen.logs.format import Origin, format_of, known_formats
from limen.logs.records import LONGEST_LINE, BadRecord, FoundRecord, RawLine, decode_line, raw_lines

CHUNK_BYTES = 4 * 1024 * 1024
"""About so much is read at once. A line is never cut, so that a chunk may be longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a file. What `start` and `stop` count depends on the packing: bytes, row groups or members."""

    file: str
    path: str
    packing: Packing
    size: int  # bytes of the file that it stands for
    start: int = 0
    stop: int = 0
    first: int = 1  # the number of its first line or row
    data: bytes = b""  # lines that are unpacked already
    broken: str = ""  # why nothing can be read from here on

    @property
    def can_be_handed_on(self) -> bool:
        """Tell whether its conversations fit into memory all at once."""
        return self.packing not in (Packing.DOCUMENT, Packing.PACKED_DOCUMENT) or self.size <= WHOLE_BYTES


@dataclass(slots=True)
class Plan:
    """The chunks of a file, in order. `digest` is the whole file's once all were given, if it was asked for."""

    log: LogFile
    with_digest: bool = True
    _digest: Any = field(default_factory=hashlib.sha256)

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes that were seen."""
        return str(self._digest.hexdigest()) if self.with_digest else ""

    def __iter__(self) -> Iterator[Chunk]:
        packing = self.log.packing()
        if packing is Packing.LINES:
            yield from self._lines()
            return
        if packing is Packing.PACKED_LINES:
            yield from self._packed_lines()
        elif packing is Packing.ROWS:
            yield from self._spans(tables.row_groups(self.log), packing)
        elif packing is Packing.ARCHIVE:
            yield from self._spans(archives.member_groups(self.log), packing)
        else:
            yield self._chunk(packing, self.log.path.stat().st_size)
        if self.with_digest:
            with self.log.path.open("rb") as stream:
                while block := stream.read(CHUNK_BYTES):
                    self._digest.update(block)

    def _lines(self) -> Iterator[Chunk]:
        start, first = 0, 1
        with self.log.path.open("rb") as stream:
            while block := stream.read(CHUNK_BYTES):
                size, lines = len(block), block.count(b"\n")
                self._see(block)
                while not block.endswith(b"\n") and (block := stream.readline(CHUNK_BYTES)):
                    size, lines = size + len(block), lines + block.endswith(b"\n")
                    self._see(block)
                yield self._chunk(Packing.LINES, size, start=start, stop=start + size, first=first)
                start, first = start + size, first + lines

    def _packed_lines(self) -> Iterator[Chunk]:
        first, told, rest, ended, in_a_long_line = 1, 0, b"", "", False
        with self.log.path.open("rb") as raw:
            unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
            while not ended:
                block, ended = _unpack(unpacked, CHUNK_BYTES)
                rest += block
                if in_a_long_line:  # what is left of a line that was told to be too long
                    _, end, rest = rest.partition(b"\n")
                    in_a_long_line, first = not end, first + len(end)
                    if in_a_long_line:
                        continue
                cut = len(rest) if ended else rest.rfind(b"\n") + 1
                in_a_long_line = not cut and len(rest) > LONGEST_LINE
                if in_a_long_line:
                    cut = len(rest)
                if cut:
                    size, told = raw.tell() - told, raw.tell()
                    yield self._chunk(Packing.PACKED_LINES, size, first=first, data=rest[:cut])
                    first, rest = first + rest.count(b"\n", 0, cut), rest[cut:]
        if ended != _END:
            yield self._chunk(Packing.PACKED_LINES, 0, broken=ended)

    def _spans(self, spans: Iterator[archives.Span], packing: Packing) -> Iterator[Chunk]:
        for span in spans:
            yield self._chunk(
                packing, span.size, start=span.start, stop=span.stop, first=span.first, broken=span.broken
            )

    def _chunk(self, packing: Packing, size: int, **more: Any) -> Chunk:
        path = str(self.log.path.resolve())  # a worker elsewhere may stand in another folder
        return Chunk(file=self.log.name, path=path, packing=packing, size=size, **more)

    def _see(self, block: bytes) -> None:
        if self.with_digest:
            self._digest.update(block)


_END = "end"


def _unpack(stream: IO[bytes], count: int) -> tuple[bytes, str]:
    """Read so much of a gzipped file; tell whether it ended there, or why it broke off."""
    parts: list[bytes] = []
    try:
        while count > 0 and (part := stream.read(min(count, 1 << 16))):
            parts.append(part)
            count -= len(part)
    except (EOFError, OSError, zlib.error) as problem:
        return b"".join(parts), f"the file breaks off or is damaged: {problem}"
    return b"".join(parts), "" if count <= 0 else _END


def read_chunk(chunk: Chunk, on_bytes: Callable[[int], None] | None = None) -> Iterator[Conversation | LogProblem]:
    """Give every conversation and every problem of a chunk, in order."""
    try:
        for found in _found(chunk, on_bytes):
            if isinstance(found, RawLine):
                yield from _from_line(chunk, found)
            elif isinstance(found, BadRecord):
                yield LogProblem(file=chunk.file, record=found.place, reason=found.reason)
            else:
                yield from _from_record(chunk, found)
    except FileNotFoundError as problem:
        raise LogError(
            f"{chunk.path}: is not there for whoever was to read it; a cluster's workers must see the same files "
            "under the same paths"
        ) from problem


def _found(chunk: Chunk, on_bytes: Callable[[int], None] | None) -> Iterator[RawLine | FoundRecord | BadRecord]:
    if chunk.broken:
        yield BadRecord(place="end of file", reason=chunk.broken)
    elif chunk.packing is Packing.PACKED_LINES:
        yield from raw_lines(io.BytesIO(chunk.data), first=chunk.first)
    elif chunk.packing is Packing.LINES:
        with Path(chunk.path).open("rb") as stream:
            stream.seek(chunk.start)
            yield from raw_lines(stream, first=chunk.first, length=chunk.stop - chunk.start)
    elif chunk.packing is Packing.ROWS:
        yield from tables.read_rows(chunk.path, chunk.start, chunk.first)
    elif chunk.packing is Packing.ARCHIVE:
        yield from archives.read_members(chunk.path, chunk.start, chunk.stop)
    else:
        with Path(chunk.path).open("rb") as raw:
            told = cast("IO[bytes]", io.BufferedReader(_Told(raw, on_bytes), 1 << 16)) if on_bytes else raw
            packed = chunk.packing is Packing.PACKED_DOCUMENT
            unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=told)) if packed else told
            yield from read_document(unpacked, lambda: _opened(chunk))


def _opened(chunk: Chunk) -> IO[bytes]:
    packed = chunk.packing is Packing.PACKED_DOCUMENT
    return cast("IO[bytes]", gzip.open(chunk.path) if packed else Path(chunk.path).open("rb"))


def _from_line(chunk: Chunk, line: RawLine) -> Iterator[Conversation | LogProblem]:
    for known in known_formats():
        whole = known.decode(line.data) if known.decode else None
        if whole is not None:
            yield whole
            return
    found = decode_line(line)
    if isinstance(found, BadRecord):
        yield LogProblem(file=chunk.file, record=found.place, reason=found.reason)
    else:
        yield from _from_record(chunk, found)


def _from_record(chunk: Chunk, found: FoundRecord) -> Iterator[Conversation | LogProblem]:
    origin = Origin(file=chunk.file, record=found.place, header=found.header)
    known = format_of(found.record)
    if known is None:
        yield origin.problem("of no known format")
        return
    try:
        yield from known.read(found.record, origin)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as problem:
        yield origin.problem(f"not as {known.name} should be: {type(problem).__name__}: {problem}")


class _Told(io.RawIOBase):
    """A file that tells how much is read from it."""

    def __init__(self, raw: IO[bytes], on_bytes: Callable[[int], None] | None) -> None:
        self._raw = raw
        self._on_bytes = on_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._raw.read(len(buffer))
        if self._on_bytes:
            self._on_bytes(len(block))
        buffer[: len(block)] = block
        return len(block)
