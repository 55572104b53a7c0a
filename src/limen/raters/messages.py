"""The steps of a rater as the page sends them, and what the page finds in itself."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from limen.core.blinding import ShownTexts
from limen.core.judgment import Judgment
from limen.core.sessions import StrategyAnswer
from limen.core.simulated_visit import Action, Completed, Debriefed, Judged, Looked, Painted, Practiced
from limen.errors import DataError

_BOOT = re.compile(r'<script\b[^>]*id="limen-boot"[^>]*>(.*?)</script>', re.DOTALL)


def consent_version_of(page: str) -> str:
    """Give the version of the consent text that a page shows; raise DataError for what is no page of the survey."""
    found = _BOOT.search(page)
    try:
        return str(json.loads(found[1])["study"]["consent_version"]) if found else _no_page()
    except (ValueError, KeyError, TypeError):
        return _no_page()


def put_of(step: Action) -> tuple[str, dict[str, Any]]:
    """Give where in the session a step is put, and with what."""
    match step:
        case Looked():
            return f"screens/{step.screen}", {"visible_ms": step.visible_ms}
        case Practiced():
            return f"practice/{step.number}", _answer(step.judgment)
        case Painted():
            return "painted", {"client_time": _time(step.at)}
        case Judged():
            return f"trials/{step.number}", _answer(step.judgment)
        case Debriefed():
            return f"debrief/{step.question}", _debrief(step)
        case Completed():
            return "completion", {"main_task_ms": step.main_task_ms}


def texts_of(trial: Mapping[str, Any]) -> ShownTexts:
    """Give what a trial shows."""
    return ShownTexts(**{name: str(trial[name]) for name in ("context", "response_a", "response_b")})


def _answer(judgment: Judgment) -> dict[str, Any]:
    return {
        "response": str(judgment.response),
        "response_time_ms": judgment.response_time_ms,
        "client_time": _time(judgment.client_time),
        "queued_offline": judgment.queued_offline,
        "attempts": [
            {"visible_ms": one.visible_ms, "hidden_ms": one.hidden_ms, "started": _time(one.started)}
            for one in judgment.attempts
        ],
        "focus_losses": judgment.focus_losses,
        "focus_lost_ms": judgment.focus_lost_ms,
        "copies": judgment.copies,
        "b_seen": judgment.b_seen,
        "input": str(judgment.input),
        "viewport": {"width": judgment.viewport_width, "height": judgment.viewport_height},
    }


def _debrief(step: Debriefed) -> dict[str, Any]:
    answer = step.answer
    if isinstance(answer, StrategyAnswer):
        return {"options": list(answer.options), "other": answer.other, "skipped": answer.skipped}
    return {"age": answer.age, "use": answer.use, "skipped": answer.skipped}


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _no_page() -> str:
    raise DataError("what the server gives out is no page of the survey; see that the address is right")
