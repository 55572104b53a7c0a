"""A file of answers as a table, with every check. raw_responses.csv is one such file.

Refused: what is no CSV file, lacks a needed column, has a row of another length, an unknown condition, a pair or a
participant with two different facts, two different rows for one pair, two modes without a choice. Reported and not
counted: an answer outside the two, a trial number that is none, a row without participant. Reported, the answer
counted without its time: a time that is negative, unreadable, endless, before 1970 or in the future. Reported, the
answer counted without it: a number of attempts, copies or focus losses that is none. Reported and counted: a trial
number above the number planned. Reported and counted once: a repeated row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import (
    NO_TIME,
    NOT_KNOWN,
    Participants,
    TaskClock,
    TrialTable,
)
from limen.core.judgment import Response
from limen.core.protocol import Protocol
from limen.dataset.column_map import ColumnMap, Layout, Unit
from limen.dataset.facts import (
    NOBODY,
    OF_ANOTHER_MODE,
    PARTICIPANT_COLUMNS,
    STIMULUS_COLUMNS,
    FoundParticipants,
    FoundStimuli,
    Known,
    gather_participants,
    gather_stimuli,
)
from limen.dataset.problems import COUNT_NOT_COUNTED, EXAMPLES, NOT_COUNTED, TIME_NOT_COUNTED, Problems
from limen.dataset.source_rows import Chunk, read_chunks
from limen.dataset.text_columns import (
    LARGEST_COUNT,
    LONGEST_RESPONSE_MS,
    TOO_LARGE,
    UNREADABLE,
    UNREADABLE_TIME,
    coded,
    durations_ms,
    timestamps_us,
    whole_numbers,
    without_zone,
)
from limen.errors import DataError, NotReadyError
from limen.workflow.collected import Collected, Material

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

CLOCK_SKEW = timedelta(minutes=5)
COUNTS = ("attempt", "copies", "focus_losses")
_CALLED = {"answer": "response", "timestamp_us": "timestamp"}  # columns by the names that they have in a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is to be read."""

    protocol: Protocol
    now: datetime
    mapped: ColumnMap = field(default_factory=ColumnMap)
    mode: str | None = None  # which one, where the file has several
    known: Known | None = None  # the study's own material, where there is a study folder
    material: Material | None = None  # None: as far as the file itself tells


def read_responses(path: Path, reading: Reading, on_bytes: Callable[[int], None] = lambda count: None) -> Collected:
    """Read a file of answers; raises DataError where it must be refused, NotReadyError where nobody has answered."""
    where, draft, problems = str(path), _Draft(reading), Problems()
    for chunk in read_chunks(path, reading.mapped, on_bytes):
        draft.add(chunk)
    columns = draft.columns()
    if columns is None:
        needed = f"at least {reading.protocol.study.minimum_raters} raters are needed"
        raise NotReadyError(f"{where}: a header and no answers: there is nothing to analyze; {needed}")
    people = gather_participants(draft.people, reading.mode, reading.mapped, where)
    shown = gather_stimuli(draft.shown, draft.first_rows, reading.protocol, reading.mapped, reading.known, where)
    columns["participant"] = people.places[columns["person"]]
    columns["stimulus"] = shown.places[columns["shown"]]
    columns = _only(columns, columns["participant"] != OF_ANOTHER_MODE)
    if reading.known is None:
        columns, shown = _only_shown(columns, shown)
    columns = _countable(columns, problems, draft.unknown_answers)
    columns = _with_possible_times(columns, reading.now, problems)
    columns = _with_possible_counts(columns, problems)
    columns = _without_repeats(columns, people.value.ids, [s.stimulus_id for s in shown.value], where, problems)
    if columns["row"].size == 0:
        raise DataError(
            f"{where}: no row holds an answer that can be counted; expected {' or '.join(Response)} in the column "
            "response (a column map can translate other words)"
        )
    _report_late_trials(columns, people.value, reading.protocol.trial_count, problems)
    if draft.zoneless:
        problems.add("a timestamp without a time zone", "it is taken as UTC", [], draft.zoneless)
    by_rule = "the stimuli in the table count as planned, at most as many as the protocol has"
    problems.add("a participant without plan", by_rule, people.without_plan)
    return Collected(
        table=_table(columns, reading, people, shown),
        source=path.name,
        material=reading.material or shown.material,
        problems=problems.all(),
    )


class _Draft:
    """Columns of numbers that grow chunk by chunk; texts are kept once each."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._parts: dict[str, list[Whole]] = {}
        self.people: dict[tuple[str, ...], int] = {}
        self.shown: dict[tuple[str, ...], int] = {}
        self.first_rows: dict[int, int] = {}  # of each entry in `shown`
        self.unknown_answers: dict[int, str] = {}  # the first few, by row
        self.zoneless = 0
        answers = {answer.value: code for code, answer in enumerate((Response.NORMAL, Response.SOMETHINGS_OFF))}
        words = reading.mapped.responses
        self._answers = answers | {text: answers[word] for text, word in words.items() if word in answers}

    def add(self, chunk: Chunk) -> None:
        mapped = self._reading.mapped
        scale = 1000 if mapped.time_unit is Unit.SECONDS else 1
        given = chunk.columns
        found = {
            "row": np.array(chunk.rows, dtype=np.int64),
            "person": self._places(self.people, PARTICIPANT_COLUMNS, given),
            "shown": self._places(self.shown, STIMULUS_COLUMNS, given),
            "trial_number": whole_numbers(given["trial_number"]),
            "answer": coded(given["response"], self._answers, UNREADABLE),
        }
        if "response_time_ms" in given:
            found["response_time_ms"] = durations_ms(given["response_time_ms"], scale)
        if "timestamp" in given and mapped.layout is Layout.LONG:  # a wide table has only the time of sending it in
            found["timestamp_us"] = timestamps_us(given["timestamp"], mapped.timestamp_format)
            self.zoneless += without_zone(given["timestamp"], mapped.timestamp_format)
        found |= {name: whole_numbers(given[name]) for name in COUNTS if name in given}
        for name, column in found.items():
            self._parts.setdefault(name, []).append(column)
        self._note(chunk, found)

    def columns(self) -> dict[str, Whole] | None:
        if not self._parts:
            return None
        return {name: np.concatenate(parts) for name, parts in self._parts.items()}

    def _note(self, chunk: Chunk, found: Mapping[str, Whole]) -> None:
        """Remember where each stimulus was first met, and the first answers that are none."""
        new, firsts = np.unique(found["shown"], return_index=True)
        for code, first in zip(new.tolist(), firsts.tolist(), strict=True):
            self.first_rows.setdefault(code, chunk.rows[first])
        for place in np.flatnonzero(found["answer"] == UNREADABLE)[:EXAMPLES].tolist():
            self.unknown_answers[chunk.rows[place]] = chunk.columns["response"][place]

    @staticmethod
    def _places(known: dict[tuple[str, ...], int], names: Sequence[str], given: Mapping[str, tuple[str, ...]]) -> Whole:
        """Give each row the place of its combination of texts; an absent column is empty."""
        count = len(given["pair_id"])
        empty = ("",) * count
        combined = zip(*(given.get(name, empty) for name in names), strict=True)
        return np.fromiter((known.setdefault(key, len(known)) for key in combined), dtype=np.int64, count=count)


def _only_shown(columns: dict[str, Whole], shown: FoundStimuli) -> tuple[dict[str, Whole], FoundStimuli]:
    """Leave out stimuli that no participant of this mode has a row for; what is left of their rows is not counted."""
    there = np.zeros(len(shown.value), dtype=np.bool_)
    there[columns["stimulus"][columns["participant"] != NOBODY]] = True
    if there.all() or not there.any():
        return columns, shown
    stimuli = tuple(stimulus for stimulus, counted in zip(shown.value, there.tolist(), strict=True) if counted)
    places = np.cumsum(there) - 1
    return {**columns, "stimulus": places[columns["stimulus"]]}, replace(shown, value=stimuli)


def _only(columns: dict[str, Whole], chosen: Flags) -> dict[str, Whole]:
    return columns if chosen.all() else {name: column[chosen] for name, column in columns.items()}


def _countable(columns: dict[str, Whole], problems: Problems, unknown_answers: Mapping[int, str]) -> dict[str, Whole]:
    """Leave out rows whose answer cannot be counted."""
    rows = columns["row"]
    no_answer = columns["answer"] == UNREADABLE
    told = [f"row {row}: response {unknown_answers.get(row, '')!r}" for row in rows[no_answer][:EXAMPLES].tolist()]
    problems.add("an answer outside the two", NOT_COUNTED, told, int(no_answer.sum()))
    no_number = ~no_answer & (columns["trial_number"] < 1)
    told = [f"row {row}" for row in rows[no_number][:EXAMPLES].tolist()]
    problems.add(
        f"a trial number that is no whole number from 1 to {LARGEST_COUNT:,}", NOT_COUNTED, told, int(no_number.sum())
    )
    nobody = ~no_answer & ~no_number & (columns["participant"] == NOBODY)
    told = [f"row {row}" for row in rows[nobody][:EXAMPLES].tolist()]
    problems.add("a row without participant", NOT_COUNTED, told, int(nobody.sum()))
    return _only(columns, ~(no_answer | no_number | nobody))


def _with_possible_times(columns: dict[str, Whole], now: datetime, problems: Problems) -> dict[str, Whole]:
    """Take out times that cannot be; the answers stay."""
    checked = dict(columns)

    def drop(name: str, wrong: Flags, nothing: int, reason: str) -> None:
        told = [f"row {row}" for row in columns["row"][wrong][:EXAMPLES].tolist()]
        problems.add(reason, TIME_NOT_COUNTED, told, int(wrong.sum()))
        checked[name] = np.where(wrong, nothing, checked[name])

    if "response_time_ms" in columns:
        times, most = columns["response_time_ms"], f"{LONGEST_RESPONSE_MS:,} ms (eleven days)"
        drop("response_time_ms", times == UNREADABLE, NOT_KNOWN, "a response time that is negative or no number")
        drop("response_time_ms", times == TOO_LARGE, NOT_KNOWN, f"a response time of more than {most}")
    if "timestamp_us" in columns:
        stamps, latest = columns["timestamp_us"], int((now + CLOCK_SKEW).timestamp() * 1_000_000)
        drop("timestamp_us", stamps == UNREADABLE_TIME, NO_TIME, "a timestamp that is no time")
        drop("timestamp_us", (stamps > UNREADABLE_TIME) & (stamps < 0), NO_TIME, "a timestamp before 1970")
        drop("timestamp_us", stamps > latest, NO_TIME, "a timestamp in the future")
    return checked


def _with_possible_counts(columns: dict[str, Whole], problems: Problems) -> dict[str, Whole]:
    """Take out counts that cannot be; the answers stay."""
    checked = dict(columns)
    for name in COUNTS:
        if name in columns:
            wrong = columns[name] <= UNREADABLE
            told = [f"row {row}" for row in columns["row"][wrong][:EXAMPLES].tolist()]
            reason = f"a number of {name} that is no whole number from 0 to {LARGEST_COUNT:,}"
            problems.add(reason, COUNT_NOT_COUNTED, told, int(wrong.sum()))
            checked[name] = np.where(wrong, NOT_KNOWN, columns[name])
    return checked


def _report_late_trials(columns: dict[str, Whole], people: Participants, planned: int, problems: Problems) -> None:
    """Report trial numbers above what was planned: for the participant, or else by the protocol."""
    most = np.where(people.trials_planned == NOT_KNOWN, planned, people.trials_planned)[columns["participant"]]
    late = columns["trial_number"] > most
    places = np.flatnonzero(late)[:EXAMPLES]
    told = [f"row {columns['row'][k]}: trial {columns['trial_number'][k]} of {most[k]}" for k in places.tolist()]
    problems.add("a trial number above the number of trials planned", "the answer counts", told, int(late.sum()))


def _without_repeats(
    columns: dict[str, Whole], people: Sequence[str], stimuli: Sequence[str], where: str, problems: Problems
) -> dict[str, Whole]:
    """Count a repeated row once; refuse two different rows for one pair, or two pairs at one trial."""
    rows, who, what = columns["row"], columns["participant"], columns["stimulus"]
    again, before = _repeats(who, what, rows)
    repeated = np.flatnonzero(again)
    for name in [name for name in columns if name not in ("row", "person", "shown")]:
        differs = repeated[columns[name][repeated] != columns[name][before[repeated]]]
        if differs.size:
            place = int(differs[0])
            raise DataError(
                f"{where}, rows {rows[before[place]]} and {rows[place]}: participant {people[who[place]]} has two "
                f"different rows for {stimuli[what[place]]} (see {_CALLED.get(name, name)}); keep the right one"
            )
    told = [f"row {rows[place]} repeats row {rows[before[place]]}" for place in repeated[:EXAMPLES]]
    problems.add("a repeated row", "it is counted once", told, repeated.size)
    kept = _only(columns, ~again)
    rows, who, when = kept["row"], kept["participant"], kept["trial_number"]
    clash, before = _repeats(who, when, rows)
    if clash.any():
        place = int(np.argmax(clash))
        raise DataError(
            f"{where}, rows {rows[before[place]]} and {rows[place]}: participant {people[who[place]]} has two stimuli "
            f"at trial {when[place]}; give each trial its own number"
        )
    return kept


def _repeats(who: Whole, what: Whole, rows: Whole) -> tuple[Flags, Whole]:
    """Mark rows that name the same two things as a row before them, and say which row that is."""
    order = np.lexsort((rows, what, who))
    again, before = np.zeros(who.size, dtype=np.bool_), np.zeros(who.size, dtype=np.int64)
    again[order[1:]] = (who[order[1:]] == who[order[:-1]]) & (what[order[1:]] == what[order[:-1]])
    before[order[1:]] = order[:-1]
    return again, before


def _table(columns: dict[str, Whole], reading: Reading, people: FoundParticipants, shown: FoundStimuli) -> TrialTable:
    participants = people.value
    if reading.mapped.layout is Layout.WIDE and "response_time_ms" in columns:
        participants = _with_summed_times(participants, columns)
    return TrialTable(
        mode=people.mode,
        conditions=tuple(condition.name for condition in reading.protocol.conditions),
        participants=participants,
        stimuli=shown.value,
        participant=columns["participant"],
        trial_number=columns["trial_number"],
        stimulus=columns["stimulus"],
        off=columns["answer"] == 1,
        response_time_ms=columns.get("response_time_ms"),
        timestamp_us=columns.get("timestamp_us"),
        attempt=columns.get("attempt"),
        copies=columns.get("copies"),
        focus_losses=columns.get("focus_losses"),
    )


def _with_summed_times(people: Participants, columns: Mapping[str, Whole]) -> Participants:
    """Take the sum of a page's times as the main task, where the table does not give it itself."""
    who, times = columns["participant"], columns["response_time_ms"]
    total = np.bincount(who, np.maximum(times, 0), len(people)).astype(np.int64)
    untimed = np.bincount(who[times == NOT_KNOWN], minlength=len(people)) > 0
    summed = (people.main_task_ms == NOT_KNOWN) & ~untimed & (total > 0)
    return Participants(
        ids=people.ids,
        trials_planned=people.trials_planned,
        main_task_ms=np.where(summed, total, people.main_task_ms),
        main_task_clock=tuple(
            TaskClock.PAGE if by_sum else clock
            for clock, by_sum in zip(people.main_task_clock, summed.tolist(), strict=True)
        ),
    )
