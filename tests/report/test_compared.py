import re

import pytest

from builders import s3
from limen.core.comparison import DriftTable, Judge, compare
from limen.report.figures.canvas import draw
from limen.report.figures.compared import plot_comparison

ONE, OTHER, THIRD = Judge(metric="keyword-rms/limen-1"), Judge(metric="a/b/c"), Judge(metric="d")


def _table(rows: int, *judges: Judge) -> DriftTable:
    table = DriftTable()
    for k in range(rows):
        table.add({judge: (k * (7 + place) % 13) / 8 for place, judge in enumerate(judges)})
    return table


def _drawn(table: DriftTable) -> str:
    plotted = plot_comparison(compare(table, s3()), table)
    return draw([plotted.sketch])[plotted.key].alone(plotted.alternative)


def test_every_two_metrics_have_a_panel_that_is_also_said_in_words() -> None:
    table = _table(20, ONE, OTHER, THIRD)
    plotted = plot_comparison(compare(table, s3()), table)
    assert plotted.alternative.count("rank correlation") == 3
    assert "keyword-rms/limen-1 against a/b/c, 20 replies" in plotted.alternative
    svg = _drawn(table)
    assert svg.count("different ") >= 3
    assert len(re.findall(r"<use ", svg)) >= 3 * 20


def test_the_same_numbers_give_the_same_bytes() -> None:
    assert _drawn(_table(30, ONE, OTHER)) == _drawn(_table(30, ONE, OTHER))


def test_of_many_replies_some_are_drawn_so_that_the_file_stays_small() -> None:
    assert len(_drawn(_table(50_000, ONE, OTHER))) < 150_000


@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_replies_that_are_all_alike_can_be_drawn(drift: float) -> None:
    table = DriftTable()
    for _ in range(3):
        table.add({ONE: drift, OTHER: drift})
    assert "undetermined (all values are the same)" in _drawn(table)
