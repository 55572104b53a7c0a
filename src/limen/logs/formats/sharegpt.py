"""ShareGPT: `{"id": …, "conversations": [{"from": "human" | "gpt", "value": …}]}`.

The shape is the one of the public ShareGPT datasets, taken from general knowledge; there is no specification.
"""

from collections.abc import Iterator, Mapping

from limen.core.conversation import LANGUAGE, Conversation, Role, Turn
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.messages import first_id, spoken

_SPEAKERS = {
    "human": Role.USER,
    "user": Role.USER,
    "gpt": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
}


def _matches(record: Record) -> bool:
    turns = record.get("conversations")
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(isinstance(turn, Mapping) and "from" in turn and "value" in turn for turn in turns)
    )


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    turns = tuple(
        Turn(
            i=i,
            role=_SPEAKERS.get(str(turn["from"]).lower(), Role.OTHER),
            text=turn["value"] if isinstance(turn["value"], str) else "",
        )
        for i, turn in enumerate(record["conversations"])
    )
    yield from spoken(
        origin,
        turns,
        name=first_id(record, "id"),
        model=record.get("model"),
        provider=record.get("provider"),
        tags={LANGUAGE: record.get("language")},
    )


FORMAT = LogFormat(
    name="ShareGPT", matches=_matches, read=_read, fields=("conversations", "id", "model", "provider", "language")
)
