"""Limen's own format, `limen.conversation/1`: JSON Lines, one conversation a line (docs/reference/formats.md)."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Annotated

import msgspec

from limen.core.conversation import LARGEST_DRIFT, Conversation, DriftOrigin, DriftSource, Role, Turn
from limen.core.log_problems import LogProblem
from limen.core.protocol import UNKNOWN_METRIC
from limen.logs.format import LogFormat, Origin, Record

SCHEMA = "limen.conversation/1"
_LARGEST_I = 2**53 - 1
"""The largest whole number that every reader of JSON takes as it is."""


class DriftRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where the drifts come from."""

    metric: str
    reference: str
    range: tuple[float, float | None]
    source: DriftSource = DriftSource.RECORDED


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing said. Only the role assistant is the subject."""

    i: Annotated[int, msgspec.Meta(ge=0, le=_LARGEST_I)]
    role: Role
    text: str
    drift: Annotated[float, msgspec.Meta(ge=0, le=LARGEST_DRIFT)] | None = None
    is_reference: bool = False
    flags: tuple[str, ...] = ()


class ConversationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a canonical log."""

    schema: str
    id: Annotated[str, msgspec.Meta(min_length=1)]
    turns: tuple[TurnRecord, ...]
    model: str | None = None
    provider: str | None = None
    topic: str | None = None
    tags: dict[str, str] = {}
    drift: DriftRecord | None = None


def to_record(conversation: Conversation) -> ConversationRecord:
    """Give a conversation as it is written to a canonical log."""
    return ConversationRecord(
        schema=SCHEMA,
        id=conversation.id,
        model=conversation.model,
        provider=conversation.provider,
        topic=conversation.topic,
        tags=dict(conversation.tags),
        drift=_drift_record(conversation.drift) if conversation.drift else None,
        turns=tuple(
            TurnRecord(
                i=turn.i,
                role=turn.role,
                text=turn.text,
                drift=turn.drift,
                is_reference=turn.is_reference,
                flags=turn.flags,
            )
            for turn in conversation.turns
        ),
    )


def conversation_schema() -> bytes:
    """Give the JSON Schema of one line of a canonical log."""
    schema = msgspec.json.schema(ConversationRecord)
    schema["$defs"]["ConversationRecord"]["properties"]["schema"] = {"const": SCHEMA}
    named = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"A line of a {SCHEMA} log", **schema}
    return msgspec.json.format(msgspec.json.encode(named), indent=2) + b"\n"


def _matches(record: Record) -> bool:
    return str(record.get("schema", "")).startswith("limen.conversation/")


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    if record["schema"] != SCHEMA:
        yield origin.problem(f"schema is not {SCHEMA}")
        return
    try:
        found = to_conversation(msgspec.convert(record, ConversationRecord))
    except msgspec.ValidationError as problem:
        yield origin.problem(f"not a canonical conversation: {problem}")
    except ValueError as problem:
        yield origin.problem(str(problem))
    else:
        yield from _within_range(found, origin)


_MARK = f'"{SCHEMA}"'.encode()
_LOOKED_AT = 4096
_ROUNDING = 1e-6  # a cosine may come out a little above its bound


class _Line(msgspec.Struct):
    """A `ConversationRecord` whose turns are made as the core wants them, without a step between."""

    schema: str
    id: Annotated[str, msgspec.Meta(min_length=1)]
    turns: tuple[Turn, ...]
    model: str | None = None
    provider: str | None = None
    topic: str | None = None
    tags: dict[str, str] = {}
    drift: DriftRecord | None = None


_decoder = msgspec.json.Decoder(_Line)


def _decode(line: bytes) -> Conversation | None:
    if line.find(_MARK, 0, _LOOKED_AT) < 0:
        return None
    try:
        record = _decoder.decode(line)
        return _plain(record) if record.schema == SCHEMA else None
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _plain(record: _Line) -> Conversation | None:
    """Give the conversation of a line in which nothing has to be mended, refused or filled in; else None."""
    numbers = [turn.i for turn in record.turns]
    increasing = all(one < other for one, other in pairwise(numbers))
    if not increasing or (numbers and (numbers[0] < 0 or numbers[-1] > _LARGEST_I)):
        return None
    if record.drift is None:
        if any(turn.drift is not None for turn in record.turns):
            return None
    elif record.drift.reference.startswith("turn:") and not any(turn.is_reference for turn in record.turns):
        return None
    drift = _drift_origin(record.drift) if record.drift else None
    if drift and any(_is_outside(turn, drift) for turn in record.turns):
        return None
    return Conversation(
        id=record.id,
        model=record.model,
        provider=record.provider,
        topic=record.topic,
        tags=record.tags,
        drift=drift,
        turns=record.turns,
    )


def _within_range(conversation: Conversation, origin: Origin) -> Iterator[Conversation | LogProblem]:
    """Give the conversation without drifts that its metric cannot have given, each of them a problem."""
    drift = conversation.drift
    outside = {turn.i for turn in conversation.turns if drift and _is_outside(turn, drift)}
    if drift and outside:
        upper = "no bound" if drift.high is None else f"{drift.high:g}"
        for _ in outside:
            yield origin.problem(f"a drift outside its declared range, {drift.low:g} to {upper}: left out")
    turns = tuple(replace(turn, drift=None) if turn.i in outside else turn for turn in conversation.turns)
    yield replace(conversation, turns=turns) if outside else conversation


def _is_outside(turn: Turn, origin: DriftOrigin) -> bool:
    if turn.drift is None or turn.is_reference:  # the reference is 0 from itself whatever the metric
        return False
    return turn.drift < origin.low - _ROUNDING or (origin.high is not None and turn.drift > origin.high + _ROUNDING)


def to_conversation(record: ConversationRecord) -> Conversation:
    """Give the conversation that a line of a canonical log says. Raises ValueError for turns that share a number, and
    for a drift range that is none.
    """
    numbers = [turn.i for turn in record.turns]
    if len(set(numbers)) < len(numbers):
        raise ValueError("two turns have the same number i")
    turns = _with_named_reference(record)
    drift = _drift_origin(record.drift) if record.drift else None
    if drift is None and any(turn.drift is not None for turn in turns):
        marked = next((f"turn:{turn.i}" for turn in turns if turn.is_reference), "unknown")
        drift = DriftOrigin(metric=UNKNOWN_METRIC, reference=marked, low=0.0, high=None, source=DriftSource.RECORDED)
    return Conversation(
        id=record.id,
        model=record.model,
        provider=record.provider,
        topic=record.topic,
        tags=record.tags,
        drift=drift,
        turns=tuple(
            Turn(
                i=turn.i,
                role=turn.role,
                text=turn.text,
                drift=turn.drift,
                is_reference=turn.is_reference,
                flags=turn.flags,
            )
            for turn in turns
        ),
    )


def _with_named_reference(record: ConversationRecord) -> tuple[TurnRecord, ...]:
    """Mark the turn that the drift's `reference` names, where no turn says so itself."""
    if record.drift is None or any(turn.is_reference for turn in record.turns):
        return record.turns
    return tuple(
        msgspec.structs.replace(turn, is_reference=True)
        if turn.role is Role.ASSISTANT and record.drift.reference == f"turn:{turn.i}"
        else turn
        for turn in record.turns
    )


def _drift_record(origin: DriftOrigin) -> DriftRecord:
    bounds = (origin.low, origin.high)
    return DriftRecord(metric=origin.metric, reference=origin.reference, range=bounds, source=origin.source)


def _drift_origin(record: DriftRecord) -> DriftOrigin:
    low, high = record.range
    if not math.isfinite(low) or (high is not None and not low <= high < math.inf):
        raise ValueError("a drift range is two numbers, the lower first, or null for no upper bound")
    return DriftOrigin(metric=record.metric, reference=record.reference, low=low, high=high, source=record.source)


FORMAT = LogFormat(
    name="limen.conversation/1",
    matches=_matches,
    read=_read,
    fields=ConversationRecord.__struct_fields__,
    decode=_decode,
)
