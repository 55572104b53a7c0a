import math

import pytest
from scipy import stats

from limen.core.analysis.estimates import (
    ChiSquare,
    Estimate,
    Interval,
    Undetermined,
    WaldEffect,
    normal_quantile,
    t_quantile,
)


def test_an_undetermined_measure_says_why() -> None:
    assert Undetermined(reason="no answers").reason == "no answers"
    with pytest.raises(ValueError, match="needs a reason"):
        Undetermined(reason=" ")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_estimate_is_never_nan_or_infinite(value: float) -> None:
    with pytest.raises(ValueError, match="Undetermined"):
        Estimate(value=value, interval=Interval(low=0, high=1), n=3, method="mean")


def test_an_estimate_never_rests_on_nothing() -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        Estimate(value=0.0, interval=Interval(low=0, high=1), n=0, method="mean")


def test_an_interval_runs_from_low_to_high() -> None:
    with pytest.raises(ValueError, match="from low to high"):
        Interval(low=0.6, high=0.5)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_confidence_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Interval(low=0.4, high=0.5, level=level)


def test_an_interval_lies_within_bounds_only_as_a_whole() -> None:
    assert Interval(low=0.40, high=0.60).within(0.40, 0.60)
    assert not Interval(low=0.39, high=0.60).within(0.40, 0.60)
    assert not Interval(low=0.40, high=0.61).within(0.40, 0.60)


def test_a_wald_effect_gives_z_p_and_interval() -> None:
    effect = WaldEffect(estimate=-1.5, se=0.5)
    assert effect.z == -3.0
    assert effect.p == pytest.approx(2 * stats.norm.sf(3.0), rel=1e-12)
    assert effect.interval(0.90).low == pytest.approx(-1.5 - 1.6448536269514722 * 0.5)
    with pytest.raises(ValueError, match="positive se"):
        WaldEffect(estimate=1.0, se=0.0)


def test_quantiles_and_tails_equal_scipy_stats() -> None:
    assert normal_quantile(0.95) == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    assert t_quantile(0.90, 3.7) == pytest.approx(stats.t.ppf(0.95, 3.7), rel=1e-10)
    assert ChiSquare(statistic=7.3, dof=3).p == pytest.approx(stats.chi2.sf(7.3, 3), rel=1e-12)
