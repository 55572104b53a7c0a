"""Raters in ROC space: how often each called target pairs off, against how often baseline pairs."""

import math
from collections import Counter
from dataclasses import dataclass

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.sensitivity import iso_sensitivity_curve
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.figures.canvas import Point, Sheet, Sketch
from limen.report.figures.palette import INK, MUTED, RULE, SMALL, SURFACE, looks
from limen.report.figures.panel import SHARES, Panel, panel
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.phrasing import OFF, Roles, key_of

_KEY, _TITLE = "roc-space", "Raters in ROC space"
_CURVES = (1, 2, 3)
_POINTS, _LABEL = 161, 91  # of a curve, and where along it its label stands: a little past the middle


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Raters with the same two rates, log-linear correction applied."""

    false_alarms: float
    hits: float
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RocPlot:
    """The raters, and all of them pooled."""

    spots: tuple[Spot, ...]
    pooled: Spot
    raters: int


def plot_roc(analysis: Analysis) -> Plotted | LeftOut:
    """Lay out ROC space."""
    roles = Roles.of(analysis.study)
    target, baseline = key_of(roles.target), key_of(roles.baseline)
    rows = [row for row in analysis.raters if row.n.get(target) and row.n.get(baseline)]
    if not rows:
        return LeftOut(key=_KEY, title=_TITLE, reason="no rater answered both target and baseline pairs")
    together = Counter(
        (_corrected(row.off[baseline], row.n[baseline]), _corrected(row.off[target], row.n[target])) for row in rows
    )
    counts = analysis.as_specified.conditions
    plot = RocPlot(
        spots=tuple(Spot(false_alarms=f, hits=h, raters=n) for (f, h), n in sorted(together.items())),
        pooled=Spot(
            false_alarms=_corrected(counts[baseline].off, counts[baseline].n),
            hits=_corrected(counts[target].off, counts[target].n),
            raters=len(rows),
        ),
        raters=len(rows),
    )
    names = (roles.target.name, roles.baseline.name)
    color = looks(analysis.study)[roles.target.name].color
    pooled = analysis.companions.sdt.pooled.d_prime
    said = "undetermined" if isinstance(pooled, Undetermined) else notation.decimal(pooled.value)
    return Plotted(
        title=_TITLE,
        caption="Each circle is one rater, larger where several coincide; the diamond is all answers pooled. On the "
        "straight line both kinds of pairs are called off equally often (d′ = 0); along a curve sensitivity is the "
        "same and only the readiness to say it differs. Rates carry the log-linear correction.",
        alternative=_in_words(analysis, plot, names, said),
        data=plot,
        sketch=Sketch(
            key=_KEY, width=420, height=408, paint=lambda sheet: _paint(plot, names, color, f"pooled d′ {said}", sheet)
        ),
    )


def _corrected(off: int, n: int) -> float:
    return (off + 0.5) / (n + 1)


def _in_words(analysis: Analysis, plot: RocPlot, names: tuple[str, str], pooled: str) -> str:
    known = [row.d_prime for row in analysis.raters if not isinstance(row.d_prime, Undetermined)]
    spread = ""
    if known:
        above = sum(value > 0 for value in known)
        spread = (
            f" Raters' d′ runs from {notation.decimal(min(known))} to {notation.decimal(max(known))}; "
            f"{notation.count(above)} of {notation.count(len(known))} lie above the line of no sensitivity."
        )
    return (
        f"Share of {names[0]} pairs called off against share of {names[1]} pairs called off, "
        f"{counted(plot.raters, 'rater')}. Pooled d′ is {pooled}.{spread}"
    )


def _paint(plot: RocPlot, names: tuple[str, str], color: str, pooled: str, sheet: Sheet) -> None:
    space = panel(sheet, left=48, top=28, right=24, bottom=46, x=(0, 1), y=(0, 1))
    space.uprights(SHARES)
    space.levels(SHARES)
    left, _, width, _ = space.box
    below = (left + width / 2, sheet.height - 6)
    sheet.text(below, f"{OFF} said of {names[1]} pairs", anchor="center", color=MUTED)
    sheet.text((6, 12), f"{OFF} said of {names[0]} pairs", color=MUTED)
    _curves(space)
    most = max(spot.raters for spot in plot.spots)
    for spot in plot.spots:
        size = 9 if most == 1 else 6 + 17 * math.sqrt(spot.raters / max(most, 4))
        sheet.marks([space.at(spot.false_alarms, spot.hits)], "o", color, size=size, alpha=0.5)
    here, legend = space.at(plot.pooled.false_alarms, plot.pooled.hits), space.at(0.55, 0.07)
    sheet.marks([here, legend], "D", INK, size=9, edge=SURFACE)
    sheet.text((legend[0] + 10, legend[1]), pooled, bold=True, size=SMALL, middle=True)


def _curve(d_prime: float, space: Panel) -> list[Point]:
    curve = iso_sensitivity_curve(d_prime, points=_POINTS)
    return [space.at(f, h) for f, h in zip(curve.false_alarm_rate.tolist(), curve.hit_rate.tolist(), strict=True)]


def _curves(space: Panel) -> None:
    drawn = {d_prime: _curve(d_prime, space) for d_prime in (0, *_CURVES)}
    space.sheet.line([drawn[0][0], drawn[0][-1]], RULE, dashed=True)
    for d_prime in _CURVES:
        space.sheet.line(drawn[d_prime], RULE, width=0.9)
    for d_prime, curve in drawn.items():
        x, y = curve[_LABEL]
        space.sheet.boxes([(x - 12, y - 7, 24, 14)], face=SURFACE)
        space.sheet.text((x, y), f"d′ {d_prime}", color=MUTED, size=SMALL - 1, anchor="center", middle=True)
