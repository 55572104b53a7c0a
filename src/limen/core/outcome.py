"""Outcome A, B or C: total, exclusive, with its reasons; and the companion verdict beside it.

    NOT ASSESSABLE  fewer raters kept than the minimum, or no answer in a condition
    A   a1 target accuracy above the threshold   a2 binomial p below alpha
        a3 chi-square p below alpha, and OFF said more often of target pairs   a4 κ above its threshold
    B   b1 both accuracies near chance   b2 no significant chi-square   b3 κ not above its threshold
    C   neither, for the first reason that fits:
        C1 a1 to a3 hold, only agreement fails   C2 a3 holds, target accuracy not above the threshold
        C3 no significant chi-square, an accuracy away from chance   C4 the rest

Shares are held against thresholds in whole numbers, p and κ unrounded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.criteria import Decision, Scope
from limen.core.measures import ConditionDifference


class Letter(StrEnum):
    """The protocol's outcomes, and that there is too little to tell."""

    A = "A"
    B = "B"
    C = "C"
    NOT_ASSESSABLE = "NOT ASSESSABLE"


class MixedReason(StrEnum):
    """Why an outcome is neither A nor B."""

    ONLY_AGREEMENT_FAILS = "C1"
    CONSERVATIVE_CRITERION = "C2"
    RESPONSE_BIAS = "C3"
    REST = "C4"


class CompanionVerdict(StrEnum):
    """What the crossed t of the difference says, beside the letter."""

    DETECTS = "detects"
    EQUIVALENT = "equivalent to none"
    BELOW_MARGIN = "detects, below the margin"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome with everything that is said about it.

    `quotation` is the protocol's own interpretation and next step; `support` is what the data at hand
    support, sentence by sentence, and follows it. For C the `reason_sentence` comes first.
    """

    letter: Letter
    reason: MixedReason | None
    clauses: Mapping[str, bool | Undetermined]
    agreement_scope: Scope
    letter_other_scope: Letter
    reason_other_scope: MixedReason | None
    companion_verdict: CompanionVerdict | Undetermined
    title: str
    reason_sentence: str
    quotation: str
    next_step: str
    support: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The answers to the pairs of one condition: how many there are, are OFF, and are as expected."""

    n: int
    off: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that the letter rests on. `kappa` is that of the scope in question."""

    raters: int
    target: Tally
    baseline: Tally
    binomial_p: float | Undetermined
    chi_square_p: float | Undetermined
    kappa: float | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A letter with its reason and its clauses."""

    letter: Letter
    reason: MixedReason | None
    clauses: Mapping[str, bool | Undetermined]


def decide(evidence: Evidence, decision: Decision, minimum_raters: int) -> Verdict:
    """Give the letter: every evidence has one, and only one."""
    clauses = _clauses(evidence, decision)
    if evidence.raters < minimum_raters or evidence.target.n == 0 or evidence.baseline.n == 0:
        return Verdict(letter=Letter.NOT_ASSESSABLE, reason=None, clauses=clauses)
    holds = {name: value is True for name, value in clauses.items()}
    if all(holds[name] for name in ("a1", "a2", "a3", "a4")):
        return Verdict(letter=Letter.A, reason=None, clauses=clauses)
    if all(holds[name] for name in ("b1", "b2", "b3")):
        return Verdict(letter=Letter.B, reason=None, clauses=clauses)
    return Verdict(letter=Letter.C, reason=_mixed_reason(holds), clauses=clauses)


def companion_verdict(difference: ConditionDifference, decision: Decision) -> CompanionVerdict | Undetermined:
    """Say what the crossed t shows: a difference, that there is none to speak of, both, or neither."""
    if isinstance(difference.p_one_sided, Undetermined):
        return difference.p_one_sided
    detects = difference.p_one_sided < decision.alpha
    margin, bounds = decision.difference_margin, difference.difference_90_interval
    small = isinstance(bounds, Interval) and bounds.within(-margin, margin)
    if detects:
        return CompanionVerdict.BELOW_MARGIN if small else CompanionVerdict.DETECTS
    return CompanionVerdict.EQUIVALENT if small else CompanionVerdict.INCONCLUSIVE


def share_above(count: int, n: int, threshold: float) -> bool:
    """Compare a share with a threshold exactly: 60 of 100 is not above 0.60.

    >>> share_above(60, 100, 0.60), share_above(61, 100, 0.60)
    (False, True)
    """
    return Fraction(count, n) > exact(threshold)


def exact(threshold: float) -> Fraction:
    """Give the number that was written down: 0.6 is 3/5, not the nearest binary fraction.

    >>> exact(0.6)
    Fraction(3, 5)
    """
    return Fraction(repr(threshold))


def _clauses(evidence: Evidence, decision: Decision) -> dict[str, bool | Undetermined]:
    target, baseline, kappa, p = evidence.target, evidence.baseline, evidence.kappa, evidence.chi_square_p
    empty = target.n == 0 or baseline.n == 0
    nothing = Undetermined(reason="a condition has no answers")
    significant = not isinstance(p, Undetermined) and p < decision.alpha
    agreed = not isinstance(kappa, Undetermined) and kappa > decision.kappa_above
    by_chance = evidence.binomial_p
    return {
        "a1": nothing if target.n == 0 else share_above(target.right, target.n, decision.accuracy_above),
        "a2": by_chance if isinstance(by_chance, Undetermined) else by_chance < decision.alpha,
        "a3": nothing if empty else significant and target.off * baseline.n > baseline.off * target.n,
        "a4": nothing if empty else agreed,
        "b1": nothing if empty else all(_near_chance(tally, decision) for tally in (target, baseline)),
        "b2": nothing if empty else not significant,
        "b3": nothing if empty else not agreed,
    }


def _near_chance(tally: Tally, decision: Decision) -> bool:
    return exact(decision.chance_low) <= Fraction(tally.right, tally.n) <= exact(decision.chance_high)


def _mixed_reason(holds: Mapping[str, bool]) -> MixedReason:
    if holds["a1"] and holds["a2"] and holds["a3"]:
        return MixedReason.ONLY_AGREEMENT_FAILS
    if holds["a3"] and not holds["a1"]:
        return MixedReason.CONSERVATIVE_CRITERION
    if holds["b2"] and not holds["b1"]:
        return MixedReason.RESPONSE_BIAS
    return MixedReason.REST
