import numpy as np
import pytest
from scipy import stats

from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.analysis.ratings import Contrast, Ratings
from limen.core.analysis.sensitivity import (
    SensitivityEstimate,
    iso_sensitivity_curve,
    mean_sensitivity,
    pooled_sensitivity,
    rater_sensitivity,
    sensitivity,
)

CONDITIONS = ["calm"] * 8 + ["wild"] * 6


def some_ratings(raters: int = 7, seed: int = 2) -> Ratings:
    rates = np.where(np.array(CONDITIONS) == "wild", 0.7, 0.3)
    return Ratings.of(np.random.default_rng(seed).random((raters, 14)) < rates, CONDITIONS)


def a_contrast(ratings: Ratings) -> Contrast:
    return ratings.contrast(target="wild", baseline="calm")


def determined(found: SensitivityEstimate | Undetermined) -> SensitivityEstimate:
    assert isinstance(found, SensitivityEstimate)
    return found


def test_perfect_and_reversed_raters_have_a_finite_d_prime() -> None:
    found = sensitivity([10, 0], 10, [0, 10], 10)
    assert found.d_prime.tolist() == pytest.approx([3.38124325917, -3.38124325917])
    assert found.criterion.tolist() == pytest.approx([0.0, 0.0], abs=1e-12)


def test_each_rater_has_a_d_prime_of_their_own() -> None:
    ratings = some_ratings()
    hits, false_alarms = ratings.off[:, 8:].sum(axis=1), ratings.off[:, :8].sum(axis=1)
    expected = stats.norm.ppf((hits + 0.5) / 7) - stats.norm.ppf((false_alarms + 0.5) / 9)
    assert rater_sensitivity(a_contrast(ratings)).d_prime == pytest.approx(expected)


def test_the_mean_of_raters_has_a_t_interval() -> None:
    contrast = a_contrast(some_ratings())
    each = rater_sensitivity(contrast)
    found = determined(mean_sensitivity(contrast))
    for estimate, values in ((found.d_prime, each.d_prime), (found.criterion, each.criterion)):
        low, high = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
        assert estimate.value == pytest.approx(values.mean())
        assert isinstance(estimate.interval, Interval)
        assert [estimate.interval.low, estimate.interval.high] == pytest.approx([low, high])


def test_the_interval_of_an_area_stays_between_zero_and_one() -> None:
    off = np.vstack([np.array(CONDITIONS) == "wild"] * 5)
    off[0, :4] = True
    found = determined(mean_sensitivity(a_contrast(Ratings.of(off, CONDITIONS))))
    assert isinstance(found.auc.interval, Interval)
    assert found.auc.interval.high == 1.0


def test_a_rater_without_answers_in_one_role_is_left_out_not_counted_as_zero() -> None:
    answered = np.ones((7, 14), bool)
    answered[0, 8:] = False
    ratings = some_ratings()
    gappy = Ratings.of(ratings.off, CONDITIONS, answered=answered)
    rest = ratings.of_raters(np.arange(1, 7))
    assert np.isnan(rater_sensitivity(a_contrast(gappy)).d_prime).tolist() == [True] + [False] * 6
    assert mean_sensitivity(a_contrast(gappy)) == mean_sensitivity(a_contrast(rest))


def test_pooled_d_prime_uses_the_summed_counts() -> None:
    ratings = some_ratings()
    hits, false_alarms = ratings.off[:, 8:].sum(), ratings.off[:, :8].sum()
    expected = stats.norm.ppf((hits + 0.5) / 43) - stats.norm.ppf((false_alarms + 0.5) / 57)
    assert determined(pooled_sensitivity(a_contrast(ratings))).d_prime.value == pytest.approx(expected)


def test_the_pooled_interval_is_the_jackknife_over_raters_and_over_pairs_within_role() -> None:
    ratings = some_ratings()

    def values(part: Ratings) -> tuple[float, float]:
        found = determined(pooled_sensitivity(a_contrast(part)))
        return found.d_prime.value, found.criterion.value

    deletions = (
        [ratings.of_raters(np.arange(7) != rater) for rater in range(7)],
        [ratings.of_pairs(np.arange(14) != place) for place in range(8)],
        [ratings.of_pairs(np.arange(14) != place) for place in range(8, 14)],
    )
    variance = np.zeros(2)
    for group in deletions:
        left_out = np.array([values(part) for part in group])
        m = len(group)
        variance += (m - 1) / m * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    found = determined(pooled_sensitivity(a_contrast(ratings), level=0.90))
    for estimate, expected in zip((found.d_prime, found.criterion), variance, strict=True):
        assert isinstance(estimate.interval, Interval)
        half = (estimate.interval.high - estimate.interval.low) / 2
        assert half == pytest.approx(stats.norm.ppf(0.95) * np.sqrt(expected))


def test_the_interval_of_the_pooled_area_is_that_of_d_prime_carried_through() -> None:
    found = determined(pooled_sensitivity(a_contrast(some_ratings())))
    assert isinstance(found.auc.interval, Interval)
    assert isinstance(found.d_prime.interval, Interval)
    assert found.auc.interval.low == pytest.approx(stats.norm.cdf(found.d_prime.interval.low / np.sqrt(2)))


def test_pooled_counts_use_every_answer_there_is() -> None:
    answered = np.ones((7, 14), bool)
    answered[3, 2:10] = False
    gappy = Ratings.of(some_ratings().off, CONDITIONS, answered=answered)
    assert determined(pooled_sensitivity(a_contrast(gappy))).d_prime.n == 7 * 14 - 8


def test_answers_that_do_not_vary_have_a_d_prime_but_no_interval() -> None:
    perfect = Ratings.of(np.vstack([np.array(CONDITIONS) == "wild"] * 5), CONDITIONS)
    for found in (pooled_sensitivity(a_contrast(perfect)), mean_sensitivity(a_contrast(perfect))):
        assert determined(found).d_prime.value > 2
        assert isinstance(determined(found).d_prime.interval, Undetermined)


def test_one_rater_has_a_d_prime_but_no_interval() -> None:
    one = a_contrast(some_ratings(raters=1))
    for found in (pooled_sensitivity(one), mean_sensitivity(one)):
        assert isinstance(determined(found).d_prime.interval, Undetermined)


def test_no_answers_is_not_a_d_prime_of_zero() -> None:
    nobody = a_contrast(some_ratings(raters=0))
    assert isinstance(pooled_sensitivity(nobody), Undetermined)
    assert isinstance(mean_sensitivity(nobody), Undetermined)


@pytest.mark.parametrize("d_prime", [-1.0, 0.0, 2.5])
def test_an_iso_sensitivity_curve_has_one_d_prime_everywhere(d_prime: float) -> None:
    curve = iso_sensitivity_curve(d_prime)
    inner = slice(1, -1)
    along = stats.norm.ppf(curve.hit_rate[inner]) - stats.norm.ppf(curve.false_alarm_rate[inner])
    assert along == pytest.approx(np.full(99, d_prime))
    assert (curve.hit_rate[0], curve.hit_rate[-1]) == (0.0, 1.0)
