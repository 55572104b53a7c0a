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


def _trial(answer: wire.StaticAnswer) -> StaticTrial:
    return StaticTrial(number=answer.number, token=answer.token, judgment=judgment_from(answer.answer))
