"""How many candidates fell out at each step, and why: per condition and provider."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class DropReason(StrEnum):
    """Why a candidate pair is not used, in the order of the steps. A candidate counts at the first it meets."""

    EMPTY = "empty"
    ERROR_TEXT = "error_text"
    MOCK_TEXT = "mock_text"
    REFERENCE_INVALID = "reference_invalid"
    NO_DRIFT = "no_drift"
    OUT_OF_BAND = "out_of_band"
    TOO_SHORT = "too_short"
    NO_EXCERPT = "no_excerpt"
    EXCERPT_LEFT_BAND = "excerpt_left_band"
    NO_PROVIDER = "no_provider"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    CONVERSATION_USED = "conversation_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStep:
    """What one step took away, and what was left after it. The unit is a candidate pair of replies."""

    condition: str
    provider: str
    reason: DropReason
    dropped: int
    left: int


@dataclass(slots=True)
class Tally:
    """Counts candidates while the logs stream by."""

    candidates: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str, DropReason]] = field(default_factory=Counter)

    def seen(self, condition: str, provider: str, count: int = 1) -> None:
        """Count candidates that the windows of replies allow."""
        self.candidates[condition, provider] += count

    def drop(self, condition: str, provider: str, reason: DropReason, count: int = 1) -> None:
        """Count candidates that fell out."""
        self.dropped[condition, provider, reason] += count

    def funnel(self, conditions: tuple[str, ...]) -> tuple[FunnelStep, ...]:
        """Give every step that took something away, and for each cell at least the last one."""
        steps = []
        for condition in conditions:
            for provider in sorted(p for c, p in self.candidates if c == condition):
                left = self.candidates[condition, provider]
                for reason in DropReason:
                    dropped = self.dropped[condition, provider, reason]
                    left -= dropped
                    steps.append(
                        FunnelStep(condition=condition, provider=provider, reason=reason, dropped=dropped, left=left)
                    )
        return tuple(steps)
