"""What is done for each operation of the interface: parse, one use case, render."""

from collections.abc import Callable
from typing import TypeVar

from starlette.responses import Response

from limen.core.sessions import DailyCount, DebriefQuestion, Mode, Screen
from limen.survey import wire
from limen.survey.padding import padded
from limen.web.calls import Call
from limen.web.messages import demographics_from, judgment_from, state_from, strategy_from, time_from
from limen.web.problems import ProblemError, refused
from limen.web.survey import Survey
from limen.workflow import participate, record
from limen.workflow.answering import Recorded, Refusal, Standing, Visit
from limen.workflow.participate import Application, NotQualified

T = TypeVar("T")


async def count(survey: Survey, call: Call, body: wire.Counted) -> Response:
    """Add one to a day's count."""
    mode, what = call.mode(survey), DailyCount(body.what)
    if what is DailyCount.SCREENED_OUT:
        raise ProblemError(422, "invalid", "Those who do not qualify are counted by the server.")
    if mode is not Mode.SIMULATED:
        survey.limits.counts.spend(call.request)
    await survey.write(lambda desk: record.count_visitor(desk, mode, what, call.now))
    return Response(status_code=204)


async def create_session(survey: Survey, call: Call, body: wire.NewSession) -> Response:
    """Admit a participant, or end politely."""
    mode = call.mode(survey)
    if mode is not Mode.SIMULATED:  # who has the secret may load the server
        survey.limits.sessions.check(call.request)
        survey.limits.sessions.use(call.request)
    application = Application(
        mode=mode, consent_version=body.consent_version, screening=body.screening, request=body.request
    )
    visit = Visit(token=survey.secrets.token(), tab=body.tab, now=call.now)
    result = await survey.write(lambda desk: participate.begin(desk, survey.study, visit, application))
    if isinstance(result, NotQualified):
        return _json(200, wire.ScreenedOut(screened_out=True))
    if isinstance(result, Refusal):
        return refused(result)
    return _json(201, wire.SessionCreated(token=result.token, state=state_from(result.standing)))


async def get_session(survey: Survey, call: Call) -> Response:
    """Say where a session stands."""
    visit = call.visit()
    return _state(await survey.read(lambda reading: participate.look(reading, survey.study, visit)))


async def take_lease(survey: Survey, call: Call, body: wire.Lease) -> Response:
    """Let a tab hold the session."""
    visit = call.visit(body.tab)
    return _state(
        await survey.write(
            lambda desk: participate.take_lease(desk, survey.study, visit, take_over=body.take_over), visit.token
        )
    )


async def release_lease(survey: Survey, call: Call) -> Response:
    """Let a tab go."""
    visit = call.visit()
    refusal = await survey.write(lambda desk: participate.release_lease(desk, visit), visit.token)
    return Response(status_code=204) if refusal is None else refused(refusal)


async def get_trial(survey: Survey, call: Call) -> Response:
    """Give a trial that is near."""
    token, number = call.token, call.number
    trial = await survey.read(lambda reading: participate.show_trial(reading, survey.study, token, number))
    if isinstance(trial, Refusal):
        return refused(trial)
    return _json(200, padded(trial, survey.trial_overhead))


async def put_practice(survey: Survey, call: Call, body: wire.Answer) -> Response:
    """Store the answer to a practice trial."""
    visit, number, judgment = call.visit(body.tab), call.number, _valid(lambda: judgment_from(body))
    return _recorded(
        await survey.write(lambda desk: record.record_practice(desk, visit, number, judgment), visit.token)
    )


async def put_trial(survey: Survey, call: Call, body: wire.Answer) -> Response:
    """Store the answer to a trial."""
    visit, number, judgment = call.visit(body.tab), call.number, _valid(lambda: judgment_from(body))
    return _recorded(await survey.write(lambda desk: record.record_trial(desk, visit, number, judgment), visit.token))


async def put_painted(survey: Survey, call: Call, body: wire.Painted) -> Response:
    """Store that trial 1 stands on the screen."""
    visit, client_time = call.visit(body.tab), _valid(lambda: time_from(body.client_time))
    return _recorded(await survey.write(lambda desk: record.note_painted(desk, visit, client_time), visit.token))


async def put_screen(survey: Survey, call: Call, body: wire.ScreenTime) -> Response:
    """Store how long a screen was visible."""
    name = str(call.request.path_params["screen"])
    if name not in set(Screen):
        raise ProblemError(404, "no-such-screen", f"A screen is one of {', '.join(Screen)}.")
    visit = call.visit(body.tab)
    return _recorded(
        await survey.write(lambda desk: record.note_screen(desk, visit, Screen(name), body.visible_ms), visit.token)
    )


async def put_strategy(survey: Survey, call: Call, body: wire.Strategy) -> Response:
    """Store debrief D1."""
    visit, answer = call.visit(body.tab), strategy_from(body)
    question = DebriefQuestion.STRATEGY
    return _recorded(
        await survey.write(lambda desk: record.record_debrief(desk, survey.study, visit, question, answer), visit.token)
    )


async def put_demographics(survey: Survey, call: Call, body: wire.Demographics) -> Response:
    """Store debrief D2."""
    visit, answer = call.visit(body.tab), demographics_from(body)
    question = DebriefQuestion.DEMOGRAPHICS
    return _recorded(
        await survey.write(lambda desk: record.record_debrief(desk, survey.study, visit, question, answer), visit.token)
    )


async def put_comment(survey: Survey, call: Call, body: wire.Comment) -> Response:
    """Store a pilot participant's comment."""
    visit = call.visit(body.tab)
    return _recorded(await survey.write(lambda desk: record.record_comment(desk, visit, body.text), visit.token))


async def put_completion(survey: Survey, call: Call, body: wire.Completion) -> Response:
    """Finish the session and give the codes."""
    visit = call.visit(body.tab or "")
    return _state(await survey.write(lambda desk: participate.complete(desk, visit, body.main_task_ms), visit.token))


async def put_stop(survey: Survey, call: Call, body: wire.Stop) -> Response:
    """End the session early."""
    visit = call.visit(body.tab)
    return _state(await survey.write(lambda desk: participate.stop(desk, visit, keep=body.keep), visit.token))


def _state(result: Standing | Refusal) -> Response:
    return refused(result) if isinstance(result, Refusal) else _json(200, state_from(result))


def _recorded(result: Recorded | Refusal) -> Response:
    if isinstance(result, Refusal):
        return refused(result)
    return _json(201 if result.new else 200, state_from(result.standing))


def _json(status: int, message: object) -> Response:
    return Response(wire.encode(message), status, media_type="application/json")


def _valid(convert: Callable[[], T]) -> T:
    try:
        return convert()
    except ValueError as found:
        raise ProblemError(422, "invalid", f"A time does not exist: {found}.") from found
