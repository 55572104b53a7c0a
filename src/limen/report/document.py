"""What a report says, before it is a page or Markdown: both are made from this one value, so both say the same.

Everything is plain text. Whoever renders a document escapes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Lines = tuple[str, ...]
"""The lines of a table cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text; the label stands before it, set off."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """What a reader must know before believing the number above it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that are not the report's own."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Points of equal rank."""

    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subheading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a column of numbers, or of words."""

    title: str
    numeric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table: what it is about, and a cell a further column."""

    head: Lines
    cells: tuple[Lines, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. The first column heads the rows. `comparison` marks the one of "as specified" and "companion"."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    comparison: bool = False

    def __post_init__(self) -> None:
        """Refuse a row that does not fit the columns."""
        for row in self.rows:
            if len(row.cells) != len(self.columns) - 1:
                raise ValueError(f"table {self.caption!r}: row {row.head} has {len(row.cells)} cells")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePlace:
    """Where the figure of this key stands."""

    key: str


Block = Paragraph | Caution | Quotation | Listing | Subheading | Table | FigurePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the report with a heading; `key` is its address within the page."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """An interval on the way from 0 to 100 %: shares, for a picture beside the words."""

    value: float
    low: float
    high: float
    chance: float | None  # marked only where falling short of it means something: on the target's card


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A detection rate as the first screen shows it."""

    condition: str
    what: str  # "drift > 1.00"
    figure: str  # "64 %"
    says: str
    bar: Bar | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The first screen, for a reader from outside the field."""

    notices: tuple[str, ...]  # what must be known before anything else: simulated data, another metric
    study: str
    question: str
    task: str
    outcome: str  # "Outcome A"
    title: str
    answer: str
    together: str  # why this letter, and what the companion adds; nothing where there is no letter
    surely: str
    rates: tuple[Rate, ...]
    difference: str
    people: str
    people_says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report. `made` is the one part that differs between two runs on the same data."""

    title: str
    front: Front
    sections: tuple[Section, ...]
    made: Section

    def figures(self) -> Iterator[str]:
        """Give the keys of the figures in their order."""
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, FigurePlace):
                    yield block.key
