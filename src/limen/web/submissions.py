"""The file that a static page saved, as a submission."""

import msgspec

from limen.core.sessions import DebriefQuestion, DemographicsAnswer, Screen, StrategyAnswer
from limen.errors import DataError
from limen.survey import wire
from limen.web.messages import demographics_from, judgment_from, strategy_from, time_from
from limen.workflow.collect import StaticSubmission, StaticTrial


def decode_submission(data: bytes) -> StaticSubmission:
    """Read the file that a static page saved; raise DataError for anything else."""
    try:
        return submission_from(msgspec.json.decode(data, type=wire.StaticResponses))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        wanted = "expected responses_….json, unchanged as the page saved it; ask the participant for that file"
        raise DataError(f"{_what_it_is(data, problem)}; {wanted}") from problem


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


def _what_it_is(data: bytes, problem: Exception) -> str:
    """Say in words what a file is that cannot be read as answers."""
    if not data.strip():
        return "is empty"
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "is no JSON, or was cut off"
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema == "limen.responses/1":
        return f"holds answers, but not as a page writes them ({problem})"
    if schema == "limen.key/1":
        return "is key.json, which stays with you, and holds no answers"
    return "is JSON, but holds no answers"


def _trial(answer: wire.StaticAnswer) -> StaticTrial:
    return StaticTrial(number=answer.number, token=answer.token, judgment=judgment_from(answer.answer))
