"""How long answers took, by condition and by right and wrong."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.description import ResponseTimeRow
from limen.core.findings import Analysis
from limen.report.figures.canvas import Sheet, Sketch
from limen.report.figures.palette import INK, MUTED, SMALL, Look, looks
from limen.report.figures.panel import Panel, panel
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.phrasing import shortened

_KEY, _TITLE = "response-times", "Response times"
_ROW = 40.0
_TICKS_MS = (1e2, 2e2, 5e2, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 9e4, 12e4, 18e4, 24e4, 3e5, 6e5, 12e5, 18e5, 36e5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ridge:
    """The times of one condition, all of them or those of right or wrong answers."""

    condition: str
    name: str
    n: int
    median_ms: float | None
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesPlot:
    """The ridges from top to bottom, over the same bins."""

    edges_ms: tuple[float, ...]
    ridges: tuple[Ridge, ...]


def plot_times(analysis: Analysis) -> Plotted | LeftOut:
    """Lay out the response times."""
    rows = analysis.response_times
    if isinstance(rows, Undetermined) or not rows:
        reason = rows.reason if isinstance(rows, Undetermined) else "there are no response times"
        return LeftOut(key=_KEY, title=_TITLE, reason=reason)
    plot = TimesPlot(edges_ms=rows[0].bin_edges_ms, ridges=tuple(_ridge(row) for row in rows))
    look = {name.lower(): value for name, value in looks(analysis.study).items()}
    return Plotted(
        title=_TITLE,
        caption="Time from the pair's appearance to the answer, on a logarithmic axis; the upright line is the median. "
        "Heights are shares within a row.",
        alternative=_in_words(plot),
        data=plot,
        sketch=Sketch(
            key=_KEY,
            width=480,
            height=42 + _ROW * len(plot.ridges),
            paint=lambda sheet: _paint(plot, look, sheet),
        ),
    )


def _ridge(row: ResponseTimeRow) -> Ridge:
    return Ridge(
        condition=row.condition,
        name={None: "all answers", True: "right", False: "wrong"}[row.correct],
        n=row.n,
        median_ms=None if isinstance(row.median, Undetermined) else row.median,
        counts=row.bin_counts,
    )


def _in_words(plot: TimesPlot) -> str:
    said = [
        f"{ridge.condition.upper()}, {ridge.name}: "
        + ("no answers" if ridge.median_ms is None else f"median {notation.duration(ridge.median_ms)}")
        + f" (n = {notation.count(ridge.n)})"
        for ridge in plot.ridges
    ]
    return f"Distributions of response times. {'; '.join(said)}."


def _paint(plot: TimesPlot, look: dict[str, Look], sheet: Sheet) -> None:
    edges = [math.log(max(edge, 1.0)) for edge in plot.edges_ms]
    rows = len(plot.ridges)
    space = panel(sheet, left=112, top=18, right=84, bottom=24, x=(edges[0], edges[-1]), y=(rows, 0))
    ticks = _ticks(edges[0], edges[-1])
    space.uprights([math.log(tick) for tick in ticks], lambda place: _tick_label(math.exp(place)))
    sheet.text((sheet.width - 2, 11), "median", anchor="right", color=MUTED, size=SMALL - 1)
    for place, ridge in enumerate(plot.ridges):
        _paint_ridge(place, ridge, edges, look[ridge.condition], space)


def _paint_ridge(place: int, ridge: Ridge, edges: Sequence[float], look: Look, space: Panel) -> None:
    sheet, whole = space.sheet, ridge.name == "all answers"
    base, tall = space.down(place + 0.94), 0.74 * _ROW
    if whole:
        sheet.text((2, base - 16), shortened(ridge.condition.upper(), 14), color=look.color, bold=True, size=SMALL - 1)
    sheet.text((2, base - 3), ridge.name, color=MUTED, size=SMALL - 1)
    told = "none" if ridge.median_ms is None else notation.duration(ridge.median_ms)
    sheet.text((sheet.width - 2, base - 3), told, anchor="right", size=SMALL - 1)
    left, _, width, _ = space.box
    sheet.line([(left, base), (left + width, base)], look.color, width=0.6, alpha=0.6)
    most = max(ridge.counts, default=0)
    if not most:
        return
    outline = [(space.across(edges[0]), base)]
    for (start, end), count in zip(itertools.pairwise(edges), ridge.counts, strict=True):
        level = base - tall * count / most
        outline += [(space.across(start), level), (space.across(end), level)]
    sheet.areas([[*outline, (space.across(edges[-1]), base)]], look.color, alpha=0.75 if whole else 0.4)
    if ridge.median_ms is not None:
        at = space.across(math.log(max(ridge.median_ms, 1.0)))
        sheet.line([(at, base), (at, base - tall - 2)], INK, width=1.4)


def _ticks(low: float, high: float) -> list[float]:
    """Give round times that leave each other room for their labels."""
    chosen: list[float] = []
    for tick in _TICKS_MS:
        free = not chosen or math.log(tick / chosen[-1]) > (high - low) / 5.5
        if low <= math.log(tick) <= high and free:
            chosen.append(tick)
    return chosen


def _tick_label(milliseconds: float) -> str:
    """Write a round time on the axis: 500 ms, 30 s, 2 min."""
    if milliseconds < 999:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.0f} s" if milliseconds < 59_999 else f"{milliseconds / 60_000:.2g} min"
