"""Every word that a participant reads, screen by screen. Words are data: they stand in study.toml."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum

from limen.errors import require

PLACEHOLDERS = {
    "consent.paragraphs": ("public_name", "minutes"),
    "consent.contact": ("public_name", "minutes"),
    "screening.lead": ("public_name", "minutes"),
    "screening.questions.text": ("public_name", "minutes"),
    "trial.practice_title": ("n", "total"),
    "trial.title": ("n", "total"),
    "trial.expected_answer": ("answer", "because"),
}
"""What is filled in, by the place of the text; nothing is filled in anywhere else."""

HYPOTHESIS_WORDS = ("drift", "detect", "threshold", "boundar", "identit", "limen", "perturb")
"""Beginnings of words that no text of ours says to a participant: they would tell the hypothesis."""


class YesNo(StrEnum):
    """The two answers to a screening question."""

    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentWording:
    """The first screen. `{public_name}` and `{minutes}` are filled in."""

    title: str
    paragraphs: tuple[str, ...]
    agree: str
    decline: str
    declined_title: str
    declined: str
    contact: str = ""  # whom to ask; the last paragraph where it is given


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningQuestion:
    """A criterion of inclusion, and the answer that meets it. `{public_name}` is filled in."""

    id: str
    text: str
    qualifying: YesNo


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningWording:
    """The inclusion criteria as questions."""

    title: str
    lead: str
    questions: tuple[ScreeningQuestion, ...]
    yes: str
    no: str
    button: str
    screened_out_title: str
    screened_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsWording:
    """What the task is."""

    title: str
    paragraphs: tuple[str, ...]
    task_label: str
    task_normal: str
    task_or: str
    task_off: str
    tips_label: str
    tips: tuple[str, ...]
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialWording:
    """What stands around the two responses. `{n}` and `{total}` are filled in."""

    practice_title: str
    title: str
    context_label: str
    response_a_label: str
    response_b_label: str
    question: str
    normal: str
    off: str
    expected_answer: str
    break_title: str
    break_text: str
    break_button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyWording:
    """Debrief question D1: why SOMETHING'S OFF was chosen."""

    title: str
    question: str
    hint: str
    options: tuple[str, ...]
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemographicsWording:
    """Debrief question D2: age range and use of AI assistants."""

    title: str
    age_question: str
    age_options: tuple[str, ...]
    use_question: str
    use_options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DebriefWording:
    """The optional questions after the last trial."""

    strategy: StrategyWording
    demographics: DemographicsWording
    continue_button: str
    skip_button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThanksWording:
    """The last screen; `lines` are the instrument's, the labels stand apart from them."""

    title: str
    lines: tuple[str, ...]
    completion_label: str
    withdrawal_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopWording:
    """Stopping early, from any screen."""

    button: str
    title: str
    text: str
    keep: str
    delete: str
    back: str
    kept: str
    deleted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """All screens in their order, and stopping."""

    consent: ConsentWording
    screening: ScreeningWording
    instructions: InstructionsWording
    trial: TrialWording
    debrief: DebriefWording
    thanks: ThanksWording
    stop: StopWording


def check_placeholders(wording: Wording) -> None:
    """Raise ValueError for a placeholder that nothing fills in: participants would read it as it stands."""
    for place, text in _texts(wording, ""):
        allowed = [f"{{{name}}}" for name in PLACEHOLDERS.get(re.sub(r"\[\d+\]", "", place), ())]
        for found in re.findall(r"\{[^{}]*\}", text):
            require(
                found in allowed,
                f"wording.{place}: nothing is filled in for {found}; allowed here: {', '.join(allowed) or 'none'}",
            )


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Give every text with its place, such as consent.paragraphs[1]."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _texts(each, f"{place}[{number}]")
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), f"{place}.{field.name}".lstrip("."))
