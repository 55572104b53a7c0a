"""Who said what of which pair: raters down, pairs across. Many raters are shown in bands."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.description import RaterRow
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.figures.canvas import Box, Sheet, Sketch
from limen.report.figures.palette import MUTED, PALE, SMALL, Look, looks
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.phrasing import OFF, shortened

_KEY, _TITLE = "answers", "Every answer"
_MOST_ROWS = 50
_NARROWEST_NAMED = 10.0  # columns with room for the name of the pair
_SHADES = 10
_WIDTH, _LEFT, _RIGHT, _BOTTOM, _GAP = 480.0, 60.0, 34.0, 4.0, 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One rater, or neighbors in the order of d′: of each pair the share that said OFF, None without an answer."""

    name: str
    raters: int
    d_prime: str
    off: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersPlot:
    """Bands from top to bottom, pairs from left to right."""

    pairs: tuple[str, ...]
    conditions: tuple[str, ...]  # of each pair
    bands: tuple[Band, ...]
    raters: int


def plot_answers(analysis: Analysis) -> Plotted | LeftOut:
    """Lay out the answers."""
    if not analysis.raters or not analysis.pairs:
        return LeftOut(key=_KEY, title=_TITLE, reason="there are no answers to pairs")
    order = _pair_order(analysis)
    plot = AnswersPlot(
        pairs=tuple(analysis.pairs[place].pair_id for place in order),
        conditions=tuple(analysis.pairs[place].condition for place in order),
        bands=_bands(analysis.raters, order),
        raters=len(analysis.raters),
    )
    look = {name.lower(): value for name, value in looks(analysis.study).items()}
    banded = plot.raters > len(plot.bands)
    row = min(17.0, max(8.0, 560 / len(plot.bands)))
    return Plotted(
        title=_TITLE,
        caption=(
            f"Each row is a band of neighbors in the order of d′, each column a pair; the fuller the color, the more "
            f"of them said {OFF}. The d′ is that of a band's first rater."
            if banded
            else f"Each row is a rater, most sensitive first, each column a pair. Full color: {OFF}; pale: NORMAL; "
            "empty: no answer."
        )
        + f" Pairs stand by condition{_within(analysis)}.",
        alternative=_in_words(analysis, plot),
        data=plot,
        sketch=Sketch(
            key=_KEY,
            width=_WIDTH,
            height=_top(plot) + _BOTTOM + row * len(plot.bands),
            paint=lambda sheet: _paint(plot, look, sheet),
        ),
    )


def _pair_order(analysis: Analysis) -> list[int]:
    names = [condition.name.lower() for condition in analysis.study.conditions]
    pairs = analysis.pairs
    return sorted(
        range(len(pairs)), key=lambda k: (names.index(pairs[k].condition), pairs[k].drift_b or 0.0, pairs[k].pair_id)
    )


def _within(analysis: Analysis) -> str:
    known = all(pair.drift_b is not None for pair in analysis.pairs)
    return ", within it in the order of drift" if known else ""


def _bands(raters: Sequence[RaterRow], order: Sequence[int]) -> tuple[Band, ...]:
    rows = sorted(raters, key=lambda row: (-_sensitivity(row), row.participant))
    count = min(len(rows), _MOST_ROWS)
    cuts = [len(rows) * place // count for place in range(count + 1)]
    return tuple(_band(rows[first:last], order) for first, last in itertools.pairwise(cuts))


def _sensitivity(row: RaterRow) -> float:
    return float("-inf") if isinstance(row.d_prime, Undetermined) else row.d_prime


def _band(rows: Sequence[RaterRow], order: Sequence[int]) -> Band:
    shares: list[float | None] = []
    for place in order:
        letters = [row.answers[place] for row in rows]
        off, said = letters.count("O"), len(letters) - letters.count("-")
        shares.append(off / said if said else None)
    first = rows[0]
    known = None if isinstance(first.d_prime, Undetermined) else first.d_prime
    return Band(
        name=first.participant if len(rows) == 1 else "",
        raters=len(rows),
        d_prime="" if known is None else notation.decimal(known, 1),
        off=tuple(shares),
    )


def _in_words(analysis: Analysis, plot: AnswersPlot) -> str:
    said = []
    for condition in analysis.study.conditions:
        counts = analysis.as_specified.conditions[condition.name.lower()]
        said.append(f"{condition.name}: {notation.percent_of(counts.off, counts.n)} {OFF}")
    ends = ""
    if len(plot.bands) > 1 and plot.bands[0].d_prime and plot.bands[-1].d_prime:
        ends = f" d′ falls from {plot.bands[0].d_prime} in the top row to {plot.bands[-1].d_prime} in the bottom row."
    return (
        f"Answers of {counted(plot.raters, 'rater')} to {counted(len(plot.pairs), 'pair')}, raters in the order of d′. "
        f"{'; '.join(said)}.{ends}"
    )


def _wide(plot: AnswersPlot) -> float:
    """Give the width of a column."""
    return (_WIDTH - _LEFT - _RIGHT - _GAP * (len(set(plot.conditions)) - 1)) / len(plot.pairs)


def _top(plot: AnswersPlot) -> float:
    """Give the room above the first row: for the conditions, and for the names of pairs where they fit."""
    return 72.0 if _wide(plot) >= _NARROWEST_NAMED else 30.0


def _paint(plot: AnswersPlot, look: dict[str, Look], sheet: Sheet) -> None:
    groups = list(dict.fromkeys(plot.conditions))
    wide, top = _wide(plot), _top(plot)
    high = (sheet.height - top - _BOTTOM) / len(plot.bands)
    lefts = [_LEFT + wide * k + _GAP * groups.index(condition) for k, condition in enumerate(plot.conditions)]
    inset = 1.0 if wide > 6 and high > 6 else 0.0
    answered: list[Box] = []
    shaded: dict[tuple[str, int], list[Box]] = {}
    for row, band in enumerate(plot.bands):
        for left, condition, share in zip(lefts, plot.conditions, band.off, strict=True):
            if share is not None:
                box = (left, top + row * high, wide - inset, high - inset)
                answered.append(box)
                shaded.setdefault((condition, round(share * _SHADES)), []).append(box)
    sheet.boxes(answered, face=PALE)
    for (condition, shade), boxes in sorted(shaded.items()):
        if shade:
            sheet.boxes(boxes, face=look[condition].color, alpha=shade / _SHADES)
    room = 40 if len(groups) < 4 else 14
    for name in groups:
        first = lefts[plot.conditions.index(name)]
        sheet.text(
            (first, 11),
            shortened(name.upper(), room),
            color=look[name].color,
            bold=True,
            size=SMALL if wide > 10 else 9,
        )
    _name(plot, lefts, wide, high, sheet)


def _name(plot: AnswersPlot, lefts: Sequence[float], wide: float, high: float, sheet: Sheet) -> None:
    small, top = min(SMALL - 2, high - 1), _top(plot)
    if wide >= _NARROWEST_NAMED:
        for left, pair in zip(lefts, plot.pairs, strict=True):
            at = (left + wide / 2 + 3, top - 5)
            sheet.text(at, shortened(pair, 9), upright=True, color=MUTED, size=min(SMALL - 2, wide))
    sheet.text((_WIDTH - 2, top - 6), "d′", anchor="right", color=MUTED, size=SMALL - 1)
    for row, band in enumerate(plot.bands):
        center = top + high * (row + 0.5) - 0.5
        if band.name:
            sheet.text(
                (_LEFT - 8, center), shortened(band.name, 9), anchor="right", color=MUTED, size=small, middle=True
            )
        if band.d_prime:
            sheet.text((_WIDTH - 2, center), band.d_prime, anchor="right", size=small, middle=True)
