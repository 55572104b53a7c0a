"""What an analysis describes without testing it: raters, pairs, times, checks, positions, the debrief."""

from collections.abc import Mapping
from dataclasses import dataclass

from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.judgment import Response

Number = float | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One analyzed rater. `answers` has a letter a pair, in the order of the pairs: O(ff), N(ormal), - for none.

    Shrunken values are those of the probit slope model.
    """

    participant: str
    off: Mapping[str, int]  # by condition
    n: Mapping[str, int]
    d_prime: Number
    c: Number
    d_prime_shrunken: Number
    c_shrunken: Number
    median_response_time_ms: Number
    median_words_per_minute: Number
    main_task_minutes: Number
    checks_failed: int | Undetermined
    flags: tuple[str, ...]
    answers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One pair. The OFF rate has Wilson's interval; the shrunken one is that of the probit slope model.

    The interval of the latter holds for a typical rater, with the uncertainty of the whole model in it.
    """

    pair_id: str
    condition: str
    provider: str | None
    drift_a: float | None
    drift_b: float | None
    words: int | None
    off: int
    n: int
    off_rate: Estimate | Undetermined
    off_rate_shrunken: Estimate | Undetermined
    median_response_time_ms: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseTimeRow:
    """Response times in ms of one condition, right or wrong answers, or both (`correct` None).

    `quantiles` are at 0, 5, …, 100 %; `bin_counts` count the times between neighbors in `bin_edges_ms`.
    """

    condition: str
    correct: bool | None
    n: int
    mean: Number
    median: Number
    quantiles: tuple[float, ...]
    bin_edges_ms: tuple[float, ...]
    bin_counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRow:
    """Words read a minute in one condition."""

    condition: str
    n: int
    median: Number
    lower_quartile: Number
    upper_quartile: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSpeed:
    """How fast the trials were read, from the words shown and the response times."""

    conditions: tuple[SpeedRow, ...]
    limit_words_per_minute: int
    trials_over_limit: int
    raters_over_limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionResult:
    """One attention check: of all who answered it, and of those who were analyzed."""

    check_id: str
    position: int | None
    expected: Response | None
    answered: int
    passed: int | Undetermined
    failed: int | Undetermined
    failed_among_analyzed: int | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An option of a debrief question and how many analyzed raters chose it."""

    option: str
    chosen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DebriefSummary:
    """The debrief of the analyzed raters. `answered` counts those who did not skip the question."""

    raters: int
    strategy_answered: int
    strategy: tuple[Choice, ...]
    other: tuple[str, ...]
    age_answered: int
    age: tuple[Choice, ...]
    use_answered: int
    use: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRow:
    """The OFF rate of one provider's pairs in one condition; no test is made of it."""

    provider: str
    condition: str
    pairs: int
    off: int
    n: int
    off_rate: Estimate | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionRow:
    """The OFF rate at one trial number in one condition, with Wilson's interval."""

    trial_number: int
    condition: str
    off: int
    n: int
    off_rate: Estimate | Undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How many people left after so many answered trials."""

    answered: int
    people: int
