"""Laplace's approximation to the likelihood of a model with crossed raters and pairs.

    η = X·b + Z·Λ·u,  u ~ N(0, I);   log L ≈ ℓ(û) − ½·û′û − ½·log|H|,   H = Λ′Z′WZΛ + I

with û the mode of the integrand and W the observed information of each answer. Each rater has k random
terms (intercept, slope …) with the k×k factor Λ_r; each pair has an intercept with SD σ. H is solved with
the raters' k×k blocks eliminated first and the pairs' Schur complement after. The gradient in b, Λ_r and σ
is exact, the movement of the mode included.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from limen.core.analysis.links import Derivatives, Link, derivatives, log_likelihood, weight_slope

Floats = NDArray[np.float64]

DECREMENT_TOLERANCE = 1e-18
MAXIMAL_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossedDesign:
    """Answers and what predicts them: any number of predictors, any number of random terms a rater.

    `fixed` is raters × pairs × predictors. `rater_terms` is raters × pairs × k, or 1 × pairs × k where all
    raters share the terms.
    """

    off: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    fixed: Floats
    rater_terms: Floats

    def __post_init__(self) -> None:
        """Check that the parts have the same raters and pairs."""
        cells = self.off.shape
        raters, pairs, _ = self.rater_terms.shape
        if self.answered.shape != cells or self.fixed.shape[:2] != cells:
            raise ValueError(f"answers {cells} and predictors {self.fixed.shape} do not fit")
        if raters not in {1, cells[0]} or pairs != cells[1]:
            raise ValueError(f"answers {cells} and rater terms {self.rater_terms.shape} do not fit")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parameters:
    """The effects b, the raters' lower-triangular factor Λ_r (k×k) and the pairs' SD σ."""

    effects: Floats
    rater_factor: Floats
    pair_sd: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spherical:
    """One value for each u: raters × k, and pairs."""

    raters: Floats
    pairs: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaplacePoint:
    """The approximation at one set of parameters, its gradient there, and the mode."""

    log_likelihood: float
    gradient: Parameters
    mode: Spherical


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionalEffects:
    """Shrunken deviations of raters (raters × k) and pairs in units of η, with their conditional SDs."""

    raters: Floats
    rater_sds: Floats
    pairs: Floats
    pair_sds: Floats


def laplace(
    design: CrossedDesign, link: Link, parameters: Parameters, *, start: Spherical | None = None
) -> LaplacePoint:
    """Approximate the log-likelihood, starting the search for the mode at `start`.

    Applies to one answer a rater and pair; cells without an answer are left out. Source: Tierney & Kadane
    (1986); Bates et al. (2015) for the parametrization. Checked against lme4 (logit) and glmmTMB (both
    links), against a dense computation of the same formula, and the gradient against central differences.

    >>> design = CrossedDesign(
    ...     off=np.array([[True, False]]),
    ...     answered=np.array([[True, True]]),
    ...     fixed=np.ones((1, 2, 1)),
    ...     rater_terms=np.ones((1, 2, 1)),
    ... )
    >>> nothing_random = Parameters(effects=np.zeros(1), rater_factor=np.zeros((1, 1)), pair_sd=0.0)
    >>> round(laplace(design, Link.LOGIT, nothing_random).log_likelihood, 6)
    -1.386294
    """
    cells = _Cells.of(design, parameters)
    mode, local, system = _find_mode(cells, link, start or cells.origin())
    eta = cells.center + cells.predict(mode)
    likelihood = float((cells.answered * log_likelihood(link, cells.sign, eta)).sum())
    penalty = 0.5 * float((mode.raters**2).sum() + (mode.pairs**2).sum())
    curve = cells.answered * weight_slope(link, cells.sign, eta)
    return LaplacePoint(
        log_likelihood=likelihood - penalty - system.half_log_determinant(),
        gradient=_gradient(design, cells, mode, local, curve, system),
        mode=mode,
    )


def conditional_effects(
    design: CrossedDesign, link: Link, parameters: Parameters, *, start: Spherical | None = None
) -> ConditionalEffects:
    """Give each rater's and each pair's deviation, shrunken towards 0 as far as its answers leave it open.

    The deviation is the mode Λ·û; its SD is the root of the diagonal of Λ·H⁻¹·Λ′, given the parameters.
    Source: Bates et al. (2015). Checked against a dense computation, and by simulation.
    """
    cells = _Cells.of(design, parameters)
    mode, _, system = _find_mode(cells, link, start or cells.origin())
    factor = parameters.rater_factor
    raters = factor @ system.spread(cells).of_raters @ factor.T
    return ConditionalEffects(
        raters=mode.raters @ factor.T,
        rater_sds=np.sqrt(np.diagonal(raters, axis1=1, axis2=2)),
        pairs=parameters.pair_sd * mode.pairs,
        pair_sds=parameters.pair_sd * np.sqrt(np.diagonal(system.pair_covariance())),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """The answers as seen from one set of parameters."""

    sign: Floats  # +1 OFF, −1 NORMAL
    answered: Floats  # 1 or 0
    center: Floats  # X·b
    terms: Floats  # (raters or 1) × pairs × k: the raters' terms times Λ_r
    pair_sd: float

    @classmethod
    def of(cls, design: CrossedDesign, parameters: Parameters) -> "_Cells":
        return cls(
            sign=np.where(design.off, 1.0, -1.0),
            answered=design.answered.astype(np.float64),
            center=design.fixed @ parameters.effects,
            terms=design.rater_terms @ parameters.rater_factor,
            pair_sd=parameters.pair_sd,
        )

    def origin(self) -> Spherical:
        raters, pairs = self.center.shape
        return Spherical(raters=np.zeros((raters, self.terms.shape[2])), pairs=np.zeros(pairs))

    def predict(self, u: Spherical) -> Floats:
        """Z·Λ·u."""
        return np.asarray((self.terms @ u.raters[:, :, None])[:, :, 0] + self.pair_sd * u.pairs)

    def gather(self, values: Floats) -> Spherical:
        """Λ′·Z′·values."""
        return Spherical(raters=(values[:, None, :] @ self.terms)[:, 0, :], pairs=self.pair_sd * values.sum(axis=0))

    def local(self, link: Link, eta: Floats) -> Derivatives:
        at = derivatives(link, self.sign, eta)
        return Derivatives(slope=self.answered * at.slope, weight=self.answered * at.weight)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Spread:
    """Covariances under N(û, H⁻¹)."""

    of_raters: Floats  # raters × k × k: of each rater's u
    cells_with_raters: Floats  # raters × pairs × k: of a cell's η with its rater's u
    cells_with_pairs: Floats  # raters × pairs: of a cell's η with its pair's u
    cells: Floats  # raters × pairs: the variance of η


class _System:
    """H = [[A, B], [B′, C]], factored: L⁻¹ of the raters' blocks A = L·L′, Y = L⁻¹B, and chol(C − Y′Y)."""

    def __init__(self, cells: _Cells, weight: Floats) -> None:
        """Factor H for the information of each answer."""
        weighted = (weight[:, :, None] * cells.terms).transpose(0, 2, 1)
        blocks = weighted @ cells.terms + np.eye(cells.terms.shape[2])
        lower = np.linalg.cholesky(blocks)
        self.diagonal = np.diagonal(lower, axis1=1, axis2=2)
        self.inverse = np.linalg.inv(lower)
        self.border = self.inverse @ (cells.pair_sd * weighted)
        self.flat_border = self.border.reshape(-1, weight.shape[1])
        schur = -(self.flat_border.T @ self.flat_border)
        schur[np.diag_indices_from(schur)] += 1 + cells.pair_sd**2 * weight.sum(axis=0)
        self.pair_factor, failed = lapack.dpotrf(schur, lower=1)
        if failed:
            raise FloatingPointError("the pairs' Schur complement is not positive definite")

    def half_log_determinant(self) -> float:
        """½·log|H|."""
        return float(np.log(self.diagonal).sum() + np.log(np.diagonal(self.pair_factor)).sum())

    def solve(self, right: Spherical) -> Spherical:
        """H⁻¹·right."""
        raters = self.inverse @ right.raters[:, :, None]
        pairs, _ = lapack.dpotrs(self.pair_factor, right.pairs - self.flat_border.T @ raters.reshape(-1), lower=1)
        back = self.inverse.transpose(0, 2, 1) @ (raters - (self.border @ pairs)[:, :, None])
        return Spherical(raters=back[:, :, 0], pairs=pairs)

    def pair_covariance(self) -> Floats:
        """The pairs' block of H⁻¹.

        Not by `dpotri`, which wakes the threads of the linear algebra library even for twenty pairs; they
        then spin through the whole fit and double its CPU time.
        """
        half, _ = lapack.dtrtri(self.pair_factor, lower=1)
        return np.asarray(half.T @ half)

    def spread(self, cells: _Cells) -> _Spread:
        """Give the parts of H⁻¹ that the cells' predictors touch."""
        pairs = self.pair_covariance()
        carried = self.border @ pairs
        inner = np.eye(self.border.shape[1]) + carried @ self.border.transpose(0, 2, 1)
        back = self.inverse.transpose(0, 2, 1)
        terms = cells.terms @ back
        along = carried.transpose(0, 2, 1)
        core = terms @ inner - cells.pair_sd * along
        with_pairs = cells.pair_sd * np.diagonal(pairs) - (terms * along).sum(axis=2)
        return _Spread(
            of_raters=back @ inner @ self.inverse,
            cells_with_raters=core @ self.inverse,
            cells_with_pairs=with_pairs,
            cells=(core * terms).sum(axis=2) + cells.pair_sd * with_pairs,
        )


def _find_mode(cells: _Cells, link: Link, start: Spherical) -> tuple[Spherical, Derivatives, _System]:
    """Newton's method on ½·u′u − ℓ(u), which is convex, until the decrement is below 1e-18.

    A step that moves some predictor by δ > ½ is shortened by ln(1+δ)/δ, which keeps Newton's method
    descending on log-concave likelihoods of this kind (Sun & Tran-Dinh 2019).
    """
    u = start
    for _ in range(MAXIMAL_STEPS):
        local = cells.local(link, cells.center + cells.predict(u))
        system = _System(cells, local.weight)
        pull = cells.gather(local.slope)
        downhill = Spherical(raters=pull.raters - u.raters, pairs=pull.pairs - u.pairs)
        step = system.solve(downhill)
        decrement = float((downhill.raters * step.raters).sum() + downhill.pairs @ step.pairs)
        if decrement < DECREMENT_TOLERANCE:
            return u, local, system
        reach = float(np.abs(cells.predict(step)).max())
        share = 1.0 if reach <= 0.5 else math.log1p(reach) / reach
        u = Spherical(raters=u.raters + share * step.raters, pairs=u.pairs + share * step.pairs)
    raise FloatingPointError(f"the mode was not found in {MAXIMAL_STEPS} steps")


def _gradient(
    design: CrossedDesign,
    cells: _Cells,
    mode: Spherical,
    local: Derivatives,
    curve: Floats,
    system: _System,
) -> Parameters:
    """Differentiate the approximation.

    With s = −ℓ‴·Var(η), r = H⁻¹Λ′Z′s and e = ℓ′ − ½(s − W·ZΛr): ∂b = X′e; for an entry (j, a) of Λ_r,
    Σ z_j·(u_a·e − ½·r_a·ℓ′ − W·Cov(η, u_a)), and the same with z = 1 for σ.
    """
    spread = system.spread(cells)
    push = curve * spread.cells
    answer = system.solve(cells.gather(push))
    direct = local.slope - 0.5 * (push - local.weight * cells.predict(answer))
    by_rater = (
        mode.raters[:, None, :] * direct[:, :, None]
        - 0.5 * answer.raters[:, None, :] * local.slope[:, :, None]
        - local.weight[:, :, None] * spread.cells_with_raters
    )
    by_pair = mode.pairs * direct - 0.5 * answer.pairs * local.slope - local.weight * spread.cells_with_pairs
    if len(design.rater_terms) == 1:
        by_rater = by_rater.sum(axis=0, keepdims=True)
    factor = design.rater_terms.reshape(-1, by_rater.shape[2]).T @ by_rater.reshape(-1, by_rater.shape[2])
    return Parameters(
        effects=np.tensordot(direct, design.fixed, axes=2),
        rater_factor=np.tril(factor),
        pair_sd=float(by_pair.sum()),
    )
