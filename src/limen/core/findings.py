"""An Analysis: everything that was found, and how. It reads as analysis.json does, name by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from limen.core.analysis.estimates import Undetermined
from limen.core.confounds import ConfoundAudit
from limen.core.description import (
    AttentionResult,
    DebriefSummary,
    Departure,
    PairRow,
    PositionRow,
    ProviderRow,
    RaterRow,
    ReadingSpeed,
    ResponseTimeRow,
)
from limen.core.exclusion import Exclusion, RuleReport
from limen.core.hypotheses import Hypotheses
from limen.core.judgment import Response
from limen.core.measures import AsSpecified, Companions
from limen.core.outcome import Outcome
from limen.core.protocol import ConditionRole, DriftRange, Protocol
from limen.core.settings import Setting
from limen.core.specification import SpecificationRow


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCondition:
    """A condition as it was analyzed."""

    name: str
    role: ConditionRole
    drift: DriftRange
    expected: Response | None
    pairs_declared: int
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What was analyzed. `metric` is None where the table does not say which drift it holds."""

    protocol: str
    version: str
    title: str
    mode: str | None
    metric: str | None
    metric_standing: str | None
    conditions: tuple[StudyCondition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """How many people came how far. `excluded` is everyone who started and is not analyzed."""

    landed: int | Undetermined
    consented: int | Undetermined
    screened_in: int | Undetermined
    started: int
    completed: int
    withdrawn: int | Undetermined
    excluded: int
    analyzed: int
    minimum: int  # below this many the outcome is not assessable
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DataProblem:
    """Something wrong in what was read: what, how often, what was done about it, and where first."""

    reason: str
    count: int
    rule: str  # what is done in such a case: "the answer is not counted"
    examples: tuple[str, ...]  # "row 17: response 'maybe'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """When and with what this was made: the one block that differs between two runs."""

    at: datetime
    versions: Mapping[str, str]
    seed: int
    protocol_digest: str
    stimulus_digest: str | None
    data_digest: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A whole analysis."""

    study: Study
    n: Flow
    exclusions: tuple[Exclusion, ...]
    exclusion_rules: tuple[RuleReport, ...]
    as_specified: AsSpecified
    hypotheses: Hypotheses
    companions: Companions
    specification: tuple[SpecificationRow, ...]
    response_times: tuple[ResponseTimeRow, ...] | Undetermined
    reading_speed: ReadingSpeed | Undetermined
    attention: tuple[AttentionResult, ...]
    debrief: DebriefSummary | Undetermined
    providers: tuple[ProviderRow, ...] | Undetermined
    positions: tuple[PositionRow, ...]
    departures: tuple[Departure, ...]
    raters: tuple[RaterRow, ...]
    pairs: tuple[PairRow, ...]
    outcome: Outcome
    caveats: Mapping[str, str]  # by where they stand: h1, chi_square, kappa
    data_problems: tuple[DataProblem, ...]
    confounds: ConfoundAudit | Undetermined  # what the conditions differ in besides drift
    deviations: tuple[str, ...] | Undetermined  # of the material from what the protocol describes
    settings: tuple[Setting, ...]
    protocol: Protocol
    made: Made
