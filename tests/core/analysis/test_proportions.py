from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from limen.core.analysis.crossed import crossed_mean
from limen.core.analysis.estimates import Alternative, Estimate, Interval, Undetermined
from limen.core.analysis.proportions import (
    CriticalCounts,
    Equivalence,
    ExactBinomial,
    clopper_pearson_interval,
    critical_counts,
    crossed_rate,
    equivalence_to_chance,
    exact_binomial,
    wilson_interval,
)
from limen.core.analysis.ratings import Ratings

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def wild(off: ArrayLike) -> Ratings:
    array = np.asarray(off)
    return Ratings.of(array, ["wild"] * array.shape[1])


def varied(raters: int, pairs: int, rate: float = 0.6, seed: int = 1) -> Ratings:
    return wild(np.random.default_rng(seed).random((raters, pairs)) < rate)


@given(counts, st.sampled_from([0.1, 0.4, 0.5, 0.6]), st.sampled_from(["greater", "less", "two-sided"]))
def test_the_exact_p_is_that_of_the_protocols_own_call(
    count: tuple[int, int], probability: float, alternative: Alternative
) -> None:
    k, n = count
    found = exact_binomial(k, n, probability=probability, alternative=alternative)
    assert isinstance(found, ExactBinomial)
    assert found.p == pytest.approx(stats.binomtest(k, n, probability, alternative).pvalue, rel=1e-9)


@given(counts, st.sampled_from([0.90, 0.95]))
def test_the_intervals_of_a_rate_are_those_of_scipy(count: tuple[int, int], level: float) -> None:
    k, n = count
    both = (("exact", clopper_pearson_interval), ("wilson", wilson_interval))
    for method, interval in both:
        found = interval(k, n, level=level)
        expected = stats.binomtest(k, n).proportion_ci(level, method)
        assert isinstance(found, Interval)
        assert [found.low, found.high] == pytest.approx([expected.low, expected.high], abs=1e-9)


def test_no_answers_is_not_a_rate_of_zero() -> None:
    nobody = wild(np.zeros((0, 10)))
    results = (
        exact_binomial(0, 0),
        wilson_interval(0, 0),
        clopper_pearson_interval(0, 0),
        critical_counts(0),
        crossed_rate(nobody),
        equivalence_to_chance(nobody),
    )
    assert all(result == Undetermined(reason="there are no answers") for result in results)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="11 of 10 is no count"):
        wilson_interval(11, 10)


@given(st.integers(1, 300))
def test_critical_counts_are_the_smallest_that_do(n: int) -> None:
    found = critical_counts(n)
    assert isinstance(found, CriticalCounts)
    assert found.above_threshold == next(k for k in range(n + 1) if Fraction(k, n) > Fraction(3, 5))
    significant = [k for k in range(n + 1) if stats.binomtest(k, n, 0.5, "greater").pvalue < 0.05]
    if significant:
        assert found.significant == significant[0]
    else:
        assert isinstance(found.significant, Undetermined)
        assert n < 5


def test_exactly_sixty_percent_is_not_above_sixty_percent() -> None:
    # 0.6 * 1e6 + 1 in floating point would already be wrong for some n; integers are not
    for n in (5, 10, 100, 185, 1_000_000):
        found = critical_counts(n)
        assert isinstance(found, CriticalCounts)
        assert found.above_threshold == n * 3 // 5 + 1


def test_the_crossed_interval_is_wilsons_with_effective_answers_and_t() -> None:
    ratings = varied(8, 10)
    estimate = crossed_rate(ratings)
    assert isinstance(estimate, Estimate)
    assert isinstance(estimate.interval, Interval)
    moments = crossed_mean(ratings.off)
    p = float(moments.value)
    n = min(max(p * (1 - p) / float(moments.variance), 8), 80)
    t = stats.t.ppf(0.975, float(moments.df))
    half = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    middle = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    assert estimate.value == p
    assert [estimate.interval.low, estimate.interval.high] == pytest.approx([middle - half, middle + half])


def test_raters_with_habits_count_for_no_more_than_there_are_raters() -> None:
    # each rater says the same of all pairs: 6 raters, not 60 answers; R - 1 degrees of freedom
    habit = np.repeat([[1], [0], [1], [1], [0], [1]], 10, axis=1)
    estimate = crossed_rate(wild(habit))
    assert isinstance(estimate, Estimate)
    assert isinstance(estimate.interval, Interval)
    t, p, n = stats.t.ppf(0.975, 5), 4 / 6, 6
    half = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    assert (estimate.interval.high - estimate.interval.low) / 2 == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize(("answer", "raters"), [(0, 4), (1, 4), (1, 30)])
def test_at_zero_and_one_the_interval_is_wilsons_for_the_smaller_of_raters_and_pairs(answer: int, raters: int) -> None:
    estimate = crossed_rate(wild(np.full((raters, 10), answer)))
    few = min(raters, 10)
    assert isinstance(estimate, Estimate)
    assert estimate.interval == wilson_interval(few * answer, few)


def test_with_gaps_there_is_a_rate_but_no_crossed_interval() -> None:
    gappy = Ratings.of([[1, 0], [1, 1]], ["wild"] * 2, answered=[[1, 0], [1, 1]])
    estimate = crossed_rate(gappy)
    assert isinstance(estimate, Estimate)
    assert (estimate.value, estimate.n) == (1.0, 3)
    assert estimate.interval == Undetermined(reason="1 of 4 answers are missing")


def test_one_rater_has_a_rate_but_no_crossed_interval() -> None:
    estimate = crossed_rate(varied(1, 10))
    assert isinstance(estimate, Estimate)
    assert isinstance(estimate.interval, Undetermined)


def test_equivalence_is_decided_by_the_crossed_interval_not_by_p() -> None:
    # every rater says the same always: 500 and 500 answers, p tiny, but only ten raters
    habit = np.repeat([[1], [0]] * 5, 100, axis=1)
    found = equivalence_to_chance(wild(habit))
    assert isinstance(found, Equivalence)
    assert found.p < 1e-9
    assert found.established is False


def test_equivalence_is_established_by_many_raters_at_chance() -> None:
    found = equivalence_to_chance(varied(100, 40, rate=0.5))
    assert isinstance(found, Equivalence)
    assert isinstance(found.crossed_interval_90, Interval)
    assert found.crossed_interval_90.level == 0.90
    assert found.established is True


def test_equivalence_without_a_crossed_interval_is_undetermined() -> None:
    found = equivalence_to_chance(varied(1, 10))
    assert isinstance(found, Equivalence)
    assert isinstance(found.established, Undetermined)
