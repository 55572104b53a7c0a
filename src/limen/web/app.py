"""The web application, made from what it is handed; it opens nothing itself."""

from collections import defaultdict

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from limen.core.blinding import blind_trial
from limen.core.tokens import trial_token
from limen.errors import StoreUnavailableError
from limen.survey.padding import constant_overhead
from limen.survey.page import checked_page
from limen.web.acknowledgements import Acknowledgements
from limen.web.calls import Call, read_message
from limen.web.headers import Guarded
from limen.web.limits import Limits
from limen.web.measured import measured
from limen.web.metrics import Metrics
from limen.web.operations import OPERATIONS, Operation
from limen.web.pages import page_routes
from limen.web.readers import Readers
from limen.web.survey import Survey
from limen.workflow.ports import Clock, Secrets, Store
from limen.workflow.served import ServedStudy


def create_app(
    *,
    study: ServedStudy,
    store: Store,
    clock: Clock,
    secrets: Secrets,
    built_page: str,
    researcher_secret: str,
    limits: Limits | None = None,
    metrics: Metrics | None = None,
) -> ASGIApp:
    """Give the application of one study. `built_page` is the participant's page with its placeholder."""
    any_token = trial_token("", 1)  # all have one length
    survey = Survey(
        study=study,
        store=store,
        clock=clock,
        secrets=secrets,
        researcher_secret=researcher_secret,
        limits=limits or Limits(),
        metrics=metrics or Metrics(),
        acknowledgements=Acknowledgements(store),
        readers=Readers(store),
        trial_overhead=constant_overhead(blind_trial(texts, any_token) for texts in study.texts.values()),
    )
    routes = [*_operation_routes(survey), *page_routes(survey, checked_page(built_page)), *_health_routes(survey)]
    return Guarded(routes, measured(routes, survey.metrics))


def _operation_routes(survey: Survey) -> list[Route]:
    """Give one route an address, so that a wrong method is told all the right ones."""
    by_path: dict[str, dict[str, Operation]] = defaultdict(dict)
    for operation in OPERATIONS:
        by_path[operation.path][operation.method] = operation
    return [
        Route(path, _Address(survey, operations), methods=list(operations))
        for path, operations in sorted(by_path.items(), key=lambda item: "/trials/" not in item[0])  # asked most often
    ]


class _Address:
    """What is done at one address, by method. No function, since Starlette would wrap that in more than it needs."""

    def __init__(self, survey: Survey, operations: dict[str, Operation]) -> None:
        self._survey = survey
        self._operations = operations
        self._decoders = {method: msgspec.json.Decoder(operation.body) for method, operation in operations.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        operation = self._operations[method]
        body = () if operation.body is None else (await read_message(scope, receive, self._decoders[method]),)
        call = Call(request=Request(scope), now=self._survey.clock.now())  # an answer has arrived when all of it has
        answer = await operation.handle(self._survey, call, *body)
        await answer(scope, receive, send)


def _health_routes(survey: Survey) -> list[Route]:
    async def alive(_request: Request) -> Response:
        return _health(survey.store.healthy())

    async def ready(_request: Request) -> Response:
        try:
            await survey.read(lambda reading: reading.withdrawn(""))
        except StoreUnavailableError:
            return _health(False)
        return _health(survey.store.healthy())

    return [Route("/healthz", alive), Route("/readyz", ready)]


def _health(well: bool) -> Response:
    return JSONResponse({"status": "ok" if well else "unavailable"}, 200 if well else 503)
