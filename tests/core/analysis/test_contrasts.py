import math

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from limen.core.analysis.contrasts import CrossedT, crossed_t_against_chance, crossed_t_difference
from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.analysis.ratings import Contrast, Ratings


def wild(off: ArrayLike) -> Ratings:
    array = np.asarray(off)
    return Ratings.of(array, ["wild"] * array.shape[1])


def a_contrast(target: ArrayLike, baseline: ArrayLike) -> Contrast:
    return Contrast(target=wild(target), baseline=wild(baseline))


def determined(test: CrossedT | Undetermined) -> CrossedT:
    assert isinstance(test, CrossedT)
    return test


def varied(raters: int = 8, pairs: int = 10, seed: int = 1, rate: float = 0.6) -> np.ndarray:
    return np.random.default_rng(seed).random((raters, pairs)) < rate


def test_t_p_and_intervals_belong_together() -> None:
    test = determined(crossed_t_difference(a_contrast(varied(rate=0.7), varied(rate=0.3, seed=2))))
    assert isinstance(test.t, float)
    assert isinstance(test.df, float)
    assert isinstance(test.interval_95, Interval)
    assert isinstance(test.interval_90, Interval)
    assert test.p_two_sided == pytest.approx(2 * stats.t.sf(abs(test.t), test.df), rel=1e-10)
    assert test.p_one_sided == pytest.approx(stats.t.sf(test.t, test.df), rel=1e-10)
    se = test.value / test.t
    assert test.interval_95.high - test.value == pytest.approx(stats.t.ppf(0.975, test.df) * se)
    assert test.interval_90.high - test.value == pytest.approx(stats.t.ppf(0.95, test.df) * se)


def test_swapping_target_and_baseline_turns_the_sign() -> None:
    one, other = varied(rate=0.7), varied(rate=0.4, seed=2, pairs=6)
    forward = determined(crossed_t_difference(a_contrast(one, other)))
    backward = determined(crossed_t_difference(a_contrast(other, one)))
    assert isinstance(forward.t, float)
    assert backward.t == pytest.approx(-forward.t)
    assert backward.p_one_sided == pytest.approx(1 - forward.p_one_sided)
    assert backward.p_two_sided == pytest.approx(forward.p_two_sided)


def test_the_order_of_raters_and_pairs_does_not_matter() -> None:
    target, baseline = varied(rate=0.7), varied(rate=0.4, seed=2)
    shuffle = np.random.default_rng(3)
    raters, pairs = shuffle.permutation(8), shuffle.permutation(10)
    one = crossed_t_difference(a_contrast(target, baseline))
    other = crossed_t_difference(a_contrast(target[raters][:, pairs], baseline[raters][:, pairs[::-1]]))
    assert one == other


def test_against_chance_a_rate_below_one_half_is_no_evidence() -> None:
    test = determined(crossed_t_against_chance(wild(varied(rate=0.3))))
    assert test.value < 0.5
    assert test.p_one_sided > 0.5


def test_all_off_gives_one_half_to_the_power_of_the_smaller_of_raters_and_pairs() -> None:
    test = determined(crossed_t_against_chance(wild(np.ones((10, 4)))))
    assert test.p_one_sided == 2.0**-4
    assert test.p_two_sided == 2.0**-3
    for undetermined in (test.t, test.df, test.interval_95, test.interval_90):
        assert isinstance(undetermined, Undetermined)


def test_all_normal_is_no_evidence_of_detection() -> None:
    test = determined(crossed_t_against_chance(wild(np.zeros((10, 4)))))
    assert test.p_one_sided == 1.0
    assert test.p_two_sided == 2.0**-3


@pytest.mark.parametrize(("raters", "in_target", "in_baseline"), [(5, 10, 10), (30, 10, 10), (30, 3, 4), (2, 2, 2)])
def test_perfect_raters_have_the_p_that_relabelling_can_reach(raters: int, in_target: int, in_baseline: int) -> None:
    perfect = a_contrast(np.ones((raters, in_target)), np.zeros((raters, in_baseline)))
    test = determined(crossed_t_difference(perfect))
    best = max(2.0**-raters, 1 / math.comb(in_target + in_baseline, in_target))
    assert test.value == 1.0
    assert (test.p_one_sided, test.p_two_sided) == (best, min(1.0, 2 * best))
    assert isinstance(test.t, Undetermined)


def test_perfectly_reversed_raters_are_no_evidence_for_the_target() -> None:
    test = determined(crossed_t_difference(a_contrast(np.zeros((5, 10)), np.ones((5, 10)))))
    assert (test.value, test.p_one_sided, test.p_two_sided) == (-1.0, 1.0, 2.0**-4)


def test_raters_who_always_say_the_same_show_no_difference() -> None:
    habit = np.array([[1], [0], [1]])
    test = determined(crossed_t_difference(a_contrast(habit.repeat(4, axis=1), habit.repeat(6, axis=1))))
    assert (test.value, test.p_one_sided, test.p_two_sided) == (0.0, 1.0, 1.0)
    assert isinstance(test.interval_90, Undetermined)


def test_missing_answers_leave_the_tests_undetermined() -> None:
    answered = np.ones((8, 10), bool)
    answered[2, 3] = False
    gappy = Ratings.of(varied(), ["wild"] * 10, answered=answered)
    expected = Undetermined(reason="1 of 80 answers are missing")
    assert crossed_t_against_chance(gappy) == expected
    assert crossed_t_difference(Contrast(target=wild(varied()), baseline=gappy)) == expected


@pytest.mark.parametrize("shape", [(0, 10), (1, 10), (10, 1)])
def test_a_single_rater_or_pair_leaves_the_tests_undetermined(shape: tuple[int, int]) -> None:
    few = Undetermined(reason="at least two raters and two pairs are needed")
    assert crossed_t_against_chance(wild(np.ones(shape))) == few
    assert crossed_t_difference(a_contrast(np.ones(shape), np.zeros(shape))) == few
