"""Rates and counts: exact binomial, intervals of a rate, equivalence to chance, critical counts.

The tails come from `scipy.special`, whose functions are those behind `scipy.stats`; tests hold them equal
to the protocol's own calls. Importing `scipy.stats` alone would take longer than the whole analysis.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special

from limen.core.analysis.crossed import crossed_mean, lacks_crossing
from limen.core.analysis.estimates import (
    Alternative,
    Estimate,
    Interval,
    Undetermined,
    check_level,
    normal_quantile,
    t_quantile,
)
from limen.core.analysis.ratings import Ratings

NO_ANSWERS = Undetermined(reason="there are no answers")
CHANCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactBinomial:
    """An exact binomial test of k in n against a probability."""

    k: int
    n: int
    probability: float
    alternative: Alternative
    p: float

    @property
    def rate(self) -> float:
        """The share k/n."""
        return self.k / self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests that a rate lies within the stretch that counts as chance.

    `p` treats the trials as independent. `established` is what decides: whether the 90 % crossed interval
    lies within `low` to `high`.
    """

    low: float
    high: float
    p_lower: float
    p_upper: float
    p: float
    crossed_interval_90: Interval | Undetermined
    established: bool | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalCounts:
    """The counts out of n from which on the two clauses of H1 hold, each by itself."""

    n: int
    above_threshold: int
    significant: int | Undetermined


def exact_binomial(
    k: int, n: int, *, probability: float = CHANCE, alternative: Alternative = "greater"
) -> ExactBinomial | Undetermined:
    """Test k successes in n against a probability, as `scipy.stats.binomtest` does.

    greater: P(X ≥ k); less: P(X ≤ k); two-sided: the sum of all P(x) ≤ P(k)·(1 + 1e-7), X ~ Bin(n, p0).

    Applies to independent trials, which answers of the same raters to the same pairs are not: this is the
    protocol's number, the crossed t stands beside it. Source: Conover (1971). Checked against R's
    `binom.test` and SciPy's `binomtest`.

    >>> round(exact_binomial(59, 100).p, 6)
    0.044313
    """
    if n == 0:
        return NO_ANSWERS
    _check_count(k, n)
    return ExactBinomial(
        k=k,
        n=n,
        probability=probability,
        alternative=alternative,
        p=_binomial_p(k, n, probability, alternative),
    )


def wilson_interval(k: int, n: int, *, level: float = 0.95) -> Interval | Undetermined:
    """Give Wilson's score interval of a rate.

    (p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n). Applies to independent trials.
    Source: Wilson (1927). Checked against R's `prop.test(correct = FALSE)`.

    >>> interval = wilson_interval(3, 15)
    >>> round(interval.low, 6), round(interval.high, 6)
    (0.070475, 0.451854)
    """
    if n == 0:
        return NO_ANSWERS
    _check_count(k, n)
    return score_interval(k / n, n, normal_quantile(level), level)


def clopper_pearson_interval(k: int, n: int, *, level: float = 0.95) -> Interval | Undetermined:
    """Give the exact interval of a rate: it covers at least as often as it promises.

    low = B(α/2; k, n−k+1), high = B(1−α/2; k+1, n−k), quantiles of the beta distribution; 0 at k = 0 and 1
    at k = n. Applies to independent trials. Source: Clopper & Pearson (1934). Checked against R's
    `binom.test`.

    >>> interval = clopper_pearson_interval(3, 15)
    >>> round(interval.low, 6), round(interval.high, 6)
    (0.043312, 0.480891)
    """
    check_level(level)
    if n == 0:
        return NO_ANSWERS
    _check_count(k, n)
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low=low, high=high, level=level)


def crossed_rate(ratings: Ratings, *, level: float = 0.95) -> Estimate | Undetermined:
    """Give the OFF rate with an interval that lets both raters and pairs vary.

    Wilson's interval with n_eff = p̂(1−p̂)/V for n, V and df of `crossed_mean`, n_eff kept within
    [min(R, I), R·I], and t_df for z. At a rate of 0 or 1, n_eff = min(R, I) and z itself.

    Applies to complete raters × pairs with at least two of each; otherwise the interval is undetermined.
    Source: the rulings of the study, section 4. Checked by simulation for its coverage.

    >>> estimate = crossed_rate(Ratings.of([[1, 1, 0], [1, 1, 1], [0, 1, 1]], ["wild"] * 3))
    >>> round(estimate.value, 4), round(estimate.interval.low, 4), round(estimate.interval.high, 4)
    (0.7778, 0.183, 0.982)
    """
    if ratings.n == 0:
        return NO_ANSWERS
    return Estimate(
        value=ratings.n_off / ratings.n,
        interval=_crossed_interval(ratings, level),
        n=ratings.n,
        method="Wilson interval with the effective number of answers; raters and pairs random",
    )


def equivalence_to_chance(
    ratings: Ratings, *, low: float = 0.40, high: float = 0.60, complete: Ratings | None = None
) -> Equivalence | Undetermined:
    """Ask whether the OFF rate is as good as chance: from `low` to `high`, 50 % ± 10 points if nothing else is said.

    p = max(P(X ≥ k | low), P(X ≤ k | high)), two exact one-sided tests on independent trials, every answer.
    What decides is whether the 90 % crossed interval, over the `complete` raters, lies within.

    Source: Schuirmann (1987), Lakens (2017). The p is checked against two calls of R's `binom.test`.

    >>> print(equivalence_to_chance(Ratings.of([[1, 0], [0, 1]], ["calm", "calm"])).established)
    False
    """
    k, n = ratings.n_off, ratings.n
    if n == 0:
        return NO_ANSWERS
    p_lower = _binomial_p(k, n, low, "greater")
    p_upper = _binomial_p(k, n, high, "less")
    crossed = crossed_rate(ratings if complete is None else complete, level=0.90)
    interval = crossed if isinstance(crossed, Undetermined) else crossed.interval
    return Equivalence(
        low=low,
        high=high,
        p_lower=p_lower,
        p_upper=p_upper,
        p=max(p_lower, p_upper),
        crossed_interval_90=interval,
        established=interval if isinstance(interval, Undetermined) else interval.within(low, high),
    )


def critical_counts(
    n: int, *, threshold: Fraction = Fraction(3, 5), alpha: float = 0.05
) -> CriticalCounts | Undetermined:
    """Say from which count on k/n lies above the threshold, and from which on the binomial p is below alpha.

    The threshold is held against k/n in integers: exactly 60 of 100 is not above 60 %. Below 5 answers no
    count is significant at 0.05. Checked against the definition, count by count.

    >>> critical_counts(100)
    CriticalCounts(n=100, above_threshold=61, significant=59)
    """
    if n == 0:
        return NO_ANSWERS
    above = math.floor(threshold * n) + 1
    counts = np.arange(n + 1)
    enough = np.flatnonzero(_upper_tail(counts, n, CHANCE) < alpha)
    return CriticalCounts(
        n=n,
        above_threshold=above,
        significant=int(enough[0])
        if enough.size
        else Undetermined(reason=f"with {n} answers even all OFF has p ≥ {alpha}"),
    )


def score_interval(rate: float, n: float, quantile: float, level: float) -> Interval:
    """Give Wilson's formula for any number of answers and any quantile."""
    square = quantile**2
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n**2))
    low = 0.0 if rate == 0 else max(0.0, middle - half)
    high = 1.0 if rate == 1 else min(1.0, middle + half)
    return Interval(low=low, high=high, level=level)


def _crossed_interval(ratings: Ratings, level: float) -> Interval | Undetermined:
    problem = lacks_crossing(ratings)
    if problem:
        return problem
    moments = crossed_mean(ratings.off)
    rate, fewest = float(moments.value), min(ratings.raters, ratings.pairs)
    if moments.variance == 0:
        return score_interval(rate, fewest, normal_quantile(level), level)
    effective = rate * (1 - rate) / float(moments.variance)
    bounded = min(max(effective, fewest), ratings.raters * ratings.pairs)
    return score_interval(rate, bounded, t_quantile(level, float(moments.df)), level)


def _binomial_p(k: int, n: int, probability: float, alternative: Alternative) -> float:
    if alternative == "greater":
        return float(_upper_tail(np.array(k), n, probability))
    if alternative == "less":
        return float(special.bdtr(k, n, probability))
    counts = np.arange(n + 1)
    log_mass = (
        special.gammaln(n + 1)
        - special.gammaln(counts + 1)
        - special.gammaln(n - counts + 1)
        + special.xlogy(counts, probability)
        + special.xlog1py(n - counts, -probability)
    )
    as_unlikely = log_mass <= log_mass[k] + 1e-7  # equal probabilities differ by rounding
    return min(1.0, float(np.exp(log_mass[as_unlikely]).sum()))


def _upper_tail(k: NDArray[np.int64], n: int, probability: float) -> NDArray[np.float64]:
    """P(X ≥ k); `bdtrc` has no value for the certain event X > −1."""
    tail: NDArray[np.float64] = np.where(k <= 0, 1.0, special.bdtrc(np.maximum(k, 1) - 1, n, probability))
    return tail


def _check_count(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no count; give 0 to {n}")
