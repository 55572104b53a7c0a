"""Settings that differ, what was wrong in the data, how to read the numbers; and the block "made on, with"."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.document import Block, Column, Listing, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import OFF, sentence

MADE = "made"
"""The address of the one block that differs between two runs on the same data."""


def settings(analysis: Analysis) -> Section:
    """List what differs from the built-in protocol, in settings and material, and what was wrong in the data."""
    blocks = (*_settings(analysis), *_deviations(analysis), *_problems(analysis))
    return Section(key="settings", title="Settings and data", blocks=blocks)


def words(analysis: Analysis) -> Section:
    """Explain the terms of the report."""
    terms = (
        ("95 % interval", "a range that would hold the true value in about 95 of 100 studies like this one"),
        (
            "raters and pairs as samples",
            (
                "the interval or test asks what other raters and other pairs of the same kind "
                "would have given; also called crossed"
            ),
        ),
        (
            "answers as independent",
            "the interval or test treats every answer as a new rater and a new pair, which makes it too sure of itself",
        ),
        ("p", "how often chance alone would give a result at least this far from none"),
        (
            "detection rate, OFF rate",
            (
                f"the share of answers that said {OFF}; hit rate and false-alarm rate are its names "
                "for pairs with much and with hardly any drift"
            ),
        ),
        ("accuracy", "the share of answers that were the expected one"),
        (
            "d′, c, AUC",
            (
                f"how well the two kinds of pairs are told apart, how slow raters are to say {OFF}, and the "
                "chance to pick the far-drifted pair of two"
            ),
        ),
        ("κ, AC1, α", "agreement beyond what the raters' overall leaning gives by itself, by three ways to count it"),
        ("drift", "how far a reply is from the beginning of its conversation, by the metric named"),
        ("undetermined", "the data cannot answer; never a zero"),
    )
    return Section(
        key="words",
        title="How to read the numbers",
        blocks=(
            Table(
                caption="Terms",
                columns=(Column(title="term"), Column(title="meaning")),
                rows=tuple(Row(head=(term,), cells=((meaning,),)) for term, meaning in terms),
            ),
        ),
    )


def made(analysis: Analysis) -> Section:
    """Say when and with what the report was made."""
    by = analysis.made
    known = [
        ("made on", f"{by.at:%Y-%m-%d %H:%M:%S} UTC"),
        ("source", by.source),
        ("seed", str(by.seed)),
        *((f"version of {name}", version) for name, version in by.versions.items()),
        ("SHA-256 of the protocol", by.protocol_digest),
        ("SHA-256 of the stimuli", by.stimulus_digest or "not known"),
        ("SHA-256 of the answers", by.data_digest),
    ]
    return Section(
        key=MADE,
        title="Made on, with",
        blocks=(
            Table(
                caption="Times, versions, seed and digests",
                columns=(Column(title="what"), Column(title="value")),
                rows=tuple(Row(head=(name,), cells=((value,),)) for name, value in known),
            ),
        ),
    )


def _settings(analysis: Analysis) -> Iterator[Block]:
    yield Subheading(text="Settings that differ from the built-in protocol")
    if not analysis.settings:
        yield Paragraph(text="No setting differs: the study ran by the built-in protocol as it stands.")
        return
    yield Table(
        caption="Settings",
        columns=(Column(title="setting"), Column(title="built-in"), Column(title="here")),
        rows=tuple(
            Row(head=(one.key,), cells=((one.built_in or "–",), (one.here or "–",))) for one in analysis.settings
        ),
    )


def _deviations(analysis: Analysis) -> Iterator[Block]:
    yield Subheading(text="Pairs that differ from what the protocol describes")
    found = analysis.deviations
    if isinstance(found, Undetermined):
        yield Paragraph(text=sentence(notation.undetermined(found)))
    elif found:
        yield Listing(points=tuple(f"{one}." for one in found))
    else:
        yield Paragraph(text="No pair differs.")


def _problems(analysis: Analysis) -> Iterator[Block]:
    yield Subheading(text="Problems in the data")
    if not analysis.data_problems:
        yield Paragraph(text="No problem was found.")
        return
    yield Table(
        caption=f"What was wrong in what was read: {counted(len(analysis.data_problems), 'kind')}",
        columns=(
            Column(title="problem"),
            Column(title="times", numeric=True),
            Column(title="what is done"),
            Column(title="for example"),
        ),
        rows=tuple(
            Row(
                head=(one.reason,),
                cells=((notation.count(one.count),), (one.rule,), one.examples or ("–",)),
            )
            for one in analysis.data_problems
        ),
    )
