"""How far two groups are apart in a number or in a kind, on scales that can be compared with one another."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limen.core.analysis.estimates import Estimate, Interval, Undetermined, normal_quantile
from limen.core.analysis.generators import named_generator
from limen.core.numerals import counted

METHOD = "Hedges' g, Hedges-Olkin interval"
PERMUTATIONS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class MixDifference:
    """How differently two groups are mixed. `distance` is the share that would have to change: 0 same, 1 disjoint.

    `p` is the share of random regroupings that are at least as different.
    """

    distance: float
    p: float


def standardized_difference(first: Sequence[float], second: Sequence[float]) -> Estimate | Undetermined:
    """Give how far `second` lies above `first`, in pooled standard deviations, corrected for few members.

    g = J·(m₂ − m₁)/s with J = 1 − 3/(4·df − 1), df = n₁ + n₂ − 2; variance (n₁ + n₂)/(n₁·n₂) + g²/(2·(n₁ + n₂))
    (Hedges and Olkin 1985). The interval's coverage is tested by simulation.

    >>> found = standardized_difference([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    >>> round(found.value, 2)
    0.8
    """
    n, m = len(first), len(second)
    if min(n, m) < 2:
        return Undetermined(reason=f"{counted(min(n, m), 'pair')} in a condition; a standard deviation needs 2")
    one, other = np.asarray(first, float), np.asarray(second, float)
    apart = float(other.mean() - one.mean())
    df = n + m - 2
    spread = math.sqrt(((n - 1) * one.var(ddof=1) + (m - 1) * other.var(ddof=1)) / df)
    if spread < 1e-9 * max(1.0, float(np.abs(np.concatenate([one, other])).max())):
        if abs(apart) <= spread:
            return Undetermined(reason="every pair has the same value")
        return Undetermined(reason=f"one value in each condition: {one[0]:g} and {other[0]:g}")
    g = (1 - 3 / (4 * df - 1)) * apart / spread
    half = normal_quantile(0.95) * math.sqrt((n + m) / (n * m) + g * g / (2 * (n + m)))
    return Estimate(value=g, interval=Interval(low=g - half, high=g + half), n=n + m, method=METHOD)


def mix_difference(first: Sequence[str], second: Sequence[str], seed: int, name: str) -> MixDifference | Undetermined:
    """Compare how two groups are made up of kinds: half the sum of the absolute differences of shares.

    >>> mix_difference(["a", "a"], ["a", "b"], 1, "example").distance
    0.5
    """
    if not first or not second:
        return Undetermined(reason="a condition without pairs")
    kinds = sorted({*first, *second})
    of_all = np.array([kinds.index(kind) for kind in (*first, *second)])
    orders = np.tile(of_all, (PERMUTATIONS + 1, 1))
    orders[1:] = named_generator(seed, name).permuted(orders[1:], axis=1)
    shares = [
        np.stack([(part == k).mean(axis=1) for k in range(len(kinds))], axis=1)
        for part in (orders[:, : len(first)], orders[:, len(first) :])
    ]
    distances = np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    return MixDifference(distance=float(distances[0]), p=float(np.mean(distances >= distances[0] - 1e-9)))


def count_kinds(kinds: Sequence[str]) -> dict[str, int]:
    """Count how often each kind stands there, the most frequent first."""
    return dict(sorted(Counter(kinds).items(), key=lambda item: (-item[1], item[0])))
