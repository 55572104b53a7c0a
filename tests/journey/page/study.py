"""The example study as the page gets it: real words, real pairs, and boots for both ways of giving the page out."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from limen.core.blinding import BlindedStudy, BlindedTrial, blind_session, blind_study
from limen.core.ordering import plan_session
from limen.core.stimuli import StimulusSet
from limen.demo.example import example_log
from limen.logs.reading import LogFiles
from limen.metrics.registry import MetricShelf
from limen.study.protocol_file import built_in_protocol
from limen.survey.page import FIRST_SCREEN, PLACEHOLDER, fill_page
from limen.survey.wire import Boot, StaticBoot, StaticPlan, TrialMessage
from limen.workflow.preparation import PrepareOptions
from limen.workflow.prepare import prepare_pairs

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / "src" / "limen" / "survey" / "built" / "page.html"
QUALIFYING = {q.id: q.qualifying for q in built_in_protocol().wording.screening.questions}
NORMAL, OFF = "NORMAL", "SOMETHINGS_OFF"


@cache
def example_stimuli(folder: Path) -> StimulusSet:
    log = folder / "example.jsonl"
    log.write_bytes(example_log())
    prepared = prepare_pairs(
        built_in_protocol(), LogFiles(names=[str(log)]), MetricShelf(folder / "lexicons"), PrepareOptions()
    )
    assert prepared.stimuli.complete
    return prepared.stimuli


def example_study(stimuli: StimulusSet) -> BlindedStudy:
    return blind_study(built_in_protocol(), stimuli)


def trials_of(stimuli: StimulusSet, participant: int) -> tuple[BlindedTrial, ...]:
    """Give one participant's trials with opaque tokens."""
    plan = plan_session(built_in_protocol(), stimuli, f"order/{participant}")

    def token(number: int) -> str:
        return hashlib.sha256(f"{participant}/{number}".encode()).hexdigest()[:22]

    return blind_session(example_study(stimuli), plan, stimuli, token).trials


def message(trial: BlindedTrial) -> TrialMessage:
    texts = {"context": trial.context, "response_a": trial.response_a, "response_b": trial.response_b}
    return TrialMessage(token=trial.token, pad="", **texts)


def with_feedback(study: BlindedStudy, feedback: str) -> BlindedStudy:
    return replace(study, practice=tuple(replace(trial, feedback=feedback) for trial in study.practice))


def static_boot(
    study: BlindedStudy, plans: Sequence[tuple[str, Sequence[BlindedTrial]]], *, pilot: bool = False
) -> StaticBoot:
    return StaticBoot(
        kind="static",
        study_id="Zt3kQ",
        mode="pilot" if pilot else "live",
        study=study,
        qualifying={question: "yes" if answer == "yes" else "no" for question, answer in QUALIFYING.items()},
        plans=tuple(StaticPlan(code=code, trials=tuple(map(message, trials))) for code, trials in plans),
    )


def policy(html: str, connect: str) -> str:
    """Give the content security policy of the contract for a built page."""

    def digest(tag: str) -> str:
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in found]
        return " ".join(f"'sha256-{digest}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {digest('script')}; style-src {digest('style')}; connect-src {connect}; "
        "img-src data:; base-uri 'none'; form-action 'self'"
    )


def filled(html: str, boot: Boot | StaticBoot) -> str:
    """Put a boot into the page's placeholders."""
    assert html.count(PLACEHOLDER) == html.count(FIRST_SCREEN) == 1
    return fill_page(html, boot)


def static_file(html: str, boot: StaticBoot) -> str:
    """Give the page as one file that lets no request out."""
    rules = policy(html, connect="'none'")
    meta = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    return filled(html.replace("<head>", f"<head>{meta}"), boot)
