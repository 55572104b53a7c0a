"""A study's protocol as a value. Conditions, checks, rules and words are data; nothing here names one."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

from limen.core.criteria import Decision, ExclusionRule, OutcomeWording
from limen.core.features import Feature
from limen.core.judgment import Response
from limen.core.wording import Wording, check_placeholders
from limen.errors import require

NOT_THE_PROTOCOLS = "not the protocol's condition"
LIMENS_LEXICON = "protocol thresholds on Limen's lexicon"
"""How every file marks a study whose thresholds or metric are not those of the protocol."""

RECORDED = "recorded"
"""The drift metric's name in a protocol that takes over what the logs hold."""

UNKNOWN_METRIC = "unknown"


class ConditionRole(StrEnum):
    """What a condition is for in the analysis."""

    BASELINE = "baseline"
    TARGET = "target"
    BETWEEN = "between"
    CONTROL = "control"  # as late as the target, but without its drift


class CheckKind(StrEnum):
    """What an attention check is made of."""

    IDENTICAL = "identical"
    GIBBERISH = "gibberish"
    INSTRUCTION = "instruction"


class ResumePolicy(StrEnum):
    """What happens when a participant comes back to an unfinished session."""

    RESUME = "resume"
    RESTART = "restart"
    BLOCK = "block"


class PlatformAction(StrEnum):
    """What a recruitment platform is told about those who finish."""

    PAY_ALL = "pay_all_who_finish"
    PAY_INCLUDED = "pay_included"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    """What the study is called, its seed, and how many raters it wants."""

    protocol: str
    version: str
    title: str
    public_name: str
    seed: int
    target_raters: int
    minimum_raters: int

    def __post_init__(self) -> None:
        require(self.public_name.strip() != "", "public_name is what participants read: at least a word")
        require(self.seed >= 0, "seed is a whole number of at least 0")
        require(
            1 <= self.minimum_raters <= self.target_raters,
            f"minimum_raters is at least 1 and at most target_raters ({self.target_raters})",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRange:
    """An open interval of drift: strictly above, strictly below."""

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        require(
            self.above is not None or self.below is not None,
            "a drift range has above, below, or both",
        )
        for name, bound in (("above", self.above), ("below", self.below)):
            require(bound is None or math.isfinite(bound), f"{name} is a number in a drift range, not {bound}")
        if self.above is not None and self.below is not None:
            require(self.above < self.below, "above is less than below in a drift range")

    def __contains__(self, drift: float) -> bool:
        return (self.above is None or drift > self.above) and (self.below is None or drift < self.below)

    def __str__(self) -> str:
        if self.above is None:
            return f"< {_bound(self.below)}"
        return f"> {_bound(self.above)}" if self.below is None else f"{_bound(self.above)}–{_bound(self.below)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWindow:
    """Which replies of a conversation may be used, by number from 1; no `last`: to the end."""

    first: int
    last: int | None = None

    def __post_init__(self) -> None:
        require(self.first >= 1, "first is at least 1 in a window of replies")
        require(self.last is None or self.last >= self.first, "last is at least first in a window of replies")

    def __contains__(self, number: int) -> bool:
        return self.first <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A stretch of the drift axis, and how pairs for it are found."""

    name: str
    prefix: str
    role: ConditionRole
    drift: DriftRange
    count: int
    a_replies: ReplyWindow
    b_replies: ReplyWindow
    a_drift: DriftRange | None = None
    expected: Response | None = None
    quota: Mapping[str, int] | None = None  # in place of the study's quota
    source_tags: Mapping[str, str] = field(default_factory=dict)  # where the protocol wants its pairs from

    def __post_init__(self) -> None:
        require(re.fullmatch(r"[A-Z][A-Z0-9_]*", self.name) is not None, "name is in capitals, digits and _")
        require(re.fullmatch(r"[A-Z][A-Z0-9]*", self.prefix) is not None, "prefix is in capitals and digits")
        require(self.name != "ATTENTION" and self.prefix != "ATT", "ATTENTION and ATT are for the checks")
        require(self.count >= 1, "count is at least 1")
        require(
            self.role in (ConditionRole.BETWEEN, ConditionRole.CONTROL) or self.expected is not None,
            "expected is needed for the roles baseline and target",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLimits:
    """How many words a shown response has, both ends included."""

    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        require(1 <= self.minimum <= self.maximum, "minimum is at least 1 and at most maximum")


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRule:
    """Which drift the study uses, and which metrics its thresholds belong to."""

    metric: str
    protocol_metric: str
    declared_metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """How many pairs of each provider a condition has, and how a model's name tells its provider."""

    quota: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for provider, count in self.quota.items():
            require(count >= 0, f"quota.{provider} = {count}: a quota is at least 0")
            require(provider != "unknown", "unknown is no provider and fills no quota")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRule:
    """What else decides which pairs may stand in the set."""

    reuse_conversations: bool = False
    strict: bool = False
    allow_self_reference: bool = True
    tags_required: Mapping[str, str] = field(default_factory=dict)
    exclude_conversations: tuple[str, ...] = ()
    near_duplicate: float = 0.5  # share of 6-word sequences in common from which two texts are one
    match: tuple[Feature, ...] = ()  # what should not differ between conditions

    def __post_init__(self) -> None:
        require(0 < self.near_duplicate <= 1, "near_duplicate is above 0 and at most 1")
        require(len(set(self.match)) == len(self.match), "match names each feature once")


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeTrial:
    """A trial before the first, kept apart from the answers that count."""

    context: str
    response_a: str
    response_b: str
    expected: Response
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCheck:
    """A trial whose right answer is plain. An instruction check carries its own texts."""

    id: str
    kind: CheckKind
    position: int
    expected: Response
    context: str | None = None
    response_a: str | None = None
    response_b: str | None = None

    def __post_init__(self) -> None:
        require(re.fullmatch(r"ATT_[A-Z0-9_]+", self.id) is not None, "id begins with ATT_, in capitals")
        require(self.position >= 1, "position is at least 1")
        given = [text is not None for text in (self.context, self.response_a, self.response_b)]
        if self.kind is CheckKind.INSTRUCTION:
            require(all(given), "an instruction check has context, response_a and response_b")
        else:
            require(not any(given), f"an {self.kind} check takes its texts from the logs")


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyOptions:
    """How the survey behaves."""

    practice_feedback: bool = False
    prefetch: int = 6
    break_after: int = 0  # trials; 0: no break
    reading_speed_wpm: int = 238
    stated_minutes: str = ""  # what the protocol's documents say, for comparison
    on_return: ResumePolicy = ResumePolicy.RESUME
    resume_within_hours: int = 72

    def __post_init__(self) -> None:
        require(self.prefetch >= 1, "prefetch is at least 1")
        require(self.break_after >= 0, "break_after is at least 0")
        require(self.reading_speed_wpm >= 1, "reading_speed_wpm is at least 1")
        require(self.resume_within_hours >= 1, "resume_within_hours is at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What a recruitment platform is told; never the same list as the exclusions."""

    action: PlatformAction = PlatformAction.PAY_ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Everything that is decided before the first participant comes."""

    study: StudyFacts
    drift: DriftRule
    conditions: tuple[Condition, ...]
    words: WordLimits
    practice: tuple[PracticeTrial, ...]
    attention_checks: tuple[AttentionCheck, ...]
    exclusions: tuple[ExclusionRule, ...]
    decision: Decision
    outcomes: Mapping[str, OutcomeWording]
    wording: Wording
    providers: Providers = field(default_factory=Providers)
    selection: SelectionRule = field(default_factory=SelectionRule)
    survey: SurveyOptions = field(default_factory=SurveyOptions)
    platform: Platform = field(default_factory=Platform)

    def __post_init__(self) -> None:
        _check_conditions(self)
        _check_positions(self)
        check_placeholders(self.wording)
        kinds = [rule.rule for rule in self.exclusions]
        require(len(set(kinds)) == len(kinds), "exclusions: each rule stands once")
        for letter in self.outcomes:
            require(letter in ("A", "B", "C"), f"outcomes.{letter}: an outcome is A, B or C")

    @property
    def pair_count(self) -> int:
        """How many pairs all conditions have together."""
        return sum(condition.count for condition in self.conditions)

    @property
    def trial_count(self) -> int:
        """How many trials a participant sees: the pairs and the attention checks."""
        return self.pair_count + len(self.attention_checks)

    @property
    def spares_needed(self) -> int:
        """How many baseline texts the attention checks borrow that are in none of the pairs."""
        return sum(check.kind in (CheckKind.IDENTICAL, CheckKind.GIBBERISH) for check in self.attention_checks)

    def condition(self, name: str) -> Condition:
        """Give the condition called `name`."""
        return next(condition for condition in self.conditions if condition.name == name)

    def with_role(self, role: ConditionRole) -> tuple[Condition, ...]:
        """Give the conditions that have `role` in the analysis."""
        return tuple(condition for condition in self.conditions if condition.role is role)

    def quota_of(self, condition: Condition) -> Mapping[str, int]:
        """Give the providers' quota of a condition; empty when any provider will do."""
        return self.providers.quota if condition.quota is None else condition.quota

    def declares(self, metric: str) -> bool:
        """Tell whether the study's thresholds are meant for `metric`."""
        return metric == self.drift.protocol_metric or metric in self.drift.declared_metrics

    def standing_of(self, metric: str) -> str | None:
        """Say how the study's thresholds relate to `metric`; None where they are the protocol's own."""
        if metric == self.drift.protocol_metric:
            return None
        if metric in self.drift.declared_metrics:
            by_declaration = f"protocol thresholds on {metric} by declaration"
            return LIMENS_LEXICON if metric == "keyword-rms/limen-1" else by_declaration
        return NOT_THE_PROTOCOLS

    def with_ranges(self, ranges: Mapping[str, DriftRange]) -> "Protocol":
        """Give the protocol with other ranges of drift, by condition; a bound on A that is the same moves along."""

        def moved(condition: Condition) -> Condition:
            band = ranges.get(condition.name, condition.drift)
            same_bound = condition.a_drift == condition.drift
            return replace(condition, drift=band, a_drift=band if same_bound else condition.a_drift)

        return replace(self, conditions=tuple(moved(condition) for condition in self.conditions))

    def departs_from(self, built_in: "Protocol", metric: str) -> bool:
        """Tell whether a study under the built-in protocol's name has other ranges, or declares another metric its own.

        A study under another name is a protocol of its own, and its thresholds are its own.
        """
        if self.study.protocol != built_in.study.protocol:
            return False
        ranges = {condition.name: condition.drift for condition in built_in.conditions}
        moved = any(ranges.get(condition.name, condition.drift) != condition.drift for condition in self.conditions)
        own_metric = metric == self.drift.protocol_metric != built_in.drift.protocol_metric
        return moved or (own_metric and not built_in.declares(metric))

    def selection_digest(self) -> str:
        """Give a hash of everything that decides which pairs are chosen and which checks are made."""
        whole = asdict(self)
        tables = ("drift", "conditions", "words", "providers", "selection", "attention_checks")
        value = {"seed": self.study.seed} | {name: whole[name] for name in tables}
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

    def digest(self) -> str:
        """Give a hash that changes with any value of the protocol."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def _check_conditions(protocol: Protocol) -> None:
    conditions = protocol.conditions
    for what in ("name", "prefix"):
        counted = Counter(getattr(condition, what) for condition in conditions)
        for value, times in counted.items():
            require(times == 1, f"conditions: {what} {value} stands {times} times; each is used once")
    for role in (ConditionRole.BASELINE, ConditionRole.TARGET):
        found = len(protocol.with_role(role))
        require(found == 1, f"conditions: exactly one has the role {role}, not {found}")
    for condition in conditions:
        quota = protocol.quota_of(condition)
        require(
            not quota or sum(quota.values()) == condition.count,
            f"conditions: {condition.name} has count {condition.count}, but its provider quota adds up to "
            f"{sum(quota.values())}; make them equal (a condition may have a quota of its own)",
        )


def _check_positions(protocol: Protocol) -> None:
    checks = protocol.attention_checks
    counted = Counter(check.id for check in checks)
    require(all(n == 1 for n in counted.values()), "attention_checks: each id is used once")
    positions = [check.position for check in checks]
    total = protocol.trial_count
    if len(set(positions)) < len(positions) or any(position > total for position in positions):
        raise ValueError(
            f"attention_checks: positions {positions} must be distinct and at most {total}, the number of trials; "
            f"{list(even_positions(len(checks), total))} would do"
        )


def even_positions(checks: int, trials: int) -> tuple[int, ...]:
    """Give places for attention checks, spread evenly over the trials."""
    return tuple(-(-trials * k // (checks + 1)) for k in range(1, checks + 1))


def _bound(value: float | None) -> str:
    """Give a bound with two decimals, or as many as it needs."""
    number = value or 0.0
    return f"{number:.2f}" if round(number, 2) == number else f"{number:g}"
