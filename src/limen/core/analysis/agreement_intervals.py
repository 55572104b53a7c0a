"""How sure we are of an agreement: other pairs by bootstrap, other raters by jackknife.

Raters are not resampled with replacement, since a rater drawn twice agrees with themselves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limen.core.analysis.agreement import (
    COEFFICIENTS,
    MEASURES,
    Coefficient,
    pair_terms,
)
from limen.core.analysis.estimates import Estimate, Interval, Undetermined, check_level
from limen.core.analysis.ratings import Ratings

Floats = NDArray[np.float64]

UNDEFINED_SHARE_ALLOWED = 0.05
RATERS_AT_ONCE = 4096  # bounds the memory of the jackknife


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementEstimate:
    """One coefficient with its interval over pairs and its standard error over raters.

    `undefined_resamples` of `resamples` had no value, all answers in them being the same.
    """

    estimate: Estimate
    resamples: int
    undefined_resamples: int
    rater_se: float | Undetermined


def agreement(
    ratings: Ratings, *, rng: np.random.Generator, resamples: int = 2000, level: float = 0.95
) -> dict[Coefficient, AgreementEstimate | Undetermined]:
    """Give all four coefficients of OFF/NORMAL answers with their uncertainty.

    The interval is the percentile interval of a bootstrap over pairs within each condition, over the
    resamples in which the coefficient is defined, and undetermined if more than 5 % are not. The rater SE is
    √((R−1)/R · Σ_r (θ_(r) − θ̄_(·))²) over deletions of one rater. Every answer there is counts; for a
    Fleiss κ of complete raters only, hand in `ratings.of_complete_raters()`.

    Source: Efron & Tibshirani (1993); the rulings of the study, section 4. Checked against resampling and
    deleting one by one.

    >>> answers = Ratings.of([[0, 1, 1], [0, 1, 0], [0, 1, 1]], ["calm", "wild", "wild"])
    >>> found = agreement(answers, rng=np.random.default_rng(1), resamples=100)
    >>> round(found[Coefficient.FLEISS_KAPPA].estimate.value, 4)
    0.55
    """
    counts = ratings.category_counts()
    draws = bootstrap_over_pairs(counts, ratings.condition, rng=rng, resamples=resamples)
    deletions = delete_one_rater(ratings.codes(), counts)
    found: dict[Coefficient, AgreementEstimate | Undetermined] = {}
    for coefficient, measure in MEASURES.items():
        value = measure(counts)
        if isinstance(value, Undetermined):
            found[coefficient] = value
            continue
        undefined = int(np.isnan(draws[coefficient]).sum())
        found[coefficient] = AgreementEstimate(
            estimate=Estimate(
                value=value,
                interval=_percentile_interval(draws[coefficient], level),
                n=ratings.n,
                method="bootstrap over pairs within condition",
            ),
            resamples=resamples,
            undefined_resamples=undefined,
            rater_se=_jackknife_se(deletions[coefficient]),
        )
    return found


def bootstrap_over_pairs(
    counts: ArrayLike, stratum: NDArray[np.integer], *, rng: np.random.Generator, resamples: int
) -> dict[Coefficient, Floats]:
    """Draw pairs with replacement within each stratum; nan where a coefficient is undefined."""
    weights = np.zeros((resamples, stratum.size))
    for name in np.unique(stratum):
        (places,) = np.nonzero(stratum == name)
        weights[:, places] = rng.multinomial(places.size, np.full(places.size, 1 / places.size), resamples)
    terms = pair_terms(counts)
    return {coefficient: values(terms, weights) for coefficient, values in COEFFICIENTS.items()}


def delete_one_rater(codes: NDArray[np.integer], counts: NDArray[np.int64]) -> dict[Coefficient, Floats]:
    """Leave out each rater in turn; `codes` is raters × pairs, below 0 where there is no answer."""
    categories = np.arange(counts.shape[1])
    parts: dict[Coefficient, list[Floats]] = {coefficient: [] for coefficient in COEFFICIENTS}
    for start in range(0, codes.shape[0], RATERS_AT_ONCE):
        theirs = codes[start : start + RATERS_AT_ONCE, :, None] == categories
        terms = pair_terms(counts - theirs)
        for coefficient, values in COEFFICIENTS.items():
            parts[coefficient].append(values(terms, np.ones(counts.shape[0])))
    return {coefficient: np.concatenate(found or [np.empty(0)]) for coefficient, found in parts.items()}


def _percentile_interval(draws: Floats, level: float) -> Interval | Undetermined:
    check_level(level)
    defined = draws[~np.isnan(draws)]
    undefined = draws.size - defined.size
    if undefined > UNDEFINED_SHARE_ALLOWED * draws.size:
        return Undetermined(reason=f"{undefined} of {draws.size} resamples have no value")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low=low, high=high, level=level)


def _jackknife_se(deletions: Floats) -> float | Undetermined:
    if deletions.size < 3:
        return Undetermined(reason="at least three raters are needed")
    if np.isnan(deletions).any():
        return Undetermined(reason="without one of the raters the coefficient is undefined")
    return float(np.sqrt((deletions.size - 1) * deletions.var()))
