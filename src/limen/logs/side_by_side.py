"""Exchanges that carry text and drift side by side, as two of the formats have them."""

from collections.abc import Iterator, Mapping, Sequence

from limen.core.conversation import LARGEST_DRIFT, Conversation, DriftOrigin, DriftSource, Role, Turn, is_drift
from limen.core.log_problems import LogProblem
from limen.core.protocol import UNKNOWN_METRIC
from limen.logs.format import Origin, Record, text_or_none


def read_side_by_side(
    exchanges: Sequence[object], record: Record, origin: Origin, *, name: str, tags: Mapping[str, str]
) -> Iterator[Conversation | LogProblem]:
    """Read a list of `{prompt_text, response_text, drift}` as one conversation."""
    turns: list[Turn] = []
    baseline = text_or_none(record.get("baseline_text"))
    if baseline:
        turns.append(Turn(i=0, role=Role.ASSISTANT, text=baseline, drift=0.0, is_reference=True))
    for exchange in exchanges:
        if not isinstance(exchange, Mapping) or not isinstance(exchange.get("response_text"), str):
            yield origin.problem("an exchange without response_text")
            continue
        prompt = text_or_none(exchange.get("prompt_text")) or text_or_none(exchange.get("prompt"))
        if prompt:
            turns.append(Turn(i=len(turns), role=Role.USER, text=prompt))
        drift = exchange.get("drift")
        if drift is not None and not is_drift(drift):
            yield origin.problem(f"a drift that is no number from 0 to {LARGEST_DRIFT:,.0f}: left out")
        value = float(drift) if is_drift(drift) else None
        turns.append(Turn(i=len(turns), role=Role.ASSISTANT, text=exchange["response_text"], drift=value))
    if not any(turn.role is Role.ASSISTANT and not turn.is_reference for turn in turns):
        yield origin.problem("no text: not one reply")
        return
    run = text_or_none(origin.header.get("run"))
    arm = text_or_none(record.get("arm"))
    yield Conversation(
        id=f"{run}:{name}" if run else name,
        model=text_or_none(record.get("ship")) or text_or_none(record.get("model")),
        provider=text_or_none(record.get("provider")) or text_or_none(record.get("witness_provider")),
        tags={**({"run": run} if run else {}), **({"arm": arm} if arm else {}), **tags},
        turns=tuple(turns),
        drift=DriftOrigin(
            metric=text_or_none(record.get("drift_metric")) or UNKNOWN_METRIC,
            reference="turn:0" if baseline else "replies:1-1",
            low=0.0,
            high=None,
            source=DriftSource.RECORDED,
        ),
    )
