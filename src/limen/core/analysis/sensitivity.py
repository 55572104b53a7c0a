"""Signal detection: how well raters tell target from baseline pairs (d′), and how ready they are to say OFF.

A hit is OFF on a target pair, a false alarm is OFF on a baseline pair. The log-linear correction is applied
always, so that perfect rates stay finite and every rater is treated alike.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from limen.core.analysis.estimates import (
    Estimate,
    Interval,
    Undetermined,
    normal_quantile,
    t_quantile,
)
from limen.core.analysis.ratings import Contrast, Ratings

Floats = NDArray[np.float64]

NO_CONTRAST = Undetermined(reason="a rater's answers to both target and baseline pairs are needed")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sensitivity:
    """d′, c and their rates, each an array with one entry a rater (or a single number)."""

    hit_rate: Floats
    false_alarm_rate: Floats

    @property
    def d_prime(self) -> Floats:
        """The distance of target from baseline, in SDs of the evidence."""
        return np.asarray(special.ndtri(self.hit_rate) - special.ndtri(self.false_alarm_rate))

    @property
    def criterion(self) -> Floats:
        """The criterion c; above 0, OFF is said less often than the middle between the two would have it."""
        return np.asarray(-(special.ndtri(self.hit_rate) + special.ndtri(self.false_alarm_rate)) / 2)

    @property
    def ln_beta(self) -> Floats:
        """The logarithm of the likelihood ratio at the criterion, c·d′."""
        return self.d_prime * self.criterion

    @property
    def auc(self) -> Floats:
        """The area under the equal-variance ROC curve."""
        return area_under_curve(self.d_prime)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityEstimate:
    """d′, c and AUC of a group of raters with their intervals."""

    d_prime: Estimate
    criterion: Estimate
    auc: Estimate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IsoSensitivityCurve:
    """All pairs of rates that share one d′, for ROC space."""

    d_prime: float
    false_alarm_rate: Floats
    hit_rate: Floats


def sensitivity(
    hits: ArrayLike, target_trials: ArrayLike, false_alarms: ArrayLike, baseline_trials: ArrayLike
) -> Sensitivity:
    """Give d′ and c from counts, with the log-linear correction.

    H = (hits + ½)/(n_target + 1), F = (false alarms + ½)/(n_baseline + 1);
    d′ = z(H) − z(F), c = −(z(H) + z(F))/2, AUC = Φ(d′/√2), ln β = c·d′.

    Applies to yes/no answers under the equal-variance normal model. Counts may be arrays, one entry a rater;
    without a single trial the corrected rate is ½, so leave raters without answers out.
    Source: Hautus (1995) for the correction; Macmillan & Creelman (2005), Stanislaw & Todorov (1999).
    Checked against R's `qnorm` and, without the correction, three published rows.

    >>> one = sensitivity(20, 25, 10, 25)
    >>> round(float(one.d_prime), 4), round(float(one.criterion), 4), round(float(one.auc), 4)
    (1.0445, -0.2788, 0.7699)
    """
    hit_rate = (np.asarray(hits) + 0.5) / (np.asarray(target_trials) + 1)
    false_alarm_rate = (np.asarray(false_alarms) + 0.5) / (np.asarray(baseline_trials) + 1)
    return Sensitivity(hit_rate=hit_rate, false_alarm_rate=false_alarm_rate)


def area_under_curve(d_prime: ArrayLike) -> Floats:
    """Give Φ(d′/√2): how often a target pair looks more off than a baseline pair.

    >>> float(area_under_curve(0.0))
    0.5
    """
    return np.asarray(special.ndtr(np.asarray(d_prime) / math.sqrt(2)))


def rater_sensitivity(contrast: Contrast) -> Sensitivity:
    """Give each rater's d′ and c (formula in `sensitivity`); nan for a rater without answers in one role."""
    seen = _seen_both(contrast)
    each = _of_counts(contrast.target, contrast.baseline)
    return Sensitivity(
        hit_rate=np.where(seen, each.hit_rate, np.nan),
        false_alarm_rate=np.where(seen, each.false_alarm_rate, np.nan),
    )


def mean_sensitivity(contrast: Contrast, *, level: float = 0.95) -> SensitivityEstimate | Undetermined:
    """Give the mean of the raters' d′, c and AUC with a t interval, for these pairs.

    x̄ ± t_{R−1}·SD/√R over the raters with answers in both roles, cut at 0 and 1 for AUC. The
    interval speaks of other raters and these very pairs. With few trials the log-linear correction pulls
    each rater's d′ towards 0. With one rater, or with raters all alike, the interval is undetermined.
    Source: the rulings of the study, section 4. Checked by simulation.

    >>> answers = Ratings.of([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], ["calm", "calm", "wild", "wild"])
    >>> mean = mean_sensitivity(answers.contrast(target="wild", baseline="calm"))
    >>> round(mean.d_prime.value, 4), mean.d_prime.n
    (1.2899, 12)
    """
    seen = np.flatnonzero(_seen_both(contrast))
    if seen.size == 0:
        return NO_CONTRAST
    kept = Contrast(target=contrast.target.of_raters(seen), baseline=contrast.baseline.of_raters(seen))
    each = _of_counts(kept.target, kept.baseline)

    def mean(values: Floats, lowest: float = -math.inf, highest: float = math.inf) -> Estimate:
        return Estimate(
            value=float(values.mean()),
            interval=_t_interval(values, level, lowest, highest),
            n=kept.n,
            method="mean of raters with a t interval, for these pairs",
        )

    return SensitivityEstimate(d_prime=mean(each.d_prime), criterion=mean(each.criterion), auc=mean(each.auc, 0.0, 1.0))


def pooled_sensitivity(contrast: Contrast, *, level: float = 0.95) -> SensitivityEstimate | Undetermined:
    """Give d′, c and AUC of all answers together, with an interval over raters and pairs.

    Log-linear correction on the summed counts. Variance: delete-one jackknife over raters, plus delete-one
    jackknife over the pairs within each role, Σ (m−1)/m · Σ_j (θ_(j) − θ̄_(·))², added; interval θ̂ ± z·SE.
    The interval of AUC is that of d′ carried through Φ(d′/√2).

    Pooling raters with different criteria flattens d′. At least two raters and two pairs a role are needed
    for the interval. Source: the rulings of the study, section 4; Efron & Tibshirani (1993) for the
    jackknife. Checked against deletion one by one, and by simulation.

    >>> answers = Ratings.of([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]], ["calm", "calm", "wild", "wild"])
    >>> round(pooled_sensitivity(answers.contrast(target="wild", baseline="calm")).d_prime.value, 4)
    1.5833
    """
    if contrast.target.n == 0 or contrast.baseline.n == 0:
        return NO_CONTRAST
    pooled = _of_totals(contrast)
    d_variance, c_variance = _jackknife_variance(contrast)

    def estimate(value: float, interval: Interval | Undetermined) -> Estimate:
        return Estimate(
            value=value,
            interval=interval,
            n=contrast.n,
            method="pooled counts, jackknife over raters and over pairs within condition",
        )

    d_prime, criterion = float(pooled.d_prime), float(pooled.criterion)
    d_interval = _normal_interval(d_prime, d_variance, level)
    auc_interval = d_interval
    if isinstance(d_interval, Interval):
        low, high = area_under_curve([d_interval.low, d_interval.high]).tolist()
        auc_interval = Interval(low=low, high=high, level=level)
    return SensitivityEstimate(
        d_prime=estimate(d_prime, d_interval),
        criterion=estimate(criterion, _normal_interval(criterion, c_variance, level)),
        auc=estimate(float(pooled.auc), auc_interval),
    )


def iso_sensitivity_curve(d_prime: float, *, points: int = 101) -> IsoSensitivityCurve:
    """Give the curve of one d′ through ROC space, from corner to corner: F = Φ(z − d′/2), H = Φ(z + d′/2).

    The points are evenly spaced in z, so that the curve is smooth where it is steep.

    >>> iso_sensitivity_curve(0.0, points=3).hit_rate.tolist()
    [0.0, 0.5, 1.0]
    """
    along = np.linspace(-4, 4, points)
    along[[0, -1]] = -np.inf, np.inf
    return IsoSensitivityCurve(
        d_prime=d_prime,
        false_alarm_rate=special.ndtr(along - d_prime / 2),
        hit_rate=special.ndtr(along + d_prime / 2),
    )


def _seen_both(contrast: Contrast) -> NDArray[np.bool_]:
    both = contrast.target.answered.any(axis=1) & contrast.baseline.answered.any(axis=1)
    return np.asarray(both, dtype=np.bool_)


def _of_counts(target: Ratings, baseline: Ratings) -> Sensitivity:
    """Each rater's sensitivity."""
    return sensitivity(
        target.off.sum(axis=1),
        target.answered.sum(axis=1),
        baseline.off.sum(axis=1),
        baseline.answered.sum(axis=1),
    )


def _of_totals(contrast: Contrast) -> Sensitivity:
    target, baseline = contrast.target, contrast.baseline
    return sensitivity(target.n_off, target.n, baseline.n_off, baseline.n)


def _jackknife_variance(contrast: Contrast) -> tuple[float | Undetermined, float | Undetermined]:
    """Give the variances of d′ and c, or why there are none."""
    target, baseline = contrast.target, contrast.baseline
    if contrast.raters < 2 or target.pairs < 2 or baseline.pairs < 2:
        few = Undetermined(reason="at least two raters and two pairs in each condition are needed")
        return few, few

    def left(part: Ratings, axis: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return part.n_off - part.off.sum(axis=axis), part.n - part.answered.sum(axis=axis)

    replicates = (
        sensitivity(*left(target, 1), *left(baseline, 1)),
        sensitivity(*left(target, 0), baseline.n_off, baseline.n),
        sensitivity(target.n_off, target.n, *left(baseline, 0)),
    )
    d_variance = sum(_deletion_variance(part.d_prime) for part in replicates)
    c_variance = sum(_deletion_variance(part.criterion) for part in replicates)
    return d_variance, c_variance


def _deletion_variance(values: Floats) -> float:
    return float((values.size - 1) * values.var())


def _t_interval(values: Floats, level: float, lowest: float, highest: float) -> Interval | Undetermined:
    if values.size < 2:
        return Undetermined(reason="at least two raters are needed")
    if np.ptp(values) == 0:
        return Undetermined(reason="all raters have the same value, so their spread is unknown")
    mean = float(values.mean())
    half = t_quantile(level, values.size - 1) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(low=max(lowest, mean - half), high=min(highest, mean + half), level=level)


def _normal_interval(value: float, variance: float | Undetermined, level: float) -> Interval | Undetermined:
    if isinstance(variance, Undetermined):
        return variance
    if variance < 1e-20:  # all deletions agree up to rounding
        return Undetermined(reason="the answers do not vary, so there is no standard error")
    half = normal_quantile(level) * math.sqrt(variance)
    return Interval(low=value - half, high=value + half, level=level)
