"""The survey as one HTML file that asks no server for anything.

Opaque is not encrypted: who reads the file's source can see the texts ahead, but no condition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from limen.core.blinding import BlindedStudy, BlindedTrial
from limen.errors import NotReadyError
from limen.survey.padding import constant_overhead, padded
from limen.survey.page import fill_page, security_policy
from limen.survey.wire import StaticBoot, StaticPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindedPlan:
    """One order of trials under a short code, without anything that tells what they are."""

    code: str
    trials: tuple[BlindedTrial, ...]


def static_page(
    built: str,
    *,
    study_id: str,
    pilot: bool,
    study: BlindedStudy,
    qualifying: Mapping[str, str],
    plans: Sequence[BlindedPlan],
) -> str:
    """Give the page with the study and all its sealed plans inside, under a policy that lets no request out."""
    overhead = constant_overhead(trial for plan in plans for trial in plan.trials)
    boot = StaticBoot(
        kind="static",
        study_id=study_id,
        mode="pilot" if pilot else "live",
        study=study,
        qualifying={question: "yes" if answer == "yes" else "no" for question, answer in qualifying.items()},
        plans=tuple(
            StaticPlan(code=plan.code, trials=tuple(padded(trial, overhead) for trial in plan.trials)) for plan in plans
        ),
    )
    return fill_page(_with_policy(built), boot)


def _with_policy(built: str) -> str:
    policy = security_policy(built, connect="'none'", form="'none'")
    before, head, after = built.partition("<head>")
    if not head:
        raise NotReadyError("the participant's page has no <head>; run scripts/build-page again")
    return f'{before}{head}<meta http-equiv="Content-Security-Policy" content="{policy}">{after}'
