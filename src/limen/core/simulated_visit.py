"""What a simulated rater does, step by step, as the page has it; how the steps travel is for others to say."""

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime, timedelta

from limen.core.blinding import BlindedStudy
from limen.core.judgment import Judgment
from limen.core.sessions import DebriefAnswer, DebriefQuestion, Screen
from limen.core.simulated_rater import SimulatedAnswer, SimulatedRater

BETWEEN_SCREENS = timedelta(milliseconds=400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A screen was read."""

    screen: Screen
    visible_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Practiced:
    """A practice trial was answered."""

    number: int
    judgment: Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class Painted:
    """Trial 1 stands on the screen."""

    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """The rater wants to see a trial; it is to be sent the id of the stimulus that is shown there."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A trial was answered."""

    number: int
    judgment: Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class Debriefed:
    """A question at the end was answered, or skipped."""

    question: DebriefQuestion
    answer: DebriefAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Everything was done; the main task took so long by the rater's own clock."""

    main_task_ms: int


Action = Looked | Practiced | Painted | Judged | Debriefed | Completed
Step = Action | Asks


def steps_of(rater: SimulatedRater, study: BlindedStudy) -> Generator[Step, str, None]:
    """Give the steps of a rater who was admitted, from consent to the end; `Asks` is answered with a stimulus id."""
    clock = _OwnClock(rater.begins)

    def look(screen: Screen) -> Looked:
        return Looked(screen=screen, visible_ms=clock.look(rater.screens[screen]))

    for screen in (Screen.CONSENT, Screen.SCREENING, Screen.INSTRUCTIONS):
        yield look(screen)
    for number, answer in enumerate(rater.practice, 1):
        yield Practiced(number=number, judgment=clock.judge(answer))
    main_task_ms = 0
    for number in range(1, study.trial_count + 1):
        if 0 < study.break_after == number - 1:
            rest = look(Screen.BREAK)
            main_task_ms += rest.visible_ms
            yield rest
        stimulus_id = yield Asks(number=number)
        if number == 1:
            yield Painted(at=clock.now)
        judgment = clock.judge(rater.answers[stimulus_id])
        main_task_ms += judgment.page_ms
        yield Judged(number=number, judgment=judgment)
    yield look(Screen.STRATEGY)
    yield Debriefed(question=DebriefQuestion.STRATEGY, answer=rater.strategy)
    yield look(Screen.DEMOGRAPHICS)
    yield Debriefed(question=DebriefQuestion.DEMOGRAPHICS, answer=rater.demographics)
    yield Completed(main_task_ms=main_task_ms)


@dataclass(slots=True)
class _OwnClock:
    """The clock that a simulated rater carries: it goes on by what the rater claims to take."""

    now: datetime

    def look(self, visible_ms: int) -> int:
        self.now += timedelta(milliseconds=visible_ms) + BETWEEN_SCREENS
        return visible_ms

    def judge(self, answer: SimulatedAnswer) -> Judgment:
        judgment = answer.judged(self.now)
        self.now = judgment.client_time + BETWEEN_SCREENS
        return judgment
