"""Simulated raters: signal-detection observers whose ability, bias and spread are known.

An observer r says SOMETHING'S OFF of pair i with probability

    λ/2 + (1 − λ) · F(x_i · d′_r − c_r + e_i),   d′_r ~ N(d′, SD²),  c_r ~ N(c, SD²),  e_i ~ N(0, SD²)

where F is the normal (or logistic) distribution function, λ the share of lapses answered by the toss of a
coin, and x_i the signal of the pair's condition: −½ for baseline and +½ for target, so that d′ is the
distance between the two and c the distance of the criterion from the middle. Conditions in between have a
signal in between. Chance comes in as a `numpy.random.Generator`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from limen.core.analysis.ratings import Ratings
from limen.errors import InputError

Floats = NDArray[np.float64]

BASELINE_SIGNAL = -0.5
TARGET_SIGNAL = 0.5


class Noise(StrEnum):
    """The distribution of an observer's evidence; it sets the unit of d′, c and every SD."""

    NORMAL = "normal"  # the unit of signal detection theory
    LOGISTIC = "logistic"  # logits


@dataclass(frozen=True, slots=True, kw_only=True)
class Observers:
    """A population of raters: sensitivity, bias, how much they and the pairs differ, and lapses."""

    d_prime: float = 0.0
    criterion: float = 0.0  # above 0: slow to say SOMETHING'S OFF
    d_prime_sd: float = 0.0
    criterion_sd: float = 0.0
    pair_sd: float = 0.0
    lapse_rate: float = 0.0
    noise: Noise = Noise.NORMAL

    def __post_init__(self) -> None:
        """Check that means are finite, spreads at least 0 and the lapse rate a share."""
        for name in ("d_prime", "criterion"):
            if not math.isfinite(getattr(self, name)):
                raise InputError(f"observers: {name} is {getattr(self, name)}; give a finite number")
        for name in ("d_prime_sd", "criterion_sd", "pair_sd"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"observers: {name} is {getattr(self, name)}; a spread is 0 or more")
        if not 0 <= self.lapse_rate <= 1:
            raise InputError(f"observers: lapse_rate is {self.lapse_rate}; it is a share from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """How fast raters read and decide. Spreads are SDs of the logarithm."""

    words_per_minute: float = 238.0  # ordinary silent reading of English prose (Brysbaert 2019)
    rater_spread: float = 0.25
    trial_spread: float = 0.30
    decision_ms: float = 1500.0

    def __post_init__(self) -> None:
        """Check that the speed is above 0 and spreads and times are at least 0."""
        if not 0 < self.words_per_minute < math.inf:
            raise InputError(f"readers: {self.words_per_minute} words a minute; give a speed above 0")
        for name in ("rater_spread", "trial_spread", "decision_ms"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"readers: {name} is {getattr(self, name)}; give 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedStudy:
    """One study of simulated raters, with the truth that an analysis should find again."""

    ratings: Ratings
    d_prime: Floats  # of each rater
    criterion: Floats  # of each rater
    pair_shift: Floats  # of each pair


def simulate_study(
    observers: Observers,
    *,
    condition_of_pair: Sequence[str],
    signal: Mapping[str, float],
    raters: int,
    rng: np.random.Generator,
) -> SimulatedStudy:
    """Let `raters` observers answer one set of pairs. `signal` gives each condition its x.

    >>> study = simulate_study(
    ...     Observers(d_prime=9.0),
    ...     condition_of_pair=["BASELINE", "CATASTROPHIC"],
    ...     signal={"BASELINE": BASELINE_SIGNAL, "CATASTROPHIC": TARGET_SIGNAL},
    ...     raters=2,
    ...     rng=np.random.default_rng(1),
    ... )
    >>> study.ratings.off.tolist()
    [[False, True], [False, True]]
    """
    unknown = [name for name in condition_of_pair if name not in signal]
    if unknown:
        raise InputError(f"simulation: condition {unknown[0]!r} has no signal; give each condition one")
    x = np.array([signal[name] for name in condition_of_pair], dtype=np.float64)
    crowd = _draw(observers, (1,), raters, len(x), rng)
    off = _answers(observers, x, crowd, rng)[0]
    return SimulatedStudy(
        ratings=Ratings.of(off, condition_of_pair),
        d_prime=crowd.d_prime[0, :, 0],
        criterion=crowd.criterion[0, :, 0],
        pair_shift=crowd.pair_shift[0, 0],
    )


def simulate_answers(
    observers: Observers, *, signal: ArrayLike, raters: int, studies: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw many studies at once (studies × raters × pairs), each with raters and pairs of its own."""
    x = np.asarray(signal, dtype=np.float64)
    return _answers(observers, x, _draw(observers, (studies,), raters, len(x), rng), rng)


def simulate_rater_answers(
    observers: Observers, *, signal: ArrayLike, pair_shift: Floats, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw one observer and its answers to pairs whose shifts are given, so that raters of many kinds share them."""
    x = np.asarray(signal, dtype=np.float64)
    alone = replace(_draw(observers, (1,), 1, len(x), rng), pair_shift=pair_shift[None, None, :])
    answers: NDArray[np.bool_] = _answers(observers, x, alone, rng)[0, 0]
    return answers


def expected_off_rate(observers: Observers, *, signal: float) -> float:
    """Give the OFF rate of a pair with this signal, over all raters and pairs there could be.

    Normal noise: λ/2 + (1−λ)·Φ((x·d′ − c)/√(1 + SD_c² + x²·SD_d′² + SD_pair²)); logistic noise: the same
    mean by Gauss–Hermite quadrature.

    >>> round(expected_off_rate(Observers(d_prime=2.0, pair_sd=1.0), signal=0.5), 4)
    0.7602
    """
    mean = signal * observers.d_prime - observers.criterion
    variance = observers.criterion_sd**2 + (signal * observers.d_prime_sd) ** 2 + observers.pair_sd**2
    if observers.noise is Noise.NORMAL:
        rate = float(special.ndtr(mean / math.sqrt(1 + variance)))
    else:
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        rate = float(special.expit(mean + math.sqrt(variance) * nodes) @ weights / weights.sum())
    return observers.lapse_rate / 2 + (1 - observers.lapse_rate) * rate


def simulate_response_times_ms(
    readers: Readers, *, words: Sequence[int], raters: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw response times (raters × pairs): the words of a pair at the rater's speed, and a decision.

    >>> steady = Readers(rater_spread=0.0, trial_spread=0.0, decision_ms=500.0, words_per_minute=240.0)
    >>> simulate_response_times_ms(steady, words=[480], raters=1, rng=np.random.default_rng(1)).tolist()
    [[120500]]
    """
    if any(count < 0 for count in words):
        raise InputError("simulation: a pair has fewer than 0 words; count them again")
    speed = readers.words_per_minute * np.exp(readers.rater_spread * rng.standard_normal((raters, 1)))
    reading = 60_000 * np.asarray(words, dtype=np.float64) / speed
    swing = np.exp(readers.trial_spread * rng.standard_normal(reading.shape))
    return np.rint((reading + readers.decision_ms) * swing).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crowd:
    d_prime: Floats  # studies × raters × 1
    criterion: Floats  # studies × raters × 1
    pair_shift: Floats  # studies × 1 × pairs


def _draw(observers: Observers, studies: tuple[int], raters: int, pairs: int, rng: np.random.Generator) -> _Crowd:
    if raters < 1 or pairs < 1:
        raise InputError(f"simulation: {raters} raters and {pairs} pairs; give at least one of each")
    rater_shape, pair_shape = (*studies, raters, 1), (*studies, 1, pairs)
    return _Crowd(
        d_prime=observers.d_prime + observers.d_prime_sd * rng.standard_normal(rater_shape),
        criterion=observers.criterion + observers.criterion_sd * rng.standard_normal(rater_shape),
        pair_shift=observers.pair_sd * rng.standard_normal(pair_shape),
    )


def _answers(observers: Observers, signal: Floats, crowd: _Crowd, rng: np.random.Generator) -> NDArray[np.bool_]:
    evidence = signal * crowd.d_prime - crowd.criterion + crowd.pair_shift
    distribution = special.ndtr if observers.noise is Noise.NORMAL else special.expit
    probability = observers.lapse_rate / 2 + (1 - observers.lapse_rate) * distribution(evidence)
    answers: NDArray[np.bool_] = rng.random(evidence.shape) < probability
    return answers
