"""Do two numbers put the same things in the same order?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Undetermined

_FEWEST = 3


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | Undetermined:
    """Give Spearman's ρ: Pearson's correlation of the ranks, ties sharing their mean rank.

    From −1 (reversed order) over 0 (no order in common) to 1 (the same order). Undetermined for fewer than three
    pairs, or when one side is all the same. Source: Spearman (1904). Checked against scipy.stats.spearmanr.

    >>> rank_correlation([1, 2, 3, 4], [10, 30, 20, 40])
    0.8
    """
    if len(one) != len(other):
        raise ValueError("each number has one beside it")
    if len(one) < _FEWEST:
        return Undetermined(reason=f"fewer than {_FEWEST} values")
    x, y = _ranks(one), _ranks(other)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    if spread == 0:
        return Undetermined(reason="all values are the same")
    return max(-1.0, min(1.0, float(x @ y) / spread))


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Give each value's rank from 1, ties sharing their mean."""
    _, place, times = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    mean = np.cumsum(times) - (times - 1) / 2
    return np.asarray(mean[place])
