"""From messages on the wire to the values of the core, and back. Raises ValueError for times that do not exist."""

from datetime import datetime

import msgspec

from limen.core.judgment import Attempt, Judgment
from limen.core.sessions import DebriefQuestion, DemographicsAnswer, Screen, StrategyAnswer
from limen.errors import DataError
from limen.survey import wire
from limen.workflow.answering import Standing
from limen.workflow.collect import StaticSubmission, StaticTrial


def judgment_from(answer: wire.Answer) -> Judgment:
    """Give an answer as a judgment."""
    return Judgment(
        response=answer.response,
        response_time_ms=answer.response_time_ms,
        client_time=time_from(answer.client_time),
        queued_offline=answer.queued_offline,
        attempts=tuple(
            Attempt(visible_ms=a.visible_ms, hidden_ms=a.hidden_ms, started=time_from(a.started))
            for a in answer.attempts
        ),
        focus_losses=answer.focus_losses,
        focus_lost_ms=answer.focus_lost_ms,
        copies=answer.copies,
        b_seen=answer.b_seen,
        input=answer.input,
        viewport_width=answer.viewport.width,
        viewport_height=answer.viewport.height,
    )


def strategy_from(message: wire.Strategy) -> StrategyAnswer:
    """Give debrief D1."""
    return StrategyAnswer(options=message.options, other=message.other, skipped=message.skipped)


def demographics_from(message: wire.Demographics) -> DemographicsAnswer:
    """Give debrief D2."""
    return DemographicsAnswer(age=message.age, use=message.use, skipped=message.skipped)


def state_from(standing: Standing) -> wire.SessionState:
    """Give where a session stands as a message."""
    return wire.SessionState(
        stage=wire.Stage(standing.stage),
        next_practice=standing.next_practice,
        next_trial=standing.next_trial,
        debrief_done=tuple(standing.debriefed),
        lease=standing.lease,
        completion_code=standing.completion_code,
        withdrawal_code=standing.withdrawal_code,
    )


def decode_submission(data: bytes) -> StaticSubmission:
    """Read the file that a static page saved; raise DataError for anything else."""
    try:
        return submission_from(msgspec.json.decode(data, type=wire.StaticResponses))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise DataError(f"is no file of answers that a page of Limen saved ({problem})") from problem


def submission_from(file: wire.StaticResponses) -> StaticSubmission:
    """Give the file of a static page; screens that are none of ours are left out."""
    debriefs: dict[DebriefQuestion, StrategyAnswer | DemographicsAnswer] = {}
    if file.strategy is not None:
        debriefs[DebriefQuestion.STRATEGY] = strategy_from(file.strategy)
    if file.demographics is not None:
        debriefs[DebriefQuestion.DEMOGRAPHICS] = demographics_from(file.demographics)
    return StaticSubmission(
        study_id=file.study_id,
        response_id=file.response_id,
        code=file.code,
        consent_version=file.consent_version,
        screening=file.screening,
        started=time_from(file.started),
        finished=None if file.finished is None else time_from(file.finished),
        page_task_ms=file.main_task_ms,
        practice=tuple(_trial(answer) for answer in file.practice),
        trials=tuple(_trial(answer) for answer in file.trials),
        debriefs=debriefs,
        screens={Screen(name): ms for name, ms in file.screens.items() if name in set(Screen)},
        comment="" if file.comment is None else file.comment.text,
    )


def time_from(text: str) -> datetime:
    """Give a participant's clock time, aware and in UTC."""
    return datetime.fromisoformat(text)


def _trial(answer: wire.StaticAnswer) -> StaticTrial:
    return StaticTrial(number=answer.number, token=answer.token, judgment=judgment_from(answer.answer))
