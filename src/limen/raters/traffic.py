"""What went over the line while raters took the survey: how much, how fast, and what failed."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficSummary:
    """Requests in numbers. `errors` are those that were given up; times are of answered requests, in milliseconds."""

    requests: int
    errors: int
    retries: int
    p50_ms: float
    p99_ms: float
    wall_s: float

    def sentence(self) -> str:
        """Say it in one line."""
        if not self.requests:
            return "no request was sent"
        return (
            f"{self.requests:,} requests in {self.wall_s:.1f} s; half answered within {self.p50_ms:.1f} ms, "
            f"99 % within {self.p99_ms:.1f} ms; {self.retries} tried again, {self.errors} failed"
        )


@dataclass(slots=True)
class Traffic:
    """Counts requests as they are answered."""

    times_ms: list[float] = field(default_factory=list)
    retries: int = 0
    errors: int = 0

    def summary(self, wall_s: float) -> TrafficSummary:
        """Give the numbers of the whole run, which took so long."""
        return TrafficSummary(
            requests=len(self.times_ms),
            errors=self.errors,
            retries=self.retries,
            p50_ms=_quantile(self.times_ms, 0.50),
            p99_ms=_quantile(self.times_ms, 0.99),
            wall_s=wall_s,
        )


def _quantile(values: list[float], share: float) -> float:
    """Give the smallest value that at least this share of the values does not exceed; 0 for none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
