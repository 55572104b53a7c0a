"""A column map: how a table made elsewhere is to be read. A small TOML file.

`layout = "long"` has a row a trial, as raw_responses.csv has. `layout = "wide"` has a row a participant and a column a
trial, as exports of Google Forms, Qualtrics and Typeform have; `[[trials]]` then says what stands in which column.
"""

import tomllib
from enum import StrEnum
from pathlib import Path

import msgspec

from limen.errors import DataError


class Layout(StrEnum):
    """What a row of the table is."""

    LONG = "long"
    WIDE = "wide"


class Unit(StrEnum):
    """The unit of times in the table."""

    MILLISECONDS = "ms"
    SECONDS = "s"


class MappedTrial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a wide table: which stimulus was answered in it, at which trial."""

    column: str
    pair_id: str
    condition: str
    trial_number: int
    response_time: str | None = None  # the column with its response time


class ColumnMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to read a table made elsewhere.

    `columns` gives, for a column of raw_responses.csv, the name it has in the table; `responses` and `conditions` give
    for a text of the table the word that Limen uses. Without a column for participant_id, a wide table's participants
    are called R001, R002, … in the order of its rows.
    """

    layout: Layout = Layout.LONG
    delimiter: str = ","
    skip_rows: int = 0  # rows below the header that hold no answers; Qualtrics writes two
    columns: dict[str, str] = {}
    responses: dict[str, str] = {}
    conditions: dict[str, str] = {}
    time_unit: Unit = Unit.MILLISECONDS  # of response times and of the main task's time
    timestamp_format: str = ""  # as for strptime; empty: ISO 8601
    mode: str | None = None
    trials: tuple[MappedTrial, ...] = ()


def read_column_map(path: Path) -> ColumnMap:
    """Read a column map, or say what is wrong with it."""
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
        found = msgspec.convert(table, ColumnMap)
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror}); name a column map in TOML") from problem
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as problem:
        raise DataError(f"{path}: no column map: {problem}; see docs/how-to/analyze-answers-elsewhere.md") from problem
    if (found.layout is Layout.WIDE) != bool(found.trials):
        raise DataError(f'{path}: layout = "wide" needs [[trials]], and no other layout has them')
    if len(found.delimiter) != 1:
        raise DataError(f"{path}: delimiter = {found.delimiter!r}: give one character, such as ';' or a tab")
    for kind in ("pair_id", "trial_number"):
        values = [getattr(trial, kind) for trial in found.trials]
        if len(set(values)) < len(values):
            raise DataError(f"{path}: trials: a {kind} stands twice; give each trial its own")
    return found
