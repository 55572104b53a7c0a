"""A participant's way through the study as values: the session and its answers."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from limen.core.judgment import Judgment


class Mode(StrEnum):
    """What a session is for. Modes are never pooled."""

    LIVE = "live"
    PILOT = "pilot"
    PREVIEW = "preview"
    SIMULATED = "simulated"


class Source(StrEnum):
    """Where answers came in: sent to the server one by one, or in a file of the static page."""

    SERVER = "server"
    STATIC = "static"


class Stage(StrEnum):
    """How far a session has come."""

    PRACTICE = "practice"
    TRIALS = "trials"
    DEBRIEF = "debrief"
    DONE = "done"
    STOPPED = "stopped"


class Part(StrEnum):
    """Which answers are meant: those of practice are kept apart."""

    PRACTICE = "practice"
    TRIALS = "trials"


class Screen(StrEnum):
    """The screens whose time is recorded, besides the trials."""

    CONSENT = "consent"
    SCREENING = "screening"
    INSTRUCTIONS = "instructions"
    BREAK = "break"
    STRATEGY = "strategy"
    DEMOGRAPHICS = "demographics"
    THANKS = "thanks"


class DailyCount(StrEnum):
    """What is counted per day where nothing else may be kept: before there is a session, and after a withdrawal."""

    LANDED = "landed"
    CONSENTED = "consented"
    DECLINED = "declined"
    SCREENED_OUT = "screened_out"
    WITHDRAWN = "withdrawn"
    WITHDRAWN_STARTED = "withdrawn_started"  # of those, had seen trial 1
    WITHDRAWN_FINISHED = "withdrawn_finished"  # of those, had finished


class EventKind(StrEnum):
    """What the event log of a session holds."""

    CONSENTED = "consented"
    SCREENED_IN = "screened_in"
    STARTED = "started"
    RESUMED = "resumed"
    TAKEN_OVER = "taken_over"
    FINISHED = "finished"
    STOPPED = "stopped"


class DebriefQuestion(StrEnum):
    """The optional questions after the last trial."""

    STRATEGY = "strategy"
    DEMOGRAPHICS = "demographics"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyAnswer:
    """Debrief D1: places in the list of options, from 0, and free text."""

    options: tuple[int, ...]
    other: str
    skipped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DemographicsAnswer:
    """Debrief D2: places in the lists of options, from 0; None when not answered."""

    age: int | None
    use: int | None
    skipped: bool


DebriefAnswer = StrategyAnswer | DemographicsAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """A session that is to begin. The store gives it an id."""

    mode: Mode
    number: int
    source: Source
    plan: tuple[str, ...]  # stimulus ids in the order of the trials
    practice_count: int
    stimulus_digest: str
    consent_version: str
    created: datetime
    tab: str
    token_digest: str
    withdrawal_digest: str
    held: bool = True
    request_digest: str | None = None
    sealed_token: str | None = None  # for who sends the request again
    plan_code: str | None = None  # of a sealed plan of the static page


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One participant's way through the study, without the answers themselves."""

    id: int
    mode: Mode
    number: int
    source: Source
    plan: tuple[str, ...]
    practice_count: int
    stimulus_digest: str
    consent_version: str
    created: datetime
    tab: str  # the last browser tab that held the session
    held: bool  # whether it still does
    plan_code: str | None = None
    painted: datetime | None = None  # when the server heard that trial 1 stands on the screen
    finished: datetime | None = None
    stopped: datetime | None = None
    page_task_ms: int | None = None  # the page's own monotonic time of the main task
    practiced: int = 0
    answered: int = 0
    debriefed: tuple[DebriefQuestion, ...] = ()

    @property
    def participant(self) -> str:
        """P001, P002, …"""
        return participant_code(self.number)

    @property
    def stage(self) -> Stage:
        """How far the session has come."""
        return self.stage_after(self.practiced, self.answered)

    def stage_after(self, practiced: int, answered: int) -> Stage:
        """Tell how far the session has come with so many answers."""
        if self.stopped is not None:
            return Stage.STOPPED
        if self.finished is not None:
            return Stage.DONE
        if practiced < self.practice_count:
            return Stage.PRACTICE
        return Stage.TRIALS if answered < len(self.plan) else Stage.DEBRIEF

    def time_of(self, *, arrived: datetime, claimed: datetime) -> datetime:
        """Tell when something was done: when it arrived. Only simulated raters are believed: they carry a clock."""
        return claimed if self.mode is Mode.SIMULATED else arrived

    def held_against(self, tab: str) -> bool:
        """Tell whether another tab than this one holds the session."""
        return self.held and self.tab != tab


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One stored answer. `received` is the server's clock; in static mode the page's, simulated the rater's own."""

    number: int
    stimulus_id: str
    judgment: Judgment
    received: datetime


def participant_code(number: int) -> str:
    """Give the name of a participant in files: P001, P002, …"""
    return f"P{number:03d}"


def order_stream(mode: Mode, number: int) -> str:
    """Name the stream of chance from which a participant's order of trials is drawn."""
    return f"order/{number}" if mode is Mode.LIVE else f"order/{mode}/{number}"
