"""Metrics against each other: one panel for each two of them, one mark a reply."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from limen.core import notation
from limen.core.comparison import Agreement, Bounds, Comparison, DriftTable
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import AGREEING, DIFFERING, INK, MUTED, SMALL
from limen.report.figures.panel import Panel
from limen.report.figures.plotted import Plotted
from limen.report.phrasing import shortened

_ACROSS = 3
_WIDTH, _HEIGHT = 300, 320
_MOST_MARKS = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPanel:
    """Two metrics: the drifts of the replies that both judged, and whether they put them into one condition."""

    agreement: Agreement
    one: Bounds
    other: Bounds
    same: tuple[Point, ...]
    differing: tuple[Point, ...]


def plot_comparison(comparison: Comparison, table: DriftTable) -> Plotted:
    """Lay out every two metrics. Of many replies, every so-manieth is drawn."""
    panels = tuple(_panel(comparison, agreement, table) for agreement in comparison.agreements)
    across = min(_ACROSS, len(panels))
    return Plotted(
        title="Metrics of drift against each other",
        caption="One mark a reply. Lines: the bounds of the conditions under each metric. "
        "Round: both metrics put the reply into the same condition, or both into none. Diamond: they do not.",
        alternative=" ".join(_in_words(panel) for panel in panels),
        data=panels,
        sketch=Sketch(
            key="compared",
            width=_WIDTH * across,
            height=_HEIGHT * math.ceil(len(panels) / across) + 24,
            paint=lambda sheet: _paint(panels, across, sheet),
        ),
    )


def _panel(comparison: Comparison, agreement: Agreement, table: DriftTable) -> ComparedPanel:
    one, other = comparison.bounds_of(agreement.one), comparison.bounds_of(agreement.other)
    both = table.both(agreement.one, agreement.other)
    shown = both[:: max(1, math.ceil(len(both) / _MOST_MARKS))]
    same = [one.condition_of(x) == other.condition_of(y) for x, y in shown]
    return ComparedPanel(
        agreement=agreement,
        one=one,
        other=other,
        same=tuple(point for point, alike in zip(shown, same, strict=True) if alike),
        differing=tuple(point for point, alike in zip(shown, same, strict=True) if not alike),
    )


def _in_words(panel: ComparedPanel) -> str:
    agreement = panel.agreement
    named = f"{agreement.one} against {agreement.other}, {agreement.n:,} replies"
    order, differing = notation.decimal(agreement.rank_correlation), notation.percent(agreement.differing)
    return f"{named}: rank correlation {order}, different conditions for {differing}."


def _paint(panels: Sequence[ComparedPanel], across: int, sheet: Sheet) -> None:
    for place, panel in enumerate(panels):
        left, top = _WIDTH * (place % across), _HEIGHT * (place // across)
        _paint_panel(panel, sheet, left, top)
    bottom = sheet.height - 12
    sheet.marks([(20, bottom)], "o", AGREEING, size=5)
    sheet.text((30, bottom), "same condition", color=MUTED, size=SMALL, middle=True)
    sheet.marks([(140, bottom)], "D", DIFFERING, size=5)
    sheet.text((150, bottom), "different", color=MUTED, size=SMALL, middle=True)


def _paint_panel(panel: ComparedPanel, sheet: Sheet, left: float, top: float) -> None:
    points = (*panel.same, *panel.differing)
    box = (left + 52, top + 34, _WIDTH - 70, _HEIGHT - 84)
    space = Panel(
        sheet=sheet, box=box, x=_scale([x for x, _ in points] or [0.0]), y=_scale([y for _, y in points] or [0.0])
    )
    order, differing = notation.decimal(panel.agreement.rank_correlation), notation.percent(panel.agreement.differing)
    sheet.text((left + 52, top + 20), f"ρ = {order}, different {differing}", color=INK, size=SMALL, bold=True)
    space.levels(_ticks(space.y), notation.decimal)
    space.uprights(_ticks(space.x), notation.decimal)
    for band in panel.one.ranges.values():
        for bound in (band.above, band.below):
            if bound is not None and space.x[0] <= bound <= space.x[1]:
                space.upright(bound)
    for band in panel.other.ranges.values():
        for bound in (band.above, band.below):
            if bound is not None and space.y[0] <= bound <= space.y[1]:
                space.level(bound)
    sheet.marks([space.at(*point) for point in panel.same], "o", AGREEING, size=4, alpha=0.55)
    sheet.marks([space.at(*point) for point in panel.differing], "D", DIFFERING, size=4, alpha=0.7)
    middle = (left + 52 + box[2] / 2, top + _HEIGHT - 14)
    sheet.text(middle, shortened(str(panel.agreement.one), 44), anchor="center", color=MUTED, size=SMALL)
    beside = (left + 12, top + 34 + box[3] / 2)
    sheet.text(
        beside, shortened(str(panel.agreement.other), 40), anchor="center", color=MUTED, size=SMALL, upright=True
    )


def _scale(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(0.0, *values), max(values)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _ticks(scale: tuple[float, float]) -> list[float]:
    """Give at most six round numbers within a scale."""
    span = scale[1] - scale[0]
    unit = 10.0 ** math.floor(math.log10(span / 5))
    step = next(unit * k for k in (1, 2, 5, 10) if span / (unit * k) <= 5)
    first, last = math.ceil(scale[0] / step), math.floor(scale[1] / step)
    return [round(k * step, 10) for k in range(first, last + 1)]
