"""Stored answers become the same table in whatever chunks they come."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from answers import a_rater, a_table
from limen.core.analysis.trials import OPTIONAL_COLUMNS, TrialTable
from limen.core.tabulation import Tabulated, tabulate_answers
from limen.errors import DataError


def _columns(table: TrialTable) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "participant_id": [table.participants.ids[place] for place in table.participant],
        "stimulus_id": [table.stimuli[place].stimulus_id for place in table.stimulus],
        "response": ["SOMETHINGS_OFF" if off else "NORMAL" for off in table.off],
        "trial_number": table.trial_number.tolist(),
        "input": ["key"] * table.rows,
    }
    return columns | {name: getattr(table, name).tolist() for name in OPTIONAL_COLUMNS}


def _chunks(columns: dict[str, list[Any]], size: int) -> Iterator[dict[str, list[Any]]]:
    for start in range(0, len(columns["response"]), size):
        yield {name: values[start : start + size] for name, values in columns.items()}


def _tabulated(like: TrialTable, columns: dict[str, list[Any]], size: int = 7) -> Tabulated:
    return tabulate_answers(
        _chunks(columns, size),
        mode=like.mode,
        conditions=like.conditions,
        participants=like.participants,
        stimuli=like.stimuli,
    )


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_chunks_of_any_size_make_the_same_table(size: int) -> None:
    table = a_table([a_rater(shift=k) for k in range(3)])
    made = _tabulated(table, _columns(table), size).table
    for name in ("participant", "stimulus", "off", "trial_number", *OPTIONAL_COLUMNS):
        assert np.array_equal(getattr(made, name), getattr(table, name)), name
    assert set(made.further["input"].tolist()) == {"key"}


def test_a_participant_without_plan_is_reported_and_left_out() -> None:
    table = a_table([a_rater()])
    columns = _columns(table)
    columns["participant_id"] = ["P999" if n < 3 else "P001" for n in range(table.rows)]
    made = _tabulated(table, columns)
    assert made.table.rows == table.rows - 3
    (problem,) = made.problems
    assert (problem.reason, problem.count, problem.examples) == ("a participant without plan", 1, ("P999: 3 rows",))


@pytest.mark.parametrize(("column", "says"), [("stimulus_id", "stimulus 'x'"), ("response", "answer 'x'")])
def test_what_cannot_have_been_stored_is_refused(column: str, says: str) -> None:
    table = a_table([a_rater()])
    with pytest.raises(DataError, match=says):
        _tabulated(table, _columns(table) | {column: ["x"] * table.rows})


def test_nobody_has_answered_yet() -> None:
    table = a_table([a_rater()])
    made = _tabulated(table, {name: [] for name in _columns(table)})
    assert made.table.rows == 0
    assert made.table.participants.ids == ("P001",)
