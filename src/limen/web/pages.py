"""The pages: the participant's survey, taking answers back, and the researcher's blinded look."""

import base64
import gzip
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from limen.core.sessions import Mode
from limen.survey.page import fill_page, security_policy
from limen.survey.wire import Boot
from limen.web.calls import brings_secret
from limen.web.survey import Survey
from limen.workflow import withdraw
from limen.workflow.withdraw import Withdrawal

if TYPE_CHECKING:
    from jinja2 import Environment

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyPage:
    """The participant's page for one mode, made once."""

    html: bytes
    policy: str

    def answer(self, request: Request) -> Response:
        """Give the page, compressed for browsers that take it so."""
        headers = {"Content-Security-Policy": self.policy, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(_zipped(self.html), headers=headers, media_type="text/html")
        return Response(self.html, headers=headers, media_type="text/html")


def survey_page(survey: Survey, built: str, mode: Mode) -> SurveyPage:
    """Put the study into the built page."""
    boot = Boot(kind="server", api="/api", mode=mode.value, study=survey.study.blinded)
    html = fill_page(built, boot).encode()
    policy = security_policy(built, connect="'self'", form="'self'") + "; frame-ancestors 'none'"
    return SurveyPage(html=html, policy=policy)


def page_routes(survey: Survey, built: str) -> list[Route]:
    """Give the routes of all pages."""
    modes = {"/": survey.study.front_mode, "/pilot": Mode.PILOT, "/preview": Mode.PREVIEW}
    pages = cache(lambda mode: survey_page(survey, built, mode))  # made when first asked for
    routes = [Route(path, _survey_endpoint(partial(pages, mode))) for path, mode in modes.items()]
    return [
        *routes,
        Route("/simulated", _simulated_endpoint(survey, partial(pages, Mode.SIMULATED))),
        Route("/withdraw/{code}", _withdraw_endpoint(survey), methods=["GET", "POST"]),
        Route("/status/{secret}", _status_endpoint(survey)),
        Route("/metrics/{secret}", _metrics_endpoint(survey)),
    ]


def _survey_endpoint(page: Callable[[], SurveyPage]) -> Endpoint:
    async def show(request: Request) -> Response:
        return page().answer(request)

    return show


def _simulated_endpoint(survey: Survey, page: Callable[[], SurveyPage]) -> Endpoint:
    """Give simulated raters the page that everyone gets, in their own mode; to anyone else there is no such page."""

    async def show(request: Request) -> Response:
        if not brings_secret(request, survey):
            raise HTTPException(404)
        return page().answer(request)

    return show


def _withdraw_endpoint(survey: Survey) -> Endpoint:
    async def withdraw_page(request: Request) -> Response:
        code, now = str(request.path_params["code"]), survey.clock.now()
        found = await survey.read(lambda reading: withdraw.look_up(reading, code))
        if found is Withdrawal.UNKNOWN:
            survey.limits.guesses.spend(request)
        elif request.method == "POST":
            found = await survey.write(lambda desk: withdraw.withdraw(desk, code, now))
        status = 404 if found is Withdrawal.UNKNOWN else 200
        return _render("withdraw.html", status, found=found, public_name=survey.study.blinded.public_name)

    return withdraw_page


def _status_endpoint(survey: Survey) -> Endpoint:
    async def status_page(request: Request) -> Response:
        from limen.workflow import oversee  # noqa: PLC0415 - as for the templates

        _let_in_researcher(survey, request)
        protocol, now = survey.study.protocol, survey.clock.now()
        overview = await survey.read(lambda reading: oversee.oversee(reading, protocol, now))
        return _render(
            "status.html",
            200,
            overview=overview,
            front=survey.study.front_mode,
            protocol=protocol,
            stimuli=survey.study.stimuli,
            now=now,
        )

    return status_page


def _metrics_endpoint(survey: Survey) -> Endpoint:
    async def metrics(request: Request) -> Response:
        _let_in_researcher(survey, request)
        survey.metrics.note_store(survey.store.healthy(), survey.store.load())
        return Response(survey.metrics.text(), media_type="text/plain; version=0.0.4")

    return metrics


def _let_in_researcher(survey: Survey, request: Request) -> None:
    """Raise for whoever does not bring the researcher's secret, and for who guesses too often."""
    if not survey.is_secret(str(request.path_params["secret"])):
        survey.limits.guesses.spend(request)
        raise HTTPException(404)


@cache
def _zipped(html: bytes) -> bytes:
    """Compress a page, when the first browser asks for it so."""
    return gzip.compress(html, mtime=0)


@cache
def _templates() -> "Environment":
    """Make the pages' templates, when the first of them is asked for: no participant waits for the library."""
    from jinja2 import Environment, PackageLoader  # noqa: PLC0415 - as said

    templates = Environment(loader=PackageLoader("limen.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    templates.filters["time"] = _time
    return templates


def _render(name: str, status: int, **values: object) -> Response:
    templates = _templates()
    style = templates.get_template("style.css").render()
    html = templates.get_template(name).render(style=style, **values)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    return Response(html, status, {"Content-Security-Policy": policy}, media_type="text/html")


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
