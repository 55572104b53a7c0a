"""What Fleiss' κ can be expected to be: the figures that the rulings state."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limen.core.analysis.agreement import Coefficient, fleiss_values, pair_terms
from limen.core.analysis.agreement_intervals import AgreementEstimate, agreement
from limen.core.analysis.estimates import Interval
from limen.core.analysis.ratings import Ratings
from limen.core.simulation import Noise, Observers, simulate_answers


def kappas(*, raters: int, pair_sd: float, d_prime: float, pairs: int = 10, number: int = 4_000) -> NDArray[np.float64]:
    observers = Observers(d_prime=d_prime, criterion_sd=0.7, d_prime_sd=0.8, pair_sd=pair_sd, noise=Noise.LOGISTIC)
    answers = simulate_answers(
        observers, signal=[0.5] * pairs, raters=raters, studies=number, rng=np.random.default_rng(1)
    )
    off = answers.sum(axis=1)
    return fleiss_values(pair_terms(np.stack([raters - off, off], axis=-1)), np.ones(pairs))


@pytest.mark.parametrize("raters", [5, 10, 50])
@pytest.mark.parametrize("d_prime", [0.0, 2.0, 4.0])
def test_moderate_agreement_on_ten_target_pairs_is_rare_unless_pairs_differ_strongly(
    raters: int, d_prime: float
) -> None:
    alike = kappas(raters=raters, pair_sd=0.7, d_prime=d_prime)
    assert np.mean(alike > 0.40) < 0.007 + 3 * np.sqrt(0.007 / 4_000)
    apart = kappas(raters=raters, pair_sd=2.0, d_prime=d_prime)
    assert 0.17 < np.mean(apart > 0.40) < 0.32


def test_raters_who_toss_a_coin_agree_no_more_than_by_chance() -> None:
    tossed = kappas(raters=8, pair_sd=0.0, d_prime=0.0, pairs=40)
    assert tossed.mean() == pytest.approx(0.0, abs=0.05)
    sure = Observers(d_prime=20.0)
    answers = simulate_answers(sure, signal=[-0.5, 0.5], raters=8, studies=1, rng=np.random.default_rng(1))[0]
    counts = np.stack([8 - answers.sum(axis=0), answers.sum(axis=0)], axis=1)
    assert fleiss_values(pair_terms(counts), np.ones(2)) == pytest.approx(1.0)


def test_the_bootstrap_over_pairs_covers_the_agreement_of_these_raters_on_all_pairs() -> None:
    # fixed raters, many pairs to choose 40 from: the agreement on all of them is the truth
    rng = np.random.default_rng(2)
    everything = simulate_answers(
        Observers(criterion_sd=0.4, pair_sd=1.0), signal=[0.0] * 4_000, raters=8, studies=1, rng=rng
    )[0]
    off = everything.sum(axis=0)
    truth = float(fleiss_values(pair_terms(np.stack([8 - off, off], axis=1)), np.ones(4_000)))
    covered = []
    for _ in range(200):
        chosen = everything[:, rng.choice(4_000, 40, replace=False)]
        found = agreement(Ratings.of(chosen, ["wild"] * 40), rng=rng, resamples=500)[Coefficient.FLEISS_KAPPA]
        assert isinstance(found, AgreementEstimate)
        assert isinstance(found.estimate.interval, Interval)
        covered.append(found.estimate.interval.low <= truth <= found.estimate.interval.high)
    # a percentile interval of forty pairs covers a little less than it promises
    assert np.mean(covered) > 0.93 - 3 * np.sqrt(0.93 * 0.07 / 200)
