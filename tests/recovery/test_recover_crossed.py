"""No effect, many studies: the crossed tests keep their promise, the protocol's own tests do not.

Every figure is for 10 pairs a condition; spreads are in logits (the slope's on a ±½ contrast, so that 0.8 is
the rulings' 0.4 on ±1).
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from limen.core.analysis.crossed import crossed_mean, crossed_mean_difference
from limen.core.analysis.estimates import Estimate, Interval
from limen.core.analysis.proportions import crossed_rate
from limen.core.analysis.ratings import Ratings
from limen.core.simulation import Noise, Observers, expected_off_rate, simulate_answers

Floats = NDArray[np.float64]
SIGNAL = np.repeat([-0.5, 0.5], 10)
ALPHA = 0.052  # the largest rate that the rulings found in their own simulation


def observers(spread: float, *, d_prime: float = 0.0, criterion: float = 0.0) -> Observers:
    return Observers(
        d_prime=d_prime,
        criterion=criterion,
        criterion_sd=0.7 * spread,
        pair_sd=0.7 * spread,
        d_prime_sd=0.8 * spread,
        noise=Noise.LOGISTIC,
    )


def studies(who: Observers, raters: int, number: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Give target and baseline answers."""
    answers = simulate_answers(who, signal=SIGNAL, raters=raters, studies=number, rng=np.random.default_rng(seed))
    return answers[..., 10:], answers[..., :10]


def two_sided_p(target: NDArray[np.bool_], baseline: NDArray[np.bool_]) -> Floats:
    found = crossed_mean_difference(target, baseline)
    t = np.divide(found.value, np.sqrt(found.variance), where=found.variance > 0, out=np.zeros(len(target)))
    return np.asarray(2 * special.stdtr(found.df, -np.abs(t)))


def naive_chi_square_p(target: NDArray[np.bool_], baseline: NDArray[np.bool_]) -> Floats:
    """The protocol's call on each study: `chi2_contingency` with its default correction."""
    p = []
    for off_target, off_baseline in zip(target.sum(axis=(1, 2)), baseline.sum(axis=(1, 2)), strict=True):
        n = target[0].size
        table = [[n - off_baseline, off_baseline], [n - off_target, off_target]]
        p.append(stats.chi2_contingency(table).pvalue)
    return np.array(p)


def at_most(rate: float, number: int) -> float:
    """Give the rate with three Monte-Carlo standard errors."""
    return rate + 3 * float(np.sqrt(rate * (1 - rate) / number))


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("raters", "number"), [(5, 10_000), (10, 10_000), (50, 4_000)])
def test_the_crossed_tests_keep_to_their_rate_of_false_alarms(raters: int, number: int, spread: float) -> None:
    target, baseline = studies(observers(spread), raters, number, seed=raters)
    difference = crossed_mean_difference(target, baseline)
    against_chance = crossed_mean(target)
    for found, null in ((difference, 0.0), (against_chance, 0.5)):
        t = (found.value - null) / np.sqrt(found.variance)
        assert np.mean(special.stdtr(found.df, -t) < 0.05) < at_most(ALPHA, number)
    assert np.mean(two_sided_p(target, baseline) < 0.05) < at_most(ALPHA, number)


@pytest.mark.parametrize(
    ("raters", "number", "stated"),
    [(5, 20_000, 0.028), (10, 20_000, 0.041), (50, 8_000, 0.048), (200, 3_000, 0.052)],
)
def test_the_difference_rejects_as_often_as_the_rulings_state(raters: int, number: int, stated: float) -> None:
    target, baseline = studies(observers(1.0), raters, number, seed=1)
    tolerance = 0.003 + 3 * np.sqrt(stated * (1 - stated) / number)
    assert np.mean(two_sided_p(target, baseline) < 0.05) == pytest.approx(stated, abs=tolerance)


@pytest.mark.parametrize(("raters", "number", "stated"), [(10, 2_000, 0.16), (200, 800, 0.65)])
def test_the_naive_chi_square_is_as_inflated_as_the_rulings_state(raters: int, number: int, stated: float) -> None:
    target, baseline = studies(observers(1.0), raters, number, seed=2)
    tolerance = 0.01 + 3 * np.sqrt(stated * (1 - stated) / number)
    assert np.mean(naive_chi_square_p(target, baseline) < 0.05) == pytest.approx(stated, abs=tolerance)


def test_without_spread_the_naive_chi_square_would_be_right() -> None:
    target, baseline = studies(observers(0.0), 10, 2_000, seed=3)
    assert np.mean(naive_chi_square_p(target, baseline) < 0.05) < at_most(0.05, 2_000)


@pytest.mark.parametrize("raters", [10, 50])
def test_raters_who_detect_nothing_but_like_to_say_off_pass_h1_as_often_as_the_rulings_state(
    raters: int,
) -> None:
    biased = observers(1.0, criterion=-0.758)
    assert expected_off_rate(biased, signal=0.5) == pytest.approx(0.65, abs=1e-3)
    target, baseline = studies(biased, raters, 2_000, seed=4)
    k, n = target.sum(axis=(1, 2)), target[0].size
    passed = (5 * k > 3 * n) & (special.bdtrc(k - 1, n, 0.5) < 0.05)
    assert 0.68 < passed.mean() < 0.87
    assert np.mean(two_sided_p(target, baseline) < 0.05) < at_most(ALPHA, 2_000)


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("raters", [5, 10, 50])
def test_the_crossed_interval_of_a_rate_covers(raters: int, spread: float) -> None:
    number = 600
    for criterion in (0.0, 2.0):
        who = observers(spread, criterion=criterion)
        truth = expected_off_rate(who, signal=0.5)
        target, _ = studies(who, raters, number, seed=5)
        covered = []
        for answers in target:
            estimate = crossed_rate(Ratings.of(answers, ["wild"] * 10))
            assert isinstance(estimate, Estimate)
            assert isinstance(estimate.interval, Interval)
            covered.append(estimate.interval.low <= truth <= estimate.interval.high)
        assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / number)


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("d_prime", [0.0, 2.0])
def test_the_crossed_interval_of_a_difference_covers(d_prime: float, spread: float) -> None:
    number = 8_000
    who = observers(spread, d_prime=d_prime)
    truth = expected_off_rate(who, signal=0.5) - expected_off_rate(who, signal=-0.5)
    found = crossed_mean_difference(*studies(who, 10, number, seed=6))
    for level in (0.90, 0.95):
        half = special.stdtrit(found.df, (1 + level) / 2) * np.sqrt(found.variance)
        covered = np.abs(found.value - truth) <= half
        assert np.mean(covered) > level - 3 * np.sqrt(level * (1 - level) / number)


def test_the_crossed_tests_find_what_is_there() -> None:
    target, baseline = studies(observers(1.0, d_prime=3.0), 10, 2_000, seed=7)
    assert np.mean(two_sided_p(target, baseline) < 0.05) > 0.9
