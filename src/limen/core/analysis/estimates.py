"""What a measure answers: an estimate with its interval, or that it cannot be determined and why.

No data is not zero. A measure that cannot be computed answers `Undetermined`, and whoever prints it has to
say so.
"""

import math
from dataclasses import dataclass
from typing import Literal

from scipy import special

Alternative = Literal["greater", "less", "two-sided"]
"""On which side of the null hypothesis the evidence lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undetermined:
    """A measure that the data at hand cannot answer. `reason` is a phrase for the report."""

    reason: str

    def __post_init__(self) -> None:
        """Refuse a reason that says nothing."""
        if not self.reason.strip():
            raise ValueError("an undetermined measure needs a reason; say what is missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval; `level` is its promised coverage."""

    low: float
    high: float
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse bounds the wrong way round, or none."""
        if not self.low <= self.high:
            raise ValueError(f"an interval runs from low to high, not from {self.low} to {self.high}")
        check_level(self.level)

    def within(self, low: float, high: float) -> bool:
        """Say whether the whole interval lies between `low` and `high`, bounds included."""
        return low <= self.low and self.high <= high


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number, how sure we are of it, how many answers it rests on and how it was made."""

    value: float
    interval: Interval | Undetermined
    n: int
    method: str

    def __post_init__(self) -> None:
        """Refuse a number that is none, or that rests on nothing."""
        if not math.isfinite(self.value):
            raise ValueError(f"{self.method}: {self.value} is no estimate; answer Undetermined instead")
        if self.n < 1:
            raise ValueError(f"{self.method}: an estimate rests on at least one answer, not on {self.n}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaldEffect:
    """A coefficient of a model with its standard error; z = estimate / se against 0, p two-sided."""

    estimate: float
    se: float

    def __post_init__(self) -> None:
        """Refuse an effect without a finite estimate and a positive standard error."""
        if not (math.isfinite(self.estimate) and math.isfinite(self.se) and self.se > 0):
            raise ValueError(f"an effect needs a finite estimate and a positive se, not {self}")

    @property
    def z(self) -> float:
        """The estimate in standard errors."""
        return self.estimate / self.se

    @property
    def p(self) -> float:
        """The two-sided Wald p."""
        return float(2 * special.ndtr(-abs(self.z)))

    def interval(self, level: float = 0.95) -> Interval:
        """Give estimate ± z·se."""
        half = normal_quantile(level) * self.se
        return Interval(low=self.estimate - half, high=self.estimate + half, level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiSquare:
    """A chi-square statistic with its degrees of freedom and upper-tail p."""

    statistic: float
    dof: int

    @property
    def p(self) -> float:
        """The chance of a statistic at least this large under the null hypothesis."""
        return float(special.chdtrc(self.dof, self.statistic))


def check_level(level: float) -> None:
    """Refuse a confidence level that is no share strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}; 95 % is 0.95")


def normal_quantile(level: float) -> float:
    """Give the z that a two-sided normal interval of this level uses (1.96 for 0.95)."""
    check_level(level)
    return float(special.ndtri((1 + level) / 2))


def t_quantile(level: float, df: float) -> float:
    """Give the t that a two-sided interval of this level uses with `df` degrees of freedom."""
    check_level(level)
    return float(special.stdtrit(df, (1 + level) / 2))
