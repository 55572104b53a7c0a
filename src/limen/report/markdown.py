"""The document as Markdown that a code host renders."""

import re
from collections.abc import Iterator, Mapping

from limen.report.document import (
    Block,
    Caution,
    Document,
    FigurePlace,
    Front,
    Lines,
    Listing,
    Paragraph,
    Quotation,
    Section,
    Subheading,
    Table,
)
from limen.report.figures.plotted import LeftOut, Plotted

FIGURES = "figures"
"""The folder beside the Markdown file that holds the drawings."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_LINE_START = re.compile(r"^(\d{0,9})([-+=.)])(?=[\s=-]|$)")
_ADDRESS = re.compile(r"(?i)(?<=\w):(?=//)|@|(?<=\bwww)\.")


def render_markdown(document: Document, plots: Mapping[str, Plotted | LeftOut]) -> str:
    """Render the report as Markdown. All text is escaped; figures are files in the folder beside."""
    lines = [*_front(document.front)]
    for section in (*document.sections, document.made):
        lines += _section(section, plots)
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Write text so that no part of it is taken for Markdown, HTML or a link.

    >>> escape("<b>*x*</b> | www.example.org")
    '\\\\<b\\\\>\\\\*x\\\\*\\\\</b\\\\> \\\\| www&#46;example.org'
    """
    one_line = " ".join(text.split())
    safe = _SPECIAL.sub(r"\\\1", one_line)
    safe = _ADDRESS.sub(lambda found: f"&#{ord(found[0])};", safe)
    return _LINE_START.sub(r"\1\\\2", safe)


def _front(front: Front) -> Iterator[str]:
    for notice in front.notices:
        yield from (f"> **{escape(notice)}**", "")
    yield from (f"# {escape(front.question)}", "", escape(front.study), "")
    title = f": {front.title}" if front.title else ""
    yield from (f"**{escape(front.outcome + title)}**", "", escape(front.answer), "")
    for rate in front.rates:
        yield f"- **{escape(rate.condition)} pairs, {escape(rate.what)}: {escape(rate.figure)}** {escape(rate.says)}"
    yield from (f"- **Raters: {escape(front.people)}** {escape(front.people_says)}", "")
    for text in filter(None, (front.together, front.difference, front.surely, front.task)):
        yield from (escape(text), "")


def _section(section: Section, plots: Mapping[str, Plotted | LeftOut]) -> Iterator[str]:
    yield from (f"## {escape(section.title)}", "")
    for block in section.blocks:
        yield from _block(block, plots)
        yield ""


def _block(block: Block, plots: Mapping[str, Plotted | LeftOut]) -> Iterator[str]:
    match block:
        case Paragraph(text=text, label=label):
            yield f"**{escape(label)}:** {escape(text)}" if label else escape(text)
        case Caution(text=text):
            yield f"> **Mind:** {escape(text)}" if text else ""
        case Quotation(text=text, source=source):
            yield from (f"> *{escape(text)}*", ">", f"> — {escape(source)}")
        case Listing(points=points):
            yield from (f"- {escape(point)}" for point in points)
        case Subheading(text=text):
            yield f"### {escape(text)}"
        case Table():
            yield from _table(block)
        case FigurePlace(key=key):
            yield from _figure(plots[key])


def _table(table: Table) -> Iterator[str]:
    yield from (f"**{escape(table.caption)}**", "")
    yield _row(*(escape(column.title) for column in table.columns))
    yield _row(*("--:" if column.numeric else "---" for column in table.columns))
    for row in table.rows:
        yield _row(_cell(row.head), *(_cell(cell) for cell in row.cells))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(lines: Lines) -> str:
    return "<br>".join(escape(line) for line in lines)


def _figure(plot: Plotted | LeftOut) -> Iterator[str]:
    if isinstance(plot, LeftOut):
        yield f"**{escape(plot.title)}.** This figure is left out: {escape(plot.reason)}."
        return
    yield f"![{escape(plot.alternative)}]({FIGURES}/{plot.key}.svg)"
    yield from ("", f"**{escape(plot.title)}.** {escape(plot.caption)}")
