"""Stored answers, column by column in chunks, as the one table of an analysis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import OPTIONAL_COLUMNS, Participants, ShownStimulus, TrialTable
from limen.core.findings import DataProblem
from limen.core.judgment import Response
from limen.core.numerals import counted
from limen.errors import DataError

Chunk = Mapping[str, Sequence[Any]]
"""Columns of equal length: participant_id, stimulus_id, trial_number, response, and any of `OPTIONAL_COLUMNS`.

Whatever else there is goes to raw_responses.csv as it is.
"""

NEEDED = ("participant_id", "stimulus_id", "trial_number", "response")
EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tabulated:
    """A table, and what was left out of it."""

    table: TrialTable
    problems: tuple[DataProblem, ...]


def tabulate_answers(
    chunks: Iterable[Chunk],
    *,
    mode: str | None,
    conditions: tuple[str, ...],
    participants: Participants,
    stimuli: tuple[ShownStimulus, ...],
) -> Tabulated:
    """Put stored answers together; rows of a participant without plan are left out and reported.

    `participants` are all who started, with their plans. A stimulus that is not among `stimuli`, or an answer outside
    the two, cannot be stored, so it is refused.
    """
    people = {name: place for place, name in enumerate(participants.ids)}
    shown = {stimulus.stimulus_id: place for place, stimulus in enumerate(stimuli)}
    answers = {answer.value: answer is Response.SOMETHINGS_OFF for answer in Response}
    parts: dict[str, list[NDArray[Any]]] = {}
    strangers: dict[str, int] = {}
    for chunk in chunks:
        who = np.array([people.get(name, -1) for name in chunk["participant_id"]], dtype=np.int64)
        for place in np.flatnonzero(who < 0).tolist():
            name = chunk["participant_id"][place]
            strangers[name] = strangers.get(name, 0) + 1
        known = who >= 0
        columns = {
            "participant": who,
            "stimulus": _looked_up(chunk["stimulus_id"], shown, "stimulus"),
            "off": _looked_up(chunk["response"], answers, "answer"),
            "trial_number": np.asarray(chunk["trial_number"], dtype=np.int64),
        }
        columns |= {name: np.asarray(values) for name, values in chunk.items() if name not in NEEDED}
        for name, column in columns.items():
            parts.setdefault(name, []).append(column[known])
    whole = {name: np.concatenate(pieces) for name, pieces in parts.items()}
    table = _table(whole, mode=mode, conditions=conditions, participants=participants, stimuli=stimuli)
    return Tabulated(table=table, problems=_problems(strangers))


def _table(columns: dict[str, NDArray[Any]], **facts: Any) -> TrialTable:
    nothing = np.empty(0, dtype=np.int64)
    numbers: dict[str, Any] = {
        name: columns.get(name, nothing).astype(np.int64) for name in ("participant", "stimulus", "trial_number")
    }
    numbers |= {name: columns[name].astype(np.int64) for name in OPTIONAL_COLUMNS if name in columns}
    return TrialTable(
        **facts,
        **numbers,
        off=columns.get("off", nothing).astype(np.bool_),
        further={name: column for name, column in columns.items() if name not in {*numbers, "off"}},
    )


def _looked_up(texts: Sequence[str], places: Mapping[str, int | bool], what: str) -> NDArray[Any]:
    try:
        return np.array([places[text] for text in texts])
    except KeyError as problem:
        raise DataError(f"stored answers: {what} {problem.args[0]!r} is not one of the study's") from problem


def _problems(strangers: Mapping[str, int]) -> tuple[DataProblem, ...]:
    if not strangers:
        return ()
    told = tuple(f"{name}: {counted(rows, 'row')}" for name, rows in list(strangers.items())[:EXAMPLES])
    return (
        DataProblem(
            reason="a participant without plan",
            count=len(strangers),
            rule="the answers are not counted",
            examples=told,
        ),
    )
