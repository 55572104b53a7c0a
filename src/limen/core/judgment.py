"""The one question of the study, its two answers, and an answer with how it was given."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Response(StrEnum):
    """What a participant can say of Response B. The values are the ones that files hold."""

    NORMAL = "NORMAL"
    SOMETHINGS_OFF = "SOMETHINGS_OFF"


class InputKind(StrEnum):
    """What an answer was given with."""

    POINTER = "pointer"
    TOUCH = "touch"
    KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One showing of a trial: a reload begins another. `started` is by the participant's clock."""

    visible_ms: int
    hidden_ms: int
    started: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """An answer with how it was given; `response_time_ms` is visible time over all attempts, on a monotonic clock."""

    response: Response
    response_time_ms: int
    client_time: datetime
    queued_offline: bool
    attempts: tuple[Attempt, ...]
    focus_losses: int
    focus_lost_ms: int
    copies: int
    b_seen: float  # share of Response B that was on the screen
    input: InputKind
    viewport_width: int
    viewport_height: int

    @property
    def page_ms(self) -> int:
        """How long the trial was open, visible or not, by the page's monotonic clock."""
        return sum(attempt.visible_ms + attempt.hidden_ms for attempt in self.attempts)
