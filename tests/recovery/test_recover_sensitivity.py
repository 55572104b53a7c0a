"""Raters of known d′, bias and spread come back."""

import numpy as np
import pytest
from scipy import special

from limen.core.analysis.estimates import Interval
from limen.core.analysis.hierarchical import ConditionModel, fit_intercept_model, fit_slope_model, pair_rates
from limen.core.analysis.links import Link
from limen.core.analysis.mixed_models import SINGULAR_SD
from limen.core.analysis.ratings import Contrast
from limen.core.analysis.sensitivity import SensitivityEstimate, mean_sensitivity, pooled_sensitivity
from limen.core.simulation import (
    BASELINE_SIGNAL,
    TARGET_SIGNAL,
    Noise,
    Observers,
    SimulatedStudy,
    expected_off_rate,
    simulate_study,
)

SIGNAL = {"calm": BASELINE_SIGNAL, "wild": TARGET_SIGNAL}


def a_study(observers: Observers, rng: np.random.Generator, *, raters: int, pairs: int = 10) -> SimulatedStudy:
    conditions = ["calm"] * pairs + ["wild"] * pairs
    return simulate_study(observers, condition_of_pair=conditions, signal=SIGNAL, raters=raters, rng=rng)


def a_contrast(study: SimulatedStudy) -> Contrast:
    return study.ratings.contrast(target="wild", baseline="calm")


def covers(interval: object, truth: float) -> bool:
    assert isinstance(interval, Interval)
    return interval.low <= truth <= interval.high


@pytest.mark.parametrize(("d_prime", "criterion"), [(0.0, 0.5), (1.0, -0.4), (2.2, 0.0)])
def test_raters_all_alike_give_back_d_prime_and_criterion(d_prime: float, criterion: float) -> None:
    alike = Observers(d_prime=d_prime, criterion=criterion)
    study = a_study(alike, np.random.default_rng(1), raters=400, pairs=50)
    for found in (pooled_sensitivity(a_contrast(study)), mean_sensitivity(a_contrast(study))):
        assert isinstance(found, SensitivityEstimate)
        assert found.d_prime.value == pytest.approx(d_prime, abs=0.06)
        assert found.criterion.value == pytest.approx(criterion, abs=0.03)
        assert found.auc.value == pytest.approx(special.ndtr(d_prime / np.sqrt(2)), abs=0.02)


@pytest.mark.parametrize("raters", [5, 10, 40])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_the_pooled_interval_covers_the_d_prime_of_the_pooled_rates(raters: int, spread: float) -> None:
    observers = Observers(
        d_prime=1.0, criterion=0.3, criterion_sd=0.4 * spread, d_prime_sd=0.45 * spread, pair_sd=0.4 * spread
    )
    z = [special.ndtri(expected_off_rate(observers, signal=x)) for x in (0.5, -0.5)]
    rng, covered = np.random.default_rng(2), []
    for _ in range(400):
        found = pooled_sensitivity(a_contrast(a_study(observers, rng, raters=raters)))
        assert isinstance(found, SensitivityEstimate)
        covered.append((covers(found.d_prime.interval, z[0] - z[1]), covers(found.criterion.interval, -sum(z) / 2)))
    assert np.mean(covered, axis=0).min() > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)


def test_the_mean_of_raters_covers_the_d_prime_of_other_raters_on_these_pairs() -> None:
    observers = Observers(d_prime=1.0, criterion_sd=0.5, d_prime_sd=0.5)
    rng, covered = np.random.default_rng(3), []
    for _ in range(300):
        found = mean_sensitivity(a_contrast(a_study(observers, rng, raters=10, pairs=40)))
        assert isinstance(found, SensitivityEstimate)
        covered.append(covers(found.d_prime.interval, 1.0))
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)


def test_the_probit_slope_model_gives_back_d_prime_criterion_and_every_spread() -> None:
    truth = Observers(d_prime=1.2, criterion=0.4, criterion_sd=0.5, d_prime_sd=0.6, pair_sd=0.4)
    rng, number, found, standardized = np.random.default_rng(4), 20, [], []
    for _ in range(number):
        study = a_study(truth, rng, raters=60, pairs=20)
        model = fit_slope_model(a_contrast(study), Link.PROBIT)
        assert isinstance(model, ConditionModel)
        assert model.rater_slope_sd is not None
        found.append(
            [
                model.condition.estimate,
                -model.intercept.estimate,
                model.rater_sd,
                model.rater_slope_sd,
                model.pair_sd,
            ]
        )
        shrunken = model.intercept.estimate + model.conditional.raters[:, 0]
        standardized.append((shrunken + study.criterion) / model.conditional.rater_sds[:, 0])
    estimates = np.array(found)
    error = estimates.std(axis=0, ddof=1) / np.sqrt(number)
    expected = np.array([1.2, 0.4, 0.5, 0.6, 0.4])
    # maximum likelihood takes spreads a little small: allow 5 % besides Monte-Carlo error
    allowance = 3.5 * error + np.array([0, 0, 0.025, 0.03, 0.02])
    assert (np.abs(estimates.mean(axis=0) - expected) < allowance).all()
    assert (error < 0.06).all()
    # a rater's shrunken criterion misses the true one by about as much as its conditional SD says
    assert np.concatenate(standardized).std() == pytest.approx(1.0, abs=0.12)


@pytest.mark.parametrize(("raters", "spread"), [(10, 0.4), (40, 0.4)])
def test_the_interval_of_a_pairs_rate_by_the_model_covers_it(raters: int, spread: float) -> None:
    truth = Observers(d_prime=1.0, criterion=0.3, criterion_sd=0.4, d_prime_sd=0.3, pair_sd=spread)
    rng = np.random.default_rng(6)
    covered: list[float] = []  # of each study; its pairs share the errors of its effects
    conditional: list[float] = []
    while len(covered) < 40:
        study = a_study(truth, rng, raters=raters)
        model = fit_slope_model(a_contrast(study), Link.PROBIT)
        if not isinstance(model, ConditionModel) or model.pair_sd < SINGULAR_SD:
            continue
        rates = pair_rates(a_contrast(study), model)
        level = np.repeat([BASELINE_SIGNAL, TARGET_SIGNAL], 10) * truth.d_prime - truth.criterion + study.pair_shift
        shares = special.ndtr(level).tolist()
        hits = [covers(rate.interval, share) for rate, share in zip(rates, shares, strict=True)]
        covered.append(sum(hits) / len(hits))
        missed = np.abs(special.ndtri([rate.value for rate in rates]) - level)
        conditional.append(float(np.mean(missed <= 1.96 * model.conditional.pair_sds)))
    assert np.mean(covered) > 0.95 - 3 * np.std(covered) / np.sqrt(len(covered))
    assert np.mean(covered) < 0.99
    # the pair's own conditional SD takes the effects for known, and falls short
    assert np.mean(conditional) < 0.92


def test_wald_intervals_and_likelihood_ratios_keep_their_promise_in_the_large() -> None:
    null = Observers(criterion=0.3, criterion_sd=0.7, pair_sd=0.5, noise=Noise.LOGISTIC)
    rng, number, covered, rejected = np.random.default_rng(5), 80, [], []
    for _ in range(number):
        model = fit_intercept_model(a_contrast(a_study(null, rng, raters=20, pairs=20)), Link.LOGIT)
        assert isinstance(model, ConditionModel)
        covered.append(covers(model.condition.interval(), 0.0))
        rejected.append(model.likelihood_ratio.p < 0.05)
    margin = 3 * np.sqrt(0.05 * 0.95 / number)
    assert np.mean(covered) > 0.95 - margin
    assert np.mean(rejected) < 0.05 + margin
