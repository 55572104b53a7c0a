"""LMSYS-Chat-1M: rows with `conversation_id`, `model` and `conversation` in the form of OpenAI messages.

Shape: the dataset card https://huggingface.co/datasets/lmsys/lmsys-chat-1m (`conversation_id`, `model`,
`conversation[].{content, role}`, `turn`, `language`, `openai_moderation`, `redacted`). JSON Lines or Parquet.
"""

from collections.abc import Iterator

from limen.core.conversation import LANGUAGE, Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.formats import wildchat
from limen.logs.messages import first_id, is_messages, message_turns, spoken


def _matches(record: Record) -> bool:
    return (
        is_messages(record.get("conversation")) and "conversation_id" in record and not wildchat.FORMAT.matches(record)
    )


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    yield from spoken(
        origin,
        message_turns(record["conversation"]),
        name=first_id(record, "conversation_id"),
        model=record.get("model"),
        tags={LANGUAGE: record.get("language")},
    )


FORMAT = LogFormat(
    name="LMSYS-Chat",
    matches=_matches,
    read=_read,
    fields=("conversation", "conversation_id", "model", "language"),
)
