"""The pairs one by one, in the order of their drift."""

from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.description import PairRow
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import INK, MUTED, SMALL, SURFACE, Look, looks
from limen.report.figures.panel import SHARES, Panel, panel
from limen.report.figures.plotted import Plotted
from limen.report.phrasing import OFF, shortened

_MOST_NAMED = 60
_MOST_SAID = 40
_CIRCLE = " The open circle is what the model expects of the pair for a typical rater, drawn towards the other pairs."


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMark:
    """One pair: its OFF rate with Wilson's interval, and the rate the model shrinks it to."""

    pair: str
    condition: str
    drift: float | None
    off: int
    n: int
    low: float | None
    high: float | None
    shrunken: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestPlot:
    """The pairs from top to bottom."""

    marks: tuple[PairMark, ...]
    chance: float

    @property
    def by_drift(self) -> bool:
        """Whether drift orders them; otherwise condition and rate do."""
        return all(mark.drift is not None for mark in self.marks)


def plot_pairs(analysis: Analysis) -> Plotted:
    """Lay out the pairs."""
    marks = [_mark(row) for row in analysis.pairs]
    conditions = [condition.name.lower() for condition in analysis.study.conditions]
    if all(mark.drift is not None for mark in marks):
        marks.sort(key=lambda mark: (mark.drift or 0.0, mark.pair))
    else:
        marks.sort(key=lambda mark: (conditions.index(mark.condition), mark.off / max(mark.n, 1), mark.pair))
    plot = ForestPlot(marks=tuple(marks), chance=analysis.protocol.decision.chance)
    look = {name.lower(): value for name, value in looks(analysis.study).items()}
    order = "in the order of drift" if plot.by_drift else "by condition and rate, since their drift is not known"
    row = 17 if len(marks) <= _MOST_NAMED else max(3, 960 / len(marks))
    return Plotted(
        title="Pair by pair",
        caption=f"Share of raters who said {OFF} of each pair, {order}, with Wilson's interval."
        + (_CIRCLE if any(mark.shrunken is not None for mark in marks) else ""),
        alternative=_in_words(plot, order),
        data=plot,
        sketch=Sketch(
            key="pairs",
            width=480,
            height=64 + row * max(len(marks), 1),
            paint=lambda sheet: _paint(plot, look, sheet),
        ),
    )


def _mark(row: PairRow) -> PairMark:
    bounds = None if isinstance(row.off_rate, Undetermined) else row.off_rate.interval
    known = None if bounds is None or isinstance(bounds, Undetermined) else bounds
    return PairMark(
        pair=row.pair_id,
        condition=row.condition,
        drift=row.drift_b,
        off=row.off,
        n=row.n,
        low=known.low if known else None,
        high=known.high if known else None,
        shrunken=row.off_rate_shrunken.value if isinstance(row.off_rate_shrunken, Estimate) else None,
    )


def _in_words(plot: ForestPlot, order: str) -> str:
    said = [
        mark.pair
        + (f", drift {notation.decimal(mark.drift)}" if mark.drift is not None else "")
        + f": {notation.percent_of(mark.off, mark.n)}"
        for mark in plot.marks
    ]
    if len(said) > _MOST_SAID:
        ends = sorted((mark for mark in plot.marks if mark.n), key=lambda mark: (mark.off / mark.n, mark.pair))
        said = [f"{mark.pair}: {notation.percent_of(mark.off, mark.n)}" for mark in (ends[0], ends[-1])]
        return f"{OFF} rate of {counted(len(plot.marks), 'pair')}, {order}. Lowest and highest: {'; '.join(said)}."
    return f"{OFF} rate of {counted(len(plot.marks), 'pair')}, {order}. {'; '.join(said)}."


def _paint(plot: ForestPlot, look: dict[str, Look], sheet: Sheet) -> None:
    named = len(plot.marks) <= _MOST_NAMED
    left, right = (128, 70) if named else (20, 20)
    rows = len(plot.marks)
    space = panel(sheet, left=left, top=30, right=right, bottom=22, x=(-0.01, 1.01), y=(rows - 0.4, -0.6))
    space.uprights(SHARES)
    space.upright(plot.chance)
    for condition, style in look.items():
        _paint_condition(plot, condition, style, space, 7.0 if named else 4.0)
    if named:
        _name_rows(plot, look, space)


def _paint_condition(plot: ForestPlot, condition: str, look: Look, space: Panel, size: float) -> None:
    rows = [(place, mark) for place, mark in enumerate(plot.marks) if mark.condition == condition]
    intervals: list[Point | None] = []
    for place, mark in rows:
        if mark.low is not None and mark.high is not None:
            intervals += [space.at(mark.low, place), space.at(mark.high, place), None]
    space.sheet.line(intervals, look.color, width=1.4, alpha=0.75)
    told = [space.at(mark.off / mark.n, place) for place, mark in rows if mark.n]
    shrunken = [space.at(mark.shrunken, place) for place, mark in rows if mark.shrunken is not None]
    space.sheet.marks(told, look.mark, look.color, size=size)
    space.sheet.marks(shrunken, "o", SURFACE, size=size - 1.5, edge=INK)


def _name_rows(plot: ForestPlot, look: dict[str, Look], space: Panel) -> None:
    sheet, left, right = space.sheet, space.box[0], space.sheet.width - 2
    head, small = space.box[1] - 8, SMALL - 0.5
    sheet.text((2, head), "pair", color=MUTED, size=small)
    if plot.by_drift:
        sheet.text((left - 10, head), "drift", color=MUTED, size=small, anchor="right")
    sheet.text((right, head), OFF, color=MUTED, size=small - 1, anchor="right")
    for place, mark in enumerate(plot.marks):
        y = space.down(place)
        sheet.text((2, y), shortened(mark.pair, 12), size=small, color=look[mark.condition].color, middle=True)
        if mark.drift is not None:
            sheet.text((left - 10, y), notation.decimal(mark.drift), size=small, anchor="right", middle=True)
        said = f"{notation.count(mark.off)} of {notation.count(mark.n)}"
        sheet.text((right, y), said, size=small, anchor="right", middle=True)
