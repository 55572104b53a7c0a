"""What a request brings, read and checked before anything is done with it."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.types import Receive, Scope

from limen.core.sessions import Mode
from limen.web.problems import ProblemError
from limen.web.survey import Survey
from limen.workflow.answering import Visit

BODY_LIMIT = 256 * 1024

_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
_TAB = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NUMBER = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_NO_TOKEN = "A" * 22  # looks like a token and is none: what does not look like one is looked up all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request at the moment of its arrival."""

    request: Request
    now: datetime

    @property
    def token(self) -> str:
        """The session's token."""
        given = str(self.request.path_params["token"])
        return given if _TOKEN.fullmatch(given) else _NO_TOKEN

    @property
    def number(self) -> int:
        """The number of a trial; 0, which no trial has, for what is no number."""
        given = str(self.request.path_params["number"])
        return int(given) if _NUMBER.fullmatch(given) else 0

    @property
    def tab(self) -> str:
        """The browser tab that asks, from the query."""
        given = self.request.query_params.get("tab", "")
        if not _TAB.fullmatch(given):
            raise ProblemError(422, "invalid", "The query needs tab: 1 to 64 letters, digits, - or _.")
        return given

    def mode(self, survey: Survey) -> Mode:
        """Tell what the session is for. Only who brings the researcher's secret may say that it is simulated."""
        given = self.request.headers.get("x-limen-mode", Mode.LIVE)
        if given not in set(Mode):
            raise ProblemError(422, "invalid", f"X-Limen-Mode is one of {', '.join(Mode)}.")
        if given == Mode.SIMULATED and not brings_secret(self.request, survey):
            raise ProblemError(403, "forbidden", "Simulated sessions need Authorization: Bearer, with your secret.")
        return Mode(given)

    def visit(self, tab: str | None = None) -> Visit:
        """Give what use cases need to know of this request; `tab` is the one named in the body."""
        return Visit(token=self.token, tab=self.tab if tab is None else tab, now=self.now)


def brings_secret(request: Request, survey: Survey) -> bool:
    """Tell whether a program speaks for the researcher: `Authorization: Bearer SECRET`. Raises if it guesses often."""
    given = request.headers.get("authorization", "")
    scheme, _, secret = given.partition(" ")
    right = scheme.lower() == "bearer" and survey.is_secret(secret.strip())
    if given and not right:
        survey.limits.guesses.spend(request)
    return right


async def read_message(scope: Scope, receive: Receive, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Give the body as the message that is expected; raise ProblemError for anything else."""
    media_type = declared = b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            media_type = value
        elif name == b"content-length":
            declared = value
    if media_type != b"application/json" and media_type.partition(b";")[0].strip().lower() != b"application/json":
        raise ProblemError(415, "unsupported-media-type", "Expected Content-Type: application/json.")
    if declared.isdigit() and len(declared) < 20 and int(declared) > BODY_LIMIT:
        raise _too_large()
    body = await read_body(receive)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as found:
        raise ProblemError(422, "invalid", f"{found}.") from found
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as found:
        raise ProblemError(400, "malformed", f"The body is not JSON: {found}.") from found


async def read_body(receive: Receive) -> bytes:
    """Give the body, unless it is too large; it is never held whole before that is known."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ProblemError(400, "cut-off", "The body was cut off.")
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_LIMIT:
            raise _too_large()
        parts.append(part)
        more = message.get("more_body", False)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large() -> ProblemError:
    closing = {"Connection": "close"}  # the rest of the body is not read
    return ProblemError(413, "too-large", f"A body has at most {BODY_LIMIT} bytes.", closing)
