"""The records of a file, as they are found and as they are decoded; JSON Lines, told by content."""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import msgspec

from limen.logs.format import Record

LONGEST_LINE = 64 * 1024 * 1024
"""A longer line is a problem, not a reason to run out of memory."""

NO_LOG = "neither JSON, JSON Lines nor Parquet, nor an archive of these"
"""Said of a file that does not even begin like one."""

_LINES_LOOKED_AT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRecord:
    """A decoded object and its place in the file."""

    place: str
    record: Record
    header: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecord:
    """A place in the file that could not be decoded."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line that is not decoded yet."""

    number: int
    data: bytes

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"line {self.number}"


def looks_like_json(head: bytes) -> bool:
    """Tell from its first bytes whether a file can be a log: an object or a list begins it, or one of its lines."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()[:_LINES_LOOKED_AT]
    return any(line.lstrip()[:1] in (b"{", b"[") for line in lines)


def is_lines(head: bytes) -> bool:
    """Tell JSON Lines by a file's beginning: at least two lines, one of which is a whole object or list by itself."""
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    if len(lines) < 2:
        return False
    return any(isinstance(decode(line), dict | list) for line in lines[:_LINES_LOOKED_AT])


def raw_lines(stream: IO[bytes], *, first: int = 1, length: int | None = None) -> Iterator[RawLine | BadRecord]:
    """Give the lines that hold something, from the stream's place on: all, or those of the next `length` bytes."""
    number, read = first - 1, 0
    try:
        while (length is None or read < length) and (line := stream.readline(LONGEST_LINE + 1)):
            number, read = number + 1, read + len(line)
            if len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = stream.readline(LONGEST_LINE)
                    read += len(line)
                yield BadRecord(place=f"line {number}", reason="line is longer than 64 MB")
                continue
            plain = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
            if plain:
                yield RawLine(number=number, data=plain)
    except (EOFError, OSError, zlib.error) as problem:
        yield BadRecord(place="end of file", reason=f"the file breaks off or is damaged: {problem}")


def decode_line(line: RawLine) -> FoundRecord | BadRecord:
    """Decode a line of JSON Lines; a line that is a list is taken for a list of messages."""
    value = decode(line.data)
    if value is None:
        return BadRecord(place=line.place, reason="not JSON")
    if isinstance(value, list):
        return FoundRecord(place=line.place, record={"messages": value}, header={})
    if isinstance(value, dict):
        return FoundRecord(place=line.place, record=value, header={})
    return BadRecord(place=line.place, reason="not a JSON object")


def decode(line: bytes) -> Any:
    """Decode one JSON value; None when it is no JSON. Python writes NaN into JSON, so it is read as Python reads it."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    except RecursionError:
        return None
    try:
        text = line.decode(json.detect_encoding(line), "surrogatepass")
        value, end = decode_first(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) else None


def decode_first(text: str, start: int = 0) -> tuple[Any, int]:
    """Decode the JSON value at a place of a text as Python does; tell where what follows begins. Raises ValueError.

    Half a pair of surrogates is no character and can be written nowhere: it is read as U+FFFD.
    """
    value, end = _decoder.raw_decode(text, _past_blanks(text, start))
    if _HALF_OR_PAIR.search(text, start, end):
        value = json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value, _past_blanks(text, end)


def _past_blanks(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\n\r":
        start += 1
    return start


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


_decoder = json.JSONDecoder(parse_int=_whole_number)
_MOST_DIGITS = 4300  # Python makes no whole number of more
_HALF = re.compile("[\ud800-\udfff]")
_HALF_OR_PAIR = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
