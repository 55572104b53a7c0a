"""What the use cases need from outside, as small interfaces."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from limen.core.judgment import Response
from limen.core.sessions import (
    DailyCount,
    DebriefAnswer,
    DebriefQuestion,
    Enrolment,
    EventKind,
    Mode,
    Part,
    Screen,
    Session,
    TrialRecord,
)

if TYPE_CHECKING:  # who serves answers reads no logs
    from limen.core.conversation import Conversation
    from limen.core.drift import Metric
    from limen.core.log_problems import LogProblem

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A log that was read, so that a set of pairs can name what it was made from."""

    name: str
    sha256: str
    conversations: int
    problems: int


class Logs(Protocol):
    """Conversations from outside, one at a time; reading again starts over."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """The files read so far."""
        ...

    def read(self) -> "Iterator[Conversation | LogProblem]":
        """Give every conversation and every problem."""
        ...


class Metrics(Protocol):
    """Drift metrics by name."""

    def find(self, name: str) -> "Metric":
        """Give the metric, or raise MetricError."""
        ...

    def can_compute(self, name: str) -> bool:
        """Tell whether `find` would answer."""
        ...


class Clock(Protocol):
    """The time, aware and in UTC."""

    def now(self) -> datetime:
        """Give the time."""
        ...


class Secrets(Protocol):
    """What nobody may guess, from the operating system's randomness; never from the study seed."""

    def token(self) -> str:
        """Give 128 bits as 22 characters that can stand in an address."""
        ...

    def code(self, length: int) -> str:
        """Give a short code of capitals and digits that are hard to mistake for one another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialColumns:
    """Stored trials as columns of equal length, ordered by participant and trial. Times in µs since 1970, UTC."""

    participant_number: tuple[int, ...]
    trial_number: tuple[int, ...]
    stimulus_id: tuple[str, ...]
    response: tuple[str, ...]
    response_time_ms: tuple[int, ...]
    received_us: tuple[int, ...]
    client_time_us: tuple[int, ...]
    source: tuple[str, ...]
    queued_offline: tuple[bool, ...]
    attempt: tuple[int, ...]
    page_ms: tuple[int, ...]
    focus_losses: tuple[int, ...]
    focus_lost_ms: tuple[int, ...]
    copies: tuple[int, ...]
    b_seen: tuple[float, ...]
    input: tuple[str, ...]
    viewport_width: tuple[int, ...]
    viewport_height: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A session and when something last came from it."""

    session: Session
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCount:
    """How many answers there are, and how many of them say SOMETHING'S OFF."""

    off: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestones:
    """How many sessions of a mode reached what. Withdrawn ones are not among them."""

    created: int
    started: int
    finished: int
    stopped: int
    from_files: int  # of a static page


class Overseeing(Protocol):
    """What may be asked of a running study."""

    def counts(self, mode: Mode) -> dict[DailyCount, int]:
        """Give the daily counts, summed."""
        ...

    def milestones(self, mode: Mode) -> Milestones:
        """Count how far the sessions of a mode have come."""
        ...

    def under_way(self, mode: Mode, since: datetime, limit: int) -> tuple[Heard, ...]:
        """Give unfinished sessions begun since then, the latest heard of first."""
        ...

    def comments(self, mode: Mode) -> Sequence[tuple[int, str]]:
        """Give the comments of a mode with the participants' numbers."""
        ...


class Reading(Overseeing, Protocol):
    """A consistent look at the store."""

    def session(self, token_digest: str) -> Session | None:
        """Give the session that has this token."""
        ...

    def withdrawn(self, token_digest: str) -> bool:
        """Tell whether the session that had this token was withdrawn."""
        ...

    def session_to_withdraw(self, withdrawal_digest: str) -> Session | None:
        """Give the session that this code can delete."""
        ...

    def withdrawn_by(self, withdrawal_digest: str) -> bool:
        """Tell whether a session was deleted by this code."""
        ...

    def response(self, session: Session, part: Part, number: int) -> Response | None:
        """Give the answer that is stored for a trial."""
        ...

    def records(self, session: Session, part: Part) -> tuple[TrialRecord, ...]:
        """Give a session's answers, in order."""
        ...

    def sessions(self, mode: Mode) -> tuple[Session, ...]:
        """Give the sessions of a mode, in the order of their numbers."""
        ...

    def debriefs(self, mode: Mode) -> Sequence[tuple[int, DebriefAnswer]]:
        """Give the debrief answers of a mode with the participants' numbers."""
        ...

    def stimulus_digests(self, mode: Mode) -> dict[str, int]:
        """Give the stimulus sets that the sessions of a mode were made with, and how many sessions each."""
        ...

    def answer_counts(
        self, mode: Mode, stimulus_digest: str, groups: Mapping[str, Sequence[str]]
    ) -> dict[str, AnswerCount]:
        """Count the answers to each group of stimuli, in one pass."""
        ...

    def trials(self, mode: Mode, stimulus_digest: str) -> Iterator[TrialColumns]:
        """Give all trials of a mode in chunks of columns, so that memory does not grow with the study."""
        ...


class Writing(Reading, Protocol):
    """A look at the store that can change it. What is asked here happens as a whole or not at all."""

    def next_number(self, mode: Mode) -> int:
        """Take the next participant number of a mode; a number is never given twice."""
        ...

    def enrol(self, enrolment: Enrolment) -> Session:
        """Store a new session."""
        ...

    def session_of_request(self, request_digest: str) -> Session | None:
        """Give the session that this request began."""
        ...

    def sealed_token(self, session: Session) -> str | None:
        """Give the token that only the request which began the session opens; None where there is none."""
        ...

    def add_record(self, session: Session, part: Part, record: TrialRecord) -> bool:
        """Store an answer unless there is one; tell whether it is new."""
        ...

    def note_painted(self, session: Session, at: datetime, client_time: datetime) -> bool:
        """Store when trial 1 stood on the screen unless it is known; tell whether it is new."""
        ...

    def add_screen(self, session: Session, screen: Screen, visible_ms: int, at: datetime) -> bool:
        """Store how long a screen was visible unless it is known; tell whether it is new."""
        ...

    def add_debrief(self, session: Session, question: DebriefQuestion, answer: DebriefAnswer, at: datetime) -> bool:
        """Store a debrief answer unless there is one; tell whether it is new."""
        ...

    def add_comment(self, session: Session, text: str, at: datetime) -> bool:
        """Store a comment unless there is one; tell whether it is new."""
        ...

    def add_event(self, session: Session, kind: EventKind, at: datetime) -> None:
        """Add to the event log."""
        ...

    def set_lease(self, session: Session, tab: str, *, held: bool) -> None:
        """Store which tab holds the session, or held it last."""
        ...

    def finish(self, session: Session, at: datetime, *, page_task_ms: int | None, completion_code: str | None) -> None:
        """Store that the session is finished."""
        ...

    def stop(self, session: Session, at: datetime) -> None:
        """Store that the participant stopped early and left the answers."""
        ...

    def forget(self, session: Session, on: date) -> None:
        """Delete the session with all that belongs to it; remember only digests, so that it stays deleted."""
        ...

    def count(self, mode: Mode, on: date, what: DailyCount) -> None:
        """Add one to a day's count."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterLoad:
    """What the store's writer has done since it began, and what waits for it."""

    waiting: int = 0
    written: int = 0  # pieces of work that were committed
    batches: int = 0
    busy_s: float = 0.0  # from the begin of a transaction to its commit, summed
    outages: int = 0


class Task(Protocol):
    """Work for the writer, and who is told what came of it: once, from whatever thread."""

    work: Callable[[Writing], Any]
    key: str

    def begin(self) -> bool:
        """Tell whether it is still wanted."""
        ...

    def settle(self, result: Any) -> None:
        """Hear what came of it; everything is committed and synced."""
        ...

    def fail(self, problem: BaseException) -> None:
        """Hear why nothing came of it."""
        ...


class Store(Protocol):
    """Where answers are kept. One writer; what it acknowledges is on disk."""

    def read(self, ask: Callable[[Reading], T]) -> T:
        """Ask on a connection of its own, in one consistent view."""
        ...

    def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
        """Have `work` done by the writer; the future is done once everything is committed and synced.

        Work may be done together with other work, and again after a failure: it must change nothing but what it
        is handed. `key` names what it is about, so that work on different things never waits crosswise. Raises
        StoreBusyError or StoreUnavailableError at once when it cannot be taken in.
        """
        ...

    def hand_in(self, tasks: Sequence[Task]) -> None:
        """Have tasks done as by `submit`, handed over together; those that cannot be taken in fail at once."""
        ...

    def healthy(self) -> bool:
        """Tell whether the writer can write."""
        ...

    def ended(self) -> str | None:
        """Say why the writer ended for good; None while it goes on, or tries to."""
        ...

    def load(self) -> WriterLoad:
        """Say how much the writer has to do."""
        ...
