"""The letter and the companion verdict in one sentence, so that a reader knows what to believe of each."""

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.conclusion import FEW_RATERS
from limen.core.criteria import Scope
from limen.core.findings import Analysis
from limen.core.measures import ALL_PAIRS
from limen.core.outcome import CompanionVerdict, Letter, MixedReason
from limen.report.phrasing import Roles, key_of, scope_in_words


def reconcile(analysis: Analysis) -> str:
    """Say why the letter is what it is, and what the companion adds to it; nothing where there is no letter."""
    outcome = analysis.outcome
    if outcome.letter is Letter.NOT_ASSESSABLE:
        return ""
    return f"{outcome.letter}, because {_why(analysis)}; {_beside(analysis)}."


def _why(analysis: Analysis) -> str:
    outcome, roles, asked = analysis.outcome, Roles.of(analysis.study), _asked(analysis)
    accuracy = notation.percent(analysis.as_specified.conditions[key_of(roles.target)].accuracy)
    near, much, little = _near_chance(analysis), _agreement(analysis, above=True), _agreement(analysis, above=False)
    reasons = {
        Letter.A: f"{roles.target.name} accuracy ({accuracy}) is above {asked} and above chance, the chi-square shows "
        f"a difference and {much}",
        Letter.B: f"both accuracies are {near}, no difference is shown and {little}",
        MixedReason.ONLY_AGREEMENT_FAILS: little,
        MixedReason.CONSERVATIVE_CRITERION: f"{roles.target.name} pairs were called off {accuracy} of the time, not "
        f"above {asked}",
        MixedReason.RESPONSE_BIAS: f"the chi-square shows no difference, yet an accuracy is not {near}",
    }
    return reasons.get(outcome.reason or outcome.letter) or _why_the_rest(analysis)


def _why_the_rest(analysis: Analysis) -> str:
    clauses, roles = analysis.outcome.clauses, Roles.of(analysis.study)
    if clauses["b1"] is True and clauses["b2"] is True:
        near, much = _near_chance(analysis), _agreement(analysis, above=True)
        return f"both accuracies are {near} and no difference is shown, yet {much}"
    if clauses["a3"] is True:
        return f"{roles.target.name} accuracy is above {_asked(analysis)}, but not significantly above chance"
    return f"{roles.baseline.name} pairs were called off more often, the wrong way round"


def _asked(analysis: Analysis) -> str:
    return notation.percent(analysis.protocol.decision.accuracy_above)


def _near_chance(analysis: Analysis) -> str:
    decision = analysis.protocol.decision
    return f"within {notation.percent(decision.chance_low)} to {notation.percent(decision.chance_high)}"


def _agreement(analysis: Analysis, *, above: bool) -> str:
    outcome, decision = analysis.outcome, analysis.protocol.decision
    key = key_of(Roles.of(analysis.study).target) if outcome.agreement_scope is Scope.TARGET else ALL_PAIRS
    kappa, pairs = analysis.as_specified.fleiss_kappa[key], scope_in_words(analysis, outcome.agreement_scope)
    if isinstance(kappa, Undetermined):
        return f"agreement (Fleiss κ over {pairs}) is undefined"
    level = notation.kappa(decision.kappa_above)
    return f"agreement (Fleiss κ {notation.kappa(kappa)} over {pairs}) is {'' if above else 'not '}above {level}"


def _beside(analysis: Analysis) -> str:
    outcome = analysis.outcome
    verdict, margin = outcome.companion_verdict, _margin(analysis)
    if isinstance(verdict, Undetermined):
        return "whether the difference holds for other raters and other pairs cannot be told"
    shown = outcome.clauses["a3"] is True
    if verdict is CompanionVerdict.DETECTS:
        return (
            "the difference itself holds up"
            if shown
            else "the companion, which keeps raters and pairs apart, does find a difference"
        )
    if verdict is CompanionVerdict.BELOW_MARGIN:
        found = "the difference itself holds up" if shown else "the companion does find a difference"
        return f"{found}, but it is smaller than {margin}"
    if verdict is CompanionVerdict.EQUIVALENT:
        substance = f"{_in_substance(analysis)}: " if outcome.reason is MixedReason.RESPONSE_BIAS else ""
        return f"{substance}any difference is smaller than {margin}"
    if shown:
        return "whether the difference would hold for other raters and other pairs is not settled"
    return "this does not show that there is no difference"


def _in_substance(analysis: Analysis) -> str:
    few = analysis.n.analyzed <= FEW_RATERS
    return f"in substance this {'suggests, and does not establish,' if few else 'is'} Outcome B"


def _margin(analysis: Analysis) -> str:
    return notation.points(analysis.protocol.decision.difference_margin).lstrip("+")
