"""A stretch of a sheet with a scale across and a scale down."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from limen.core import notation
from limen.report.figures.canvas import Box, Point, Sheet
from limen.report.figures.palette import LINE, MUTED, RULE, SMALL

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The marks of a scale of shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Maps values to places on the sheet. `box` is the panel's place; `x` and `y` run from its left and bottom."""

    sheet: Sheet
    box: Box
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        """Give the place of a value on the scale across."""
        left, _, width, _ = self.box
        return left + width * (value - self.x[0]) / (self.x[1] - self.x[0])

    def down(self, value: float) -> float:
        """Give the place of a value on the scale down."""
        _, top, _, height = self.box
        return top + height * (self.y[1] - value) / (self.y[1] - self.y[0])

    def at(self, x: float, y: float) -> Point:
        """Give the place of two values."""
        return self.across(x), self.down(y)

    def uprights(
        self, ticks: Sequence[float], write: Callable[[float], str] = notation.percent, *, grid: bool = True
    ) -> None:
        """Draw upright grid lines and their labels below."""
        _, top, _, height = self.box
        if grid:
            self.sheet.line(_apart(((self.across(t), top), (self.across(t), top + height)) for t in ticks), LINE)
        for tick in ticks:
            place = (self.across(tick), top + height + SMALL + 6)
            self.sheet.text(place, write(tick), anchor="center", color=MUTED, size=SMALL)

    def levels(self, ticks: Sequence[float], write: Callable[[float], str] = notation.percent) -> None:
        """Draw level grid lines and their labels on the left."""
        left, _, width, _ = self.box
        self.sheet.line(_apart(((left, self.down(t)), (left + width, self.down(t))) for t in ticks), LINE)
        for tick in ticks:
            place = (left - 6, self.down(tick))
            self.sheet.text(place, write(tick), anchor="right", color=MUTED, size=SMALL, middle=True)

    def level(self, value: float, *, dashed: bool = True) -> None:
        """Draw a level line across the panel."""
        left, _, width, _ = self.box
        self.sheet.line([(left, self.down(value)), (left + width, self.down(value))], RULE, dashed=dashed)

    def upright(self, value: float, *, dashed: bool = True) -> None:
        """Draw an upright line through the panel."""
        _, top, _, height = self.box
        self.sheet.line([(self.across(value), top), (self.across(value), top + height)], RULE, dashed=dashed)


def panel(
    sheet: Sheet,
    *,
    left: float,
    top: float,
    right: float,
    bottom: float,
    x: tuple[float, float],
    y: tuple[float, float],
) -> Panel:
    """Make a panel between these distances from the sheet's edges. A scale without length gets one."""
    box = (left, top, sheet.width - left - right, sheet.height - top - bottom)
    return Panel(sheet=sheet, box=box, x=_long(x), y=_long(y))


def _long(scale: tuple[float, float]) -> tuple[float, float]:
    return scale if not math.isclose(*scale) else (scale[0] - 0.5, scale[1] + 0.5)


def _apart(lines: Iterable[tuple[Point, Point]]) -> list[Point | None]:
    return [point for start, end in lines for point in (start, end, None)]
