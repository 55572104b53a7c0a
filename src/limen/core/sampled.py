"""Which stretches of drift were shown, and which lie open between them."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from limen.core.protocol import DriftRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A stretch of drift between two sampled ones that no condition samples."""

    start: float
    end: float

    def __str__(self) -> str:
        return str(DriftRange(above=self.start, below=self.end))


def along_the_axis(ranges: Iterable[DriftRange]) -> tuple[DriftRange, ...]:
    """Put ranges in the order of drift, each once: a control may have the baseline's.

    >>> [str(r) for r in along_the_axis([DriftRange(above=1.0), DriftRange(below=0.3), DriftRange(below=0.3)])]
    ['< 0.30', '> 1.00']
    """
    return tuple(sorted(dict.fromkeys(ranges), key=lambda each: (_start(each), _end(each))))


def unsampled(ranges: Iterable[DriftRange]) -> tuple[Gap, ...]:
    """Give what the ranges leave open between them.

    >>> [str(gap) for gap in unsampled([DriftRange(above=1.0), DriftRange(below=0.3)])]
    ['0.30–1.00']
    """
    ordered = along_the_axis(ranges)
    reached = itertools.accumulate(map(_end, ordered), max)
    return tuple(
        Gap(start=end, end=_start(after))
        for end, after in zip(reached, ordered[1:], strict=False)
        if end < _start(after)
    )


def sampled_drift(ranges: Iterable[DriftRange], metric: str | None, standing: str | None = None) -> str:
    """Say which stretches of drift were shown, and that nothing is known of those between."""
    stretches = along_the_axis(ranges)
    named = f"metric {metric}" + (f": {standing}" if standing else "") if metric else "the table names no metric"
    gaps = unsampled(stretches)
    shown = f"drift {_listed(stretches)} ({named}) was sampled"
    if not gaps:
        return f"{shown[0].upper()}{shown[1:]}, without a gap; the outcome looks for no boundary within."
    if len(stretches) == 2:
        return f"Only {shown}, so a boundary, if there is one, lies between."
    return f"Only {shown}; of {_listed(gaps)} nothing is known."


def _start(each: DriftRange) -> float:
    return -math.inf if each.above is None else each.above


def _end(each: DriftRange) -> float:
    return math.inf if each.below is None else each.below


def _listed(parts: Iterable[object]) -> str:
    texts = [str(part) for part in parts]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
