"""What a use case of the survey answers with: where the session stands now, or why not."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from limen.core.judgment import Response
from limen.core.sessions import Part, Session, Stage
from limen.core.tokens import completion_code, token_digest, withdrawal_code
from limen.workflow.ports import Reading


class Reason(StrEnum):
    """Why something was not done. The values are stable: the page acts on them."""

    UNKNOWN_SESSION = "unknown-session"
    WITHDRAWN = "withdrawn"
    TOO_OLD = "too-old"
    RESTART = "restart"
    BLOCKED = "blocked"
    STUDY_CHANGED = "study-changed"
    HELD_ELSEWHERE = "held-elsewhere"
    TOO_EARLY = "too-early"
    ALREADY_ANSWERED = "already-answered"
    OUT_OF_ORDER = "out-of-order"
    PRACTICE_FIRST = "practice-first"
    DIFFERENT_ANSWER = "different-answer"
    INCOMPLETE = "incomplete"
    STOPPED = "stopped"
    FINISHED = "finished"
    NO_SUCH_TRIAL = "no-such-trial"
    NO_SUCH_OPTION = "no-such-option"
    ALREADY_BEGUN = "already-begun"
    CONSENT_CHANGED = "consent-changed"
    SCREENING_INCOMPLETE = "screening-incomplete"
    NOT_LIVE = "not-live"
    PILOT_ONLY = "pilot-only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why something was not done, and what the page needs to put itself right."""

    reason: Reason
    detail: str
    expected: int | None = None
    stored: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a request brings: the session's token, the browser tab, and when it arrived."""

    token: str
    tab: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a session stands, for the tab that asks."""

    stage: Stage
    next_practice: int
    next_trial: int
    debriefed: tuple[str, ...]
    lease: bool
    completion_code: str | None
    withdrawal_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Something is stored: just now, or it was there already."""

    new: bool
    standing: Standing


def standing_of(session: Session, visit: Visit, *, one_more: Part | None = None) -> Standing:
    """Say where a session stands, with `one_more` answer than it had. Codes are for those who finished or stopped."""
    practiced = session.practiced + (one_more is Part.PRACTICE)
    answered = session.answered + (one_more is Part.TRIALS)
    stage = session.stage_after(practiced, answered)
    over = stage in (Stage.DONE, Stage.STOPPED)
    return Standing(
        stage=stage,
        next_practice=practiced + 1,
        next_trial=answered + 1,
        debriefed=session.debriefed,
        lease=session.held and session.tab == visit.tab,
        completion_code=completion_code(visit.token) if stage is Stage.DONE else None,
        withdrawal_code=withdrawal_code(visit.token) if over else None,
    )


def find_session(reading: Reading, token: str) -> Session | Refusal:
    """Give the session of a token, or say that it is unknown or withdrawn."""
    digest = token_digest(token)
    session = reading.session(digest)
    if session is not None:
        return session
    if reading.withdrawn(digest):
        return Refusal(reason=Reason.WITHDRAWN, detail="The answers of this session were deleted, as was asked.")
    return Refusal(reason=Reason.UNKNOWN_SESSION, detail="There is no such session.")


def why_not_write(session: Session, tab: str) -> Refusal | None:
    """Say why nothing more may be written by this tab: the session was stopped, or another tab holds it."""
    if session.stopped is not None:
        return Refusal(reason=Reason.STOPPED, detail="This session was stopped.")
    if session.held_against(tab):
        return Refusal(reason=Reason.HELD_ELSEWHERE, detail="This session is open in another tab.")
    return None
