"""Calls of Anthropic's Messages API, as programs log them: a request, its answer, or both in one record.

Shape: https://docs.anthropic.com/en/api/messages: a request with `model`, `system`, `messages[].{role, content}`, an
answer with `id`, `type: "message"`, `role`, `model` and `content` as a list of blocks. How a log puts the two together
is its own affair: taken are `{request, response}`, `{params, result: {message}}` (message batches), the two as one
flat object, and an answer alone. Blocks of type `text` are what is said; `thinking` and `redacted_thinking` are
dropped, and so are tools. Text blocks that follow each other are one text, as citations cut it; text around a tool is
apart.
"""

from collections.abc import Iterator, Mapping

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.messages import a_turn, first_id, is_messages, message_turns, spoken
from limen.logs.shapes import THINKING, anthropic_parts, is_anthropic_call, is_anthropic_message


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    request, answer = anthropic_parts(record)
    system = text_of_blocks(request.get("system"))
    turns = [a_turn(0, "system", system)] if system else []
    messages = request.get("messages")
    if is_messages(messages):
        turns += message_turns(request["messages"], text_of_blocks, start=len(turns))
    answered: Mapping[str, object] = {}
    if isinstance(answer, Mapping) and is_anthropic_message(answer):
        answered = answer
        turns.append(a_turn(len(turns), "assistant", text_of_blocks(answer["content"])))
    yield from spoken(
        origin,
        turns,
        name=first_id(record, "conversation_id", "custom_id") or first_id(answered, "id") or first_id(record, "id"),
        model=text_or_none(answered.get("model")) or request.get("model"),
    )


def text_of_blocks(content: object) -> str | None:
    """Give what is said in a message's content; None when nothing is."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    paragraphs: list[str] = []
    apart = True
    for block in content:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if kind == "text" and isinstance(block["text"], str):
            if apart:
                paragraphs.append("")
            paragraphs[-1] += block["text"]
            apart = False
        elif kind not in THINKING:
            apart = True
    return "\n\n".join(paragraphs) if paragraphs else None


FORMAT = LogFormat(name="Anthropic messages", matches=is_anthropic_call, read=_read)
