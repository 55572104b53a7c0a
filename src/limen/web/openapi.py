"""The OpenAPI 3.1 description of the interface, made from its table and the structs of the wire.

scripts/fix writes docs/reference/openapi.json anew.
"""

import re
from typing import Any

import msgspec

from limen.core.sessions import Mode, Screen
from limen.survey.wire import Problem, SessionCreated, SessionState
from limen.web.operations import OPERATIONS, Operation

_PARAMETERS: dict[str, dict[str, Any]] = {
    "token": {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"},
    "number": {"type": "integer", "minimum": 1, "maximum": 99999},
    "screen": {"type": "string", "enum": [screen.value for screen in Screen]},
}
_RESEARCHER = {
    "type": "http",
    "scheme": "bearer",
    "description": "The secret in researcher.key. Only simulated sessions need it, and only to begin.",
}
_SAYS = {
    200: "Known, or nothing to store.",
    201: "Stored: committed and synced to disk.",
    204: "Done.",
    400: "Not JSON, or cut off.",
    403: "Sent by another site's page, or called simulated without the researcher's secret.",
    404: "There is no such session or trial.",
    408: "The body came too slowly.",
    409: "Not now: the type says why, `expected` and `stored` how things stand.",
    410: "Gone: withdrawn, too old, or not to be continued.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "A field is missing, unknown or out of range.",
    429: "Too often; try again after Retry-After.",
    503: "Not stored; try again after Retry-After.",
}


def describe() -> dict[str, Any]:
    """Give the description."""
    structs = {kind for operation in OPERATIONS for kind in _structs(operation)} | {Problem}
    kinds = sorted(structs, key=lambda kind: kind.__name__)
    _, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Limen survey",
            "version": "1",
            "description": "What the participant's page and the server say to each other. Same origin, no cookies.",
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(components.items())), "securitySchemes": {"researcher": _RESEARCHER}},
    }


def encoded() -> bytes:
    """Give the description as the file in docs/reference holds it."""
    return msgspec.json.format(msgspec.json.encode(describe()), indent=2) + b"\n"


def _structs(operation: Operation) -> set[type[Any]]:
    return {kind for kind in (operation.body, *operation.answers.values()) if kind is not None}


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {"operationId": operation.name, "summary": operation.summary}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _PARAMETERS[name]}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    if operation.takes_tab:
        tab = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
        parameters.append({"name": "tab", "in": "query", "required": True, "schema": tab})
    if operation.takes_mode:
        mode = {"type": "string", "enum": [mode.value for mode in Mode], "default": Mode.LIVE.value}
        parameters.append({"name": "X-Limen-Mode", "in": "header", "required": False, "schema": mode})
        described["security"] = [{}, {"researcher": []}]
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = {"required": True, "content": _content(operation.body)}
    described["responses"] = {
        **{str(status): _response(status, kind) for status, kind in sorted(operation.answers.items())},
        **{str(status): _problem(status) for status in operation.problems},
    }
    for status, kind in operation.answers.items():
        if kind is SessionCreated:
            described["responses"][str(status)]["links"] = _links("$response.body#/token", "/state")
        elif kind is SessionState:
            described["responses"][str(status)]["links"] = _links("$request.path.token", "")
    return described


def _links(token: str, state: str) -> dict[str, Any]:
    """Say what comes next in a session: its token goes on, and where the session stands names the next trial."""
    numbers = {
        "putPractice": f"$response.body#{state}/next_practice",
        "putTrial": f"$response.body#{state}/next_trial",
        "getTrial": f"$response.body#{state}/next_trial",
    }
    return {
        o.name: {
            "operationId": o.name,
            "parameters": {"token": token, **({"number": numbers[o.name]} if o.name in numbers else {})},
        }
        for o in OPERATIONS
        if "{token}" in o.path
    }


def _response(status: int, kind: type[Any] | None) -> dict[str, Any]:
    return {"description": _SAYS[status], **({} if kind is None else {"content": _content(kind)})}


def _problem(status: int) -> dict[str, Any]:
    return {"description": _SAYS[status], "content": _content(Problem, "application/problem+json")}


def _content(kind: type[Any], media_type: str = "application/json") -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}
