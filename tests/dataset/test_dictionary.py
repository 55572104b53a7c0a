"""Every column and every measure that is written has its place in the data dictionary, and nothing else has."""

import csv
import io
from pathlib import Path

import pytest

from answers import a_rater, a_table
from limen.dataset.dictionary import RAW_COLUMNS, SUMMARY_MEASURES, meaning_of
from limen.dataset.raw_file import raw_responses
from limen.dataset.source_rows import FURTHER, INSTRUMENT
from limen.dataset.summary_file import summary_rows
from simulated_studies import Plan, an_analysis

EXAMPLE = Path(__file__).parents[1] / "golden" / "example"


def _measures() -> set[str]:
    with (EXAMPLE / "summary_stats.csv").open(encoding="utf-8", newline="") as file:
        of_example = {row["measure"] for row in csv.DictReader(file)}
    return of_example | {row.measure for row in summary_rows(an_analysis(Plan()))}


def test_every_measure_has_a_meaning_and_every_meaning_a_measure() -> None:
    measures = _measures()
    assert sorted(measure for measure in measures if meaning_of(measure) is None) == []
    assert set(SUMMARY_MEASURES) - {meaning_of(measure) for measure in measures} == set()


def test_every_column_of_a_table_has_a_meaning_in_the_order_of_the_file() -> None:
    header = next(iter(raw_responses(a_table([a_rater()]), ()))).decode()
    columns = next(csv.reader(io.StringIO(header)))
    assert columns == list(RAW_COLUMNS)[: len(columns)]
    assert set(INSTRUMENT + FURTHER) <= set(RAW_COLUMNS)


@pytest.mark.parametrize("texts", [RAW_COLUMNS.values(), [meaning for meaning, _ in SUMMARY_MEASURES.values()]])
def test_a_meaning_says_something(texts: list[str]) -> None:
    assert all(text.strip() for text in texts)
