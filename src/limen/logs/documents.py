"""A JSON document as a stream of decoded records: a list of them, an object that holds them, or one record."""

import io
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import IO, Any

import ijson

from limen.logs.format import Record, format_of
from limen.logs.records import NO_LOG, BadRecord, FoundRecord, decode_first

WHOLE_BYTES = 32 * 1024 * 1024
"""A document cannot be cut. One that is larger is never decoded whole, and never handed to somebody else."""

Opener = Callable[[], IO[bytes]]
"""Opens the same document once more, from its beginning."""

_Event = tuple[str, Any]
_CONTAINERS = ("results", "conversations", "records", "data", "items", "logs", "samples")
_TOO_LARGE = f"a document over {WHOLE_BYTES >> 20} MB is lost from there on: write it without NaN, or as JSON Lines"


def read_document(stream: IO[bytes], again: Opener) -> Iterator[FoundRecord | BadRecord]:
    """Give every record of a JSON document, one at a time, or of several that follow each other.

    What is no JSON to the letter (NaN, numbers of many digits) is opened again and decoded whole, if it is not too
    large for that.
    """
    buffered = io.BufferedReader(_WithoutMark(stream), 1 << 16)
    count = 0
    try:
        beginning = buffered.peek().lstrip()
        if not beginning:  # empty
            return
        if beginning[:1] not in (b"{", b"["):
            yield BadRecord(place="beginning", reason=NO_LOG)
            return
        for found in _records(ijson.basic_parse(buffered, use_float=True, multiple_values=True)):
            count += 1
            yield found
    except (EOFError, OSError, zlib.error) as problem:
        yield BadRecord(place="end of file", reason=f"the file breaks off or is damaged: {problem}")
    except (ijson.JSONError, ValueError, RecursionError) as problem:
        yield from _read_whole(again, count, f"not JSON from here on ({_first_line(problem)})")


def _read_whole(again: Opener, given: int, broken: str) -> Iterator[FoundRecord | BadRecord]:
    """Give the records after the first `given` from the document decoded whole, or what is broken if it cannot be."""
    place = f"after record {given}"
    try:
        with again() as stream:
            data = stream.read(WHOLE_BYTES + 1)
        if len(data) > WHOLE_BYTES:
            yield BadRecord(place=place, reason=f"{broken}; {_TOO_LARGE}")
            return
        records = list(_records(_events_of_all(str(data, "utf-8-sig"))))
    except (EOFError, OSError, zlib.error, ValueError, RecursionError):
        yield BadRecord(place=place, reason=broken)
        return
    yield from records[given:]


def _events_of_all(text: str) -> Iterator[_Event]:
    end = 0
    while end < len(text):
        value, end = decode_first(text, end)
        yield from _events(value)


def _events(value: Any) -> Iterator[_Event]:
    """Give a decoded value as the events from which ijson would build it."""
    if isinstance(value, dict):
        yield "start_map", None
        for key, held in value.items():
            yield "map_key", key
            yield from _events(held)
        yield "end_map", None
    elif isinstance(value, list):
        yield "start_array", None
        for held in value:
            yield from _events(held)
        yield "end_array", None
    else:
        yield "scalar", value


def _first_line(problem: Exception) -> str:
    """Give what a parser says is wrong, without the text around the place, which it shows in further lines."""
    said = problem.args[0] if problem.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return text.strip().partition("\n")[0].rstrip(".")[:100]


def _records(events: Iterator[_Event]) -> Iterator[FoundRecord | BadRecord]:
    for number, (event, _) in enumerate(events, 1):  # some tools write one document after another
        if event == "start_array":
            yield from _list("", events, {})
        elif event == "start_map":
            yield from _object(events, f"object {number}")
        else:
            yield BadRecord(place=f"value {number}", reason="not a JSON object or list")


def _object(events: Iterator[_Event], place: str) -> Iterator[FoundRecord | BadRecord]:
    """Read an object that is one record, or holds its records in a list under one of its keys."""
    header: dict[str, Any] = {}
    if not (yield from _fill(header, events, header)):
        yield FoundRecord(place=place, record=header, header={})


def _fill(
    target: dict[str, Any], events: Iterator[_Event], header: dict[str, Any], within: str = ""
) -> Generator[FoundRecord | BadRecord, None, bool]:
    """Put an object's fields into `target`, but give the records that it holds; tell whether it held any.

    Records may lie one object deeper: `results` of an object that is called `results` itself.
    """
    held = False
    for ends, key in events:
        if ends == "end_map":
            break
        event, value = next(events)
        if event == "start_array" and key in _CONTAINERS:
            items: list[FoundRecord | BadRecord] = []
            rest = _list(within + key, events, header)
            for item in rest:
                items.append(item)
                if isinstance(item, FoundRecord) and format_of(item.record) is not None:
                    held = True
                    yield from items
                    yield from rest
            if not held:
                target[key] = [item.record if isinstance(item, FoundRecord) else None for item in items]
        elif event == "start_map" and key in _CONTAINERS and not within:
            target[key] = {}
            held |= yield from _fill(target[key], events, header, f"{key}.")
        else:
            target[key] = _build(event, value, events)
    return held


def _list(name: str, events: Iterator[_Event], header: Record) -> Iterator[FoundRecord | BadRecord]:
    messages: list[Any] = []
    for number, (event, value) in enumerate(events):
        if event == "end_array":
            break
        item = _build(event, value, events)
        if not name and isinstance(item, dict) and {"role", "content"} <= item.keys() and format_of(item) is None:
            messages.append(item)
        elif isinstance(item, dict):
            yield FoundRecord(place=f"{name}[{number}]", record=item, header=header)
        elif isinstance(item, list):
            yield FoundRecord(place=f"{name}[{number}]", record={"messages": item}, header=header)
        else:
            yield BadRecord(place=f"{name}[{number}]", reason="not a JSON object")
    if messages:
        yield FoundRecord(place="the whole list", record={"messages": messages}, header=header)


def _build(event: str, value: Any, events: Iterator[_Event]) -> Any:
    """Build the value that begins with `event`, taking the events that belong to it."""
    if event not in ("start_map", "start_array"):
        return value
    builder = ijson.ObjectBuilder()
    builder.event(event, value)
    depth = 1
    while depth:
        event, value = next(events)
        depth += {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}.get(event, 0)
        builder.event(event, value)
    return builder.value


class _WithoutMark(io.RawIOBase):
    """A stream without the byte order mark that some editors put first."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._at_start = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read(len(buffer))
        if self._at_start:
            self._at_start = False
            if chunk.startswith(b"\xef\xbb\xbf"):
                chunk = chunk[3:] or self._stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)
