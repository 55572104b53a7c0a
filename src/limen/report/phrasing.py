"""Turns of phrase that several sections and figures share. Every number in them is written by `core.notation`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from limen.core import notation
from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.criteria import Scope
from limen.core.findings import Analysis, Study, StudyCondition
from limen.core.measures import ChiSquareResult, Number
from limen.core.outcome import Letter, MixedReason
from limen.core.protocol import ConditionRole
from limen.report.document import Column, Row, Table

SIMULATED = "simulated"
OFF = "SOMETHING'S OFF"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The conditions by what they are for."""

    target: StudyCondition
    baseline: StudyCondition
    others: tuple[StudyCondition, ...]  # each described for itself; the outcome rests on none of them

    @classmethod
    def of(cls, study: Study) -> Self:
        """Sort out the study's conditions."""
        by_role: dict[ConditionRole, list[StudyCondition]] = {role: [] for role in ConditionRole}
        for condition in study.conditions:
            by_role[condition.role].append(condition)
        return cls(
            target=by_role[ConditionRole.TARGET][0],
            baseline=by_role[ConditionRole.BASELINE][0],
            others=(*by_role[ConditionRole.CONTROL], *by_role[ConditionRole.BETWEEN]),
        )

    @property
    def leading(self) -> tuple[StudyCondition, ...]:
        """The target first, then the baseline, then a control, then what lies between."""
        return (self.target, self.baseline, *self.others)


def key_of(condition: StudyCondition) -> str:
    """Give the condition's name as the key of mappings by condition."""
    return condition.name.lower()


def along_drift(conditions: Sequence[StudyCondition]) -> tuple[StudyCondition, ...]:
    """Put conditions in the order of the drift they stand for."""
    return tuple(sorted(conditions, key=lambda c: float("-inf") if c.drift.above is None else c.drift.above))


def raters_are(analysis: Analysis) -> str:
    """Name who answered: people, unless they were simulated."""
    return "simulated raters" if analysis.study.mode == SIMULATED else "people"


def scope_in_words(analysis: Analysis, scope: Scope) -> str:
    """Name the pairs that agreement is taken over."""
    roles = Roles.of(analysis.study)
    if scope is Scope.TARGET:
        return f"{roles.target.name} pairs"
    return f"all {roles.target.name} and {roles.baseline.name} pairs" if roles.others else "all pairs"


def listed(words: Sequence[str]) -> str:
    """Write a list as a sentence has it.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def points_estimate(value: Estimate | Undetermined) -> str:
    """Write a difference of shares with its interval, in points.

    >>> points_estimate(Estimate(value=0.34, interval=Interval(low=0.1, high=0.5), n=9, method="t"))
    '+34 points [+10, +50]'
    """
    if isinstance(value, Undetermined):
        return notation.undetermined(value)
    return f"{notation.points(value.value)} {points_interval(value.interval)}"


def points_interval(bounds: Interval | Undetermined) -> str:
    """Write the interval of a difference of shares."""
    if isinstance(bounds, Undetermined):
        return f"(interval {notation.undetermined(bounds)})"
    cut = possible_difference(bounds)
    low, high = (notation.points(bound).removesuffix(" points") for bound in (cut.low, cut.high))
    return f"[{low}, {high}]"


def possible_difference(bounds: Interval) -> Interval:
    """Cut an interval of a difference of shares at ±100 points: with few raters a t interval reaches beyond.

    >>> possible_difference(Interval(low=0.35, high=1.05)).high
    1.0
    """
    low, high = (min(max(bound, -1.0), 1.0) for bound in (bounds.low, bounds.high))
    return Interval(low=low, high=high, level=bounds.level)


def why_not(*values: object) -> str:
    """Write why the first undetermined one of these is, or nothing."""
    return next((notation.undetermined(value) for value in values if isinstance(value, Undetermined)), "")


def shortened(name: str, most: int) -> str:
    """Cut a name that a figure has no room for; the tables have it whole.

    >>> shortened("BASE_01", 9), shortened("a-very-long-name", 9)
    ('BASE_01', 'a-very-l…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def sentence(text: str) -> str:
    """Begin with a capital and end with a full stop."""
    return text and f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.!?' else '.'}"


def letter_of(letter: Letter, reason: MixedReason | None) -> str:
    """Write an outcome's letter, for C with its reason."""
    if letter is Letter.NOT_ASSESSABLE:
        return "not assessable"
    return reason.value if reason else letter.value


def compared(caption: str, *rows: Row) -> Table:
    """Make the table of the protocol's numbers and what stands beside them."""
    columns = (Column(title=""), Column(title="as specified"), Column(title="companion"))
    return Table(caption=caption, columns=columns, rows=rows, comparison=True)


def t_test(t: Number, df: Number, p: Number) -> str:
    """Write a t test; where t is undetermined and p is not, p alone with the reason.

    >>> t_test(2.268, 9.31, 0.0243)
    't(9.3) = 2.27, p = .024'
    """
    if isinstance(t, Undetermined) or isinstance(df, Undetermined):
        why = why_not(t, df)
        return why if isinstance(p, Undetermined) else f"{notation.p_value(p)} (t {why})"
    return f"t({notation.decimal(df, 1)}) = {notation.decimal(t)}, {notation.p_value(p)}"


def chi_square(test: ChiSquareResult) -> str:
    """Write a chi-square test.

    >>> chi_square(ChiSquareResult(statistic=4.2, p=0.0404, dof=1))
    'χ²(1) = 4.20, p = .040'
    """
    if isinstance(test.statistic, Undetermined) or isinstance(test.dof, Undetermined):
        return why_not(test.statistic, test.dof)
    return f"χ²({notation.count(test.dof)}) = {notation.decimal(test.statistic)}, {notation.p_value(test.p)}"
