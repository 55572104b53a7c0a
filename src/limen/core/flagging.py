"""What a person should look at, over a whole table at once. A flag excludes nobody by itself."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import NOT_KNOWN, TrialTable

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

FASTEST_READING_WPM = 1000
MOST_FOCUS_LOSSES = 5

READ_TOO_FAST = "read_too_fast"
COPIED_TEXT = "copied_text"
LOST_FOCUS = "lost_focus"
SHARED_PLAN = "shared_plan"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flagging:
    """For each kind of flag that the table can answer, the participants who have it.

    `flagged` are those whom the specification "flagged participants out" leaves out. That someone else had the same
    plan is shown with the other flags, but tells nothing about how somebody answered.
    """

    by_kind: Mapping[str, Flags]
    shared_plan: Flags
    not_assessed: tuple[str, ...]  # kinds whose columns the table lacks, or has empty
    people: int

    @property
    def flagged(self) -> Flags:
        """Mark the participants with any flag but that of a shared plan."""
        return np.asarray(
            np.logical_or.reduce([np.zeros(self.people, dtype=np.bool_), *self.by_kind.values()]), dtype=np.bool_
        )

    def of(self, place: int) -> tuple[str, ...]:
        """Give the flags of one participant."""
        kinds = {**self.by_kind, SHARED_PLAN: self.shared_plan}
        return tuple(kind for kind, flagged in kinds.items() if flagged[place])


def flag_participants(table: TrialTable) -> Flagging:
    """Flag any trial over 1,000 words a minute, any copy of stimulus text, more than 5 focus losses, a shared plan."""
    people = len(table.participants)
    by_kind: dict[str, Flags] = {}
    if knows_reading_speed(table):
        too_fast = reads_too_fast(table)
        by_kind[READ_TOO_FAST] = np.bincount(table.participant[too_fast], minlength=people) > 0
    if table.copies is not None and np.any(table.copies != NOT_KNOWN):
        copied = table.copies > 0
        by_kind[COPIED_TEXT] = np.bincount(table.participant[copied], minlength=people) > 0
    if table.focus_losses is not None and np.any(table.focus_losses != NOT_KNOWN):
        losses = np.bincount(table.participant, np.maximum(table.focus_losses, 0), people)
        by_kind[LOST_FOCUS] = losses > MOST_FOCUS_LOSSES
    missing = tuple(kind for kind in (READ_TOO_FAST, COPIED_TEXT, LOST_FOCUS) if kind not in by_kind)
    return Flagging(by_kind=by_kind, shared_plan=_share_plans(table), not_assessed=missing, people=people)


def _share_plans(table: TrialTable) -> Flags:
    """Mark all who had one sealed plan of a static page together: two people by one invitation, or one person twice."""
    codes = table.participants.plan_codes or (None,) * len(table.participants)
    raters = Counter(code for code in codes if code is not None)
    return np.array([raters[code] > 1 if code is not None else False for code in codes], dtype=np.bool_)


def knows_reading_speed(table: TrialTable) -> bool:
    """Tell whether there is a trial whose words and time are both known."""
    times = table.response_time_ms
    return times is not None and bool(np.any((words_of_rows(table) != NOT_KNOWN) & (times != NOT_KNOWN)))


def reads_too_fast(table: TrialTable) -> Flags:
    """Mark the trials read faster than 1,000 words a minute, in whole numbers."""
    words = words_of_rows(table)
    times = table.response_time_ms
    if times is None:
        return np.zeros(table.rows, dtype=np.bool_)
    known = (words != NOT_KNOWN) & (times != NOT_KNOWN)
    return np.asarray(known & (words * 60_000 > FASTEST_READING_WPM * times), dtype=np.bool_)


def words_of_rows(table: TrialTable) -> NDArray[np.int64]:
    """Give how many words each trial showed; `NOT_KNOWN` where that is not known."""
    words = [NOT_KNOWN if stimulus.words is None else stimulus.words for stimulus in table.stimuli]
    return np.array(words, dtype=np.int64)[table.stimulus]


def words_per_minute(table: TrialTable) -> Floats:
    """Give each trial's reading speed; nan where words or time are not known, or no time passed."""
    words, times = words_of_rows(table), table.response_time_ms
    speed = np.full(table.rows, np.nan)
    if times is None:
        return speed
    return np.asarray(np.divide(60_000.0 * words, times, out=speed, where=(words != NOT_KNOWN) & (times > 0)))
