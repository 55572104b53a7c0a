"""Every request counted and, when asked for, logged: by the pattern of its address, without who or what was in it."""

import logging
from collections.abc import Sequence

from starlette.routing import Route
from starlette.types import Scope

from limen.web.headers import Answered
from limen.web.metrics import Metrics

log = logging.getLogger(__name__)


def measured(routes: Sequence[Route], metrics: Metrics) -> Answered:
    """Give what counts the answers of these routes."""
    patterns = {id(route.endpoint): route.path for route in routes}

    def note(scope: Scope, status: int, took_s: float) -> None:
        route = patterns.get(id(scope.get("endpoint")), "other")
        metrics.observe(route, scope["method"], status, took_s)
        if log.isEnabledFor(logging.INFO):
            shown = {"route": route, "method": scope["method"], "status": status, "ms": round(took_s * 1000, 2)}
            log.info("request", extra={"fields": shown})

    return note
