"""Errors as RFC 9457 problem details: stable for machines, plain for people."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response

from limen.errors import StoreUnavailableError
from limen.survey.wire import Problem, encode
from limen.workflow.answering import Reason, Refusal

RETRY_AFTER_S = 1

_STATUS = {
    Reason.UNKNOWN_SESSION: 404,
    Reason.NO_SUCH_TRIAL: 404,
    Reason.WITHDRAWN: 410,
    Reason.TOO_OLD: 410,
    Reason.RESTART: 410,
    Reason.BLOCKED: 410,
    Reason.STUDY_CHANGED: 410,
    Reason.SCREENING_INCOMPLETE: 422,
    Reason.NO_SUCH_OPTION: 422,
}
_OTHERWISE = 409

_TITLES = {400: "bad-request", 403: "forbidden", 404: "not-found", 405: "method-not-allowed", 500: "error"}


class ProblemError(Exception):
    """Raised when a request cannot be used as it is."""

    def __init__(self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.headers = headers
        self.status = status
        self.kind = kind
        self.detail = detail


def problem(status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Give a problem as an answer."""
    return _answer(Problem(type=f"about:blank#{kind}", title=_title(kind), status=status, detail=detail), headers)


def refused(refusal: Refusal) -> Response:
    """Give a use case's refusal as an answer."""
    status = _STATUS.get(refusal.reason, _OTHERWISE)
    return _answer(
        Problem(
            type=f"about:blank#{refusal.reason}",
            title=_title(refusal.reason),
            status=status,
            detail=refusal.detail,
            expected=refusal.expected,
            stored=refusal.stored,
        )
    )


def answer_to(error: Exception) -> Response:
    """Give the answer to a request that ended in an error; 500 for one that should not happen."""
    if isinstance(error, ProblemError):
        return problem(error.status, error.kind, error.detail, error.headers)
    if isinstance(error, HTTPException):  # an address or a method that there is not
        return problem(error.status_code, _TITLES.get(error.status_code, "error"), f"{error.detail}.", error.headers)
    if isinstance(error, StoreUnavailableError):  # nothing is lost, the page tries again
        detail = "The answer could not be stored just now. Please try again."
        return problem(503, "unavailable", detail, {"Retry-After": str(RETRY_AFTER_S)})
    return problem(500, "error", "Something went wrong here.")


def _answer(found: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encode(found), found.status, headers, media_type="application/problem+json")


def _title(kind: str) -> str:
    return kind.replace("-", " ").capitalize()
