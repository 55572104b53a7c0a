"""The table of answers is in one order, whatever order it was made from."""

import numpy as np
import pytest

from answers import a_rater, a_table, shuffled
from limen.core.analysis.trials import Participants, ShownStimulus, TrialTable
from limen.errors import DataError


def test_the_order_in_which_answers_come_in_does_not_matter() -> None:
    table = a_table([a_rater(shift=k) for k in range(12)])
    again = shuffled(table)
    assert again.participants.ids == table.participants.ids
    assert again.stimuli == table.stimuli
    for name in ("participant", "stimulus", "trial_number", "off", "response_time_ms", "timestamp_us"):
        assert np.array_equal(getattr(again, name), getattr(table, name)), name


def test_participants_are_ordered_as_people_count() -> None:
    table = a_table([a_rater()] * 3, ids=lambda number: {1: "P1000", 2: "P999", 3: "P001"}[number])
    assert table.participants.ids == ("P001", "P999", "P1000")


def test_pairs_come_by_condition_and_checks_last() -> None:
    table = shuffled(a_table([a_rater()]))
    assert [s.stimulus_id for s in table.stimuli][:2] == ["BASE_01", "BASE_02"]
    assert table.stimuli[10].stimulus_id == "CAT_01"
    assert table.check_places.tolist() == [20, 21, 22]


def test_ratings_have_the_kept_raters_and_the_pairs_only() -> None:
    table = a_table([a_rater(2, 8), a_rater(3, 9), a_rater(4, 10)])
    ratings = table.ratings(np.array([True, False, True]))
    assert (ratings.raters, ratings.pairs, ratings.missing) == (2, 20, 0)
    assert ratings.of_condition("CATASTROPHIC").off.sum(axis=1).tolist() == [8, 10]
    assert ratings.of_condition("BASELINE").off.sum(axis=1).tolist() == [2, 4]


def test_an_answer_that_is_not_there_is_missing_not_normal() -> None:
    ratings = a_table([a_rater(answered=12)]).ratings()
    assert ratings.missing == 8
    assert ratings.n == 12


def test_the_columns_are_sealed() -> None:
    table = a_table([a_rater()])
    with pytest.raises(ValueError, match="read-only"):
        table.off[0] = True


def _small(**changed: object) -> TrialTable:
    parts: dict[str, object] = {
        "mode": None,
        "conditions": ("CALM",),
        "participants": Participants.of(["a"]),
        "stimuli": (ShownStimulus(stimulus_id="x", condition="CALM"),),
        "participant": np.array([0]),
        "trial_number": np.array([1]),
        "stimulus": np.array([0]),
        "off": np.array([True]),
    }
    return TrialTable(**(parts | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"off": np.array([True, False])}, "column off"),
        ({"stimuli": (ShownStimulus(stimulus_id="x", condition="WILD"),)}, "'WILD'"),
        ({"participants": Participants.of(["a", "a"])}, "listed twice"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changed: dict[str, object], says: str) -> None:
    with pytest.raises(DataError, match=says):
        _small(**changed)


def test_a_table_without_rows_is_a_table() -> None:
    nothing = np.array([], dtype=np.int64)
    table = _small(participant=nothing, trial_number=nothing, stimulus=nothing, off=nothing.astype(bool))
    assert table.rows == 0
    assert table.ratings().n == 0
