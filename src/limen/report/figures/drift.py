"""OFF rate against drift, with the stretch that nobody was shown left open."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis, StudyCondition
from limen.core.numerals import counted
from limen.core.sampled import unsampled
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import LINE, MUTED, SMALL, Look, looks
from limen.report.figures.panel import SHARES, Panel, panel
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.phrasing import OFF, along_drift, key_of, listed, shortened

_KEY, _TITLE = "drift", "Detection against drift"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _LABEL_ROW = 480.0, 340.0, 48.0, 12.0, 14.0
_LETTER = 0.74  # the width of a bold capital, in sizes of the type


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftMark:
    """One pair."""

    condition: str
    drift: float
    rate: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A condition's part of the drift axis, as far as its pairs reach, with its group rate and interval."""

    condition: str
    start: float
    end: float
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPlot:
    """Pairs and conditions along drift; `unsampled` are the stretches between conditions that no pair is from."""

    marks: tuple[DriftMark, ...]
    stretches: tuple[Stretch, ...]
    unsampled: tuple[tuple[float, float], ...]
    metric: str
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """The name of a stretch, in a row of its own where it would overprint another; rows count from the panel up."""

    text: str
    center: float
    row: int
    color: str
    bold: bool


def plot_drift(analysis: Analysis) -> Plotted | LeftOut:
    """Lay out the OFF rate against drift. No curve is fitted and no threshold read off."""
    rows = [row for row in analysis.pairs if row.drift_b is not None and row.n]
    if not rows:
        return LeftOut(key=_KEY, title=_TITLE, reason="the drift of the pairs is not known")
    marks = []
    for row in rows:
        bounds = None if isinstance(row.off_rate, Undetermined) else row.off_rate.interval
        known = None if bounds is None or isinstance(bounds, Undetermined) else bounds
        marks.append(
            DriftMark(
                condition=row.condition,
                drift=row.drift_b or 0.0,
                rate=row.off / row.n,
                low=known.low if known else None,
                high=known.high if known else None,
            )
        )
    conditions = along_drift(analysis.study.conditions)
    plot = DriftPlot(
        marks=tuple(marks),
        stretches=tuple(_stretches(analysis, conditions, marks)),
        unsampled=tuple((gap.start, gap.end) for gap in unsampled(c.drift for c in conditions if c.pairs)),
        metric=analysis.study.metric or "metric not named",
        chance=analysis.protocol.decision.chance,
    )
    look = {name.lower(): value for name, value in looks(analysis.study).items()}
    labels = _labels(plot, look)
    height = _HEIGHT + _LABEL_ROW * max(label.row for label in labels)
    open_part = " Hatched: no pair was shown there, so nothing is known of it." if plot.unsampled else ""
    return Plotted(
        title=_TITLE,
        caption="Each mark is a pair with Wilson's interval; the level line is the condition's rate, the band its "
        f"95 % interval.{open_part} No curve is fitted and no threshold is claimed.",
        alternative=_in_words(plot, conditions),
        data=plot,
        sketch=Sketch(key=_KEY, width=_WIDTH, height=height, paint=lambda sheet: _paint(plot, look, labels, sheet)),
    )


def _stretches(analysis: Analysis, conditions: Sequence[StudyCondition], marks: Sequence[DriftMark]) -> list[Stretch]:
    found = []
    for condition in conditions:
        own = [mark.drift for mark in marks if mark.condition == key_of(condition)]
        if not own:
            continue
        counts = analysis.as_specified.conditions[key_of(condition)]
        rate = analysis.companions.rates[key_of(condition)].off_rate
        bounds = None if isinstance(rate, Undetermined) or isinstance(rate.interval, Undetermined) else rate.interval
        found.append(
            Stretch(
                condition=key_of(condition),
                start=min(own) if condition.drift.above is None else condition.drift.above,
                end=max(own) if condition.drift.below is None else condition.drift.below,
                rate=counts.off / counts.n if counts.n else None,
                low=bounds.low if bounds else None,
                high=bounds.high if bounds else None,
            )
        )
    return found


def _in_words(plot: DriftPlot, conditions: Sequence[StudyCondition]) -> str:
    said = []
    for stretch in plot.stretches:
        own = [mark for mark in plot.marks if mark.condition == stretch.condition]
        drifts, rates = [mark.drift for mark in own], [mark.rate for mark in own]
        said.append(
            f"{stretch.condition.upper()}, {counted(len(own), 'pair')} with drift {notation.decimal(min(drifts))} to "
            f"{notation.decimal(max(drifts))}: pairs from {notation.percent(min(rates))} to "
            f"{notation.percent(max(rates))}"
        )
    text = f"Share of {OFF} answers against drift ({plot.metric}). {'; '.join(said)}."
    if plot.unsampled:
        gaps = [f"{notation.decimal(low)} and {notation.decimal(high)}" for low, high in plot.unsampled]
        text += f" Between {listed(gaps)} no pair was shown."
    return text


def _scale(plot: DriftPlot) -> tuple[float, float]:
    """Give where the axis of drift begins and ends."""
    drifts = [mark.drift for mark in plot.marks]
    start, end = min(0.0, *drifts), max(*drifts, *(stretch.end for stretch in plot.stretches))
    return start, end + 0.03 * (end - start)


def _labels(plot: DriftPlot, look: dict[str, Look]) -> tuple[Label, ...]:
    """Name stretches and gaps over their middles, each in the first row in which it has room."""
    start, far = _scale(plot)
    wanted = [(s.start, s.end, shortened(s.condition.upper(), 24), look[s.condition].color) for s in plot.stretches]
    wanted += [(low, high, "not sampled", "") for low, high in plot.unsampled]
    taken: dict[int, list[tuple[float, float]]] = {}
    labels = []
    for low, high, text, color in sorted(wanted, key=lambda each: (each[0] + each[1], each[2])):
        half = _LETTER * SMALL * len(text) / 2
        middle = _LEFT + (_WIDTH - _LEFT - _RIGHT) * ((low + high) / 2 - start) / (far - start)
        center = min(max(middle, half), _WIDTH - half)
        own = (center - half, center + half)
        row = next(n for n in range(len(wanted)) if all(own[0] > e or own[1] < b for b, e in taken.get(n, ())))
        taken.setdefault(row, []).append(own)
        labels.append(Label(text=text, center=center, row=row, color=color or MUTED, bold=bool(color)))
    return tuple(labels)


def _paint(plot: DriftPlot, look: dict[str, Look], labels: Sequence[Label], sheet: Sheet) -> None:
    start, far = _scale(plot)
    head = 28 + _LABEL_ROW * max(label.row for label in labels)
    space = panel(sheet, left=_LEFT, top=head, right=_RIGHT, bottom=44, x=(start, far), y=(-0.03, 1.03))
    space.levels(SHARES)
    for low, high in plot.unsampled:
        _, top, _, height = space.box
        sheet.hatched((space.across(low), top, space.across(high) - space.across(low), height), LINE)
    for label in labels:
        place = (label.center, head - 12 - _LABEL_ROW * label.row)
        sheet.text(place, label.text, anchor="center", color=label.color, bold=label.bold, size=SMALL)
    steps = [round(0.25 * k, 2) for k in range(math.ceil(start / 0.25), math.floor(far / 0.25) + 1)]
    space.uprights(steps[:: max(1, len(steps) // 8)], notation.decimal, grid=False)
    space.level(plot.chance)
    middle = space.box[0] + space.box[2] / 2
    sheet.text((middle, sheet.height - 6), f"drift of Response B ({plot.metric})", anchor="center", color=MUTED)
    for stretch in plot.stretches:
        _paint_stretch(stretch, look[stretch.condition], space)
    for condition, style in look.items():
        _paint_marks([mark for mark in plot.marks if mark.condition == condition], style, space)


def _paint_stretch(stretch: Stretch, look: Look, space: Panel) -> None:
    left, right = space.across(stretch.start), space.across(stretch.end)
    if stretch.low is not None and stretch.high is not None:
        top, bottom = space.down(stretch.high), space.down(stretch.low)
        space.sheet.boxes([(left, top, right - left, bottom - top)], face=look.color, alpha=0.16)
    if stretch.rate is not None:
        level = space.down(stretch.rate)
        space.sheet.line([(left, level), (right, level)], look.color, width=2)


def _paint_marks(marks: Sequence[DriftMark], look: Look, space: Panel) -> None:
    intervals: list[Point | None] = []
    for mark in marks:
        if mark.low is not None and mark.high is not None:
            intervals += [space.at(mark.drift, mark.low), space.at(mark.drift, mark.high), None]
    space.sheet.line(intervals, look.color, alpha=0.55)
    space.sheet.marks([space.at(mark.drift, mark.rate) for mark in marks], look.mark, look.color, size=7)
