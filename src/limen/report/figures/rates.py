"""How often each condition was called off: every rater a dot, the group with its interval."""

import math
from collections import Counter
from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.findings import Analysis, StudyCondition
from limen.core.numerals import counted
from limen.core.randomness import Stream
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import LINE, MUTED, SMALL, SURFACE, Look, looks
from limen.report.figures.panel import SHARES, Panel, panel
from limen.report.figures.plotted import Plotted
from limen.report.phrasing import OFF, along_drift, key_of, shortened

_MOST_DOTS = 80  # above, raters with the same rate share one dot
_MOST_LINES = 40
_MOST_ROOMY = 3  # conditions whose heads have room for a rate and its interval on one line
_DOTS, _MEAN = -0.08, 0.16  # where dots and mean stand beside the middle of a column


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """Raters with one rate; `shift` moves the dot sideways, in columns."""

    rater: int
    rate: float
    shift: float
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One condition."""

    condition: str
    rate: float | None
    low: float | None
    high: float | None
    says: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesPlot:
    """The conditions along drift. Raters are joined across conditions where they are few."""

    groups: tuple[Group, ...]
    raters: int
    chance: float
    joined: bool


def plot_rates(analysis: Analysis) -> Plotted:
    """Lay out the detection rates."""
    conditions = along_drift(analysis.study.conditions)
    plot = RatesPlot(
        groups=tuple(_group(analysis, condition) for condition in conditions),
        raters=len(analysis.raters),
        chance=analysis.protocol.decision.chance,
        joined=1 < len(analysis.raters) <= _MOST_LINES,
    )
    many = plot.raters > _MOST_DOTS
    look = looks(analysis.study)
    return Plotted(
        title="Detection rate by condition",
        caption=f"Share of answers that said {OFF}. The large mark is the rate over all raters, its bar the 95 % "
        "interval with raters and pairs both taken as samples; "
        + ("dots are raters with the same rate, larger for more of them." if many else "each dot is one rater.")
        + (" Lines join a rater's dots." if plot.joined else ""),
        alternative=_in_words(plot),
        data=plot,
        sketch=Sketch(key="detection-rate", width=480, height=330, paint=lambda sheet: _paint(plot, look, sheet)),
    )


def _group(analysis: Analysis, condition: StudyCondition) -> Group:
    key = key_of(condition)
    rate = analysis.companions.rates[key].off_rate
    counts = analysis.as_specified.conditions[key]
    bounds = None if isinstance(rate, Undetermined) or isinstance(rate.interval, Undetermined) else rate.interval
    return Group(
        condition=condition.name,
        rate=counts.off / counts.n if counts.n else None,
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        says=_says(counts.off, counts.n, bounds),
        dots=_dots(analysis, key),
    )


def _says(off: int, n: int, bounds: Interval | None) -> str:
    share = notation.percent(off / n) if n else "no answers"
    return f"{share} {notation.percent_interval(bounds)}" if bounds else share


def _dots(analysis: Analysis, key: str) -> tuple[Dot, ...]:
    rates = [(place, row.off[key] / row.n[key]) for place, row in enumerate(analysis.raters) if row.n.get(key)]
    if len(analysis.raters) > _MOST_DOTS:
        together = Counter(rate for _, rate in rates)
        return tuple(Dot(rater=-1, rate=rate, shift=0.0, raters=together[rate]) for rate in sorted(together))
    stream = Stream(analysis.protocol.study.seed, f"report/jitter/{key}")
    return tuple(Dot(rater=place, rate=rate, shift=0.14 * (stream.unit() - 0.5), raters=1) for place, rate in rates)


def _in_words(plot: RatesPlot) -> str:
    parts = [
        f"{group.condition}: {group.says}"
        + (
            f"; raters from {notation.percent(min(dot.rate for dot in group.dots))} to "
            f"{notation.percent(max(dot.rate for dot in group.dots))}"
            if group.dots
            else ""
        )
        for group in plot.groups
    ]
    return f"Share of {OFF} answers by condition, {counted(plot.raters, 'rater')}. {'. '.join(parts)}."


def _paint(plot: RatesPlot, look: dict[str, Look], sheet: Sheet) -> None:
    count = len(plot.groups)
    space = panel(sheet, left=50, top=60, right=46, bottom=14, x=(-0.5, count - 0.5), y=(-0.03, 1.03))
    space.levels(SHARES)
    space.level(plot.chance)
    beside = (space.across(count - 0.5) + 5, space.down(plot.chance))
    sheet.text(beside, "chance", color=MUTED, size=SMALL - 1, middle=True)
    if plot.joined:
        sheet.line(_joined(plot, space), LINE)
    for place, group in enumerate(plot.groups):
        _head(place, group, look[group.condition].color, count <= _MOST_ROOMY, space)
        _paint_group(place, group, look[group.condition], space)


def _joined(plot: RatesPlot, space: Panel) -> list[Point | None]:
    ends: dict[int, list[Point | None]] = {rater: [] for rater in range(plot.raters)}
    for place, group in enumerate(plot.groups):
        for dot in group.dots:
            ends[dot.rater].append(space.at(place + _DOTS + dot.shift, dot.rate))
    return [point for points in ends.values() for point in (*points, None)]


def _head(place: int, group: Group, color: str, roomy: bool, space: Panel) -> None:
    """Write name, rate and interval over a column; where columns are narrow, the interval on a line of its own."""
    sheet, middle = space.sheet, space.across(place)
    name = shortened(group.condition, 24 if roomy else 14)
    sheet.text((middle, 16), name, anchor="center", color=color, bold=True, size=SMALL + 1 if roomy else 9)
    for number, line in enumerate([group.says] if roomy else group.says.split(" [", 1)):
        at = (middle, (36 if roomy else 32) + 13 * number)
        sheet.text(at, f"[{line}" if number else line, anchor="center", color=MUTED, size=SMALL - 1 if roomy else 9)


def _paint_group(place: int, group: Group, look: Look, space: Panel) -> None:
    most = max((dot.raters for dot in group.dots), default=1)
    if most > 1:
        for dot in group.dots:
            size = 2.5 + 15 * math.sqrt(dot.raters / most)
            space.sheet.marks([space.at(place + _DOTS, dot.rate)], "o", look.color, size=size, alpha=0.45)
    else:
        dots = [space.at(place + _DOTS + dot.shift, dot.rate) for dot in group.dots]
        space.sheet.marks(dots, "o", look.color, size=6, alpha=0.55)
    if group.rate is None:
        return
    if group.low is not None and group.high is not None:
        ends = [space.at(place + _MEAN, group.low), space.at(place + _MEAN, group.high)]
        space.sheet.line(ends, look.color, width=2.4)
    space.sheet.marks([space.at(place + _MEAN, group.rate)], look.mark, look.color, size=10, edge=SURFACE)
