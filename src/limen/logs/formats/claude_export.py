"""Claude's data export, `conversations.json`: a list of conversations with `chat_messages`.

Anthropic offers the export in the settings of an account and does not describe its shape, which is taken from general
knowledge of exports and from readers of them (`uuid`, `name`, `model`,
`chat_messages[].{uuid, sender, text, content, parent_message_uuid}`; `sender` is `human` or `assistant`; `content` has
blocks, of which those of type `text` count and `thinking` does not; `text` stands in where there are no blocks).
Where messages name their parents and the conversation its `current_leaf_message_uuid`, only that branch is read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.messages import a_turn, first_id, spoken, text_of


def _matches(record: Record) -> bool:
    messages = record.get("chat_messages")
    return isinstance(messages, list) and all(isinstance(m, Mapping) and "sender" in m for m in messages)


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    messages = _branch(record["chat_messages"], record.get("current_leaf_message_uuid"))
    yield from spoken(
        origin,
        [a_turn(i, message["sender"], _text(message)) for i, message in enumerate(messages)],
        name=first_id(record, "uuid"),
        model=record.get("model"),
        provider="anthropic",  # an export of Claude holds no one else's models
    )


def _branch(messages: list[Mapping[str, Any]], leaf: object) -> list[Mapping[str, Any]]:
    by_id = {message["uuid"]: message for message in messages if isinstance(message.get("uuid"), str)}
    if not isinstance(leaf, str) or leaf not in by_id:
        return messages
    path: list[Mapping[str, Any]] = []
    while isinstance(leaf, str) and leaf in by_id:
        message = by_id.pop(leaf)
        path.append(message)
        leaf = message.get("parent_message_uuid")
    return path[::-1]


def _text(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    if isinstance(content, list) and content:
        return text_of(content)
    text = message.get("text")
    return text if isinstance(text, str) and text else None


FORMAT = LogFormat(name="Claude export", matches=_matches, read=_read)
