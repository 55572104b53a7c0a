"""From a sample of answers to the protocol's own numbers, exactly as it specifies them."""

from limen.core.analysis.agreement import KappaLabel, fleiss_kappa, kappa_label
from limen.core.analysis.estimates import ChiSquare, Undetermined
from limen.core.analysis.proportions import exact_binomial
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.tables import ConditionTable, condition_table, independence
from limen.core.criteria import Scope
from limen.core.measures import (
    ALL_PAIRS,
    AsSpecified,
    BinomialResult,
    ChiSquareResult,
    ConditionCounts,
    Number,
)
from limen.core.outcome import Evidence
from limen.core.protocol import Condition, Protocol
from limen.core.sample import Sample

NO_ANSWERS = Undetermined(reason="there are no answers")


def estimate_as_specified(sample: Sample, protocol: Protocol) -> AsSpecified:
    """Compute sections 7.1 to 7.3 of the protocol."""
    target = sample.tally(sample.target)
    tested = exact_binomial(target.right, target.n, probability=protocol.decision.chance, alternative="greater")
    table = independence(condition_table(sample.contrast))
    kappas = {scope: _kappa(part) for scope, part in scopes(sample.complete, protocol).items()}
    return AsSpecified(
        conditions={key_of(condition): _counts(sample, condition) for condition in protocol.conditions},
        binomial=BinomialResult(k=target.right, n=target.n, p=tested if isinstance(tested, Undetermined) else tested.p),
        chi_square=chi_square_result(table.chi_square if isinstance(table, ConditionTable) else table),
        fleiss_kappa=kappas,
        kappa_label={scope: _label(kappa) for scope, kappa in kappas.items()},
    )


def evidence_for(sample: Sample, found: AsSpecified, scope: Scope) -> Evidence:
    """Gather what the outcome rests on, with κ of the given scope."""
    return Evidence(
        raters=sample.ratings.raters,
        target=sample.tally(sample.target),
        baseline=sample.tally(sample.baseline),
        binomial_p=found.binomial.p,
        chi_square_p=found.chi_square.p,
        kappa=found.fleiss_kappa[scope_key(sample, scope)],
    )


def scope_key(sample: Sample, scope: Scope) -> str:
    """Name the pairs that a scope of agreement means."""
    return key_of(sample.target) if scope is Scope.TARGET else ALL_PAIRS


def other_scope(scope: Scope) -> Scope:
    """Give the scope of agreement that the protocol did not choose."""
    return Scope.ALL if scope is Scope.TARGET else Scope.TARGET


def scopes(ratings: Ratings, protocol: Protocol) -> dict[str, Ratings]:
    """Give all pairs that the outcome compares, and the pairs of each condition, the target's before the baseline's.

    Conditions in between and controls are described and decide nothing, so that "all" does not count their pairs.
    """
    in_order = sorted(protocol.conditions, key=lambda c: ("target", "baseline", "control", "between").index(c.role))
    compared = [condition.name for condition in in_order[:2]]
    return {ALL_PAIRS: ratings.of_condition(*compared)} | {
        key_of(condition): ratings.of_condition(condition.name) for condition in in_order
    }


def key_of(condition: Condition) -> str:
    """Give the condition's name as a key: in lower case."""
    return condition.name.lower()


def chi_square_result(test: ChiSquare | Undetermined) -> ChiSquareResult:
    """Lay a chi-square out as a value of its own, undetermined number by number."""
    if isinstance(test, Undetermined):
        return ChiSquareResult(statistic=test, p=test, dof=test)
    return ChiSquareResult(statistic=test.statistic, p=test.p, dof=test.dof)


def _counts(sample: Sample, condition: Condition) -> ConditionCounts:
    tally = sample.tally(condition)
    accuracy: Number
    if tally.n == 0:
        accuracy = NO_ANSWERS
    elif condition.expected is None:
        accuracy = Undetermined(reason=f"no answer is expected of {condition.name} pairs")
    else:
        accuracy = tally.right / tally.n
    return ConditionCounts(off=tally.off, n=tally.n, accuracy=accuracy)


def _kappa(ratings: Ratings) -> Number:
    return fleiss_kappa(ratings.category_counts())


def _label(kappa: Number) -> KappaLabel | Undetermined:
    return kappa if isinstance(kappa, Undetermined) else kappa_label(kappa)
