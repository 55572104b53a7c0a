"""OpenAI chat messages: `{"messages": [{"role": …, "content": …}]}`, or the bare list.

Shape: https://platform.openai.com/docs/api-reference/chat. `content` is text or a list of parts, of which
the text parts count. An assistant message without text (a tool call) is no reply. A record that only the Messages
API or Inspect could have written is left to those formats.
"""

from collections.abc import Iterator

from limen.core.conversation import LANGUAGE, Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.messages import first_id, is_messages, message_turns, spoken
from limen.logs.shapes import is_anthropic_call, is_inspect_sample


def _matches(record: Record) -> bool:
    return is_messages(record.get("messages")) and not is_anthropic_call(record) and not is_inspect_sample(record)


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    yield from spoken(
        origin,
        message_turns(record["messages"]),
        name=first_id(record, "id", "conversation_id"),
        model=record.get("model"),
        provider=record.get("provider"),
        topic=record.get("topic"),
        tags={LANGUAGE: record.get("language")},
    )


FORMAT = LogFormat(
    name="OpenAI messages",
    matches=_matches,
    read=_read,
    fields=("messages", "id", "conversation_id", "model", "provider", "topic", "language"),
)
