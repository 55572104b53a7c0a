"""Other ways to analyze, and what would have come of them."""

from collections.abc import Callable

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.findings import Analysis
from limen.core.specification import SpecificationRow
from limen.report.document import Column, FigurePlace, Lines, Paragraph, Row, Section, Table
from limen.report.phrasing import Roles, key_of, letter_of, points_interval


def specification(analysis: Analysis) -> Section:
    """Show the specification table."""
    roles = Roles.of(analysis.study)
    keys = (key_of(roles.target), key_of(roles.baseline))
    rates = f"{roles.target.name} / {roles.baseline.name}"
    titles = ("raters", rates, "difference", "binomial", "chi-square", "κ, AC1, α", "log odds")
    return Section(
        key="specification",
        title="Specification table",
        blocks=(
            Paragraph(
                text="A result that hangs on one rule is less sure than one that does not. Each row changes one thing "
                "of the declared analysis, which stands first."
            ),
            FigurePlace(key="specification"),
            Table(
                caption="Outcome and effect under other rules",
                columns=(Column(title="analysis"), Column(title="outcome"), *(Column(title=t) for t in titles)),
                rows=tuple(_row(row, keys) for row in analysis.specification),
            ),
        ),
    )


def _row(row: SpecificationRow, keys: tuple[str, str]) -> Row:
    result = row.result
    head = (row.name, row.remark) if row.remark else (row.name,)
    if isinstance(result, Undetermined):
        return Row(head=head, cells=((notation.undetermined(result),), *((("–",),) * 7)))
    return Row(
        head=head,
        cells=(
            (letter_of(result.letter, result.reason),),
            (notation.count(result.raters),),
            (" / ".join(notation.percent(result.off_rates[key]) for key in keys),),
            _two_lines(result.difference, notation.points, points_interval),
            (notation.p_value(result.binomial_p),),
            (notation.p_value(result.chi_square_p),),
            (
                f"κ {notation.kappa(result.fleiss_kappa)}",
                f"AC1 {notation.kappa(result.ac1)}",
                f"α {notation.kappa(result.alpha)}",
            ),
            _two_lines(result.log_odds, notation.decimal, notation.interval),
        ),
    )


def _two_lines(
    value: Estimate | Undetermined,
    write: Callable[[float], str],
    write_interval: Callable[[Interval | Undetermined], str],
) -> Lines:
    if isinstance(value, Undetermined):
        return (notation.undetermined(value),)
    return write(value.value), write_interval(value.interval)
