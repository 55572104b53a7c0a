"""From messages on the wire to the values of the core, and back. Raises ValueError for times that do not exist."""

from datetime import datetime

from limen.core.judgment import Attempt, Judgment
from limen.core.sessions import DemographicsAnswer, StrategyAnswer
from limen.survey import wire
from limen.workflow.answering import Standing


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


def time_from(text: str) -> datetime:
    """Give a participant's clock time, aware and in UTC."""
    return datetime.fromisoformat(text)
