"""The course of the study: answers by trial number, where people left, and the attention checks one by one."""

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.core.analysis.proportions import wilson_interval
from limen.core.description import AttentionResult, Departure, PositionRow
from limen.core.estimation import key_of
from limen.core.exclusion import check_failures
from limen.core.protocol import Protocol
from limen.core.sample import Sample
from limen.core.timing import rows_of, rows_of_condition

Flags = NDArray[np.bool_]


def describe_positions(sample: Sample, protocol: Protocol) -> tuple[PositionRow, ...]:
    """Give the OFF rate of the analyzed raters at each trial number, condition by condition."""
    table, counted = sample.table, rows_of(sample)
    found = []
    for condition in protocol.conditions:
        rows = counted & rows_of_condition(table, condition)
        numbers, inverse = np.unique(table.trial_number[rows], return_inverse=True)
        n = np.bincount(inverse, minlength=numbers.size).tolist()
        off = np.bincount(inverse, table.off[rows], numbers.size).astype(np.int64).tolist()
        found += [
            PositionRow(
                trial_number=number, condition=key_of(condition), off=off[k], n=n[k], off_rate=rate(off[k], n[k])
            )
            for k, number in enumerate(numbers.tolist())
        ]
    return tuple(sorted(found, key=lambda row: row.trial_number))


def describe_departures(sample: Sample, complete: Flags) -> tuple[Departure, ...]:
    """Count after how many answered trials people left who did not complete them all."""
    table = sample.table
    answered = np.bincount(table.participant, minlength=len(table.participants))[~complete]
    after, people = np.unique(answered, return_counts=True)
    return tuple(
        Departure(answered=trials, people=count) for trials, count in zip(after.tolist(), people.tolist(), strict=True)
    )


def describe_attention(sample: Sample, protocol: Protocol) -> tuple[AttentionResult, ...]:
    """Give each attention check: who answered it, passed it, failed it. Checks nobody saw are listed too."""
    table = sample.table
    answered, failed = table.answers().answered[:, table.check_places], check_failures(table)
    declared = {check.id: check for check in protocol.attention_checks}
    places = {table.stimuli[place].stimulus_id: column for column, place in enumerate(table.check_places.tolist())}
    results = []
    for check_id in dict.fromkeys([*declared, *places]):
        check, column = declared.get(check_id), places.get(check_id)
        position = check.position if check else None
        if column is None:
            missing = Undetermined(reason="the check is not in the table")
            counts: tuple[int | Undetermined, int | Undetermined, int | Undetermined] = (missing, missing, missing)
            expected, seen = check.expected if check else None, 0
        else:
            expected = table.stimuli[int(table.check_places[column])].expected
            seen = int(answered[:, column].sum())
            wrong = int(failed[:, column].sum())
            unknown = Undetermined(reason="the right answer is not known")
            among = int(failed[sample.kept, column].sum())
            counts = (seen - wrong, wrong, among) if expected is not None else (unknown, unknown, unknown)
        results.append(
            AttentionResult(
                check_id=check_id,
                position=position,
                expected=expected,
                answered=seen,
                passed=counts[0],
                failed=counts[1],
                failed_among_analyzed=counts[2],
            )
        )
    return tuple(results)


def rate(off: int, n: int) -> Estimate | Undetermined:
    """Give a share with Wilson's interval."""
    bounds = wilson_interval(off, n)
    if not isinstance(bounds, Interval):
        return bounds
    return Estimate(value=off / n, interval=bounds, n=n, method="Wilson interval, independent trials")
