"""Between rows of the tables and the values of the core."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from limen.core.judgment import Attempt, InputKind, Judgment, Response
from limen.core.sessions import (
    DebriefAnswer,
    DebriefQuestion,
    DemographicsAnswer,
    Enrolment,
    Mode,
    Session,
    Source,
    StrategyAnswer,
    TrialRecord,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_PLANS_KEPT = 4096  # every answer of a session looks its plan up again

_MODES = {mode.value: mode for mode in Mode}
_SOURCES = {source.value: source for source in Source}
_DEBRIEFED = tuple((question, f"has_{question}") for question in DebriefQuestion)


def to_us(time: datetime) -> int:
    """Give a time as microseconds since 1970, exactly."""
    return (time - _EPOCH) // _MICROSECOND


def from_us(us: int) -> datetime:
    """Give the time back, aware and in UTC."""
    return _EPOCH + timedelta(microseconds=us)


def session_from(row: Any) -> Session:
    """Give a session from its row and what was counted beside it."""
    return Session(
        id=row.id,
        mode=_MODES[row.mode],
        number=row.number,
        source=_SOURCES[row.source],
        plan=_plan(row.plan),
        plan_code=row.plan_code,
        practice_count=row.practice_count,
        stimulus_digest=row.stimulus_digest,
        consent_version=row.consent_version,
        created=from_us(row.created_us),
        tab=row.tab,
        held=bool(row.held),
        painted=_optional_time(row.painted_us),
        finished=_optional_time(row.finished_us),
        stopped=_optional_time(row.stopped_us),
        page_task_ms=row.page_task_ms,
        practiced=row.practiced,
        answered=row.answered,
        debriefed=tuple([question for question, column in _DEBRIEFED if getattr(row, column)]),
    )


def session_row(enrolment: Enrolment) -> dict[str, Any]:
    """Give the row of a new session."""
    return {
        "token_digest": enrolment.token_digest,
        "withdrawal_digest": enrolment.withdrawal_digest,
        "request_digest": enrolment.request_digest,
        "sealed_token": enrolment.sealed_token,
        "mode": enrolment.mode.value,
        "number": enrolment.number,
        "source": enrolment.source.value,
        "plan": json.dumps(enrolment.plan),
        "plan_code": enrolment.plan_code,
        "practice_count": enrolment.practice_count,
        "stimulus_digest": enrolment.stimulus_digest,
        "consent_version": enrolment.consent_version,
        "tab": enrolment.tab,
        "held": enrolment.held,
        "created_us": to_us(enrolment.created),
    }


def record_row(session_id: int, record: TrialRecord) -> dict[str, Any]:
    """Give the row of an answer."""
    judgment = record.judgment
    attempts = [f"[{a.visible_ms},{a.hidden_ms},{to_us(a.started)}]" for a in judgment.attempts]
    return {
        "session_id": session_id,
        "number": record.number,
        "stimulus_id": record.stimulus_id,
        "response": judgment.response.value,
        "response_time_ms": judgment.response_time_ms,
        "received_us": to_us(record.received),
        "client_time_us": to_us(judgment.client_time),
        "queued_offline": judgment.queued_offline,
        "attempt": len(attempts),
        "attempts": f"[{','.join(attempts)}]",
        "page_ms": judgment.page_ms,
        "focus_losses": judgment.focus_losses,
        "focus_lost_ms": judgment.focus_lost_ms,
        "copies": judgment.copies,
        "b_seen": judgment.b_seen,
        "input": judgment.input.value,
        "viewport_width": judgment.viewport_width,
        "viewport_height": judgment.viewport_height,
    }


def record_from(row: Any) -> TrialRecord:
    """Give an answer from its row."""
    judgment = Judgment(
        response=Response(row.response),
        response_time_ms=row.response_time_ms,
        client_time=from_us(row.client_time_us),
        queued_offline=row.queued_offline,
        attempts=tuple(
            Attempt(visible_ms=visible, hidden_ms=hidden, started=from_us(started))
            for visible, hidden, started in json.loads(row.attempts)
        ),
        focus_losses=row.focus_losses,
        focus_lost_ms=row.focus_lost_ms,
        copies=row.copies,
        b_seen=row.b_seen,
        input=InputKind(row.input),
        viewport_width=row.viewport_width,
        viewport_height=row.viewport_height,
    )
    return TrialRecord(
        number=row.number, stimulus_id=row.stimulus_id, judgment=judgment, received=from_us(row.received_us)
    )


def debrief_text(answer: DebriefAnswer) -> str:
    """Give a debrief answer as it is stored."""
    if isinstance(answer, StrategyAnswer):
        fields: Mapping[str, object] = {"options": answer.options, "other": answer.other, "skipped": answer.skipped}
    else:
        fields = {"age": answer.age, "use": answer.use, "skipped": answer.skipped}
    return json.dumps(fields, ensure_ascii=False)


def debrief_from(question: str, text: str) -> DebriefAnswer:
    """Give a debrief answer back."""
    fields = json.loads(text)
    if question == DebriefQuestion.STRATEGY:
        return StrategyAnswer(options=tuple(fields["options"]), other=fields["other"], skipped=fields["skipped"])
    return DemographicsAnswer(age=fields["age"], use=fields["use"], skipped=fields["skipped"])


@lru_cache(_PLANS_KEPT)
def _plan(text: str) -> tuple[str, ...]:
    return tuple(map(sys.intern, json.loads(text)))  # the same few ids in every plan


def _optional_time(us: int | None) -> datetime | None:
    return None if us is None else from_us(us)
