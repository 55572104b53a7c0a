"""Protocol 7.3: do raters agree with each other?"""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.criteria import Scope
from limen.core.findings import Analysis
from limen.core.measures import ALL_PAIRS, Agreement
from limen.core.numerals import counted
from limen.report.document import Block, Caution, Listing, Paragraph, Row, Section
from limen.report.phrasing import compared, scope_in_words


def agreement(analysis: Analysis) -> Section:
    """Set Fleiss' κ beside other coefficients, in all scopes."""
    return Section(
        key="agreement",
        title="7.3 Inter-rater agreement",
        blocks=(
            Paragraph(
                text="Do raters say the same of the same pair? Percent agreement counts how often two raters do; the "
                "coefficients ask how much that is beyond what their overall leaning would give by itself (0: no more "
                "than that, 1: always)."
            ),
            compared(
                "Agreement, as specified and with companions",
                *(_row(analysis, scope, found) for scope, found in analysis.companions.agreement.items()),
            ),
            *_remarks(analysis),
            Caution(text=analysis.caveats.get("kappa", "")),
        ),
    )


def _row(analysis: Analysis, scope: str, found: Agreement) -> Row:
    kappa, label = analysis.as_specified.fleiss_kappa[scope], analysis.as_specified.kappa_label[scope]
    word = "" if isinstance(label, Undetermined) else f" ({label})"
    return Row(
        head=(scope_in_words(analysis, Scope.ALL) if scope == ALL_PAIRS else f"{scope.upper()} pairs",),
        cells=(
            (f"Fleiss κ {notation.kappa(kappa)}{word}",),
            (
                f"Fleiss κ {notation.estimate(found.fleiss_kappa)}{_rater_error(found, 'fleiss_kappa')}",
                f"agreement {notation.percent_estimate(found.percent)}",
                f"Gwet's AC1 {notation.estimate(found.ac1)}{_rater_error(found, 'ac1')}",
                f"Krippendorff's α {notation.estimate(found.alpha)}{_rater_error(found, 'alpha')}",
            ),
        ),
    )


def _rater_error(found: Agreement, coefficient: str) -> str:
    error = found.rater_se.get(coefficient)
    return "" if error is None or isinstance(error, Undetermined) else f", rater SE {notation.decimal(error)}"


def _remarks(analysis: Analysis) -> Iterator[Block]:
    every = analysis.companions.agreement
    resamples = next((notation.count(found.resamples) for found in every.values()), "0")
    points = [
        (
            f"Intervals are over pairs (bootstrap within each condition, {resamples} resamples); the rater SE is over "
            "raters (delete-one jackknife)."
        )
    ]
    for scope, found in every.items():
        some = isinstance(found.fleiss_kappa, Estimate)
        if some and (undefined := found.undefined_resamples.get("fleiss_kappa", 0)):
            points.append(f"{scope.upper()}: κ is undefined in {counted(undefined, 'resample')}.")
        if found.complete_raters != found.raters:
            points.append(
                f"{scope.upper()}: κ rests on the {counted(found.complete_raters, 'rater')} with all pairs answered, "
                f"of {notation.count(found.raters)}."
            )
    yield Listing(points=tuple(points))
