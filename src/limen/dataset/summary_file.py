"""summary_stats.csv: every number of an analysis in one tidy table, and with them the data of every figure."""

import csv
import io
from collections.abc import Iterator

from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.findings import Analysis
from limen.dataset.raw_file import harmless
from limen.dataset.summary_figures import figure_rows
from limen.dataset.summary_measures import measure_rows
from limen.dataset.summary_row import SummaryRow

COLUMNS = ("measure", "scope", "value", "low", "high", "n", "method")


def encode_summary(analysis: Analysis) -> bytes:
    """Give summary_stats.csv. An undetermined number is empty, with the reason as its method."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(row) for row in summary_rows(analysis))
    return text.getvalue().encode()


def summary_rows(analysis: Analysis) -> Iterator[SummaryRow]:
    """Give every row, in the order of the report."""
    yield from measure_rows(analysis)
    yield from figure_rows(analysis)


def _cells(row: SummaryRow) -> tuple[str, ...]:
    low, high = (row.interval.low, row.interval.high) if isinstance(row.interval, Interval) else (None, None)
    unknown = isinstance(row.value, Undetermined)
    method = f"undetermined: {row.value.reason}" if isinstance(row.value, Undetermined) else row.method
    value = "" if unknown else _text(row.value)
    return (row.measure, harmless(row.scope), value, _text(low), _text(high), _text(row.n), harmless(method))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
