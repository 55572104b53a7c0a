"""ChatGPT's data export, `conversations.json`: a list of conversations, each a tree of messages in `mapping`.

The export is described at https://help.openai.com/en/articles/7260999-how-do-i-export-my-chatgpt-history-and-data, its
shape is not: that is taken from general knowledge of exports and from readers of it (`mapping` of nodes with `parent`,
`children` and `message`; `current_node`; `message.author.role`, `.content.{content_type, parts}`, `.recipient`,
`.channel`, `.weight`, `.metadata.model_slug`). Read is the branch that ends at `current_node`: edited prompts and
answers made anew are other branches. The assistant's text to everybody is a reply; its thoughts, its calls of tools,
and what is hidden are not.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from limen.core.conversation import Conversation, Role, Turn
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.messages import a_turn, first_id, spoken

_SPOKEN = ("text", "multimodal_text")
_NOT_FINAL = ("analysis", "commentary")


def _matches(record: Record) -> bool:
    mapping = record.get("mapping")
    return isinstance(mapping, Mapping) and any(
        isinstance(node, Mapping) and "message" in node and "parent" in node for node in mapping.values()
    )


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    turns: list[Turn] = []
    models: Counter[str] = Counter()
    for message in _branch(record["mapping"], record.get("current_node")):
        turn = _turn(len(turns), message)
        turns.append(turn)
        slug = _of(message, "metadata").get("model_slug")
        if turn.role is Role.ASSISTANT and text_or_none(slug):
            models[str(slug)] += 1
    yield from spoken(
        origin,
        turns,
        name=first_id(record, "conversation_id", "id"),
        model=max(models, key=lambda name: models[name]) if models else record.get("default_model_slug"),
        provider="openai",  # an export of ChatGPT holds no one else's models
    )


def _branch(mapping: Mapping[str, Any], current: object) -> list[Mapping[str, Any]]:
    """Give the messages from the root to the current node; without one, to the end of the last children."""
    name = current if isinstance(current, str) and current in mapping else _last_leaf(mapping)
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(name, str) and name not in seen and isinstance(mapping.get(name), Mapping):
        seen.add(name)
        node = mapping[name]
        if isinstance(node.get("message"), Mapping):
            path.append(node["message"])
        name = node.get("parent")
    return path[::-1]


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    name = next((key for key, node in mapping.items() if isinstance(node, Mapping) and not node.get("parent")), None)
    seen: set[str] = set()
    while name is not None and name not in seen:
        seen.add(name)
        children = _of(mapping, name).get("children")
        onward = children[-1] if isinstance(children, list) and children else None
        if not isinstance(onward, str) or onward not in mapping:
            return name
        name = onward
    return name


def _turn(i: int, message: Mapping[str, Any]) -> Turn:
    role = _of(message, "author").get("role")
    content = _of(message, "content")
    parts = content.get("parts") if content.get("content_type") in _SPOKEN else None
    text = "\n\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else None
    hidden = message.get("weight") == 0 or _of(message, "metadata").get("is_visually_hidden_from_conversation") is True
    to_a_tool = message.get("recipient") not in (None, "all") or message.get("channel") in _NOT_FINAL
    if role == "assistant" and (hidden or to_a_tool):
        return Turn(i=i, role=Role.OTHER, text=text or "")
    if hidden:
        return Turn(i=i, role=Role.SYSTEM, text=text or "")
    return a_turn(i, role, text)


def _of(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


FORMAT = LogFormat(name="ChatGPT export", matches=_matches, read=_read)
