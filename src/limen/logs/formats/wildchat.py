"""WildChat: rows with `conversation`, a list of utterances that each say their language and whether they are toxic.

Shape: the dataset cards https://huggingface.co/datasets/allenai/WildChat-1M (`conversation_hash`, `model`, `timestamp`,
`conversation[].{content, role, language, toxic, redacted, turn_identifier, …}`, `turn`, `language`, …) and
https://huggingface.co/datasets/allenai/WildChat-nontoxic (the same with `conversation_id`). JSON Lines or Parquet.
"""

from collections.abc import Iterator, Mapping

from limen.core.conversation import LANGUAGE, Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.messages import first_id, is_messages, message_turns, spoken


def _matches(record: Record) -> bool:
    said = record.get("conversation")
    return is_messages(said) and ("conversation_hash" in record or _has_marks(record["conversation"][0]))


def _has_marks(utterance: Mapping[str, object]) -> bool:
    return {"toxic", "redacted"} <= utterance.keys()


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    yield from spoken(
        origin,
        message_turns(record["conversation"]),
        name=first_id(record, "conversation_hash", "conversation_id"),
        model=record.get("model"),
        tags={LANGUAGE: record.get("language")},
    )


FORMAT = LogFormat(
    name="WildChat",
    matches=_matches,
    read=_read,
    fields=("conversation", "conversation_hash", "conversation_id", "model", "language"),
)
