"""Response times, reading speed, attention checks, trial by trial, and where people left."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.description import ReadingSpeed
from limen.core.findings import Analysis
from limen.core.numerals import counted
from limen.report.document import Block, Column, FigurePlace, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import OFF, sentence


def times(analysis: Analysis) -> Section:
    """Show how long answers took."""
    return Section(
        key="times",
        title="Response times",
        blocks=(FigurePlace(key="response-times"), *_time_table(analysis), *_speed(analysis)),
    )


def attention(analysis: Analysis) -> Section:
    """Show the attention checks one by one."""
    return Section(key="attention", title="Attention checks", blocks=tuple(_checks(analysis)))


def course(analysis: Analysis) -> Section:
    """Show the OFF rate by trial number, and where people left."""
    return Section(
        key="course", title="In the course of the session", blocks=(*_positions(analysis), *_departures(analysis))
    )


def _time_table(analysis: Analysis) -> Iterator[Block]:
    rows = analysis.response_times
    if isinstance(rows, Undetermined):
        return
    yield Table(
        caption="Response times by condition, for right and wrong answers",
        columns=(
            Column(title="answers"),
            *(Column(title=title, numeric=True) for title in ("n", "median", "mean", "middle half")),
        ),
        rows=tuple(
            Row(
                head=(f"{row.condition.upper()}, {_which(row.correct)}",),
                cells=(
                    (notation.count(row.n),),
                    (notation.duration(row.median),),
                    (notation.duration(row.mean),),
                    (
                        f"{notation.duration(row.quantiles[5])} to {notation.duration(row.quantiles[15])}"
                        if row.quantiles
                        else "–",
                    ),
                ),
            )
            for row in rows
        ),
    )


def _which(correct: bool | None) -> str:
    return {None: "all", True: "right", False: "wrong"}[correct]


def _speed(analysis: Analysis) -> Iterator[Block]:
    speed = analysis.reading_speed
    yield Subheading(text="Reading speed")
    if not isinstance(speed, ReadingSpeed):
        yield Paragraph(text=sentence(notation.undetermined(speed)))
        return
    yield Table(
        caption="Words read a minute, from the words shown and the response time",
        columns=(Column(title="condition"), *(Column(title=t, numeric=True) for t in ("n", "median", "middle half"))),
        rows=tuple(
            Row(
                head=(row.condition.upper(),),
                cells=(
                    (notation.count(row.n),),
                    (notation.decimal(row.median, 0),),
                    (f"{notation.decimal(row.lower_quartile, 0)} to {notation.decimal(row.upper_quartile, 0)}",),
                ),
            )
            for row in speed.conditions
        ),
    )
    over, by = speed.trials_over_limit, counted(speed.raters_over_limit, "rater")
    how_many = f"{counted(over, 'trial')} of {by}" if over else "No trial"
    limit = notation.count(speed.limit_words_per_minute)
    yield Paragraph(text=f"{how_many} went faster than {limit} words a minute, too fast to have been read.")


def _checks(analysis: Analysis) -> Iterator[Block]:
    if not analysis.attention:
        yield Paragraph(text="The protocol has no attention checks.")
        return
    titles = ("trial", "answered", "passed", "failed", "failed among the analyzed")
    yield Table(
        caption="Attention checks, of all who answered them",
        columns=(
            Column(title="check"),
            Column(title="expected"),
            *(Column(title=title, numeric=True) for title in titles),
        ),
        rows=tuple(
            Row(
                head=(check.check_id,),
                cells=(
                    (check.expected.replace("SOMETHINGS_OFF", OFF) if check.expected else "not known",),
                    (notation.count(check.position) if check.position is not None else "–",),
                    (notation.count(check.answered),),
                    (notation.count(check.passed),),
                    (notation.count(check.failed),),
                    (notation.count(check.failed_among_analyzed),),
                ),
            )
            for check in analysis.attention
        ),
    )


def _positions(analysis: Analysis) -> Iterator[Block]:
    numbers = sorted({row.trial_number for row in analysis.positions})
    if not numbers:
        yield Paragraph(text="There are no answers to lay out along the trials.")
        return
    keys = [condition.name.lower() for condition in analysis.study.conditions]
    found = {(row.trial_number, row.condition): row for row in analysis.positions}
    yield Table(
        caption=f"Share of {OFF} answers at each trial number",
        columns=(Column(title="trial"), *(Column(title=key.upper(), numeric=True) for key in keys)),
        rows=tuple(
            Row(
                head=(notation.count(number),),
                cells=tuple(
                    (notation.percent_of(row.off, row.n),) if (row := found.get((number, key))) else ("–",)
                    for key in keys
                ),
            )
            for number in numbers
        ),
    )


def _departures(analysis: Analysis) -> Iterator[Block]:
    yield Subheading(text="Where people left")
    if not analysis.departures:
        yield Paragraph(text="Nobody who started left before the last trial.")
        return
    yield Table(
        caption="Answered trials before leaving",
        columns=(Column(title="answered trials", numeric=True), Column(title="people", numeric=True)),
        rows=tuple(
            Row(head=(notation.count(one.answered),), cells=((notation.count(one.people),),))
            for one in analysis.departures
        ),
    )
