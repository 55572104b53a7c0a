"""The outcome in words: its reason, the protocol's own interpretation as a quotation, and what the data support."""

from collections.abc import Mapping

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.estimation import evidence_for, other_scope
from limen.core.measures import AsSpecified, Companions
from limen.core.outcome import (
    CompanionVerdict,
    Evidence,
    Letter,
    MixedReason,
    Outcome,
    Verdict,
    companion_verdict,
    decide,
)
from limen.core.protocol import ConditionRole, Protocol
from limen.core.sample import Sample
from limen.core.sampled import sampled_drift

FEW_RATERS = 10
"""Up to so many raters, Outcome B, or C3 that is B in substance, can only be suggested."""

_SPREADS = "10 pairs a condition; rater and item SD 0.7 logits, slope SD 0.4 on a ±1 contrast"

CAVEATS = {
    "h1": "Accuracy mixes noticing with readiness: in simulation, raters with d′ = 0 who say SOMETHING'S OFF 65 % of "
    f"the time meet H1 in 72–83 % of studies (10 to 50 raters, {_SPREADS}).",
    "chi_square": "The chi-square takes all answers as independent, which answers of the same raters to the same pairs "
    "are not: in simulation its real alpha is 16 % at 10 raters and 65 % at 200 "
    f"({_SPREADS}).",
    "kappa": "A κ above 0.40 on ten target pairs is rare whatever people notice (at most about 0.7 % of simulated "
    f"studies; 5 to 50 raters, {_SPREADS}) unless the pairs differ strongly among themselves (item SD 2 logits, the "
    "rest the same: 20–30 %).",
}
"""What a reader must know beside a protocol number, by where it stands; simulated figures name their assumptions."""


def conclude(
    sample: Sample,
    found: AsSpecified,
    beside: Companions,
    protocol: Protocol,
    *,
    metric: str | None,
    metric_standing: str | None = None,
) -> Outcome:
    """Decide the outcome under both scopes of agreement, and say it."""
    decision, minimum = protocol.decision, protocol.study.minimum_raters
    scope = decision.agreement_scope
    evidence = evidence_for(sample, found, scope)
    verdict = decide(evidence, decision, minimum)
    other = decide(evidence_for(sample, found, other_scope(scope)), decision, minimum)
    companion = companion_verdict(beside.crossed_t.difference, decision)
    wording = protocol.outcomes.get(verdict.letter)
    return Outcome(
        letter=verdict.letter,
        reason=verdict.reason,
        clauses=verdict.clauses,
        agreement_scope=scope,
        letter_other_scope=other.letter,
        reason_other_scope=other.reason,
        companion_verdict=companion,
        title=wording.title if wording else "Not assessable",
        reason_sentence=_reason(sample, evidence, verdict, protocol, companion),
        quotation=wording.interpretation if wording else "",
        next_step=wording.next_step if wording else "",
        support=tuple(_support(sample, verdict, companion, protocol, metric, metric_standing)),
    )


def _reason(
    sample: Sample, evidence: Evidence, verdict: Verdict, protocol: Protocol, companion: CompanionVerdict | Undetermined
) -> str:
    if verdict.letter is Letter.NOT_ASSESSABLE:
        return _what_is_missing(sample, evidence, protocol)
    if verdict.reason is None:
        return ""
    target, baseline, decision = sample.target.name, sample.baseline.name, protocol.decision
    threshold = notation.percent(decision.accuracy_above)
    if verdict.reason is MixedReason.ONLY_AGREEMENT_FAILS:
        return (
            f"{target} pairs are recognized, above chance and more often than {baseline} pairs are called off, but "
            f"raters do not agree enough: Fleiss κ is not above {decision.kappa_above:.2f}."
        )
    if verdict.reason is MixedReason.CONSERVATIVE_CRITERION:
        return (
            f"SOMETHING'S OFF is said more often of {target} than of {baseline} pairs, though not of more than "
            f"{threshold} of them: real discrimination with a conservative criterion."
        )
    if verdict.reason is MixedReason.RESPONSE_BIAS:
        in_substance = (
            "In substance Outcome B: the difference is equivalent to none."
            if companion is CompanionVerdict.EQUIVALENT
            else "This does not show that there is none."
        )
        return f"No difference shown, with response bias: an accuracy lies away from chance. {in_substance}"
    return _rest(sample, verdict, threshold)


def _rest(sample: Sample, verdict: Verdict, threshold: str) -> str:
    target, baseline = sample.target.name, sample.baseline.name
    if verdict.clauses["b1"] and verdict.clauses["b2"]:
        return (
            "Both accuracies are near chance and no difference is shown, but raters agree with each other: they follow "
            "something other than the condition."
        )
    if verdict.clauses["a3"]:
        return f"{target} accuracy is above {threshold}, but not significantly above chance with this many answers."
    return f"The difference is the wrong way round: SOMETHING'S OFF is said more often of {baseline} pairs."


def _what_is_missing(sample: Sample, evidence: Evidence, protocol: Protocol) -> str:
    minimum = protocol.study.minimum_raters
    missing = []
    if evidence.raters < minimum:
        more = minimum - evidence.raters
        missing.append(
            f"{evidence.raters} of at least {minimum} raters can be analyzed; {more} more {_are(more)} needed"
        )
    missing += [
        f"there is no answer to any {condition.name} pair"
        for condition, tally in ((sample.target, evidence.target), (sample.baseline, evidence.baseline))
        if tally.n == 0
    ]
    text = "; ".join(missing)
    return f"{text[:1].upper()}{text[1:]}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _support(
    sample: Sample,
    verdict: Verdict,
    companion: CompanionVerdict | Undetermined,
    protocol: Protocol,
    metric: str | None,
    standing: str | None,
) -> list[str]:
    conditions = [c for c in protocol.conditions if sample.ratings.of_condition(c.name).pairs]
    sentences = [_companion_sentence(sample, companion, protocol)]
    if len(conditions) > 1:
        sentences.append(sampled_drift([c.drift for c in conditions], metric, standing))
    in_substance = verdict.reason is MixedReason.RESPONSE_BIAS and companion is CompanionVerdict.EQUIVALENT
    if (verdict.letter is Letter.B or in_substance) and sample.ratings.raters <= FEW_RATERS:
        sentences.append(f"With {sample.ratings.raters} raters Outcome B can be suggested, never established.")
    if any(condition.role is ConditionRole.BETWEEN for condition in conditions):
        sentences.append(f"Conditions in between are described below: {_DECIDES_NOTHING} them.")
    controls = [condition.name for condition in conditions if condition.role is ConditionRole.CONTROL]
    if controls:
        sentences.append(
            f"{' and '.join(controls)} pairs are late in their conversation and hardly drifted: what raters say of "
            f"them tells lateness from drift; {_DECIDES_NOTHING} them."
        )
    return sentences


def _companion_sentence(sample: Sample, companion: CompanionVerdict | Undetermined, protocol: Protocol) -> str:
    if isinstance(companion, Undetermined):
        return f"Whether the conditions differ, with raters and pairs as samples, is undetermined: {companion.reason}."
    margin = notation.points(protocol.decision.difference_margin).lstrip("+")
    target, baseline = sample.target.name, sample.baseline.name
    return _COMPANION_SENTENCES[companion].format(target=target, baseline=baseline, margin=margin)


_DECIDES_NOTHING = "neither a test nor the agreement of the outcome counts"

_COMPANION_SENTENCES: Mapping[CompanionVerdict, str] = {
    CompanionVerdict.DETECTS: "With raters and pairs both taken as samples, SOMETHING'S OFF is said more often of "
    "{target} than of {baseline} pairs.",
    CompanionVerdict.BELOW_MARGIN: "With raters and pairs both taken as samples, SOMETHING'S OFF is said more often of "
    "{target} than of {baseline} pairs, but the difference is smaller than {margin}.",
    CompanionVerdict.EQUIVALENT: "With raters and pairs both taken as samples, any difference between {target} and "
    "{baseline} pairs is smaller than {margin}.",
    CompanionVerdict.INCONCLUSIVE: "With raters and pairs both taken as samples, the data show neither a difference "
    "between {target} and {baseline} pairs nor that there is none beyond {margin}.",
}
