"""A conversation between somebody and a model, as it was logged.

Only turns with the role `assistant` are the subject's. Replies are numbered by their place in the drift
sequence, from 1: the reference has no number, nor has a reply that the sequence leaves out.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeGuard

from limen.core.flags import SELF_REFERENCE

UNNUMBERED = "unnumbered"
"""Flag of a turn that stands outside the drift sequence, such as a final snapshot."""

LARGEST_DRIFT = 1_000_000.0
"""No metric gives more; a log that says so is damaged."""

LONGEST_ERROR_WORDS = 40
"""A text of more words is a reply, whatever it begins with."""

LANGUAGE = "language"
"""The tag that holds the language a log records for a conversation, as the log calls it."""


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    OTHER = "other"


class DriftSource(StrEnum):
    """Whether a drift was taken over from the log or computed by Limen."""

    RECORDED = "recorded"
    COMPUTED = "computed"


class ReplyProblem(StrEnum):
    """Why a text is not a reply of the model. Such a text has no drift, which is not a drift of 0."""

    EMPTY = "empty"
    ERROR_TEXT = "error_text"
    MOCK_TEXT = "mock_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftOrigin:
    """Where the drifts of a conversation come from. A number without it means nothing."""

    metric: str  # "keyword-rms/s7"; "unknown" where the log does not say
    reference: str  # "turn:1", "replies:1-5"
    low: float
    high: float | None  # None: unbounded
    source: DriftSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said. `drift` is None where there is none, never 0 in its place."""

    i: int
    role: Role
    text: str
    drift: float | None = None
    is_reference: bool = False
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.drift is not None and not 0 <= self.drift <= LARGEST_DRIFT:
            raise ValueError(f"a drift is a number from 0 to {LARGEST_DRIFT:,.0f}, not {str(self.drift)[:20]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A turn of the subject with its number in the drift sequence."""

    number: int
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A logged conversation. `provider` is None where neither record nor model name tells it."""

    id: str
    turns: tuple[Turn, ...]
    model: str | None = None
    provider: str | None = None
    topic: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    drift: DriftOrigin | None = None

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The subject's replies in the drift sequence, numbered from 1."""
        return tuple(Reply(number=n, turn=turn) for n, turn in enumerate(self.reply_turns, 1))

    @property
    def reply_turns(self) -> tuple[Turn, ...]:
        """The turns of the replies, without their numbers."""
        return tuple(
            turn
            for turn in self.turns
            if turn.role is Role.ASSISTANT and not turn.is_reference and UNNUMBERED not in turn.flags
        )

    @property
    def first_user_text(self) -> str:
        """What the user said first; empty when no user spoke."""
        return next((turn.text for turn in self.turns if turn.role is Role.USER), "")


def is_drift(value: object) -> TypeGuard[float]:
    """Tell whether what a log holds can be a drift: a number from 0 to the largest there is."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_DRIFT


def reply_problem(text: str) -> ReplyProblem | None:
    """Say why `text` is not a reply of the model, or None if it is one.

    Error and mock strings are short; a long text that begins with the word "Error" is a reply.
    """
    if not text.strip():
        return ReplyProblem.EMPTY
    if len(text.split(None, LONGEST_ERROR_WORDS + 1)) > LONGEST_ERROR_WORDS:
        return None
    if _MOCK.search(text):
        return ReplyProblem.MOCK_TEXT
    return ReplyProblem.ERROR_TEXT if _ERROR.match(text.strip()) else None


def reference_texts(conversation: Conversation) -> tuple[str, ...]:
    """Give the texts that the conversation's drift was measured against, in order; empty when unknown."""
    marked = tuple(turn.text for turn in conversation.turns if turn.is_reference)
    if marked:
        return marked
    span = _span(conversation)
    return tuple(turn.text for turn in conversation.reply_turns[max(0, span.start - 1) : span.stop - 1]) if span else ()


def reference_problem(conversation: Conversation) -> ReplyProblem | None:
    """Say why the reference is no reply of the model: then no drift of this conversation counts.

    A reference of several replies is broken by an error among them, or when all of them are empty.
    """
    problems = [reply_problem(text) for text in reference_texts(conversation)]
    broken = [problem for problem in problems if problem in (ReplyProblem.ERROR_TEXT, ReplyProblem.MOCK_TEXT)]
    if broken:
        return broken[0]
    return ReplyProblem.EMPTY if problems and all(problems) else None


def without_void_drift(conversation: Conversation) -> Conversation:
    """Take away every drift that measures nothing and flag the replies that are in their own reference."""
    void = reference_problem(conversation) is not None
    span = _span(conversation)
    numbers = {reply.turn.i: reply.number for reply in conversation.replies}
    turns = []
    for turn in conversation.turns:
        drift = None if void or reply_problem(turn.text) else turn.drift
        flags = turn.flags
        if numbers.get(turn.i, 0) in span and SELF_REFERENCE not in flags:
            flags = (*flags, SELF_REFERENCE)
        turns.append(replace(turn, drift=drift, flags=flags))
    return replace(conversation, turns=tuple(turns))


_ERROR = re.compile(
    r"""[\[(<*\s]*(?:
        error\b(?:\s*[:\]>)]|\s+(?:capturing|calling|generating|in|code|occurred|while|during|from|\d)|$)
      | (?:an?\s+)?(?:api|http|server|internal|network|timeout|connection|rate[\s_-]?limit|request)
        \s*(?:error|exceeded|timed\s+out|failed)
      | traceback\s+\(most\s+recent\s+call
      | (?:\w+\.)*\w+(?:Error|Exception)\s*:
      | (?:no|empty)\s+response\b[.\]>)\s]*$
      | (?:failed|unable)\s+to\s+(?:get|generate|capture|fetch)\s+(?:a\s+)?(?:response|reply|completion)
      | (?:too\s+many\s+requests|service\s+unavailable|gateway\s+time-?out|bad\s+gateway|quota\s+exceeded)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_MOCK = re.compile(
    r"\[\s*(?:mock|dry[\s_-]?run|simulated|placeholder)\b"
    r"|\bmock(?:ed)?[\s_-](?:response|reply|text|answer)\b|\blorem ipsum\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"replies:(\d{1,9})-(\d{1,9})")


def _span(conversation: Conversation) -> range:
    """The numbers of the replies that together are the reference; empty when it is one marked turn."""
    match = _SPAN.fullmatch(conversation.drift.reference) if conversation.drift else None
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)
