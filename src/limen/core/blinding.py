"""What may reach the browser. A blinded trial has no field for anything else, so that nothing can leak."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

from limen.core.ordering import SessionPlan
from limen.core.protocol import PracticeTrial, Protocol
from limen.core.stimuli import StimulusSet, minutes_to_read
from limen.core.wording import (
    DebriefWording,
    InstructionsWording,
    StopWording,
    ThanksWording,
    TrialWording,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedTrial:
    """Three texts and an opaque token. Nothing tells a pair from an attention check."""

    token: str
    context: str
    response_a: str
    response_b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """What is read at a trial."""

    context: str
    response_a: str
    response_b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedPractice:
    """A practice trial; the feedback is None unless the protocol turns it on."""

    context: str
    response_a: str
    response_b: str
    feedback: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedConsent:
    """The first screen; whom to ask is its last paragraph."""

    title: str
    paragraphs: tuple[str, ...]
    agree: str
    decline: str
    declined_title: str
    declined: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedQuestion:
    """A screening question, without the answer that qualifies."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedScreening:
    """The screening screen."""

    title: str
    lead: str
    questions: tuple[BlindedQuestion, ...]
    yes: str
    no: str
    button: str
    screened_out_title: str
    screened_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedWording:
    """The words of every screen, filled in."""

    consent: BlindedConsent
    screening: BlindedScreening
    instructions: InstructionsWording
    trial: TrialWording
    debrief: DebriefWording
    thanks: ThanksWording
    stop: StopWording


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedStudy:
    """What every participant may read, the same for all: words, practice, and how many trials there are."""

    public_name: str
    wording: BlindedWording
    practice: tuple[BlindedPractice, ...]
    trial_count: int
    break_after: int
    prefetch: int
    consent_version: str  # a hash of the consent text as it is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedSession:
    """One participant's study: the words and the trials in their order."""

    study: BlindedStudy
    trials: tuple[BlindedTrial, ...]


def blind_study(protocol: Protocol, stimuli: StimulusSet) -> BlindedStudy:
    """Give what every participant may read, with the public name and the duration filled in."""
    wording = _blinded_wording(protocol, minutes=minutes_to_read(stimuli, protocol))
    consent = json.dumps(asdict(wording.consent), sort_keys=True)
    return BlindedStudy(
        public_name=protocol.study.public_name,
        wording=wording,
        practice=tuple(_practice(trial, protocol) for trial in protocol.practice),
        trial_count=len(stimuli.stimuli) + len(stimuli.checks),
        break_after=protocol.survey.break_after,
        prefetch=protocol.survey.prefetch,
        consent_version=hashlib.sha256(consent.encode()).hexdigest()[:16],
    )


def blind_session(
    study: BlindedStudy, plan: SessionPlan, stimuli: StimulusSet, token_of: Callable[[int], str]
) -> BlindedSession:
    """Give one participant's trials; `token_of` gives the opaque token of a trial number."""
    texts = shown_texts(stimuli)
    trials = [blind_trial(texts[stimulus_id], token_of(n)) for n, stimulus_id in enumerate(plan.stimulus_ids, 1)]
    return BlindedSession(study=study, trials=tuple(trials))


def blind_trial(texts: ShownTexts, token: str) -> BlindedTrial:
    """Give one trial under an opaque token."""
    return BlindedTrial(token=token, context=texts.context, response_a=texts.response_a, response_b=texts.response_b)


def shown_texts(stimuli: StimulusSet) -> Mapping[str, ShownTexts]:
    """Give what is read at a trial, by the stimulus's id, pairs and attention checks alike."""
    texts = {
        s.pair_id: ShownTexts(context=s.pair.context, response_a=s.pair.a.text, response_b=s.pair.b.text)
        for s in stimuli.stimuli
    }
    for c in stimuli.checks:
        texts[c.check_id] = ShownTexts(context=c.context, response_a=c.response_a, response_b=c.response_b)
    return texts


def _practice(trial: PracticeTrial, protocol: Protocol) -> BlindedPractice:
    labels = {"NORMAL": protocol.wording.trial.normal, "SOMETHINGS_OFF": protocol.wording.trial.off}
    answer = protocol.wording.trial.expected_answer.replace("{answer}", labels[trial.expected])
    feedback = answer.replace("{because}", trial.because)
    return BlindedPractice(
        context=trial.context,
        response_a=trial.response_a,
        response_b=trial.response_b,
        feedback=feedback if protocol.survey.practice_feedback else None,
    )


def _blinded_wording(protocol: Protocol, *, minutes: str) -> BlindedWording:
    """Fill in the public name and the duration; leave out which answers qualify and unused feedback."""

    def fill(text: str) -> str:
        return text.replace("{public_name}", protocol.study.public_name).replace("{minutes}", minutes)

    wording = protocol.wording
    consent, screening = wording.consent, wording.screening
    return BlindedWording(
        consent=BlindedConsent(
            title=consent.title,
            paragraphs=tuple(fill(text) for text in (*consent.paragraphs, consent.contact) if text),
            agree=consent.agree,
            decline=consent.decline,
            declined_title=consent.declined_title,
            declined=consent.declined,
        ),
        screening=BlindedScreening(
            title=screening.title,
            lead=fill(screening.lead),
            questions=tuple(BlindedQuestion(id=q.id, text=fill(q.text)) for q in screening.questions),
            yes=screening.yes,
            no=screening.no,
            button=screening.button,
            screened_out_title=screening.screened_out_title,
            screened_out=screening.screened_out,
        ),
        instructions=wording.instructions,
        trial=replace(wording.trial, expected_answer=""),
        debrief=wording.debrief,
        thanks=wording.thanks,
        stop=wording.stop,
    )
