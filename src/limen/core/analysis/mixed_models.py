"""Fit a logistic or probit model with crossed raters and pairs by maximum (Laplace) likelihood.

The search is Newton's method with the exact gradient and a Hessian of central differences, until the
estimates stand still. Standard errors come from that Hessian over effects and spreads together, as lme4's
do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.laplace import (
    ConditionalEffects,
    CrossedDesign,
    LaplacePoint,
    Parameters,
    Spherical,
    conditional_effects,
    laplace,
)
from limen.core.analysis.links import Link, derivatives

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SINGULAR_SD = 1e-4
SINGULAR_CORRELATION = 0.9999
LARGEST_EFFECT = 10.0
LARGEST_SD = 20.0

START_SD = {Link.LOGIT: 0.7, Link.PROBIT: 0.4}
SMALL_SD = 0.02
POOLED_STEPS = 5
MAXIMAL_ROUNDS = 60
HALVINGS = 20
SETTLED = 1e-12  # Newton decrement: within 1e-6 standard errors of the maximum before the last step
FIRST_DIFFERENCE = 2.0**-7
DIFFERENCE_IN_ERRORS = 2e-3
NEARLY_SETTLED = 1e-3
LEVEL = 1e-9  # log-likelihoods this close are the same
SMALLEST_CURVATURE = 1e-6  # relative; flatter directions are not followed further

SEPARATED = Undetermined(reason="separation: the estimates grow without bound")
NOT_CONVERGED = Undetermined(reason="the fit did not converge")
NO_PEAK = Undetermined(reason="the likelihood has no clear peak")
SINGULAR = Undetermined(reason="the fit is singular: the data do not support all of its random part")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uncertainty:
    """The maximum as the search's vector (effects, spreads, correlation), and the covariance of its entries.

    An entry that is held at 0 has no variance.
    """

    vector: Floats
    covariance: Floats
    correlated: bool

    @property
    def errors(self) -> Floats:
        """The standard errors of all entries."""
        return np.sqrt(np.diagonal(self.covariance))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairLevels:
    """The predictor η of each pair for a rater without deviations, and how uncertain it is."""

    values: Floats
    sds: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixedModelFit:
    """A fitted model.

    `singular` says that an SD is below 1e-4 or a correlation beyond ±0.9999: the data do not support all of
    the random part.
    """

    parameters: Parameters
    uncertainty: Uncertainty | Undetermined
    rater_sds: Floats
    rater_correlations: Floats
    log_likelihood: float
    singular: bool
    conditional: ConditionalEffects

    @property
    def standard_errors(self) -> Floats | Undetermined:
        """Those of the effects, in their order."""
        if isinstance(self.uncertainty, Undetermined):
            return self.uncertainty
        return self.uncertainty.errors[: self.parameters.effects.size]


def fit_mixed_model(design: CrossedDesign, link: Link, *, correlated: bool = True) -> MixedModelFit | Undetermined:
    """Fit the model; with `correlated` false the raters' terms vary independently of each other.

    Applies to any fixed effects that are not collinear. Undetermined where the estimates grow without bound
    (an |estimate| above 10, or an SD of 20) or the search does not settle. At an SD of 0 the standard errors
    hold that SD at 0; a singular fit with correlations has none.
    Source: Bates et al. (2015). Checked against lme4 and glmmTMB on data simulated for the project and on
    VerbAgg (316 × 24, 6 effects), and against the same likelihood climbed by L-BFGS-B.

    >>> rng = np.random.default_rng(1)
    >>> design = CrossedDesign(
    ...     off=rng.random((8, 6)) < 0.4,
    ...     answered=np.ones((8, 6), dtype=bool),
    ...     fixed=np.ones((8, 6, 1)),
    ...     rater_terms=np.ones((1, 6, 1)),
    ... )
    >>> fit = fit_mixed_model(design, Link.LOGIT)
    >>> fit.parameters.effects.shape, fit.log_likelihood < 0
    ((1,), True)
    """
    columns = design.fixed[design.answered]
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        return Undetermined(reason="the predictors do not vary independently of each other")
    search = _Search(design, link, correlated=correlated)
    peak = _climb(search, search.start())
    if isinstance(peak, Undetermined):
        return peak
    fit = _report(search, peak)
    return _best_of_more_starts(search, fit) if fit.singular and search.has_correlation else fit


def pair_levels(design: CrossedDesign, link: Link, uncertainty: Uncertainty) -> PairLevels:
    """Give each pair's level x·b + e, for a rater in the middle, with the uncertainty of effects and spreads in it.

    Var = σ²·[H⁻¹]ᵢᵢ + g′·V·g: what the pair's answers leave open about its deviation e, and V, the covariance
    of all parameters, with g the derivative of the level in them, the mode moving along (central differences).
    The conditional SD alone would take b for known, and intervals from it cover far too seldom.

    Applies where the predictors of a pair are the same for all raters. Source: Kass & Steffey (1989); Kristensen
    et al. (2016). Checked by simulation for its coverage.
    """
    predictors = design.fixed[0]
    if np.any(design.fixed != predictors):
        raise ValueError("the predictors of a pair differ between raters, so that it has no level of its own")
    search = _Search(design, link, correlated=uncertainty.correlated)

    def at(vector: Floats) -> tuple[Floats, Floats]:
        parameters = search.unpack(vector)
        found = conditional_effects(design, link, parameters)
        return predictors @ parameters.effects + found.pairs, found.pair_sds

    values, sds = at(uncertainty.vector)
    errors = uncertainty.errors
    slopes = np.zeros((values.size, errors.size))
    for place in np.flatnonzero(errors):
        step = np.zeros(errors.size)
        step[place] = 2.0 ** np.round(np.log2(errors[place] * DIFFERENCE_IN_ERRORS))
        ahead, behind = at(uncertainty.vector + step)[0], at(uncertainty.vector - step)[0]
        slopes[:, place] = (ahead - behind) / (2 * step[place])
    return PairLevels(values=values, sds=np.sqrt(sds**2 + ((slopes @ uncertainty.covariance) * slopes).sum(axis=1)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Peak:
    vector: Floats
    covariance: Floats | Undetermined


class _Search:
    """The likelihood as a function of one vector: effects, the raters' SDs, the angle φ, the pairs' SD.

    Two correlated terms have Λ_r = [[s₀, 0], [s₁·sin φ, s₁·cos φ]], so that sin φ is their correlation; the
    angle makes a straight valley of the curved one that Λ_r has where s₀ is small. Negative SDs are allowed,
    as the likelihood is even in them (in σ always, in the raters' SDs where φ is absent: `even`).
    """

    def __init__(self, design: CrossedDesign, link: Link, *, correlated: bool) -> None:
        """Choose the entries of the vector."""
        self.design = design
        self.link = link
        self.effects = design.fixed.shape[2]
        self.terms = design.rater_terms.shape[2]
        self.has_correlation = correlated and self.terms > 1
        if self.has_correlation and self.terms > 2:
            raise ValueError(f"a correlation is fitted for two terms a rater, not for {self.terms}")
        raters = [False, False, False] if self.has_correlation else [True] * self.terms
        self.even = np.array([False] * self.effects + raters + [True])
        self.mode: Spherical | None = None

    def start(self, *, spread: float = 1.0, angle: float = 0.0) -> Floats:
        """Give a start: pooled effects, and spreads this many times the usual, at this angle."""
        sd = spread * START_SD[self.link]
        raters = [sd] * self.terms + ([angle] if self.has_correlation else [])
        return np.concatenate([_pooled_effects(self.design, self.link), raters, [sd]])

    def unpack(self, vector: Floats) -> Parameters:
        factor = np.diag(vector[self.effects : self.effects + self.terms])
        if self.has_correlation:
            spread, angle = vector[-3], vector[-2]
            factor[1] = spread * np.array([np.sin(angle), np.cos(angle)])
        return Parameters(effects=vector[: self.effects], rater_factor=factor, pair_sd=float(vector[-1]))

    def slope(self, vector: Floats) -> Floats:
        by = self.at(vector).gradient
        raters = np.diagonal(by.rater_factor)
        if self.has_correlation:
            spread, angle = vector[-3], vector[-2]
            outward = np.array([np.sin(angle), np.cos(angle)])
            around = spread * np.array([np.cos(angle), -np.sin(angle)])
            raters = np.array([raters[0], by.rater_factor[1] @ outward, by.rater_factor[1] @ around])
        return np.concatenate([by.effects, raters, [by.pair_sd]])

    def at(self, vector: Floats) -> LaplacePoint:
        point = laplace(self.design, self.link, self.unpack(vector), start=self.mode)
        self.mode = point.mode
        return point

    def height(self, vector: Floats) -> float:
        return self.at(vector).log_likelihood

    def without_idle_spreads(self, vector: Floats) -> Floats:
        """Set a small SD to 0 where the likelihood is no lower for it; Newton's method would be slow."""
        for place in np.flatnonzero(self.even & (vector != 0) & (np.abs(vector) < SMALL_SD)):
            without = np.where(np.arange(vector.size) == place, 0.0, vector)
            if self.height(without) >= self.height(vector) - LEVEL:
                vector = without
        return vector

    def with_missed_spreads(self, vector: Floats) -> Floats:
        """Lift an SD off 0 where the likelihood rises with it; at 0 itself the gradient cannot tell."""
        for place in np.flatnonzero(self.even & (vector == 0)):
            lifted = np.where(np.arange(vector.size) == place, SMALL_SD, vector)
            if self.height(lifted) > self.height(vector) + LEVEL:
                vector = lifted
        return vector


def _best_of_more_starts(search: _Search, fit: MixedModelFit) -> MixedModelFit:
    """Make sure that a singular fit is not just the lower of two maxima, as few raters can have."""
    for angle in (-0.6, 0.6):
        search.mode = None
        nearly = _climb(search, search.start(spread=2.0, angle=angle), settled=NEARLY_SETTLED)
        if isinstance(nearly, _Peak) and search.height(nearly.vector) > fit.log_likelihood + LEVEL:
            peak = _climb(search, nearly.vector)
            fit = _report(search, peak) if isinstance(peak, _Peak) else fit
    return fit


def _climb(search: _Search, vector: Floats, *, settled: float = SETTLED) -> _Peak | Undetermined:
    try:
        return _newton(search, vector, settled)
    except (FloatingPointError, np.linalg.LinAlgError):
        return NOT_CONVERGED


def _newton(search: _Search, vector: Floats, settled: float) -> _Peak | Undetermined:
    """Newton's method, until a Hessian taken at the maximum itself gives the standard errors.

    Directions in which the likelihood curves upwards are climbed as if it curved downwards as much.
    """
    width = np.full(vector.size, FIRST_DIFFERENCE)
    for turn in range(MAXIMAL_ROUNDS):
        vector = search.without_idle_spreads(vector)
        if _separated(search, vector):
            return SEPARATED
        free = ~search.even | (vector != 0)
        information = _information(search, vector, width, free)
        scale = np.sqrt(np.maximum(np.abs(np.diagonal(information)), np.finfo(float).eps))
        curvature, axes = np.linalg.eigh(information / np.outer(scale, scale))
        axes = axes / scale[:, None]
        slope = search.slope(vector)[free] @ axes
        bend = np.maximum(np.abs(curvature), SMALLEST_CURVATURE)
        step = np.zeros(vector.size)
        step[free] = axes @ (slope / bend)
        errors = np.sqrt(axes**2 @ (1 / bend))
        if slope @ (slope / bend) < settled and turn > 0:
            lifted = search.with_missed_spreads(vector)
            if np.array_equal(lifted, vector):
                clear = curvature[0] > SMALLEST_CURVATURE
                return _Peak(vector=vector + step, covariance=_covariance(axes, bend, free) if clear else NO_PEAK)
            vector = lifted
        else:
            vector = _uphill(search, vector, step)
        # a power of two, so that the differences are the same on every machine
        scaled = 2.0 ** np.round(np.log2(errors * DIFFERENCE_IN_ERRORS))
        width[free] = np.minimum(scaled, FIRST_DIFFERENCE)
    return NOT_CONVERGED


def _covariance(axes: Floats, bend: Floats, free: Flags) -> Floats:
    """Invert the information, which is given by its axes; what is held at 0 does not vary."""
    covariance = np.zeros((free.size, free.size))
    covariance[np.ix_(free, free)] = (axes / bend) @ axes.T
    return covariance


def _information(search: _Search, vector: Floats, width: Floats, free: Flags) -> Floats:
    """Give the negative Hessian in the free entries, by central differences of the gradient."""
    rows = []
    for place in np.flatnonzero(free):
        ahead, behind = vector.copy(), vector.copy()
        ahead[place] += width[place]
        behind[place] -= width[place]
        rows.append((search.slope(behind) - search.slope(ahead))[free] / (2 * width[place]))
    hessian = np.array(rows)
    return np.asarray((hessian + hessian.T) / 2)


def _uphill(search: _Search, vector: Floats, step: Floats) -> Floats:
    """Take as much of the step as does not go down, no entry moving by more than 1."""
    share = 1 / max(1.0, float(np.abs(step).max()))
    height = search.height(vector)
    for _ in range(HALVINGS):
        ahead = vector + share * step
        if search.height(ahead) >= height:
            return np.asarray(ahead)
        share /= 2
    return vector


def _report(search: _Search, peak: _Peak) -> MixedModelFit:
    found = search.unpack(peak.vector)
    signs = np.where(np.diagonal(found.rater_factor) < 0, -1.0, 1.0)
    parameters = Parameters(effects=found.effects, rater_factor=found.rater_factor * signs, pair_sd=abs(found.pair_sd))
    singular = _is_singular(parameters)
    return MixedModelFit(
        parameters=parameters,
        uncertainty=SINGULAR if singular and search.has_correlation else _uncertainty(search, peak),
        rater_sds=_rater_sds(parameters),
        rater_correlations=_rater_correlations(parameters),
        log_likelihood=search.height(peak.vector),
        singular=singular,
        conditional=conditional_effects(search.design, search.link, parameters),
    )


def _uncertainty(search: _Search, peak: _Peak) -> Uncertainty | Undetermined:
    if isinstance(peak.covariance, Undetermined):
        return peak.covariance
    return Uncertainty(vector=peak.vector, covariance=peak.covariance, correlated=search.has_correlation)


def _rater_sds(parameters: Parameters) -> Floats:
    return np.asarray(np.linalg.norm(parameters.rater_factor, axis=1))


def _rater_correlations(parameters: Parameters) -> Floats:
    """Correlations of the raters' terms; those of a term without spread are 0."""
    sds = _rater_sds(parameters)
    scale = np.outer(sds, sds)
    covariance = parameters.rater_factor @ parameters.rater_factor.T
    return np.asarray(np.divide(covariance, scale, out=np.eye(len(sds)), where=scale > 0))


def _is_singular(parameters: Parameters) -> bool:
    sds = np.append(_rater_sds(parameters), parameters.pair_sd)
    off_diagonal = np.tril(_rater_correlations(parameters), -1)
    return bool(np.any(sds < SINGULAR_SD) or np.any(np.abs(off_diagonal) > SINGULAR_CORRELATION))


def _separated(search: _Search, vector: Floats) -> bool:
    effects, spreads = vector[: search.effects], vector[search.effects :]
    return bool(np.abs(effects).max() > LARGEST_EFFECT or np.abs(spreads).max() > LARGEST_SD)


def _pooled_effects(design: CrossedDesign, link: Link) -> Floats:
    """Take a few steps towards the model without raters and pairs, as a start."""
    columns = design.fixed[design.answered]
    sign = np.where(design.off[design.answered], 1.0, -1.0)
    effects = np.zeros(columns.shape[1])
    for _ in range(POOLED_STEPS):
        local = derivatives(link, sign, columns @ effects)
        information = columns.T @ (local.weight[:, None] * columns)
        effects = effects + np.linalg.solve(information, columns.T @ local.slope)
    return effects
