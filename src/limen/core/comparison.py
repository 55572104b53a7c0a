"""How several metrics of drift judge the same replies.

A threshold belongs to a metric. Where the study declares thresholds for a metric, they decide which condition a reply
is in. For any other metric there are none; it is then given the bounds that put as many of its replies into each
condition as the first declared metric does, so that metrics differ by what they see and not by how much they pick.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.ranks import rank_correlation
from limen.core.protocol import Condition, ConditionRole, DriftRange, Protocol

DEFAULT_SHARES = (0.25, 0.75)
"""Where bounds lie when no metric has declared ones: a quarter of the replies below, a quarter above."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Judge:
    """A metric that judges replies: measured now, or recorded in the logs."""

    metric: str
    recorded: bool = False

    def __str__(self) -> str:
        return f"{self.metric} (recorded)" if self.recorded else self.metric


@dataclass(slots=True)
class DriftTable:
    """The drifts of replies, one column a judge; None where a judge says nothing of a reply."""

    columns: dict[Judge, list[float | None]] = field(default_factory=dict)
    rows: int = 0

    def add(self, drifts: Mapping[Judge, float]) -> None:
        """Add a reply."""
        for judge in drifts:
            self.columns.setdefault(judge, [None] * self.rows)
        for judge, column in self.columns.items():
            column.append(drifts.get(judge))
        self.rows += 1

    def known(self, judge: Judge) -> list[float]:
        """Give the drifts that a judge has, in order of size."""
        return sorted(drift for drift in self.columns[judge] if drift is not None)

    def both(self, one: Judge, other: Judge) -> list[tuple[float, float]]:
        """Give the drifts of the replies that two judges have in common."""
        together = zip(self.columns[one], self.columns[other], strict=True)
        return [(x, y) for x, y in together if x is not None and y is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """By which bounds a judge puts replies into conditions, where they come from, and how many fall into each."""

    judge: Judge
    how: str
    ranges: Mapping[str, DriftRange]  # by condition
    counts: Mapping[str, int]  # by condition
    n: int

    def condition_of(self, drift: float) -> str | None:
        """Name the condition of a drift; None when it is in none."""
        return next((name for name, band in self.ranges.items() if drift in band), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two judges on the replies that both have judged."""

    one: Judge
    other: Judge
    n: int
    rank_correlation: float | Undetermined  # Spearman
    differing: float | Undetermined  # share of replies that they put into different conditions, or one into none
    opposite: float | Undetermined  # share that is baseline by one and target by the other


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What comes of it."""

    replies: int
    bounds: tuple[Bounds, ...]
    agreements: tuple[Agreement, ...]

    def bounds_of(self, judge: Judge) -> Bounds:
        """Give a judge's bounds."""
        return next(bounds for bounds in self.bounds if bounds.judge == judge)


def compare(table: DriftTable, protocol: Protocol, shares: Mapping[str, DriftRange] | None = None) -> Comparison:
    """Compare all judges of a table with each other. `shares` sets every metric's bounds at its own quantiles."""
    judges = [judge for judge in table.columns if table.known(judge)]
    bounds = dict(zip(judges, _bounds(table, judges, protocol, shares or {}), strict=True))
    roles = {condition.name: condition.role for condition in protocol.conditions}
    return Comparison(
        replies=table.rows,
        bounds=tuple(bounds.values()),
        agreements=tuple(
            _agreement(table, bounds[one], bounds[other], roles) for one, other in combinations(judges, 2)
        ),
    )


def _bounds(
    table: DriftTable, judges: Sequence[Judge], protocol: Protocol, shares: Mapping[str, DriftRange]
) -> Iterator[Bounds]:
    declared = [judge for judge in judges if protocol.declares(judge.metric)]
    anchor = declared[0] if declared else None
    if not shares and anchor is None:
        shares = _default_shares(protocol.conditions)
    for judge in judges:
        drifts = table.known(judge)
        if shares:
            how = "at quantiles of its own"
            ranges = {name: _at_shares(drifts, band) for name, band in shares.items()}
        elif judge in declared or anchor is None:
            how = "the study's thresholds"
            ranges = {condition.name: condition.drift for condition in protocol.conditions}
        else:
            how = f"as many replies in each condition as by {anchor}"
            like = table.known(anchor)
            ranges = {c.name: _at_shares(drifts, _shares_of(like, c.drift)) for c in protocol.conditions}
        kept = {name: band for name, band in ranges.items() if band is not None}
        counts = {name: sum(drift in band for drift in drifts) for name, band in kept.items()}
        yield Bounds(judge=judge, how=how, ranges=kept, counts=counts, n=len(drifts))


def _default_shares(conditions: Sequence[Condition]) -> dict[str, DriftRange]:
    low, high = DEFAULT_SHARES
    found = {}
    for condition in conditions:
        if condition.drift.above is None:
            found[condition.name] = DriftRange(below=low)
        elif condition.drift.below is None:
            found[condition.name] = DriftRange(above=high)
    return found


def _shares_of(drifts: Sequence[float], band: DriftRange) -> DriftRange:
    """Give the shares of all drifts that lie up to the bounds of a range."""

    def share(bound: float | None, *, included: bool) -> float | None:
        if bound is None:
            return None
        return sum(drift < bound or (included and drift == bound) for drift in drifts) / len(drifts)

    above, below = share(band.above, included=True), share(band.below, included=False)
    if above is not None and below is not None and above >= below:
        below = math.nextafter(above, math.inf)  # nothing between: stays empty
    return DriftRange(above=above, below=below)


def _at_shares(drifts: Sequence[float], shares: DriftRange) -> DriftRange | None:
    """Give the range whose bounds leave these shares of the drifts below them; None when nothing can lie in it."""

    def at(share: float | None) -> float | None:
        return None if share is None else _cut(drifts, round(share * len(drifts)))

    above, below = at(shares.above), at(shares.below)
    if above is not None and below is not None and above >= below:
        return None
    return DriftRange(above=above, below=below)


def _cut(drifts: Sequence[float], count: int) -> float:
    """Give a bound with so many drifts below it; with ties, the tied value, which is then on neither side."""
    if count <= 0:
        return math.nextafter(drifts[0], -math.inf)
    if count >= len(drifts):
        return math.nextafter(drifts[-1], math.inf)
    return (drifts[count - 1] + drifts[count]) / 2


def _agreement(table: DriftTable, one: Bounds, other: Bounds, roles: Mapping[str, ConditionRole]) -> Agreement:
    both = table.both(one.judge, other.judge)
    differing: float | Undetermined = Undetermined(reason="no reply was judged by both")
    opposite = differing
    if both:
        judged = [(one.condition_of(x), other.condition_of(y)) for x, y in both]
        differing = sum(x != y for x, y in judged) / len(both)
        against = {ConditionRole.BASELINE, ConditionRole.TARGET}
        opposite = sum({roles[n] for n in names if n is not None} == against for names in judged) / len(both)
    return Agreement(
        one=one.judge,
        other=other.judge,
        n=len(both),
        rank_correlation=rank_correlation([x for x, _ in both], [y for _, y in both]),
        differing=differing,
        opposite=opposite,
    )
