"""The protocol's numbers and their companions, as values. They read as analysis.json does, name by name.

Keys of mappings by condition are the condition's name in lower case; `all` stands for all
pairs of the target and the baseline. A number that the
data cannot answer is `Undetermined`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from limen.core.analysis.agreement import KappaLabel
from limen.core.analysis.estimates import Estimate, Interval, Undetermined

ALL_PAIRS = "all"

Number = float | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionCounts:
    """SOMETHING'S OFF answers of a condition, and the share that gave the expected answer."""

    off: int
    n: int
    accuracy: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class BinomialResult:
    """Protocol 7.1: right answers to target pairs against chance, one-sided."""

    k: int
    n: int
    p: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiSquareResult:
    """A chi-square test."""

    statistic: Number
    p: Number
    dof: int | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class AsSpecified:
    """The protocol's own numbers, computed exactly as it says."""

    conditions: Mapping[str, ConditionCounts] = field(metadata={"flat": True})
    binomial: BinomialResult
    chi_square: ChiSquareResult
    fleiss_kappa: Mapping[str, Number]
    kappa_label: Mapping[str, KappaLabel | Undetermined]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateIntervals:
    """The OFF rate of a condition: with raters and pairs random, and with independent trials."""

    off_rate: Estimate | Undetermined
    wilson_interval: Interval | Undetermined
    clopper_pearson_interval: Interval | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoByTwo:
    """The condition table beside the protocol's chi-square."""

    uncorrected: ChiSquareResult
    fisher_p: Number
    accuracy_difference: Number  # target − baseline; perfect raters have none


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement on a selection of pairs. Intervals are over pairs, `rater_se` over raters."""

    percent: Estimate | Undetermined
    fleiss_kappa: Estimate | Undetermined
    ac1: Estimate | Undetermined
    alpha: Estimate | Undetermined
    rater_se: Mapping[str, Number]  # by coefficient
    resamples: int
    undefined_resamples: Mapping[str, int]  # by coefficient
    raters: int
    complete_raters: int  # those whom Fleiss' κ rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDetection:
    """Sensitivity d′, criterion c and area under the curve."""

    d_prime: Estimate | Undetermined
    c: Estimate | Undetermined
    auc: Estimate | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDetections:
    """The three ways to bring raters together."""

    pooled: SignalDetection
    mean_of_raters: SignalDetection
    population: SignalDetection


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstChance:
    """Crossed t of the target's OFF rate against chance; p one-sided."""

    off_rate: Number
    t: Number
    df: Number
    p: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionDifference:
    """Crossed t of the difference of OFF rates, target − baseline; p two-sided."""

    difference: Estimate | Undetermined
    difference_90_interval: Interval | Undetermined = field(metadata={"level": 0.90})
    t: Number
    df: Number
    p: Number
    p_one_sided: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedTests:
    """The crossed t tests."""

    h1: AgainstChance
    difference: ConditionDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Is the baseline's OFF rate as good as chance? `p` takes trials as independent; `established` decides."""

    low: float
    high: float
    p_lower: Number
    p_upper: Number
    p: Number
    crossed_90_interval: Interval | Undetermined = field(metadata={"level": 0.90})
    established: bool | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalCounts:
    """From how many right answers out of n on H1's two clauses hold."""

    n: int
    above_threshold: int | Undetermined
    significant: int | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A coefficient with Wald's test."""

    estimate: Number
    se: Number
    z: Number
    p: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPart:
    """How much raters and pairs vary, as SDs in units of the link; None: the model has no such term."""

    rater_sd: float
    rater_slope_sd: float | None
    rater_correlation: float | None
    item_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A condition model. `given_up` are larger models that the data did not support."""

    model: str | Undetermined
    condition: Effect
    intercept: Effect
    lrt_statistic: Number
    lrt_p: Number
    random: RandomPart | Undetermined
    log_likelihood: Number
    singular: bool | Undetermined
    given_up: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The four condition models."""

    logit: Model
    probit: Model
    logit_slope: Model
    probit_slope: Model


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinePattern:
    """Is there a pattern in the answers to baseline pairs: between pairs, or along the trials?"""

    cochran_q: ChiSquareResult
    trend: ChiSquareResult
    off_rate_change_per_trial: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions:
    """What stands beside the protocol's numbers."""

    rates: Mapping[str, RateIntervals]
    two_by_two: TwoByTwo
    agreement: Mapping[str, Agreement]
    sdt: SignalDetections
    crossed_t: CrossedTests
    tost: Equivalence
    critical_counts: CriticalCounts
    glmm: Models
    pattern: BaselinePattern
