"""The run files that the protocol S3_EXP_003 names: `conversation_log` with `drift_sequence` beside it.

A record stands alone or in `results` of a run. How the sequence lines up with the replies is chosen from
their numbers and roles:

    subject, as many plain replies as drifts      the entry with role "baseline" is the reference
    subject, one plain reply more than drifts     the first plain reply is the reference (and logged twice)
    witness, as many replies as drifts            the first five replies together are the reference
    witness, one reply more, the last "final_statement"   the same, and the last but one has no drift

Where none fits, the text is taken without drift, and that is a problem that is shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from limen.core.conversation import UNNUMBERED, Conversation, DriftOrigin, DriftSource, Role, Turn, is_drift
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none

METRIC = "keyword-rms/s7"
"""The run files' own metric. Its lexicon is not ours, so that it is recorded only."""

_TRIBUNAL_REFERENCE = "replies:1-5"
_SPEAKERS = {
    "subject": Role.ASSISTANT,
    "witness": Role.ASSISTANT,
    "ziggy": Role.USER,
    "attorney": Role.USER,
    "prosecutor_attorney": Role.USER,
    "defense_attorney": Role.USER,
}


@dataclass(frozen=True, slots=True)
class _Aligned:
    turns: tuple[Turn, ...]
    reference: str


def _matches(record: Record) -> bool:
    return "drift_sequence" in record and ("conversation_log" in record or "subject_id" in record)


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    log = [entry for entry in record.get("conversation_log") or () if isinstance(entry, dict)]
    if not any(isinstance(entry.get("content"), str) for entry in log):
        yield origin.problem("no text: conversation_log is missing or empty")
        return
    drifts, complaint = _drifts(record.get("drift_sequence"))
    if complaint:
        yield origin.problem(f"{complaint}: text taken without drift")
    aligned = _align(log, drifts) if drifts else None
    if drifts and aligned is None:
        yield origin.problem(f"drift_sequence of {len(drifts)} fits no rule of alignment: text taken without drift")
    run = text_or_none(origin.header.get("run"))
    subject = text_or_none(record.get("subject_id")) or origin.id
    tags = {"run": run, "arm": text_or_none(record.get("arm")), "experiment": origin.header.get("experiment")}
    yield Conversation(
        id=f"{run}:{subject}" if run else subject,
        model=text_or_none(record.get("ship")) or text_or_none(record.get("model")),
        provider=text_or_none(record.get("provider")) or text_or_none(record.get("witness_provider")),
        tags={key: value for key, value in tags.items() if isinstance(value, str)},
        turns=aligned.turns if aligned else _turns(log),
        drift=_origin(aligned.reference) if aligned else None,
    )


def _origin(reference: str) -> DriftOrigin:
    return DriftOrigin(metric=METRIC, reference=reference, low=0.0, high=None, source=DriftSource.RECORDED)


def _drifts(sequence: object) -> tuple[list[float], str | None]:
    if not isinstance(sequence, list) or not sequence:
        return [], "no drift: drift_sequence is missing or empty"
    if not all(is_drift(value) for value in sequence):
        return [], "drift_sequence holds something that is no drift"
    return [float(value) for value in sequence], None


def _align(log: Sequence[dict[str, Any]], drifts: Sequence[float]) -> _Aligned | None:
    turns = _turns(log)
    entries = list(zip(log, turns, strict=True))
    witness = [turn for entry, turn in entries if entry.get("speaker") == "witness"]
    plain = [turn for entry, turn in entries if entry.get("speaker") == "subject" and not entry.get("role")]
    marked = [turn for entry, turn in entries if entry.get("role") == "baseline"]
    if witness and not plain:
        return _align_witness(turns, witness, log, drifts)
    if not plain or len(marked) != 1:
        return None
    if len(plain) == len(drifts):
        return _subject(turns, marked[0], plain, drifts)
    if len(plain) == len(drifts) + 1 and marked[0].text == plain[0].text:
        kept = tuple(turn for turn in turns if turn is not marked[0])
        return _subject(kept, plain[0], plain[1:], drifts)
    return None


def _subject(turns: tuple[Turn, ...], reference: Turn, replies: Sequence[Turn], drifts: Sequence[float]) -> _Aligned:
    values = {turn.i: drift for turn, drift in zip(replies, drifts, strict=True)}
    done = tuple(
        replace(turn, is_reference=True, drift=0.0, flags=()) if turn.i == reference.i else _with_drift(turn, values)
        for turn in turns
    )
    return _Aligned(done, f"turn:{reference.i}")


def _align_witness(
    turns: tuple[Turn, ...], witness: list[Turn], log: Sequence[dict[str, Any]], drifts: Sequence[float]
) -> _Aligned | None:
    last = next(entry for entry in reversed(log) if entry.get("speaker") == "witness")
    if len(witness) == len(drifts) + 1 and last.get("role") == "final_statement":
        witness = [*witness[:-2], witness[-1]]
    if len(witness) != len(drifts):
        return None
    values = {turn.i: drift for turn, drift in zip(witness, drifts, strict=True)}
    return _Aligned(tuple(_with_drift(turn, values) for turn in turns), _TRIBUNAL_REFERENCE)


def _with_drift(turn: Turn, values: dict[int, float]) -> Turn:
    if turn.role is not Role.ASSISTANT:
        return turn
    if turn.i in values:
        return replace(turn, drift=values[turn.i])
    return replace(turn, flags=(*turn.flags, UNNUMBERED))


def _turns(log: Sequence[dict[str, Any]]) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            i=i,
            role=_SPEAKERS.get(str(entry.get("speaker")), Role.OTHER),
            text=entry["content"] if isinstance(entry.get("content"), str) else "",
        )
        for i, entry in enumerate(log)
    )


FORMAT = LogFormat(name="run file", matches=_matches, read=_read)
