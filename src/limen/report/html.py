"""The document as a page: one file, no script, nothing asked of the network."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from jinja2 import Environment, Template

from limen.report.document import Block, Document, Lines, Table
from limen.report.figures.plotted import LeftOut, Plotted


def render_html(document: Document, plots: Mapping[str, Plotted | LeftOut], drawings: Mapping[str, str]) -> str:
    """Render the page; `drawings` are SVG elements by the figures' keys. All text is escaped."""
    return _template().render(
        document=document,
        plots=plots,
        drawings=drawings,
        stylesheet=_resource("report.css"),
        kind_of=_kind_of,
        place=_place,
        whole=_whole,
        stacks=_stacks,
    )


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, keep_trailing_newline=True, finalize=_typeset)
    return environment.from_string(_resource("report.html"))


_TOGETHER = re.compile(
    r"(?<=\bp) (?=[<=>≥] [.\d])|(?<=\bp.[<=>≥]) (?=[.\d])|(?<=\d) (?=%|min\b|m?s\b)|(?<=\b[καz]) (?=[−\d])"
)
_LONGEST_WHOLE = 26
_PHONE, _BETWEEN_COLUMNS = 36.0, 2.5  # in letters: the width of a table on a phone, and what parts two columns


def _typeset(value: object) -> object:
    """Keep a number and its sign or unit on one line."""
    if hasattr(value, "__html__") or not isinstance(value, str):  # marked as safe in the template: SVG, stylesheet
        return value
    return _TOGETHER.sub("\N{NO-BREAK SPACE}", value)


def _whole(line: str) -> bool:
    """Tell whether a line of a table cell is short, with a number in it, and should not be broken."""
    return len(line) <= _LONGEST_WHOLE and any(letter.isdigit() for letter in line)


def _stacks(table: Table) -> bool:
    """Tell whether a table is too wide for a phone, where each of its rows then becomes a small list."""
    columns = zip(*((row.head, *row.cells) for row in table.rows), strict=True)
    narrowest = [
        max(_narrowest((column.title,)), *map(_narrowest, cells))
        for column, cells in zip(table.columns, columns, strict=bool(table.rows))
    ]
    return table.comparison or sum(narrowest) + _BETWEEN_COLUMNS * len(narrowest) > _PHONE


def _narrowest(cell: Lines) -> int:
    """Give the longest piece of a cell that is not broken."""
    pieces = [piece for line in cell for piece in ([line] if _whole(line) else line.split())]
    return max(map(len, pieces), default=0)


def _resource(name: str) -> str:
    return (resources.files("limen.report.templates") / name).read_text("utf-8")


def _kind_of(block: Block) -> str:
    return type(block).__name__


def _place(share: float) -> str:
    """Give a share as a place on the bar."""
    return f"{100 * share:.1f}%"
