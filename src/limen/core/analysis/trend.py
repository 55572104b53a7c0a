"""Does the OFF rate move along the trials?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import ChiSquare, Undetermined

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A trend within raters: its test, and the change of the OFF rate from one trial to the next."""

    test: ChiSquare
    change_per_trial: float


def trend_over_trials(rater: Whole, trial_number: Whole, off: Flags) -> Trend | Undetermined:
    """Test whether OFF is said more, or less, often the later a trial comes, each rater being a stratum.

    S = Σ_r Σ_t (y_rt − ȳ_r)(x_rt − x̄_r), V = Σ_r [Σ(y−ȳ_r)²·Σ(x−x̄_r)²/(n_r−1)], χ² = S²/V with one degree of
    freedom; the change per trial is S / Σ_r Σ(x−x̄_r)², the slope within raters.

    V is the variance of S over all orders in which a rater could have met the same pairs, so the test holds whatever
    the pairs and raters are like, as long as the order was drawn at random for each rater. Source: Mantel (1963).
    With one rater χ² = (n−1)·r². Checked against that, and against all orders drawn one by one.

    >>> trend = trend_over_trials(np.zeros(4, int), np.arange(4), np.array([False, False, True, True]))
    >>> round(trend.test.statistic, 4), trend.change_per_trial
    (2.4, 0.4)
    """
    if rater.size == 0:
        return Undetermined(reason="there are no answers")
    raters = int(rater.max()) + 1
    n = np.bincount(rater, minlength=raters).astype(np.float64)
    x, y = trial_number.astype(np.float64), off.astype(np.float64)

    def centered(values: NDArray[np.float64]) -> NDArray[np.float64]:
        means = np.bincount(rater, values, raters) / np.maximum(n, 1)
        return np.asarray(values - means[rater])

    dx, dy = centered(x), centered(y)
    within_x = np.bincount(rater, dx**2, raters)
    variance = float((np.bincount(rater, dy**2, raters) * within_x / np.maximum(n - 1, 1))[n > 1].sum())
    if variance < 1e-9:
        return Undetermined(reason="no rater gave different answers at different trials")
    covariance = float((dx * dy).sum())
    return Trend(
        test=ChiSquare(statistic=covariance**2 / variance, dof=1),
        change_per_trial=covariance / float(within_x.sum()),
    )
