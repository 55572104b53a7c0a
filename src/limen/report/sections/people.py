"""Who took part, who was left out, by which rule and on what evidence."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.document import Block, Column, FigurePlace, Paragraph, Row, Section, Table

_MOST_LISTED = 100


def people(analysis: Analysis) -> Section:
    """Show the participant flow and the exclusions."""
    return Section(
        key="people",
        title="Participants and exclusions",
        blocks=(FigurePlace(key="participant-flow"), _counts(analysis), _rules(analysis), *_left_out(analysis)),
    )


def _counts(analysis: Analysis) -> Table:
    n = analysis.n
    named = (
        ("landed on the first page", n.landed),
        ("consented", n.consented),
        ("screened in", n.screened_in),
        ("started", n.started),
        ("completed all trials", n.completed),
        ("withdrew and had their data deleted", n.withdrawn),
        ("started and are not analyzed", n.excluded),
        ("analyzed", n.analyzed),
    )
    return Table(
        caption="Participant flow",
        columns=(Column(title="stage"), Column(title="people", numeric=True)),
        rows=tuple(Row(head=(name,), cells=((notation.count(count),),)) for name, count in named),
    )


def _rules(analysis: Analysis) -> Table:
    return Table(
        caption="Declared rules, in the order in which the flow counts them",
        columns=(
            Column(title="rule"),
            Column(title="meet it", numeric=True),
            Column(title="counted here", numeric=True),
            Column(title="remark"),
        ),
        rows=tuple(
            Row(
                head=(rule.declared,),
                cells=(
                    (notation.count(rule.hits) if rule.assessed else "not assessed",),
                    (notation.count(rule.first_hits) if rule.assessed else "–",),
                    (rule.remark or "–",),
                ),
            )
            for rule in analysis.exclusion_rules
        ),
    )


def _left_out(analysis: Analysis) -> Iterator[Block]:
    listed = analysis.exclusions[:_MOST_LISTED]
    if not listed:
        yield Paragraph(text="Nobody was left out.")
        return
    yield Table(
        caption="Left out, with the evidence",
        columns=(Column(title="participant"), Column(title="counted under"), Column(title="evidence")),
        rows=tuple(
            Row(head=(one.participant,), cells=((one.first.replace("_", " "),), (one.evidence,))) for one in listed
        ),
    )
    if len(listed) < len(analysis.exclusions):
        yield Paragraph(
            text=f"These are the first {notation.count(len(listed))} of "
            f"{counted(len(analysis.exclusions), 'exclusion')}; analysis.json has all."
        )
