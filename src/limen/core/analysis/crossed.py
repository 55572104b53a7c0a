"""Variance of OFF rates when the same raters answer the same pairs: raters and pairs are both samples.

Everything here works on the last two axes (raters × pairs) of an array of 0/1 answers without gaps, so that
thousands of simulated studies are one call. Sums of squares come from integer counts and are exact: a
variance of zero is exactly zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.ratings import Ratings

Floats = NDArray[np.float64]
Answers = NDArray[np.bool_] | NDArray[np.integer]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanSquares:
    """The two-way mean squares of 0/1 answers: raters, pairs, and what is left."""

    raters: int
    pairs: int
    mean: Floats
    between_raters: Floats
    between_pairs: Floats
    residual: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossedVariance:
    """A mean or a difference of means with its squared standard error and Satterthwaite's df.

    `df` is nan where the variance is zero.
    """

    value: Floats
    variance: Floats
    df: Floats


def lacks_crossing(*ratings: Ratings) -> Undetermined | None:
    """Say why raters × pairs cannot be taken apart into rater and pair variance, if so."""
    for part in ratings:
        if part.missing:
            return Undetermined(reason=f"{part.missing} of {part.off.size} answers are missing")
        if part.raters < 2 or part.pairs < 2:
            return Undetermined(reason="at least two raters and two pairs are needed")
    return None


def mean_squares(off: Answers) -> MeanSquares:
    """Take 0/1 answers (…, raters, pairs) apart.

    MS_r = I·Σ(ȳ_r−ȳ)²/(R−1), MS_i = R·Σ(ȳ_i−ȳ)²/(I−1), MS_e = Σ(y_ri−ȳ_r−ȳ_i+ȳ)²/((R−1)(I−1)).
    """
    raters, pairs = off.shape[-2:]
    cells = raters * pairs
    of_raters = off.sum(axis=-1, dtype=np.int64)
    of_pairs = off.sum(axis=-2, dtype=np.int64)
    total = of_raters.sum(axis=-1)
    rater_squares = raters * (of_raters**2).sum(axis=-1)
    pair_squares = pairs * (of_pairs**2).sum(axis=-1)
    # y² = y for 0/1 answers, so the total sum of squares needs no pass over the cells
    residual = cells * total - rater_squares - pair_squares + total**2
    return MeanSquares(
        raters=raters,
        pairs=pairs,
        mean=total / cells,
        between_raters=(rater_squares - total**2) / (cells * (raters - 1)),
        between_pairs=(pair_squares - total**2) / (cells * (pairs - 1)),
        residual=residual / (cells * (raters - 1) * (pairs - 1)),
    )


def crossed_mean(off: Answers) -> CrossedVariance:
    """Give the OFF rate of one selection of pairs with its crossed variance V = N/(R·I).

    N = max(MS_r−MS_e, 0) + max(MS_i−MS_e, 0) + MS_e;
    df = N² / (MS_r²/(R−1) + MS_i²/(I−1) + MS_e²/((R−1)(I−1))).

    The mean squares are those of the two-way analysis of variance of raters × pairs. Source: the rulings of the study,
    section 4; Satterthwaite (1946). Checked against a computation cell by cell and by simulation.
    """
    ms = mean_squares(off)
    r, i, e = ms.between_raters, ms.between_pairs, ms.residual
    numerator = np.maximum(r - e, 0) + np.maximum(i - e, 0) + e
    spread = r**2 / (ms.raters - 1) + i**2 / (ms.pairs - 1) + e**2 / ((ms.raters - 1) * (ms.pairs - 1))
    return CrossedVariance(value=ms.mean, variance=numerator / (ms.raters * ms.pairs), df=_ratio(numerator**2, spread))


def crossed_mean_difference(target: Answers, baseline: Answers) -> CrossedVariance:
    """Give the difference of two OFF rates, pairs nested in the two selections, raters crossed with both.

    d_r = ȳ_rC − ȳ_rB; v_r = Var(d_r)/R; v_c = Var(pair means in c)/I_c; x_c = MS_e within c/(R·I_c);
    V = max(v_r−x_C−x_B, 0) + Σ_c max(v_c−x_c, 0) + x_C + x_B;
    df = V² / (v_r²/(R−1) + Σ_c v_c²/(I_c−1) + Σ_c x_c²/((R−1)(I_c−1))).

    Source: the rulings of the study, section 4; Satterthwaite (1946). Checked against a computation cell by cell and by
    simulation.
    """
    parts = (mean_squares(target), mean_squares(baseline))
    raters = parts[0].raters
    by_rater = _difference_variance(target, baseline) / raters
    by_pair = [part.between_pairs / (raters * part.pairs) for part in parts]
    left = [part.residual / (raters * part.pairs) for part in parts]
    variance = np.maximum(by_rater - left[0] - left[1], 0) + left[0] + left[1]
    spread = by_rater**2 / (raters - 1)
    for part, v, x in zip(parts, by_pair, left, strict=True):
        variance = variance + np.maximum(v - x, 0)
        spread = spread + v**2 / (part.pairs - 1) + x**2 / ((raters - 1) * (part.pairs - 1))
    return CrossedVariance(value=parts[0].mean - parts[1].mean, variance=variance, df=_ratio(variance**2, spread))


def _difference_variance(target: Answers, baseline: Answers) -> Floats:
    """Var(ȳ_rC − ȳ_rB) over raters, from counts on the common denominator I_C·I_B."""
    raters = target.shape[-2]
    denominator = target.shape[-1] * baseline.shape[-1]
    difference = baseline.shape[-1] * target.sum(axis=-1, dtype=np.int64) - target.shape[-1] * baseline.sum(
        axis=-1, dtype=np.int64
    )
    squares = raters * (difference**2).sum(axis=-1) - difference.sum(axis=-1) ** 2
    variance: Floats = squares / (raters * (raters - 1) * float(denominator) ** 2)
    return variance


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    undefined = np.full(np.shape(denominator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))
