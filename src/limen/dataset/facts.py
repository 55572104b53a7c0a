"""What a table of answers says again on every row, gathered once: its participants and its stimuli.

Facts that contradict each other are refused, with the row.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import NOT_KNOWN, Participants, ShownStimulus, TaskClock
from limen.core.judgment import Response
from limen.core.protocol import Protocol
from limen.dataset.column_map import ColumnMap, Unit
from limen.dataset.text_columns import LARGEST_COUNT, LONGEST_TASK_MS, UNREADABLE, durations_ms, whole_numbers
from limen.errors import DataError
from limen.workflow.collected import Material

ATTENTION = "ATTENTION"
"""What stands in the column of conditions for an attention check."""

MATERIAL_COLUMNS = ("drift_metric", "drift_standing")
STIMULUS_COLUMNS = (
    "pair_id",
    "condition",
    "expected",
    "drift_a",
    "drift_b",
    "provider",
    "words_a",
    "words_b",
    *MATERIAL_COLUMNS,
)
PARTICIPANT_COLUMNS = ("participant_id", "mode", "main_task_ms", "main_task_clock", "trials_planned")

NOBODY = -1
OF_ANOTHER_MODE = -2

Key = tuple[str, ...]
Places = NDArray[np.int64]
Known = Mapping[str, ShownStimulus]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundParticipants:
    """The participants of one mode; `places` leads from a combination of facts to its participant."""

    mode: str | None
    value: Participants
    places: Places
    without_plan: tuple[str, ...]  # where others have one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundStimuli:
    """The stimuli; `places` leads from a combination of facts to its stimulus."""

    value: tuple[ShownStimulus, ...]
    places: Places
    material: Material  # as far as the table tells


def gather_participants(
    keys: Mapping[Key, int], wanted: str | None, mapped: ColumnMap, where: str
) -> FoundParticipants:
    """Gather the participants of the wanted mode, or of the only one there is."""
    facts = [dict(zip(PARTICIPANT_COLUMNS, key, strict=True)) for key in keys]
    modes = [mapped.mode or fact["mode"].strip() for fact in facts]
    mode = _one_mode(set(modes), wanted, where)
    merged: dict[str, dict[str, str]] = {}
    places = np.empty(len(facts), dtype=np.int64)
    order: dict[str, int] = {}
    for place, (fact, of_mode) in enumerate(zip(facts, modes, strict=True)):
        name = fact["participant_id"].strip()
        if of_mode != mode or not name:
            places[place] = OF_ANOTHER_MODE if of_mode != mode else NOBODY
            continue
        places[place] = order.setdefault(name, len(order))
        _merge(merged.setdefault(name, {}), fact, f"{where}: participant {name}")
    planned = whole_numbers([fact.get("trials_planned", "") for fact in merged.values()])
    scale = 1000 if mapped.time_unit is Unit.SECONDS else 1
    times = durations_ms([fact.get("main_task_ms", "") for fact in merged.values()], scale, LONGEST_TASK_MS)
    for name, number, most in (("trials_planned", planned, LARGEST_COUNT), ("main_task_ms", times, LONGEST_TASK_MS)):
        wrong = number <= UNREADABLE
        if wrong.any():
            person = list(merged)[int(np.argmax(wrong))]
            raise DataError(
                f"{where}: participant {person} has {name} {merged[person][name]!r}; give a number from 0 to {most:,}"
            )
    unplanned = planned == NOT_KNOWN
    return FoundParticipants(
        mode=mode or None,
        value=Participants(
            ids=tuple(merged),
            trials_planned=planned,
            main_task_ms=times,
            main_task_clock=tuple(_clock(fact, where) for fact in merged.values()),
        ),
        places=places,
        without_plan=() if unplanned.all() else tuple(np.array(list(merged))[unplanned].tolist()),
    )


def gather_stimuli(
    keys: Mapping[Key, int],
    first_rows: Mapping[int, int],
    protocol: Protocol,
    mapped: ColumnMap,
    known: Known | None,
    where: str,
) -> FoundStimuli:
    """Gather the stimuli; what a study folder knows of them goes before what the table says."""
    merged: dict[str, dict[str, str]] = {}
    rows: dict[str, int] = {}
    order: dict[str, int] = {name: place for place, name in enumerate(known or {})}
    places = np.empty(len(keys), dtype=np.int64)
    for key, code in keys.items():
        fact = {name: text.strip() for name, text in zip(STIMULUS_COLUMNS, key, strict=True)}
        place = f"{where}, row {first_rows[code]}"
        name = fact["pair_id"]
        if not name:
            raise DataError(f"{place}: no pair_id; name the pair or check of each row")
        fact["condition"] = mapped.conditions.get(fact["condition"], fact["condition"])
        _check_condition(fact["condition"], protocol, place)
        _merge(merged.setdefault(name, {}), fact, f"{place}: {name}")
        rows.setdefault(name, first_rows[code])
        places[code] = order.setdefault(name, len(order))
    found, shared = dict(known or {}), dict[str, str]()
    for name, fact in merged.items():
        place = f"{where}, row {rows[name]}"
        _merge(shared, {column: fact.get(column, "") for column in MATERIAL_COLUMNS}, f"{place}: the table")
        read = _stimulus(fact, protocol, place)
        if known is not None:
            _check_known(read, known, place)
        else:
            found[name] = read
    material = Material(metric=shared.get("drift_metric"), standing=shared.get("drift_standing"))
    return FoundStimuli(value=tuple(found.values()), places=places, material=material)


def _one_mode(modes: set[str], wanted: str | None, where: str) -> str:
    named = ", ".join(sorted(mode or "(none named)" for mode in modes))
    if wanted is not None and wanted not in modes:
        raise DataError(f"{where}: no answers of mode {wanted}; the file has {named}")
    if wanted is None and len(modes) > 1:
        raise DataError(f"{where}: answers of the modes {named}, which are never pooled; choose one with --mode")
    return wanted if wanted is not None else next(iter(modes), "")


def _merge(into: dict[str, str], fact: Mapping[str, str], place: str) -> None:
    """Add facts; an empty cell says nothing, another text contradicts."""
    for name, text in fact.items():
        plain = text.strip()
        if plain and into.setdefault(name, plain) != plain:
            raise DataError(f"{place} has {name} {into[name]!r} and {plain!r}; give one")


def _clock(fact: Mapping[str, str], where: str) -> TaskClock | None:
    text = fact.get("main_task_clock", "")
    try:
        return TaskClock(text) if text else None
    except ValueError as problem:
        allowed = ", ".join(TaskClock)
        raise DataError(f"{where}: main_task_clock {text!r} is not one of {allowed}; leave it empty") from problem


def _check_condition(name: str, protocol: Protocol, place: str) -> None:
    names = [condition.name for condition in protocol.conditions]
    if name not in (*names, ATTENTION):
        raise DataError(
            f"{place}: condition {name!r} is not one of {', '.join(names)}, {ATTENTION}; "
            "another protocol can be named with --protocol"
        )


def _stimulus(fact: Mapping[str, str], protocol: Protocol, place: str) -> ShownStimulus:
    is_check = fact["condition"] == ATTENTION
    return ShownStimulus(
        stimulus_id=fact["pair_id"],
        condition=None if is_check else fact["condition"],
        expected=_expected(fact, protocol, place),
        drift_a=_decimal(fact, "drift_a", place),
        drift_b=_decimal(fact, "drift_b", place),
        provider=fact.get("provider"),
        words_a=_count(fact, "words_a", place),
        words_b=_count(fact, "words_b", place),
    )


def _expected(fact: Mapping[str, str], protocol: Protocol, place: str) -> Response | None:
    """Give the right answer: the protocol's, or, for a check that it does not know, the table's own."""
    text = fact.get("expected", "")
    if text and text not in tuple(Response):
        raise DataError(f"{place}: expected {text!r} is not one of {', '.join(Response)}")
    stated = Response(text) if text else None
    if fact["condition"] == ATTENTION:
        declared = next((check.expected for check in protocol.attention_checks if check.id == fact["pair_id"]), None)
    else:
        declared = protocol.condition(fact["condition"]).expected
    if stated and declared and stated is not declared:
        raise DataError(
            f"{place}: {fact['pair_id']} has expected {stated}, and {declared} by the protocol; make them agree"
        )
    return declared or stated


def _decimal(fact: Mapping[str, str], name: str, place: str) -> float | None:
    text = fact.get(name, "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise DataError(f"{place}: {name} {text!r} is no number; write it like 0.25 or leave it empty")
    return value


def _count(fact: Mapping[str, str], name: str, place: str) -> int | None:
    number = int(whole_numbers([fact.get(name, "")])[0])
    if number <= UNREADABLE:
        raise DataError(f"{place}: {name} {fact[name]!r} is no count; write a whole number or leave it empty")
    return None if number == NOT_KNOWN else number


def _check_known(read: ShownStimulus, known: Known, place: str) -> None:
    one = known.get(read.stimulus_id)
    if one is None:
        raise DataError(
            f"{place}: {read.stimulus_id} is not among the study's pairs and checks; is it another study's?"
        )
    if one.condition != read.condition:
        there = one.condition or ATTENTION
        raise DataError(f"{place}: {read.stimulus_id} has condition {read.condition}, in the study {there}")
