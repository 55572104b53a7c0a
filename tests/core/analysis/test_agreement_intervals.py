import numpy as np
import pytest

from limen.core.analysis.agreement import (
    Coefficient,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from limen.core.analysis.agreement_intervals import (
    AgreementEstimate,
    agreement,
    bootstrap_over_pairs,
    delete_one_rater,
)
from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.analysis.ratings import Ratings

CONDITIONS = ["calm"] * 6 + ["wild"] * 4
ONE_BY_ONE = {
    Coefficient.PERCENT: percent_agreement,
    Coefficient.FLEISS_KAPPA: fleiss_kappa,
    Coefficient.AC1: gwet_ac1,
    Coefficient.ALPHA: krippendorff_alpha,
}


def some_ratings(*, gaps: bool = False, seed: int = 4) -> Ratings:
    rng = np.random.default_rng(seed)
    off = rng.random((9, 10)) < rng.random(10)
    return Ratings.of(off, CONDITIONS, answered=rng.random((9, 10)) < (0.8 if gaps else 1.1))


def value(found: float | Undetermined) -> float:
    return np.nan if isinstance(found, Undetermined) else found


@pytest.mark.parametrize("gaps", [False, True])
def test_deleting_raters_at_once_equals_deleting_them_one_by_one(gaps: bool) -> None:
    ratings = some_ratings(gaps=gaps)
    together = delete_one_rater(ratings.codes(), ratings.category_counts())
    for coefficient, alone in ONE_BY_ONE.items():
        expected = [value(alone(ratings.of_raters(np.arange(9) != rater).category_counts())) for rater in range(9)]
        assert together[coefficient] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("gaps", [False, True])
def test_resamples_at_once_equal_resamples_one_by_one(gaps: bool) -> None:
    ratings = some_ratings(gaps=gaps)
    counts = ratings.category_counts()
    together = bootstrap_over_pairs(counts, ratings.condition, rng=np.random.default_rng(8), resamples=50)
    rng = np.random.default_rng(8)
    drawn = np.hstack([rng.multinomial(m, np.full(m, 1 / m), 50) for m in (6, 4)])
    for coefficient, alone in ONE_BY_ONE.items():
        expected = [value(alone(counts.repeat(times, axis=0))) for times in drawn]
        assert together[coefficient] == pytest.approx(expected, nan_ok=True)


def test_pairs_are_drawn_within_their_condition() -> None:
    # calm pairs all NORMAL, wild pairs all OFF: every resample within conditions keeps both, so kappa is 1
    counts = np.array([[5, 0]] * 2 + [[0, 5]] * 2)
    draws = bootstrap_over_pairs(counts, np.array([0, 0, 1, 1]), rng=np.random.default_rng(1), resamples=300)
    assert draws[Coefficient.FLEISS_KAPPA] == pytest.approx(np.ones(300))
    mixed = bootstrap_over_pairs(counts, np.zeros(4, int), rng=np.random.default_rng(1), resamples=300)
    assert np.isnan(mixed[Coefficient.FLEISS_KAPPA]).any()


def test_the_interval_is_the_percentile_interval_and_the_se_the_jackknife() -> None:
    ratings = some_ratings()
    found = agreement(ratings, rng=np.random.default_rng(3), level=0.90)[Coefficient.FLEISS_KAPPA]
    assert isinstance(found, AgreementEstimate)
    counts = ratings.category_counts()
    draws = bootstrap_over_pairs(counts, ratings.condition, rng=np.random.default_rng(3), resamples=2000)[
        Coefficient.FLEISS_KAPPA
    ]
    interval = found.estimate.interval
    assert isinstance(interval, Interval)
    assert [interval.low, interval.high] == pytest.approx(np.quantile(draws, [0.05, 0.95]))
    assert interval.level == 0.90
    assert (found.resamples, found.undefined_resamples) == (2000, 0)
    left_out = delete_one_rater(ratings.codes(), counts)[Coefficient.FLEISS_KAPPA]
    assert found.rater_se == pytest.approx(np.sqrt(8 / 9 * ((left_out - left_out.mean()) ** 2).sum()))
    assert found.estimate.value == fleiss_kappa(counts)


def test_undefined_resamples_are_counted_and_too_many_leave_no_interval() -> None:
    off = np.zeros((5, 4), bool)
    off[0, 0] = True
    found = agreement(Ratings.of(off, ["wild"] * 4), rng=np.random.default_rng(1))
    kappa, ac1 = found[Coefficient.FLEISS_KAPPA], found[Coefficient.AC1]
    assert isinstance(kappa, AgreementEstimate)
    assert kappa.undefined_resamples == pytest.approx(2000 * 0.75**4, rel=0.15)
    assert kappa.estimate.interval == Undetermined(
        reason=f"{kappa.undefined_resamples} of 2000 resamples have no value"
    )
    assert isinstance(kappa.rater_se, Undetermined)
    assert isinstance(ac1, AgreementEstimate)
    assert ac1.undefined_resamples == 0
    assert isinstance(ac1.estimate.interval, Interval)


def test_when_all_say_the_same_kappa_is_undetermined_and_percent_is_one() -> None:
    found = agreement(Ratings.of(np.ones((4, 3)), ["wild"] * 3), rng=np.random.default_rng(1))
    assert isinstance(found[Coefficient.FLEISS_KAPPA], Undetermined)
    percent = found[Coefficient.PERCENT]
    assert isinstance(percent, AgreementEstimate)
    assert percent.estimate.value == 1.0


@pytest.mark.parametrize("raters", [0, 1])
def test_without_a_second_rater_everything_is_undetermined(raters: int) -> None:
    found = agreement(Ratings.of(np.ones((raters, 3)), ["wild"] * 3), rng=np.random.default_rng(1))
    assert all(result == Undetermined(reason="no pair was answered by two raters") for result in found.values())


def test_two_raters_have_an_agreement_but_no_rater_se() -> None:
    found = agreement(Ratings.of([[0, 1, 1], [0, 1, 0]], ["wild"] * 3), rng=np.random.default_rng(1))
    percent = found[Coefficient.PERCENT]
    assert isinstance(percent, AgreementEstimate)
    assert percent.rater_se == Undetermined(reason="at least three raters are needed")


def test_the_order_of_raters_does_not_matter() -> None:
    ratings = some_ratings(gaps=True)
    turned = ratings.of_raters(np.arange(9)[::-1])
    one, other = (agreement(part, rng=np.random.default_rng(3))[Coefficient.ALPHA] for part in (ratings, turned))
    assert isinstance(one, AgreementEstimate)
    assert isinstance(other, AgreementEstimate)
    assert one.estimate == other.estimate
    assert one.rater_se == pytest.approx(other.rater_se)


def test_deletion_in_blocks_of_raters_covers_every_rater() -> None:
    rng = np.random.default_rng(1)
    ratings = Ratings.of(rng.random((9_000, 4)) < 0.4, ["wild"] * 4)
    left_out = delete_one_rater(ratings.codes(), ratings.category_counts())[Coefficient.PERCENT]
    assert left_out.shape == (9_000,)
    last = ratings.of_raters(np.arange(9_000) != 8_999)
    assert left_out[-1] == pytest.approx(value(percent_agreement(last.category_counts())))
