"""By which rules answers are judged: who is left out, and how the outcome is decided."""

from dataclasses import dataclass
from enum import StrEnum

from limen.errors import require


class ExclusionKind(StrEnum):
    """The rules by which a participant can be left out, in the order in which the flow attributes them."""

    INCOMPLETE = "incomplete"
    ATTENTION = "attention"
    TOO_FAST = "too_fast"
    NO_VARIANCE = "no_variance"


class Scope(StrEnum):
    """Which pairs a rule or an agreement coefficient looks at."""

    ALL = "all"
    TARGET = "target"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionRule:
    """A declared reason to leave a participant out; only the fields of its kind may be set."""

    rule: ExclusionKind
    failed_at_least: int | None = None
    minimum_duration_s: int | None = None
    over: Scope | None = None

    def __post_init__(self) -> None:
        wanted = {
            ExclusionKind.ATTENTION: "failed_at_least",
            ExclusionKind.TOO_FAST: "minimum_duration_s",
            ExclusionKind.NO_VARIANCE: "over",
        }.get(self.rule)
        for name in ("failed_at_least", "minimum_duration_s", "over"):
            given = getattr(self, name) is not None
            require(given == (name == wanted), f"the rule {self.rule} has {wanted or 'no number'} and no other")
        require(self.failed_at_least is None or self.failed_at_least >= 1, "failed_at_least is at least 1")
        require(self.minimum_duration_s is None or self.minimum_duration_s >= 0, "minimum_duration_s is at least 0")
        require(self.over in (None, Scope.ALL, Scope.PAIRS), "over is all or pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The numbers by which the outcome is decided."""

    chance: float
    accuracy_above: float
    alpha: float
    kappa_above: float
    chance_low: float
    chance_high: float
    agreement_scope: Scope
    difference_margin: float

    def __post_init__(self) -> None:
        for name in ("chance", "accuracy_above", "alpha", "chance_low", "chance_high", "difference_margin"):
            require(0 < getattr(self, name) < 1, f"{name} is between 0 and 1")
        require(-1 <= self.kappa_above < 1, "kappa_above is a number from -1 to below 1")
        require(self.chance_low < self.chance < self.chance_high, "chance lies between chance_low and chance_high")
        require(self.agreement_scope in (Scope.ALL, Scope.TARGET), "agreement_scope is all or target")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeWording:
    """The protocol's own words on an outcome, quoted in the report."""

    title: str
    interpretation: str
    next_step: str
