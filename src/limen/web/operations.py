"""The interface the page talks to, as a table; the routes and the OpenAPI description are both made from it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from limen.survey import wire
from limen.web import handlers


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method at one address: what it takes and what it can answer."""

    method: str
    path: str
    name: str
    summary: str
    handle: Callable[..., Awaitable[Response]]
    answers: Mapping[int, type[Any] | None]
    problems: tuple[int, ...]
    body: type[Any] | None = None
    takes_tab: bool = False
    takes_mode: bool = False


_SESSION = "/api/sessions/{token}"
_STORED = {201: wire.SessionState, 200: wire.SessionState}
_WRITE = (400, 403, 404, 408, 409, 410, 413, 415, 422, 503)

OPERATIONS = (
    Operation(
        method="POST",
        path="/api/counts",
        name="count",
        summary="Add one to a day's count",
        handle=handlers.count,
        body=wire.Counted,
        answers={204: None},
        problems=(400, 403, 408, 413, 415, 422, 429, 503),
        takes_mode=True,
    ),
    Operation(
        method="POST",
        path="/api/sessions",
        name="createSession",
        summary="Begin a session after consent and screening",
        handle=handlers.create_session,
        body=wire.NewSession,
        answers={201: wire.SessionCreated, 200: wire.ScreenedOut},
        problems=(400, 403, 408, 409, 413, 415, 422, 429, 503),
        takes_mode=True,
    ),
    Operation(
        method="GET",
        path=_SESSION,
        name="getSession",
        summary="Say where a session stands",
        handle=handlers.get_session,
        answers={200: wire.SessionState},
        problems=(404, 410, 422, 503),
        takes_tab=True,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/lease",
        name="takeLease",
        summary="Let a tab hold the session",
        handle=handlers.take_lease,
        body=wire.Lease,
        answers={200: wire.SessionState},
        problems=_WRITE,
    ),
    Operation(
        method="DELETE",
        path=f"{_SESSION}/lease",
        name="releaseLease",
        summary="Let a tab go",
        handle=handlers.release_lease,
        answers={204: None},
        problems=(403, 404, 410, 422, 503),
        takes_tab=True,
    ),
    Operation(
        method="POST",
        path=f"{_SESSION}/release",
        name="releaseLeaseByBeacon",
        summary="Let a tab go, as a beacon of a page that is being closed",
        handle=handlers.release_lease,
        answers={204: None},
        problems=(403, 404, 410, 422, 503),
        takes_tab=True,
    ),
    Operation(
        method="GET",
        path=f"{_SESSION}/trials/{{number}}",
        name="getTrial",
        summary="Give the next trial, or one of those that may be sent ahead",
        handle=handlers.get_trial,
        answers={200: wire.TrialMessage},
        problems=(404, 409, 410, 503),
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/trials/{{number}}",
        name="putTrial",
        summary="Store the answer to a trial; the first stays",
        handle=handlers.put_trial,
        body=wire.Answer,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/practice/{{number}}",
        name="putPractice",
        summary="Store the answer to a practice trial; the first stays",
        handle=handlers.put_practice,
        body=wire.Answer,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/painted",
        name="putPainted",
        summary="Store that trial 1 stands on the screen; stamped on arrival",
        handle=handlers.put_painted,
        body=wire.Painted,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/screens/{{screen}}",
        name="putScreen",
        summary="Store how long a screen was visible",
        handle=handlers.put_screen,
        body=wire.ScreenTime,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/debrief/strategy",
        name="putStrategy",
        summary="Store debrief question D1",
        handle=handlers.put_strategy,
        body=wire.Strategy,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/debrief/demographics",
        name="putDemographics",
        summary="Store debrief question D2",
        handle=handlers.put_demographics,
        body=wire.Demographics,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/comment",
        name="putComment",
        summary="Store a pilot participant's comment",
        handle=handlers.put_comment,
        body=wire.Comment,
        answers=_STORED,
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/completion",
        name="putCompletion",
        summary="Finish the session; the codes are given when every row is stored",
        handle=handlers.put_completion,
        body=wire.Completion,
        answers={200: wire.SessionState},
        problems=_WRITE,
    ),
    Operation(
        method="PUT",
        path=f"{_SESSION}/stop",
        name="putStop",
        summary="End the session early, with the answers kept or deleted",
        handle=handlers.put_stop,
        body=wire.Stop,
        answers={200: wire.SessionState},
        problems=_WRITE,
    ),
)
