"""The fit against the recipe of the rulings done plainly: L-BFGS-B and differences of the likelihood."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.laplace import CrossedDesign, Parameters, laplace
from limen.core.analysis.links import Link
from limen.core.analysis.mixed_models import MixedModelFit, fit_mixed_model
from limen.core.simulation import Noise, Observers, simulate_answers

Floats = NDArray[np.float64]
CONDITION = np.repeat([-0.5, 0.5], 10)


def a_design(
    *, raters: int = 10, slope: bool = False, seed: int = 1, spread: float = 0.8, d_prime: float = 1.0
) -> CrossedDesign:
    observers = Observers(d_prime=d_prime, criterion_sd=spread, d_prime_sd=spread, pair_sd=spread, noise=Noise.LOGISTIC)
    off = simulate_answers(observers, signal=CONDITION, raters=raters, studies=1, rng=np.random.default_rng(seed))[0]
    both = np.stack([np.ones(20), CONDITION], axis=1)
    return CrossedDesign(
        off=off,
        answered=np.ones(off.shape, bool),
        fixed=np.broadcast_to(both, (raters, 20, 2)),
        rater_terms=both[None] if slope else both[None, :, :1],
    )


def fitted(fit: MixedModelFit | Undetermined) -> MixedModelFit:
    assert isinstance(fit, MixedModelFit)
    return fit


def height(design: CrossedDesign, link: Link, vector: Floats) -> float:
    """Give the log-likelihood at effects, entries of Λ_r and σ."""
    terms = design.rater_terms.shape[2]
    factor = np.zeros((terms, terms))
    factor[np.tril_indices(terms)] = vector[2:-1]
    at = Parameters(effects=vector[:2], rater_factor=factor, pair_sd=float(vector[-1]))
    return laplace(design, link, at).log_likelihood


def packed(fit: MixedModelFit) -> Floats:
    factor = fit.parameters.rater_factor
    entries = factor[np.tril_indices(len(factor))]
    return np.concatenate([fit.parameters.effects, entries, [fit.parameters.pair_sd]])


@pytest.mark.parametrize("link", Link)
@pytest.mark.parametrize("slope", [False, True])
def test_no_other_search_finds_a_higher_likelihood(link: Link, slope: bool) -> None:
    design = a_design(slope=slope, seed=4)
    fit = fitted(fit_mixed_model(design, link))
    start = packed(fit) * 0 + 0.5
    found = optimize.minimize(
        lambda vector: -height(design, link, vector),
        start,
        method="L-BFGS-B",
        jac="3-point",
        options={"ftol": 1e-13, "gtol": 1e-6},
    )
    assert fit.log_likelihood >= -found.fun - 1e-8
    assert fit.parameters.effects == pytest.approx(found.x[:2], abs=1e-3)


@pytest.mark.parametrize("link", Link)
@pytest.mark.parametrize("slope", [False, True])
def test_standard_errors_are_those_of_a_hessian_of_likelihood_differences(link: Link, slope: bool) -> None:
    design = a_design(slope=slope, seed=4)
    fit = fitted(fit_mixed_model(design, link))
    peak, n = packed(fit), packed(fit).size
    width, hessian = 2e-3, np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            corners = [
                (sa * sb, height(design, link, peak + width * (sa * np.eye(n)[a] + sb * np.eye(n)[b])))
                for sa in (1, -1)
                for sb in (1, -1)
            ]
            hessian[a, b] = sum(sign * value for sign, value in corners) / (4 * width**2)
    expected = np.sqrt(np.diagonal(np.linalg.inv(-hessian)))[:2]
    assert not fit.singular
    assert fit.standard_errors == pytest.approx(expected, rel=1e-4)


def test_the_search_ends_where_the_gradient_is_nothing() -> None:
    design = a_design(slope=True, seed=4)
    fit = fitted(fit_mixed_model(design, Link.PROBIT))
    gradient = laplace(design, Link.PROBIT, fit.parameters).gradient
    assert np.abs(gradient.effects).max() < 1e-7
    assert np.abs(gradient.rater_factor).max() < 1e-7
    assert abs(gradient.pair_sd) < 1e-7


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 98])  # 98: the search passes 0 before it is at the top
def test_without_spread_an_sd_of_zero_is_a_maximum_and_said_to_be_singular(seed: int) -> None:
    design = a_design(spread=0.0, seed=seed, d_prime=0.5)
    fit = fitted(fit_mixed_model(design, Link.LOGIT))
    sds = np.append(fit.rater_sds, fit.parameters.pair_sd)
    assert (seed == 98) <= (fit.parameters.pair_sd > 0.02)
    assert fit.singular == bool((sds == 0).any())
    for place in np.flatnonzero(sds == 0):
        for sd in (0.01, 0.1, 0.5, 1.0):
            lifted = packed(fit)
            lifted[2 + place] = sd
            assert height(design, Link.LOGIT, lifted) < fit.log_likelihood


def test_singular_fits_without_correlations_still_have_standard_errors() -> None:
    fit = fitted(fit_mixed_model(a_design(spread=0.0, seed=1, d_prime=0.5), Link.LOGIT))
    assert fit.singular
    assert not isinstance(fit.standard_errors, Undetermined)
    assert (fit.standard_errors > 0).all()


def test_singular_fits_with_correlations_have_none() -> None:
    fit = fitted(fit_mixed_model(a_design(spread=0.0, seed=0, d_prime=0.5, slope=True), Link.LOGIT))
    assert fit.singular
    assert isinstance(fit.standard_errors, Undetermined)


def test_a_singular_fit_is_not_the_lower_of_two_maxima() -> None:
    # ten raters, nearly separated: the first search ends at a correlation of 1 and -67.963
    answers = """
        00000000000010111011 00000000000111101111 00000000001111111111 00000000000111110110
        00000000000011001101 00000000000010010111 00000000001111110110 00000000000101111111
        00000000001001110000 00100000000110111101
    """
    design = a_design(slope=True)
    off = np.array([[answer == "1" for answer in rater] for rater in answers.split()])
    nearly = CrossedDesign(off=off, answered=design.answered, fixed=design.fixed, rater_terms=design.rater_terms)
    fit = fitted(fit_mixed_model(nearly, Link.PROBIT))
    assert fit.log_likelihood == pytest.approx(-67.80900, abs=1e-4)
    assert not fit.singular


def test_uncorrelated_terms_stay_uncorrelated() -> None:
    fit = fitted(fit_mixed_model(a_design(slope=True, seed=4), Link.LOGIT, correlated=False))
    assert fit.rater_correlations.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_the_likelihood_does_not_depend_on_how_condition_is_coded() -> None:
    design = a_design(slope=True, seed=4)
    shifted = np.stack([np.ones(20), CONDITION + 0.5], axis=1)
    other = CrossedDesign(
        off=design.off,
        answered=design.answered,
        fixed=np.broadcast_to(shifted, (10, 20, 2)),
        rater_terms=shifted[None],
    )
    one, two = (fitted(fit_mixed_model(part, Link.LOGIT)) for part in (design, other))
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-9)
    assert one.parameters.effects[1] == pytest.approx(two.parameters.effects[1], rel=1e-7)
    assert not isinstance(one.standard_errors, Undetermined)
    assert not isinstance(two.standard_errors, Undetermined)
    assert one.standard_errors[1] == pytest.approx(two.standard_errors[1], rel=1e-5)


def test_perfect_raters_are_separated() -> None:
    design = a_design(raters=6)
    perfect = CrossedDesign(
        off=np.broadcast_to(CONDITION > 0, (6, 20)),
        answered=design.answered,
        fixed=design.fixed,
        rater_terms=design.rater_terms,
    )
    found = fit_mixed_model(perfect, Link.LOGIT)
    assert found == Undetermined(reason="separation: the estimates grow without bound")


def test_raters_who_always_say_the_same_have_no_finite_spread() -> None:
    design = a_design(raters=6)
    habit = CrossedDesign(
        off=np.repeat([[True], [False]] * 3, 20, axis=1),
        answered=design.answered,
        fixed=design.fixed,
        rater_terms=design.rater_terms,
    )
    assert isinstance(fit_mixed_model(habit, Link.LOGIT), Undetermined)


def test_predictors_that_say_the_same_twice_are_undetermined() -> None:
    design = a_design()
    twice = CrossedDesign(
        off=design.off,
        answered=design.answered,
        fixed=np.concatenate([design.fixed, design.fixed[:, :, 1:]], axis=2),
        rater_terms=design.rater_terms,
    )
    found = fit_mixed_model(twice, Link.LOGIT)
    assert found == Undetermined(reason="the predictors do not vary independently of each other")


def test_a_correlation_is_for_two_terms() -> None:
    design = a_design()
    three = CrossedDesign(
        off=design.off,
        answered=design.answered,
        fixed=design.fixed,
        rater_terms=np.random.default_rng(1).normal(size=(1, 20, 3)),
    )
    with pytest.raises(ValueError, match="two terms a rater, not for 3"):
        fit_mixed_model(three, Link.LOGIT)
    assert isinstance(fit_mixed_model(three, Link.LOGIT, correlated=False), MixedModelFit)
