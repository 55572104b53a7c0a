"""What raters said after the last trial, and the providers the pairs came from."""

from collections.abc import Iterator, Sequence

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.description import Choice, DebriefSummary
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.document import Block, Column, Listing, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import sentence

_MOST_WORDS = 200


def debrief(analysis: Analysis) -> Section:
    """Show the debrief of the analyzed raters."""
    found = analysis.debrief
    blocks = (
        tuple(_debrief(analysis, found))
        if isinstance(found, DebriefSummary)
        else (Paragraph(text=sentence(notation.undetermined(found))),)
    )
    return Section(key="debrief", title="Debrief", blocks=blocks)


def providers(analysis: Analysis) -> Section:
    """Show the OFF rate by provider. Estimates only: nothing is tested."""
    return Section(key="providers", title="Providers", blocks=tuple(_providers(analysis)))


def _debrief(analysis: Analysis, found: DebriefSummary) -> Iterator[Block]:
    words = analysis.protocol.wording.debrief
    asked = f"All questions were optional. {counted(found.raters, 'analyzed rater')}"
    if not (found.strategy_answered or found.age_answered or found.use_answered):
        yield Paragraph(text=f"{asked}; nobody answered one.")
        return
    yield Paragraph(text=f"{asked}.")
    yield _choices(words.strategy.question, found.strategy, found.strategy_answered)
    if found.other:
        yield Subheading(text="In their own words")
        yield Listing(points=tuple(f"“{text}”" for text in found.other[:_MOST_WORDS]))
        if len(found.other) > _MOST_WORDS:
            yield Paragraph(text=f"And {notation.count(len(found.other) - _MOST_WORDS)} more in analysis.json.")
    yield _choices(words.demographics.age_question, found.age, found.age_answered)
    yield _choices(words.demographics.use_question, found.use, found.use_answered)


def _choices(question: str, choices: Sequence[Choice], answered: int) -> Table:
    return Table(
        caption=f"{question} (answered by {notation.count(answered)})",
        columns=(Column(title="option"), Column(title="chosen by", numeric=True)),
        rows=tuple(
            Row(head=(choice.option,), cells=((notation.percent_of(choice.chosen, answered),),)) for choice in choices
        ),
    )


def _providers(analysis: Analysis) -> Iterator[Block]:
    rows = analysis.providers
    if isinstance(rows, Undetermined):
        yield Paragraph(text=sentence(notation.undetermined(rows)))
        return
    yield Paragraph(
        text="Estimates with intervals, no tests: with few pairs a provider, differences between providers are mostly "
        "differences between pairs."
    )
    methods = sorted({row.off_rate.method for row in rows if isinstance(row.off_rate, Estimate)})
    yield Table(
        caption="Detection rate by provider and condition" + (f" ({'; '.join(methods)})" if methods else ""),
        columns=(
            Column(title="provider"),
            Column(title="condition"),
            Column(title="pairs", numeric=True),
            Column(title="OFF", numeric=True),
            Column(title="OFF rate", numeric=True),
        ),
        rows=tuple(
            Row(
                head=(row.provider,),
                cells=(
                    (row.condition.upper(),),
                    (notation.count(row.pairs),),
                    (f"{notation.count(row.off)} of {notation.count(row.n)}",),
                    (notation.percent_estimate(row.off_rate),),
                ),
            )
            for row in rows
        ),
    )
