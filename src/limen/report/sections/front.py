"""The first screen: the question, the answer, the two rates and how many people, for a reader from outside."""

from collections.abc import Iterator, Mapping

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.findings import Analysis, StudyCondition
from limen.core.numerals import counted
from limen.core.outcome import Letter, MixedReason
from limen.core.protocol import LIMENS_LEXICON, NOT_THE_PROTOCOLS, ConditionRole
from limen.report.document import Bar, Front, Rate
from limen.report.phrasing import OFF, SIMULATED, Roles, key_of, possible_difference, raters_are, scope_in_words
from limen.report.sections.together import reconcile

_MODES: Mapping[str | None, str] = {
    SIMULATED: "Simulated data: these answers come from simulated raters, not from people.",
    "pilot": "Pilot data: collected to try the study out, not to answer its question.",
    "preview": "Preview: these answers were given while looking the study over.",
}

_COMPANION = "the companion: the same question asked so that it holds for other raters and other pairs"
_STANDINGS = {
    LIMENS_LEXICON: "the bounds are the protocol's, but drift was counted with Limen's own list of words, so a reply "
    "might have fallen into another condition by the protocol's own measure",
    NOT_THE_PROTOCOLS: "drift was measured on another scale than the protocol's bounds were made for",
}


def make_front(analysis: Analysis) -> Front:
    """Say what a reader must know in one look."""
    roles, outcome, study = Roles.of(analysis.study), analysis.outcome, analysis.study
    return Front(
        notices=tuple(_notices(analysis)),
        study=f"{study.protocol} · {study.title} · version {study.version}",
        question="Do people notice when an AI no longer sounds like itself?",
        task=_task(analysis, roles),
        outcome="Not assessable" if outcome.letter is Letter.NOT_ASSESSABLE else f"Outcome {outcome.letter}",
        title="" if outcome.letter is Letter.NOT_ASSESSABLE else outcome.title,
        answer=_answer(analysis),
        together=reconcile(analysis),
        surely=_surely(analysis),
        rates=tuple(_rate(analysis, condition) for condition in (roles.target, roles.baseline)),
        difference=_difference(analysis),
        people=notation.count(analysis.n.analyzed),
        people_says=_people(analysis),
    )


def _notices(analysis: Analysis) -> Iterator[str]:
    study = analysis.study
    if study.mode in _MODES:
        yield _MODES[study.mode]
    if study.metric is None:
        yield "The data do not name the metric of drift, so whether these are the protocol's conditions is not known."
    elif study.metric_standing:
        meaning = _STANDINGS.get(study.metric_standing)
        plainly = f": {meaning}" if meaning else ""
        yield f"How drift was measured: {study.metric} ({study.metric_standing}){plainly}."
    keys = [setting.key for setting in analysis.settings]
    if any(key.startswith("conditions.") and ".drift" in key for key in keys):
        yield "The drift ranges are not the built-in protocol's: not the protocol's condition."
    if any(key.startswith("decision.") for key in keys):
        yield "The numbers by which the outcome is decided are not the built-in protocol's; see the settings."


def _task(analysis: Analysis, roles: Roles) -> str:
    who = raters_are(analysis).capitalize()
    return (
        f"{who} judged pairs of replies from one AI conversation, an early one and a later one: does the later one "
        f"sound NORMAL, or is {OFF}? In {roles.target.name} pairs the later reply had drifted far from how the "
        f"conversation began (drift {roles.target.drift}), in {roles.baseline.name} pairs hardly "
        f"({roles.baseline.drift}). Nobody was told which was which."
    )


def _answer(analysis: Analysis) -> str:
    outcome = analysis.outcome
    if outcome.letter is Letter.NOT_ASSESSABLE:
        return f"Too early to tell. {outcome.reason_sentence}"
    who, decision = raters_are(analysis), analysis.protocol.decision
    scope = scope_in_words(analysis, outcome.agreement_scope)
    words = {
        "A": f"Yes, these {who} noticed. They called far-drifted replies off more often than others, more often than "
        "chance would have it, and agreed among themselves as far as the protocol asks.",
        "B": f"Not that these answers show. The {who} did about as well as by tossing a coin, no difference between "
        "the two kinds of replies was shown, and they agreed among themselves no more than Outcome B allows.",
        MixedReason.ONLY_AGREEMENT_FAILS: f"Partly. As a group these {who} called far-drifted replies off more often "
        f"than others; over {scope} they agreed among themselves less than a full yes asks for.",
        MixedReason.CONSERVATIVE_CRITERION: f"Partly. These {who} called far-drifted replies off more often than "
        f"others, but in no more than {notation.percent(decision.accuracy_above)} of cases.",
        MixedReason.RESPONSE_BIAS: f"Not shown. These {who} called both kinds of replies off about equally often, and "
        "leaned towards one answer.",
        MixedReason.REST: f"The answers point in different directions. {outcome.reason_sentence}",
    }
    return words[outcome.reason or outcome.letter.value]


def _surely(analysis: Analysis) -> str:
    verdict = analysis.outcome.companion_verdict
    if analysis.outcome.letter is Letter.NOT_ASSESSABLE:
        return "What stands below describes the answers so far; nothing is decided by them."
    said = f"cannot be told, {verdict.reason}" if isinstance(verdict, Undetermined) else verdict.value
    return f"Companion verdict: {said} ({_COMPANION})."


def _difference(analysis: Analysis) -> str:
    """Give the difference of the two rates with its interval, raters and pairs as samples."""
    found = analysis.companions.crossed_t.difference.difference
    if isinstance(found, Undetermined):
        return f"Difference of the two rates: {notation.undetermined(found)}."
    said = f"Difference of the two rates: {notation.points(found.value)}"
    if isinstance(found.interval, Undetermined):
        return f"{said}. The interval is {notation.undetermined(found.interval)}."
    bounds = possible_difference(found.interval)
    low, high = notation.points(bounds.low).removesuffix(" points"), notation.points(bounds.high)
    return f"{said}; with other raters and pairs, plausibly {low} to {high} (95 % interval)."


def _rate(analysis: Analysis, condition: StudyCondition) -> Rate:
    counts = analysis.as_specified.conditions[key_of(condition)]
    found = analysis.companions.rates[key_of(condition)].off_rate
    bounds = found.interval if isinstance(found, Estimate) else found
    share = counts.off / counts.n if counts.n else None
    is_target = condition.role is ConditionRole.TARGET
    far = "drifted far" if is_target else "hardly drifted"
    says = f"{notation.count(counts.off)} of {counted(counts.n, 'answer')} said {OFF}."
    if isinstance(bounds, Interval):
        says += f" With other raters and pairs, plausibly {notation.percent(bounds.low)} to "
        says += f"{notation.percent(bounds.high)} (95 % interval)."
    else:
        says += f" The interval is {notation.undetermined(bounds)}."
    return Rate(
        condition=condition.name,
        what=f"the later reply had {far} (drift {condition.drift})",
        figure=notation.percent(share) if share is not None else "–",
        says=says,
        bar=Bar(
            value=share,
            low=bounds.low,
            high=bounds.high,
            chance=analysis.protocol.decision.chance if is_target else None,
        )
        if share is not None and isinstance(bounds, Interval)
        else None,
    )


def _people(analysis: Analysis) -> str:
    n, who = analysis.n, raters_are(analysis)
    left = (
        f"{counted(n.excluded, 'was', 'were')} left out by the declared rules" if n.excluded else "nobody was left out"
    )
    return (
        f"{who} analyzed, of {notation.count(n.started)} who started; {left}. The protocol aims at "
        f"{notation.count(n.target)} and needs at least {notation.count(n.minimum)}."
    )
