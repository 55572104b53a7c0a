"""Simulated raters: who they are, and their way straight into the store. Their mode keeps them apart."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from limen.core.characters import Mixture, cast_of
from limen.core.sessions import DailyCount, Mode
from limen.core.shown import shown_stimuli
from limen.core.simulated_rater import SimulatedRater, simulate_raters
from limen.core.simulated_visit import (
    Action,
    Asks,
    Completed,
    Debriefed,
    Judged,
    Looked,
    Painted,
    Practiced,
    Step,
    steps_of,
)
from limen.errors import DataError
from limen.workflow import participate, record
from limen.workflow.answering import Recorded, Refusal, Standing, Visit, find_session
from limen.workflow.participate import Application
from limen.workflow.ports import Clock, Reading, Secrets, Store, Writing
from limen.workflow.served import ServedStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What all raters have in place of their character's own; None leaves the character as it is."""

    d_prime: float | None = None
    criterion: float | None = None
    rater_spread: float | None = None
    pair_spread: float | None = None
    lapse_rate: float | None = None
    words_per_minute: float | None = None


def raters_of(
    study: ServedStudy, mixture: Mixture, *, raters: int, first: int = 1, traits: Traits | None = None
) -> tuple[SimulatedRater, ...]:
    """Draw raters number `first` and on, of a mixture of characters, from the study seed."""
    given = traits or Traits()
    perception = {
        "d_prime": given.d_prime,
        "criterion": given.criterion,
        "d_prime_sd": given.rater_spread,
        "criterion_sd": given.rater_spread,
        "pair_sd": given.pair_spread,
        "lapse_rate": given.lapse_rate,
    }
    reading = {"words_per_minute": given.words_per_minute}
    cast = [
        replace(
            character,
            observers=replace(character.observers, **_given(perception)),
            readers=replace(character.readers, **_given(reading)),
        )
        for character in cast_of(mixture, first=first, raters=raters)
    ]
    return tuple(simulate_raters(study.protocol, shown_stimuli(study.protocol, study.stimuli), cast, first=first))


def next_rater(reading: Reading) -> int:
    """Give the number after those of the simulated raters that are stored, so that further ones are others."""
    return max((session.number for session in reading.sessions(Mode.SIMULATED)), default=0) + 1


def qualifying_answers(study: ServedStudy) -> dict[str, str]:
    """Give the answers to the screening questions that admit a participant."""
    return {question.id: str(question.qualifying) for question in study.protocol.wording.screening.questions}


def simulate_straight(
    study: ServedStudy, store: Store, clock: Clock, secrets: Secrets, raters: Iterable[SimulatedRater]
) -> Iterator[str]:
    """Let raters take the survey one after the other, without HTTP; give each participant's code once stored."""
    for rater in raters:
        work = _WholeVisit(study=study, token=secrets.token(), rater=rater, now=clock.now())
        yield store.submit(work).result()


@dataclass(frozen=True, slots=True, kw_only=True)
class _WholeVisit:
    """One rater's whole session, by the same use cases as over HTTP, as one piece of work for the store."""

    study: ServedStudy
    token: str
    rater: SimulatedRater
    now: datetime

    def __call__(self, desk: Writing) -> str:
        visit = Visit(token=self.token, tab="simulated", now=self.now)
        for what in (DailyCount.LANDED, DailyCount.CONSENTED):
            record.count_visitor(desk, Mode.SIMULATED, what, self.now)
        application = Application(
            mode=Mode.SIMULATED,
            consent_version=self.study.blinded.consent_version,
            screening=qualifying_answers(self.study),
        )
        _refuse_refusal(participate.begin(desk, self.study, visit, application))
        session = find_session(desk, self.token)
        if isinstance(session, Refusal):
            raise DataError(f"a simulated rater was not admitted: {session.detail}")
        steps = steps_of(self.rater, self.study.blinded)
        step: Step | None = next(steps)
        while step is not None:
            if isinstance(step, Asks):
                step = steps.send(session.plan[step.number - 1])
            else:
                _refuse_refusal(self._take(desk, visit, step))
                step = next(steps, None)
        participate.release_lease(desk, visit)
        return session.participant

    def _take(self, desk: Writing, visit: Visit, step: Action) -> Recorded | Standing | Refusal:
        match step:
            case Looked():
                return record.note_screen(desk, visit, step.screen, step.visible_ms)
            case Practiced():
                return record.record_practice(desk, visit, step.number, step.judgment)
            case Painted():
                return record.note_painted(desk, visit, step.at)
            case Judged():
                return record.record_trial(desk, visit, step.number, step.judgment)
            case Debriefed():
                return record.record_debrief(desk, self.study, visit, step.question, step.answer)
            case Completed():
                return participate.complete(desk, visit, step.main_task_ms)


def _refuse_refusal(result: object) -> None:
    if isinstance(result, Refusal | participate.NotQualified):
        reason = result.detail if isinstance(result, Refusal) else "it does not qualify"
        raise DataError(f"a simulated rater could not go on: {reason}")


def _given(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
