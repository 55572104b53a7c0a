"""Drawings as SVG: deterministic, text as text, small enough to stand in a page.

This is the one module that imports matplotlib, and only when something is drawn. It draws with the SVG renderer itself:
no pyplot, no Figure and no Axes, whose import alone costs as much as all drawings together, and no font cache, since
text stays text and its place is given by its anchor.
"""

import html
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal

from limen.report.figures.palette import FONT_SIZE, INK, SETTINGS, SURFACE, VARIABLES

if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.backends.backend_svg import RendererSVG

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""

_MOST_ENLARGED = 1.25
_MIDDLE = 0.35  # of the font size: how far below its middle the baseline of a text lies

_settings_in_use = Lock()
"""matplotlib keeps its settings for the whole process: one drawing session at a time may change them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawing yet to be made, `width` × `height` in CSS pixels."""

    key: str
    width: float
    height: float
    paint: "Callable[[Sheet], None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a figure is painted on. Places are in pixels from the top left."""

    renderer: "RendererSVG"
    width: float
    height: float

    def line(
        self,
        points: Iterable[Point | None],
        color: str,
        *,
        width: float = 1.0,
        dashed: bool = False,
        alpha: float = 1.0,
    ) -> None:
        """Draw through the points; None lifts the pen."""
        from matplotlib.path import Path  # noqa: PLC0415

        corners, codes, lifted = [], [], True
        for point in points:
            if point is not None:
                corners.append(self._flipped(point))
                codes.append(Path.MOVETO if lifted else Path.LINETO)
            lifted = point is None
        if corners:
            pen = self._pen(color, alpha, width)
            pen.set_dashes(0, (4 * width, 3 * width) if dashed else None)
            self._path(pen, Path(corners, codes), None)

    def boxes(self, places: Sequence[Box], *, face: str = "", edge: str = "", alpha: float = 1.0) -> None:
        """Draw rectangles of one look as a single path."""
        self.areas([[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in places], face, edge, alpha)

    def areas(self, outlines: Sequence[Sequence[Point]], face: str = "", edge: str = "", alpha: float = 1.0) -> None:
        """Draw filled or outlined polygons of one look as a single path."""
        from matplotlib.colors import to_rgb  # noqa: PLC0415
        from matplotlib.path import Path  # noqa: PLC0415

        corners = [self._flipped(point) for outline in outlines for point in (*outline, outline[0])]
        codes = [
            code for outline in outlines for code in (Path.MOVETO, *[Path.LINETO] * (len(outline) - 1), Path.CLOSEPOLY)
        ]
        if corners:
            pen = self._pen(edge or INK, alpha, 0.9 if edge else 0.0)
            self._path(pen, Path(corners, codes), to_rgb(face) if face else None)

    def marks(
        self, points: Sequence[Point], mark: str, color: str, *, size: float, edge: str = "", alpha: float = 1.0
    ) -> None:
        """Draw the same mark at every point; `edge` sets it off from what lies below."""
        from matplotlib.colors import to_rgb  # noqa: PLC0415
        from matplotlib.markers import MarkerStyle  # noqa: PLC0415
        from matplotlib.path import Path  # noqa: PLC0415
        from matplotlib.transforms import Affine2D, IdentityTransform  # noqa: PLC0415

        if points:
            style = MarkerStyle(mark)
            shape = style.get_transform() + Affine2D().scale(size)
            pen = self._pen(edge or color, alpha, 1.0 if edge else 0.0)
            places = Path([self._flipped(point) for point in points])
            self.renderer.draw_markers(  # type: ignore[no-untyped-call]
                pen, style.get_path(), shape, places, IdentityTransform(), to_rgb(color)
            )

    def text(
        self,
        at: Point,
        words: str,
        *,
        color: str = INK,
        size: float = FONT_SIZE,
        anchor: Literal["left", "center", "right"] = "left",
        bold: bool = False,
        middle: bool = False,
        upright: bool = False,
    ) -> None:
        """Write one line on its baseline, or with its middle at the place; upright text runs from below upwards."""
        from matplotlib.font_manager import FontProperties  # noqa: PLC0415
        from matplotlib.text import Text  # noqa: PLC0415

        x, y = at[0], at[1] + (_MIDDLE * size if middle else 0)
        anchored = Text(x, self.height - y, ha=anchor, rotation_mode="anchor")
        font = FontProperties(family="sans-serif", size=size, weight="bold" if bold else "normal")
        angle = 90 if upright else 0
        self.renderer.draw_text(  # type: ignore[no-untyped-call]
            self._pen(color, 1.0, 0.0), x, y, words, font, angle, False, anchored
        )

    def hatched(self, box: Box, color: str) -> None:
        """Hatch a rectangle with slanted lines: patterns would not follow the page's colors."""
        left, top, width, height = box
        points: list[Point | None] = []
        start = left - height
        while start < left + width:
            first, last = max(start, left), min(start + height, left + width)
            points += [(first, top + height - (first - start)), (last, top + height - (last - start)), None]
            start += 7
        self.line(points, color, width=0.8)

    def _flipped(self, point: Point) -> Point:
        return point[0], self.height - point[1]

    def _pen(self, color: str, alpha: float, width: float) -> "GraphicsContextBase":
        pen = self.renderer.new_gc()
        pen.set_foreground(color)
        pen.set_alpha(alpha)
        pen.set_linewidth(width)
        return pen

    def _path(self, pen: "GraphicsContextBase", path: object, face: object) -> None:
        from matplotlib.transforms import IdentityTransform  # noqa: PLC0415

        self.renderer.draw_path(pen, path, IdentityTransform(), face)  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A finished drawing."""

    width: float
    height: float
    body: str

    def inline(self, alternative: str) -> str:
        """Give the drawing as a part of the page: no name spaces, colors as the page's variables."""
        body = _COLOR.sub(lambda hit: f"var({VARIABLES[hit[0]]})", self.body)
        return f"<svg {self._head(alternative, limit=True)}>{body}</svg>"

    def alone(self, alternative: str) -> str:
        """Give the drawing as a file, on a ground of its own."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        ground = f'<rect width="100%" height="100%" fill="{SURFACE}"/>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {self._head(alternative)}>'
        return f"{head}{ground}{self.body}</svg>\n"

    def _head(self, alternative: str, *, limit: bool = False) -> str:
        widest = f"; max-width: {_MOST_ENLARGED * self.width:g}px" if limit else ""
        return (
            f'role="img" aria-label="{html.escape(alternative)}" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'style="stroke-linejoin: round; stroke-linecap: butt{widest}"'
        )


def draw(sketches: Sequence[Sketch]) -> dict[str, Drawing]:
    """Make the drawings, each under its key."""
    import matplotlib as mpl  # noqa: PLC0415 - costs half a second, and only drawing needs it

    drawings = {}
    with _settings_in_use, mpl.rc_context(SETTINGS):  # type: ignore[arg-type]
        for sketch in sketches:
            mpl.rcParams["svg.hashsalt"] = f"limen/{sketch.key}"
            drawings[sketch.key] = Drawing(width=sketch.width, height=sketch.height, body=_body(_svg(sketch)))
    return drawings


def _svg(sketch: Sketch) -> str:
    from matplotlib.backends.backend_svg import RendererSVG  # noqa: PLC0415

    out = io.StringIO()
    renderer = RendererSVG(sketch.width, sketch.height, out, metadata=_NO_METADATA)  # type: ignore[no-untyped-call]
    sketch.paint(Sheet(renderer=renderer, width=sketch.width, height=sketch.height))
    renderer.finalize()  # type: ignore[no-untyped-call]
    return out.getvalue()


_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_HEAD = re.compile(r"^.*?<svg[^>]*>", re.DOTALL)
_NOISE = re.compile(r"<metadata>.*?</metadata>|<style type.*?</style>|<defs>\s*</defs>|</svg>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NO_TURN = re.compile(r' transform="rotate\(-?0 [^"]*\)"')
_FONT = re.compile(r"font-family: [^;\"]*")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_COLOR = re.compile("|".join(VARIABLES))


def _body(svg: str) -> str:
    """Keep what is drawn, without the file's frame, in the page's font, rounded to a hundredth of a pixel."""
    body = _TAG.sub(_leaner_tag, _NOISE.sub("", _HEAD.sub("", svg, count=1)))
    return re.sub(r">\s+<", "><", body).strip()


def _leaner_tag(found: re.Match[str]) -> str:
    tag = _FONT.sub("font-family: system-ui, sans-serif", _NO_TURN.sub("", found[0])).replace("xlink:href", "href")
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", tag)
