"""The distribution of drift as it was seen, in memory that does not grow with the logs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from limen.core.protocol import DriftRange

_STEPS = 1000  # drift is remembered to the nearest thousandth
FIVE_NUMBERS = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "max": 1.0}
"""The five numbers that tell the shape of a distribution, and the shares that they stand at."""


def counted_quantile(counts: Mapping[int, int], q: float) -> int:
    """Give the smallest value that at least the share `q` of all does not exceed; there must be one."""
    wanted, seen = q * sum(counts.values()), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= wanted:
            return value
    return max(counts)


@dataclass(slots=True)
class ObservedDrift:
    """Counts drifts to the nearest thousandth."""

    counts: Counter[int] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        """How many drifts were seen."""
        return self.counts.total()

    def add(self, drift: float) -> None:
        """Count one drift."""
        self.counts[round(drift * _STEPS)] += 1

    def quantile(self, q: float) -> float:
        """Give the smallest drift that at least the share `q` of all drifts does not exceed."""
        if not self.counts:
            raise ValueError("no drift was observed")
        return counted_quantile(self.counts, q) / _STEPS

    def histogram(self, start: float, end: float, bins: int) -> tuple[int, ...]:
        """Count the drifts in so many equal stretches from `start` to `end`; what lies outside goes to the nearest."""
        found = [0] * bins
        for step, count in self.counts.items():
            place = int((step / _STEPS - start) / (end - start) * bins) if end > start else 0
            found[min(max(place, 0), bins - 1)] += count
        return tuple(found)

    def merge(self, other: "ObservedDrift") -> None:
        """Take in what another has seen."""
        self.counts += other.counts

    def within(self, band: DriftRange) -> int:
        """Count the drifts within a range."""
        return sum(count for step, count in self.counts.items() if step / _STEPS in band)

    def summary(self) -> dict[str, float]:
        """Give the five numbers that tell the shape, and how many there are; empty when there are none."""
        if not self.counts:
            return {}
        return {"n": self.n} | {name: self.quantile(q) for name, q in FIVE_NUMBERS.items()}

    def sentence(self) -> str:
        """Say the distribution in one line."""
        if not self.counts:
            return "no drift was observed"
        s = self.summary()
        return (
            f"observed drift of {self.n} {'reply' if self.n == 1 else 'replies'}: {s['min']:.3f} to {s['max']:.3f}, "
            f"median {s['median']:.3f}, quartiles {s['q25']:.3f} and {s['q75']:.3f}"
        )
