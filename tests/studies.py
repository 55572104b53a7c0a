"""Studies, clocks, answers and a stand-in page for the tests of the survey: plain functions with good defaults."""

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from builders import a_pair, a_shown_reply, prose, s3
from limen.core.judgment import Attempt, InputKind, Judgment, Response
from limen.core.protocol import CheckKind, Protocol, ResumePolicy
from limen.core.stimuli import CheckStimulus, Stimulus, StimulusSet
from limen.workflow.answering import Visit
from limen.workflow.participate import Application
from limen.workflow.served import ServedStudy, serve_study

START = datetime(2026, 1, 5, 9, 0, 0, 123456, tzinfo=UTC)

QUALIFIES = {"english": "yes", "ai_use": "yes", "exposure": "no", "adult": "yes"}

STAND_IN_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Survey</title><style>body{margin:0}</style>'
    '</head><body><main></main><script type="application/json" id="limen-boot">__LIMEN_BOOT__</script>'
    "<script>document.title=1</script></body></html>\n"
)

_AWKWARD = ('She said "no" \\ or\n\tso', "été — 日本語 \u200f\u200b", "<script>alert(1)</script> &amp;", "plain")


@cache
def a_stimulus_set(awkward: bool = False) -> StimulusSet:
    """Build the pairs and checks of the built-in protocol; awkward texts hold what JSON and HTML must escape."""

    def text(seed: str, n: int) -> str:
        return prose(240, seed) + (f" {_AWKWARD[n % len(_AWKWARD)] * (1 + n % 7)}" if awkward else "")

    stimuli = []
    for condition in s3().conditions:
        for n in range(1, condition.count + 1):
            pair_id = f"{condition.prefix}_{n:02d}"
            pair = a_pair(
                condition.name,
                conversation=pair_id,
                provider=("anthropic", "openai", "google", "xai", "deepseek")[n % 5],
                a=a_shown_reply(1, text(f"{pair_id}/a", n)),
                b=a_shown_reply(4, text(f"{pair_id}/b", n + 1), 1.2345 if condition.prefix == "CAT" else 0.2345),
            )
            context = f"A talk about {prose(3, pair_id)}"
            stimuli.append(Stimulus(pair_id=pair_id, pair=replace(pair, context=context, model="claude-opus-4")))
    return StimulusSet(
        stimuli=tuple(stimuli),
        checks=tuple(_check(n) for n in range(len(s3().attention_checks))),
        shortfalls=(),
        spares_missing=0,
        funnel=(),
        strict_count=0,
        metric="keyword-rms/s7",
        bands={condition.name: condition.drift for condition in s3().conditions},
        standing=None,
        selection_digest=s3().selection_digest(),
    )


def a_protocol(*, on_return: ResumePolicy = ResumePolicy.RESUME, hours: int = 72) -> Protocol:
    return replace(s3(), survey=replace(s3().survey, on_return=on_return, resume_within_hours=hours))


def a_study(protocol: Protocol | None = None, *, live: bool = True, awkward: bool = False) -> ServedStudy:
    return serve_study(protocol or s3(), a_stimulus_set(awkward), live=live)


def a_judgment(response: Response = Response.NORMAL, **changes: Any) -> Judgment:
    given: dict[str, Any] = {
        "response": response,
        "response_time_ms": 20_000,
        "client_time": START + timedelta(hours=1),
        "queued_offline": False,
        "attempts": (Attempt(visible_ms=20_000, hidden_ms=500, started=START),),
        "focus_losses": 0,
        "focus_lost_ms": 0,
        "copies": 0,
        "b_seen": 1.0,
        "input": InputKind.POINTER,
        "viewport_width": 1440,
        "viewport_height": 900,
    }
    return Judgment(**{**given, **changes})


def an_answer(response: str = "NORMAL", *, tab: str = "tab-1", **changes: Any) -> dict[str, Any]:
    """Build an answer as the page sends it."""
    return {
        "response": response,
        "response_time_ms": 8432,
        "client_time": "2026-01-05T10:00:00.123Z",
        "queued_offline": False,
        "attempts": [{"visible_ms": 8432, "hidden_ms": 0, "started": "2026-01-05T09:59:51.691Z"}],
        "focus_losses": 0,
        "focus_lost_ms": 0,
        "copies": 0,
        "b_seen": 0.97,
        "input": "key",
        "viewport": {"width": 390, "height": 844},
        "tab": tab,
        **changes,
    }


def an_application(study: ServedStudy, **changes: Any) -> dict[str, Any]:
    """Build what the page sends after consent and screening."""
    return {"consent_version": study.blinded.consent_version, "screening": QUALIFIES, "tab": "tab-1", **changes}


def applies(study: ServedStudy, **changes: Any) -> Application:
    from limen.core.sessions import Mode

    given: dict[str, Any] = {
        "mode": Mode.LIVE,
        "consent_version": study.blinded.consent_version,
        "screening": QUALIFIES,
    }
    return Application(**{**given, **changes})


def a_visit(token: str, *, tab: str = "tab-1", after: timedelta = timedelta()) -> Visit:
    return Visit(token=token, tab=tab, now=START + after)


def an_answer_for(token: str, number: int) -> str:
    """Choose an answer that depends on nothing but the trial, so that it can be checked later."""
    return list(Response)[hashlib.sha256(f"{token}{number}".encode()).digest()[0] % 2].value


@dataclass
class SteppedClock:
    """A clock that goes on by a second whenever it is asked."""

    time: datetime = START
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        self.time += self.step
        return self.time


@dataclass
class CountedSecrets:
    """Tokens that anyone can guess, the same in every run: for tests only."""

    given: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def token(self) -> str:
        with self.lock:
            self.given += 1
            return hashlib.sha256(f"secret {self.given}".encode()).hexdigest()[:22]

    def code(self, length: int) -> str:
        return self.token().upper()[:length]


def forbidden_values(study: ServedStudy) -> Mapping[str, str]:
    """Give every value of the study that would unblind, with what it is."""
    values = {
        "0.2345": "drift",
        "1.2345": "drift",
        "claude": "model",
        "keyword-rms": "metric",
        "ATTENTION": "condition",
    }
    for condition in study.protocol.conditions:
        values[condition.name] = "condition"
    for s in study.stimuli.stimuli:
        values[s.pair_id] = "pair id"
        values[s.pair.provider] = "provider"
    for c in study.stimuli.checks:
        values[c.check_id] = "check id"
    return values


def _check(n: int) -> CheckStimulus:
    check = s3().attention_checks[n]
    same = prose(230, check.id)
    other = same if check.kind is CheckKind.IDENTICAL else "Qxz plmk wvrt njkl bghf. " * 45
    return CheckStimulus(
        check_id=check.id,
        kind=check.kind,
        position=check.position,
        expected=check.expected,
        context=check.context or "A talk about gardens.",
        response_a=check.response_a or same,
        response_b=check.response_b or other,
        source=None,
    )
