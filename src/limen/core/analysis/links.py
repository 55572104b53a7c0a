"""The two links between evidence and the answer OFF: log-likelihood of an answer and its derivatives.

`sign` is +1 for OFF and −1 for NORMAL, so that both answers share one formula in m = sign·η.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)


class Link(StrEnum):
    """How evidence becomes a probability: logistic, or normal as in signal detection theory."""

    LOGIT = "logit"
    PROBIT = "probit"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derivatives:
    """Of each answer's log-likelihood ℓ in the predictor η."""

    slope: Floats  # ℓ′
    weight: Floats  # −ℓ″, the observed information


def log_likelihood(link: Link, sign: Floats, eta: Floats) -> Floats:
    """Give log P(answer) of each answer.

    >>> log_likelihood(Link.LOGIT, np.array([1.0]), np.array([0.0])).round(6).tolist()
    [-0.693147]
    """
    distribution = special.log_expit if link is Link.LOGIT else special.log_ndtr
    return np.asarray(distribution(sign * eta))


def derivatives(link: Link, sign: Floats, eta: Floats) -> Derivatives:
    """Give the first two derivatives of each answer's log-likelihood.

    Logit: ℓ′ = s·σ(−m), −ℓ″ = σ(m)·σ(−m). Probit, with g = φ(m)/Φ(m): ℓ′ = s·g, −ℓ″ = g(g + m), which is
    the observed information and for this link not the expected one. Checked against differences.

    >>> derivatives(Link.PROBIT, np.array([1.0]), np.array([0.0])).weight.round(6).tolist()
    [0.63662]
    """
    margin = sign * eta
    if link is Link.LOGIT:
        missed = special.expit(-margin)
        return Derivatives(slope=sign * missed, weight=missed * (1 - missed))
    ratio = _mills(margin)
    return Derivatives(slope=sign * ratio, weight=ratio * (ratio + margin))


def weight_slope(link: Link, sign: Floats, eta: Floats) -> Floats:
    """Give −ℓ‴, how the information of each answer changes with its predictor.

    Logit: s·σ(m)σ(−m)·(2σ(−m) − 1). Probit: s·(g − g(g + m)(2g + m)). Checked against differences.

    >>> weight_slope(Link.LOGIT, np.array([1.0]), np.array([0.0])).tolist()
    [0.0]
    """
    margin = sign * eta
    if link is Link.LOGIT:
        missed = special.expit(-margin)
        return np.asarray(sign * missed * (1 - missed) * (2 * missed - 1))
    ratio = _mills(margin)
    return np.asarray(sign * (ratio - ratio * (ratio + margin) * (2 * ratio + margin)))


def _mills(margin: Floats) -> Floats:
    """φ(m)/Φ(m), without underflow far below 0."""
    return np.asarray(_ROOT_TWO_OVER_PI / special.erfcx(-_ROOT_HALF * margin))
