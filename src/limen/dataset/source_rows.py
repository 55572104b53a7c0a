"""A file as rows of text in named columns, long or wide, in chunks; what is no table is refused."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from limen.dataset.column_map import ColumnMap, Layout, MappedTrial
from limen.errors import DataError

CHUNK = 256  # rows; they stay in the processor's cache, which makes reading twice as fast as with 2,048
INSTRUMENT = (
    "participant_id",
    "trial_number",
    "pair_id",
    "condition",
    "response",
    "response_time_ms",
    "timestamp",
)
"""The seven columns of the survey instrument."""

NEEDED = INSTRUMENT[:5]
FURTHER = (
    "mode",
    "expected",
    "drift_a",
    "drift_b",
    "provider",
    "words_a",
    "words_b",
    "attempt",
    "copies",
    "focus_losses",
    "main_task_ms",
    "main_task_clock",
    "trials_planned",
    "drift_metric",
    "drift_standing",
)
"""Further columns that are understood where they are there."""

Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some rows as columns of text; `rows` are their numbers as a spreadsheet counts, the header being row 1.

    In a wide table all trials of a participant have the number of their row.
    """

    rows: Sequence[int]
    columns: dict[str, tuple[str, ...]]


def read_chunks(path: Path, mapped: ColumnMap, on_bytes: Callable[[int], None] = lambda count: None) -> Iterator[Chunk]:
    """Read a CSV file; raises DataError where it is none, or lacks a column that is needed."""
    try:
        with path.open("rb") as raw:
            counted = _Counted(raw, on_bytes)
            text = io.TextIOWrapper(io.BufferedReader(counted, 1 << 20), encoding="utf-8-sig", newline="")
            yield from _chunks(csv.reader(text, delimiter=mapped.delimiter, strict=True), mapped, str(path))
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror}); name a CSV file of answers") from problem
    except UnicodeDecodeError as problem:
        raise DataError(f"{path}: not a text file in UTF-8; save the table as CSV in UTF-8") from problem
    except csv.Error as problem:
        raise DataError(f"{path}: not a CSV file ({problem}); save the table as CSV in UTF-8") from problem


class _Counted(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, raw: io.BufferedReader, on_bytes: Callable[[int], None]) -> None:
        self._raw = raw
        self._on_bytes = on_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._raw.readinto(buffer)
        self._on_bytes(count)
        return count


def _chunks(reader: Iterator[list[str]], mapped: ColumnMap, where: str) -> Iterator[Chunk]:
    header = next(reader, None)
    if not header:
        raise DataError(f"{where}: the file is empty; a table of answers begins with the names of its columns")
    places = _places([name.strip() for name in header], mapped, where)
    number = 2 + len(list(islice(reader, mapped.skip_rows)))
    while rows := list(islice(reader, CHUNK)):
        numbers: Sequence[int] = range(number, number + len(rows))
        number += len(rows)
        if {*map(len, rows)} != {len(header)}:
            numbers, rows = _without_blanks(numbers, rows, len(header), where)
        if mapped.layout is Layout.WIDE:
            numbers, long = _lengthened(numbers, rows, places, mapped)
        else:
            long = rows
        if long:
            columns = tuple(zip(*long, strict=True))
            names = _long_names(places, mapped)
            yield Chunk(rows=numbers, columns={name: columns[place] for name, place in names.items()})


def _without_blanks(
    numbers: Sequence[int], rows: list[list[str]], width: int, where: str
) -> tuple[list[int], list[list[str]]]:
    """Leave out empty lines; refuse a row of another length."""
    kept = [(number, row) for number, row in zip(numbers, rows, strict=True) if row]
    wrong = next(((number, row) for number, row in kept if len(row) != width), None)
    if wrong:
        raise DataError(
            f"{where}, row {wrong[0]}: {len(wrong[1])} fields where the header has {width}; "
            "the file is cut off or is no such table"
        )
    return [number for number, _ in kept], [row for _, row in kept]


def _places(header: list[str], mapped: ColumnMap, where: str) -> dict[str, int]:
    """Find the columns: by their own names, or by the names that the map gives them."""
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice:
        raise DataError(f"{where}: column {twice!r} stands twice; name each column once")
    unknown = [name for name in mapped.columns if name not in INSTRUMENT + FURTHER]
    if unknown:
        raise DataError(f"{where}: the map names {unknown[0]!r}, which is no column of raw_responses.csv")
    names = {name: mapped.columns.get(name, name) for name in INSTRUMENT + FURTHER}
    wanted = [] if mapped.layout is Layout.WIDE else [names[name] for name in NEEDED]
    for trial in mapped.trials:
        wanted += [trial.column, *([trial.response_time] if trial.response_time else [])]
    missing = [name for name in [*wanted, *mapped.columns.values()] if name not in header]
    if missing:
        raise DataError(
            f"{where}: no column {missing[0]!r}; a table of answers has {', '.join(NEEDED)}, or comes with "
            "a column map (--columns)"
        )
    places = {name: header.index(column) for name, column in names.items() if column in header}
    return places | {f"={name}": place for place, name in enumerate(header)}


def _long_names(places: dict[str, int], mapped: ColumnMap) -> dict[str, int]:
    if mapped.layout is Layout.LONG:
        return {name: place for name, place in places.items() if not name.startswith("=")}
    return {name: place for place, name in enumerate(_lengthened_columns(places))}


def _lengthened_columns(places: dict[str, int]) -> list[str]:
    shared = [name for name in places if not name.startswith("=") and name not in _OF_A_TRIAL]
    return ["participant_id", *(name for name in shared if name != "participant_id"), *_OF_A_TRIAL]


_OF_A_TRIAL = ("trial_number", "pair_id", "condition", "response", "response_time_ms")


def _lengthened(
    numbers: Sequence[int], rows: list[list[str]], places: dict[str, int], mapped: ColumnMap
) -> tuple[list[int], list[list[str]]]:
    """Make a row a trial of a row a participant; a trial without an answer makes none."""
    shared = _lengthened_columns(places)[1 : -len(_OF_A_TRIAL)]
    long_numbers, long = [], []
    for number, row in zip(numbers, rows, strict=True):
        name = row[places["participant_id"]] if "participant_id" in places else f"R{number - mapped.skip_rows - 1:03d}"
        front = [name, *(row[places[column]] for column in shared)]
        for trial in mapped.trials:
            answer = row[places[f"={trial.column}"]]
            if answer.strip():
                of_trial = [str(trial.trial_number), trial.pair_id, trial.condition, answer]
                long.append([*front, *of_trial, _time(trial, row, places)])
                long_numbers.append(number)
    return long_numbers, long


def _time(trial: MappedTrial, row: Row, places: dict[str, int]) -> str:
    return row[places[f"={trial.response_time}"]] if trial.response_time else ""
