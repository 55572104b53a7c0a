"""Everything that crosses between the page and the server, or between the static page and `limen collect`.

The page's types are made from this file. A field added here is a decision about the study.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from limen.core.blinding import BlindedStudy
from limen.core.judgment import InputKind, Response

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=30 * 24 * 3600 * 1000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
ClientTime = Annotated[str, msgspec.Meta(max_length=40, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$")]
Opaque = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$(?!\n)")]
Request = Annotated[str, msgspec.Meta(min_length=22, max_length=64, pattern=r"^[A-Za-z0-9_-]+$(?!\n)")]  # 128 bits
FreeText = Annotated[str, msgspec.Meta(max_length=2000, pattern=r"^[^\x00]*$")]  # a NUL no database takes


class Stage(StrEnum):
    """How far a session has come, as the server sees it."""

    PRACTICE = "practice"
    TRIALS = "trials"
    DEBRIEF = "debrief"
    DONE = "done"
    STOPPED = "stopped"


class DailyCount(StrEnum):
    """What is counted per day before there is a session; nothing else is kept of those people."""

    LANDED = "landed"
    CONSENTED = "consented"
    DECLINED = "declined"
    SCREENED_OUT = "screened_out"


def encode(message: object) -> bytes:
    """Give a message as JSON, its fields in their order."""
    return msgspec.json.encode(message)


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all messages have in common: unknown fields are refused."""


# ---- from the server to the page ------------------------------------------------------------------------


class TrialMessage(_Message, frozen=True, kw_only=True):
    """One trial. `pad` makes its length tell nothing: bytes minus the three texts are one constant."""

    token: str
    context: str
    response_a: str
    response_b: str
    pad: str


class SessionState(_Message, frozen=True, kw_only=True):
    """Where a session stands. The order and the next trial belong to the server."""

    stage: Stage
    next_practice: int  # the number of the next practice trial, one past the last when done
    next_trial: int  # the number of the next trial, one past the last when done
    debrief_done: tuple[str, ...]
    lease: bool  # whether the asking tab holds the session
    completion_code: str | None  # only when every row is stored
    withdrawal_code: str | None


class SessionCreated(_Message, frozen=True, kw_only=True):
    """A new session, for those who qualify."""

    token: str
    state: SessionState


class ScreenedOut(_Message, frozen=True, kw_only=True):
    """The answer to those who do not qualify. Nothing of them is kept but a count."""

    screened_out: Literal[True]


class Boot(_Message, frozen=True, kw_only=True):
    """What the page finds in its placeholder when a server serves it."""

    kind: Literal["server"]
    api: str
    mode: Literal["live", "pilot", "preview", "simulated"]
    study: BlindedStudy


class StaticPlan(_Message, frozen=True, kw_only=True):
    """One sealed plan of the static page."""

    code: str
    trials: tuple[TrialMessage, ...]


class StaticBoot(_Message, frozen=True, kw_only=True):
    """What the page finds in its placeholder when it is one file on disk."""

    kind: Literal["static"]
    study_id: str  # opaque: tells `limen collect` that answers belong to this export
    mode: Literal["live", "pilot"]
    study: BlindedStudy
    qualifying: dict[str, Literal["yes", "no"]]
    plans: tuple[StaticPlan, ...]


class Problem(_Message, frozen=True, kw_only=True):
    """An error, as RFC 9457 has it, with what the page needs to put itself right."""

    type: str  # "about:blank#out-of-order" and the like: stable, for machines
    title: str
    status: int
    detail: str
    expected: int | None = None  # the trial number that the server waits for
    stored: Response | None = None  # the answer that is stored already


# ---- from the page to the server ------------------------------------------------------------------------


class Viewport(_Message, frozen=True, kw_only=True):
    """How large the window was."""

    width: Count
    height: Count


class Attempt(_Message, frozen=True, kw_only=True):
    """One showing of a trial: a reload begins another."""

    visible_ms: Milliseconds
    hidden_ms: Milliseconds  # idle gaps: away from the page
    started: ClientTime


class Answer(_Message, frozen=True, kw_only=True):
    """A judgment as the page sends it. `response_time_ms` is visible time over all attempts, by the monotonic clock."""

    response: Response
    response_time_ms: Milliseconds
    client_time: ClientTime
    queued_offline: bool
    attempts: Annotated[tuple[Attempt, ...], msgspec.Meta(min_length=1, max_length=1000)]
    focus_losses: Count
    focus_lost_ms: Milliseconds
    copies: Count
    b_seen: Share
    input: InputKind
    viewport: Viewport
    tab: Opaque


class NewSession(_Message, frozen=True, kw_only=True):
    """Consent given and screening answered."""

    consent_version: Annotated[str, msgspec.Meta(max_length=64)]
    screening: Annotated[dict[str, Literal["yes", "no"]], msgspec.Meta(max_length=50)]
    tab: Opaque
    request: Request | None = None  # random; the same when this message is sent again, so that it begins one session


class Painted(_Message, frozen=True, kw_only=True):
    """Trial 1 stands on the screen; the server stamps it on arrival."""

    client_time: ClientTime
    tab: Opaque


class ScreenTime(_Message, frozen=True, kw_only=True):
    """How long a screen was visible."""

    visible_ms: Milliseconds
    tab: Opaque


class Strategy(_Message, frozen=True, kw_only=True):
    """Debrief D1; both empty when skipped."""

    options: Annotated[tuple[Count, ...], msgspec.Meta(max_length=50)]
    other: FreeText
    skipped: bool
    tab: Opaque


class Demographics(_Message, frozen=True, kw_only=True):
    """Debrief D2; None when not answered."""

    age: Count | None
    use: Count | None
    skipped: bool
    tab: Opaque


class Comment(_Message, frozen=True, kw_only=True):
    """What a pilot participant wants to say."""

    text: FreeText
    tab: Opaque


class Lease(_Message, frozen=True, kw_only=True):
    """A tab asks to hold the session; `take_over` takes it from another tab."""

    tab: Opaque
    take_over: bool


class Completion(_Message, frozen=True, kw_only=True):
    """Everything was sent; `main_task_ms` is the page's own monotonic time from trial 1 painted to the last answer."""

    tab: Opaque | None = None
    main_task_ms: Milliseconds | None = None


class Stop(_Message, frozen=True, kw_only=True):
    """Stopping early, with the answers kept or deleted."""

    keep: bool
    tab: Opaque


class Counted(_Message, frozen=True, kw_only=True):
    """One to be added to a day's count."""

    what: DailyCount


# ---- the file that the static page saves ----------------------------------------------------------------


class StaticAnswer(_Message, frozen=True, kw_only=True):
    """An answer with the token of its trial."""

    number: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    token: Opaque
    answer: Answer


class StaticResponses(_Message, frozen=True, kw_only=True):
    """responses_<code or id>.json."""

    schema: Literal["limen.responses/1"]
    study_id: Opaque
    response_id: Opaque
    code: Opaque
    consent_version: Annotated[str, msgspec.Meta(max_length=64)]
    screening: Annotated[dict[str, Literal["yes", "no"]], msgspec.Meta(max_length=50)]
    started: ClientTime
    finished: ClientTime | None
    main_task_ms: Milliseconds | None  # the page's own monotonic sum from trial 1 painted to the last answer
    practice: Annotated[tuple[StaticAnswer, ...], msgspec.Meta(max_length=100)]
    trials: Annotated[tuple[StaticAnswer, ...], msgspec.Meta(max_length=10_000)]
    strategy: Strategy | None
    demographics: Demographics | None
    screens: Annotated[dict[str, Milliseconds], msgspec.Meta(max_length=100)]
    comment: Comment | None = None  # of a pilot
