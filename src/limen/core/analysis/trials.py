"""Every answer of a study as one table of arrays: what exclusion and analysis read.

The store and a CSV file are two ways to make one. A table is in one order whatever order it was made from:
participants by id, stimuli by condition and id, rows by participant and trial. So no result depends on
the order in which answers came in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.ratings import Ratings
from limen.core.judgment import Response
from limen.errors import DataError

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOT_KNOWN = -1
"""What stands in a column of counts and durations where the value is not known."""

NO_TIME = int(np.iinfo(np.int64).min)
"""What stands in the column of timestamps where there is none."""


class TaskClock(StrEnum):
    """Whose clock measured the main task."""

    SERVER = "server"  # from the receipt of "trial 1 painted" to the receipt of the last answer
    PAGE = "page"  # the page's own monotonic sum
    OWN = "own"  # the clock that a simulated rater carries
    TABLE = "table"  # last timestamp − (first timestamp − its response time)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStimulus:
    """A pair or an attention check, with what the analysis may use. None: not known.

    A check has no condition. `drift_a` and `drift_b` are those of the texts shown.
    """

    stimulus_id: str
    condition: str | None
    expected: Response | None = None
    drift_a: float | None = None
    drift_b: float | None = None
    provider: str | None = None
    words_a: int | None = None
    words_b: int | None = None

    @property
    def is_pair(self) -> bool:
        """Tell a pair from an attention check."""
        return self.condition is not None

    @property
    def words(self) -> int | None:
        """How many words the trial shows."""
        return None if self.words_a is None or self.words_b is None else self.words_a + self.words_b


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Participants:
    """Who is in the table, as columns: everyone who started, also those without a single answer.

    `trials_planned` and `main_task_ms` hold `NOT_KNOWN` where the table does not say; `main_task_clock` is
    None there. `plan_codes` name the sealed plans of a static page (None: this participant had none), and are None as a
    whole where the table does not say.
    """

    ids: tuple[str, ...]
    trials_planned: Whole
    main_task_ms: Whole
    main_task_clock: tuple[TaskClock | None, ...]
    plan_codes: tuple[str | None, ...] | None = None

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        *,
        trials_planned: Sequence[int] | None = None,
        main_task_ms: Sequence[int] | None = None,
        main_task_clock: Sequence[TaskClock | None] | None = None,
        plan_codes: Sequence[str | None] | None = None,
    ) -> Self:
        """Build the columns; those left out are not known."""
        unknown = [NOT_KNOWN] * len(ids)
        return cls(
            ids=tuple(ids),
            trials_planned=np.asarray(unknown if trials_planned is None else trials_planned, dtype=np.int64),
            main_task_ms=np.asarray(unknown if main_task_ms is None else main_task_ms, dtype=np.int64),
            main_task_clock=tuple([None] * len(ids) if main_task_clock is None else main_task_clock),
            plan_codes=None if plan_codes is None else tuple(plan_codes),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def chosen(self, places: Whole) -> Self:
        """Keep the participants at these places, in this order."""
        return type(self)(
            ids=tuple(self.ids[place] for place in places.tolist()),
            trials_planned=self.trials_planned[places],
            main_task_ms=self.main_task_ms[places],
            main_task_clock=tuple(self.main_task_clock[place] for place in places.tolist()),
            plan_codes=None if self.plan_codes is None else tuple(self.plan_codes[place] for place in places.tolist()),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialTable:
    """Answers of one mode as columns of equal length, one row a trial, attention checks included.

    `participant` and `stimulus` are places in `participants` and `stimuli`. A column that the source does
    not have is None; a single value that it does not have is `NOT_KNOWN` (`NO_TIME` in `timestamp_us`,
    µs since 1970, UTC). `further` holds columns that are only passed on to raw_responses.csv.
    """

    mode: str | None  # None: the source does not say
    conditions: tuple[str, ...]  # in the protocol's order
    participants: Participants
    stimuli: tuple[ShownStimulus, ...]
    participant: Whole
    trial_number: Whole
    stimulus: Whole
    off: Flags
    response_time_ms: Whole | None = None
    timestamp_us: Whole | None = None
    attempt: Whole | None = None
    copies: Whole | None = None
    focus_losses: Whole | None = None
    further: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the columns fit, and put everything into the one order."""
        rows = self.participant.size
        for name in ("trial_number", "stimulus", "off", *OPTIONAL_COLUMNS):
            column = getattr(self, name)
            if column is not None and column.shape != (rows,):
                raise DataError(f"trials: column {name} has {column.shape} values, not {rows}; give one a row")
        unknown = {s.condition for s in self.stimuli if s.condition is not None} - set(self.conditions)
        if unknown:
            raise DataError(f"trials: condition {min(unknown)!r} is not one of {', '.join(self.conditions)}")
        _settle(self)

    @property
    def rows(self) -> int:
        """The number of answers."""
        return int(self.participant.size)

    @property
    def pair_places(self) -> Whole:
        """The places of the pairs in `stimuli`, in order."""
        return np.flatnonzero([stimulus.is_pair for stimulus in self.stimuli])

    @property
    def check_places(self) -> Whole:
        """The places of the attention checks in `stimuli`, in order."""
        return np.flatnonzero([not stimulus.is_pair for stimulus in self.stimuli])

    def answers(self) -> "AnswerGrid":
        """Lay the answers out as participants × stimuli."""
        shape = (len(self.participants), len(self.stimuli))
        off, answered = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        off[self.participant, self.stimulus] = self.off
        answered[self.participant, self.stimulus] = True
        return AnswerGrid(off=off, answered=answered)

    def ratings(self, kept: Flags | None = None, pairs: Whole | None = None) -> Ratings:
        """Give the answers to pairs: rows are the kept participants, columns the pairs (all, or these places)."""
        grid = self.answers()
        places = self.pair_places if pairs is None else pairs
        rows = slice(None) if kept is None else np.flatnonzero(kept)
        names = [self.stimuli[place].condition for place in places.tolist()]
        return Ratings(
            off=grid.off[rows][:, places],
            answered=grid.answered[rows][:, places],
            condition=np.array([self.conditions.index(name) for name in names if name], dtype=np.intp),
            conditions=self.conditions,
        )

    def of_rows(self, chosen: Flags) -> Self:
        """Keep the chosen rows; participants and stimuli stay."""
        columns = {name: getattr(self, name) for name in ("participant", "trial_number", "stimulus", "off")}
        columns |= {name: getattr(self, name) for name in OPTIONAL_COLUMNS if getattr(self, name) is not None}
        kept = {name: column[chosen] for name, column in columns.items()}
        return replace(self, **kept, further={name: column[chosen] for name, column in self.further.items()})


OPTIONAL_COLUMNS = ("response_time_ms", "timestamp_us", "attempt", "copies", "focus_losses")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnswerGrid:
    """Answers as participants × stimuli; `off` is false where there is no answer."""

    off: Flags
    answered: Flags


def _settle(table: TrialTable) -> None:
    """Put participants, stimuli and rows into their order, and seal the arrays."""
    ids = table.participants.ids
    if len(set(ids)) != len(ids):
        raise DataError("trials: a participant is listed twice; list each once")
    by_id = np.array(sorted(range(len(ids)), key=lambda place: (len(ids[place]), ids[place])), dtype=np.int64)
    ranks = {name: rank for rank, name in enumerate(table.conditions)}
    last = len(ranks)
    shown = table.stimuli
    in_order = sorted(
        range(len(shown)),
        key=lambda place: (ranks.get(shown[place].condition or "", last), shown[place].stimulus_id),
    )
    by_condition = np.array(in_order, dtype=np.int64)
    participant = _places(by_id)[table.participant]
    stimulus = _places(by_condition)[table.stimulus]
    rows = np.lexsort((stimulus, table.trial_number, participant))
    settled: dict[str, object] = {
        "participants": table.participants.chosen(by_id),
        "stimuli": tuple(shown[place] for place in in_order),
        "participant": _sealed(participant[rows]),
        "stimulus": _sealed(stimulus[rows]),
        "further": {name: _sealed(column[rows]) for name, column in table.further.items()},
    }
    for name in ("trial_number", "off", *OPTIONAL_COLUMNS):
        column = getattr(table, name)
        settled[name] = None if column is None else _sealed(column[rows])
    for name, value in settled.items():
        object.__setattr__(table, name, value)


def _places(order: Whole) -> Whole:
    """Turn an order into where each one went."""
    places = np.empty(order.size, dtype=np.int64)
    places[order] = np.arange(order.size)
    return places


def _sealed(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column
