"""A participant comes, goes on, comes back, finishes or stops: the session from outside its answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from limen.core.blinding import BlindedTrial, blind_trial
from limen.core.ordering import plan_session
from limen.core.protocol import ResumePolicy
from limen.core.sessions import (
    DailyCount,
    Enrolment,
    EventKind,
    Mode,
    Session,
    Source,
    Stage,
    order_stream,
)
from limen.core.tokens import (
    completion_code,
    request_digest,
    seal_token,
    token_digest,
    trial_token,
    unseal_token,
    withdrawal_code,
    withdrawal_digest,
)
from limen.workflow.answering import Reason, Refusal, Standing, Visit, find_session, standing_of, why_not_write
from limen.workflow.ports import Reading, Writing
from limen.workflow.served import ServedStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Someone who gave consent and answered the screening questions."""

    mode: Mode
    consent_version: str
    screening: Mapping[str, str]
    request: str | None = None  # the same for every sending of one application


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A session and its token, the same however often the application comes."""

    token: str
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class NotQualified:
    """Someone whom the inclusion criteria do not admit; only a count is kept."""


def begin(desk: Writing, study: ServedStudy, visit: Visit, application: Application) -> Begun | NotQualified | Refusal:
    """Admit a participant: give the next number, draw the order, and store both before the first trial.

    The visit brings a new token, which is used unless the application came before.
    """
    mode = application.mode
    if mode is Mode.LIVE and not study.live:
        return Refusal(reason=Reason.NOT_LIVE, detail="This is a pilot: live sessions cannot begin here.")
    if application.consent_version != study.blinded.consent_version:
        return Refusal(reason=Reason.CONSENT_CHANGED, detail="The consent text has changed; please read it again.")
    qualifying = {q.id: str(q.qualifying) for q in study.protocol.wording.screening.questions}
    if application.screening.keys() != qualifying.keys():
        return Refusal(
            reason=Reason.SCREENING_INCOMPLETE, detail=f"Expected an answer to each of: {', '.join(qualifying)}."
        )
    if application.screening != qualifying:
        desk.count(mode, visit.now.date(), DailyCount.SCREENED_OUT)
        return NotQualified()
    repeated = _repeated(desk, visit, application)
    if repeated is not None:
        return repeated
    session = _enrol(desk, study, visit, application)
    return Begun(token=visit.token, standing=standing_of(session, visit))


def look(reading: Reading, study: ServedStudy, visit: Visit) -> Standing | Refusal:
    """Say where a session stands, to a tab that may go on with it."""
    session = find_session(reading, visit.token)
    if isinstance(session, Refusal):
        return session
    if session.held_against(visit.tab):  # a second tab: it is told so, and may ask to take over
        return _why_not_at_all(session, study, visit) or standing_of(session, visit)
    return _why_not_return(session, study, visit) or standing_of(session, visit)


def take_lease(desk: Writing, study: ServedStudy, visit: Visit, *, take_over: bool) -> Standing | Refusal:
    """Let a tab hold the session, so that no two tabs answer it at once."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if session.held_against(visit.tab) and not take_over:
        refusal = _why_not_at_all(session, study, visit) or why_not_write(session, visit.tab)
    else:
        refusal = _why_not_return(session, study, visit)
    if refusal is not None:
        return refusal
    if session.tab != visit.tab or not session.held:
        if session.tab != visit.tab:
            kind = EventKind.TAKEN_OVER if session.held else EventKind.RESUMED
            desk.add_event(session, kind, visit.now)
        desk.set_lease(session, visit.tab, held=True)
    return standing_of(replace(session, tab=visit.tab, held=True), visit)


def release_lease(desk: Writing, visit: Visit) -> Refusal | None:
    """Let go of the session when a tab is closed; another tab's hold is left alone."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if session.held and session.tab == visit.tab:
        desk.set_lease(session, visit.tab, held=False)
    return None


def show_trial(reading: Reading, study: ServedStudy, token: str, number: int) -> BlindedTrial | Refusal:
    """Give a trial that is near: the next one, or one of those that may be sent ahead."""
    session = find_session(reading, token)
    if isinstance(session, Refusal):
        return session
    refusal = _why_not_show(session, study, number)
    if refusal is not None:
        return refusal
    return blind_trial(study.texts[session.plan[number - 1]], trial_token(token, number))


def complete(desk: Writing, visit: Visit, page_task_ms: int | None) -> Standing | Refusal:
    """Finish a session whose every row is stored, and give the codes; finishing twice is finishing once."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        return session
    if session.finished is not None:
        return standing_of(session, visit)
    if session.stopped is not None:
        return Refusal(reason=Reason.STOPPED, detail="This session was stopped.")
    if session.answered < len(session.plan):
        expected = session.answered + 1
        return Refusal(reason=Reason.INCOMPLETE, detail=f"Trial {expected} is not answered.", expected=expected)
    desk.finish(session, visit.now, page_task_ms=page_task_ms, completion_code=completion_code(visit.token))
    desk.add_event(session, EventKind.FINISHED, visit.now)
    return standing_of(replace(session, finished=visit.now), visit)


def stop(desk: Writing, visit: Visit, *, keep: bool) -> Standing | Refusal:
    """End a session early, with the answers kept or deleted; stopping twice is stopping once."""
    session = find_session(desk, visit.token)
    if isinstance(session, Refusal):
        gone = session.reason is Reason.WITHDRAWN and not keep
        return _deleted() if gone else session
    if not keep:
        delete_session(desk, session, visit.now)
        return _deleted()
    if session.finished is not None:
        return Refusal(reason=Reason.FINISHED, detail="This session is finished.")
    if session.stopped is None:
        desk.stop(session, visit.now)
        desk.add_event(session, EventKind.STOPPED, visit.now)
    return standing_of(replace(session, stopped=session.stopped or visit.now), visit)


def delete_session(desk: Writing, session: Session, now: datetime) -> None:
    """Delete a session and count it, with how far it had come."""
    today = now.date()
    desk.forget(session, today)
    desk.count(session.mode, today, DailyCount.WITHDRAWN)
    if session.painted is not None or session.answered > 0:
        desk.count(session.mode, today, DailyCount.WITHDRAWN_STARTED)
    if session.finished is not None:
        desk.count(session.mode, today, DailyCount.WITHDRAWN_FINISHED)


def _why_not_show(session: Session, study: ServedStudy, number: int) -> Refusal | None:
    if not 1 <= number <= len(session.plan):
        return Refusal(reason=Reason.NO_SUCH_TRIAL, detail=f"Trials run from 1 to {len(session.plan)}.")
    if session.stimulus_digest != study.digest:
        return _changed()
    if session.stopped is not None:
        return Refusal(reason=Reason.STOPPED, detail="This session was stopped.")
    expected = session.answered + 1
    if number < expected:
        detail = f"Trial {number} is answered."
        return Refusal(reason=Reason.ALREADY_ANSWERED, detail=detail, expected=expected)
    if number >= expected + study.blinded.prefetch:
        detail = f"Trial {number} is not given before trial {number - study.blinded.prefetch} is answered."
        return Refusal(reason=Reason.TOO_EARLY, detail=detail, expected=expected)
    return None


def _repeated(desk: Writing, visit: Visit, application: Application) -> Begun | Refusal | None:
    """Give the session that an earlier sending of the same application began, with the same token.

    Its answer may have been lost on the way, or this may be a late copy of what was answered: either is harmless.
    """
    if application.request is None:
        return None
    session = desk.session_of_request(request_digest(application.request))
    if session is None:
        return None
    sealed = desk.sealed_token(session)
    if sealed is None or session.practiced or session.answered or session.stopped:
        return Refusal(reason=Reason.ALREADY_BEGUN, detail="This application was answered, and its session has begun.")
    if session.tab != visit.tab:
        desk.set_lease(session, visit.tab, held=True)
        session = replace(session, tab=visit.tab, held=True)
    token = unseal_token(sealed, application.request)
    return Begun(token=token, standing=standing_of(session, replace(visit, token=token)))


def _enrol(desk: Writing, study: ServedStudy, visit: Visit, application: Application) -> Session:
    mode = application.mode
    number = desk.next_number(mode)
    plan = plan_session(study.protocol, study.stimuli, order_stream(mode, number))
    enrolment = Enrolment(
        mode=mode,
        number=number,
        source=Source.SERVER,
        plan=plan.stimulus_ids,
        practice_count=len(study.protocol.practice),
        stimulus_digest=study.digest,
        consent_version=application.consent_version,
        created=visit.now,
        tab=visit.tab,
        token_digest=token_digest(visit.token),
        withdrawal_digest=withdrawal_digest(withdrawal_code(visit.token)),
        request_digest=request_digest(application.request) if application.request else None,
        sealed_token=seal_token(visit.token, application.request) if application.request else None,
    )
    session = desk.enrol(enrolment)
    desk.add_event(session, EventKind.CONSENTED, visit.now)
    desk.add_event(session, EventKind.SCREENED_IN, visit.now)
    return session


def _why_not_return(session: Session, study: ServedStudy, visit: Visit) -> Refusal | None:
    """Say why a tab may not go on: what holds for every tab, then the policy for those who come back.

    A reload keeps the tab, so it is no return. The thanks are shown again to whoever finished.
    """
    refusal = _why_not_at_all(session, study, visit)
    if refusal is not None or session.stage in (Stage.DONE, Stage.STOPPED) or session.tab == visit.tab:
        return refusal
    policy = study.protocol.survey.on_return
    if policy is ResumePolicy.RESTART:
        return Refusal(reason=Reason.RESTART, detail="This study is begun anew when one comes back to it.")
    if policy is ResumePolicy.BLOCK:
        return Refusal(reason=Reason.BLOCKED, detail="This study cannot be continued once it was left.")
    return None


def _why_not_at_all(session: Session, study: ServedStudy, visit: Visit) -> Refusal | None:
    if session.stage in (Stage.DONE, Stage.STOPPED):
        return None
    if session.stimulus_digest != study.digest:
        return _changed()
    hours = study.protocol.survey.resume_within_hours
    if visit.now - session.created > timedelta(hours=hours):
        return Refusal(reason=Reason.TOO_OLD, detail=f"This session was begun more than {hours} hours ago.")
    return None


def _changed() -> Refusal:
    return Refusal(reason=Reason.STUDY_CHANGED, detail="The study has changed since this session began.")


def _deleted() -> Standing:
    return Standing(
        stage=Stage.STOPPED,
        next_practice=1,
        next_trial=1,
        debriefed=(),
        lease=False,
        completion_code=None,
        withdrawal_code=None,
    )
