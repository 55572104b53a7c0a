"""One number as a row of summary_stats.csv."""

from collections.abc import Iterator
from dataclasses import dataclass

from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.measures import ChiSquareResult

Value = float | int | bool | str | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One number: what it is, of which pairs or people, its interval, how many answers it rests on, how it was made."""

    measure: str
    scope: str
    value: Value
    interval: Interval | Undetermined | None = None
    n: int | None = None
    method: str = ""


def estimate_row(measure: str, scope: str, found: Estimate | Undetermined) -> SummaryRow:
    """Give an estimate as a row."""
    if isinstance(found, Undetermined):
        return SummaryRow(measure=measure, scope=scope, value=found)
    return SummaryRow(
        measure=measure, scope=scope, value=found.value, interval=found.interval, n=found.n, method=found.method
    )


def chi_square_rows(measure: str, scope: str, found: ChiSquareResult, method: str) -> Iterator[SummaryRow]:
    """Give a chi-square as two rows: its statistic and its p."""
    yield SummaryRow(measure=measure, scope=scope, value=found.statistic, method=method)
    yield SummaryRow(measure=f"{measure}_p", scope=scope, value=found.p, method=method)


def share_of(count: int, n: int) -> Value:
    """Give a share, or that there is nothing to share."""
    return count / n if n else Undetermined(reason="there are no answers")
