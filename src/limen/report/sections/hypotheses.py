"""H1 to H3, clause by clause."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis
from limen.core.hypotheses import Hypothesis
from limen.report.document import Block, Column, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import Roles, chi_square, compared, key_of


def hypotheses(analysis: Analysis) -> Section:
    """Answer each hypothesis with its clauses; H2 with its test of equivalence beside."""
    found = analysis.hypotheses
    return Section(
        key="hypotheses",
        title="Hypotheses H1–H3",
        blocks=(
            *_hypothesis("H1", found.h1),
            *_hypothesis("H2", found.h2),
            compared("H2, as specified and with companions", _baseline(analysis), _pattern(analysis)),
            *_hypothesis("H3", found.h3),
        ),
    )


def answer(met: bool | Undetermined) -> str:
    """Say whether a hypothesis is met."""
    if isinstance(met, Undetermined):
        return notation.undetermined(met)
    return "met" if met else "not met"


def _hypothesis(name: str, found: Hypothesis) -> Iterator[Block]:
    yield Subheading(text=f"{name} {found.title}: {answer(found.met)}")
    yield Table(
        caption=f"{name}, clause by clause",
        columns=(Column(title="asked"), Column(title="found"), Column(title="holds")),
        rows=tuple(
            Row(head=(words.asks,), cells=((words.found,), (notation.truth(found.clauses[clause]),)))
            for clause, words in found.words.items()
        ),
    )
    if found.remark:
        yield Paragraph(text=found.remark)


def _baseline(analysis: Analysis) -> Row:
    roles, tost = Roles.of(analysis.study), analysis.companions.tost
    key = key_of(roles.baseline)
    counts, rate = analysis.as_specified.conditions[key], analysis.companions.rates[key].off_rate
    low, high = notation.percent(tost.low), notation.percent(tost.high)
    bounds, established = notation.percent_interval(tost.crossed_90_interval), notation.truth(tost.established)
    return Row(
        head=(f"{roles.baseline.name} against chance",),
        cells=(
            (f"accuracy {notation.percent(counts.accuracy)}",),
            (
                f"false-alarm rate {notation.percent_estimate(rate)}",
                f"its 90 % interval {bounds} lies within {low} to {high}: {established} (this decides)",
                f"two one-sided tests, answers as independent: {notation.p_value(tost.p)}",
            ),
        ),
    )


def _pattern(analysis: Analysis) -> Row:
    pattern = analysis.companions.pattern
    return Row(
        head=("Pattern in the answers",),
        cells=(
            ("see the clauses",),
            (
                f"between pairs, Cochran's Q: {chi_square(pattern.cochran_q)}",
                (
                    f"along the trials: {notation.points(pattern.off_rate_change_per_trial, 1)} a trial, "
                    f"{chi_square(pattern.trend)}"
                ),
            ),
        ),
    )
