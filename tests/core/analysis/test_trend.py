"""A trend along the trials is found within raters, and held against all orders that could have been."""

import itertools

import numpy as np
import pytest
from scipy import stats

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trend import Trend, trend_over_trials


def test_with_one_rater_it_is_the_squared_correlation() -> None:
    rng = np.random.default_rng(4)
    x, y = np.arange(1, 24), rng.random(23) < 0.4
    trend = trend_over_trials(np.zeros(23, dtype=np.int64), x, y)
    assert isinstance(trend, Trend)
    r = np.corrcoef(x, y)[0, 1]
    assert trend.test.statistic == pytest.approx(22 * r**2, rel=1e-12)
    assert trend.change_per_trial == pytest.approx(stats.linregress(x, y.astype(float)).slope, rel=1e-12)


def test_its_variance_is_that_over_all_orders() -> None:
    x = {0: np.array([1, 4, 5, 9, 10]), 1: np.array([2, 3, 6, 7])}
    y = {0: np.array([1, 0, 0, 1, 0]), 1: np.array([1, 1, 0, 0])}
    sums = [
        [float(((x[r] - x[r].mean()) * np.array(order)).sum()) for order in itertools.permutations(y[r])] for r in x
    ]
    variance = sum(float(np.var(each)) for each in sums)
    observed = sum(float(((x[r] - x[r].mean()) * y[r]).sum()) for r in x)
    trend = trend_over_trials(
        np.array([0] * 5 + [1] * 4), np.concatenate(list(x.values())), np.concatenate(list(y.values())) == 1
    )
    assert isinstance(trend, Trend)
    assert trend.test.statistic == pytest.approx(observed**2 / variance, rel=1e-12)


def test_raters_of_different_readiness_make_no_trend() -> None:
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(400):
        order = rng.permuted(np.tile(np.arange(10), (10, 1)), axis=1)
        off = rng.random((10, 10)) < rng.random((10, 1)) * rng.random(10)
        off = np.take_along_axis(off, order, axis=1)
        trend = trend_over_trials(np.repeat(np.arange(10), 10), np.tile(np.arange(10), 10), off.ravel())
        rejected += isinstance(trend, Trend) and trend.test.p < 0.05
    assert rejected / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_a_trend_is_found() -> None:
    rng = np.random.default_rng(6)
    trials = np.tile(np.arange(20), 30)
    trend = trend_over_trials(np.repeat(np.arange(30), 20), trials, rng.random(600) < 0.2 + 0.03 * trials)
    assert isinstance(trend, Trend)
    assert trend.test.p < 1e-6
    assert trend.change_per_trial == pytest.approx(0.03, abs=0.01)


def test_without_answers_or_variation_it_says_so() -> None:
    nothing = np.array([], dtype=np.int64)
    assert isinstance(trend_over_trials(nothing, nothing, nothing.astype(bool)), Undetermined)
    alike = trend_over_trials(np.zeros(4, dtype=np.int64), np.arange(4), np.ones(4, dtype=np.bool_))
    assert isinstance(alike, Undetermined)
