"""The optional questions after the last trial, summed up."""

from collections.abc import Sequence
from dataclasses import dataclass

from limen.core.analysis.estimates import Undetermined
from limen.core.description import Choice, DebriefSummary
from limen.core.wording import DebriefWording


@dataclass(frozen=True, slots=True, kw_only=True)
class DebriefRecord:
    """One participant's debrief: places in the lists of options, from 0. None: skipped or not answered."""

    participant: str
    strategies: tuple[int, ...] | None = None
    other: str = ""
    age: int | None = None
    use: int | None = None


def summarize_debrief(
    records: Sequence[DebriefRecord] | None, analyzed: Sequence[str], wording: DebriefWording
) -> DebriefSummary | Undetermined:
    """Count the analyzed raters' choices; None where the source has no debrief at all."""
    if records is None:
        return Undetermined(reason="the table holds no debrief answers")
    among = set(analyzed)
    kept = sorted((r for r in records if r.participant in among), key=lambda r: (len(r.participant), r.participant))
    told = [record for record in kept if record.strategies is not None or record.other.strip()]
    chosen = [place for record in told for place in set(record.strategies or ())]  # a rater chooses an option once
    aged = [record.age for record in kept if record.age is not None]
    used = [record.use for record in kept if record.use is not None]
    return DebriefSummary(
        raters=len(analyzed),
        strategy_answered=len(told),
        strategy=_choices(wording.strategy.options, chosen),
        other=tuple(record.other.strip() for record in told if record.other.strip()),
        age_answered=len(aged),
        age=_choices(wording.demographics.age_options, aged),
        use_answered=len(used),
        use=_choices(wording.demographics.use_options, used),
    )


def _choices(options: Sequence[str], chosen: Sequence[int]) -> tuple[Choice, ...]:
    return tuple(Choice(option=option, chosen=chosen.count(place)) for place, option in enumerate(options))
