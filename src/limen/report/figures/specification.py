"""What the outcome and the difference would have been, had the study been analyzed otherwise."""

from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.core.specification import SpecificationRow
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import FONT_SIZE, INK, LINE, MUTED, RULE, SMALL
from limen.report.figures.panel import Panel, panel
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.phrasing import Roles, letter_of, points_estimate, possible_difference

_KEY, _TITLE = "specification", "Other ways to analyze"
_ROW = 36.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationMark:
    """One way to analyze: its letter and its difference of OFF rates."""

    name: str
    letter: str
    raters: int | None
    difference: float | None
    low: float | None
    high: float | None
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationPlot:
    """The ways from top to bottom, the declared one first."""

    marks: tuple[SpecificationMark, ...]


def plot_specification(analysis: Analysis) -> Plotted | LeftOut:
    """Lay out the specification table."""
    if not analysis.specification:
        return LeftOut(key=_KEY, title=_TITLE, reason="there is no other way to analyze")
    roles = Roles.of(analysis.study)
    plot = SpecificationPlot(marks=tuple(_mark(row) for row in analysis.specification))
    names = f"{roles.target.name} − {roles.baseline.name}"
    return Plotted(
        title=_TITLE,
        caption=f"For each way to analyze the letter it would give and the difference of detection rates ({names}) "
        "with its 95 % interval, raters and pairs both taken as samples. The first row is what was declared.",
        alternative=_in_words(plot, names),
        data=plot,
        sketch=Sketch(key=_KEY, width=480, height=46 + _ROW * len(plot.marks), paint=lambda sheet: _paint(plot, sheet)),
    )


def _mark(row: SpecificationRow) -> SpecificationMark:
    result = row.result
    if isinstance(result, Undetermined):
        return SpecificationMark(
            name=row.name, letter="–", raters=None, difference=None, low=None, high=None, says="undetermined"
        )
    value = result.difference
    bounds = (
        possible_difference(value.interval)
        if isinstance(value, Estimate) and isinstance(value.interval, Interval)
        else None
    )
    known = isinstance(value, Estimate)
    return SpecificationMark(
        name=row.name,
        letter=letter_of(result.letter, result.reason),
        raters=result.raters,
        difference=value.value if isinstance(value, Estimate) else None,
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        says=(points_estimate(value) if bounds or not known else notation.points(value.value))
        if isinstance(value, Estimate)
        else "undetermined",
    )


def _in_words(plot: SpecificationPlot, names: str) -> str:
    said = [
        f"{mark.name}: {'not assessed' if mark.raters is None else f'Outcome {mark.letter}'}, {mark.says}"
        + (f" ({counted(mark.raters, 'rater')})" if mark.raters is not None else "")
        for mark in plot.marks
    ]
    return f"Outcome and difference of detection rates, {names}, under other ways to analyze. {'; '.join(said)}."


def _paint(plot: SpecificationPlot, sheet: Sheet) -> None:
    known = [bound for mark in plot.marks for bound in (mark.low, mark.high, mark.difference) if bound is not None]
    low, high = max(-1.0, min([-0.25, *known])), min(1.0, max([0.5, *known]))
    scale, rows = (low - 0.02, high + 0.02), len(plot.marks)
    space = panel(sheet, left=66, top=20, right=130, bottom=24, x=scale, y=(rows, 0))
    ticks = [tick / 4 for tick in range(-4, 5) if low <= tick / 4 <= high]
    for tick in ticks:
        sheet.line(_interrupted(tick, rows, space), LINE if tick else RULE)
    space.uprights(ticks, lambda tick: notation.points(tick).removesuffix(" points"), grid=False)
    sheet.text((2, 11), "outcome", color=MUTED, size=SMALL - 1)
    sheet.text((sheet.width - 2, 11), "points", color=MUTED, size=SMALL - 1, anchor="right")
    for place, mark in enumerate(plot.marks):
        _paint_row(place, mark, space)


def _interrupted(tick: float, rows: int, space: Panel) -> list[Point | None]:
    """Give a grid line that leaves room for the name above each row."""
    return [point for row in range(rows) for point in (space.at(tick, row + 0.42), space.at(tick, row + 0.92), None)]


def _paint_row(place: int, mark: SpecificationMark, space: Panel) -> None:
    sheet, first, center = space.sheet, place == 0, space.down(place + 0.68)
    sheet.text((2, space.down(place + 0.32)), mark.name, size=SMALL - 1, color=INK if first else MUTED)
    long = len(mark.letter) > 2
    sheet.text((2, center), mark.letter, bold=True, middle=True, size=8 if long else FONT_SIZE)
    if mark.difference is None:
        sheet.text((space.box[0] + 8, center), mark.says, color=MUTED, size=SMALL - 1, middle=True)
        return
    if mark.low is not None and mark.high is not None:
        ends = [space.at(mark.low, place + 0.68), space.at(mark.high, place + 0.68)]
        sheet.line(ends, INK, width=2.2 if first else 1.2)
    sheet.marks([space.at(mark.difference, place + 0.68)], "o", INK, size=8 if first else 6)
    said = mark.says.replace(" points", "")
    sheet.text((sheet.width - 2, center), said, anchor="right", size=SMALL - 1, bold=first, middle=True)
