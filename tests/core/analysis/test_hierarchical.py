import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from limen.core.analysis.estimates import Interval, Undetermined
from limen.core.analysis.hierarchical import (
    ConditionModel,
    RandomPart,
    fit_condition_models,
    fit_intercept_model,
    fit_slope_model,
    population_sensitivity,
)
from limen.core.analysis.laplace import CrossedDesign
from limen.core.analysis.links import Link
from limen.core.analysis.mixed_models import MixedModelFit, fit_mixed_model
from limen.core.analysis.ratings import Contrast, Ratings
from limen.core.analysis.sensitivity import SensitivityEstimate
from limen.core.simulation import BASELINE_SIGNAL, TARGET_SIGNAL, Observers, simulate_study

CONDITIONS = ["calm"] * 10 + ["wild"] * 10
SIGNAL = {"calm": BASELINE_SIGNAL, "wild": TARGET_SIGNAL}


def a_study(*, raters: int = 12, seed: int = 1, spread: float = 0.6, d_prime: float = 1.2) -> Ratings:
    observers = Observers(d_prime=d_prime, criterion=0.3, d_prime_sd=spread, criterion_sd=spread, pair_sd=spread)
    return simulate_study(
        observers,
        condition_of_pair=CONDITIONS,
        signal=SIGNAL,
        raters=raters,
        rng=np.random.default_rng(seed),
    ).ratings


def a_contrast(ratings: Ratings) -> Contrast:
    return ratings.contrast(target="wild", baseline="calm")


def fitted(model: ConditionModel | Undetermined) -> ConditionModel:
    assert isinstance(model, ConditionModel)
    return model


def of_answers(off: NDArray[np.bool_]) -> Contrast:
    return a_contrast(Ratings.of(off, CONDITIONS))


def test_all_four_models_are_fitted_and_named() -> None:
    models = fit_condition_models(a_contrast(a_study(seed=3)))
    for model, link in ((models.logit, Link.LOGIT), (models.probit, Link.PROBIT)):
        assert fitted(model).link is link
        assert fitted(model).formula == "off ~ condition + (1|rater) + (1|item)"
    for model, link in ((models.logit_slope, Link.LOGIT), (models.probit_slope, Link.PROBIT)):
        assert fitted(model).link is link
        assert fitted(model).formula == "off ~ condition + (1 + condition|rater) + (1|item)"
        assert fitted(model).given_up == ()


def test_a_singular_slope_gives_way_to_a_smaller_model_which_says_so() -> None:
    seen = set()
    for seed in range(8):
        model = fitted(fit_slope_model(a_contrast(a_study(spread=0.2, seed=seed)), Link.LOGIT))
        ladder = list(RandomPart)
        assert list(model.given_up) == ladder[: ladder.index(model.random_part)]
        assert not model.singular or model.random_part is RandomPart.INTERCEPTS
        assert (model.rater_correlation is None) == (model.random_part is not RandomPart.CORRELATED_SLOPE)
        assert (model.rater_slope_sd is None) == (model.random_part is RandomPart.INTERCEPTS)
        seen.add(model.random_part)
    assert RandomPart.INTERCEPTS in seen
    assert len(seen) > 1


def test_a_singular_intercept_model_stands_and_is_marked() -> None:
    models = [fitted(fit_intercept_model(a_contrast(a_study(spread=0.0, seed=seed)), Link.LOGIT)) for seed in range(5)]
    singular = [model for model in models if model.singular]
    assert singular
    assert all(model.rater_sd == 0 or model.pair_sd == 0 for model in singular)
    assert all(model.condition.se > 0 for model in singular)


def test_the_likelihood_ratio_is_that_of_dropping_condition_and_keeping_the_random_part() -> None:
    ratings = a_study(seed=3)
    model = fitted(fit_slope_model(a_contrast(ratings), Link.LOGIT))
    assert model.random_part is RandomPart.CORRELATED_SLOPE
    both = np.stack([np.ones(20), np.repeat([-0.5, 0.5], 10)], axis=1)
    null = fit_mixed_model(
        CrossedDesign(off=ratings.off, answered=ratings.answered, fixed=np.ones((12, 20, 1)), rater_terms=both[None]),
        Link.LOGIT,
    )
    assert isinstance(null, MixedModelFit)
    expected = 2 * (model.log_likelihood - null.log_likelihood)
    assert model.likelihood_ratio.statistic == pytest.approx(expected, rel=1e-9)
    assert model.likelihood_ratio.dof == 1


def test_without_an_effect_the_likelihood_ratio_is_small_and_never_negative() -> None:
    # the target answers are the baseline answers again: condition explains exactly nothing
    half = a_study(seed=5).off[:, :10]
    model = fitted(fit_intercept_model(of_answers(np.hstack([half, half])), Link.LOGIT))
    assert model.condition.estimate == pytest.approx(0.0, abs=1e-9)
    assert model.likelihood_ratio.statistic == pytest.approx(0.0, abs=1e-8)
    assert model.likelihood_ratio.statistic >= 0


def test_swapping_target_and_baseline_turns_the_sign_of_the_effect() -> None:
    forward = a_contrast(a_study(seed=3))
    backward = Contrast(target=forward.baseline, baseline=forward.target)
    one, other = (fitted(fit_intercept_model(part, Link.PROBIT)) for part in (forward, backward))
    assert other.condition.estimate == pytest.approx(-one.condition.estimate, rel=1e-7)
    assert other.condition.se == pytest.approx(one.condition.se, rel=1e-6)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-9)


def test_the_order_of_raters_and_pairs_does_not_matter() -> None:
    ratings = a_study(seed=3)
    rng = np.random.default_rng(1)
    shuffled = ratings.of_raters(rng.permutation(12)).of_pairs(rng.permutation(20))
    one, other = (fitted(fit_slope_model(a_contrast(part), Link.LOGIT)) for part in (ratings, shuffled))
    assert other.condition.estimate == pytest.approx(one.condition.estimate, rel=1e-8)
    assert other.condition.se == pytest.approx(one.condition.se, rel=1e-7)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-12)


def test_a_rater_without_answers_changes_nothing() -> None:
    ratings = a_study(seed=3)
    more = Ratings(
        off=np.vstack([ratings.off, np.ones((1, 20), bool)]),
        answered=np.vstack([ratings.answered, np.zeros((1, 20), bool)]),
        condition=ratings.condition,
        conditions=ratings.conditions,
    )
    one, other = (fitted(fit_intercept_model(a_contrast(part), Link.LOGIT)) for part in (ratings, more))
    assert other.condition.estimate == pytest.approx(one.condition.estimate, rel=1e-9)
    assert (one.n, other.n) == (240, 240)


def test_models_use_every_answer_there_is() -> None:
    ratings = a_study(seed=3)
    answered = np.random.default_rng(2).random((12, 20)) < 0.8
    gappy = Ratings.of(ratings.off, CONDITIONS, answered=answered)
    assert fitted(fit_slope_model(a_contrast(gappy), Link.PROBIT)).n == answered.sum()


def test_shrunken_raters_and_pairs_are_ordered_like_the_raw_ones_and_closer_together() -> None:
    ratings = a_study(raters=40, spread=0.8, seed=2)
    model = fitted(fit_intercept_model(a_contrast(ratings), Link.LOGIT))
    raters, pairs = model.conditional.raters[:, 0], model.conditional.pairs
    assert stats.spearmanr(raters, ratings.off.mean(axis=1)).statistic > 0.98
    assert 0 < raters.std() < model.rater_sd
    assert pairs.shape == (20,)
    wild_rates = ratings.off[:, 10:].mean(axis=0)
    assert stats.spearmanr(pairs[10:], wild_rates).statistic > 0.98
    assert (model.conditional.pair_sds < model.pair_sd).all()


def test_a_condition_with_one_answer_only_is_separated() -> None:
    off = a_study().off.copy()
    off[:, 10:] = True
    expected = Undetermined(reason="separation: all answers to target pairs are the same")
    models = fit_condition_models(of_answers(off))
    assert models.logit == models.probit == models.logit_slope == models.probit_slope == expected
    off[:, :10] = False
    assert isinstance(fit_slope_model(of_answers(off), Link.LOGIT), Undetermined)


def test_nearly_separated_answers_are_undetermined_not_enormous() -> None:
    off = np.tile(np.array(CONDITIONS) == "wild", (6, 1))
    off[0, 0], off[1, 10] = True, False
    model = fit_slope_model(of_answers(off), Link.LOGIT)
    assert isinstance(model, Undetermined) or abs(model.condition.estimate) <= 10


@pytest.mark.parametrize("raters", [0, 1])
def test_too_few_raters_are_undetermined(raters: int) -> None:
    models = fit_condition_models(a_contrast(a_study().of_raters(np.arange(raters))))
    assert isinstance(models.logit, Undetermined)
    assert isinstance(models.probit_slope, Undetermined)


def test_population_d_prime_and_criterion_are_read_off_the_probit_slope_model() -> None:
    model = fitted(fit_slope_model(a_contrast(a_study(seed=3)), Link.PROBIT))
    found = population_sensitivity(model)
    assert isinstance(found, SensitivityEstimate)
    assert found.d_prime.value == model.condition.estimate
    assert found.criterion.value == -model.intercept.estimate
    assert found.auc.value == pytest.approx(stats.norm.cdf(model.condition.estimate / np.sqrt(2)))
    assert isinstance(found.d_prime.interval, Interval)
    assert isinstance(found.criterion.interval, Interval)
    assert found.d_prime.interval.high == pytest.approx(
        model.condition.estimate + stats.norm.ppf(0.975) * model.condition.se
    )
    assert found.criterion.interval.low == pytest.approx(
        -model.intercept.estimate - stats.norm.ppf(0.975) * model.intercept.se
    )
    assert "probit" in found.d_prime.method


def test_population_d_prime_of_an_undetermined_model_is_undetermined() -> None:
    reason = Undetermined(reason="separation")
    assert population_sensitivity(reason) == reason


def test_a_logit_effect_is_not_taken_for_a_d_prime() -> None:
    model = fit_slope_model(a_contrast(a_study(seed=3)), Link.LOGIT)
    with pytest.raises(ValueError, match="probit"):
        population_sensitivity(model)
