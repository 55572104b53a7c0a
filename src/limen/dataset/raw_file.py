"""raw_responses.csv: every stored trial of the mode analyzed, excluded participants too, streamed.

The instrument's seven columns come first. Read again by itself, the file gives the same numbers as specified and the
same outcome: what decides an exclusion stands on every row.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import NO_TIME, NOT_KNOWN, ShownStimulus, TrialTable
from limen.core.exclusion import Exclusion, main_task
from limen.core.flagging import words_per_minute
from limen.core.judgment import Response
from limen.dataset.facts import ATTENTION
from limen.workflow.collected import NOTHING_KNOWN, Material

ROWS_AT_ONCE = 50_000
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")

Whole = NDArray[np.int64]
Texts = Sequence[object]
Column = Callable[[slice], Texts]


def raw_responses(
    table: TrialTable, exclusions: Sequence[Exclusion], material: Material = NOTHING_KNOWN
) -> Iterator[bytes]:
    """Give the file piece by piece."""
    columns = _columns(table, {exclusion.participant: exclusion.first for exclusion in exclusions}, material)
    yield _lines([list(columns)])
    for start in range(0, table.rows, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, table.rows))
        yield _lines(zip(*(column(rows) for column in columns.values()), strict=True))


def harmless(text: str) -> str:
    """Write free text so that no spreadsheet runs it.

    >>> harmless("=1+1"), harmless("P001")
    ("'=1+1", 'P001')
    """
    return f"'{text}" if text.startswith(DANGEROUS) else text


def _columns(table: TrialTable, excluded: Mapping[str, str], material: Material) -> dict[str, Column]:
    people, task = table.participants, main_task(table)
    columns: dict[str, Column] = {
        "participant_id": _of_participant(table, [harmless(name) for name in people.ids]),
        "trial_number": _counts(table.trial_number),
        "pair_id": _of_stimulus(table, lambda s: harmless(s.stimulus_id)),
        "condition": _of_stimulus(table, lambda s: s.condition or ATTENTION),
        "response": _responses(table),
        "response_time_ms": _counts(table.response_time_ms),
        "timestamp": _timestamps(table.timestamp_us),
        "mode": _always(harmless(table.mode or "")),
        "expected": _of_stimulus(table, lambda s: s.expected or ""),
        "attention_pass": _attention_passes(table),
        "excluded_first_rule": _of_participant(table, [excluded.get(name, "") for name in people.ids]),
        "drift_b": _of_stimulus(table, lambda s: "" if s.drift_b is None else repr(s.drift_b)),
        "provider": _of_stimulus(table, lambda s: harmless(s.provider or "")),
        "words_a": _of_stimulus(table, lambda s: "" if s.words_a is None else s.words_a),
        "words_b": _of_stimulus(table, lambda s: "" if s.words_b is None else s.words_b),
        "attempt": _counts(table.attempt),
        "drift_a": _of_stimulus(table, lambda s: "" if s.drift_a is None else repr(s.drift_a)),
        "copies": _counts(table.copies),
        "focus_losses": _counts(table.focus_losses),
        "words_per_minute": _speeds(words_per_minute(table)),
        "main_task_ms": _of_participant(table, _blank(task.ms)),
        "main_task_clock": _of_participant(table, [clock or "" for clock in task.clock]),
        "trials_planned": _of_participant(table, _blank(people.trials_planned)),
        "drift_metric": _of_stimulus(table, lambda s: harmless(material.metric or "") if s.is_pair else ""),
        "drift_standing": _of_stimulus(table, lambda s: harmless(material.standing or "") if s.is_pair else ""),
    }
    return columns | {name: _further(values) for name, values in table.further.items()}


def _of_participant(table: TrialTable, values: Texts) -> Column:
    texts = np.array(values, dtype=object)
    return lambda rows: texts[table.participant[rows]].tolist()


def _of_stimulus(table: TrialTable, value: Callable[[ShownStimulus], object]) -> Column:
    texts = np.array([value(stimulus) for stimulus in table.stimuli], dtype=object)
    return lambda rows: texts[table.stimulus[rows]].tolist()


def _responses(table: TrialTable) -> Column:
    words = np.array([Response.NORMAL.value, Response.SOMETHINGS_OFF.value], dtype=object)
    return lambda rows: words[table.off[rows].astype(np.int64)].tolist()


def _attention_passes(table: TrialTable) -> Column:
    """Say of each attention check whether it was passed; empty for pairs and where nobody knows."""
    judged = np.array([not s.is_pair and s.expected is not None for s in table.stimuli], dtype=np.bool_)
    wants_off = np.array([s.expected is Response.SOMETHINGS_OFF for s in table.stimuli], dtype=np.bool_)

    def passes(rows: slice) -> Texts:
        shown = table.stimulus[rows]
        right = np.where(table.off[rows] == wants_off[shown], "true", "false")
        texts: list[object] = np.where(judged[shown], right, "").tolist()
        return texts

    return passes


def _counts(column: Whole | None) -> Column:
    return _always("") if column is None else lambda rows: _blank(column[rows])


def _speeds(column: NDArray[np.float64]) -> Column:
    return lambda rows: ["" if math.isnan(speed) else speed for speed in column[rows].tolist()]


def _timestamps(column: Whole | None) -> Column:
    if column is None:
        return _always("")
    known = column != NO_TIME
    size = next(size for size in (1_000_000, 1000, 1) if not np.any(column[known] % size))
    unit: Literal["s", "ms", "us"] = {1_000_000: "s", 1000: "ms", 1: "us"}[size]  # type: ignore[assignment]

    def stamps(rows: slice) -> Texts:
        moments: NDArray[np.datetime64] = np.where(known[rows], column[rows], 0).view("datetime64[us]")
        texts = np.datetime_as_string(moments, unit=unit, timezone="UTC").tolist()
        return [text if there else "" for text, there in zip(texts, known[rows].tolist(), strict=True)]

    return stamps


def _further(values: NDArray[np.generic]) -> Column:
    if values.dtype.kind in "iufb":
        return lambda rows: values[rows].tolist()
    return lambda rows: [harmless(str(value)) for value in values[rows].tolist()]


def _always(text: str) -> Column:
    return lambda rows: [text] * (rows.stop - rows.start)


def _blank(numbers: Whole) -> list[object]:
    return ["" if number == NOT_KNOWN else number for number in numbers.tolist()]


def _lines(rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
