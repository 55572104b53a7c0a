"""What the formats of chat messages share: who speaks, what of a message is text, and how it becomes a conversation."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from limen.core.conversation import Conversation, Role, Turn
from limen.core.log_problems import LogProblem
from limen.logs.format import Origin, text_or_none

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
_TEXT_PARTS = ("text", "input_text", "output_text")


def is_messages(value: object) -> bool:
    """Tell a list of messages: it is not empty, and each has a role."""
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and "role" in m for m in value)


def text_of(content: object) -> str | None:
    """Give the text of a message: of a list of parts, the text parts only, so that no thinking and no tool call."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [
        part["text"]
        for part in content
        if isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)
    ]
    return "\n\n".join(parts) if parts else None


def message_turns(
    messages: Iterable[object], text: Callable[[object], str | None] = text_of, start: int = 0
) -> list[Turn]:
    """Give messages as turns, numbered from `start`; an assistant message without text is no reply."""
    turns: list[Turn] = []
    for message in messages:
        if not isinstance(message, dict):
            raise TypeError("a message is no object")
        turns.append(a_turn(start + len(turns), message["role"], text(message.get("content"))))
    return turns


def a_turn(i: int, role: object, text: str | None) -> Turn:
    """Give a turn by the role that chat formats name; an assistant's turn without text is no reply."""
    known = _ROLES.get(str(role).lower(), Role.OTHER)
    if known is Role.ASSISTANT and text is None:
        known = Role.OTHER
    return Turn(i=i, role=known, text=text or "")


def spoken(
    origin: Origin,
    turns: Sequence[Turn],
    *,
    name: str | None,
    model: object = None,
    provider: object = None,
    topic: object = None,
    tags: Mapping[str, object] | None = None,
) -> Iterator[Conversation | LogProblem]:
    """Give the conversation, or the problem that nobody answers in it. Tags that are no text are left out."""
    if not any(turn.role is Role.ASSISTANT for turn in turns):
        yield origin.problem("no text: nobody answers in it")
        return
    yield Conversation(
        id=name or origin.id,
        model=text_or_none(model),
        provider=text_or_none(provider),
        topic=text_or_none(topic),
        tags={key: value for key, value in (tags or {}).items() if isinstance(value, str) and value.strip()},
        turns=tuple(turns),
    )


def first_id(record: Mapping[str, object], *names: str) -> str | None:
    """Give the first of these fields that can be an id: text that is not empty, or a whole number."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if text_or_none(value):
            return str(value)
    return None
