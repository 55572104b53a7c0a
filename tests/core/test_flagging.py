"""What a person should look at. A flag excludes nobody by itself."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from answers import a_rater, a_table, some_stimuli
from limen.core.analysis.trials import NOT_KNOWN
from limen.core.flagging import COPIED_TEXT, LOST_FOCUS, READ_TOO_FAST, SHARED_PLAN, flag_participants

WORDS = [stimulus.words for stimulus in some_stimuli()]
LONGEST = max(words for words in WORDS if words is not None)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ()),
        ({"response_time_ms": LONGEST * 60}, ()),  # exactly 1,000 words a minute
        ({"response_time_ms": LONGEST * 60 - 1}, (READ_TOO_FAST,)),
        ({"response_time_ms": 0}, (READ_TOO_FAST,)),
        ({"copies": 1}, (COPIED_TEXT,)),
        ({"focus_losses": 1}, (LOST_FOCUS,)),  # at each of 23 trials
    ],
)
def test_what_a_person_should_look_at_is_flagged(changes: dict[str, int], expected: tuple[str, ...]) -> None:
    flagging = flag_participants(a_table([a_rater(), a_rater(**changes)]))
    assert [flagging.of(place) for place in (0, 1)] == [(), expected]
    assert flagging.flagged.tolist() == [False, bool(expected)]


@pytest.mark.parametrize(
    ("column", "kind"), [("copies", COPIED_TEXT), ("focus_losses", LOST_FOCUS), ("response_time_ms", READ_TOO_FAST)]
)
def test_a_column_without_a_number_is_not_assessed(column: str, kind: str) -> None:
    table = a_table([a_rater(), a_rater()])
    empty = replace(table, **{column: np.full(table.rows, NOT_KNOWN)})  # type: ignore[arg-type]
    assert flag_participants(table).not_assessed == ()
    assert flag_participants(empty).not_assessed == (kind,)


@pytest.mark.parametrize(
    ("codes", "shared"),
    [
        (("K7QX", "M2RD", "K7QX"), [True, False, True]),
        ((None, None, "K7QX"), [False, False, False]),  # two who came to the server share nothing
        (None, [False, False, False]),
    ],
)
def test_all_who_had_one_plan_are_flagged_and_none_is_left_out_for_it(
    codes: Sequence[str | None] | None, shared: list[bool]
) -> None:
    table = a_table([a_rater(), a_rater(), a_rater()])
    participants = replace(table.participants, plan_codes=None if codes is None else tuple(codes))
    flagging = flag_participants(replace(table, participants=participants))
    assert [flagging.of(place) for place in range(3)] == [(SHARED_PLAN,) if it else () for it in shared]
    assert not flagging.flagged.any()
