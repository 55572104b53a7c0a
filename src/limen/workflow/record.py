"""What a participant does is stored when it is done, and sending it twice keeps one: the first."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from limen.core.debrief_options import misfit
from limen.core.judgment import Judgment, Response
from limen.core.sessions import (
    DailyCount,
    DebriefAnswer,
    DebriefQuestion,
    EventKind,
    Mode,
    Part,
    Screen,
    Session,
    Stage,
    TrialRecord,
)
from limen.workflow.answering import Reason, Recorded, Refusal, Visit, find_session, standing_of, why_not_write
from limen.workflow.ports import Writing
from limen.workflow.served import ServedStudy


def record_practice(desk: Writing, visit: Visit, number: int, judgment: Judgment) -> Recorded | Refusal:
    """Store the answer to a practice trial, apart from those that count."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if not 1 <= number <= session.practice_count:
        return Refusal(reason=Reason.NO_SUCH_TRIAL, detail=f"Practice runs from 1 to {session.practice_count}.")
    record = _record_of(session, visit, number, f"PRACTICE_{number}", judgment)
    return _record(desk, session, visit, Part.PRACTICE, record)


def record_trial(desk: Writing, visit: Visit, number: int, judgment: Judgment) -> Recorded | Refusal:
    """Store the answer to a trial, with the stimulus that stood there in the participant's own order."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if not 1 <= number <= len(session.plan):
        return Refusal(reason=Reason.NO_SUCH_TRIAL, detail=f"Trials run from 1 to {len(session.plan)}.")
    record = _record_of(session, visit, number, session.plan[number - 1], judgment)
    return _record(desk, session, visit, Part.TRIALS, record)


def note_painted(desk: Writing, visit: Visit, client_time: datetime) -> Recorded | Refusal:
    """Store when the server heard that trial 1 stands on the screen: the main task begins."""

    def write(session: Session) -> Session | Refusal:
        if session.stage is not Stage.TRIALS:
            detail = "The first trial comes after practice, and before the questions at the end."
            expected = session.practiced + 1 if session.stage is Stage.PRACTICE else session.answered + 1
            return Refusal(reason=Reason.OUT_OF_ORDER, detail=detail, expected=expected)
        painted = session.time_of(arrived=visit.now, claimed=client_time)
        if desk.note_painted(session, painted, client_time):
            desk.add_event(session, EventKind.STARTED, visit.now)
        return replace(session, painted=painted)

    return _once(desk, visit, write, there=lambda session: session.painted is not None)


def note_screen(desk: Writing, visit: Visit, screen: Screen, visible_ms: int) -> Recorded | Refusal:
    """Store how long a screen was visible."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    refusal = why_not_write(session, visit.tab)
    if refusal is not None:
        return refusal
    new = desk.add_screen(session, screen, visible_ms, visit.now)
    return Recorded(new=new, standing=standing_of(session, visit))


def record_debrief(
    desk: Writing, study: ServedStudy, visit: Visit, question: DebriefQuestion, answer: DebriefAnswer
) -> Recorded | Refusal:
    """Store the answer to an optional question, or that it was skipped; it comes after the last trial."""
    wrong = misfit(answer, study.protocol.wording.debrief)
    if wrong is not None:
        return Refusal(reason=Reason.NO_SUCH_OPTION, detail=wrong)

    def write(session: Session) -> Session | Refusal:
        if session.stage is not Stage.DEBRIEF:
            expected = session.answered + 1
            detail = "The questions at the end come after the last trial and before the thanks."
            return Refusal(reason=Reason.OUT_OF_ORDER, detail=detail, expected=expected)
        desk.add_debrief(session, question, answer, visit.now)
        return replace(session, debriefed=tuple(q for q in DebriefQuestion if q in {*session.debriefed, question}))

    return _once(desk, visit, write, there=lambda session: question in session.debriefed)


def record_comment(desk: Writing, visit: Visit, text: str) -> Recorded | Refusal:
    """Store what a pilot participant wants to say."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if session.mode is not Mode.PILOT:
        return Refusal(reason=Reason.PILOT_ONLY, detail="Comments are taken in a pilot only.")
    refusal = why_not_write(session, visit.tab)
    if refusal is not None:
        return refusal
    new = desk.add_comment(session, text, visit.now)
    return Recorded(new=new, standing=standing_of(session, visit))


def count_visitor(desk: Writing, mode: Mode, what: DailyCount, now: datetime) -> None:
    """Add one to a day's count; nothing else is kept of people without a session."""
    desk.count(mode, now.date(), what)


def _record_of(session: Session, visit: Visit, number: int, stimulus_id: str, judgment: Judgment) -> TrialRecord:
    received = session.time_of(arrived=visit.now, claimed=judgment.client_time)
    return TrialRecord(number=number, stimulus_id=stimulus_id, judgment=judgment, received=received)


def _record(desk: Writing, session: Session, visit: Visit, part: Part, record: TrialRecord) -> Recorded | Refusal:
    given = session.practiced if part is Part.PRACTICE else session.answered
    if record.number > given:
        refusal = why_not_write(session, visit.tab) or _why_not_next(session, part, record.number, given)
        if refusal is not None:
            return refusal
        if desk.add_record(session, part, record):
            return Recorded(new=True, standing=standing_of(session, visit, one_more=part))
    return _repeat(session, visit, record, desk.response(session, part, record.number))


def _why_not_next(session: Session, part: Part, number: int, given: int) -> Refusal | None:
    if part is Part.TRIALS and session.practiced < session.practice_count:
        detail = "Practice comes before the first trial."
        return Refusal(reason=Reason.PRACTICE_FIRST, detail=detail, expected=session.practiced + 1)
    if number != given + 1:
        detail = f"Number {given + 1} comes next, not {number}."
        return Refusal(reason=Reason.OUT_OF_ORDER, detail=detail, expected=given + 1)
    return None


def _repeat(session: Session, visit: Visit, record: TrialRecord, stored: Response | None) -> Recorded | Refusal:
    if stored == record.judgment.response:
        return Recorded(new=False, standing=standing_of(session, visit))
    detail = f"Number {record.number} is answered already; the first answer stays."
    return Refusal(reason=Reason.DIFFERENT_ANSWER, detail=detail, expected=session.answered + 1, stored=stored)


def _once(
    desk: Writing,
    visit: Visit,
    write: Callable[[Session], Session | Refusal],
    there: Callable[[Session], bool],
) -> Recorded | Refusal:
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if there(session):
        return Recorded(new=False, standing=standing_of(session, visit))
    written = why_not_write(session, visit.tab) or write(session)
    return written if isinstance(written, Refusal) else Recorded(new=True, standing=standing_of(written, visit))
