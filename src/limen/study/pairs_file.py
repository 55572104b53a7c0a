"""stimuli/extreme_pairs.json and stimuli/attention_checks.json: the finished material as files, and back."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from limen import __version__
from limen.core.funnel import FunnelStep
from limen.core.log_problems import Problems
from limen.core.pair import Pair, ShownReply, Unmatched
from limen.core.protocol import ConditionRole, DriftRange, Protocol
from limen.core.scrubbing import Scrub
from limen.core.stimuli import CheckStimulus, Shortfall, Stimulus, StimulusSet
from limen.errors import DataError
from limen.workflow.ports import SourceFile

if TYPE_CHECKING:  # who reads the finished material prepares none
    from limen.workflow.preparation import Preparation

_T = TypeVar("_T")

PAIRS_SCHEMA = "limen.pairs/1"
CHECKS_SCHEMA = "limen.attention_checks/1"
CANDIDATES_SCHEMA = "limen.candidates/1"


class ResponseRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is shown of a reply; `turn` is its number in the drift sequence, `drift_score` that of the text shown."""

    text: str
    turn: int
    drift_score: float


class ScrubRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply as it was logged, and what was taken out of it."""

    original: str
    excerpted: bool
    changes: tuple[Scrub, ...]


class BothScrubs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was done to Response A and to Response B."""

    a: ScrubRecord
    b: ScrubRecord


class BothNumbers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number for Response A and one for Response B."""

    a: float
    b: float


class BothCounts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A count for Response A and one for Response B."""

    a: int
    b: int


class PairRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair."""

    pair_id: str
    condition: str
    provider: str
    context: str
    response_a: ResponseRecord
    response_b: ResponseRecord
    conversation_id: str
    model: str | None
    tags: dict[str, str]
    drift_metric: str
    drift_full_text: BothNumbers
    drift_a_to_b: dict[str, float]
    topic_shift: float
    flags: list[str]
    scrubbed: BothScrubs
    words: BothCounts


class PairsMetadata(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pairs came about."""

    schema: str
    source_files: tuple[SourceFile, ...]
    generated_at: str
    tool_version: str
    study: str
    protocol_digest: str
    selection_digest: str
    seed: int
    metric: str
    metric_standing: str | None
    bands: dict[str, DriftRange]
    selection_criteria: dict[str, Any]
    complete: bool
    shortfalls: tuple[Shortfall, ...]
    spares_missing: int
    strict_pairs: int
    conversations_read: int
    conversations_left_out: int
    observed_drift: dict[str, float]
    log_problems: Problems
    funnel: tuple[FunnelStep, ...]
    unmatched: tuple[Unmatched, ...] = ()


class PairsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """extreme_pairs.json."""

    metadata: PairsMetadata
    pairs: list[PairRecord]


class CandidatesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """candidates.json: pairs for slots that have to be filled anew; they have no id."""

    schema: str
    selection_digest: str
    candidates: list[PairRecord]


class ChecksFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """attention_checks.json."""

    schema: str
    checks: tuple[CheckStimulus, ...]


def encode_pairs(preparation: "Preparation", made_at: datetime) -> bytes:
    """Give extreme_pairs.json, readable by a person, the same bytes for the same values."""
    return _pretty(
        PairsFile(metadata=_metadata(preparation, made_at), pairs=[_record(s) for s in preparation.stimuli.stimuli])
    )


def encode_checks(stimuli: StimulusSet) -> bytes:
    """Give attention_checks.json."""
    return _pretty(ChecksFile(schema=CHECKS_SCHEMA, checks=stimuli.checks))


def encode_candidates(stimuli: StimulusSet, candidates: tuple[Pair, ...]) -> bytes:
    """Give candidates.json: pairs that can take a slot of this set."""
    records = [_record(Stimulus(pair_id="", pair=pair)) for pair in candidates]
    return _pretty(
        CandidatesFile(schema=CANDIDATES_SCHEMA, selection_digest=stimuli.selection_digest, candidates=records)
    )


def decode_candidates(data: bytes, stimuli: StimulusSet, where: str) -> tuple[Pair, ...]:
    """Read candidates.json; those of a set that was chosen by other rules are of no use."""
    found = _decode(data, CandidatesFile, f"{where}/candidates.json")
    if found.schema != CANDIDATES_SCHEMA:
        raise DataError(f"{where}/candidates.json: expected {CANDIDATES_SCHEMA}; run `limen pairs` again")
    if found.selection_digest != stimuli.selection_digest:
        return ()
    return tuple(_stimulus(record).pair for record in found.candidates)


def with_stimuli(pairs: bytes, stimuli: StimulusSet, where: str) -> bytes:
    """Give extreme_pairs.json with other pairs in its slots, and all that is said about the selection as it was."""
    found = _decode(pairs, PairsFile, f"{where}/extreme_pairs.json")
    metadata = msgspec.structs.replace(found.metadata, strict_pairs=stimuli.strict_count)
    return _pretty(PairsFile(metadata=metadata, pairs=[_record(stimulus) for stimulus in stimuli.stimuli]))


def decode_stimuli(pairs: bytes, checks: bytes, where: str) -> StimulusSet:
    """Read both files back as one set."""
    found = _decode(pairs, PairsFile, f"{where}/extreme_pairs.json")
    extra = _decode(checks, ChecksFile, f"{where}/attention_checks.json")
    meta = found.metadata
    if meta.schema != PAIRS_SCHEMA or extra.schema != CHECKS_SCHEMA:
        raise DataError(f"{where}: expected {PAIRS_SCHEMA} and {CHECKS_SCHEMA}; run `limen pairs` again")
    return StimulusSet(
        stimuli=tuple(_stimulus(record) for record in found.pairs),
        checks=extra.checks,
        shortfalls=meta.shortfalls,
        spares_missing=meta.spares_missing,
        funnel=meta.funnel,
        strict_count=meta.strict_pairs,
        selection_digest=meta.selection_digest,
        metric=meta.metric,
        bands=meta.bands,
        standing=meta.metric_standing,
        unmatched=meta.unmatched,
    )


def decode_metadata(pairs: bytes, where: str) -> PairsMetadata:
    """Read how the pairs came about."""
    return _decode(pairs, PairsFile, f"{where}/extreme_pairs.json").metadata


def _metadata(preparation: "Preparation", made_at: datetime) -> PairsMetadata:
    stimuli, protocol = preparation.stimuli, preparation.protocol
    return PairsMetadata(
        schema=PAIRS_SCHEMA,
        source_files=preparation.sources,
        generated_at=made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        tool_version=f"limen {__version__}",
        study=protocol.study.protocol,
        protocol_digest=protocol.digest(),
        selection_digest=stimuli.selection_digest,
        seed=protocol.study.seed,
        metric=stimuli.metric,
        metric_standing=stimuli.standing,
        bands=dict(stimuli.bands),
        selection_criteria=_criteria(protocol),
        complete=stimuli.complete,
        shortfalls=stimuli.shortfalls,
        spares_missing=stimuli.spares_missing,
        strict_pairs=stimuli.strict_count,
        conversations_read=preparation.conversations,
        conversations_left_out=preparation.left_out,
        observed_drift=preparation.observed.summary(),
        log_problems=preparation.problems,
        funnel=stimuli.funnel,
        unmatched=stimuli.unmatched,
    )


def _criteria(protocol: Protocol) -> dict[str, Any]:
    criteria: dict[str, Any] = {}
    for condition in protocol.conditions:
        above, below = condition.drift.above, condition.drift.below
        bounds = [above, below] if above is not None and below is not None else above if below is None else below
        criteria[f"{condition.name.lower()}_threshold"] = bounds
    criteria["words"] = [protocol.words.minimum, protocol.words.maximum]
    criteria["replies"] = {
        condition.name: {
            "a": [condition.a_replies.first, condition.a_replies.last],
            "b": [condition.b_replies.first, condition.b_replies.last],
        }
        for condition in protocol.conditions
    }
    criteria["a_drift"] = {
        condition.name: str(condition.a_drift) for condition in protocol.conditions if condition.a_drift
    }
    baseline = protocol.with_role(ConditionRole.BASELINE)[0]
    criteria["strict"] = f"A {baseline.drift} in every condition" if protocol.selection.strict else False
    criteria["reuse_conversations"] = protocol.selection.reuse_conversations
    criteria["allow_self_reference"] = protocol.selection.allow_self_reference
    criteria["tags_required"] = dict(protocol.selection.tags_required)
    criteria["match"] = list(protocol.selection.match)
    return criteria


def _record(stimulus: Stimulus) -> PairRecord:
    pair = stimulus.pair
    return PairRecord(
        pair_id=stimulus.pair_id,
        condition=pair.condition,
        provider=pair.provider,
        context=pair.context,
        response_a=_response(pair.a),
        response_b=_response(pair.b),
        conversation_id=pair.conversation_id,
        model=pair.model,
        tags=dict(pair.tags),
        drift_metric=pair.drift_metric,
        drift_full_text=BothNumbers(a=pair.a.drift_full_text, b=pair.b.drift_full_text),
        drift_a_to_b=dict(pair.drift_a_to_b),
        topic_shift=pair.topic_shift,
        flags=list(pair.flags),
        scrubbed=BothScrubs(a=_scrubbed(pair.a), b=_scrubbed(pair.b)),
        words=BothCounts(a=pair.a.words, b=pair.b.words),
    )


def _response(reply: ShownReply) -> ResponseRecord:
    return ResponseRecord(text=reply.text, turn=reply.number, drift_score=reply.drift_score)


def _scrubbed(reply: ShownReply) -> ScrubRecord:
    return ScrubRecord(original=reply.original, excerpted=reply.excerpted, changes=reply.scrubs)


def _stimulus(record: PairRecord) -> Stimulus:
    pair = Pair(
        condition=record.condition,
        provider=record.provider,
        conversation_id=record.conversation_id,
        model=record.model,
        tags=record.tags,
        context=record.context,
        drift_metric=record.drift_metric,
        a=_shown(record.response_a, record.scrubbed.a, record.drift_full_text.a),
        b=_shown(record.response_b, record.scrubbed.b, record.drift_full_text.b),
        topic_shift=record.topic_shift,
        flags=tuple(record.flags),
        drift_a_to_b=record.drift_a_to_b,
    )
    return Stimulus(pair_id=record.pair_id, pair=pair)


def _shown(response: ResponseRecord, scrubbed: ScrubRecord, drift_full_text: float) -> ShownReply:
    return ShownReply(
        number=response.turn,
        text=response.text,
        original=scrubbed.original,
        scrubs=scrubbed.changes,
        excerpted=scrubbed.excerpted,
        drift_score=response.drift_score,
        drift_full_text=drift_full_text,
    )


def _decode(data: bytes, kind: type[_T], where: str) -> _T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"{where}: {problem}; it was changed or cut off: run `limen pairs` again") from problem


def _pretty(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
