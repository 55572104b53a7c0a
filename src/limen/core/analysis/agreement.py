"""Do raters agree? Percent agreement, Fleiss' κ, Gwet's AC1 and Krippendorff's α, from counts.

All four need only how many raters put each pair into each category, an array (…, pairs, categories). Raters
may have left pairs out: a pair counts for agreement once two raters answered it. Leading axes are studies,
resamples or deletions, so that thousands are one call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limen.core.analysis.estimates import Undetermined

Floats = NDArray[np.float64]

ALL_ALIKE = Undetermined(reason="undefined (all raters gave one answer; agreement 100 %)")
NO_PAIR_TWICE = Undetermined(reason="no pair was answered by two raters")


class Coefficient(StrEnum):
    """The measures of agreement that are reported."""

    PERCENT = "percent"
    FLEISS_KAPPA = "fleiss_kappa"
    AC1 = "ac1"
    ALPHA = "alpha"


class KappaLabel(StrEnum):
    """The protocol's words for a κ."""

    POOR = "poor"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost perfect"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTerms:
    """What each pair contributes; a selection or a weighting of pairs is a sum of rows."""

    agreed: Floats  # share of agreeing pairs of raters; 0 where fewer than two answered
    agreed_weight: Floats  # 1 where two or more answered
    shares: Floats  # (…, pairs, categories): share of each category
    shares_weight: Floats  # 1 where anybody answered
    answers: Floats  # number of answers, 0 where fewer than two
    kept_counts: Floats  # counts per category, 0 where fewer than two answered
    agreed_answers: Floats  # answers × agreed


def percent_agreement(counts: ArrayLike) -> float | Undetermined:
    """Give the share of pairs of raters who gave the same answer, averaged over pairs.

    p_a = mean over pairs with n_i ≥ 2 of Σ_k n_ik(n_ik − 1)/(n_i(n_i − 1)).

    Applies always; it says nothing about agreement by chance. Source: Fleiss (1971), Gwet (2014). Checked
    against irrCAC and the worked example on Wikipedia.

    >>> percent_agreement([[0, 3], [1, 2]])
    0.6666666666666666
    """
    return _single(counts, percent_values)


def fleiss_kappa(counts: ArrayLike) -> float | Undetermined:
    """Give Fleiss' κ: agreement above what the category shares alone would give.

    κ = (p_a − p_e)/(1 − p_e), p_e = Σ_k π_k², π_k the mean over pairs of n_ik/n_i.

    With every rater on every pair this is Fleiss (1971) and equal to statsmodels' `fleiss_kappa`, which the
    protocol calls; with gaps it is Gwet's (2014) generalization. Undetermined if all answers are one
    category. Computed in whole numbers and rounded once, so that a κ of exactly 0.40 is not above 0.40, in
    whatever order the pairs come. Checked against statsmodels, irrCAC, Fleiss' published data and the worked
    example on Wikipedia.

    >>> fleiss_kappa([[0, 3], [1, 2]])
    -0.2
    """
    n = np.asarray(counts)
    n = n.astype(np.int64, casting="safe" if n.size else "unsafe")
    answers = n.sum(axis=-1)
    once, twice = int((answers >= 1).sum()), int((answers >= 2).sum())
    if twice == 0:
        return NO_PAIR_TWICE
    agreed, shares = Fraction(0), [Fraction(0)] * n.shape[-1]
    for raters in np.unique(answers[answers >= 1]).tolist():
        alike = n[answers == raters]
        shares = [sum_ + Fraction(k, raters * once) for sum_, k in zip(shares, alike.sum(axis=0).tolist(), strict=True)]
        if raters >= 2:
            agreed += Fraction(int((alike**2).sum()) - raters * len(alike), raters * (raters - 1) * twice)
    by_chance = sum((share**2 for share in shares), Fraction(0))
    return ALL_ALIKE if by_chance == 1 else float((agreed - by_chance) / (1 - by_chance))


def gwet_ac1(counts: ArrayLike) -> float | Undetermined:
    """Give Gwet's AC1: agreement above chance, with chance a matter of raters who are unsure.

    AC1 = (p_a − p_e)/(1 − p_e), p_e = Σ_k π_k(1 − π_k)/(q − 1), π_k as for κ, q the number of categories
    (columns), used or not.

    It stays defined, and is 1, if all answers are one category. Source: Gwet (2008, 2014). Checked against
    irrCAC.

    >>> round(gwet_ac1([[0, 3], [1, 2]]), 4)
    0.5385
    """
    return _single(counts, ac1_values)


def krippendorff_alpha(counts: ArrayLike) -> float | Undetermined:
    """Give Krippendorff's α for nominal categories: 1 − observed/expected disagreement.

    With n answers in pairs answered at least twice: D_o = (1/n)·Σ_i n_i(1 − p_i), p_i the share of agreeing
    pairs of raters in pair i; D_e = (n² − Σ_k n_k²)/(n(n − 1)); α = 1 − D_o/D_e.

    Applies with any gaps. Undetermined if all answers are one category. Source: Krippendorff (2004).
    Checked against irrCAC and the package krippendorff.

    >>> round(krippendorff_alpha([[0, 3], [1, 2]]), 4)
    0.0
    """
    return _single(counts, alpha_values)


def kappa_label(kappa: float) -> KappaLabel:
    """Give the protocol's word for an unrounded κ; a bound belongs to the lower word.

    >>> kappa_label(0.40).value, kappa_label(0.4000001).value
    ('fair', 'moderate')
    """
    bounds = (
        (0.20, KappaLabel.POOR),
        (0.40, KappaLabel.FAIR),
        (0.60, KappaLabel.MODERATE),
        (0.80, KappaLabel.SUBSTANTIAL),
    )
    return next((label for bound, label in bounds if kappa <= bound), KappaLabel.ALMOST_PERFECT)


def category_counts(codes: NDArray[np.integer], categories: int) -> NDArray[np.int64]:
    """Count answers (raters × pairs of codes 0 … categories − 1, below 0 for none) as pairs × categories."""
    if codes.size and int(codes.max()) >= categories:
        raise ValueError(f"code {int(codes.max())} is outside the {categories} categories, 0 the first")
    return np.stack([(codes == k).sum(axis=0, dtype=np.int64) for k in range(categories)], axis=1)


def pair_terms(counts: ArrayLike) -> PairTerms:
    """Prepare counts (…, pairs, categories) for the coefficients."""
    n = np.asarray(counts, dtype=np.float64)
    answers = n.sum(axis=-1)
    twice, once = answers >= 2, answers >= 1
    pairs_of_raters = np.where(twice, answers * (answers - 1), 1.0)
    agreed = np.where(twice, ((n**2).sum(axis=-1) - answers) / pairs_of_raters, 0.0)
    return PairTerms(
        agreed=agreed,
        agreed_weight=twice.astype(np.float64),
        shares=n / np.maximum(answers, 1.0)[..., None],
        shares_weight=once.astype(np.float64),
        answers=np.where(twice, answers, 0.0),
        kept_counts=np.where(twice[..., None], n, 0.0),
        agreed_answers=answers * agreed,
    )


def percent_values(terms: PairTerms, weights: Floats) -> Floats:
    """Percent agreement under pair weights (…, pairs); nan where undefined."""
    return _quotient((weights * terms.agreed).sum(-1), (weights * terms.agreed_weight).sum(-1))


def fleiss_values(terms: PairTerms, weights: Floats) -> Floats:
    """Fleiss' κ under pair weights (…, pairs); nan where undefined."""
    return _beyond_chance(percent_values(terms, weights), (_shares(terms, weights) ** 2).sum(-1))


def ac1_values(terms: PairTerms, weights: Floats) -> Floats:
    """Gwet's AC1 under pair weights (…, pairs); nan where undefined."""
    shares = _shares(terms, weights)
    by_chance = (shares * (1 - shares)).sum(-1) / (shares.shape[-1] - 1)
    return _beyond_chance(percent_values(terms, weights), by_chance)


def alpha_values(terms: PairTerms, weights: Floats) -> Floats:
    """Krippendorff's α under pair weights (…, pairs); nan where undefined."""
    answers = (weights * terms.answers).sum(-1)
    counts = (weights[..., None] * terms.kept_counts).sum(-2)
    observed = answers - (weights * terms.agreed_answers).sum(-1)
    expected = (answers**2 - (counts**2).sum(-1)) / np.maximum(answers - 1, 1.0)
    return 1 - _quotient(observed, expected)


COEFFICIENTS: dict[Coefficient, Callable[[PairTerms, Floats], Floats]] = {
    Coefficient.PERCENT: percent_values,
    Coefficient.FLEISS_KAPPA: fleiss_values,
    Coefficient.AC1: ac1_values,
    Coefficient.ALPHA: alpha_values,
}
"""Each coefficient as a function of what pairs contribute and how often each pair counts."""


MEASURES: dict[Coefficient, Callable[[ArrayLike], float | Undetermined]] = {
    Coefficient.PERCENT: percent_agreement,
    Coefficient.FLEISS_KAPPA: fleiss_kappa,
    Coefficient.AC1: gwet_ac1,
    Coefficient.ALPHA: krippendorff_alpha,
}
"""Each coefficient of one table of counts."""


def _single(counts: ArrayLike, values: Callable[[PairTerms, Floats], Floats]) -> float | Undetermined:
    terms = pair_terms(counts)
    if not terms.agreed_weight.any():
        return NO_PAIR_TWICE
    value = float(values(terms, np.ones(terms.agreed.shape)))
    return ALL_ALIKE if np.isnan(value) else value


def _shares(terms: PairTerms, weights: Floats) -> Floats:
    totals = (weights[..., None] * terms.shares).sum(-2)
    return _quotient(totals, (weights * terms.shares_weight).sum(-1)[..., None])


def _beyond_chance(agreed: Floats, by_chance: Floats) -> Floats:
    return _quotient(agreed - by_chance, 1 - by_chance)


def _quotient(above: Floats, below: Floats) -> Floats:
    """Divide, with nan where there is nothing to divide by (up to rounding of shares that sum to 1)."""
    undefined = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), np.nan)
    return np.asarray(np.divide(above, below, out=undefined, where=np.asarray(below) > 1e-12))
