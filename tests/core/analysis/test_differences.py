import numpy as np
import pytest

from limen.core.analysis.differences import MixDifference, mix_difference, standardized_difference
from limen.core.analysis.estimates import Estimate, Interval, Undetermined


def test_the_difference_is_hedges_g() -> None:
    # by hand: means 10 and 12, pooled SD sqrt((4·4 + 4·9)/8) = 2.5495, J = 1 − 3/31, g = 0.90323·2/2.5495
    first = [8.0, 9.0, 10.0, 11.0, 12.0]
    second = [9.0, 10.0, 12.0, 13.0, 16.0]
    found = standardized_difference(first, second)
    pooled = np.sqrt((np.var(first, ddof=1) + np.var(second, ddof=1)) / 2)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx((1 - 3 / 31) * 2 / pooled)
    assert isinstance(found.interval, Interval)
    assert found.interval.low < found.value < found.interval.high


def test_its_interval_holds_the_true_difference_in_about_95_of_100_samples() -> None:
    chance = np.random.default_rng(4)
    held = 0
    for _ in range(2000):
        found = standardized_difference(chance.normal(0, 1, 10).tolist(), chance.normal(0.8, 1, 10).tolist())
        assert isinstance(found, Estimate)
        assert isinstance(found.interval, Interval)
        held += found.interval.low <= 0.8 <= found.interval.high
    assert 0.93 <= held / 2000 <= 0.98


def test_what_does_not_vary_or_is_too_few_has_no_standardized_difference() -> None:
    assert standardized_difference([1.0], [1.0, 2.0]) == Undetermined(
        reason="1 pair in a condition; a standard deviation needs 2"
    )
    assert standardized_difference([3.0, 3.0], [3.0, 3.0]) == Undetermined(reason="every pair has the same value")
    assert standardized_difference([0.0, 0.0], [3.0, 3.0]) == Undetermined(
        reason="one value in each condition: 0 and 3"
    )


def test_a_mix_is_compared_by_the_share_that_would_have_to_change() -> None:
    same = mix_difference(["a", "b"] * 5, ["b", "a"] * 5, 1, "same")
    assert same == MixDifference(distance=0.0, p=1.0)
    other = mix_difference(["a"] * 10, ["b"] * 10, 1, "other")
    assert isinstance(other, MixDifference)
    assert other.distance == 1.0
    assert other.p < 0.01
    assert isinstance(mix_difference([], ["a"], 1, "none"), Undetermined)


def test_models_that_are_all_different_tell_nothing() -> None:
    found = mix_difference([f"a{k}" for k in range(10)], [f"b{k}" for k in range(10)], 1, "all different")
    assert isinstance(found, MixDifference)
    assert found.distance == pytest.approx(1.0)
    assert found.p == 1.0
