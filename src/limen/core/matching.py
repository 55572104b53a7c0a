"""Keeping conditions alike in what `match` names: how far apart chosen pairs are, beyond what counts as the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from limen.core.confounds import pair_numbers
from limen.core.pair import Pair
from limen.core.protocol import ConditionRole, Protocol

TOLERANCE = 0.1
"""Standard deviations within which two conditions count as alike (the usual bound for balance after matching)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedColumn:
    """A number of every candidate, in standard deviations of them all, and the conditions it should not tell apart."""

    reference: str
    other: str
    values: tuple[float, ...]


def matched_columns(candidates: Sequence[Pair], protocol: Protocol) -> tuple[MatchedColumn, ...]:
    """Give the numbers to be matched: each feature of `match`, for each condition against the baseline."""
    features = protocol.selection.match
    if not features or not candidates:
        return ()
    baseline = protocol.with_role(ConditionRole.BASELINE)[0].name
    others = [condition.name for condition in protocol.conditions if condition.name != baseline]
    rows = [pair_numbers(pair, features) for pair in candidates]
    found = []
    for column in zip(*rows, strict=True):
        spread = pstdev(column)
        if spread > 1e-9:
            values = tuple((value - fmean(column)) / spread for value in column)
            found += [MatchedColumn(reference=baseline, other=other, values=values) for other in others]
    return tuple(found)


def excess(pairs: Sequence[Pair], columns: Sequence[MatchedColumn], places: Sequence[int]) -> float:
    """Give by how much, summed over the columns, the means of the pairs at these places lie beyond the tolerance."""
    total = 0.0
    for column in columns:
        means = [
            [column.values[k] for k, pair in zip(places, pairs, strict=True) if pair.condition == name]
            for name in (column.reference, column.other)
        ]
        if all(means):
            total += max(0.0, abs(fmean(means[1]) - fmean(means[0])) - TOLERANCE)
    return total
