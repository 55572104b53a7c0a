"""The researcher's pages for going through the pairs: on this machine only, with a secret in the address.

Pages are made whole by the server and work without a script; the script only lets keys press what can be clicked.
"""

import base64
import hashlib
import hmac
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from limen.core.review import Action, Standing
from limen.web.calls import read_body
from limen.web.headers import Guarded
from limen.web.problems import ProblemError
from limen.web.review_view import SAID, overview_of, pair_view
from limen.workflow.review import Refused, ReviewDesk, ReviewedStudy, Wish

_PANELS = (Action.REJECT, Action.REPLACE, Action.CONTEXT)


def create_review_app(desk: ReviewDesk, *, secret: str, host: str) -> ASGIApp:
    """Give the application. `host` is the only name under which it answers, so that no other site's name leads here."""
    pages = _Pages(desk=desk, secret=secret, host=host)
    routes = [
        Route("/{secret}/", pages.guarded(pages.overview)),
        Route("/{secret}/pairs/{pair_id}", pages.guarded(pages.pair), methods=["GET", "POST"]),
    ]
    return Guarded(routes)


class _Pages:
    """The pages of one review. One thing is done at a time: two tabs cannot mix up the files."""

    def __init__(self, *, desk: ReviewDesk, secret: str, host: str) -> None:
        self._desk = desk
        self._secret = secret
        self._host = host
        self._one_at_a_time = threading.Lock()
        self._made = _Templates()

    def guarded(self, page: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Let nobody in without the secret, or under another name."""

        async def show(request: Request) -> Response:
            given = str(request.path_params["secret"]).encode()
            if not hmac.compare_digest(given, self._secret.encode()) or request.headers.get("host") != self._host:
                raise HTTPException(404)
            return await page(request)

        return show

    async def overview(self, _request: Request) -> Response:
        """List the pairs."""
        study = await run_in_threadpool(self._read)
        return self._made.page("overview.html", 200, view=overview_of(study), base=f"/{self._secret}")

    async def pair(self, request: Request) -> Response:
        """Show a pair, or take a decision on it."""
        pair_id = str(request.path_params["pair_id"])
        if request.method == "POST":
            return await self._decide(request, pair_id)
        study = await run_in_threadpool(self._read)
        asked = request.query_params.get("do")
        said = SAID.get(request.query_params.get("said", ""), "")
        return self._show(study, pair_id, _Showing(panel=asked if asked in _PANELS else None, said=said))

    async def _decide(self, request: Request, pair_id: str) -> Response:
        try:
            body = (await read_body(request.receive)).decode()
            fields = {name: values[0] for name, values in parse_qs(body, errors="strict").items()}
        except UnicodeDecodeError as problem:
            raise ProblemError(422, "invalid", "The fields of the form are text in UTF-8.") from problem
        action = fields.get("action", "")
        if action not in set(Action):
            raise ProblemError(422, "invalid", f"action is one of {', '.join(Action)}.")
        wish = Wish(
            action=Action(action),
            pair_id=pair_id,
            shown=fields.get("shown", ""),
            reason=fields.get("reason", ""),
            context=fields.get("context", ""),
        )
        result = await run_in_threadpool(self._fulfil, wish)
        study = await run_in_threadpool(self._read)
        if isinstance(result, Refused):
            panel = action if action in _PANELS else None
            showing = _Showing(panel=panel, refused=result.reason, reason=wish.reason, context=wish.context)
            return self._show(study, pair_id, showing, 409 if result.conflict else 422)
        return RedirectResponse(f"/{self._secret}/{_next(study, wish)}", 303)

    def _show(self, study: ReviewedStudy, pair_id: str, showing: "_Showing", status: int = 200) -> Response:
        stimulus = study.stimulus(pair_id)
        if stimulus is None:
            raise HTTPException(404)
        view = pair_view(study, stimulus)
        return self._made.page("pair.html", status, view=view, showing=showing, base=f"/{self._secret}")

    def _read(self) -> ReviewedStudy:
        with self._one_at_a_time:
            return self._desk.shelf.read()

    def _fulfil(self, wish: Wish) -> object:
        with self._one_at_a_time:
            return self._desk.decide(wish)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Showing:
    """What a page shows besides the pair: an open panel, what was just done, or why it was not."""

    panel: str | None = None
    said: str = ""
    refused: str = ""
    reason: str = ""
    context: str = ""


def _next(study: ReviewedStudy, wish: Wish) -> str:
    """Go on to the next pair that nobody has looked at, once a pair is settled; else stay and say what was done."""
    here = f"pairs/{wish.pair_id}?said={wish.action}"
    if wish.action not in (Action.APPROVE, Action.REJECT):
        return here
    ids = [s.pair_id for s in study.stimuli.stimuli]
    place = ids.index(wish.pair_id)
    after = study.stimuli.stimuli[place + 1 :] + study.stimuli.stimuli[:place]
    unread = [s.pair_id for s in after if study.review.standing_of(s) is Standing.UNREVIEWED]
    return f"pairs/{unread[0]}" if unread else ""


class _Templates:
    """The pages as HTML, each with a policy that lets in its own style and script and nothing else."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("limen.web", "templates/review"), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._style = self._environment.get_template("review.css").render()
        self._script = self._environment.get_template("review.js").render()
        self._policy = (
            f"default-src 'none'; style-src '{_hash(self._style)}'; script-src '{_hash(self._script)}'; "
            "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )

    def page(self, name: str, status: int, **values: object) -> Response:
        html = self._environment.get_template(name).render(style=self._style, script=self._script, **values)
        return Response(html, status, {"Content-Security-Policy": self._policy}, media_type="text/html")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
