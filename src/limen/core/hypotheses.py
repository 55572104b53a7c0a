"""The protocol's hypotheses, answered clause by clause: true, false or undetermined."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.proportions import exact_binomial
from limen.core.criteria import Decision
from limen.core.estimation import key_of
from limen.core.measures import AsSpecified, Companions, Number
from limen.core.outcome import Evidence, Letter, Verdict, exact
from limen.core.protocol import Protocol
from limen.core.sample import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseWords:
    """What a clause asks, and what was found."""

    asks: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A hypothesis. It is met if all its clauses are, and not met as soon as one is not.

    Where the outcome is not assessable it is neither, whatever the clauses say of the answers so far.
    """

    title: str
    met: bool | Undetermined
    clauses: Mapping[str, bool | Undetermined]
    words: Mapping[str, ClauseWords]
    remark: str = ""  # what a reader must know with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypotheses:
    """The three hypotheses of the protocol."""

    h1: Hypothesis
    h2: Hypothesis
    h3: Hypothesis


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    met: bool | Undetermined
    asks: str
    found: str


def answer_hypotheses(
    sample: Sample, found: AsSpecified, beside: Companions, verdict: Verdict, evidence: Evidence, protocol: Protocol
) -> Hypotheses:
    """Answer all three from the numbers as specified; none is met or not met where no outcome can be told."""
    decision = protocol.decision
    answers = Hypotheses(
        h1=_extreme_detection(sample, found, beside, verdict, evidence, decision),
        h2=_baseline_ceiling(sample, beside, evidence, decision),
        h3=_agreement(sample, found, decision),
    )
    if verdict.letter is not Letter.NOT_ASSESSABLE:
        return answers
    too_few = evidence.raters < protocol.study.minimum_raters
    reason = f"fewer than {protocol.study.minimum_raters} raters" if too_few else "a condition has no answers"
    open_ = Undetermined(reason=reason)
    return Hypotheses(
        h1=replace(answers.h1, met=open_), h2=replace(answers.h2, met=open_), h3=replace(answers.h3, met=open_)
    )


def all_of(clauses: Mapping[str, bool | Undetermined]) -> bool | Undetermined:
    """Join clauses: one that fails decides; otherwise one that cannot be told leaves the whole untold."""
    if any(value is False for value in clauses.values()):
        return False
    return next((value for value in clauses.values() if isinstance(value, Undetermined)), True)


def _extreme_detection(
    sample: Sample, found: AsSpecified, beside: Companions, verdict: Verdict, evidence: Evidence, decision: Decision
) -> Hypothesis:
    target, baseline = evidence.target, evidence.baseline
    p = found.chi_square.p
    gap = beside.two_by_two.accuracy_difference
    return _hypothesis(
        "Extreme detection (primary)",
        {
            "a1": _Clause(
                met=verdict.clauses["a1"],
                asks=f"{sample.target.name} accuracy above {notation.percent(decision.accuracy_above)}",
                found=notation.percent_of(target.right, target.n),
            ),
            "a2": _Clause(
                met=verdict.clauses["a2"],
                asks=f"above chance ({notation.percent(decision.chance)}): binomial p < {decision.alpha:g}",
                found=notation.p_value(found.binomial.p),
            ),
            "a3": _Clause(
                met=p if isinstance(p, Undetermined) else verdict.clauses["a3"],
                asks=f"SOMETHING'S OFF more often than in {sample.baseline.name}: chi-square p < {decision.alpha:g}",
                found=f"{notation.percent_of(target.off, target.n)} against "
                f"{notation.percent_of(baseline.off, baseline.n)}; {notation.p_value(p)}",
            ),
        },
        remark=f'"Different from baseline accuracy" is judged on the responses. The difference of the accuracies, '
        f"{sample.target.name} − {sample.baseline.name}, is {notation.points(gap)}; raters who are always right "
        "would show none.",
    )


def _baseline_ceiling(sample: Sample, beside: Companions, evidence: Evidence, decision: Decision) -> Hypothesis:
    tally, name = evidence.baseline, sample.baseline.name
    test = exact_binomial(tally.right, tally.n, probability=decision.chance, alternative="two-sided")
    p: Number = test if isinstance(test, Undetermined) else test.p
    near: bool | Undetermined = Undetermined(reason=f"there are no answers to {name} pairs")
    if tally.n:
        near = exact(decision.chance_low) <= Fraction(tally.right, tally.n) <= exact(decision.chance_high)
    low, high = notation.percent(decision.chance_low), notation.percent(decision.chance_high)
    between, along = beside.pattern.cochran_q.p, beside.pattern.trend.p
    change = notation.points(beside.pattern.off_rate_change_per_trial, 1)
    return _hypothesis(
        "Baseline ceiling (secondary)",
        {
            "accuracy_near_chance": _Clause(
                met=near, asks=f"{name} accuracy from {low} to {high}", found=notation.percent_of(tally.right, tally.n)
            ),
            "not_different_from_chance": _Clause(
                met=_not_significant(p, decision),
                asks=f"two-sided binomial p ≥ {decision.alpha:g}",
                found=notation.p_value(p),
            ),
            "no_pattern_between_pairs": _Clause(
                met=_not_significant(between, decision),
                asks=f"the {name} pairs have one OFF rate: Cochran's Q p ≥ {decision.alpha:g}",
                found=notation.p_value(between),
            ),
            "no_trend_over_trials": _Clause(
                met=_not_significant(along, decision),
                asks=f"the OFF rate does not move with the trial number: p ≥ {decision.alpha:g}",
                found=f"{change} a trial; {notation.p_value(along)}",
            ),
        },
        remark=f"No pair without drift was shown, and someone who notices nothing says NORMAL: so this study estimates "
        f"the OFF rate on {name} pairs but cannot test whether baseline drift is detected.",
    )


def _agreement(sample: Sample, found: AsSpecified, decision: Decision) -> Hypothesis:
    high, low = (found.fleiss_kappa[key_of(condition)] for condition in (sample.target, sample.baseline))
    target, baseline = sample.target.name, sample.baseline.name
    return _hypothesis(
        "Inter-rater agreement",
        {
            "kappa_above_threshold": _Clause(
                met=high if isinstance(high, Undetermined) else high > decision.kappa_above,
                asks=f"Fleiss κ above {decision.kappa_above:.2f} for {target} pairs",
                found=notation.kappa(high),
            ),
            "lower_for_baseline": _Clause(
                met=_lower(low, high),
                asks=f"κ lower for {baseline} than for {target} pairs",
                found=f"{notation.kappa(low)} against {notation.kappa(high)}",
            ),
        },
    )


def _lower(kappa: Number, than: Number) -> bool | Undetermined:
    if isinstance(than, Undetermined):
        return than
    return kappa if isinstance(kappa, Undetermined) else kappa < than


def _not_significant(p: Number, decision: Decision) -> bool | Undetermined:
    return p if isinstance(p, Undetermined) else p >= decision.alpha


def _hypothesis(title: str, clauses: Mapping[str, _Clause], remark: str = "") -> Hypothesis:
    answers = {name: clause.met for name, clause in clauses.items()}
    return Hypothesis(
        title=title,
        met=all_of(answers),
        clauses=answers,
        words={name: ClauseWords(asks=clause.asks, found=clause.found) for name, clause in clauses.items()},
        remark=remark,
    )
