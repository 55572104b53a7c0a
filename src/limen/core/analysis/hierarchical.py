"""Condition models: does the condition of a pair move the answer, raters and pairs both being samples?

    off ~ condition + (1|rater) + (1|item)                 condition 0 / 1
    off ~ condition + (1 + condition|rater) + (1|item)     condition −½ / +½

each with the logit link (odds) and the probit link (signal detection: the condition effect is d′). An item
is a pair. A slope model that the data do not support gives way to a smaller one, and says so.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import special

from limen.core.analysis.estimates import ChiSquare, Estimate, Interval, Undetermined, WaldEffect, t_quantile
from limen.core.analysis.laplace import ConditionalEffects, CrossedDesign
from limen.core.analysis.links import Link
from limen.core.analysis.mixed_models import MixedModelFit, Uncertainty, fit_mixed_model, pair_levels
from limen.core.analysis.ratings import Contrast
from limen.core.analysis.sensitivity import SensitivityEstimate, area_under_curve

Floats = NDArray[np.float64]


class RandomPart(StrEnum):
    """What varies between raters, from the most to the least."""

    CORRELATED_SLOPE = "(1 + condition|rater) + (1|item)"
    UNCORRELATED_SLOPE = "(1 + condition||rater) + (1|item)"
    INTERCEPTS = "(1|rater) + (1|item)"


SLOPE_CODES = (-0.5, 0.5)
LADDER = (RandomPart.CORRELATED_SLOPE, RandomPart.UNCORRELATED_SLOPE, RandomPart.INTERCEPTS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionModel:
    """A fitted condition model.

    `given_up` lists the larger random parts that were tried first and found singular. `rater_slope_sd` and
    `rater_correlation` are None where the model has no such term. `likelihood_ratio` compares with the same
    model without condition. `conditional` holds the shrunken raters (intercept, slope) and pairs,
    those of the baseline first.
    """

    link: Link
    random_part: RandomPart
    given_up: tuple[RandomPart, ...]
    intercept: WaldEffect
    condition: WaldEffect
    likelihood_ratio: ChiSquare
    rater_sd: float
    rater_slope_sd: float | None
    rater_correlation: float | None
    pair_sd: float
    log_likelihood: float
    singular: bool
    n: int
    conditional: ConditionalEffects
    uncertainty: Uncertainty

    @property
    def formula(self) -> str:
        """The model as lme4 would write it."""
        return f"off ~ condition + {self.random_part}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionModels:
    """The four condition models of one contrast."""

    logit: ConditionModel | Undetermined
    probit: ConditionModel | Undetermined
    logit_slope: ConditionModel | Undetermined
    probit_slope: ConditionModel | Undetermined


def fit_condition_models(contrast: Contrast) -> ConditionModels:
    """Fit all four."""
    return ConditionModels(
        logit=fit_intercept_model(contrast, Link.LOGIT),
        probit=fit_intercept_model(contrast, Link.PROBIT),
        logit_slope=fit_slope_model(contrast, Link.LOGIT),
        probit_slope=fit_slope_model(contrast, Link.PROBIT),
    )


def fit_intercept_model(contrast: Contrast, link: Link) -> ConditionModel | Undetermined:
    """Fit off ~ condition + (1|rater) + (1|item), condition 0 for baseline and 1 for target pairs.

    Wald z and p for the effects, a likelihood ratio for condition (χ², one degree of freedom). Every answer
    there is counts. Undetermined with fewer than two raters or two pairs a role, and under separation: a
    role with one answer only, or an |estimate| above 10. A singular fit stands, marked as such.
    Source: Baayen, Davidson & Bates (2008); Bates et al. (2015). Checked against lme4 (logit) and glmmTMB
    (probit).

    >>> rng = np.random.default_rng(3)
    >>> from limen.core.analysis.ratings import Ratings
    >>> answers = Ratings.of(rng.random((6, 8)) < [0.2] * 4 + [0.7] * 4, ["calm"] * 4 + ["wild"] * 4)
    >>> model = fit_intercept_model(answers.contrast(target="wild", baseline="calm"), Link.LOGIT)
    >>> model.formula, model.condition.estimate > 0
    ('off ~ condition + (1|rater) + (1|item)', True)
    """
    return _fit(contrast, link, codes=(0.0, 1.0), ladder=LADDER[-1:])


def fit_slope_model(contrast: Contrast, link: Link) -> ConditionModel | Undetermined:
    """Fit off ~ condition + (1 + condition|rater) + (1|item), condition −½ for baseline and +½ for target.

    Where the fit is singular (an SD below 1e-4 or a correlation beyond ±0.9999) the slope is first freed of
    its correlation, then dropped. The rest as in `fit_intercept_model`.
    Source: Barr et al. (2013). Checked against lme4 and glmmTMB, singular fits by their log-likelihood.

    >>> rng = np.random.default_rng(3)
    >>> from limen.core.analysis.ratings import Ratings
    >>> answers = Ratings.of(rng.random((6, 8)) < [0.2] * 4 + [0.7] * 4, ["calm"] * 4 + ["wild"] * 4)
    >>> model = fit_slope_model(answers.contrast(target="wild", baseline="calm"), Link.PROBIT)
    >>> model.random_part.value, [part.value for part in model.given_up]
    ('(1|rater) + (1|item)', ['(1 + condition|rater) + (1|item)', '(1 + condition||rater) + (1|item)'])
    """
    return _fit(contrast, link, codes=SLOPE_CODES, ladder=LADDER)


def population_sensitivity(
    model: ConditionModel | Undetermined, *, level: float = 0.95
) -> SensitivityEstimate | Undetermined:
    """Read d′, c and AUC of the population of raters and pairs off a probit slope model.

    With condition −½ / +½: d′ = β_condition, c = −β_0, AUC = Φ(d′/√2); Wald intervals, that of AUC carried
    through from d′. Source: DeCarlo (1998). Checked by simulation.

    >>> population_sensitivity(Undetermined(reason="separation")).reason
    'separation'
    """
    if isinstance(model, Undetermined):
        return model
    if model.link is not Link.PROBIT:
        raise ValueError(f"d′ is the condition effect of a probit model, not of a {model.link} model")

    def estimate(value: float, interval: Interval) -> Estimate:
        return Estimate(value=value, interval=interval, n=model.n, method=f"probit: {model.formula}")

    d_prime, intercept = model.condition.interval(level), model.intercept.interval(level)
    low, high = area_under_curve([d_prime.low, d_prime.high]).tolist()
    return SensitivityEstimate(
        d_prime=estimate(model.condition.estimate, d_prime),
        criterion=estimate(-model.intercept.estimate, Interval(low=-intercept.high, high=-intercept.low, level=level)),
        auc=estimate(float(area_under_curve(model.condition.estimate)), Interval(low=low, high=high, level=level)),
    )


def pair_rates(contrast: Contrast, model: ConditionModel, *, level: float = 0.95) -> list[Estimate]:
    """Give each pair's OFF rate for a typical rater, by the probit slope model that was fitted to this contrast.

    Φ(β_0 ± β_condition/2 + e), those of the baseline first; the interval is ± t times the SD of the whole sum
    (`pair_levels`), with as many degrees of freedom as the fewer of raters and pairs, less the two effects.
    Source: Kass & Steffey (1989). Checked by simulation for its coverage.

    >>> rng = np.random.default_rng(1)
    >>> from limen.core.analysis.ratings import Ratings
    >>> answers = Ratings.of(rng.random((9, 8)) < [0.1, 0.3, 0.2, 0.5, 0.9, 0.5, 0.7, 0.8], ["calm"] * 4 + ["wild"] * 4)
    >>> contrast = answers.contrast(target="wild", baseline="calm")
    >>> len(pair_rates(contrast, fit_slope_model(contrast, Link.PROBIT)))
    8
    """
    if model.link is not Link.PROBIT:
        raise ValueError(f"the rates are read off a probit model, not off a {model.link} model")
    design = _design(contrast, SLOPE_CODES, model.random_part)
    levels = pair_levels(design, model.link, model.uncertainty)
    half = t_quantile(level, max(1, min(design.off.shape) - 2)) * levels.sds
    bounds = special.ndtr([levels.values - half, levels.values, levels.values + half]).T.tolist()
    return [
        Estimate(
            value=value,
            interval=Interval(low=low, high=high, level=level),
            n=max(1, n),
            method=f"probit: {model.formula}",
        )
        for (low, value, high), n in zip(bounds, design.answered.sum(axis=0).tolist(), strict=True)
    ]


def _fit(
    contrast: Contrast,
    link: Link,
    *,
    codes: tuple[float, float],
    ladder: tuple[RandomPart, ...],
    given_up: tuple[RandomPart, ...] = (),
) -> ConditionModel | Undetermined:
    """Fit the first rung, or go on to the next one where it is singular."""
    problem = _cannot_fit(contrast)
    if problem:
        return problem
    random_part, smaller = ladder[0], ladder[1:]
    correlated = random_part is RandomPart.CORRELATED_SLOPE
    fit = fit_mixed_model(_design(contrast, codes, random_part), link, correlated=correlated)
    if isinstance(fit, Undetermined):
        return fit
    if fit.singular and smaller:
        return _fit(contrast, link, codes=codes, ladder=smaller, given_up=(*given_up, random_part))
    null = fit_mixed_model(_design(contrast, codes, random_part, with_condition=False), link, correlated=correlated)
    if isinstance(null, Undetermined):
        return null
    return _describe(fit, null, link=link, random_part=random_part, given_up=given_up, n=contrast.n)


def _describe(
    fit: MixedModelFit,
    null: MixedModelFit,
    *,
    link: Link,
    random_part: RandomPart,
    given_up: tuple[RandomPart, ...],
    n: int,
) -> ConditionModel | Undetermined:
    if isinstance(fit.uncertainty, Undetermined):
        return fit.uncertainty
    intercept, condition = (
        WaldEffect(estimate=float(estimate), se=float(se))
        for estimate, se in zip(fit.parameters.effects, fit.uncertainty.errors[:2], strict=True)
    )
    has_slope = random_part is not RandomPart.INTERCEPTS
    has_correlation = random_part is RandomPart.CORRELATED_SLOPE
    return ConditionModel(
        link=link,
        random_part=random_part,
        given_up=given_up,
        intercept=intercept,
        condition=condition,
        likelihood_ratio=_likelihood_ratio(fit, null),
        rater_sd=float(fit.rater_sds[0]),
        rater_slope_sd=float(fit.rater_sds[1]) if has_slope else None,
        rater_correlation=float(fit.rater_correlations[1, 0]) if has_correlation else None,
        pair_sd=fit.parameters.pair_sd,
        log_likelihood=fit.log_likelihood,
        singular=fit.singular,
        n=n,
        conditional=fit.conditional,
        uncertainty=fit.uncertainty,
    )


def _cannot_fit(contrast: Contrast) -> Undetermined | None:
    for role, part in (("target", contrast.target), ("baseline", contrast.baseline)):
        if part.n == 0:
            return Undetermined(reason=f"there are no answers to {role} pairs")
        if part.n_off in {0, part.n}:
            return Undetermined(reason=f"separation: all answers to {role} pairs are the same")
        if part.raters < 2 or part.pairs < 2:
            return Undetermined(reason="at least two raters and two pairs in each condition are needed")
    return None


def _design(
    contrast: Contrast, codes: tuple[float, float], random_part: RandomPart, *, with_condition: bool = True
) -> CrossedDesign:
    off = np.concatenate([contrast.baseline.off, contrast.target.off], axis=1)
    answered = np.concatenate([contrast.baseline.answered, contrast.target.answered], axis=1)
    condition = np.repeat(codes, [contrast.baseline.pairs, contrast.target.pairs])
    both = np.stack([np.ones(condition.size), condition], axis=1)
    fixed = both if with_condition else both[:, :1]
    rater_terms = both[:, :1] if random_part is RandomPart.INTERCEPTS else both
    return CrossedDesign(
        off=off,
        answered=answered,
        fixed=np.broadcast_to(fixed, (*off.shape, fixed.shape[1])),
        rater_terms=rater_terms[None],
    )


def _likelihood_ratio(fit: MixedModelFit, null: MixedModelFit) -> ChiSquare:
    """2·(log L − log L₀); two searches may differ by rounding where condition explains nothing."""
    return ChiSquare(statistic=max(0.0, 2 * (fit.log_likelihood - null.log_likelihood)), dof=1)
