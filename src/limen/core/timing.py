"""How long answers took, by condition and correctness, and how fast the pairs were read."""

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import NOT_KNOWN, TrialTable
from limen.core.description import ReadingSpeed, ResponseTimeRow, SpeedRow
from limen.core.estimation import key_of
from limen.core.flagging import FASTEST_READING_WPM, knows_reading_speed, reads_too_fast, words_per_minute
from limen.core.judgment import Response
from limen.core.protocol import Condition, Protocol
from limen.core.sample import Sample

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

BINS = 24
QUANTILES = np.linspace(0, 1, 21)


def describe_response_times(sample: Sample, protocol: Protocol) -> tuple[ResponseTimeRow, ...] | Undetermined:
    """Describe the response times of the analyzed raters' answers to pairs."""
    table = sample.table
    if table.response_time_ms is None:
        return Undetermined(reason="the table has no response times")
    times = table.response_time_ms.astype(np.float64)
    timed = rows_of(sample) & (table.response_time_ms != NOT_KNOWN)
    if not timed.any():
        return Undetermined(reason="no analyzed answer has a response time")
    edges = _edges(times[timed])
    found = []
    for condition in protocol.conditions:
        rows = timed & rows_of_condition(table, condition)
        found.append(_row(condition, None, times[rows], edges))
        if condition.expected is not None:
            right = table.off == (condition.expected is Response.SOMETHINGS_OFF)
            found += [_row(condition, correct, times[rows & (right == correct)], edges) for correct in (True, False)]
    return tuple(found)


def describe_reading_speed(sample: Sample, protocol: Protocol) -> ReadingSpeed | Undetermined:
    """Describe the analyzed raters' words a minute, from the words shown and the response times."""
    table = sample.table
    if not knows_reading_speed(table):
        return Undetermined(reason="the table has no response times, or does not say how many words were shown")
    speed, kept = words_per_minute(table), rows_of(sample)
    over = reads_too_fast(table) & sample.kept[table.participant]
    return ReadingSpeed(
        conditions=tuple(
            _speed(condition, speed[kept & rows_of_condition(table, condition) & ~np.isnan(speed)])
            for condition in protocol.conditions
        ),
        limit_words_per_minute=FASTEST_READING_WPM,
        trials_over_limit=int(over.sum()),
        raters_over_limit=int(np.unique(table.participant[over]).size),
    )


def rows_of(sample: Sample) -> Flags:
    """Mark the rows that the sample counts: kept participants, its pairs."""
    table = sample.table
    counted = np.zeros(len(table.stimuli), dtype=np.bool_)
    counted[sample.pairs] = True
    return np.asarray(sample.kept[table.participant] & counted[table.stimulus], dtype=np.bool_)


def rows_of_condition(table: TrialTable, condition: Condition) -> Flags:
    """Mark the rows whose pair belongs to a condition."""
    of_it = np.array([stimulus.condition == condition.name for stimulus in table.stimuli], dtype=np.bool_)
    return np.asarray(of_it[table.stimulus], dtype=np.bool_)


def grouped_median(group: NDArray[np.int64], values: Floats, groups: int) -> Floats:
    """Give the median of the values of each group; nan for a group without values.

    >>> grouped_median(np.array([0, 0, 2]), np.array([1.0, 2.0, 5.0]), 3).tolist()
    [1.5, nan, 5.0]
    """
    order = np.lexsort((values, group))
    ordered = values[order]
    count = np.bincount(group, minlength=groups)
    start = np.cumsum(count) - count
    found = np.full(groups, np.nan)
    some = count > 0
    lower = ordered[(start + (count - 1) // 2)[some]]
    upper = ordered[(start + count // 2)[some]]
    found[some] = (lower + upper) / 2
    return found


def _edges(times: Floats) -> Floats:
    """Give bins of equal width on a logarithmic axis that hold every time."""
    low, high = max(float(times.min()), 1.0), max(float(times.max()), 2.0)
    edges = np.geomspace(low, max(high, low * 1.01), BINS + 1).round(3)
    edges[0], edges[-1] = min(float(edges[0]), float(times.min())), max(float(edges[-1]), float(times.max()))
    return edges


def _row(condition: Condition, correct: bool | None, times: Floats, edges: Floats) -> ResponseTimeRow:
    nothing = Undetermined(reason="there are no such answers")
    return ResponseTimeRow(
        condition=key_of(condition),
        correct=correct,
        n=times.size,
        mean=float(times.mean()) if times.size else nothing,
        median=float(np.median(times)) if times.size else nothing,
        quantiles=tuple(np.quantile(times, QUANTILES).tolist()) if times.size else (),
        bin_edges_ms=tuple(edges.tolist()),
        bin_counts=tuple(np.histogram(times, edges)[0].tolist()),
    )


def _speed(condition: Condition, speed: Floats) -> SpeedRow:
    nothing = Undetermined(reason="there are no such answers")
    low, middle, high = np.quantile(speed, [0.25, 0.5, 0.75]).tolist() if speed.size else [nothing] * 3
    return SpeedRow(condition=key_of(condition), n=speed.size, median=middle, lower_quartile=low, upper_quartile=high)
