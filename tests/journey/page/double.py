"""A small true implementation of the survey's HTTP contract, in memory, that can be stopped and started again."""

import secrets
import socket
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from journey.page.study import QUALIFYING, filled, message, policy
from limen.core.blinding import BlindedStudy, BlindedTrial
from limen.survey import wire

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]


class RefusalError(Exception):
    """A problem to answer with."""

    def __init__(self, status: int, kind: str, **more: object) -> None:
        super().__init__(kind)
        self.problem = wire.Problem(
            type=f"about:blank#{kind}",
            title=kind,
            status=status,
            detail=kind,
            **more,  # type: ignore[arg-type]
        )


@dataclass
class Stored:
    """One session as the server has it."""

    token: str
    mode: str
    tab: str
    practice: dict[int, wire.Answer] = field(default_factory=dict)
    trials: dict[int, wire.Answer] = field(default_factory=dict)
    parts: dict[str, object] = field(default_factory=dict)  # painted, screens/…, debrief/…, comment
    stage: wire.Stage | None = None  # done or stopped


class SurveyServer(Protocol):
    """What the tests of events need to know of a server: the double below, or the real one."""

    @property
    def url(self) -> str: ...
    @property
    def sessions(self) -> Mapping[str, Stored]: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    def only(self) -> Stored: ...
    def answers(self) -> list[str]: ...
    def restart(self) -> None: ...


@dataclass
class Double:
    """The server: everything it has is for the tests to read, and to bend."""

    built: str
    study: BlindedStudy
    trials: tuple[BlindedTrial, ...]
    sessions: dict[str, Stored] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)  # of applications, to their session's token
    gone: dict[str, str] = field(default_factory=dict)  # tokens no longer good, and why
    counts: Counter[str] = field(default_factory=Counter)
    log: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0
    _server: uvicorn.Server | None = None
    _thread: threading.Thread | None = None

    # ---- for the tests

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve, on the same port as before if there was one."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(self.app(), log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop serving; what is stored stays."""
        if self._server and self._thread:
            self._server.should_exit = self._server.force_exit = True
            self._thread.join(5)

    def restart(self) -> None:
        self.stop()
        self.start()

    def only(self) -> Stored:
        """Give the one session there is."""
        (session,) = self.sessions.values()
        return session

    def answers(self) -> list[str]:
        """Give the answers of the one session, in the order of the trials, each once."""
        trials = self.only().trials
        assert list(trials) == list(range(1, len(trials) + 1))
        return [str(answer.response) for answer in trials.values()]

    # ---- the contract

    def app(self) -> Starlette:
        session = "/api/sessions/{token}"
        routes: list[tuple[str, str, Handler]] = [
            ("GET", "/", self.page("live")),
            ("GET", "/pilot", self.page("pilot")),
            ("POST", "/api/counts", self.count),
            ("POST", "/api/sessions", self.create),
            ("GET", session, self.look),
            ("PUT", f"{session}/lease", self.lease),
            ("POST", f"{session}/release", self.release),
            ("GET", f"{session}/trials/{{number:int}}", self.trial),
            ("PUT", f"{session}/trials/{{number:int}}", self.put_trial),
            ("PUT", f"{session}/practice/{{number:int}}", self.put_practice),
            ("PUT", f"{session}/painted", self.put_part(wire.Painted, "painted")),
            ("PUT", f"{session}/screens/{{name}}", self.put_part(wire.ScreenTime, "screens/{name}")),
            ("PUT", f"{session}/debrief/strategy", self.put_part(wire.Strategy, "debrief/strategy")),
            ("PUT", f"{session}/debrief/demographics", self.put_part(wire.Demographics, "debrief/demographics")),
            ("PUT", f"{session}/comment", self.put_part(wire.Comment, "comment")),
            ("PUT", f"{session}/completion", self.complete),
            ("PUT", f"{session}/stop", self.put_stop),
        ]
        return Starlette(
            routes=[Route(path, self.guarded(handler), methods=[method]) for method, path, handler in routes]
        )

    def guarded(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            self.log.append((request.method, request.url.path))
            try:
                return await handler(request)
            except RefusalError as refusal:
                body = msgspec.json.encode(refusal.problem)
                return Response(body, refusal.problem.status, media_type="application/problem+json")
            except msgspec.ValidationError as error:
                return Response(str(error), 422)

        return answer

    def page(self, mode: str) -> Handler:
        async def give(_request: Request) -> Response:
            boot = wire.Boot(kind="server", api="/api", mode=mode, study=self.study)  # type: ignore[arg-type]
            headers = {"Content-Security-Policy": policy(self.built, "'self'"), "Cache-Control": "no-cache"}
            return HTMLResponse(filled(self.built, boot), headers=headers)

        return give

    async def count(self, request: Request) -> Response:
        self.counts[(await body_of(request, wire.Counted)).what] += 1
        return Response(status_code=204)

    async def create(self, request: Request) -> Response:
        asked = await body_of(request, wire.NewSession)
        if asked.consent_version != self.study.consent_version:
            raise RefusalError(409, "consent-changed")
        if asked.screening != QUALIFYING:
            self.counts["screened_out"] += 1
            return json(200, wire.ScreenedOut(screened_out=True))
        token = self.requests.setdefault(asked.request or secrets.token_hex(8), secrets.token_urlsafe(16))
        stored = self.sessions.setdefault(
            token, Stored(token=token, mode=request.headers["x-limen-mode"], tab=asked.tab)
        )
        return json(201, wire.SessionCreated(token=token, state=self.state(stored, asked.tab)))

    async def look(self, request: Request) -> Response:
        return json(200, self.state(self.find(request), request.query_params["tab"]))

    async def lease(self, request: Request) -> Response:
        stored, asked = self.find(request), await body_of(request, wire.Lease)
        if stored.tab not in ("", asked.tab) and not asked.take_over:
            raise RefusalError(409, "held-elsewhere")
        stored.tab = asked.tab
        return json(200, self.state(stored, asked.tab))

    async def release(self, request: Request) -> Response:
        stored = self.find(request)
        if stored.tab == request.query_params["tab"]:
            stored.tab = ""
        return Response(status_code=204)

    async def trial(self, request: Request) -> Response:
        stored, number = self.find(request), request.path_params["number"]
        expected = len(stored.trials) + 1
        if number >= expected + self.study.prefetch:
            raise RefusalError(409, "too-early", expected=expected)
        return json(200, message(self.trials[number - 1]))

    async def put_trial(self, request: Request) -> Response:
        stored = self.find(request)
        return await self.put_answer(request, stored, stored.trials)

    async def put_practice(self, request: Request) -> Response:
        stored = self.find(request)
        return await self.put_answer(request, stored, stored.practice)

    async def put_answer(self, request: Request, stored: Stored, rows: dict[int, wire.Answer]) -> Response:
        answer, number = await body_of(request, wire.Answer), request.path_params["number"]
        if number in rows:
            if rows[number].response != answer.response:
                raise RefusalError(409, "different-answer", expected=len(rows) + 1, stored=rows[number].response)
            return json(200, self.state(stored, answer.tab))
        self.hold(stored, answer.tab)
        if number != len(rows) + 1:
            raise RefusalError(409, "out-of-order", expected=len(rows) + 1)
        rows[number] = answer
        return json(201, self.state(stored, answer.tab))

    def put_part(self, kind: type[T], name: str) -> Handler:
        async def put(request: Request) -> Response:
            stored, part = self.find(request), await body_of(request, kind)
            tab = str(getattr(part, "tab", ""))
            self.hold(stored, tab)
            new = stored.parts.setdefault(name.format(**request.path_params), part) is part
            return json(201 if new else 200, self.state(stored, tab))

        return put

    async def complete(self, request: Request) -> Response:
        stored, asked = self.find(request), await body_of(request, wire.Completion)
        if len(stored.trials) < self.study.trial_count:
            raise RefusalError(409, "incomplete", expected=len(stored.trials) + 1)
        stored.stage = wire.Stage.DONE
        stored.parts.setdefault("completion", asked)
        return json(200, self.state(stored, asked.tab or ""))

    async def put_stop(self, request: Request) -> Response:
        stored, asked = self.find(request), await body_of(request, wire.Stop)
        stored.stage = wire.Stage.STOPPED
        state = self.state(stored, asked.tab)
        if not asked.keep:
            del self.sessions[stored.token]
            self.gone[stored.token] = "withdrawn"
        return json(200, state)

    def find(self, request: Request) -> Stored:
        token = request.path_params["token"]
        if token in self.gone:
            raise RefusalError(410, self.gone[token])
        if token not in self.sessions:
            raise RefusalError(404, "unknown-session")
        return self.sessions[token]

    def hold(self, stored: Stored, tab: str) -> None:
        if stored.tab not in ("", tab):
            raise RefusalError(409, "held-elsewhere")
        if stored.stage is not None:
            raise RefusalError(409, "finished")

    def state(self, stored: Stored, tab: str) -> wire.SessionState:
        practiced, judged = len(stored.practice), len(stored.trials)
        done = stored.stage is wire.Stage.DONE
        under_way = wire.Stage.PRACTICE if practiced < len(self.study.practice) else wire.Stage.TRIALS
        debrief = wire.Stage.DEBRIEF if judged == self.study.trial_count else under_way
        return wire.SessionState(
            stage=stored.stage or debrief,
            next_practice=practiced + 1,
            next_trial=judged + 1,
            debrief_done=tuple(name.removeprefix("debrief/") for name in stored.parts if name.startswith("debrief/")),
            lease=stored.tab == tab,
            completion_code="LIVE-2026" if done else None,
            withdrawal_code=f"W-{stored.token[:8]}" if done else None,
        )


async def body_of(request: Request, kind: type[T]) -> T:
    return msgspec.json.decode(await request.body(), type=kind)


def json(status: int, value: object, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
