"""The outcome: its clauses, the protocol's interpretation as a quotation, and what the data support."""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.criteria import Scope
from limen.core.findings import Analysis
from limen.core.measures import ALL_PAIRS
from limen.core.outcome import Letter
from limen.report.document import Block, Column, Listing, Paragraph, Quotation, Row, Section, Subheading, Table
from limen.report.phrasing import Roles, key_of, letter_of, scope_in_words


def outcome(analysis: Analysis) -> Section:
    """Give the letter and everything that stands behind and beside it."""
    found = analysis.outcome
    assessed = found.letter is not Letter.NOT_ASSESSABLE
    title = f"Outcome {found.letter}: {found.title}" if assessed else "Outcome: not assessable"
    return Section(
        key="outcome",
        title=title,
        blocks=(
            *([Paragraph(text=found.reason_sentence, label=found.reason or "")] if found.reason_sentence else []),
            _clauses(analysis),
            Paragraph(text=_scopes(analysis)),
            Paragraph(text=_companion(analysis), label="Companion verdict"),
            *_quotation(analysis),
            Subheading(text="What the data support"),
            Listing(points=found.support),
        ),
    )


def _clauses(analysis: Analysis) -> Table:
    words = _words(analysis)
    return Table(
        caption="Outcome A needs a1 to a4, Outcome B needs b1 to b3; C is neither",
        columns=(Column(title="clause"), Column(title="asked"), Column(title="found"), Column(title="holds")),
        rows=tuple(
            Row(head=(name,), cells=((words[name][0],), (words[name][1],), (notation.truth(holds),)))
            for name, holds in analysis.outcome.clauses.items()
        ),
    )


def _words(analysis: Analysis) -> dict[str, tuple[str, str]]:
    """Say of each clause what it asks and what was found."""
    roles, decision, found = Roles.of(analysis.study), analysis.protocol.decision, analysis.as_specified
    scope = analysis.outcome.agreement_scope
    kappa = notation.kappa(found.fleiss_kappa[key_of(roles.target) if scope is Scope.TARGET else ALL_PAIRS])
    level, pairs = notation.kappa(decision.kappa_above), scope_in_words(analysis, scope)
    h1 = analysis.hypotheses.h1.words
    low, high = notation.percent(decision.chance_low), notation.percent(decision.chance_high)
    accuracies = "; ".join(
        f"{condition.name} {notation.percent(found.conditions[key_of(condition)].accuracy)}"
        for condition in (roles.target, roles.baseline)
    )
    p = notation.p_value(found.chi_square.p)
    return {clause: (h1[clause].asks, h1[clause].found) for clause in ("a1", "a2", "a3")} | {
        "a4": (f"Fleiss κ over {pairs} above {level}", kappa),
        "b1": (f"both accuracies from {low} to {high}", accuracies),
        "b2": ("no significant difference by the chi-square, or none computable", p),
        "b3": (f"Fleiss κ over {pairs} not above {level}, or undefined", kappa),
    }


def _scopes(analysis: Analysis) -> str:
    found = analysis.outcome
    other = Scope.ALL if found.agreement_scope is Scope.TARGET else Scope.TARGET
    letter = letter_of(found.letter_other_scope, found.reason_other_scope)
    return (
        f"The protocol does not say over which pairs κ is taken here. This study takes "
        f"{scope_in_words(analysis, found.agreement_scope)}; over {scope_in_words(analysis, other)} the outcome would "
        f"be {letter}."
    )


def _companion(analysis: Analysis) -> str:
    verdict = analysis.outcome.companion_verdict
    margin = notation.points(analysis.protocol.decision.difference_margin).lstrip("+")
    ways = (
        f"(detects: the difference holds with raters and pairs as samples; equivalent to none: it is within ±{margin})"
    )
    said = notation.undetermined(verdict) if isinstance(verdict, Undetermined) else verdict.value
    return f"{said} {ways}."


def _quotation(analysis: Analysis) -> Iterator[Block]:
    found = analysis.outcome
    if found.quotation:
        yield Quotation(text=found.quotation, source="the protocol's interpretation")
    if found.next_step:
        yield Quotation(text=found.next_step, source="the protocol's next step or implication")
