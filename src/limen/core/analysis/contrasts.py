"""Crossed t tests: one selection of pairs against chance, and two selections against each other.

Raters and pairs are both random. Every test answers from the table of answers alone, or says why not.
"""

import math
from dataclasses import dataclass

from scipy import special

from limen.core.analysis.crossed import (
    CrossedVariance,
    crossed_mean,
    crossed_mean_difference,
    lacks_crossing,
)
from limen.core.analysis.estimates import Interval, Undetermined, t_quantile
from limen.core.analysis.ratings import Contrast, Ratings

ALL_ALIKE = Undetermined(reason="the answers do not vary, so there is no standard error")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedT:
    """A crossed t test. `value` is the rate or the difference of rates that was tested.

    `p_one_sided` is for more OFF than under the null hypothesis. Where answers do not vary, `t`, `df` and
    the intervals are undetermined and the p values are exact counting arguments.
    """

    value: float
    t: float | Undetermined
    df: float | Undetermined
    p_one_sided: float
    p_two_sided: float
    interval_95: Interval | Undetermined
    interval_90: Interval | Undetermined
    n: int


def crossed_t_against_chance(ratings: Ratings) -> CrossedT | Undetermined:
    """Test whether the OFF rate of these pairs lies above 50 %, raters and pairs both random.

    t = (ȳ − 0.5)/√(N/(R·I)) with N and df of `crossed_mean`; R raters × I pairs.

    Applies to complete raters × pairs with at least two of each. Answers that do not vary: all OFF gives
    the one-sided p = 2^−min(R, I), all NORMAL gives 1; two-sided p is twice the smaller tail.
    Source: the rulings of the study, section 4, after the two-way random-effects analysis of variance with
    Satterthwaite's degrees of freedom (Satterthwaite 1946; Clark 1973 on raters and items as samples).
    Checked against the mean squares computed cell by cell and, by simulation, for its rate of false alarms.

    >>> answers = Ratings.of([[1, 1, 0], [1, 1, 1], [0, 1, 1]], ["wild"] * 3)
    >>> test = crossed_t_against_chance(answers)
    >>> round(test.t, 4), round(test.df, 4), round(test.p_one_sided, 4)
    (1.5811, 2.439, 0.1161)
    """
    problem = lacks_crossing(ratings)
    if problem:
        return problem
    moments = crossed_mean(ratings.off)
    if moments.variance == 0:
        at_best = 2.0 ** -min(ratings.raters, ratings.pairs)
        return _without_variance(
            float(moments.value),
            p_one_sided=at_best if moments.value == 1 else 1.0,
            p_two_sided=2 * at_best,
            n=ratings.n,
        )
    return _t_test(moments, null=0.5, n=ratings.n)


def crossed_t_difference(contrast: Contrast) -> CrossedT | Undetermined:
    """Test whether the OFF rates of target and baseline pairs differ, raters and pairs both random.

    t = (ȳ_C − ȳ_B)/√V with V and df of `crossed_mean_difference`; pairs are nested in the two selections.

    Applies to complete raters × pairs with at least two raters and two pairs a selection. Answers without
    variance: a difference of 1 gives the one-sided p = max(2^−R, 1/binom(I_C+I_B, I_C)), the larger of what
    relabelling within raters and relabelling pairs can reach; a difference of 0 gives p = 1, of −1 a
    one-sided p = 1. Two-sided p is then twice the smaller tail, at most 1.
    Source: the rulings of the study, section 4. Checked against a cell-by-cell computation and, by
    simulation, for its rate of false alarms (2.8 / 4.1 / 4.8 / 5.2 % at 5 / 10 / 50 / 200 raters with rater
    and pair SD 0.7 and slope SD 0.4 on a ±1 contrast, in logits, 10 pairs a condition).

    >>> answers = Ratings.of([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], ["calm", "calm", "wild", "wild"])
    >>> test = crossed_t_difference(answers.contrast(target="wild", baseline="calm"))
    >>> round(test.value, 4), round(test.t, 4), round(test.df, 4), round(test.p_two_sided, 4)
    (0.6667, 2.8284, 1.1429, 0.1905)
    """
    problem = lacks_crossing(contrast.target, contrast.baseline)
    if problem:
        return problem
    moments = crossed_mean_difference(contrast.target.off, contrast.baseline.off)
    if moments.variance == 0:
        in_target = contrast.target.pairs
        relabelled = 1 / math.comb(in_target + contrast.baseline.pairs, in_target)
        at_best = max(2.0**-contrast.raters, relabelled)
        return _without_variance(
            float(moments.value),
            p_one_sided=at_best if moments.value == 1 else 1.0,
            p_two_sided=1.0 if moments.value == 0 else 2 * at_best,
            n=contrast.n,
        )
    return _t_test(moments, null=0.0, n=contrast.n)


def _t_test(moments: CrossedVariance, *, null: float, n: int) -> CrossedT:
    value, df = float(moments.value), float(moments.df)
    se = math.sqrt(float(moments.variance))
    t = (value - null) / se

    def interval(level: float) -> Interval:
        half = t_quantile(level, df) * se
        return Interval(low=value - half, high=value + half, level=level)

    return CrossedT(
        value=value,
        t=t,
        df=df,
        p_one_sided=float(special.stdtr(df, -t)),
        p_two_sided=float(2 * special.stdtr(df, -abs(t))),
        interval_95=interval(0.95),
        interval_90=interval(0.90),
        n=n,
    )


def _without_variance(value: float, *, p_one_sided: float, p_two_sided: float, n: int) -> CrossedT:
    return CrossedT(
        value=value,
        t=ALL_ALIKE,
        df=ALL_ALIKE,
        p_one_sided=p_one_sided,
        p_two_sided=p_two_sided,
        interval_95=ALL_ALIKE,
        interval_90=ALL_ALIKE,
        n=n,
    )
